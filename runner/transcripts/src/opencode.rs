//! opencode. Measured with 1.18.33, which leaves a stream (`run --format
//! json`), a document (`export`), and `opencode.db`, whose tables `message` and
//! `part` hold what the document holds.

use std::collections::HashMap;

use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::combine::combine;
use crate::error::{ReadError, sample};
use crate::format::Format;
use crate::json::{Fields, Look, thinking};
use crate::limits::Bounds;
use crate::lines::whole;
use crate::sqlite::{self, Database};
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

/// Tables of `opencode.db` that are read.
const TABLES: [&str; 2] = ["message", "part"];

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (mut documents, mut streams, mut databases) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        if sqlite::is_log(file, files) {
            continue;
        }
        if sqlite::is_database(file) {
            databases.push(file);
            continue;
        }
        match whole(file, bounds)? {
            Some(document) if document.contains_key("messages") => documents.push((file, document)),
            _ => streams.push(file),
        }
    }
    let session = (!documents.is_empty() || !databases.is_empty()).then(|| {
        let mut builder = Builder::new(Format::Opencode, bounds);
        for (file, document) in &documents {
            builder.at(file, None);
            export(&mut builder, document)?;
        }
        // The same session is in both: one of them will do.
        if documents.is_empty() {
            for file in &databases {
                database(&mut builder, file, files)?;
            }
        }
        builder.finish()
    });
    combine(
        session,
        (!streams.is_empty()).then(|| stream(&streams, bounds)),
    )
}

fn stream(files: &[&NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Opencode, bounds);
    for file in files {
        builder.each_object(file, |builder, fields| {
            builder.session(fields.text("sessionID"));
            let timestamp = fields.moment("timestamp");
            match (
                fields.text("type").unwrap_or_default(),
                fields.object("part"),
            ) {
                ("step_start" | "step_finish" | "text" | "reasoning" | "tool_use", Some(part)) => {
                    let reply = part.text("messageID").unwrap_or_default().to_owned();
                    part_of(builder, part, &reply, timestamp.as_deref(), None)
                }
                ("error", _) => {
                    failed(builder, fields.object("error"));
                    builder.note(fields)
                }
                _ => builder.unknown(fields),
            }
        })?;
    }
    builder.finish()
}

fn export(builder: &mut Builder<'_>, document: &Fields) -> Result<(), ReadError> {
    if let Some(info) = document.object("info") {
        builder.session(info.text("id"));
        builder.version(info.text("version"));
        builder.understood();
    }
    for message in document.list("messages") {
        let Some((fields, info)) = message
            .as_object()
            .and_then(|fields| Some((fields, fields.object("info")?)))
        else {
            builder.stray_value(message.clone(), "not a message".to_owned())?;
            continue;
        };
        let parts: Vec<&Fields> = fields
            .list("parts")
            .iter()
            .filter_map(Value::as_object)
            .collect();
        let id = info.text("id").unwrap_or_default();
        message_of(builder, id, info, &parts)?;
    }
    Ok(())
}

/// A message of a session with its parts.
fn message_of(
    builder: &mut Builder<'_>,
    id: &str,
    info: &Fields,
    parts: &[&Fields],
) -> Result<(), ReadError> {
    let timestamp = info.object("time").and_then(|time| time.moment("created"));
    if info.text("role") != Some("assistant") {
        let said: Vec<Part> = parts
            .iter()
            .filter_map(|part| part.text("text").map(Part::text))
            .collect();
        return builder.say(Role::User, timestamp, said, Fields::new());
    }
    let model = info.text("modelID");
    builder.end(None);
    for part in parts {
        part_of(builder, part, id, timestamp.as_deref(), model)?;
    }
    if let Some(tokens) = info.object("tokens") {
        builder.usage(id, usage::opencode(tokens));
    }
    if let Some(error) = info.object("error") {
        failed(builder, Some(error));
    }
    Ok(())
}

