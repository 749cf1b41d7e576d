//! `junit.xml`: what CI shows.

use std::io::Write;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::error::ReportError;
use crate::read::{Criterion, Job, Record, State, Trial};

/// What is a test case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JUnitCases {
    /// A trial, with its criteria in its output.
    #[default]
    PerTrial,
    /// A criterion of a trial.
    PerCriterion,
}

/// Longest text of a message, in bytes.
const MESSAGE: usize = 2_000;

/// Writes `job` as `JUnit` XML: a suite for each task and agent.
///
/// A trial that passed is a success, one below its task's threshold for passing
/// (or, without one, below full marks) a failure. What says nothing about the
/// agent is an *error*: it was not measured. What is open, or has not run, is
/// *skipped*.
///
/// # Errors
/// What `out` says.
pub fn write_junit(job: &Job, cases: JUnitCases, out: &mut impl Write) -> Result<(), ReportError> {
    let mut report = Report::new(if job.name().is_empty() {
        "proctor"
    } else {
        job.name()
    });
    let mut suites: Vec<((&str, &str), TestSuite)> = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    for trial in job.trials() {
        let key = (trial.task.as_str(), trial.agent.as_str());
        let number = *numbers.entry(key).or_insert_with(|| {
            suites.push((key, TestSuite::new(format!("{} / {}", key.0, key.1))));
            suites.len() - 1
        });
        let suite = &mut suites[number].1;
        match (cases, trial.graded()) {
            (JUnitCases::PerCriterion, Some(record)) => {
                suite.add_test_cases(record.criteria.iter().map(|one| of_criterion(trial, one)));
                suite.add_test_cases(costs(trial, record));
            }
            _ => {
                suite.add_test_case(of_trial(trial));
            }
        }
    }
    report.add_test_suites(suites.into_iter().map(|(_, suite)| suite));
    report.serialize(out)?;
    Ok(())
}

fn of_trial(trial: &Trial) -> TestCase {
    let mut case = TestCase::new(format!("#{}", trial.attempt), trial_status(trial));
    case.set_classname(format!("{}.{}", trial.task, trial.agent));
    case.add_property(Property::new("directory", trial.dir.as_str()));
    if let Some(record) = trial.record() {
        if let Some(seconds) = record.total_seconds()
            && let Ok(time) = Duration::try_from_secs_f64(seconds)
        {
            case.set_time(time);
        }
        if let Some(points) = record.points {
            case.add_property(Property::new("points.low", points.low.to_string()));
            case.add_property(Property::new("points.high", points.high.to_string()));
            case.add_property(Property::new("points.max", points.max.to_string()));
        }
        let lines: Vec<String> = record.criteria.iter().map(line).collect();
        if !lines.is_empty() {
            case.set_system_out(lines.join("\n"));
        }
    }
    case
}

/// Where a trial stands, as CI counts it.
fn trial_status(trial: &Trial) -> TestCaseStatus {
    let record = match &trial.state {
        State::NotStarted => return skipped("it has not run"),
        State::Unfinished => return skipped("it has not ended: it runs, or was interrupted"),
        State::Damaged(why) => return bad(NonSuccessKind::Error, "damaged", why),
        State::Finished(record) => record,
    };
    let Some(score) = trial.graded().and_then(|record| record.score) else {
        let why = record
            .failure
            .as_ref()
            .map_or("it was not graded", |one| &one.message);
        return bad(NonSuccessKind::Error, record.outcome.as_str(), why);
    };
    let passed = match record.result.as_deref() {
        Some("pass") => Some(true),
        Some("undecided") => None,
        Some(_) => Some(false),
        None if score.low >= 1.0 => Some(true),
        None if score.high < 1.0 => Some(false),
        None => None,
    };
    let points = record.points.map_or_else(String::new, |points| {
        format!("{} to {} of {} points", points.low, points.high, points.max)
    });
    match passed {
        Some(true) => TestCaseStatus::success(),
        None => skipped(&format!("it depends on open criteria: {points}")),
        Some(false) => {
            let end = record.agent_end.as_deref().unwrap_or_default();
            let kind = record.result.as_deref().unwrap_or(record.outcome.as_str());
            bad(NonSuccessKind::Failure, kind, &format!("{points}. {end}"))
        }
    }
}

fn of_criterion(trial: &Trial, one: &Criterion) -> TestCase {
    let status = match one.decided() {
        Some(points) if points + 1e-9 >= one.max => TestCaseStatus::success(),
        Some(_) => bad(NonSuccessKind::Failure, "points", &line(one)),
        None if one.status == crate::read::Status::Error => {
            bad(NonSuccessKind::Error, "error", &line(one))
        }
        None => skipped(&line(one)),
    };
    let mut case = TestCase::new(format!("#{} {}", trial.attempt, one.id), status);
    case.set_classname(format!("{}.{}", trial.task, trial.agent));
    case
}

/// What costs points beside the criteria is a failure of its own.
fn costs(trial: &Trial, record: &Record) -> Vec<TestCase> {
    let each = record.adjustments.iter().map(|one| {
        let message = format!(
            "{} ({} {}): {}",
            one.title, one.kind, one.points, one.reason
        );
        let status = bad(NonSuccessKind::Failure, "adjustment", &message);
        let mut case = TestCase::new(format!("#{} {}", trial.attempt, one.id), status);
        case.set_classname(format!("{}.{}", trial.task, trial.agent));
        case
    });
    each.collect()
}

fn line(one: &Criterion) -> String {
    let points = one.decided().map_or_else(
        || one.status.as_str().to_owned(),
        |points| points.to_string(),
    );
    cut(&format!(
        "{} {points}/{} {}: {}",
        one.id, one.max, one.title, one.reason
    ))
}

fn bad(kind: NonSuccessKind, word: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(word);
    status.set_message(cut(message));
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(cut(message));
    status
}

fn cut(text: &str) -> String {
    if text.len() <= MESSAGE {
        return text.to_owned();
    }
    format!("{} [cut]", &text[..text.floor_char_boundary(MESSAGE)])
}
