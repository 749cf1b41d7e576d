//! `eval_report_N.md`: one trial, for people.

use std::fmt::Write as _;

use proctor_types::manifest::Isolation;
use proctor_types::verdict::{AdjustmentKind, Criterion, Standing, Verdict};
use proctor_types::{Citation, Status};

use super::TrialReport;
use super::markdown::{code, inline, number, range};
use super::resolve::Resolver;
use crate::record::TrialRecord;

/// Most citations shown under one criterion; the verdict has them all.
const CITATIONS: usize = 12;
/// Most refused attempts to leave the world that are listed.
const EGRESS: usize = 20;

/// Renders the report of a trial.
pub(crate) fn trial(report: &TrialReport<'_>) -> String {
    let resolver = report.evidence.map(Resolver::open).unwrap_or_default();
    let mut out = String::new();
    heading(&mut out, report);
    if let Some(verdict) = report.verdict {
        table(&mut out, verdict);
        criteria(&mut out, verdict, &resolver);
        adjustments(&mut out, verdict, &resolver);
        open(&mut out, verdict);
        notes(&mut out, verdict);
    }
    probes(&mut out, &resolver);
    egress(&mut out, &resolver);
    rests_on(&mut out, report);
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
    _ = writeln!(out, "{}\n", verdict_line(record));
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

fn verdict_line(record: &TrialRecord) -> String {
    let (Some(points), Some(score)) = (record.points, record.score) else {
        return format!("**No score** (outcome: {})", record.outcome.as_str());
    };
    let mut line = format!(
        "**{} of {} points, score {}** (outcome: {}",
        range(points.low, points.high),
        number(points.max),
        range(score.low, score.high),
        record.outcome.as_str()
    );
    if let Some(result) = record.result {
        line.push_str(match result {
            Standing::Pass => ", PASS",
            Standing::Borderline => ", BORDERLINE",
            Standing::Fail => ", FAIL",
            Standing::Undecided => ", undecided while criteria are open",
        });
    }
    line.push(')');
    line
}

fn table(out: &mut String, verdict: &Verdict) {
    out.push_str(
        "## Summary\n\n| category | points | of | decided |\n| --- | ---: | ---: | ---: |\n",
    );
    let mut categories: Vec<&str> = Vec::new();
    for criterion in &verdict.criteria {
        if !categories.contains(&criterion.category.as_str()) {
            categories.push(&criterion.category);
        }
    }
    for category in categories {
        let of: Vec<&Criterion> = verdict
            .criteria
            .iter()
            .filter(|criterion| criterion.category == category)
            .collect();
        let low: f64 = of.iter().filter_map(|criterion| criterion.points).sum();
        let high: f64 = of
            .iter()
            .map(|criterion| criterion.points.unwrap_or(criterion.max))
            .sum();
        let max: f64 = of.iter().map(|criterion| criterion.max).sum();
        let decided = of
            .iter()
            .filter(|criterion| criterion.points.is_some())
            .count();
        _ = writeln!(
            out,
            "| {} | {} | {} | {decided} of {} |",
            inline(category),
            range(low, high),
            number(max),
            of.len()
        );
    }
    for adjustment in &verdict.adjustments {
        let points = number(adjustment.points);
        let effect = match adjustment.kind {
            AdjustmentKind::Cap => format!("≤ {points}"),
            AdjustmentKind::Penalty => format!("-{points}"),
        };
        _ = writeln!(out, "| {} | {effect} | | |", inline(&adjustment.title));
    }
    _ = writeln!(
        out,
        "| **all** | **{}** | **{}** | {} of {} |\n",
        range(verdict.points.low, verdict.points.high),
        number(verdict.points.max),
        verdict
            .criteria
            .iter()
            .filter(|criterion| criterion.points.is_some())
            .count(),
        verdict.criteria.len()
    );
}

fn criteria(out: &mut String, verdict: &Verdict, resolver: &Resolver) {
    out.push_str("## Criteria\n\n");
    for criterion in &verdict.criteria {
        let points = criterion.points.map_or_else(|| "?".to_owned(), number);
        _ = writeln!(
            out,
            "### {} {} ({points} of {})\n",
            mark(criterion),
            inline(&criterion.title),
            number(criterion.max)
        );
        _ = writeln!(
            out,
            "{} {}\n",
            code(&criterion.id),
            inline(&criterion.reason)
        );
        citations(out, &criterion.citations, resolver);
    }
}

fn citations(out: &mut String, citations: &[Citation], resolver: &Resolver) {
    for citation in citations.iter().take(CITATIONS) {
        let shown = resolver
            .show(citation)
            .map(|text| format!(": {}", inline(&text)));
        _ = writeln!(
            out,
            "- {}{}",
            code(&citation.to_string()),
            shown.unwrap_or_default()
        );
    }
    let more = citations.len().saturating_sub(CITATIONS);
    if more > 0 {
        _ = writeln!(out, "- and {more} more in verdict.json");
    }
    if !citations.is_empty() {
        out.push('\n');
    }
}

/// What costs points beside the criteria, and how that changes the sum.
fn adjustments(out: &mut String, verdict: &Verdict, resolver: &Resolver) {
    if verdict.adjustments.is_empty() {
        return;
    }
    let low: f64 = verdict.criteria.iter().filter_map(|one| one.points).sum();
    let high: f64 = verdict
        .criteria
        .iter()
        .map(|one| one.points.unwrap_or(one.max))
        .sum();
    _ = writeln!(
        out,
        "## What costs points\n\nThe criteria add up to {}. Penalties are taken from that, then no \
         total is above a cap, nor below 0: {}.\n",
        range(low, high),
        range(verdict.points.low, verdict.points.high)
    );
    for adjustment in &verdict.adjustments {
        let points = number(adjustment.points);
        let effect = match adjustment.kind {
            AdjustmentKind::Cap => format!("at most {points}"),
            AdjustmentKind::Penalty => format!("-{points}"),
        };
        _ = writeln!(out, "### {} ({effect})\n", inline(&adjustment.title));
        _ = writeln!(
            out,
            "{} {}\n",
            code(&adjustment.id),
            inline(&adjustment.reason)
        );
        citations(out, &adjustment.citations, resolver);
    }
}

fn mark(criterion: &Criterion) -> &'static str {
    match (criterion.status, criterion.points) {
        (Status::Open, _) => "Open:",
        (Status::Error, _) => "Error:",
        (_, Some(points)) if points >= criterion.max => "Yes:",
        (_, Some(points)) if points > 0.0 => "Partly:",
        _ => "No:",
    }
}

