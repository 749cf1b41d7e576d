//! Commands for a room, and what became of them.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::error::SandboxError;
use crate::wire::Exit;

/// A command for a room.
#[derive(Debug, Clone)]
pub struct ExecRequest {
    /// Program and arguments. A program without `/` is looked for in `PATH`.
    pub argv: Vec<String>,
    /// Variables on top of the room's.
    pub env: Vec<(String, String)>,
    /// Directory to start in, as seen in the room; the workspace if `None`.
    pub cwd: Option<String>,
    /// Standard input; `/dev/null` if `None`.
    pub stdin: Option<Vec<u8>>,
    /// When it, and everything else that runs in the room, is killed.
    pub timeout: Duration,
    /// How much of standard output is kept, and how much of standard error, in
    /// bytes. The rest is counted.
    pub output_cap_bytes: usize,
}

impl ExecRequest {
    /// A command with nothing on standard input, a minute of time and a
    /// mebibyte of output.
    pub fn new<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            cwd: None,
            stdin: None,
            timeout: Duration::from_mins(1),
            output_cap_bytes: 1 << 20,
        }
    }

    /// A line for `/bin/sh`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new(["/bin/sh".to_owned(), "-c".to_owned(), line.into()])
    }

    /// The same command with another timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// What a command did.
#[derive(Debug, Clone)]
pub struct ExecOutput {
    /// How it ended.
    pub status: Exit,
    /// Standard output, up to the cap.
    pub stdout: Vec<u8>,
    /// Standard error, up to the cap.
    pub stderr: Vec<u8>,
    /// Bytes that were written to standard output, kept or not.
    pub stdout_bytes: u64,
    /// Bytes that were written to standard error, kept or not.
    pub stderr_bytes: u64,
    /// Whether one of them met the cap.
    pub truncated: bool,
    /// Whether it was killed because its time was up.
    pub timed_out: bool,
    /// From the order to start it until it ended.
    pub duration: Duration,
}

/// One of a command's two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A piece of output as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Where it was written to.
    pub stream: Stream,
    /// What was written; never empty.
    pub bytes: Bytes,
}

/// A command that runs.
///
/// Its output must be read or the command waits. Dropping this leaves the
/// command running, with its output thrown away, until its time is up or the
/// room ends.
#[derive(Debug)]
pub struct Running {
    pub(crate) chunks: mpsc::Receiver<Chunk>,
    pub(crate) outcome: oneshot::Receiver<Result<Outcome, SandboxError>>,
}

/// What a command did, without its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Exit,
    /// Bytes that were written to standard output, kept or not.
    pub stdout_bytes: u64,
    /// Bytes that were written to standard error, kept or not.
    pub stderr_bytes: u64,
    /// Whether one of them met the cap.
    pub truncated: bool,
    /// Whether it was killed because its time was up.
    pub timed_out: bool,
    /// From the order to start it until it ended.
    pub duration: Duration,
}

impl Running {
    /// The next piece of output; `None` when there will be no more.
    pub async fn next(&mut self) -> Option<Chunk> {
        self.chunks.recv().await
    }

    /// Waits for the end. Output that was not read is thrown away.
    pub async fn finish(mut self) -> Result<Outcome, SandboxError> {
        self.chunks.close();
        while self.chunks.recv().await.is_some() {}
        self.outcome.await.map_err(|_| SandboxError::Gone)?
    }

    /// Reads all output and waits for the end.
    pub async fn collect(mut self) -> Result<ExecOutput, SandboxError> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        while let Some(chunk) = self.next().await {
            match chunk.stream {
                Stream::Stdout => stdout.extend_from_slice(&chunk.bytes),
                Stream::Stderr => stderr.extend_from_slice(&chunk.bytes),
            }
        }
        let outcome = self.finish().await?;
        Ok(ExecOutput {
            status: outcome.status,
            stdout,
            stderr,
            stdout_bytes: outcome.stdout_bytes,
            stderr_bytes: outcome.stderr_bytes,
            truncated: outcome.truncated,
            timed_out: outcome.timed_out,
            duration: outcome.duration,
        })
    }
}
