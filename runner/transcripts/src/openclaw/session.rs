//! Entries of a session, of `OpenClaw` and of pi, whose shape it is.

use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::json::{Fields, Look, content, number_after};
use crate::transcript::NativeEnd;
use crate::usage;

/// A session in the reading.
#[derive(Default)]
pub(crate) struct Session {
    replies: u64,
}

impl Session {
    /// An entry: `{type, id, parentId, timestamp, ...}`.
    pub(crate) fn entry(
        &mut self,
        builder: &mut Builder<'_>,
        mut fields: Fields,
    ) -> Result<(), ReadError> {
        match fields.text("type").unwrap_or_default() {
            "session" => {
                builder.session(fields.text("id"));
                builder.understood();
                Ok(())
            }
            "model_change"
            | "thinking_level_change"
            | "custom"
            | "label"
            | "session_info"
            | "leaf" => {
                builder.understood();
                Ok(())
            }
            "compaction" | "branch_summary" | "reset" => builder.note(fields),
            "custom_message" => {
                let said = content(fields.get("content"));
                builder.say(
                    Role::System,
                    fields.moment("timestamp"),
                    said,
                    Fields::new(),
                )
            }
            "message" => match fields.remove("message") {
                Some(Value::Object(message)) => self.message(builder, &fields, message),
                _ => builder.unknown(fields),
            },
            _ => builder.unknown(fields),
        }
    }

    /// A message; `entry` is what stands around it.
    pub(crate) fn message(
        &mut self,
        builder: &mut Builder<'_>,
        entry: &Fields,
        message: Fields,
    ) -> Result<(), ReadError> {
        let timestamp = entry
            .moment("timestamp")
            .or_else(|| message.moment("timestamp"));
        let mut other = Fields::new();
        for key in ["id", "parentId"] {
            if let Some(id) = entry.text(key).filter(|id| id.len() <= 128) {
                other.insert(key.into(), id.into());
            }
        }
        match message.text("role").unwrap_or_default() {
            "user" => builder.say(
                Role::User,
                timestamp,
                content(message.get("content")),
                other,
            ),
            "custom" | "hookMessage" | "system" => builder.say(
                Role::System,
                timestamp,
                content(message.get("content")),
                other,
            ),
            "assistant" => self.reply(builder, timestamp, &message, other),
            "toolResult" => {
                let mut answer = answer(&message);
                answer.timestamp = timestamp;
                answer.other = other;
                builder.answer(answer)
            }
            "bashExecution" | "branchSummary" | "compactionSummary" => builder.note(message),
            _ => builder.unknown(message),
        }
    }

    fn reply(
        &mut self,
        builder: &mut Builder<'_>,
        timestamp: Option<String>,
        message: &Fields,
        other: Fields,
    ) -> Result<(), ReadError> {
        self.replies += 1;
        let parts = content(message.get("content"))
            .into_iter()
            .map(|part| part_of(builder, part))
            .collect();
        ended(builder, message);
        let reply = self.replies.to_string();
        builder.reply(Words {
            reply: Some(reply.clone()),
            timestamp,
            model: message.text("model").map(str::to_owned),
            content: parts,
            stop_reason: message.text("stopReason").map(str::to_owned),
            error_message: message.text("errorMessage").map(str::to_owned),
            other,
        })?;
        if let Some(counts) = message.object("usage") {
            let usage = usage::openclaw(counts);
            // Of a request that failed, all counts are 0.
            if usage.total() > 0 {
                builder.usage(&reply, usage);
            }
            builder.cost(counts.object("cost").and_then(|cost| cost.amount("total")));
        }
        Ok(())
    }
}

/// A part with a call of its own identifier; the provider's signatures go.
fn part_of(builder: &mut Builder<'_>, part: Part) -> Part {
    let Part::Other(mut fields) = part else {
        return part;
    };
    match (fields.text("type"), fields.text("name")) {
        (Some("toolCall" | "toolUse" | "functionCall"), Some(name)) => {
            let arguments = fields.object("arguments").or(fields.object("input"));
            let arguments = arguments.cloned().unwrap_or_default();
            builder.call(fields.text("id").unwrap_or_default(), name, arguments)
        }
        (Some("thinking"), _) => {
            fields.remove("thinkingSignature");
            Part::Other(fields)
        }
        _ => Part::Other(fields),
    }
}

fn ended(builder: &mut Builder<'_>, message: &Fields) {
    match message.text("stopReason").unwrap_or_default() {
        "error" => {
            let code = message.text("errorCode").unwrap_or_default();
            let names = [message.text("errorType").unwrap_or_default(), code];
            let said = message.text("errorMessage").unwrap_or_default();
            builder.failed(code.parse().ok(), &names, said);
        }
        "aborted" => {
            let said = message
                .text("errorMessage")
                .unwrap_or("the run was aborted");
            builder.failed(None, &[], said);
        }
        // More was to come.
        "toolUse" => builder.end(None),
        _ => builder.end(Some(NativeEnd::Completed)),
    }
}

fn answer(message: &Fields) -> Answer {
    let said = content(message.get("content"));
    let is_error = message.get("isError").and_then(Value::as_bool);
    let empty = Fields::new();
    let told = message.object("details").unwrap_or(&empty);
    let killed = told
        .text("exitSignal")
        .and_then(signal)
        .map(|signal| 128 + signal);
    let mut details = Details {
        exit_code: told.code("exitCode").or(killed),
        duration_ms: told.count("durationMs"),
        timed_out: told.flag("noOutputTimedOut")
            || told
                .text("exitReason")
                .is_some_and(|reason| reason.contains("timeout")),
        truncated_bytes: None,
    };
    // pi has the exit code in words only, below the output of what failed.
    if let (None, Some(true), Some(Part::Text { text })) =
        (details.exit_code, is_error, said.last())
        && message.text("toolName") == Some("bash")
    {
        let last = text.lines().next_back().unwrap_or_default();
        details.exit_code = number_after(last, "Command exited with code ");
    }
    Answer {
        call: message.text("toolCallId").unwrap_or_default().to_owned(),
        tool: message.text("toolName").map(str::to_owned),
        content: said,
        is_error,
        details,
        ..Answer::default()
    }
}

/// Numbers of the signals that end commands, on Linux.
fn signal(name: &str) -> Option<i32> {
    Some(match name {
        "SIGHUP" => 1,
        "SIGINT" => 2,
        "SIGQUIT" => 3,
        "SIGABRT" => 6,
        "SIGBUS" => 7,
        "SIGKILL" => 9,
        "SIGSEGV" => 11,
        "SIGPIPE" => 13,
        "SIGTERM" => 15,
        _ => return None,
    })
}
