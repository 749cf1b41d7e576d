//! From a validated verdict to `verdict.json`.
//!
//! The points of a verdict are on one scale, so that `points / max` *is* the
//! score. In a hybrid task with the weights `wa` (automated) and `wj` (judge)
//! and criteria of the grader worth `A` points together, the criteria of the
//! rubric are worth `A * wj / wa` together, each its share of it.
//!
//! What the grader found that costs points comes after the sum: all penalties
//! are taken away, then no total is above any cap, nor below 0. Both ends of the
//! interval are adjusted alike, so a cap holds whatever a judge will say.

use proctor_types::TaskInfo;
use proctor_types::task::{GradingType, RubricCriterion, Thresholds};
use proctor_types::verdict::{
    Adjustment, AdjustmentKind, Criterion, GraderRef, Interval, Level, Points, Question, SCHEMA,
    Standing, Status, Verdict,
};

use crate::validate::{RUBRIC, ValidVerdict};

/// What a rubric is worth where there is nothing to scale it to.
const RUBRIC_POINTS: f64 = 100.0;
/// Points are rounded to a billionth, so that thirds and tenths add up.
const PRECISION: f64 = 1e9;

/// Puts a verdict together: the grader's criteria, those of the rubric (open,
/// for a judge), points, score and standing.
pub fn score(
    task: &TaskInfo,
    evidence_sha256: &str,
    grader: GraderRef,
    verdict: ValidVerdict,
) -> Verdict {
    let verdict = verdict.into_inner();
    let (mut criteria, mut notes) = (verdict.criteria, verdict.notes);
    let (mut adjustments, mut thresholds) = (verdict.adjustments, verdict.thresholds);
    let weights = task.weights;
    match task.grading_type {
        GradingType::Automated => {}
        GradingType::Hybrid if weights.automated > 0.0 => {
            let automated: f64 = criteria.iter().map(|criterion| criterion.max).sum();
            let total = automated * weights.llm_judge / weights.automated;
            criteria.extend(rubric(&task.rubric, total));
        }
        GradingType::Hybrid | GradingType::LlmJudge => {
            if !criteria.is_empty() {
                let count = criteria.len();
                notes.push(format!(
                    "The judge alone decides this task: {count} criteria of the grader are left out."
                ));
            }
            criteria = rubric(&task.rubric, RUBRIC_POINTS).collect();
            // They are on the scale of the grader's criteria.
            adjustments.clear();
            thresholds = None;
        }
    }
    let (points, score) = totals(&criteria, &adjustments);
    Verdict {
        schema: SCHEMA.to_owned(),
        task: task.id.clone(),
        evidence_sha256: evidence_sha256.to_owned(),
        grader,
        points,
        score,
        result: thresholds
            .or(task.thresholds)
            .map(|thresholds| standing(points, thresholds)),
        thresholds,
        criteria,
        adjustments,
        notes,
    }
}

/// Points and score of some criteria after some adjustments. Open criteria, and
/// those that nobody could decide, count 0 at the low end and their maximum at
/// the high end.
pub fn totals(criteria: &[Criterion], adjustments: &[Adjustment]) -> (Points, Interval) {
    let mut points = Points::default();
    for criterion in criteria {
        points.max += criterion.max;
        points.low += criterion.points.unwrap_or(0.0);
        points.high += criterion.points.unwrap_or(criterion.max);
    }
    points = Points {
        low: round(adjusted(points.low, adjustments)),
        high: round(adjusted(points.high, adjustments)),
        max: round(points.max),
    };
    let share = |part: f64| {
        if points.max > 0.0 {
            round(part / points.max)
        } else {
            0.0
        }
    };
    (
        points,
        Interval {
            low: share(points.low),
            high: share(points.high),
        },
    )
}

/// A total after penalties and caps.
fn adjusted(total: f64, adjustments: &[Adjustment]) -> f64 {
    let of = |kind| {
        adjustments
            .iter()
            .filter(move |adjustment| adjustment.kind == kind)
            .map(|adjustment| adjustment.points)
    };
    let penalties: f64 = of(AdjustmentKind::Penalty).sum();
    of(AdjustmentKind::Cap)
        .fold(total - penalties, f64::min)
        .max(0.0)
}

/// Where points stand against a task's thresholds.
pub fn standing(points: Points, thresholds: Thresholds) -> Standing {
    let Thresholds { pass, borderline } = thresholds;
    let lowest = borderline.unwrap_or(pass);
    if points.low >= pass {
        Standing::Pass
    } else if points.high < lowest {
        Standing::Fail
    } else if points.low >= lowest && points.high < pass {
        Standing::Borderline
    } else {
        Standing::Undecided
    }
}

/// The rubric as open criteria worth `total` points together.
fn rubric(rubric: &[RubricCriterion], total: f64) -> impl Iterator<Item = Criterion> {
    let weights: f64 = rubric.iter().map(|criterion| criterion.weight).sum();
    rubric
        .iter()
        // Nothing to win is nothing to ask.
        .filter(move |criterion| criterion.weight > 0.0 && total > 0.0)
        .map(move |criterion| Criterion {
            id: criterion.id.clone(),
            title: criterion.name.clone(),
            category: RUBRIC.to_owned(),
            status: Status::Open,
            points: None,
            max: round(total * criterion.weight / weights),
            reason: "Needs a judge.".to_owned(),
            citations: Vec::new(),
            question: Some(Question {
                text: format!(
                    "{}: which level describes what the agent did?",
                    criterion.name
                ),
                levels: criterion
                    .levels
                    .iter()
                    .map(|level| Level {
                        score: level.score,
                        text: level.text.clone(),
                    })
                    .collect(),
                exhibits: Vec::new(),
            }),
        })
}

fn round(value: f64) -> f64 {
    (value * PRECISION).round() / PRECISION
}

#[cfg(test)]
mod tests;
