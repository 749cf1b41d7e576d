//! What every adapter is, what it is given and what it gives back.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use proctor_types::manifest::{AgentEnd, TranscriptSource};

use crate::cli::Account;
use crate::room::{Shell, ShellError};
use crate::steps::StepsError;
use crate::transcript::{TranscriptError, TranscriptWriter};

/// An adapter around one agent.
#[async_trait]
pub trait Agent: Send + Sync {
    /// Name for the manifest: `oracle`, `nop`, `command`, ...
    fn name(&self) -> &str;

    /// Version of the agent, as far as it says. What the runner plays itself has
    /// none of its own.
    fn version(&self) -> Option<String> {
        None
    }

    /// Who makes the transcript, and so how far it can be believed.
    fn transcript_source(&self) -> TranscriptSource;

    /// What the adapter may take after the agent's time is up, to read what the
    /// agent left behind.
    fn grace(&self) -> Duration {
        Duration::from_secs(5)
    }

    /// Works on `assignment` in `room` until the agent is done, has failed or
    /// has used up its time.
    ///
    /// Every event is in `transcript` before the next command starts: when the
    /// future is dropped, what was written up to then is the transcript.
    ///
    /// # Errors
    /// When the trial is to blame and not the agent: the room failed, the
    /// transcript could not be written, the task lacks what the agent needs. A
    /// failing agent is an `Ok` that ends with [`AgentEnd::Failed`].
    async fn run(
        &self,
        room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError>;
}

/// What an agent is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The task's prompt.
    pub prompt: &'a str,
    /// The task's system prompt, where it has one.
    pub system_prompt: Option<&'a str>,
    /// The agent's time, counted from the call of [`Agent::run`].
    pub timeout: Duration,
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// The task's own solution; only the oracle looks at it.
    pub solution: Option<Solution<'a>>,
}

/// The steps file that a task brings as its solution.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a> {
    /// Path inside the task pack, for messages.
    pub path: &'a str,
    /// The file.
    pub bytes: &'a [u8],
}

/// What an agent's run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRun {
    /// How it ended.
    pub end: AgentEnd,
    /// Files for the bundle's `agent/` folder: name and contents.
    pub raw: Vec<(String, Vec<u8>)>,
    /// The run by the agent's own account, where it gives one.
    pub account: Option<Account>,
}

impl AgentRun {
    /// A run that ended as `end` and left no files.
    pub(crate) fn ended(end: AgentEnd) -> Self {
        Self {
            end,
            raw: Vec::new(),
            account: None,
        }
    }
}

/// Why a trial could not be carried through. None of these is the agent's
/// failure.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A command could not be run.
    #[error(transparent)]
    Shell(#[from] ShellError),
    /// The transcript could not be written.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The oracle has nothing to play.
    #[error(
        "the task has no solution for the oracle to play: write a steps file and name it in the \
         task's front matter under `proctor: oracle:`"
    )]
    NoSolution,
    /// The task's solution is no steps file.
    #[error(transparent)]
    Steps(#[from] StepsError),
    /// The adapter cannot be used for this task.
    #[error("the adapter of `{agent}`: {problem}")]
    Adapter {
        /// The agent.
        agent: String,
        /// What is wrong.
        problem: String,
    },
    /// What the agent left behind is not what its adapter reads. Nothing can be
    /// said of the agent: a transcript that is empty would be a lie.
    #[error(
        "the transcript of {agent} cannot be read: {problem}{}",
        said.as_ref().map(|said| format!("; on standard error: {said}")).unwrap_or_default()
    )]
    Unreadable {
        /// The agent.
        agent: String,
        /// What is strange, with a sample of it.
        problem: String,
        /// The last lines of its standard error, where it has some.
        said: Option<String>,
    },
}

/// The end of an agent's time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    limit: Duration,
    at: Instant,
}

impl Deadline {
    /// `limit` from now.
    pub(crate) fn after(limit: Duration) -> Self {
        let now = Instant::now();
        // An absurd limit must not overflow the clock: a day is long enough.
        let at = now + limit.min(Duration::from_hours(24));
        Self { limit, at }
    }

    /// What is left; `None` when nothing is.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = self.at.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// The end of an agent that met this deadline.
    pub(crate) fn met(&self) -> AgentEnd {
        AgentEnd::TimedOut {
            limit_seconds: self.limit.as_secs(),
        }
    }
}
