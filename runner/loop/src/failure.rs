//! How a run can fail.

use proctor_model::client::ClientError;
use proctor_types::manifest::FailureKind;

/// A run that did not come to its own end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What kind it is. None for what the kinds do not cover.
    pub(crate) kind: Option<FailureKind>,
    /// What happened, and what can be done.
    pub(crate) reason: String,
    /// Whether its own time limit ended it.
    timed_out: bool,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, reason: String) -> Self {
        Self {
            kind: Some(kind),
            reason,
            timed_out: false,
        }
    }

    /// A failure of no known kind.
    pub(crate) fn other(reason: String) -> Self {
        Self {
            kind: None,
            reason,
            timed_out: false,
        }
    }

    /// The end of `--timeout-seconds`.
    pub(crate) fn time(seconds: u64) -> Self {
        Self {
            timed_out: true,
            ..Self::other(format!("the time of {seconds} seconds is over"))
        }
    }

    /// What the process exits with. 1 is everything that has no code of its own.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            _ if self.timed_out => 17,
            Some(FailureKind::Authentication) => 10,
            Some(FailureKind::RateLimit) => 11,
            Some(FailureKind::Upstream) => 12,
            Some(FailureKind::Context) => 13,
            Some(FailureKind::Refusal) => 14,
            Some(FailureKind::Budget) => 15,
            Some(FailureKind::Turns) => 16,
            Some(FailureKind::Crash) | None => 1,
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let kind = match &error {
            // The gateway answers so when a trial has spent what it may, and
            // says that it is a budget; a provider speaks of credit.
            ClientError::Status {
                status: 402,
                message,
                ..
            } if message.contains("budget") => Some(FailureKind::Budget),
            ClientError::Status { failure, .. } => *failure,
            ClientError::Unreachable { .. }
            | ClientError::Timeout { .. }
            | ClientError::TooLarge { .. }
            | ClientError::Invalid { .. } => Some(FailureKind::Upstream),
            ClientError::Api(_)
            | ClientError::Address(_)
            | ClientError::Transport(_)
            | ClientError::Request(_) => None,
        };
        let reason = match kind {
            Some(FailureKind::Context) => {
                format!("the conversation does not fit into the model's context: {error}")
            }
            _ => error.to_string(),
        };
        Self {
            kind,
            reason,
            timed_out: false,
        }
    }
}

impl From<std::io::Error> for Failure {
    /// Of standard output, which is the only thing written to without a result
    /// that the model gets.
    fn from(error: std::io::Error) -> Self {
        Self::other(format!("the transcript cannot be written: {error}"))
    }
}
