//! `trial.json` and `job.json`: what a job leaves on disk beside the evidence.

mod group;
mod results;
mod seeded;
mod share;
#[cfg(test)]
pub(crate) mod testing;

use std::collections::BTreeMap;

use proctor_agents::Account;
use proctor_types::manifest::Isolation;
use proctor_types::model::{ModelSummary, Usage};
use proctor_types::verdict::{Adjustment, GraderKind, Interval, Points, Standing, Verdict};
use proctor_types::{Citation, Criterion, Status};
use serde::{Deserialize, Serialize};

pub use group::{CategorySpread, GroupRecord, Pattern, RunRef, Spread};
pub use results::{ResultsRow, ResultsTable, number, percent, range, verdict, word};
pub use seeded::{SeededMail, SeededPages, SeededRecord, SeededRepository, SeededTasks};
pub use share::TimeShare;

use crate::events::Stage;

/// Version of `trial.json`.
pub const TRIAL_SCHEMA: &str = "proctor.trial/1";
/// Version of `summary.json`.
pub const SUMMARY_SCHEMA: &str = "proctor.summary/1";

/// Points are compared with this much room: a sum of fractions may miss a whole
/// number by as much.
pub(crate) const ROOM: f64 = 1e-9;

/// Whether `points` of `max` are full marks.
pub(crate) fn is_full(points: f64, max: f64) -> bool {
    points + ROOM >= max
}

/// How a trial came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

impl Outcome {
    /// Every outcome, in the order of reports.
    pub const ALL: [Self; 5] = [
        Self::Scored,
        Self::AgentError,
        Self::Timeout,
        Self::Ungraded,
        Self::Infrastructure,
    ];

    /// Whether the trial is in the denominator of every mean and rate.
    pub fn counts(self) -> bool {
        matches!(self, Self::Scored | Self::AgentError | Self::Timeout)
    }

    /// The outcome as it stands in JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scored => "scored",
            Self::AgentError => "agent_error",
            Self::Timeout => "timeout",
            Self::Ungraded => "ungraded",
            Self::Infrastructure => "infrastructure",
        }
    }
}

/// Something that went wrong on our side, or in the grader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Stage that could not do its work.
    pub stage: Stage,
    /// Kind, for scripts: `out_of_fuel`, `digest_mismatch`, `isolation`, ...
    pub kind: String,
    /// What happened, where.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What an agent says of its own run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimedRecord {
    /// Tokens of the whole run, each reply once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Models, as they call themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The agent's own identifier of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Events of its session that were not understood: they are in the
    /// transcript as they came.
    #[serde(default)]
    pub unknown_events: u64,
}

impl From<&Account> for ClaimedRecord {
    fn from(account: &Account) -> Self {
        Self {
            usage: account.usage,
            models: account.models.clone(),
            session: account.session_id.clone(),
            cost_usd: account.cost_usd,
            turns: account.turns,
            unknown_events: account.unknown,
        }
    }
}

/// A trial's model: which, and all that it was asked, in sum. Every request is in
/// `model.jsonl` of the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// `PROVIDER/MODEL`, as the operator named it.
    pub name: String,
    /// Requests, tokens, cost.
    #[serde(flatten)]
    pub summary: ModelSummary,
}

/// `trial.json`: a trial's result in short. The verdict itself is in
/// `verdict.json`, what it rests on in `evidence/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// [`TRIAL_SCHEMA`].
    pub schema: String,
    /// Task.
    pub task: String,
    /// Agent.
    pub agent: String,
    /// Attempt, from 0.
    pub attempt: u32,
    /// How it came out.
    pub outcome: Outcome,
    /// Share of the points, where it was graded.
    pub score: Option<Interval>,
    /// Points, where it was graded.
    pub points: Option<Points>,
    /// Where the points stand against the task's thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Standing>,
    /// Points by category, in the order of the verdict, before adjustments.
    #[serde(default)]
    pub categories: Vec<CategoryRecord>,
    /// Criteria in the order of the verdict.
    pub criteria: Vec<CriterionRecord>,
    /// What cost points beside the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjustments: Vec<Adjustment>,
    /// What was in the world when the agent came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeded: Option<SeededRecord>,
    /// Seconds per stage, and in `total`.
    pub seconds: BTreeMap<String, f64>,
    /// Directory of the trial, relative to the job's.
    pub dir: String,
    /// How the agent was held.
    pub isolation: Isolation,
    /// Requests that the world answered, and egress that it refused.
    pub requests: Requests,
    /// How the agent ended, in plain words, where it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_end: Option<String>,
    /// The model that the operator gave the agent, and what it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
    /// What the agent says of its own run, where its session says so. Claims: what
    /// the gateway counted is in `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<ClaimedRecord>,
    /// What went wrong on our side or in the grader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What kind of grader graded.
    #[serde(default)]
    pub grader: GraderKind,
    /// SHA-256 of the grader's component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader_sha256: Option<String>,
    /// SHA-256 of the task's own Python, where that graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
    /// Everything that the task can be graded by.
    #[serde(default)]
    pub graders: GradersRecord,
    /// Remarks for the operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a task can be graded by; the job's directory has copies in `graders/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradersRecord {
    /// SHA-256 of the component that was made for it: `graders/SHA256.wasm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Its Python: `graders/SHA256.py`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<ScriptRecord>,
}

