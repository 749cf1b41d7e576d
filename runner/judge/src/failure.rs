//! Why a judge gave no answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a call of a judge came to nothing. None of these is a zero: the
/// criterion stays open, with this as its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Failure {
    /// The model declined to answer.
    #[error("the judge refused: {reason}")]
    Refusal {
        /// In its own words, shortened.
        reason: String,
    },
    /// The reply met its limit of tokens.
    #[error("the judge's reply was cut off at {max_tokens} tokens")]
    Cut {
        /// The limit.
        max_tokens: u32,
    },
    /// The answer breaks a rule: prose, no JSON, a level that is not there, a
    /// quote that does not occur.
    #[error("the judge's answer could not be taken: {problem}")]
    Invalid {
        /// Which rule, and what was found.
        problem: String,
    },
    /// The service answered with an error.
    #[error("the judge's service answered {status}: {message}")]
    Http {
        /// HTTP status.
        status: u16,
        /// What the service said, shortened, without keys.
        message: String,
        /// How long it asks to be left alone, in milliseconds, where it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_ms: Option<u64>,
    },
    /// The service could not be reached, or hung up.
    #[error("the judge's service could not be reached: {message}")]
    Unreachable {
        /// What happened.
        message: String,
    },
    /// Nothing came in time.
    #[error("the judge did not answer within {seconds} s")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// The reply was longer than is read.
    #[error("the judge's reply is longer than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The reply is not in the form of the service's interface.
    #[error("the judge's reply is not what its interface says: {message}")]
    Malformed {
        /// What was found.
        message: String,
    },
    /// The judge's program failed.
    #[error("the judge's program {message}")]
    Program {
        /// How, continuing "the judge's program".
        message: String,
    },
    /// The judge's program cannot be started.
    #[error("the judge's program cannot be started: {message}")]
    NoProgram {
        /// Why.
        message: String,
    },
    /// The record has no answer to this request.
    #[error(
        "{file} has no answer to this request ({request}): it was made for other exhibits, \
             another question or other settings"
    )]
    NotRecorded {
        /// The file of answers.
        file: String,
        /// Digest of the request.
        request: String,
    },
    /// The budget was used up before this call.
    #[error("the judge's budget of {limit} is used up")]
    Budget {
        /// Which.
        limit: String,
    },
    /// The model that answered is the one that is judged.
    #[error("the answer came from {model}, the model that is judged")]
    SameModel {
        /// What the reply calls it.
        model: String,
    },
}

impl Failure {
    /// Whether asking again can help.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Refusal { .. }
            | Self::Cut { .. }
            | Self::Invalid { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. }
            | Self::Program { .. } => true,
            Self::Http { status, .. } => matches!(status, 408 | 409 | 429 | 500..),
            Self::NoProgram { .. }
            | Self::NotRecorded { .. }
            | Self::Budget { .. }
            | Self::SameModel { .. } => false,
        }
    }

    /// Whether every other call would fail alike, so that none has to be made.
    pub(crate) fn ends_all(&self) -> bool {
        match self {
            Self::Http { status, .. } => matches!(status, 401..=404),
            Self::NoProgram { .. } | Self::Budget { .. } | Self::SameModel { .. } => true,
            _ => false,
        }
    }

    /// How long the service asks to be left alone, where it says so.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Http { wait_ms, .. } => wait_ms.map(Duration::from_millis),
            _ => None,
        }
    }

    /// Whether the service is what failed, so that it needs a moment.
    pub(crate) fn is_outage(&self) -> bool {
        matches!(
            self,
            Self::Http { .. } | Self::Unreachable { .. } | Self::Timeout { .. }
        )
    }

    /// What to tell the judge, where it is its answer that has to be another
    /// one.
    pub(crate) fn told(&self) -> Option<String> {
        match self {
            Self::Invalid { problem } => Some(problem.clone()),
            Self::Cut { max_tokens } => {
                Some(format!("it did not fit into {max_tokens} tokens; be brief"))
            }
            _ => None,
        }
    }
}
