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
//! | `claude-code`, `codex`, ... | a program of its own, as an [`adapter`] says ([`CliAgent`]) |
//! | `FILE.toml` | the same by an adapter of the operator's |
//!
//! [`AgentSpec`] is the written form. [`agent`] makes what the runner plays
//! itself; for a program [`AgentSpec::adapter`] says how it is started,
//! [`install::find`] where it is, and [`CliAgent::new`] makes the agent.

pub mod adapter;
mod agent;
pub mod capture;
mod cli;
pub mod command;
mod files;
pub mod install;
mod nop;
mod room;
pub mod scripted;
mod spec;
pub mod steps;
mod text;
mod transcript;

pub use agent::{Agent, AgentError, AgentRun, Assignment, Solution};
pub use cli::{Account, CliAgent, CliSetup, ModelTarget, SetupError};
pub use nop::Nop;
pub use room::{ExecOutput, ExecRequest, Shell, ShellError};
pub use spec::{AGENT_NAMES, AgentSpec, SpecError, agent, brought};
pub use transcript::{TranscriptError, TranscriptWriter};
