//! The rules of a verdict. What breaks one makes the trial ungraded; nothing
//! is corrected silently, except that control characters become visible.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::ops::Deref;

use proctor_types::Citation;
use proctor_types::task::Thresholds;
use proctor_types::verdict::{
    Adjustment, AdjustmentKind, Criterion, GraderVerdict, Question, Status,
};

use crate::bundle::Bundle;
use crate::error::Fault;
use crate::limits::VerdictLimits;
use crate::text::{name, visible};

pub use proctor_types::verdict::RUBRIC;

/// Problems beyond these are only counted.
const MAX_PROBLEMS: usize = 10;
/// Longest id in bytes.
const ID_BYTES: usize = 100;

/// A verdict that keeps all rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValidVerdict(GraderVerdict);

impl ValidVerdict {
    /// A verdict without criteria, for tasks that only a judge decides.
    pub fn empty() -> Self {
        Self::default()
    }

    #[cfg(test)]
    pub(crate) fn unchecked(verdict: GraderVerdict) -> Self {
        Self(verdict)
    }

    /// The verdict itself.
    pub fn into_inner(self) -> GraderVerdict {
        self.0
    }
}

impl Deref for ValidVerdict {
    type Target = GraderVerdict;

    fn deref(&self) -> &GraderVerdict {
        &self.0
    }
}

/// The part of a verdict that a problem is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// The criterion with this id.
    Criterion(&'a str),
    /// The adjustment with this id.
    Adjustment(&'a str),
}

impl Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Criterion(id) => write!(f, "criterion {}", name(id)),
            Self::Adjustment(id) => write!(f, "adjustment {}", name(id)),
        }
    }
}

/// What is wrong, as it is found.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    listed: Vec<String>,
    unlisted: usize,
}

impl Problems {
    /// Adds a problem of one part of the verdict.
    pub(crate) fn add(&mut self, part: Part<'_>, what: impl Display) {
        self.add_general(format_args!("{part}: {what}"));
    }

    fn add_general(&mut self, what: impl Display) {
        if self.listed.len() < MAX_PROBLEMS {
            self.listed.push(what.to_string());
        } else {
            self.unlisted += 1;
        }
    }

    fn into_result(self) -> Result<(), Fault> {
        if self.listed.is_empty() {
            return Ok(());
        }
        Err(Fault::InvalidVerdict {
            problems: self.listed,
            unlisted: self.unlisted,
        })
    }
}

/// Checks a verdict against the rules and the bundle. `problems` are those
/// that were found on the way here.
pub(crate) fn validate(
    mut verdict: GraderVerdict,
    problems: Problems,
    bundle: &Bundle,
    limits: &VerdictLimits,
) -> Result<ValidVerdict, Fault> {
    let mut rules = Rules {
        bundle,
        limits,
        problems,
    };
    let (count, most) = (verdict.criteria.len(), limits.criteria);
    if count == 0 || count > most {
        // Nothing is said about each of a million criteria.
        let problem = format!("it has {count} criteria; expected 1 to {most}");
        return Err(Fault::InvalidVerdict {
            problems: vec![problem],
            unlisted: 0,
        });
    }
    let (count, most) = (verdict.adjustments.len(), limits.adjustments);
    if count > most {
        rules.problems.add_general(format_args!(
            "it has {count} adjustments; at most {most} may be"
        ));
    }
    let mut ids: HashSet<String> = bundle
        .task()?
        .rubric
        .iter()
        .map(|criterion| criterion.id.clone())
        .collect();
    for criterion in &mut verdict.criteria {
        if !ids.insert(criterion.id.clone()) {
            rules.problems.add(
                Part::Criterion(&criterion.id),
                "the id is taken by another criterion",
            );
        }
        rules.criterion(criterion)?;
    }
    for adjustment in verdict.adjustments.iter_mut().take(limits.adjustments) {
        if !ids.insert(adjustment.id.clone()) {
            rules.problems.add(
                Part::Adjustment(&adjustment.id),
                "the id is taken by another criterion or adjustment",
            );
        }
        rules.adjustment(adjustment)?;
    }
    if let Some(thresholds) = &mut verdict.thresholds {
        rules.thresholds(thresholds);
    }
    rules.notes(&mut verdict.notes);
    rules.problems.into_result()?;
    Ok(ValidVerdict(verdict))
}

