//! Claude Code. Measured with 2.1.197, which leaves:
//!
//! - a stream (`-p --output-format stream-json --verbose`): `system` (`init`),
//!   an `assistant` event for each content block, `user` events with results,
//!   and one `result`. The usage of its messages is that of the message's
//!   start: one token of output. That of `result` is the whole;
//! - a session (`~/.claude/projects/*/ID.jsonl`): the same messages with the
//!   prompt, times and final usage, and no result.
//!
//! Blocks of one reply share `message.id`. `subtype` of a result says
//! `success` also where the API refused the key: `is_error` counts.

use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::combine::combine;
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look, content, number_after};
use crate::limits::Bounds;
use crate::lines::first_objects;
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

/// Events of a session that no one says anything with.
const BOOKKEEPING: &[&str] = &[
    "ai-title",
    "attachment",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "progress",
    "queue-operation",
    "summary",
    "stream_event",
];

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (streams, sessions): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| is_stream(file, bounds));
    let all = |files: Vec<&NativeFile>, stream: bool| {
        (!files.is_empty()).then(|| read_all(&files, stream, bounds))
    };
    combine(all(sessions, false), all(streams, true))
}

fn is_stream(file: &NativeFile, bounds: &Bounds) -> bool {
    first_objects(file, bounds)
        .iter()
        .any(|fields| fields.contains_key("session_id") || fields.text("type") == Some("result"))
}

fn read_all(files: &[&NativeFile], stream: bool, bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::ClaudeCode, bounds);
    for file in files {
        let mut result = None;
        let mut init_model = None;
        builder.each_object(file, |builder, fields| match fields.text("type") {
            Some("assistant") => assistant(builder, fields, stream),
            Some("user") => user(builder, fields),
            Some("result") => {
                builder.understood();
                result = Some(fields);
                Ok(())
            }
            Some("system") => {
                init_model = init_model
                    .take()
                    .or(fields.text("model").map(str::to_owned));
                system(builder, fields)
            }
            Some(kind) if BOOKKEEPING.contains(&kind) => {
                about(builder, &fields);
                builder.understood();
                Ok(())
            }
            _ => builder.unknown(fields),
        })?;
        if let (false, Some(model)) = (builder.has_model(), init_model) {
            builder.model(&model);
        }
        match result {
            Some(result) => end(&mut builder, &result),
            None if stream => builder.warn(format!(
                "{}: no result at its end; the replies' output tokens are not final",
                file.shown()
            )),
            None => {}
        }
    }
    builder.finish()
}

/// What every event says of the session.
fn about(builder: &mut Builder<'_>, fields: &Fields) {
    builder.session(fields.text("session_id").or(fields.text("sessionId")));
    builder.version(
        fields
            .text("claude_code_version")
            .or(fields.text("version")),
    );
}

fn system(builder: &mut Builder<'_>, fields: Fields) -> Result<(), ReadError> {
    about(builder, &fields);
    if let Some("compact_boundary" | "api_error") = fields.text("subtype") {
        return builder.note(fields);
    }
    builder.understood();
    Ok(())
}

/// What an event is besides its message: a part of what an agent said that the
/// agent had started.
fn sidechain(fields: &Fields) -> Fields {
    let mut other = Fields::new();
    match fields.text("parent_tool_use_id") {
        Some(call) => {
            other.insert("sidechain".into(), call.into());
        }
        None if fields.flag("isSidechain") => {
            other.insert("sidechain".into(), true.into());
        }
        None => {}
    }
    other
}

fn assistant(builder: &mut Builder<'_>, fields: Fields, stream: bool) -> Result<(), ReadError> {
    about(builder, &fields);
    let Some(message) = fields.object("message") else {
        return builder.unknown(fields);
    };
    let reply = message.text("id").map(str::to_owned);
    let mut parts = Vec::new();
    let mut answers = Vec::new();
    match message.get("content") {
        Some(Value::Array(blocks)) => {
            for block in blocks {
                block_of(builder, block, &mut parts, &mut answers);
            }
        }
        other => parts = content(other),
    }
    ended(builder, &fields, message, &parts);
    builder.reply(Words {
        reply: reply.clone(),
        timestamp: fields.moment("timestamp"),
        model: message
            .text("model")
            .filter(|model| *model != "<synthetic>")
            .map(str::to_owned),
        content: parts,
        other: sidechain(&fields),
        ..Words::default()
    })?;
    if let (Some(reply), Some(counts)) = (reply, message.object("usage")) {
        let usage = usage::anthropic(counts);
        if stream && message.text("stop_reason").is_none() {
            builder.provisional_usage(&reply, usage);
        } else if usage.total() > 0 {
            builder.usage(&reply, usage);
        }
    }
    answers
        .into_iter()
        .try_for_each(|answer| builder.answer(answer))
}

