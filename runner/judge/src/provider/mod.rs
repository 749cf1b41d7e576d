//! Who answers: services, programs, records.

mod command;
mod model;
mod recorded;

use std::fmt::Debug;

use async_trait::async_trait;
use proctor_types::Usage;

pub use command::{Command, CommandLimits};
pub use model::Model;
pub use recorded::{Recorded, RecordedError};

use crate::ask::Ask;
use crate::failure::Failure;

/// Something that answers requests.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// What kind it is: `anthropic`, `openai`, `openai-compatible`, `command`,
    /// `recorded`.
    fn kind(&self) -> &str;

    /// The model's name, without the provider. For programs the program's.
    fn model(&self) -> &str;

    /// Who is asked, as it stands in requests and reports:
    /// `anthropic/claude-sonnet-4-5`. A record is called as who gave its answers.
    fn judge(&self) -> String {
        format!("{}/{}", self.kind(), self.model())
    }

    /// Asks once. Whatever goes wrong is a [`Failure`] in the reply; the caller
    /// decides whether to ask again.
    async fn ask(&self, ask: &Ask) -> Reply;
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The reply as it came, without keys. Empty where none came.
    pub body: String,
    /// The model that answered, as the reply calls it.
    pub model: Option<String>,
    /// Tokens that it took, as far as the reply says.
    pub usage: Usage,
    /// The text that has to be a JSON object, or why there is none.
    pub answer: Result<String, Failure>,
}

impl Reply {
    /// A reply that never came.
    pub fn failed(failure: Failure) -> Self {
        Self {
            body: String::new(),
            model: None,
            usage: Usage::default(),
            answer: Err(failure),
        }
    }
}
