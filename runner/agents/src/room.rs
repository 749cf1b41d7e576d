//! The room in which an agent's commands run, as the adapters see it.

use std::time::Duration;

use async_trait::async_trait;

/// The shell that command lines are written for, in every room.
pub(crate) const BASH: &str = "/bin/bash";
/// Bytes that one argument of a program may have: Linux's `MAX_ARG_STRLEN`
/// (32 pages of 4 KiB, `include/uapi/linux/binfmts.h`) less the closing NUL.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 32 * 4096 - 1;

/// The room of a trial: commands run in it, and nothing else is known of it.
///
/// The engine implements this over its sandbox. Two things are asked of an
/// implementation: [`ExecRequest::timeout`] ends the whole process tree of a
/// command, and dropping the future of [`Shell::exec`] does too.
#[async_trait]
pub trait Shell: Send + Sync {
    /// Runs one command to its end, or to its time limit.
    ///
    /// # Errors
    /// When the command could not be started or watched. A command that ran
    /// and failed is no error.
    async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, ShellError>;

    /// Path inside the room of the program `proctor-capture`, which the
    /// `capture` key of a steps file needs ([`crate::capture`]). `None` in a
    /// room without it; such captures fail and say so.
    fn capture_program(&self) -> Option<&str>;

    /// Path inside the room of the folder with the files that the agent's steps
    /// file brings ([`crate::steps::BroughtFile`]); `None` where it brings none.
    fn steps_dir(&self) -> Option<&str> {
        None
    }
}

/// A command for the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecRequest {
    /// Program (an absolute path of the room) and arguments.
    pub argv: Vec<String>,
    /// Variables in addition to those of the room.
    pub env: Vec<(String, String)>,
    /// Working directory; the workspace where `None`.
    pub cwd: Option<String>,
    /// What the command reads on standard input; nothing where `None`.
    pub stdin: Option<Vec<u8>>,
    /// Time after which the command and its children are killed.
    pub timeout: Duration,
    /// Bytes to keep of each of the two outputs. The rest is read and counted.
    pub output_cap_bytes: usize,
}

/// What became of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecOutput {
    /// Exit code; 128 + signal where it was killed by one.
    pub exit_code: i32,
    /// Standard output, up to the cap.
    pub stdout: Vec<u8>,
    /// Standard error, up to the cap.
    pub stderr: Vec<u8>,
    /// Bytes of standard output beyond the cap.
    pub stdout_cut_bytes: u64,
    /// Bytes of standard error beyond the cap.
    pub stderr_cut_bytes: u64,
    /// Whether the command met its time limit.
    pub timed_out: bool,
    /// Time from start to end.
    pub duration: Duration,
}

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// The room is fine, this program cannot be started in it.
    #[error("cannot start {program} in the room: {reason}")]
    CannotStart {
        /// The program.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The room itself failed.
    #[error("the agent's room failed: {0}")]
    Room(#[source] Box<dyn std::error::Error + Send + Sync>),
}
