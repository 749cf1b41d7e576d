//! Labels of people, from a file.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;

use super::{CalibrationError, SAME};
use crate::text::excerpt;

/// Longest file of labels in bytes.
const FILE_BYTES: usize = 16 << 20;
/// Most labels.
const LABELS: usize = 100_000;

/// What somebody says of a criterion of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The trial: `TASK.AGENT.ATTEMPT`.
    pub trial: String,
    /// The criterion.
    pub criterion: String,
    /// The level.
    pub chosen: Chosen,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A level, as it is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chosen {
    /// By its number in the question, from 1.
    Level(u64),
    /// By what it is worth, 0 to 1.
    Score(f64),
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(number) => write!(f, "level {number}"),
            Self::Score(score) => write!(f, "score {score}"),
        }
    }
}

impl Label {
    /// What the chosen one of `levels` is worth.
    pub(super) fn score(&self, levels: &[f64]) -> Result<f64, CalibrationError> {
        let found = match self.chosen {
            Chosen::Level(number) => usize::try_from(number)
                .ok()
                .and_then(|number| levels.get(number.checked_sub(1)?)),
            Chosen::Score(score) => levels.iter().find(|level| (*level - score).abs() < SAME),
        };
        found.copied().ok_or_else(|| {
            let levels = (1..).zip(levels);
            let levels: Vec<_> = levels.map(|(n, score)| format!("{n} ({score})")).collect();
            CalibrationError::NoSuchLevel {
                line: self.line,
                trial: self.trial.clone(),
                criterion: self.criterion.clone(),
                chosen: self.chosen.to_string(),
                levels: format!("the levels {}", levels.join(", ")),
            }
        })
    }
}

/// Why a file of labels cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct LabelError {
    /// Line from 1.
    pub line: u64,
    /// What is wrong, and what was expected.
    pub problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    trial: String,
    criterion: String,
    #[serde(default)]
    level: Option<u64>,
    #[serde(default)]
    score: Option<f64>,
    /// Who labelled, and why: for people.
    #[serde(default, rename = "comment")]
    _comment: Option<String>,
    #[serde(default, rename = "by")]
    _by: Option<String>,
}

const EXPECTED: &str = "expected `trial`, `criterion` and one of `level` and `score`";

/// Reads labels: JSON lines (`{"trial": ..., "criterion": ..., "level": 2}`), or
/// CSV with a header (`trial,criterion,level`). `score` may stand for `level`;
/// `comment` and `by` are passed over.
pub fn read_labels(text: &str) -> Result<Vec<Label>, LabelError> {
    if text.len() > FILE_BYTES {
        return Err(LabelError {
            line: 1,
            problem: format!("the file is longer than {FILE_BYTES} bytes"),
        });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows = if text.trim_start().starts_with('{') {
        json_lines(text)
    } else {
        csv_rows(text)
    }?;
    let mut first: HashMap<(&str, &str), u64> = HashMap::new();
    for label in &rows {
        let name = (label.trial.as_str(), label.criterion.as_str());
        if let Some(earlier) = first.insert(name, label.line) {
            return Err(LabelError {
                line: label.line,
                problem: format!(
                    "`{}` of {} is labelled already, in line {earlier}; expected one label each",
                    label.criterion, label.trial
                ),
            });
        }
    }
    Ok(rows)
}

fn json_lines(text: &str) -> Result<Vec<Label>, LabelError> {
    let mut labels = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let row = serde_json::from_str(text).map_err(|error| LabelError {
            line,
            problem: format!("no label: {error}; {EXPECTED}"),
        })?;
        add(&mut labels, row, line)?;
    }
    Ok(labels)
}

fn csv_rows(text: &str) -> Result<Vec<Label>, LabelError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut labels = Vec::new();
    let wrong = |error: &csv::Error, line: u64| LabelError {
        line: error.position().map_or(line, csv::Position::line),
        problem: format!("no label: {}; {EXPECTED}", excerpt(&error.to_string(), 300)),
    };
    let headers = reader.headers().map_err(|error| wrong(&error, 1))?.clone();
    let mut record = csv::StringRecord::new();
    while reader
        .read_record(&mut record)
        .map_err(|error| wrong(&error, 1))?
    {
        let line = record.position().map_or(1, csv::Position::line);
        let row = record
            .deserialize(Some(&headers))
            .map_err(|error| wrong(&error, line))?;
        add(&mut labels, row, line)?;
    }
    Ok(labels)
}

fn add(labels: &mut Vec<Label>, row: Row, line: u64) -> Result<(), LabelError> {
    let wrong = |problem: String| Err(LabelError { line, problem });
    if labels.len() == LABELS {
        return wrong(format!("more than {LABELS} labels"));
    }
    let chosen = match (row.level, row.score) {
        (Some(level), None) => Chosen::Level(level),
        (None, Some(score)) => Chosen::Score(score),
        _ => return wrong(format!("no label: {EXPECTED}")),
    };
    labels.push(Label {
        trial: row.trial,
        criterion: row.criterion,
        chosen,
        line,
    });
    Ok(())
}