/// A part of a reply: the same in the stream and in the session.
fn part_of(
    builder: &mut Builder<'_>,
    part: &Fields,
    reply: &str,
    timestamp: Option<&str>,
    model: Option<&str>,
) -> Result<(), ReadError> {
    let words = |content| Words {
        reply: Some(reply.to_owned()),
        timestamp: timestamp.map(str::to_owned),
        model: model.map(str::to_owned),
        content,
        ..Words::default()
    };
    match part.text("type").unwrap_or_default() {
        "text" => builder.reply(words(vec![Part::text(
            part.text("text").unwrap_or_default(),
        )])),
        "reasoning" => builder.reply(words(vec![thinking(part.text("text").unwrap_or_default())])),
        "tool" => {
            let id = part.text("callID").unwrap_or_default();
            let name = part.text("tool").unwrap_or_default();
            let empty = Fields::new();
            let state = part.object("state").unwrap_or(&empty);
            let arguments = state.object("input").cloned().unwrap_or_default();
            let call = builder.call(id, name, arguments);
            builder.reply(words(vec![call]))?;
            match state.text("status") {
                Some("completed" | "error") => builder.answer(answer(id, state)),
                _ => Ok(()),
            }
        }
        "step-finish" => {
            if let Some(tokens) = part.object("tokens") {
                builder.usage(reply, usage::opencode(tokens));
            }
            builder.cost(part.amount("cost"));
            match part.text("reason") {
                Some("content-filter") => {
                    builder.failed(None, &["content-filter"], "the model refused");
                }
                Some("tool-calls" | "tool_calls") => builder.end(None),
                _ => builder.end(Some(NativeEnd::Completed)),
            }
            builder.understood();
            Ok(())
        }
        "step-start" | "snapshot" | "patch" => {
            builder.understood();
            Ok(())
        }
        "compaction" | "retry" => builder.note(part.clone()),
        _ => builder.unknown(part.clone()),
    }
}

fn answer(call: &str, state: &Fields) -> Answer {
    let empty = Fields::new();
    let metadata = state.object("metadata").unwrap_or(&empty);
    let failed = state.text("status") == Some("error");
    let exit_code = metadata.code("exit");
    let time = state.object("time").unwrap_or(&empty);
    let text = if failed {
        state.text("error")
    } else {
        state.text("output")
    };
    Answer {
        call: call.to_owned(),
        timestamp: time.moment("end"),
        content: text.map(Part::text).into_iter().collect(),
        is_error: Some(failed || exit_code.is_some_and(|code| code != 0)),
        details: Details {
            exit_code,
            duration_ms: time
                .count("end")
                .zip(time.count("start"))
                .and_then(|(end, start)| end.checked_sub(start)),
            ..Details::default()
        },
        ..Answer::default()
    }
}

fn failed(builder: &mut Builder<'_>, error: Option<&Fields>) {
    let empty = Fields::new();
    let error = error.unwrap_or(&empty);
    let data = error.object("data").unwrap_or(&empty);
    let name = error.text("name").unwrap_or_default();
    let message = data
        .text("message")
        .or(error.text("message"))
        .unwrap_or(name);
    builder.failed(data.count("statusCode"), &[name], message);
}

/// Sessions of `opencode.db`, the oldest message first. Agents that the agent
/// started have sessions of their own there.
fn database(
    builder: &mut Builder<'_>,
    file: &NativeFile,
    files: &[NativeFile],
) -> Result<(), ReadError> {
    builder.at(file, None);
    let database = Database::open(file, files, &TABLES, builder.limits())?;
    let mut parts: HashMap<String, Vec<Fields>> = HashMap::new();
    let rows = database.rows(
        "SELECT message_id, data FROM part ORDER BY time_created, id",
        &["message_id", "data"],
    )?;
    for row in rows {
        if let (Some(message), Some(data)) = (row.text(0), row.text(1)) {
            let data = data_of(builder, data)?;
            parts.entry(message.to_owned()).or_default().extend(data);
        }
    }
    let rows = database.rows(
        "SELECT id, session_id, data FROM message ORDER BY time_created, id",
        &["id", "session_id", "data"],
    )?;
    for row in rows {
        let (Some(id), Some(data)) = (row.text(0), row.text(2)) else {
            continue;
        };
        builder.session(row.text(1));
        if let Some(info) = data_of(builder, data)? {
            let parts = parts.remove(id).unwrap_or_default();
            let parts: Vec<&Fields> = parts.iter().collect();
            message_of(builder, id, &info, &parts)?;
        }
    }
    Ok(())
}

/// A row's JSON, or a strange event.
fn data_of(builder: &mut Builder<'_>, data: &str) -> Result<Option<Fields>, ReadError> {
    let fields = builder.embedded(data)?;
    if fields.is_none() {
        let shown = sample(data.as_bytes());
        builder.stray(
            Value::Null,
            "a row that is no JSON object".to_owned(),
            shown,
        )?;
    }
    Ok(fields)
}
