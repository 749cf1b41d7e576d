//! What a reading gives.

use std::fmt;

use proctor_types::Usage;
use proctor_types::manifest::FailureKind;
use proctor_types::transcript::{Event, Role};

/// One file of an agent's, in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct NativeFile {
    /// What it is called in messages: its path in the room, or `stdout`.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl NativeFile {
    /// A file called `name`.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
        }
    }

    /// The name, without control characters; agents name their files.
    pub(crate) fn shown(&self) -> String {
        crate::error::sample(self.name.as_bytes())
    }
}

impl fmt::Debug for NativeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeFile")
            .field("name", &self.name)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// A run of an agent, by its own account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// The events, in the order in which they happened. Identifiers of calls
    /// are unique among them; results name the call that they answer.
    pub events: Vec<Event>,
    /// Tokens of the whole run, each reply once, where the agent says so.
    pub usage: Option<Usage>,
    /// Models, as they call themselves, each once, in order of appearance.
    pub models: Vec<String>,
    /// The agent's own identifier of the session.
    pub session_id: Option<String>,
    /// The agent's version, where it says so.
    pub version: Option<String>,
    /// The agent's last words.
    pub final_text: Option<String>,
    /// How the run ended; nothing where the account breaks off.
    pub end: Option<NativeEnd>,
    /// What the agent believes the run cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// How many turns of the model the agent counted.
    pub turns: Option<u64>,
    /// What was not understood. It is among the events all the same, with the
    /// type `raw`.
    pub unknown: Unknown,
    /// What a reader of the transcript should know: a torn last line, results
    /// without a call, texts that were cut.
    pub warnings: Vec<String>,
}

impl Transcript {
    /// Whether the task's prompt is in it: streams of some agents leave it out.
    pub fn has_prompt(&self) -> bool {
        self.events
            .iter()
            .filter_map(|event| event.message.as_ref())
            .any(|message| message.role == Role::User)
    }

    /// Whether anybody says anything.
    pub(crate) fn has_messages(&self) -> bool {
        self.events.iter().any(|event| event.message.is_some())
    }
}

/// How a run ended, by the agent's own account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeEnd {
    /// It came to its end.
    Completed,
    /// It reported an error.
    Failed {
        /// What kind of error, as far as the agent's words tell.
        failure: Option<FailureKind>,
        /// The agent's words, bounded.
        reason: String,
    },
}

/// What a reader did not understand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unknown {
    /// How many events.
    pub count: u64,
    /// The first of them: file, line, and an escaped beginning.
    pub samples: Vec<String>,
}
