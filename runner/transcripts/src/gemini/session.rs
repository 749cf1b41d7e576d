//! Gemini CLI's session file: a header, messages, and `$set` for fields of the
//! whole. A message is written again when its tool calls have come: the last
//! one of an identifier holds, in the place of the first.

use std::collections::HashMap;

use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look, content, number_after};
use crate::limits::Bounds;
use crate::lines::whole;
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

pub(super) fn read(files: &[&NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Gemini, bounds);
    for file in files {
        let mut records = Records::default();
        match whole(file, bounds)? {
            Some(document) => {
                builder.at(file, None);
                header(&mut builder, &document);
                records.set(&document);
            }
            None => builder.each_object(file, |builder, fields| records.line(builder, fields))?,
        }
        for record in records.order {
            message(&mut builder, record)?;
        }
    }
    builder.finish()
}

/// Messages by identifier, in the order in which these appeared.
#[derive(Default)]
struct Records {
    order: Vec<Fields>,
    places: HashMap<String, usize>,
}

impl Records {
    fn line(&mut self, builder: &mut Builder<'_>, fields: Fields) -> Result<(), ReadError> {
        if let Some(Value::Object(set)) = fields.get("$set") {
            builder.understood();
            self.set(set);
            return Ok(());
        }
        if fields.text("sessionId").is_some() {
            header(builder, &fields);
            self.set(&fields);
            return Ok(());
        }
        if fields.text("type").is_none() {
            return builder.unknown(fields);
        }
        self.put(fields);
        Ok(())
    }

    fn set(&mut self, fields: &Fields) {
        for message in fields.list("messages") {
            if let Value::Object(message) = message {
                self.put(message.clone());
            }
        }
    }

    fn put(&mut self, record: Fields) {
        let place = record
            .text("id")
            .map(|id| *self.places.entry(id.to_owned()).or_insert(self.order.len()));
        match place {
            Some(place) if place < self.order.len() => self.order[place] = record,
            _ => self.order.push(record),
        }
    }
}

fn header(builder: &mut Builder<'_>, fields: &Fields) {
    builder.session(fields.text("sessionId"));
    builder.understood();
}

fn message(builder: &mut Builder<'_>, record: Fields) -> Result<(), ReadError> {
    match record.text("type").unwrap_or_default() {
        "gemini" => agent(builder, &record),
        "user" => user(builder, &record),
        "error" => {
            let said = text_of(&record);
            builder.failed(None, &[], &said);
            builder.note(record)
        }
        "info" | "warning" => builder.note(record),
        _ => builder.unknown(record),
    }
}

fn text_of(record: &Fields) -> String {
    let texts: Vec<String> = content(record.get("content"))
        .into_iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// What the user says. Results come again as the user's; those that the
/// agent's message has already are left out.
fn user(builder: &mut Builder<'_>, record: &Fields) -> Result<(), ReadError> {
    let timestamp = record.moment("timestamp");
    let mut said = Vec::new();
    for part in content(record.get("content")) {
        match part {
            Part::Other(fields) if fields.object("functionResponse").is_some() => {
                let Some(response) = fields.object("functionResponse") else {
                    continue;
                };
                let call = response.text("id").unwrap_or_default();
                if !builder.has_call(call) {
                    let answer = answer(call, response.text("name"), Some(response), "success");
                    builder.answer(answer)?;
                }
            }
            part => said.push(part),
        }
    }
    if said.is_empty() {
        builder.understood();
        return Ok(());
    }
    let own =
        matches!(said.first(), Some(Part::Text { text }) if text.starts_with("<session_context>"));
    let role = if own { Role::System } else { Role::User };
    builder.say(role, timestamp, said, Fields::new())
}

fn agent(builder: &mut Builder<'_>, record: &Fields) -> Result<(), ReadError> {
    let mut parts: Vec<Part> = record
        .list("thoughts")
        .iter()
        .filter_map(Value::as_object)
        .map(|thought| {
            let texts: Vec<&str> = ["subject", "description"]
                .iter()
                .filter_map(|key| thought.text(key))
                .collect();
            crate::json::thinking(&texts.join("\n"))
        })
        .collect();
    parts.extend(
        content(record.get("content"))
            .into_iter()
            .filter(|part| !matches!(part, Part::Text { text } if text.is_empty())),
    );
    let mut answers = Vec::new();
    for call in record.list("toolCalls").iter().filter_map(Value::as_object) {
        let id = call.text("id").unwrap_or_default();
        let name = call.text("name").unwrap_or_default();
        let arguments = call.object("args").cloned().unwrap_or_default();
        parts.push(builder.call(id, name, arguments));
        if let Some(status) = call.text("status") {
            let result = call.list("result").first().and_then(Value::as_object);
            let response = result.and_then(|result| result.object("functionResponse"));
            let mut answer = answer(id, Some(name), response, status);
            answer.timestamp = call.moment("timestamp");
            answers.push(answer);
        }
    }
    // Whoever still calls has not come to an end.
    builder.end(answers.is_empty().then_some(NativeEnd::Completed));
    let reply = record.text("id").unwrap_or_default().to_owned();
    builder.reply(Words {
        reply: Some(reply.clone()),
        timestamp: record.moment("timestamp"),
        model: record.text("model").map(str::to_owned),
        content: parts,
        ..Words::default()
    })?;
    if let Some(tokens) = record.object("tokens") {
        builder.usage(&reply, usage::gemini(tokens));
    }
    answers
        .into_iter()
        .try_for_each(|answer| builder.answer(answer))
}

fn answer(call: &str, tool: Option<&str>, response: Option<&Fields>, status: &str) -> Answer {
    let response = response.and_then(|response| response.object("response"));
    let error = response.and_then(|response| response.text("error"));
    let text = error.or_else(|| response?.text("output"));
    let mut details = Details::default();
    if let (Some("run_shell_command"), Some(text)) = (tool, text) {
        details.exit_code = exit_code_in(text);
    }
    Answer {
        call: call.to_owned(),
        tool: tool.map(str::to_owned),
        content: text.map(Part::text).into_iter().collect(),
        is_error: Some(status != "success" || error.is_some()),
        details,
        ..Answer::default()
    }
}

/// The exit code of a command that failed, in the lines that Gemini CLI puts
/// after the output; of one that did not, there is none.
fn exit_code_in(text: &str) -> Option<i32> {
    text.lines()
        .rev()
        .take(6)
        .find_map(|line| number_after(line, "Exit Code: "))
}
