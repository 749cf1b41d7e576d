//! The judge: fills in open criteria from exhibits, and proves what it says.
//!
//! A grader leaves a criterion open where a machine cannot decide it, with a
//! question, levels to choose from and exhibits; a rubric of a task is nothing
//! but such criteria. A [`Judge`] asks a model once for each and takes an answer
//! only if it keeps the rules: one JSON object, a level that is there, and
//! quotes that stand in the exhibits. What cannot be had stays open, with the
//! reason: nothing that fails here is a zero of the agent.
//!
//! ```no_run
//! use std::sync::Arc;
//! use proctor_judge::{Case, Judge, Options, Stored, provider::Command, to_jsonl};
//!
//! # async fn run(verdict: proctor_types::Verdict) -> Result<(), Box<dyn std::error::Error>> {
//! let program = Command::new("/usr/local/bin/my-judge");
//! let judge = Judge::new(Arc::new(program), Options::default())?;
//! let case = Case {
//!     criteria: &verdict.criteria,
//!     exhibits: &[],
//!     expected: None,
//!     agent_models: &[],
//! };
//! let judged = judge.judge(case, &Stored::default()).await?;
//! std::fs::write("judge.jsonl", to_jsonl(&judged.calls)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! Exhibits are what the tested agent wrote. The judge is told so, gets them
//! between markers that nobody can foresee, and has to show words of them for
//! what it says; docs/judge.md says what that does and does not protect from.

mod answer;
mod ask;
mod ballot;
pub mod calibrate;
mod call;
pub mod evidence;
mod exhibit;
mod failure;
mod judge;
mod outcome;
mod prompt;
pub mod provider;
mod same;
mod text;
mod vote;

pub use answer::Quote;
pub use ask::{Ask, REQUEST_SCHEMA};
pub use call::{CALL_SCHEMA, Call, StoreError, Stored, to_jsonl};
pub use exhibit::ExhibitLimits;
pub use failure::Failure;
pub use judge::{Budget, Case, Judge, JudgeError, Judged, Judgement, Options, RUBRIC, question};
pub use provider::Provider;
pub use same::same_model;
pub use vote::Vote;