/// A script and where it comes from, as messages name places in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptRecord {
    /// SHA-256 of the source, lower-case hex.
    pub sha256: String,
    /// Name of its file.
    pub file: String,
    /// Line of the file in which it begins.
    pub line: u64,
}

/// How much the agent asked of the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Requests that a service answered.
    pub answered: u64,
    /// Attempts to leave the world.
    pub egress: u64,
}

/// The criteria of one category together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoryRecord {
    /// The category.
    pub category: String,
    /// Its points.
    pub points: Points,
}

/// A criterion in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionRecord {
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
    /// Points; `null` where nobody decided.
    pub points: Option<f64>,
    /// Most points there are.
    pub max: f64,
    /// Why.
    pub reason: String,
    /// Where to see it.
    pub citations: Vec<Citation>,
}

/// `anthropic/claude-x: 12 requests, 34567 tokens, 0.1234 USD`.
impl std::fmt::Display for ModelRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, summary } = self;
        let (requests, tokens) = (summary.requests, summary.usage.total());
        write!(f, "{name}: {requests} requests, {tokens} tokens")?;
        if summary.estimated {
            f.write_str(" (partly estimated)")?;
        }
        match &summary.cost {
            Some(cost) => write!(f, ", {:.4} USD at prices of {}", cost.usd, cost.prices)?,
            None if summary.unpriced > 0 => f.write_str(", cost not known")?,
            None => {}
        }
        if summary.cost.is_some() && summary.unpriced > 0 {
            write!(f, ", {} requests without a known price", summary.unpriced)?;
        }
        Ok(())
    }
}

impl TrialRecord {
    /// Models that the agent is known to have used.
    pub(crate) fn models(&self) -> Vec<String> {
        let given = self.model.iter();
        given
            .flat_map(|model| {
                let name = model.name.split_once('/').map_or("", |(_, name)| name);
                std::iter::once(name.to_owned()).chain(model.summary.models.iter().cloned())
            })
            .collect()
    }

    /// Takes over what `verdict` says.
    pub fn take(&mut self, verdict: &Verdict) {
        self.score = Some(verdict.score);
        self.points = Some(verdict.points);
        self.result = verdict.result;
        self.grader = verdict.grader.kind;
        // Where a judge alone decides there is no component.
        self.grader_sha256 =
            Some(verdict.grader.sha256.clone()).filter(|_| verdict.grader.kind != GraderKind::None);
        self.source_sha256.clone_from(&verdict.grader.source_sha256);
        self.criteria = verdict.criteria.iter().map(CriterionRecord::from).collect();
        self.categories = CategoryRecord::all(&self.criteria);
        self.adjustments.clone_from(&verdict.adjustments);
    }

    /// Forgets what a verdict said: the trial has no result.
    pub(crate) fn forget(&mut self) {
        self.score = None;
        self.points = None;
        self.result = None;
        self.criteria.clear();
        self.categories.clear();
        self.adjustments.clear();
    }
}

impl From<&Criterion> for CriterionRecord {
    fn from(criterion: &Criterion) -> Self {
        Self {
            id: criterion.id.clone(),
            title: criterion.title.clone(),
            category: criterion.category.clone(),
            status: criterion.status,
            points: criterion.points,
            max: criterion.max,
            reason: criterion.reason.clone(),
            citations: criterion.citations.clone(),
        }
    }
}

/// How many trials there are and how many of them count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denominator {
    /// Planned trials.
    pub planned: u64,
    /// Trials that count: scored, agent error and timeout.
    pub counted: u64,
    /// Trials per outcome.
    pub scored: u64,
    /// The agent failed.
    pub agent_error: u64,
    /// The agent's time was up.
    pub timeout: u64,
    /// The grader failed.
    pub ungraded: u64,
    /// We failed.
    pub infrastructure: u64,
}

impl Denominator {
    /// Counts `trials`; `planned` may be more.
    pub fn of(planned: usize, trials: &[TrialRecord]) -> Self {
        let count = |outcome| {
            trials
                .iter()
                .filter(|trial| trial.outcome == outcome)
                .count() as u64
        };
        Self {
            planned: planned as u64,
            counted: trials.iter().filter(|trial| trial.outcome.counts()).count() as u64,
            scored: count(Outcome::Scored),
            agent_error: count(Outcome::AgentError),
            timeout: count(Outcome::Timeout),
            ungraded: count(Outcome::Ungraded),
            infrastructure: count(Outcome::Infrastructure),
        }
    }
}

/// `3 of 4 trials count: ...`.
impl std::fmt::Display for Denominator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            planned,
            counted,
            scored,
            agent_error,
            timeout,
            ungraded,
            infrastructure,
        } = self;
        write!(
            f,
            "{counted} of {planned} trials count: scored {scored}, agent error {agent_error}, \
             timeout {timeout}; not counted: ungraded {ungraded}, infrastructure {infrastructure}"
        )
    }
}

/// `summary.json`, and the one object that `proctor run --format json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobSummary {
    /// [`SUMMARY_SCHEMA`].
    pub schema: String,
    /// Identifier of the job.
    pub job: String,
    /// Directory of the job.
    pub dir: String,
    /// How many trials there are and how many count.
    pub denominator: Denominator,
    /// Trials in the order of the plan.
    pub trials: Vec<TrialRecord>,
    /// Runs of one task beside each other, where there are at least two.
    #[serde(default)]
    pub groups: Vec<GroupRecord>,
    /// Where the time of all trials went.
    #[serde(default)]
    pub time: TimeShare,
}
