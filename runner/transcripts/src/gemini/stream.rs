//! What `gemini -o stream-json` prints: `init`, `message` (of the agent in
//! deltas), `tool_use`, `tool_result`, `error`, `result`.

use proctor_types::transcript::{Part, Role};

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look, content};
use crate::limits::Bounds;
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

pub(super) fn read(files: &[&NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Gemini, bounds);
    let mut stream = Stream::default();
    for file in files {
        builder.each_object(file, |builder, fields| stream.event(builder, fields))?;
    }
    builder.finish()
}

#[derive(Default)]
struct Stream {
    reply: u64,
    model: Option<String>,
}

impl Stream {
    fn event(&mut self, builder: &mut Builder<'_>, fields: Fields) -> Result<(), ReadError> {
        match fields.text("type").unwrap_or_default() {
            "init" => {
                builder.session(fields.text("session_id"));
                self.model = fields.text("model").map(str::to_owned);
                builder.understood();
                Ok(())
            }
            "message" => self.message(builder, fields),
            "tool_use" => {
                let name = fields.text("tool_name").unwrap_or_default();
                let arguments = fields.object("parameters").cloned().unwrap_or_default();
                let call =
                    builder.call(fields.text("tool_id").unwrap_or_default(), name, arguments);
                self.words(builder, &fields, vec![call])
            }
            "tool_result" => {
                self.reply += 1;
                builder.answer(answer(&fields))
            }
            "error" => {
                let message = fields.text("message").unwrap_or_default().to_owned();
                if fields.text("severity") != Some("warning") {
                    builder.failed(None, &[], &message);
                }
                builder.note(fields)
            }
            "result" => {
                result(builder, &fields);
                builder.understood();
                Ok(())
            }
            _ => builder.unknown(fields),
        }
    }

    fn message(&mut self, builder: &mut Builder<'_>, fields: Fields) -> Result<(), ReadError> {
        let Some(text) = fields.text("content") else {
            return builder.unknown(fields);
        };
        match fields.text("role") {
            Some("assistant") => {
                if fields.flag("delta") && builder.extend(&self.reply.to_string(), text) {
                    return Ok(());
                }
                if !fields.flag("delta") {
                    self.reply += 1;
                }
                let said = vec![Part::text(text)];
                self.words(builder, &fields, said)
            }
            Some("user") => {
                self.reply += 1;
                let said = vec![Part::text(text)];
                builder.say(Role::User, fields.moment("timestamp"), said, Fields::new())
            }
            _ => builder.unknown(fields),
        }
    }

    fn words(
        &self,
        builder: &mut Builder<'_>,
        fields: &Fields,
        content: Vec<Part>,
    ) -> Result<(), ReadError> {
        builder.reply(Words {
            reply: Some(self.reply.to_string()),
            timestamp: fields.moment("timestamp"),
            model: self.model.clone(),
            content,
            ..Words::default()
        })
    }
}

fn answer(fields: &Fields) -> Answer {
    let error = fields
        .object("error")
        .and_then(|error| error.text("message"));
    let mut said = content(fields.get("output"));
    if let (true, Some(message)) = (said.is_empty(), error) {
        said.push(Part::text(message));
    }
    Answer {
        call: fields.text("tool_id").unwrap_or_default().to_owned(),
        timestamp: fields.moment("timestamp"),
        content: said,
        is_error: fields.text("status").map(|status| status != "success"),
        ..Answer::default()
    }
}

fn result(builder: &mut Builder<'_>, fields: &Fields) {
    if let Some(stats) = fields.object("stats") {
        builder.reported_usage(usage::gemini_stats(stats));
    }
    if fields.text("status") == Some("success") {
        builder.end(Some(NativeEnd::Completed));
        return;
    }
    let error = fields.object("error");
    let word = |key| error.and_then(|error| error.text(key)).unwrap_or_default();
    builder.failed(None, &[word("type")], word("message"));
}
