//! Writing a transcript event by event.

use std::io::{self, Write};

use proctor_types::transcript::{Details, Event, Message, Part, Role, ToolCall};
use serde_json::{Map, Value};

use crate::agent::Assignment;

/// Bytes that a transcript may have unless [`TranscriptWriter::with_limit`]
/// says otherwise.
const DEFAULT_LIMIT_BYTES: u64 = 64 << 20;

/// Appends canonical events to `transcript.jsonl`.
///
/// Each event is handed to the sink as one whole line before the call returns,
/// so that an agent can be cancelled between any two of them.
pub struct TranscriptWriter {
    sink: Box<dyn Write + Send>,
    limit: u64,
    bytes: u64,
    events: u64,
    calls: u64,
}

/// Why an event was not written.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The sink failed.
    #[error("cannot write the transcript: {0}")]
    Write(#[from] io::Error),
    /// The event would exceed the transcript's limit.
    #[error("the transcript has reached its limit of {limit} bytes")]
    Full {
        /// The limit in bytes.
        limit: u64,
    },
}

impl TranscriptWriter {
    /// Writes to `sink`, usually the open `transcript.jsonl`, up to 64 MiB.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        let limit = DEFAULT_LIMIT_BYTES;
        Self {
            sink: Box::new(sink),
            limit,
            bytes: 0,
            events: 0,
            calls: 0,
        }
    }

    /// The same with a limit of `bytes`.
    #[must_use]
    pub fn with_limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// How many events were written.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The opening of every transcript: the system prompt, where there is one,
    /// and the prompt.
    pub fn open(&mut self, assignment: &Assignment<'_>) -> Result<(), TranscriptError> {
        if let Some(system) = assignment.system_prompt {
            self.message(Message::new(Role::System, vec![Part::text(system)]))?;
        }
        self.message(Message::new(
            Role::User,
            vec![Part::text(assignment.prompt)],
        ))
    }

    /// Something the agent says.
    pub fn say(&mut self, text: impl Into<String>) -> Result<(), TranscriptError> {
        self.message(Message::new(Role::Assistant, vec![Part::text(text)]).ended())
    }

    /// The agent calls `tool`, with something to say about it or not. Gives
    /// the call's identifier, for [`TranscriptWriter::result`].
    pub fn call(
        &mut self,
        say: Option<&str>,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<String, TranscriptError> {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let mut content: Vec<Part> = say.map(Part::text).into_iter().collect();
        content.push(Part::ToolCall(ToolCall {
            id: id.clone(),
            name: tool.to_owned(),
            arguments,
        }));
        self.message(Message::new(Role::Assistant, content).ended())?;
        Ok(id)
    }

    /// The tool answers the call `id`.
    pub fn result(
        &mut self,
        id: &str,
        tool: &str,
        text: String,
        is_error: bool,
        details: Details,
    ) -> Result<(), TranscriptError> {
        let mut message = Message::new(Role::ToolResult, vec![Part::text(text)]);
        message.tool_call_id = Some(id.to_owned());
        message.tool_name = Some(tool.to_owned());
        message.is_error = Some(is_error);
        message.details = Some(details);
        self.message(message)
    }

    /// A message of any kind, stamped with the time.
    pub fn message(&mut self, message: Message) -> Result<(), TranscriptError> {
        let now = jiff::Timestamp::now();
        self.event(&Event::message(Some(format!("{now:.3}")), message))
    }

    /// An event as it is.
    pub fn event(&mut self, event: &Event) -> Result<(), TranscriptError> {
        let mut line = serde_json::to_vec(event).map_err(io::Error::from)?;
        line.push(b'\n');
        let bytes = self.bytes + line.len() as u64;
        if bytes > self.limit {
            return Err(TranscriptError::Full { limit: self.limit });
        }
        self.sink.write_all(&line)?;
        self.sink.flush()?;
        self.bytes = bytes;
        self.events += 1;
        Ok(())
    }
}

impl std::fmt::Debug for TranscriptWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TranscriptWriter")
            .field("events", &self.events)
            .field("bytes", &self.bytes)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
