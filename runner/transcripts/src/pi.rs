//! pi. Measured with 0.73.1: a session
//! (`~/.pi/agent/sessions/*/*.jsonl`), whose shape is `OpenClaw`'s, and a
//! stream (`--mode json`), which tells every message at its start, at each
//! token, and at its end. Prefer the session: a stream repeats a message as
//! often as it has tokens.

use serde_json::Value;

use crate::builder::Builder;
use crate::combine::combine;
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look};
use crate::limits::Bounds;
use crate::lines::first_objects;
use crate::openclaw::session::Session;
use crate::transcript::{NativeFile, Transcript};

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (streams, sessions): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| is_stream(file, bounds));
    let all = |files: Vec<&NativeFile>| {
        (!files.is_empty()).then(|| {
            let mut builder = Builder::new(Format::Pi, bounds);
            let mut reader = Reader::default();
            for file in files {
                builder.each_object(file, |builder, fields| reader.event(builder, fields))?;
                reader.unfinished(&mut builder)?;
            }
            builder.finish()
        })
    };
    combine(all(sessions), all(streams))
}

fn is_stream(file: &NativeFile, bounds: &Bounds) -> bool {
    first_objects(file, bounds).iter().any(|fields| {
        matches!(
            fields.text("type"),
            Some("agent_start" | "turn_start" | "message_start" | "message_end")
        )
    })
}

#[derive(Default)]
struct Reader {
    session: Session,
    /// The agent's message as far as it has come.
    partial: Option<Fields>,
}

impl Reader {
    fn event(&mut self, builder: &mut Builder<'_>, mut fields: Fields) -> Result<(), ReadError> {
        match fields.text("type").unwrap_or_default() {
            "message_start" | "message_update" => {
                builder.understood();
                if let Some(Value::Object(message)) = fields.remove("message")
                    && message.text("role") == Some("assistant")
                {
                    self.partial = Some(message);
                }
                Ok(())
            }
            "message_end" => {
                self.partial = None;
                match fields.remove("message") {
                    Some(Value::Object(message)) => {
                        self.session.message(builder, &Fields::new(), message)
                    }
                    _ => builder.unknown(fields),
                }
            }
            "agent_start"
            | "agent_end"
            | "turn_start"
            | "turn_end"
            | "tool_execution_start"
            | "tool_execution_update"
            | "tool_execution_end"
            | "queue_update"
            | "compaction_start" => {
                builder.understood();
                Ok(())
            }
            "auto_retry_start" | "auto_retry_end" | "compaction_end" | "auto_compaction_end" => {
                builder.note(fields)
            }
            _ => self.session.entry(builder, fields),
        }
    }

    /// A message that the agent was stopped in.
    fn unfinished(&mut self, builder: &mut Builder<'_>) -> Result<(), ReadError> {
        let Some(mut message) = self.partial.take() else {
            return Ok(());
        };
        builder.warn("the last message is not finished: the agent was stopped".to_owned());
        // It says why it will have stopped, and what it will have taken.
        message.remove("stopReason");
        message.remove("usage");
        self.session.message(builder, &Fields::new(), message)?;
        builder.end(None);
        Ok(())
    }
}