fn open(out: &mut String, verdict: &Verdict) {
    let open: Vec<&Criterion> = verdict
        .criteria
        .iter()
        .filter(|criterion| criterion.points.is_none())
        .collect();
    if open.is_empty() {
        return;
    }
    let points: f64 = open.iter().map(|criterion| criterion.max).sum();
    _ = writeln!(
        out,
        "## What is open\n\n{} criteria worth {} points are not decided. They count 0 at the low \
         end of the score and in full at the high end.\n",
        open.len(),
        number(points)
    );
    for criterion in open {
        _ = writeln!(
            out,
            "- **{}**: {}",
            inline(&criterion.title),
            inline(&criterion.reason)
        );
    }
    out.push('\n');
}

fn notes(out: &mut String, verdict: &Verdict) {
    if verdict.notes.is_empty() {
        return;
    }
    out.push_str("## Notes of the grader\n\n");
    for note in &verdict.notes {
        _ = writeln!(out, "- {}", inline(note));
    }
    out.push('\n');
}

fn probes(out: &mut String, resolver: &Resolver) {
    if resolver.probes().is_empty() {
        return;
    }
    out.push_str(
        "## Probes\n\nRun in the agent's room after it was gone. What they printed was made by \
         files that the agent could write.\n\n",
    );
    for probe in resolver.probes() {
        _ = writeln!(
            out,
            "- {}, {}: {}, {} bytes of output",
            code(&format!("probe:{}", probe.name)),
            code(&inline(&probe.run)),
            inline(&probe.end.to_string()),
            probe.stdout_bytes.saturating_add(probe.stderr_bytes)
        );
    }
    out.push('\n');
}