/// A content block of the agent's: a part of its message, or the result of a
/// tool that ran at the provider.
fn block_of(
    builder: &mut Builder<'_>,
    block: &Value,
    parts: &mut Vec<Part>,
    answers: &mut Vec<Answer>,
) {
    let Value::Object(block) = block else {
        return;
    };
    match (block.text("type"), block.text("text"), block.text("name")) {
        (Some("text"), Some(text), _) => parts.push(Part::text(text)),
        (Some("tool_use" | "server_tool_use" | "mcp_tool_use"), _, Some(name)) => {
            let arguments = block.object("input").cloned().unwrap_or_default();
            parts.push(builder.call(block.text("id").unwrap_or_default(), name, arguments));
        }
        (Some("thinking"), ..) => {
            let mut block = block.clone();
            // Kilobytes that only the provider can read.
            block.remove("signature");
            parts.push(Part::Other(block));
        }
        (Some(kind), ..) if kind.ends_with("_tool_result") => {
            if let Some(call) = block.text("tool_use_id") {
                answers.push(Answer {
                    call: call.to_owned(),
                    content: content(block.get("content")),
                    ..Answer::default()
                });
            }
        }
        _ => parts.push(Part::Other(block.clone())),
    }
}

/// A session has no result: its last reply tells how it ended.
fn ended(builder: &mut Builder<'_>, fields: &Fields, message: &Fields, parts: &[Part]) {
    let error = fields.text("error");
    if error.is_some() || fields.flag("isApiErrorMessage") {
        let said = parts.iter().find_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let names = [error.unwrap_or_default()];
        builder.failed(
            fields.count("apiErrorStatus"),
            &names,
            said.unwrap_or_default(),
        );
        return;
    }
    if !sidechain(fields).is_empty() {
        return;
    }
    match message.text("stop_reason") {
        Some("end_turn" | "stop_sequence" | "max_tokens") => {
            builder.end(Some(NativeEnd::Completed));
        }
        Some("refusal") => builder.failed(None, &["refusal"], "the model refused"),
        _ => builder.end(None),
    }
}

fn user(builder: &mut Builder<'_>, fields: Fields) -> Result<(), ReadError> {
    about(builder, &fields);
    let Some(message) = fields.object("message") else {
        return builder.unknown(fields);
    };
    let timestamp = fields.moment("timestamp");
    let other = sidechain(&fields);
    let mut said = Vec::new();
    let mut blocks = message.list("content").iter();
    if let Some(Value::String(text)) = message.get("content") {
        said.push(Part::text(text));
    }
    blocks.try_for_each(|block| match block.as_object() {
        Some(result) if result.text("type") == Some("tool_result") => {
            builder.answer(answer(builder, result, timestamp.clone(), other.clone()))
        }
        _ => {
            said.extend(content(Some(&Value::Array(vec![block.clone()]))));
            Ok(())
        }
    })?;
    if said.is_empty() {
        builder.understood();
        return Ok(());
    }
    builder.say(Role::User, timestamp, said, other)
}

fn answer(
    builder: &Builder<'_>,
    result: &Fields,
    timestamp: Option<String>,
    other: Fields,
) -> Answer {
    let call = result.text("tool_use_id").unwrap_or_default();
    let content = content(result.get("content"));
    let is_error = result.get("is_error").and_then(Value::as_bool);
    let mut details = Details::default();
    // Of commands that failed; of others nothing tells the exit code.
    if is_error == Some(true)
        && builder.tool_of(call) == Some("Bash")
        && let Some(Part::Text { text }) = content.first()
    {
        details.exit_code = number_after(text, "Exit code ");
    }
    Answer {
        call: call.to_owned(),
        timestamp,
        content,
        is_error,
        details,
        other,
        ..Answer::default()
    }
}

fn end(builder: &mut Builder<'_>, result: &Fields) {
    about(builder, result);
    builder.turns(result.count("num_turns"));
    builder.cost(result.amount("total_cost_usd"));
    if let Some(counts) = result.object("usage") {
        let usage = usage::anthropic(counts);
        if usage.total() > 0 {
            builder.reported_usage(usage);
        }
    }
    let said = result.text("result").unwrap_or_default();
    if result.flag("is_error") {
        let errors: Vec<&str> = result
            .list("errors")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let message = if said.is_empty() {
            errors.join("; ")
        } else {
            said.to_owned()
        };
        let names = ["subtype", "terminal_reason"].map(|key| result.text(key).unwrap_or_default());
        builder.failed(result.count("api_error_status"), &names, &message);
        return;
    }
    builder.final_text(Some(said));
    if result.text("stop_reason") == Some("refusal") {
        builder.failed(None, &["refusal"], said);
    } else {
        builder.end(Some(NativeEnd::Completed));
    }
}
