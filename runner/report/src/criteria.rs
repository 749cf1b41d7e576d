//! `criteria.csv`: a row for each criterion of each trial, and one for each
//! trial without any.

use std::borrow::Cow;
use std::io::Write;

use crate::error::ReportError;
use crate::read::{Criterion, Job, State, Trial};

/// The columns.
const HEADER: [&str; 18] = [
    "task",
    "agent",
    "attempt",
    "outcome",
    "counts",
    "score_low",
    "score_high",
    "result",
    "criterion",
    "title",
    "category",
    "status",
    "points",
    "max",
    "reason",
    "citations",
    "usd",
    "seconds",
];

/// Writes the criteria of `job` as CSV (RFC 4180, UTF-8, with a header).
///
/// Nobody's trial is left out: one without criteria has a row with these columns
/// empty. `points` is empty where nobody decided. Texts that a spreadsheet would
/// take for a formula have a `'` before them.
///
/// # Errors
/// What `out` says.
pub fn write_criteria_csv(job: &Job, out: &mut impl Write) -> Result<(), ReportError> {
    let mut csv = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(out);
    csv.write_record(HEADER)?;
    for trial in job.trials() {
        let criteria = trial.record().map_or(&[][..], |record| &record.criteria);
        for one in criteria {
            row(&mut csv, trial, Some(one))?;
        }
        if criteria.is_empty() {
            row(&mut csv, trial, None)?;
        }
    }
    csv.flush()?;
    Ok(())
}

fn row<W: Write>(
    csv: &mut csv::Writer<W>,
    trial: &Trial,
    one: Option<&Criterion>,
) -> Result<(), ReportError> {
    let record = trial.record();
    let score = record.and_then(|record| record.score);
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let outcome = match &trial.state {
        State::NotStarted => "not_started",
        State::Unfinished => "unfinished",
        State::Damaged(_) => "damaged",
        State::Finished(record) => record.outcome.as_str(),
    };
    let damage = match &trial.state {
        State::Damaged(why) => why.as_str(),
        _ => "",
    };
    let usd = record.and_then(|record| record.model.as_ref()?.usd());
    let status = one.map_or("", |one| one.status.as_str());
    csv.write_record([
        plain(&trial.task).as_ref(),
        plain(&trial.agent).as_ref(),
        &trial.attempt.to_string(),
        plain(outcome).as_ref(),
        if trial.graded().is_some() { "1" } else { "0" },
        &number(score.map(|score| score.low)),
        &number(score.map(|score| score.high)),
        plain(
            record
                .and_then(|record| record.result.as_deref())
                .unwrap_or_default(),
        )
        .as_ref(),
        plain(one.map_or("", |one| &one.id)).as_ref(),
        plain(one.map_or("", |one| &one.title)).as_ref(),
        plain(one.map_or("", |one| &one.category)).as_ref(),
        status,
        &number(one.and_then(Criterion::decided)),
        &number(one.map(|one| one.max)),
        plain(one.map_or(damage, |one| &one.reason)).as_ref(),
        plain(&one.map(|one| one.citations.join(" ")).unwrap_or_default()).as_ref(),
        &number(usd),
        &number(record.and_then(crate::Record::total_seconds)),
    ])?;
    Ok(())
}

/// A text that no spreadsheet computes (OWASP, "CSV Injection").
fn plain(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}
