//! What an agent's run came to.

use proctor_transcripts::{NativeEnd, Transcript};
use proctor_types::manifest::{AgentEnd, FailureKind};

use super::read::{Unread, speaks};
use crate::adapter::{Adapter, Heard};
use crate::agent::{AgentError, Deadline};
use crate::room::ExecOutput;
use crate::text;

/// A program that has ended.
pub(super) struct Ended<'a> {
    pub(super) adapter: &'a Adapter,
    pub(super) output: &'a ExecOutput,
    pub(super) deadline: Deadline,
}

impl Ended<'_> {
    /// The end of an agent whose transcript is `native`.
    pub(super) fn of(&self, native: &Transcript) -> AgentEnd {
        if self.output.timed_out {
            return self.deadline.met();
        }
        if let Some(NativeEnd::Failed { failure, reason }) = &native.end {
            let failure = failure.or_else(|| self.by_rule(Some(reason)));
            return self.failed(reason.clone(), failure);
        }
        if self.output.exit_code != 0 {
            let failure = self.by_rule(None).unwrap_or(FailureKind::Crash);
            return self.failed(self.exited(), Some(failure));
        }
        if !speaks(native) {
            return self.silent();
        }
        AgentEnd::Completed
    }

    /// The end of an agent that left no transcript.
    ///
    /// Whoever leaves too much has failed: otherwise an agent could make its own
    /// zero nobody's result.
    ///
    /// # Errors
    /// When it left something, and that cannot be read: nothing can be said of
    /// the agent then.
    pub(super) fn without_transcript(&self, error: Unread) -> Result<AgentEnd, AgentError> {
        let rule = self.by_rule(None);
        match error {
            Unread::Nothing | Unread::TooMuch(_) if self.output.timed_out => {
                Ok(self.deadline.met())
            }
            Unread::TooMuch(problem) => {
                let reason = format!("{} left too much: {problem}", self.adapter.title());
                Ok(self.failed(reason, rule))
            }
            Unread::Nothing if self.output.exit_code == 0 => Ok(self.silent()),
            Unread::Nothing => Ok(self.failed(self.exited(), rule.or(Some(FailureKind::Crash)))),
            // It says plainly what its matter is, only not in its own form.
            Unread::Strange(_) if self.output.exit_code != 0 && rule.is_some() => {
                Ok(self.failed(self.exited(), rule))
            }
            Unread::Strange(problem) => Err(AgentError::Unreadable {
                agent: self.adapter.title().to_owned(),
                problem,
                said: text::last_lines(&self.output.stderr, 3),
            }),
        }
    }

    fn by_rule(&self, reason: Option<&str>) -> Option<FailureKind> {
        let heard = Heard {
            exit: self.output.exit_code,
            reason,
            stderr: &self.output.stderr,
        };
        heard.kind(self.adapter.failures())
    }

    fn failed(&self, reason: String, failure: Option<FailureKind>) -> AgentEnd {
        AgentEnd::Failed {
            exit_code: Some(self.output.exit_code),
            reason,
            failure,
        }
    }

    /// It ended well, by its exit code, and never said or did a thing.
    fn silent(&self) -> AgentEnd {
        let mut reason = format!("{} ended without a word", self.adapter.title());
        if let Some(lines) = text::last_lines(&self.output.stderr, 3) {
            reason = format!("{reason}: {lines}");
        }
        let failure = self.by_rule(None).unwrap_or(FailureKind::Crash);
        self.failed(reason, Some(failure))
    }

    fn exited(&self) -> String {
        let (title, code) = (self.adapter.title(), self.output.exit_code);
        match text::last_lines(&self.output.stderr, 3) {
            Some(lines) => format!("{title} exited with {code}: {lines}"),
            None => format!("{title} exited with {code}"),
        }
    }
}
