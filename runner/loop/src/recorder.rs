//! The transcript, written as it happens.

use std::io::{self, Write};

use jiff::Timestamp;
use proctor_types::manifest::FailureKind;
use proctor_types::transcript::{Event, Message, Part, Role};
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;

/// Most that is written: what readers take at least, and some left for the end.
/// The readers' own bounds are 64 MiB, 100,000 events and 2,000,000 JSON values.
const MAX: Size = Size {
    bytes: 48 << 20,
    events: 30_000,
    values: 1_500_000,
};
/// JSON values of an event besides those of a call's arguments.
const EVENT_VALUES: usize = 24;

/// How much something is.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    events: usize,
    values: usize,
}

/// Writes events.
pub(crate) struct Recorder {
    output: Box<dyn Write>,
    written: Size,
    replies: u64,
}

impl Recorder {
    pub(crate) fn new(output: Box<dyn Write>) -> Self {
        Self {
            output,
            written: Size::default(),
            replies: 0,
        }
    }

    /// Says who runs.
    pub(crate) fn session(&mut self, model: &str) -> io::Result<()> {
        self.line(&json!({
            "type": "session",
            "model": model,
            "version": env!("CARGO_PKG_VERSION"),
            "timestamp": now(),
        }))
    }

    /// Writes a message. `values` is how many JSON values its calls have.
    ///
    /// # Errors
    /// When it cannot be written, and when the transcript is longer by it than
    /// its readers take.
    pub(crate) fn message(&mut self, message: Message, values: usize) -> Result<(), Failure> {
        if message.role == Role::Assistant {
            self.replies += 1;
        }
        self.written.events += 1;
        // Arguments are written under three names.
        self.written.values += EVENT_VALUES + 3 * values;
        self.line(&Event::message(Some(now()), message))?;
        let Size {
            bytes,
            events,
            values,
        } = self.written;
        if bytes > MAX.bytes || events > MAX.events || values > MAX.values {
            return Err(Failure::new(
                FailureKind::Turns,
                format!(
                    "the transcript has become longer than anybody reads: {bytes} bytes, {events} \
                     messages, {values} values"
                ),
            ));
        }
        Ok(())
    }

    /// A message that is text and nothing else.
    pub(crate) fn text(&mut self, role: Role, text: &str) -> Result<(), Failure> {
        self.message(Message::new(role, vec![Part::text(text)]), 0)
    }

    /// Writes how it ended.
    pub(crate) fn end(&mut self, failure: Option<&Failure>) -> io::Result<()> {
        let turns = self.replies;
        let Some(Failure { kind, reason, .. }) = failure else {
            return self.line(&json!({"type": "end", "outcome": "completed", "turns": turns}));
        };
        let mut event = json!({"type": "end", "outcome": "failed"});
        if let Some(kind) = kind {
            event["failure"] = json!(kind);
        }
        event["reason"] = json!(reason);
        event["turns"] = json!(turns);
        self.line(&event)
    }

    fn line(&mut self, event: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.written.bytes += line.len();
        self.output.write_all(&line)?;
        self.output.flush()
    }
}

fn now() -> String {
    format!("{:.3}", Timestamp::now())
}
