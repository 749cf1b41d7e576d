//! Codex's rollout file: lines of `{timestamp, type, payload}`.
//!
//! What is said and called are its `response_item`s. `event_msg`s tell most of
//! it again; of them the ends of commands (exit code, duration) and of turns
//! are read. `token_usage_record` counts a response; older versions only have
//! `token_count`, which adds up the thread.

use std::collections::{HashMap, HashSet};

use proctor_types::Usage;
use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look, content, number_after, thinking};
use crate::limits::Bounds;
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

pub(super) fn read(files: &[&NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Codex, bounds);
    let mut rollout = Rollout::default();
    for file in files {
        builder.each_object(file, |builder, fields| rollout.line(builder, fields))?;
        if let Some(total) = rollout.total.take() {
            builder.reported_usage(total);
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Rollout {
    reply: u64,
    /// Whether something was said or called since the reply began.
    open: bool,
    /// Responses that were counted.
    counted: HashSet<String>,
    total: Option<Usage>,
    /// How commands ended, by call, until the result comes.
    ends: HashMap<String, Details>,
}

impl Rollout {
    fn line(&mut self, builder: &mut Builder<'_>, mut fields: Fields) -> Result<(), ReadError> {
        let timestamp = fields.moment("timestamp");
        let payload = match fields.get_mut("payload") {
            Some(Value::Object(payload)) => std::mem::take(payload),
            _ => return builder.unknown(fields),
        };
        match fields.text("type").unwrap_or_default() {
            "response_item" => self.item(builder, timestamp, payload),
            "event_msg" => self.message(builder, payload),
            "token_usage_record" => {
                builder.understood();
                self.record(builder, &payload);
                Ok(())
            }
            "session_meta" => {
                builder.session(payload.text("id").or(payload.text("session_id")));
                builder.version(payload.text("cli_version"));
                builder.understood();
                Ok(())
            }
            "turn_context" => {
                if let Some(model) = payload.text("model") {
                    builder.model(model);
                }
                builder.understood();
                Ok(())
            }
            "world_state" => {
                builder.understood();
                Ok(())
            }
            "compacted" => builder.note(payload),
            _ => {
                fields.insert("payload".into(), Value::Object(payload));
                builder.unknown(fields)
            }
        }
    }

    fn item(
        &mut self,
        builder: &mut Builder<'_>,
        timestamp: Option<String>,
        item: Fields,
    ) -> Result<(), ReadError> {
        match item.text("type").unwrap_or_default() {
            "message" if item.text("role") == Some("assistant") => {
                let parts = content(item.get("content"));
                self.words(builder, timestamp, parts)
            }
            "message" => {
                self.close();
                let role = role_of(&item);
                let parts = content(item.get("content"));
                builder.say(role, timestamp, parts, Fields::new())
            }
            "reasoning" => {
                let texts: Vec<&str> = ["summary", "content"]
                    .iter()
                    .flat_map(|key| item.list(key))
                    .filter_map(|part| part.as_object()?.text("text"))
                    .collect();
                if texts.is_empty() {
                    builder.understood();
                    return Ok(());
                }
                self.words(builder, timestamp, vec![thinking(&texts.join("\n"))])
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call"
            | "tool_search_call" => {
                let (name, arguments) = call_of(builder, &item)?;
                let id = item.text("call_id").or(item.text("id"));
                let call = builder.call(id.unwrap_or_default(), &name, arguments);
                self.words(builder, timestamp, vec![call])
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                self.close();
                let answer = self.answer(builder, timestamp, &item)?;
                builder.answer(answer)
            }
            "ghost_snapshot" => {
                builder.understood();
                Ok(())
            }
            "compaction" | "compaction_summary" => builder.note(item),
            _ => builder.unknown(item),
        }
    }

    /// The reply is over: what is said next belongs to another.
    fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.reply += 1;
        }
    }

    fn words(
        &mut self,
        builder: &mut Builder<'_>,
        timestamp: Option<String>,
        content: Vec<Part>,
    ) -> Result<(), ReadError> {
        self.open = true;
        builder.reply(Words {
            reply: Some(self.reply.to_string()),
            timestamp,
            content,
            ..Words::default()
        })
    }

    /// A response's tokens. They come after what it said and before the
    /// results of what it called.
    fn record(&mut self, builder: &mut Builder<'_>, record: &Fields) {
        if let Some(total) = record.object("thread_token_usage") {
            self.total = Some(usage::codex(total));
        }
        let Some(counts) = record.object("usage") else {
            return;
        };
        let response = record.text("response_id").unwrap_or_default();
        if response.is_empty() || self.counted.insert(response.to_owned()) {
            // A response that said nothing (a summary, say) is counted too.
            let key = if self.open {
                self.reply.to_string()
            } else {
                format!("response {}", self.counted.len())
            };
            builder.usage(&key, usage::codex(counts));
            self.close();
        }
    }

    fn message(&mut self, builder: &mut Builder<'_>, message: Fields) -> Result<(), ReadError> {
        builder.understood();
        match message.text("type").unwrap_or_default() {
            "item_completed" => {
                if let Some(item) = message.object("item")
                    && item.text("type") == Some("CommandExecution")
                {
                    self.ended(item.text("id"), item);
                }
            }
            "exec_command_end" => self.ended(message.text("call_id"), &message),
            "token_count" => {
                let info = message.object("info");
                if let Some(total) = info.and_then(|info| info.object("total_token_usage")) {
                    self.total = Some(usage::codex(total));
                }
            }
            "task_complete" => {
                builder.final_text(message.text("last_agent_message"));
                match message.object("error") {
                    Some(error) => failed(builder, error),
                    None => builder.end(Some(NativeEnd::Completed)),
                }
            }
            "turn_aborted" => {
                let reason = message.text("reason").unwrap_or("interrupted");
                builder.failed(None, &[reason], &format!("the turn was aborted: {reason}"));
                return builder.note(message);
            }
            "error" => {
                failed(builder, &message);
                return builder.note(message);
            }
            "context_compacted" | "warning" => return builder.note(message),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, call: Option<&str>, end: &Fields) {
        let duration = end.object("duration").and_then(|duration| {
            let seconds = duration.count("secs")?.checked_mul(1000)?;
            seconds.checked_add(duration.count("nanos")? / 1_000_000)
        });
        if let Some(call) = call {
            let details = Details {
                exit_code: end.code("exit_code"),
                duration_ms: duration,
                ..Details::default()
            };
            self.ends.insert(call.to_owned(), details);
        }
    }

    fn answer(
        &mut self,
        builder: &Builder<'_>,
        timestamp: Option<String>,
        item: &Fields,
    ) -> Result<Answer, ReadError> {
        let call = item.text("call_id").unwrap_or_default();
        let mut details = self.ends.remove(call).unwrap_or_default();
        let (mut parts, mut success) = match item.get("output") {
            Some(Value::Object(output)) => (
                content(output.get("content")),
                output.get("success").and_then(Value::as_bool),
            ),
            output => (content(output), None),
        };
        if let Some(Part::Text { text }) = parts.first() {
            details.exit_code = details.exit_code.or_else(|| exit_code_in(text));
            // In older versions the output of a command is JSON in a string.
            if let Some(fields) = builder.embedded(text)?
                && let (Some(output), Some(metadata)) =
                    (fields.text("output"), fields.object("metadata"))
            {
                details.exit_code = details.exit_code.or(metadata.code("exit_code"));
                parts = vec![Part::text(output)];
            }
        }
        success = success.or(details.exit_code.map(|code| code == 0));
        Ok(Answer {
            call: call.to_owned(),
            timestamp,
            content: parts,
            is_error: success.map(|success| !success),
            details,
            ..Answer::default()
        })
    }
}

/// The exit code in the lines that Codex puts before a command's output.
fn exit_code_in(text: &str) -> Option<i32> {
    text.lines()
        .take(8)
        .take_while(|line| *line != "Output:")
        .find_map(|line| number_after(line, "Process exited with code "))
}

fn failed(builder: &mut Builder<'_>, error: &Fields) {
    let message = error.text("message").unwrap_or_default();
    // A name, or an object whose one field has the name, and a status in it.
    let (name, status) = match error.get("codex_error_info") {
        Some(Value::String(name)) => (name.as_str(), None),
        Some(Value::Object(info)) => info.iter().next().map_or(("", None), |(name, info)| {
            let status = info
                .as_object()
                .and_then(|info| info.count("http_status_code"));
            (name.as_str(), status)
        }),
        _ => ("", None),
    };
    // The status says more than that the connection failed.
    let names = [if status.is_some() { "" } else { name }];
    builder.failed(status, &names, message);
}

/// Who speaks: Codex also puts words of its own into the user's mouth.
fn role_of(item: &Fields) -> Role {
    if item.text("role") != Some("user") {
        return Role::System;
    }
    let origins: Vec<&str> = item
        .object("internal_chat_message_metadata_passthrough")
        .map_or(&[][..], |metadata| metadata.list("content_item_metadata"))
        .iter()
        .filter_map(|part| part.as_object()?.object("provenance")?.text("type"))
        .collect();
    let own = if origins.is_empty() {
        let first = item.list("content").first().and_then(Value::as_object);
        let text = first.and_then(|part| part.text("text")).unwrap_or_default();
        ["<environment_context>", "<user_instructions>"]
            .iter()
            .any(|tag| text.starts_with(tag))
    } else {
        origins.iter().all(|origin| *origin == "harness")
    };
    if own { Role::System } else { Role::User }
}

fn call_of(builder: &Builder<'_>, item: &Fields) -> Result<(String, Fields), ReadError> {
    let kind = item.text("type").unwrap_or_default();
    let mut name = item.text("name").unwrap_or(kind).to_owned();
    if let Some(namespace) = item.text("namespace") {
        name = format!("{namespace}{name}");
    }
    let arguments = match (
        item.text("arguments").or(item.text("input")),
        item.object("action"),
    ) {
        (Some(text), _) => builder.embedded(text)?.unwrap_or_else(|| {
            let mut fields = Fields::new();
            fields.insert("input".into(), text.into());
            fields
        }),
        (None, Some(action)) => action_of(action),
        (None, None) => item.object("arguments").cloned().unwrap_or_default(),
    };
    Ok((name, arguments))
}

/// What a local shell call does; its command is a list of words.
fn action_of(action: &Fields) -> Fields {
    let mut arguments = action.clone();
    let words: Vec<&str> = action
        .list("command")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    match words[..] {
        [] => {}
        [
            "bash" | "/bin/bash" | "sh" | "/bin/sh",
            "-c" | "-lc",
            script,
        ] => {
            arguments.insert("command".into(), script.into());
        }
        _ => {
            arguments.insert("command".into(), words.join(" ").into());
        }
    }
    arguments
}
