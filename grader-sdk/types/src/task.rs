//! `task.json`: the task as the runner understood it.

use serde::{Deserialize, Serialize};

/// Version of `task.json`.
pub const SCHEMA: &str = "proctor.task/1";

/// What a grader and a report may know about a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskInfo {
    /// [`SCHEMA`].
    pub schema: String,
    /// Identifier: lower-case letters, digits, `-` and `_`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Category, free text.
    pub category: String,
    /// How the score is put together.
    pub grading_type: GradingType,
    /// Shares of the two halves of a hybrid score.
    pub weights: Weights,
    /// The agent's time limit.
    pub timeout_seconds: u64,
    /// Services of the world, in the order of the task.
    pub services: Vec<String>,
    /// The items of the section "Grading Criteria".
    pub criteria: Vec<String>,
    /// The section "Expected Behavior", for a judge; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// The criteria of the section "LLM Judge Rubric".
    pub rubric: Vec<RubricCriterion>,
    /// Thresholds in points, where the task has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
}

/// How the score of a task is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradingType {
    /// By the grader alone.
    Automated,
    /// By a judge alone.
    LlmJudge,
    /// By both, weighted.
    Hybrid,
}

/// Shares of the automated and the judged half; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Share of the grader's criteria.
    pub automated: f64,
    /// Share of the rubric's criteria.
    pub llm_judge: f64,
}

/// One criterion of a rubric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RubricCriterion {
    /// Identifier made from the name: `rubric_information_extraction`.
    pub id: String,
    /// Name from the heading.
    pub name: String,
    /// Share within the rubric, 0 to 1.
    pub weight: f64,
    /// Levels, best first.
    pub levels: Vec<RubricLevel>,
}

/// One level of a rubric criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RubricLevel {
    /// What the level is worth, 0 to 1.
    pub score: f64,
    /// What has to be true.
    pub text: String,
}

/// Points from which a verdict passes, or is borderline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// From here on it passes.
    pub pass: f64,
    /// From here on it is borderline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub borderline: Option<f64>,
}
