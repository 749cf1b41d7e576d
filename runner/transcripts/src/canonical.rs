//! Proctor's own events, as `proctor-loop` prints them: one a line.
//!
//! Beside messages there are two events about the run:
//!
//! - `{"type": "session", "id", "model"?, "version"?}`
//! - `{"type": "end", "outcome": "completed" | "failed", "reason"?,
//!   "failure"?, "turns"?, "cost_usd"?}`, with a failure of
//!   [`FailureKind`](proctor_types::manifest::FailureKind)'s names.
//!
//! Any other type is kept with its fields.

use proctor_types::transcript::{Event, Part, Role};
use serde::Deserialize as _;
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::failure;
use crate::format::Format;
use crate::json::{Fields, Look};
use crate::limits::Bounds;
use crate::transcript::{NativeEnd, NativeFile, Transcript};

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Canonical, bounds);
    let mut replies = 0;
    for file in files {
        builder.each_object(file, |builder, fields| event(builder, fields, &mut replies))?;
    }
    builder.finish()
}

fn event(builder: &mut Builder<'_>, fields: Fields, replies: &mut u64) -> Result<(), ReadError> {
    match fields.text("type").unwrap_or_default() {
        "message" => {}
        "session" => {
            builder.session(fields.text("id"));
            builder.version(fields.text("version"));
            if let Some(model) = fields.text("model") {
                builder.model(model);
            }
            return builder.keep(fields);
        }
        "end" => {
            end(builder, &fields);
            return builder.keep(fields);
        }
        "" => return builder.unknown(fields),
        _ => return builder.keep(fields),
    }
    let timestamp = fields.moment("timestamp");
    let value = Value::Object(fields);
    let event = match Event::deserialize(&value) {
        Ok(event) => event,
        Err(error) => return builder.stray_value(value, format!("no message: {error}")),
    };
    let Some(message) = event.message else {
        return builder.stray_value(value, "a message without a message".to_owned());
    };
    match message.role {
        Role::System | Role::User => {
            builder.say(message.role, timestamp, message.content, event.other)
        }
        Role::Assistant => {
            *replies += 1;
            let reply = replies.to_string();
            let content = message
                .content
                .into_iter()
                .map(|part| match part {
                    Part::ToolCall(call) => builder.call(&call.id, &call.name, call.arguments),
                    part => part,
                })
                .collect();
            builder.reply(Words {
                reply: Some(reply.clone()),
                timestamp,
                model: message.model,
                content,
                stop_reason: message.stop_reason,
                error_message: message.error_message,
                other: event.other,
            })?;
            if let Some(usage) = message.usage {
                builder.usage(&reply, usage);
            }
            Ok(())
        }
        Role::ToolResult => builder.answer(Answer {
            call: message.tool_call_id.unwrap_or_default(),
            tool: message.tool_name,
            timestamp,
            content: message.content,
            is_error: message.is_error,
            details: message.details.unwrap_or_default(),
            other: event.other,
        }),
    }
}

fn end(builder: &mut Builder<'_>, fields: &Fields) {
    builder.turns(fields.count("turns"));
    builder.cost(fields.amount("cost_usd"));
    let end = match fields.text("outcome") {
        Some("completed") => Some(NativeEnd::Completed),
        Some("failed") => {
            let reason = fields.text("reason").unwrap_or_default();
            let failure = fields
                .get("failure")
                .and_then(|kind| serde_json::from_value(kind.clone()).ok());
            Some(NativeEnd::Failed {
                failure: failure.or_else(|| failure::kind(None, &[], reason)),
                reason: failure::reason(reason),
            })
        }
        _ => None,
    };
    builder.end(end);
}
