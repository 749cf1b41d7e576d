//! `summary.md`: a whole job, for people.

mod patterns;
mod results;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proctor_types::Status;
use proctor_types::manifest::Isolation;

use super::markdown::{code, inline, number, range};
use crate::record::{JobSummary, TrialRecord};

/// Renders the summary of a job.
pub(crate) fn job(summary: &JobSummary) -> String {
    let mut out = String::new();
    _ = writeln!(out, "# Job {}\n", inline(&summary.job));
    _ = writeln!(out, "{}.\n", summary.denominator);
    if summary
        .trials
        .iter()
        .any(|trial| trial.isolation == Isolation::None)
    {
        out.push_str("> **No isolation** in at least one trial: see its report.\n\n");
    }
    results::results(&mut out, summary);
    for group in &summary.groups {
        patterns::patterns(&mut out, group);
    }
    criteria(&mut out, summary);
    trials(&mut out, summary);
    failures(&mut out, summary);
    _ = writeln!(
        out,
        "## Time\n\n{}. Seconds per stage are in each `trial.json`.",
        summary.time
    );
    out
}

fn trials(out: &mut String, summary: &JobSummary) {
    out.push_str(
        "## Trials\n\n| task | agent | attempt | outcome | points | of | score | seconds |\n\
         | --- | --- | ---: | --- | ---: | ---: | ---: | ---: |\n",
    );
    for trial in &summary.trials {
        let points = trial
            .points
            .map_or_else(|| "-".to_owned(), |p| range(p.low, p.high));
        let max = trial
            .points
            .map_or_else(|| "-".to_owned(), |p| number(p.max));
        let score = trial
            .score
            .map_or_else(|| "-".to_owned(), |s| range(s.low, s.high));
        let seconds = trial.seconds.get("total").copied().unwrap_or_default();
        _ = writeln!(
            out,
            "| {} | {} | [{}]({}/eval_report_{}.md) | {} | {points} | {max} | {score} | {} |",
            inline(&trial.task),
            inline(&trial.agent),
            trial.attempt,
            trial.dir,
            trial.attempt,
            trial.outcome.as_str(),
            number(seconds),
        );
    }
    out.push('\n');
}

/// One table per task: criteria down, trials across.
fn criteria(out: &mut String, summary: &JobSummary) {
    let mut tasks: BTreeMap<&str, Vec<&TrialRecord>> = BTreeMap::new();
    for trial in summary
        .trials
        .iter()
        .filter(|trial| !trial.criteria.is_empty())
    {
        tasks.entry(&trial.task).or_default().push(trial);
    }
    for (task, trials) in tasks {
        _ = write!(out, "## Criteria of {}\n\n| criterion | of |", inline(task));
        for trial in &trials {
            _ = write!(out, " {} #{} |", inline(&trial.agent), trial.attempt);
        }
        out.push_str("\n| --- | ---: |");
        out.push_str(&" ---: |".repeat(trials.len()));
        out.push('\n');
        for criterion in &trials[0].criteria {
            _ = write!(
                out,
                "| {} | {} |",
                code(&criterion.id),
                number(criterion.max)
            );
            for trial in &trials {
                let found = trial.criteria.iter().find(|other| other.id == criterion.id);
                let cell = match found {
                    Some(found) => match (found.points, found.status) {
                        (Some(points), _) => number(points),
                        (None, Status::Error) => "error".to_owned(),
                        (None, _) => "open".to_owned(),
                    },
                    None => "-".to_owned(),
                };
                _ = write!(out, " {cell} |");
            }
            out.push('\n');
        }
        out.push('\n');
    }
}

fn failures(out: &mut String, summary: &JobSummary) {
    let failed: Vec<_> = summary
        .trials
        .iter()
        .filter_map(|trial| Some((trial, trial.failure.as_ref()?)))
        .collect();
    if failed.is_empty() {
        return;
    }
    out.push_str("## What failed on our side\n\n");
    for (trial, failure) in failed {
        _ = writeln!(
            out,
            "- {} / {} #{}: {} in stage {}: {}",
            inline(&trial.task),
            inline(&trial.agent),
            trial.attempt,
            trial.outcome.as_str(),
            failure.stage.as_str(),
            inline(&failure.message)
        );
    }
    out.push('\n');
}
