//! Where things lie inside an evidence bundle. All paths are relative to the
//! bundle's root and use `/`.

/// Lists every other file with its digest ([`crate::Manifest`]).
pub const MANIFEST: &str = "manifest.json";
/// The prompt exactly as the agent got it.
pub const PROMPT: &str = "prompt.md";
/// The system prompt exactly as the agent got it. Not there for tasks without
/// one.
pub const SYSTEM_PROMPT: &str = "system_prompt.md";
/// The task as the runner understood it ([`crate::TaskInfo`]).
pub const TASK: &str = "task.json";
/// Canonical events, one JSON object a line ([`crate::Event`]).
pub const TRANSCRIPT: &str = "transcript.jsonl";
/// Raw output and native session files of the agent.
pub const AGENT_DIR: &str = "agent";
/// Regular files of the workspace as the agent left them.
pub const WORKSPACE_DIR: &str = "workspace";
/// Every entry of the workspace, kept or refused ([`crate::WorkspaceListing`]).
pub const WORKSPACE_LISTING: &str = "workspace.json";
/// Pristine copies of the workspace files that the task seeded.
pub const FIXTURES_DIR: &str = "fixtures";
/// The world before the agent's first request ([`crate::WorldSnapshot`]).
pub const WORLD_BEFORE: &str = "world/before.json";
/// The world after the agent stopped ([`crate::WorldSnapshot`]).
pub const WORLD_AFTER: &str = "world/after.json";
/// Every request, one JSON object a line ([`crate::JournalEntry`]).
pub const JOURNAL: &str = "world/journal.jsonl";
/// Request bodies of the journal, one file per SHA-256.
pub const BODIES_DIR: &str = "world/bodies";
/// Content of files in the repositories of the snapshots, one file per SHA-256.
pub const BLOBS_DIR: &str = "world/blobs";
/// What the agent's model was asked, one JSON object a line
/// ([`crate::model::Exchange`]). Not there for agents without a model.
pub const MODEL: &str = "model.jsonl";
/// What the task's probes did ([`crate::Probes`]). Not there for tasks without
/// probes.
pub const PROBES: &str = "probes.json";
