//! How well a judge agrees with people.
//!
//! People label criteria of trials with levels; the same criteria were judged.
//! What is compared is each pair: how often both chose the same level, how far
//! apart they were (weighted kappa), and where.

mod kappa;
mod labels;
mod report;

use std::collections::BTreeMap;

use proctor_types::verdict::{Criterion, Status};
use serde::Serialize;

pub use kappa::{Pair, accuracy, quadratic_kappa};
pub use labels::{Chosen, Label, LabelError, read_labels};

/// Two scores that differ by less are one level.
const SAME: f64 = 1e-9;

/// What a judge made of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The trial: `TASK.AGENT.ATTEMPT`.
    pub trial: String,
    /// The criterion.
    pub criterion: String,
    /// What each of its levels is worth, in the order of the question.
    pub levels: Vec<f64>,
    /// What the judge gave, 0 to 1: a level's worth, or between two of them
    /// where it is the median of an even number of votes. Absent where the
    /// criterion is still open.
    pub score: Option<f64>,
    /// Why.
    pub reason: String,
}

/// What a judge made of a trial: the criteria of its verdict that were judged,
/// or were to be.
pub fn answers(trial: &str, criteria: &[Criterion]) -> Vec<Answer> {
    let judged = criteria.iter().filter_map(|criterion| {
        let question = criterion.question.as_ref()?;
        let score = match criterion.status {
            Status::Judged => Some(criterion.points? / criterion.max),
            Status::Open => None,
            Status::Graded | Status::Error => return None,
        };
        Some(Answer {
            trial: trial.to_owned(),
            criterion: criterion.id.clone(),
            levels: question.levels.iter().map(|level| level.score).collect(),
            score,
            reason: criterion.reason.clone(),
        })
    });
    judged.collect()
}

/// Why labels and answers cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// A label names a level that the criterion does not have.
    #[error(
        "line {line}: {chosen} is no level of the criterion `{criterion}` in {trial}; it has \
             {levels}"
    )]
    NoSuchLevel {
        /// Line of the label.
        line: u64,
        /// The trial.
        trial: String,
        /// The criterion.
        criterion: String,
        /// What the label says.
        chosen: String,
        /// The levels there are.
        levels: String,
    },
    /// No label is about anything that was judged.
    #[error(
        "none of the {labels} labels is about a criterion that was judged; expected trials and \
             criteria such as {example}"
    )]
    NothingInCommon {
        /// How many labels there are.
        labels: usize,
        /// One that would fit.
        example: String,
    },
}

/// How well a judge agrees with people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Over all criteria.
    pub all: Agreement,
    /// For each criterion.
    pub criteria: BTreeMap<String, Agreement>,
    /// What both gave how often: rows are people's scores, columns the judge's.
    pub confusion: Confusion,
    /// Where they differ, the farthest apart first.
    pub disagreements: Vec<Disagreement>,
    /// Labels of criteria that the judge left open: `TRIAL CRITERION`.
    pub open: Vec<String>,
    /// Labels that no judged criterion belongs to.
    pub unmatched: Vec<String>,
}

/// Agreement on some criteria.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// How many were compared.
    pub pairs: usize,
    /// On how many both chose the same level.
    pub same: usize,
    /// Share of them, 0 to 1.
    pub accuracy: f64,
    /// Quadratic-weighted kappa; see [`quadratic_kappa`]. Absent where it is not
    /// defined: all labels and answers are the same.
    pub kappa: Option<f64>,
    /// Mean of the judge's scores less the people's: above 0 the judge is mild.
    pub bias: f64,
}

/// A table of counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confusion {
    /// Scores, highest first, of rows and columns.
    pub scores: Vec<f64>,
    /// `counts[human][judge]`.
    pub counts: Vec<Vec<usize>>,
}

/// A criterion on which judge and people differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// The trial.
    pub trial: String,
    /// The criterion.
    pub criterion: String,
    /// What people gave.
    pub human: f64,
    /// What the judge gave.
    pub judge: f64,
    /// Why, in the judge's words.
    pub reason: String,
}

/// Compares labels of people with answers of a judge.
pub fn calibrate(labels: &[Label], answers: &[Answer]) -> Result<Calibration, CalibrationError> {
    let by_name: BTreeMap<_, _> = answers
        .iter()
        .map(|answer| ((answer.trial.as_str(), answer.criterion.as_str()), answer))
        .collect();
    let (mut open, mut unmatched) = (Vec::new(), Vec::new());
    let mut pairs: Vec<(Pair, &Answer)> = Vec::new();
    for label in labels {
        let name = || format!("{} {}", label.trial, label.criterion);
        let Some(answer) = by_name.get(&(label.trial.as_str(), label.criterion.as_str())) else {
            unmatched.push(name());
            continue;
        };
        let human = label.score(&answer.levels)?;
        match answer.score {
            Some(judge) => pairs.push((Pair { human, judge }, answer)),
            None => open.push(name()),
        }
    }
    if pairs.is_empty() && open.is_empty() {
        return Err(CalibrationError::NothingInCommon {
            labels: labels.len(),
            example: answers.first().map_or_else(
                || "those of a job that was judged".to_owned(),
                |answer| format!("`{}`, `{}`", answer.trial, answer.criterion),
            ),
        });
    }
    let mut by_criterion: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for (pair, answer) in &pairs {
        let of = by_criterion.entry(answer.criterion.clone()).or_default();
        of.push(*pair);
    }
    let all: Vec<Pair> = pairs.iter().map(|(pair, _)| *pair).collect();
    Ok(Calibration {
        all: Agreement::of(&all),
        criteria: by_criterion
            .into_iter()
            .map(|(criterion, pairs)| (criterion, Agreement::of(&pairs)))
            .collect(),
        confusion: Confusion::of(&all),
        disagreements: disagreements(&pairs),
        open,
        unmatched,
    })
}

fn disagreements(pairs: &[(Pair, &Answer)]) -> Vec<Disagreement> {
    let mut out: Vec<_> = pairs
        .iter()
        .filter(|(pair, _)| !pair.agrees())
        .map(|(pair, answer)| Disagreement {
            trial: answer.trial.clone(),
            criterion: answer.criterion.clone(),
            human: pair.human,
            judge: pair.judge,
            reason: answer.reason.clone(),
        })
        .collect();
    let distance = |one: &Disagreement| (one.human - one.judge).abs();
    // Stable: equally far ones stay in the order of the labels.
    out.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    out
}

impl Agreement {
    #[allow(clippy::cast_precision_loss, reason = "counts of labels")]
    fn of(pairs: &[Pair]) -> Self {
        let sum: f64 = pairs.iter().map(|pair| pair.judge - pair.human).sum();
        Self {
            pairs: pairs.len(),
            same: pairs.iter().filter(|pair| pair.agrees()).count(),
            accuracy: accuracy(pairs),
            kappa: quadratic_kappa(pairs),
            bias: sum / pairs.len().max(1) as f64,
        }
    }
}

impl Confusion {
    fn of(pairs: &[Pair]) -> Self {
        let mut scores: Vec<f64> = pairs
            .iter()
            .flat_map(|pair| [pair.human, pair.judge])
            .collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.dedup_by(|a, b| (*a - *b).abs() < SAME);
        let at = |score: f64| scores.iter().position(|one| (one - score).abs() < SAME);
        let mut counts = vec![vec![0; scores.len()]; scores.len()];
        for pair in pairs {
            if let (Some(row), Some(column)) = (at(pair.human), at(pair.judge)) {
                counts[row][column] += 1;
            }
        }
        Self { scores, counts }
    }
}

#[cfg(test)]
mod tests;
