//! `eval_report_N.md`: one trial, for people.

mod criteria;
mod findings;
mod rest;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use proctor_types::manifest::Isolation;
use proctor_types::task::Thresholds;
use proctor_types::verdict::{AdjustmentKind, Interval, Points, Verdict};

use super::TrialReport;
use super::markdown::{inline, number, percent, range};
use super::resolve::Resolver;
use crate::record::{TrialRecord, word};

/// Renders the report of a trial.
pub(crate) fn trial(report: &TrialReport<'_>) -> String {
    let resolver = report.evidence.map(Resolver::open).unwrap_or_default();
    let record = report.record;
    let mut out = String::new();
    heading(&mut out, report);
    if let Some(verdict) = report.verdict {
        table(&mut out, record, verdict);
        findings::right(&mut out, record);
        findings::wrong(&mut out, record, verdict);
        findings::sorted(&mut out, verdict);
        findings::open(&mut out, verdict);
        criteria::criteria(&mut out, record, verdict, &resolver);
        criteria::adjustments(&mut out, verdict, &resolver);
        findings::notes(&mut out, verdict);
    }
    rest::probes(&mut out, &resolver);
    rest::egress(&mut out, &resolver);
    rest::time(&mut out, record);
    rest::rests_on(&mut out, report);
    out
}

fn heading(out: &mut String, report: &TrialReport<'_>) {
    let TrialReport { task, record, .. } = report;
    _ = writeln!(
        out,
        "# {}: attempt {}\n",
        inline(&task.name),
        record.attempt
    );
    let own = report.verdict.and_then(|verdict| verdict.thresholds);
    _ = writeln!(out, "{}\n", verdict_line(record, own.or(task.thresholds)));
    if record.isolation == Isolation::None {
        out.push_str(
            "> **No isolation.** The agent ran as an ordinary process of this machine. It could \
             reach the network, the host's files and the runner; read every figure with that in \
             mind.\n\n",
        );
    }
    if let Some(failure) = &record.failure {
        _ = writeln!(
            out,
            "> **{}** in stage {}: {}",
            record.outcome.as_str(),
            failure.stage.as_str(),
            inline(&failure.message)
        );
        if let Some(hint) = &failure.hint {
            _ = writeln!(out, "> {}", inline(hint));
        }
        out.push_str("> This says nothing about the agent and is not in the denominator.\n\n");
    }
    if let Some(end) = &record.agent_end {
        _ = writeln!(out, "> **The agent did not end well**: {}\n", inline(end));
    }
    for warning in &record.warnings {
        _ = writeln!(out, "> {}\n", inline(warning));
    }
}

fn verdict_line(record: &TrialRecord, thresholds: Option<Thresholds>) -> String {
    let (Some(points), Some(score)) = (record.points, record.score) else {
        return format!("**No score** (outcome: {})", record.outcome.as_str());
    };
    let standing = record
        .result
        .map(|standing| format!("{}, ", word(standing)))
        .unwrap_or_default();
    let mut line = format!(
        "**{standing}{}: {} of {} points** (outcome: {}",
        percent(score),
        range(points.low, points.high),
        number(points.max),
        record.outcome.as_str()
    );
    if let Some(Thresholds { pass, borderline }) = thresholds {
        _ = write!(line, "; PASS from {} points", number(pass));
        if let Some(borderline) = borderline {
            _ = write!(line, ", BORDERLINE from {}", number(borderline));
        }
    }
    line.push(')');
    line
}

fn table(out: &mut String, record: &TrialRecord, verdict: &Verdict) {
    out.push_str(
        "## Summary\n\n| category | points | of | share | decided |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for category in &record.categories {
        let own = || {
            let criteria = record.criteria.iter();
            criteria.filter(|one| one.category == category.category)
        };
        _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} of {} |",
            inline(&category.category),
            range(category.points.low, category.points.high),
            number(category.points.max),
            share(category.points),
            own().filter(|one| one.points.is_some()).count(),
            own().count()
        );
    }
    for adjustment in &verdict.adjustments {
        let points = number(adjustment.points);
        let effect = match adjustment.kind {
            AdjustmentKind::Cap => format!("≤ {points}"),
            AdjustmentKind::Penalty => format!("-{points}"),
        };
        _ = writeln!(out, "| {} | {effect} | | | |", inline(&adjustment.title));
    }
    let decided = record.criteria.iter().filter(|one| one.points.is_some());
    _ = writeln!(
        out,
        "| **all** | **{}** | **{}** | **{}** | {} of {} |\n",
        range(verdict.points.low, verdict.points.high),
        number(verdict.points.max),
        percent(verdict.score),
        decided.count(),
        record.criteria.len()
    );
}

fn share(points: Points) -> String {
    if points.max <= 0.0 {
        return "-".to_owned();
    }
    percent(Interval {
        low: points.low / points.max,
        high: points.high / points.max,
    })
}
