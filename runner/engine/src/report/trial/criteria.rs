//! Every criterion with what was found and where to see it, and what costs
//! points beside them.

use std::fmt::Write as _;

use proctor_types::verdict::{AdjustmentKind, Criterion, Verdict};
use proctor_types::{Citation, Status};

use super::super::markdown::{code, inline, number, range};
use super::super::resolve::Resolver;
use crate::record::{TrialRecord, is_full};

/// Most citations shown under one criterion; the verdict has them all.
const CITATIONS: usize = 12;

/// The criteria, category by category.
pub(super) fn criteria(
    out: &mut String,
    record: &TrialRecord,
    verdict: &Verdict,
    resolver: &Resolver,
) {
    out.push_str("## Criteria\n\n");
    for category in &record.categories {
        _ = writeln!(
            out,
            "### {}: {} of {}\n",
            inline(&category.category),
            range(category.points.low, category.points.high),
            number(category.points.max)
        );
        let own = verdict
            .criteria
            .iter()
            .filter(|criterion| criterion.category == category.category);
        for criterion in own {
            one(out, criterion, resolver);
        }
    }
}

fn one(out: &mut String, criterion: &Criterion, resolver: &Resolver) {
    let points = criterion.points.map_or_else(|| "?".to_owned(), number);
    _ = writeln!(
        out,
        "#### {} {} ({points} of {})\n",
        mark(criterion),
        inline(&criterion.title),
        number(criterion.max)
    );
    // What is short of full marks says what there was instead.
    let instead = match criterion.points {
        Some(points) if !is_full(points, criterion.max) => "**Found instead:** ",
        _ => "",
    };
    _ = writeln!(
        out,
        "{} {instead}{}\n",
        code(&criterion.id),
        inline(&criterion.reason)
    );
    citations(out, &criterion.citations, resolver);
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

fn mark(criterion: &Criterion) -> &'static str {
    match (criterion.status, criterion.points) {
        (Status::Open, _) => "Not judged:",
        (Status::Error, _) => "Error:",
        (_, Some(points)) if is_full(points, criterion.max) => "Yes:",
        (_, Some(points)) if points > 0.0 => "Partly:",
        _ => "No:",
    }
}

/// What costs points beside the criteria, and how that changes the sum.
pub(super) fn adjustments(out: &mut String, verdict: &Verdict, resolver: &Resolver) {
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
