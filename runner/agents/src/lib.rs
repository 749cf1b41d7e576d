//! Adapters: what it takes to run each agent and to read what it did.
//!
//! An [`Agent`] works on an [`Assignment`] in a [`Shell`], the room of its
//! trial, and writes what it says and calls to a [`TranscriptWriter`] as it
//! goes. It sees nothing of the host: commands run in the room, with an
//! environment that the room gives them, and the adapters themselves read
//! neither environment nor configuration.
//!
//! | agent | what it does |
//! | --- | --- |
//! | `scripted:FILE` | plays a steps file ([`steps`]) |
//! | `oracle` | plays the steps file that the task brings as its solution |
//! | `nop` | nothing; the floor of every task |
//! | `command:COMMAND` | runs a shell command as the agent ([`command`]) |
//!
//! [`AgentSpec`] is the written form, [`agent`] makes the adapter.

mod agent;
pub mod capture;
pub mod command;
mod nop;
mod room;
pub mod scripted;
mod spec;
pub mod steps;
mod text;
mod transcript;

pub use agent::{Agent, AgentError, AgentRun, Assignment, Solution};
pub use nop::Nop;
pub use room::{ExecOutput, ExecRequest, Shell, ShellError};
pub use spec::{AGENT_NAMES, AgentSpec, SpecError, agent, brought};
pub use transcript::{TranscriptError, TranscriptWriter};
