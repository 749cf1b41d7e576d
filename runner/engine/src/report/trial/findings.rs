//! What a reader looks for first: what went right, what went wrong, what the
//! agent was led astray by or not, what it only claims, what nobody judged.

use std::fmt::Write as _;

use proctor_types::verdict::{AdjustmentKind, Criterion, Verdict};
use proctor_types::{NoteKind, Status};

use super::super::markdown::{code, inline, number, range};
use crate::record::{TrialRecord, is_full};

/// What got full marks, category by category.
pub(super) fn right(out: &mut String, record: &TrialRecord) {
    out.push_str("## What went right\n\n");
    let mut said = false;
    for category in &record.categories {
        let own = record
            .criteria
            .iter()
            .filter(|one| one.category == category.category);
        let full: Vec<String> = own
            .filter(|one| one.points.is_some_and(|points| is_full(points, one.max)))
            .map(|one| format!("{} {}", code(&one.id), inline(&one.title)))
            .collect();
        if full.is_empty() {
            continue;
        }
        said = true;
        _ = writeln!(
            out,
            "- **{}** ({}{} of {}): {}",
            inline(&category.category),
            if is_full(category.points.low, category.points.max) {
                "in full, "
            } else {
                ""
            },
            range(category.points.low, category.points.high),
            number(category.points.max),
            full.join("; ")
        );
    }
    if !said {
        out.push_str("No criterion has full marks.\n");
    }
    out.push('\n');
}

/// What lost points: the most first, then in the order of the verdict.
pub(super) fn wrong(out: &mut String, record: &TrialRecord, verdict: &Verdict) {
    out.push_str("## What went wrong\n\n");
    let mut lost: Vec<(f64, &Criterion)> = verdict
        .criteria
        .iter()
        .filter(|one| one.points.is_some_and(|points| !is_full(points, one.max)))
        .filter_map(|one| Some((one.max - one.points?, one)))
        .collect();
    lost.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    for (_, one) in &lost {
        _ = writeln!(
            out,
            "- {} **{}** ({} of {}): {}",
            code(&one.id),
            inline(&one.title),
            one.points.map(number).unwrap_or_default(),
            number(one.max),
            inline(&one.reason)
        );
    }
    for one in &verdict.adjustments {
        let points = number(one.points);
        let effect = match one.kind {
            AdjustmentKind::Cap => format!("no more than {points} in all"),
            AdjustmentKind::Penalty => format!("-{points}"),
        };
        _ = writeln!(
            out,
            "- {} **{}** ({effect}): {}",
            code(&one.id),
            inline(&one.title),
            inline(&one.reason)
        );
    }
    if let Some(end) = &record.agent_end {
        _ = writeln!(out, "- The agent did not end well: {}", inline(end));
    }
    if lost.is_empty() && verdict.adjustments.is_empty() && record.agent_end.is_none() {
        out.push_str("Nothing that was decided lost a point.\n");
    }
    out.push('\n');
}

/// What the grader's notes say of distractors, conflicts and claims.
pub(super) fn sorted(out: &mut String, verdict: &Verdict) {
    let sections = [
        (
            "## Distractors and conflicts",
            [
                (NoteKind::DistractorTaken, "**Fallen for**"),
                (NoteKind::DistractorResisted, "Resisted"),
                (NoteKind::ConflictMissed, "**Not handled**"),
                (NoteKind::ConflictHandled, "Handled"),
            ]
            .as_slice(),
        ),
        (
            "## What the agent says it did",
            &[
                (NoteKind::ClaimUnbacked, "**Not so**"),
                (NoteKind::ClaimBacked, "So it is"),
            ],
        ),
    ];
    for (heading, kinds) in sections {
        let mut lines = String::new();
        for (kind, words) in kinds {
            let notes = verdict
                .notes
                .iter()
                .filter_map(|note| NoteKind::split(note));
            for (_, text) in notes.filter(|(found, _)| found == kind) {
                _ = writeln!(lines, "- {words}: {}", inline(text));
            }
        }
        if !lines.is_empty() {
            _ = writeln!(out, "{heading}\n\n{lines}");
        }
    }
}

/// What nobody decided.
pub(super) fn open(out: &mut String, verdict: &Verdict) {
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
        "## Not judged\n\n{} criteria worth {} points are not decided. They count 0 at the low \
         end of the score and in full at the high end.\n",
        open.len(),
        number(points)
    );
    for criterion in open {
        let why = match criterion.status {
            Status::Error => "cannot be decided",
            _ => "not judged",
        };
        _ = writeln!(
            out,
            "- {} **{}**: {why} ({} points): {}",
            code(&criterion.id),
            inline(&criterion.title),
            number(criterion.max),
            inline(&criterion.reason)
        );
    }
    out.push('\n');
}

/// Notes that are of no kind.
pub(super) fn notes(out: &mut String, verdict: &Verdict) {
    let mut notes = verdict
        .notes
        .iter()
        .filter(|note| NoteKind::split(note).is_none())
        .peekable();
    if notes.peek().is_none() {
        return;
    }
    out.push_str("## Notes of the grader\n\n");
    for note in notes {
        _ = writeln!(out, "- {}", inline(note));
    }
    out.push('\n');
}
