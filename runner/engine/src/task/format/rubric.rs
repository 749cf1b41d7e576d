//! The section "LLM Judge Rubric".
//!
//! Headings are `### Criterion N: Name (Weight: P%)`; below each stand levels,
//! as `**Score 1.0**: what has to be true`, one after the other or all on one
//! line. The whole rubric may stand in a code fence.

use std::collections::BTreeSet;

use proctor_types::task::{RubricCriterion, RubricLevel};

use super::checks::one_line;
use super::sections::Section;
use super::{FormatError, Place, Problem};
use crate::task::warning::{Warning, WarningKind};

/// Most criteria of a rubric, and most levels of a criterion.
const MAX_ENTRIES: usize = 100;
/// How far from 100 % the weights may be before it is worth a word: thirds
/// are written as 33.3 %.
const TOLERANCE_PERCENT: f64 = 0.5;

const HEADING: &str = "`### Criterion 1: Name (Weight: 40%)`";
const LEVEL: &str = "levels such as `**Score 1.0**: what has to be true`";

/// A criterion as it stands in the text.
struct Draft {
    name: String,
    /// In percent.
    weight: Option<f64>,
    line: u64,
    levels: Vec<RubricLevel>,
}

/// Reads the section.
pub(super) fn read(
    file: &str,
    section: &Section<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<RubricCriterion>, FormatError> {
    let place = |line| Place {
        file: file.to_owned(),
        line: Some(line),
    };
    let (text, line) = body(section);
    let drafts = drafts(&text, line).map_err(|(line, problem)| FormatError {
        place: place(line),
        problem,
    })?;
    if drafts.is_empty() {
        let problem = wrong("has no criteria".to_owned(), HEADING);
        return Err(FormatError {
            place: place(section.line),
            problem,
        });
    }
    for draft in &drafts {
        let best = draft.levels.first().map_or(0.0, |level| level.score);
        if best < 1.0 {
            let criterion = draft.name.clone();
            let kind = WarningKind::RubricCeiling { criterion, best };
            warnings.push(Warning {
                place: place(draft.line),
                kind,
            });
        }
    }
    let weights = weights(&drafts).map_err(|(line, problem)| FormatError {
        place: place(line),
        problem,
    })?;
    warnings.extend(weights.remark.map(|kind| Warning {
        place: place(section.line),
        kind,
    }));
    Ok(finish(drafts, weights.shares))
}

/// The rubric's text, out of its fence if it stands in one, and its first
/// line.
fn body(section: &Section<'_>) -> (String, u64) {
    let is_rubric = |text: &str| text.lines().any(|line| heading(line).is_some());
    let fenced = section
        .code_blocks()
        .into_iter()
        .find(|block| is_rubric(&block.code));
    match fenced {
        Some(block) => (block.code, block.line + u64::from(block.language.is_some())),
        None => (section.body.to_owned(), section.body_line),
    }
}

fn drafts(text: &str, first_line: u64) -> Result<Vec<Draft>, (u64, Problem)> {
    let mut drafts: Vec<(Draft, String)> = Vec::new();
    for (line, number) in text.lines().zip(first_line..) {
        if let Some(heading) = heading(line) {
            let (name, weight) = name_and_weight(heading).map_err(|problem| (number, problem))?;
            drafts.push((
                Draft {
                    name,
                    weight,
                    line: number,
                    levels: Vec::new(),
                },
                String::new(),
            ));
            if drafts.len() > MAX_ENTRIES {
                return Err((
                    number,
                    wrong("has too many criteria".to_owned(), "at most 100"),
                ));
            }
        } else if let Some((_, body)) = drafts.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    drafts
        .into_iter()
        .map(|(draft, body)| {
            let line = draft.line;
            let levels = levels(&draft.name, &body).map_err(|problem| (line, problem))?;
            Ok(Draft { levels, ..draft })
        })
        .collect()
}

/// What stands behind `Criterion N:`, if the line is the heading of a
/// criterion. Headings of any level count, bold ones and plain ones too.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let text = line.trim_start_matches('#').trim();
    let text = text
        .strip_prefix("**")
        .map_or(text, |text| text.trim_end_matches("**"));
    let rest = strip_word(text, "criterion")?.trim_start();
    let after_number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if after_number.len() == rest.len() && !line.starts_with('#') {
        return None;
    }
    let rest = after_number.trim_start().strip_prefix(':')?;
    Some(rest.trim_matches(|c: char| c == '*' || c.is_whitespace()))
}

/// `text` without `word` in front, whatever its case.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let front = text.get(..word.len())?;
    front
        .eq_ignore_ascii_case(word)
        .then(|| &text[word.len()..])
}

/// `Name (Weight: 40%)` as name and percent.
fn name_and_weight(heading: &str) -> Result<(String, Option<f64>), Problem> {
    let open = heading.char_indices().rev().find(|(at, c)| {
        *c == '(' && strip_word(heading[at + 1..].trim_start(), "weight").is_some()
    });
    let Some((open, _)) = open else {
        return Ok((name(heading)?, None));
    };
    let inside = heading[open + 1..].trim_start();
    let value = strip_word(inside, "weight").unwrap_or(inside);
    let value = value.trim_start().strip_prefix(':').unwrap_or(value);
    let value = value.trim_end().strip_suffix(')').map(str::trim);
    let percent = value
        .and_then(|value| value.strip_suffix('%'))
        .and_then(|number| number.trim().parse::<f64>().ok())
        .filter(|number| (0.0..=1_000.0).contains(number));
    if percent.is_none() {
        let what = format!("has a weight `{}`", super::excerpt(&heading[open..]));
        return Err(wrong(what, "`(Weight: 40%)`"));
    }
    Ok((name(&heading[..open])?, percent))
}

