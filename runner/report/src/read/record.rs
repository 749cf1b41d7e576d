//! `trial.json` as a report reads it: whatever is there, and nothing that has to
//! be there but the trial's name and outcome.

use std::collections::BTreeMap;

use proctor_types::model::ModelSummary;
use proctor_types::verdict::{Interval, Points};
use serde::{Deserialize, Deserializer};

/// How a trial came out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The agent came to its end and its evidence was graded.
    Scored,
    /// The agent failed; what it left was graded all the same.
    AgentError,
    /// The agent's time was up; what it left was graded all the same.
    Timeout,
    /// The grader failed. Says nothing about the agent.
    Ungraded,
    /// Sandbox, service, disk or upstream failed. Says nothing about the agent.
    Infrastructure,
    /// A word that this version does not know. Counts as nothing.
    Other(String),
}

impl Outcome {
    /// Whether the trial is in the denominator of every mean and rate.
    pub fn counts(&self) -> bool {
        matches!(self, Self::Scored | Self::AgentError | Self::Timeout)
    }

    /// The outcome as it stands in the record.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Scored => "scored",
            Self::AgentError => "agent_error",
            Self::Timeout => "timeout",
            Self::Ungraded => "ungraded",
            Self::Infrastructure => "infrastructure",
            Self::Other(word) => word,
        }
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)?.as_str() {
            "scored" => Self::Scored,
            "agent_error" => Self::AgentError,
            "timeout" => Self::Timeout,
            "ungraded" => Self::Ungraded,
            "infrastructure" => Self::Infrastructure,
            other => Self::Other(other.chars().take(64).collect()),
        })
    }
}

/// Who decided a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The grader.
    Graded,
    /// A judge.
    Judged,
    /// Nobody yet, or a word that this version does not know.
    Open,
    /// Nobody could.
    Error,
}

impl Status {
    /// The status as it stands in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Graded => "graded",
            Self::Judged => "judged",
            Self::Open => "open",
            Self::Error => "error",
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)?.as_str() {
            "graded" => Self::Graded,
            "judged" => Self::Judged,
            "error" => Self::Error,
            _ => Self::Open,
        })
    }
}

/// A trial's result in short.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    /// Task.
    pub task: String,
    /// Agent.
    pub agent: String,
    /// Attempt, from 0.
    pub attempt: u32,
    /// How it came out.
    pub outcome: Outcome,
    /// Share of the points, where it was graded.
    #[serde(default)]
    pub score: Option<Interval>,
    /// Points, where it was graded.
    #[serde(default)]
    pub points: Option<Points>,
    /// `pass`, `borderline`, `fail` or `undecided`, where the task has thresholds.
    #[serde(default)]
    pub result: Option<String>,
    /// Criteria in the order of the verdict.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    /// What cost points beside the criteria.
    #[serde(default)]
    pub adjustments: Vec<Adjustment>,
    /// Seconds per stage, and in `total`.
    #[serde(default)]
    pub seconds: BTreeMap<String, f64>,
    /// `sandbox` or `none`.
    #[serde(default)]
    pub isolation: String,
    /// How much the agent asked of the world.
    #[serde(default)]
    pub requests: Requests,
    /// How the agent ended, where it did not end well.
    #[serde(default)]
    pub agent_end: Option<String>,
    /// The model that the operator gave the agent, and what it took.
    #[serde(default)]
    pub model: Option<Model>,
    /// What went wrong on our side or in the grader.
    #[serde(default)]
    pub failure: Option<Failure>,
    /// SHA-256 of the grader's component.
    #[serde(default)]
    pub grader_sha256: Option<String>,
    /// Remarks for the operator.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A criterion in short.
#[derive(Debug, Clone, Deserialize)]
pub struct Criterion {
    /// Identifier.
    pub id: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// Group in reports.
    #[serde(default)]
    pub category: String,
    /// Who decided.
    pub status: Status,
    /// Points; none where nobody decided.
    #[serde(default)]
    pub points: Option<f64>,
    /// Most points there are.
    pub max: f64,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Where to see it, as the record has it.
    #[serde(default)]
    pub citations: Vec<String>,
}

impl Criterion {
    /// Points, where somebody decided.
    pub fn decided(&self) -> Option<f64> {
        match self.status {
            Status::Graded | Status::Judged => self.points,
            Status::Open | Status::Error => None,
        }
    }
}

/// What cost points beside the criteria.
#[derive(Debug, Clone, Deserialize)]
pub struct Adjustment {
    /// Identifier.
    pub id: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// `cap` or `penalty`.
    #[serde(default)]
    pub kind: String,
    /// Points.
    #[serde(default)]
    pub points: f64,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// How much an agent asked of the world.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Requests {
    /// Requests that a service answered.
    pub answered: u64,
    /// Attempts to leave the world.
    pub egress: u64,
}

/// A trial's model and what it took.
#[derive(Debug, Clone, Deserialize)]
pub struct Model {
    /// `PROVIDER/MODEL`.
    #[serde(default)]
    pub name: String,
    /// Requests, tokens, cost.
    #[serde(flatten)]
    pub summary: ModelSummary,
}

impl Model {
    /// US dollars, where the price of every token is known.
    pub fn usd(&self) -> Option<f64> {
        let cost = self.summary.cost.as_ref()?;
        (self.summary.unpriced == 0).then_some(cost.usd)
    }
}

/// What went wrong on our side or in the grader.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// Stage that could not do its work.
    pub stage: String,
    /// Kind, for scripts.
    pub kind: String,
    /// What happened, where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Record {
    /// Seconds from start to end.
    pub fn total_seconds(&self) -> Option<f64> {
        self.seconds.get("total").copied()
    }

    /// Why the figures cannot be those of a trial, where they cannot.
    pub(super) fn problem(&self) -> Option<String> {
        if self.criteria.len() > crate::limits::CRITERIA {
            return Some(format!(
                "it has {} criteria; a report takes {}",
                self.criteria.len(),
                crate::limits::CRITERIA
            ));
        }
        if let Some(Interval { low, high }) = self.score
            && !(0.0 <= low && low <= high && high <= 1.0)
        {
            return Some(format!("its score of {low} to {high} is no share"));
        }
        if let Some(Points { low, high, max }) = self.points
            && !(0.0 <= low && low <= high && high <= max)
        {
            return Some(format!(
                "its points of {low} to {high} are not between 0 and {max}"
            ));
        }
        let wrong = self.criteria.iter().find(|one| {
            let within = |points: f64| 0.0 <= points && points <= one.max;
            !one.points.is_none_or(within) || one.max <= 0.0
        });
        wrong.map(|one| {
            format!(
                "the points of its criterion `{}` are not between 0 and {}",
                one.id, one.max
            )
        })
    }
}
