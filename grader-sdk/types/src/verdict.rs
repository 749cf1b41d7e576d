//! Verdicts: what a grader returns, and what the host makes of it.

use serde::{Deserialize, Serialize};

use crate::citation::Citation;
use crate::task::Thresholds;

/// Version of `verdict.json`.
pub const SCHEMA: &str = "proctor.verdict/1";
/// The contract between host and grader component.
pub const ABI: &str = "proctor:grader@1.0.0";
/// The category of criteria that come from a task's rubric. No grader may use it.
pub const RUBRIC: &str = "rubric";

/// What a grader returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraderVerdict {
    /// Criteria in the order of the report.
    pub criteria: Vec<Criterion>,
    /// What costs points beside the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjustments: Vec<Adjustment>,
    /// Remarks that belong to no criterion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// In place of the task's own, where the grader has a reason to differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
}

/// One criterion and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Identifier, unique in the verdict: letters, digits, `_`, `-`, `.`.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// Group in reports; `rubric` is reserved for a judge's criteria.
    pub category: String,
    /// Whether the points are there, and who gave them.
    pub status: Status,
    /// Points, 0 to `max`. Absent while `open` and for `error`: what nobody
    /// decided is not a zero.
    pub points: Option<f64>,
    /// Most points there are; above 0.
    pub max: f64,
    /// Why: what was found, or what was found instead.
    pub reason: String,
    /// Where to see it.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// For open criteria: what a judge has to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// Who decided a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The grader.
    Graded,
    /// A judge.
    Judged,
    /// Nobody yet: it needs a judge.
    Open,
    /// Nobody could: the grader says why in the reason.
    Error,
}

/// Something that costs points beside the criteria: a distractor that was
/// fallen for, a line that was crossed. A grader lists only what happened.
///
/// From the sum over the criteria all penalties are taken; no total is then
/// above any cap, nor below 0. Both ends of the interval are adjusted alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adjustment {
    /// Identifier, unique over criteria and adjustments.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// How the points are meant.
    pub kind: AdjustmentKind,
    /// Points: above 0, except that a cap may be 0.
    pub points: f64,
    /// Why: what was found.
    pub reason: String,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// How the points of an [`Adjustment`] are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdjustmentKind {
    /// No total above them.
    Cap,
    /// They are taken away.
    Penalty,
}

/// What a judge is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The question.
    pub text: String,
    /// Levels to choose from, best first.
    pub levels: Vec<Level>,
    /// What the judge may look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhibits: Vec<Exhibit>,
}

/// One level of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// What it is worth, 0 to 1.
    pub score: f64,
    /// What has to be true.
    pub text: String,
}

/// A piece of evidence for a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhibit {
    /// What it is.
    pub title: String,
    /// Where it comes from.
    pub citation: Citation,
    /// The text itself.
    pub text: String,
}

/// `verdict.json`: the validated verdict with its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// [`SCHEMA`].
    pub schema: String,
    /// The task's identifier.
    pub task: String,
    /// SHA-256 of the bundle's `manifest.json`.
    pub evidence_sha256: String,
    /// The module that graded.
    pub grader: GraderRef,
    /// Criteria of the grader, then those of the rubric.
    pub criteria: Vec<Criterion>,
    /// What the grader found that costs points beside the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjustments: Vec<Adjustment>,
    /// Sum over the criteria, adjusted.
    pub points: Points,
    /// Points as a share of the maximum, 0 to 1.
    pub score: Interval,
    /// Where the points stand against the thresholds: the grader's where it
    /// gave some, the task's otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Standing>,
    /// The grader's thresholds, where they took the place of the task's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// Remarks of the grader.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The module that graded, and what it used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraderRef {
    /// What it is.
    #[serde(default)]
    pub kind: GraderKind,
    /// SHA-256 of the component, lower-case hex.
    pub sha256: String,
    /// Contract it was built for.
    pub abi: String,
    /// SHA-256 of the task's own Python, lower-case hex, where that graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
    /// Fuel it burned: the same for the same bundle, everywhere.
    pub fuel: u64,
}

/// What kind of grader graded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraderKind {
    /// A component that was made for the task.
    #[default]
    Component,
    /// The task's own Python, in the Python grader.
    Python,
    /// Nobody: a judge alone decides.
    None,
}

/// Points as an interval: open criteria count 0 at the low end and their
/// maximum at the high end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// Points that are certain.
    pub low: f64,
    /// Points that are possible.
    pub high: f64,
    /// Points that there are.
    pub max: f64,
}

/// A score as an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

/// Where points stand against a task's thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// At or above `pass`, whatever a judge will say.
    Pass,
    /// At or above `borderline` and below `pass`.
    Borderline,
    /// Below everything, whatever a judge will say.
    Fail,
    /// Depends on the open criteria.
    Undecided,
}