fn name(text: &str) -> Result<String, Problem> {
    let name = one_line(text.trim_matches('*'));
    if name.is_empty() || name.len() > 200 {
        return Err(wrong(
            "has a criterion without a usable name".to_owned(),
            HEADING,
        ));
    }
    Ok(name)
}

/// The levels in the text below a heading, best first.
fn levels(criterion: &str, text: &str) -> Result<Vec<RubricLevel>, Problem> {
    let marks = marks(text);
    let mut levels: Vec<RubricLevel> = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let end = marks.get(index + 1).map_or(text.len(), |next| next.start);
        let text = one_line(&text[mark.text..end]);
        let text = text.trim_end_matches(['-', '*', '•']).trim_end().to_owned();
        if !(0.0..=1.0).contains(&mark.score) {
            let what = format!("criterion `{criterion}` has a level `Score {}`", mark.score);
            return Err(wrong(what, "scores from 0 to 1"));
        }
        if levels.iter().any(|level| same(level.score, mark.score)) {
            let what = format!(
                "criterion `{criterion}` has two levels `Score {}`",
                mark.score
            );
            return Err(wrong(what, "one text for each score"));
        }
        if text.is_empty() {
            let what = format!(
                "criterion `{criterion}` says nothing for `Score {}`",
                mark.score
            );
            return Err(wrong(what, LEVEL));
        }
        levels.push(RubricLevel {
            score: mark.score,
            text,
        });
    }
    if levels.is_empty() {
        return Err(wrong(
            format!("criterion `{criterion}` has no levels"),
            LEVEL,
        ));
    }
    if levels.len() > MAX_ENTRIES {
        return Err(wrong(
            format!("criterion `{criterion}` has too many levels"),
            "at most 100",
        ));
    }
    levels.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(levels)
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Where a level begins.
struct Mark {
    score: f64,
    /// Where the mark itself begins.
    start: usize,
    /// Where the level's text begins.
    text: usize,
}

/// Every `Score N:` that begins a level: at the start of a line, or further
/// right when it goes on downwards from the level before it, so that a
/// mention of another score inside a text is no level.
fn marks(text: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        for (column, _) in line.match_indices(['S', 's']) {
            let (before, here) = line.split_at(column);
            let Some((score, after)) = strip_word(here, "score").and_then(score) else {
                continue;
            };
            let starts_line = before
                .chars()
                .all(|c| c.is_whitespace() || "-*•>".contains(c));
            let starts_word = before.ends_with(|c: char| c.is_whitespace() || c == '*');
            let goes_down = marks.last().is_some_and(|last| score < last.score);
            if starts_line || (starts_word && goes_down) {
                marks.push(Mark {
                    score,
                    start: line_start + before.trim_end_matches('*').len(),
                    text: line_start + line.len() - after.len(),
                });
            }
        }
        line_start += line.len();
    }
    marks
}

/// ` 0.75**: text` as 0.75 and `text`.
fn score(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    let rest = text[end..].trim_start_matches('*').strip_prefix(':')?;
    Some((number, rest.trim_start_matches('*')))
}

/// Shares that sum to 1, and what is to be said about them.
struct Shares {
    shares: Vec<f64>,
    remark: Option<WarningKind>,
}

fn weights(drafts: &[Draft]) -> Result<Shares, (u64, Problem)> {
    let given: Vec<f64> = drafts.iter().filter_map(|draft| draft.weight).collect();
    if given.is_empty() {
        #[allow(clippy::cast_precision_loss, reason = "at most a hundred")]
        let share = 1.0 / drafts.len() as f64;
        let remark = (drafts.len() > 1).then_some(WarningKind::RubricWithoutWeights);
        return Ok(Shares {
            shares: vec![share; drafts.len()],
            remark,
        });
    }
    if let Some(draft) = drafts.iter().find(|draft| draft.weight.is_none()) {
        let what = format!("criterion `{}` has no weight, and others do", draft.name);
        return Err((draft.line, wrong(what, HEADING)));
    }
    let sum: f64 = given.iter().sum();
    if sum <= 0.0 {
        let line = drafts.first().map_or(1, |draft| draft.line);
        let what = "gives every criterion a weight of 0 %".to_owned();
        return Err((line, wrong(what, "weights that sum to 100 %")));
    }
    let remark = ((sum - 100.0).abs() > TOLERANCE_PERCENT).then(|| WarningKind::RubricWeights {
        sum: (sum * 100.0).round() / 100.0,
    });
    Ok(Shares {
        shares: given.iter().map(|weight| weight / sum).collect(),
        remark,
    })
}

fn finish(drafts: Vec<Draft>, shares: Vec<f64>) -> Vec<RubricCriterion> {
    let mut taken = BTreeSet::new();
    drafts
        .into_iter()
        .zip(shares)
        .enumerate()
        .map(|(index, (draft, weight))| {
            let mut id = format!("rubric_{}", slug(&draft.name, index + 1));
            if !taken.insert(id.clone()) {
                id = format!("{id}_{}", index + 1);
                taken.insert(id.clone());
            }
            RubricCriterion {
                id,
                name: draft.name,
                weight,
                levels: draft.levels,
            }
        })
        .collect()
}

/// `Information Extraction` as `information_extraction`.
fn slug(name: &str, number: usize) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let slug = slug.trim_end_matches('_');
    if slug.is_empty() {
        format!("criterion_{number}")
    } else {
        slug.chars().take(48).collect()
    }
}

fn wrong(what: String, expected: &'static str) -> Problem {
    Problem::Rubric { what, expected }
}

#[cfg(test)]
#[path = "rubric_tests.rs"]
mod tests;