struct Rules<'a> {
    bundle: &'a Bundle,
    limits: &'a VerdictLimits,
    problems: Problems,
}

impl Rules<'_> {
    fn criterion(&mut self, criterion: &mut Criterion) -> Result<(), Fault> {
        let id = criterion.id.clone();
        let part = Part::Criterion(&id);
        self.id(part, &id);
        self.line(part, "title", &mut criterion.title);
        self.line(part, "category", &mut criterion.category);
        if criterion.category == RUBRIC {
            self.problems
                .add(part, format_args!("the category `{RUBRIC}` is the judge's"));
        }
        self.text(
            part,
            "reason",
            &mut criterion.reason,
            self.limits.text_bytes,
        );
        self.points(part, criterion);
        self.status(part, criterion);
        self.citations(part, &criterion.citations)?;
        match &mut criterion.question {
            Some(question) => self.question(part, question),
            None => Ok(()),
        }
    }

    fn adjustment(&mut self, adjustment: &mut Adjustment) -> Result<(), Fault> {
        let id = adjustment.id.clone();
        let part = Part::Adjustment(&id);
        self.id(part, &id);
        self.line(part, "title", &mut adjustment.title);
        self.text(
            part,
            "reason",
            &mut adjustment.reason,
            self.limits.text_bytes,
        );
        let (points, most) = (adjustment.points, self.limits.points);
        let (in_range, least) = match adjustment.kind {
            AdjustmentKind::Cap => (points >= 0.0, "0 or more"),
            AdjustmentKind::Penalty => (points > 0.0, "above 0"),
        };
        if !points.is_finite() || !in_range || points > most {
            self.problems.add(
                part,
                format_args!("points are {points}; they must be {least}, at most {most}"),
            );
        }
        adjustment.points += 0.0;
        self.citations(part, &adjustment.citations)
    }

    fn thresholds(&mut self, thresholds: &mut Thresholds) {
        let Thresholds { pass, borderline } = thresholds;
        let most = self.limits.points;
        if !pass.is_finite() || *pass <= 0.0 || *pass > most {
            self.problems.add_general(format_args!(
                "the threshold `pass` is {pass}; it must be above 0, at most {most}"
            ));
        }
        if let Some(borderline) = borderline {
            if !borderline.is_finite() || *borderline < 0.0 || *borderline > *pass {
                self.problems.add_general(format_args!(
                    "the threshold `borderline` is {borderline}; expected 0 to `pass`, {pass}"
                ));
            }
            *borderline += 0.0;
        }
    }

    fn id(&mut self, part: Part<'_>, id: &str) {
        if !is_id(id) {
            self.problems.add(
                part,
                format_args!(
                    "the id must be 1 to {ID_BYTES} letters, digits, `_`, `-` or `.` (ASCII)"
                ),
            );
        }
    }

    fn points(&mut self, part: Part<'_>, criterion: &mut Criterion) {
        let Criterion { points, max, .. } = criterion;
        let most = self.limits.points;
        if !max.is_finite() || *max <= 0.0 || *max > most {
            self.problems.add(
                part,
                format_args!("max is {max}; it must be above 0, at most {most}"),
            );
        }
        if let Some(points) = points {
            if !points.is_finite() || *points < 0.0 || *points > *max {
                self.problems.add(
                    part,
                    format_args!("points are {points}; expected 0 to {max}"),
                );
            }
            // There are two zeros, and one of them is written `-0.0`.
            *points += 0.0;
        }
    }

    fn status(&mut self, part: Part<'_>, criterion: &Criterion) {
        let Criterion {
            status,
            points,
            question,
            ..
        } = criterion;
        match (status, points) {
            (Status::Graded, None) => self.problems.add(part, "it is graded but has no points"),
            (Status::Open | Status::Error, Some(_)) => {
                self.problems.add(
                    part,
                    "it has points, which only a graded criterion can have",
                );
            }
            (Status::Judged, _) => self.problems.add(part, "only a judge's answer is `judged`"),
            _ => {}
        }
        match (status, question) {
            (Status::Open, None) => self.problems.add(part, "it is open but has no question"),
            (Status::Graded | Status::Error, Some(_)) => {
                self.problems.add(
                    part,
                    "it has a question, which only an open criterion can have",
                );
            }
            _ => {}
        }
    }

    fn question(&mut self, part: Part<'_>, question: &mut Question) -> Result<(), Fault> {
        let limits = self.limits;
        self.text(part, "question", &mut question.text, limits.text_bytes);
        if question.text.trim().is_empty() {
            self.problems.add(part, "the question is empty");
        }
        let levels = question.levels.len();
        if levels < 2 || levels > limits.levels {
            let most = limits.levels;
            self.problems.add(
                part,
                format_args!("it has {levels} levels; expected 2 to {most}"),
            );
        }
        for level in question.levels.iter_mut().take(limits.levels) {
            self.text(part, "level", &mut level.text, limits.text_bytes);
            if !(0.0..=1.0).contains(&level.score) {
                let score = level.score;
                self.problems.add(
                    part,
                    format_args!("a level is worth {score}; expected 0 to 1"),
                );
            }
            level.score += 0.0;
        }
        let exhibits = question.exhibits.len();
        if exhibits > limits.exhibits {
            let most = limits.exhibits;
            self.problems.add(
                part,
                format_args!("it has {exhibits} exhibits; at most {most} may be"),
            );
        }
        for exhibit in question.exhibits.iter_mut().take(limits.exhibits) {
            self.line(part, "title of an exhibit", &mut exhibit.title);
            self.text(part, "exhibit", &mut exhibit.text, limits.exhibit_bytes);
            self.citation(part, &exhibit.citation)?;
        }
        Ok(())
    }

    fn citations(&mut self, part: Part<'_>, citations: &[Citation]) -> Result<(), Fault> {
        let (count, most) = (citations.len(), self.limits.citations);
        if count > most {
            self.problems.add(
                part,
                format_args!("it has {count} citations; at most {most} may be"),
            );
        }
        citations
            .iter()
            .take(most)
            .try_for_each(|citation| self.citation(part, citation))
    }

    fn citation(&mut self, part: Part<'_>, citation: &Citation) -> Result<(), Fault> {
        if let Some(why) = self.bundle.unresolved(citation)? {
            let citation = name(&citation.to_string());
            self.problems.add(
                part,
                format_args!("the citation {citation} points at nothing: {why}"),
            );
        }
        Ok(())
    }

    fn notes(&mut self, notes: &mut [String]) {
        let (count, most) = (notes.len(), self.limits.notes);
        if count > most {
            self.problems
                .add_general(format_args!("it has {count} notes; at most {most} may be"));
        }
        for note in notes.iter_mut().take(most) {
            let (length, most) = (note.len(), self.limits.text_bytes);
            if length > most {
                self.problems.add_general(format_args!(
                    "a note is {length} bytes long; the limit is {most}"
                ));
            }
            make_visible(note);
        }
    }

    /// One line that says something.
    fn line(&mut self, part: Part<'_>, what: &str, text: &mut String) {
        if text.trim().is_empty() {
            self.problems.add(part, format_args!("the {what} is empty"));
        }
        if text.contains(['\n', '\r']) {
            self.problems
                .add(part, format_args!("the {what} is more than one line"));
        }
        self.text(part, what, text, self.limits.title_bytes);
    }

    fn text(&mut self, part: Part<'_>, what: &str, text: &mut String, most: usize) {
        let length = text.len();
        if length > most {
            self.problems.add(
                part,
                format_args!("the {what} is {length} bytes long; the limit is {most}"),
            );
            return;
        }
        make_visible(text);
    }
}

fn make_visible(text: &mut String) {
    if let std::borrow::Cow::Owned(changed) = visible(text) {
        *text = changed;
    }
}

fn is_id(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=ID_BYTES).contains(&id.len()) && id.bytes().all(allowed)
}