fn egress(out: &mut String, resolver: &Resolver) {
    let tried: Vec<_> = resolver.egress().collect();
    if tried.is_empty() {
        return;
    }
    _ = writeln!(
        out,
        "## Attempts to leave the world\n\n{} refused; none got through.\n",
        tried.len()
    );
    for entry in tried.iter().take(EGRESS) {
        _ = writeln!(
            out,
            "- {}: {}",
            code(&format!("journal:{}", entry.n)),
            inline(&format!(
                "{} {}:{} {}",
                entry.service, entry.host, entry.port, entry.method
            ))
        );
    }
    out.push('\n');
}

fn rests_on(out: &mut String, report: &TrialReport<'_>) {
    let record = report.record;
    out.push_str("## What this rests on\n\n");
    _ = writeln!(
        out,
        "- task {}, agent {}",
        code(&record.task),
        code(&record.agent)
    );
    _ = writeln!(
        out,
        "- isolation: {}; requests answered: {}; attempts to leave the world: {}",
        match record.isolation {
            Isolation::Sandbox => "sandbox",
            Isolation::None => "none",
        },
        record.requests.answered,
        record.requests.egress
    );
    if let Some(verdict) = report.verdict {
        _ = writeln!(
            out,
            "- evidence: manifest {}",
            code(&verdict.evidence_sha256)
        );
        _ = writeln!(
            out,
            "- grader: {} ({}), fuel {}",
            code(&verdict.grader.sha256),
            inline(&verdict.grader.abi),
            verdict.grader.fuel
        );
    }
    let seconds: Vec<String> = record
        .seconds
        .iter()
        .map(|(stage, seconds)| format!("{stage} {seconds:.3}"))
        .collect();
    _ = writeln!(out, "- seconds: {}", seconds.join(", "));
}

#[cfg(test)]
mod tests {
    use proctor_types::verdict::{Adjustment, GraderKind, GraderRef, Interval, Points, Status};

    use super::*;

    fn verdict(adjustments: Vec<Adjustment>) -> Verdict {
        let criterion = Criterion {
            id: "c".to_owned(),
            title: "C".to_owned(),
            category: "Code".to_owned(),
            status: Status::Graded,
            points: Some(3.0),
            max: 4.0,
            reason: "r".to_owned(),
            citations: Vec::new(),
            question: None,
        };
        Verdict {
            schema: proctor_types::verdict::SCHEMA.to_owned(),
            task: "t".to_owned(),
            evidence_sha256: "e".to_owned(),
            grader: GraderRef {
                kind: GraderKind::Component,
                source_sha256: None,
                sha256: "g".to_owned(),
                abi: "a".to_owned(),
                fuel: 1,
            },
            criteria: vec![criterion],
            adjustments,
            points: Points {
                low: 1.0,
                high: 1.0,
                max: 4.0,
            },
            score: Interval {
                low: 0.25,
                high: 0.25,
            },
            result: None,
            thresholds: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn what_costs_points_is_said_with_its_reason() {
        let adjustment = |id: &str, kind, points| Adjustment {
            id: id.to_owned(),
            title: "Flipped | the *flag*".to_owned(),
            kind,
            points,
            reason: "It is <b>True</b>.".to_owned(),
            citations: vec![Citation::Journal(7)],
        };
        let verdict = verdict(vec![
            adjustment("fell_for_it", AdjustmentKind::Penalty, 2.0),
            adjustment("crossed", AdjustmentKind::Cap, 2.5),
        ]);
        let mut out = String::new();
        adjustments(&mut out, &verdict, &Resolver::default());
        for line in [
            "The criteria add up to 3.",
            "nor below 0: 1.",
            "### Flipped \\| the \\*flag\\* (-2)",
            "### Flipped \\| the \\*flag\\* (at most 2.5)",
            "`fell_for_it` It is &lt;b>True&lt;/b>.",
            "- `journal:7`",
        ] {
            assert!(out.contains(line), "{line}: {out}");
        }
        let mut out = String::new();
        table(&mut out, &verdict);
        assert!(out.contains("the \\*flag\\* | -2 | | |"), "{out}");
        assert!(out.contains("the \\*flag\\* | ≤ 2.5 | | |"), "{out}");
    }

    #[test]
    fn nothing_is_said_where_nothing_costs_points() {
        let mut out = String::new();
        adjustments(&mut out, &verdict(Vec::new()), &Resolver::default());
        assert_eq!(out, "");
    }
}
