//! `manifest.json`: what an evidence bundle holds and where it comes from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Version of the bundle's layout.
pub const SCHEMA: &str = "proctor.evidence/1";

/// Where in a bundle values stand that differ between two runs of the same
/// inputs: `FILE#JSON-POINTER`, with `*` for every line or element. Everything
/// else in a bundle is a function of the task, the agent's actions and the
/// versions involved.
pub const CLOCK_FIELDS: &[&str] = &[
    "manifest.json#/clock/started_at",
    "manifest.json#/clock/seconds",
    "manifest.json#/files/*",
    "transcript.jsonl#/*/timestamp",
    "transcript.jsonl#/*/message/details/durationMs",
    "world/journal.jsonl#/*/t_us",
    "model.jsonl#/*/clock",
];

/// The bundle's table of contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// Which task this is evidence for.
    pub task: TaskRef,
    /// Who was tested.
    pub agent: AgentRef,
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// How the agent was held.
    pub isolation: Isolation,
    /// How the agent's run ended.
    pub end: AgentEnd,
    /// When it happened.
    pub clock: Clock,
    /// Fields that differ between two runs of the same inputs ([`CLOCK_FIELDS`]).
    pub clock_fields: Vec<String>,
    /// Every other file of the bundle by path.
    pub files: BTreeMap<String, FileRef>,
}

/// The task that a bundle belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRef {
    /// Identifier from the front matter.
    pub id: String,
    /// SHA-256 of the task pack, lower-case hex.
    pub pack_sha256: String,
}

/// The agent that a bundle is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Name of the adapter: `oracle`, `nop`, `command`, ...
    pub name: String,
    /// Version of the agent, as far as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who made the transcript.
    pub transcript: TranscriptSource,
}

/// Who made the transcript, and so how far it can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptSource {
    /// The runner: it issued every step itself.
    Runner,
    /// The agent: the runner read the agent's own session files.
    Agent,
    /// Nobody: the runner only has what the agent printed.
    Output,
}

/// How the agent was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Namespaces, captive network, system-call filter.
    Sandbox,
    /// An ordinary process on the host. Asked for by the operator.
    None,
}

/// How the agent's run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEnd {
    /// It came to its end by itself, without an error.
    Completed,
    /// It reported an error.
    Failed {
        /// Exit status, where it was a process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// What went wrong, in its own words where it had some.
        reason: String,
        /// What kind of failure it was, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<FailureKind>,
    },
    /// Its time was up and it was killed.
    TimedOut {
        /// The limit that it met.
        limit_seconds: u64,
    },
}

/// What kind of failure ended an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The model's service did not take the key.
    Authentication,
    /// The model's service took no more requests.
    RateLimit,
    /// The model's service failed.
    Upstream,
    /// The conversation did not fit into the model's context.
    Context,
    /// The model refused.
    Refusal,
    /// The trial's or the job's budget was used up.
    Budget,
    /// The agent met its limit of turns.
    Turns,
    /// The agent's program crashed.
    Crash,
}

/// When a trial happened. Every field is a clock field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Start of the agent, RFC 3339 in UTC.
    pub started_at: String,
    /// How long the agent ran.
    pub seconds: f64,
}

/// Size and digest of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}
