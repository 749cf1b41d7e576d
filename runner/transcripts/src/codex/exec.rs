//! What `codex exec --json` prints: `thread.started`, `turn.started`,
//! `item.started`, `item.updated` and `item.completed`, and `turn.completed` or
//! `turn.failed`. It has no times, no prompt, and no borders of replies: what
//! is called before a result came belongs to what was said before.

use proctor_types::transcript::{Details, Part};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::ReadError;
use crate::format::Format;
use crate::json::{Fields, Look, content, thinking};
use crate::limits::Bounds;
use crate::transcript::{NativeEnd, NativeFile, Transcript};
use crate::usage;

pub(super) fn read(files: &[&NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Codex, bounds);
    let mut stream = Stream::default();
    for file in files {
        builder.each_object(file, |builder, fields| stream.event(builder, fields))?;
        // The count is of the whole thread, told after each turn.
        if let Some(usage) = stream.usage.take() {
            builder.reported_usage(usage);
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Stream {
    reply: u64,
    /// Whether the reply already has a text: the next one is another reply.
    said: bool,
    usage: Option<proctor_types::Usage>,
}

impl Stream {
    fn event(&mut self, builder: &mut Builder<'_>, mut fields: Fields) -> Result<(), ReadError> {
        match fields.text("type").unwrap_or_default() {
            "thread.started" => {
                builder.session(fields.text("thread_id"));
                builder.understood();
                Ok(())
            }
            "turn.started" => {
                builder.understood();
                Ok(())
            }
            "turn.completed" => {
                self.usage = fields.object("usage").map(usage::codex).or(self.usage);
                builder.end(Some(NativeEnd::Completed));
                builder.understood();
                Ok(())
            }
            "turn.failed" => {
                let error = fields.object("error");
                let message = error.and_then(|error| error.text("message"));
                builder.failed(None, &[], message.unwrap_or_default());
                builder.note(fields)
            }
            // Also of attempts that were repeated; a turn that completes after
            // all takes it back.
            "error" => {
                builder.failed(None, &[], fields.text("message").unwrap_or_default());
                builder.note(fields)
            }
            kind @ ("item.started" | "item.updated" | "item.completed") => {
                let completed = kind == "item.completed";
                match fields.remove("item") {
                    Some(Value::Object(item)) => self.item(builder, item, completed),
                    _ => builder.unknown(fields),
                }
            }
            _ => builder.unknown(fields),
        }
    }

    fn item(
        &mut self,
        builder: &mut Builder<'_>,
        item: Fields,
        completed: bool,
    ) -> Result<(), ReadError> {
        match item.text("type").unwrap_or_default() {
            "command_execution" | "mcp_tool_call" | "file_change" | "web_search"
            | "collab_tool_call" => self.tool(builder, &item, completed),
            _ if !completed => {
                builder.understood();
                Ok(())
            }
            "agent_message" => {
                self.next_if(self.said);
                self.said = true;
                let text = item.text("text").unwrap_or_default();
                self.words(builder, vec![Part::text(text)])
            }
            "reasoning" => {
                self.next_if(self.said);
                self.words(
                    builder,
                    vec![thinking(item.text("text").unwrap_or_default())],
                )
            }
            // Often a mere warning: the turn's end tells.
            "error" => {
                builder.warn(format!(
                    "codex: {}",
                    crate::error::sample(item.text("message").unwrap_or_default().as_bytes())
                ));
                builder.note(item)
            }
            "todo_list" => builder.note(item),
            _ => builder.unknown(item),
        }
    }

    fn next_if(&mut self, next: bool) {
        if next {
            self.reply += 1;
            self.said = false;
        }
    }

    fn words(&mut self, builder: &mut Builder<'_>, content: Vec<Part>) -> Result<(), ReadError> {
        builder.reply(Words {
            reply: Some(self.reply.to_string()),
            content,
            ..Words::default()
        })
    }

    /// A tool's item is told when it starts, and again when it has ended.
    fn tool(
        &mut self,
        builder: &mut Builder<'_>,
        item: &Fields,
        completed: bool,
    ) -> Result<(), ReadError> {
        let id = item.text("id").unwrap_or_default();
        if !builder.has_call(id) {
            let (name, arguments) = call_of(item);
            let call = builder.call(id, &name, arguments);
            self.words(builder, vec![call])?;
        }
        if !completed {
            builder.understood();
            return Ok(());
        }
        self.next_if(true);
        let exit_code = item.code("exit_code");
        let failed = matches!(item.text("status"), Some("failed" | "declined"));
        builder.answer(Answer {
            call: id.to_owned(),
            content: result_of(item),
            is_error: Some(failed || exit_code.is_some_and(|code| code != 0)),
            details: Details {
                exit_code,
                ..Details::default()
            },
            ..Answer::default()
        })
    }
}

/// The tool and its arguments. Codex names the kinds of its items, but no tool
/// of its own.
fn call_of(item: &Fields) -> (String, Fields) {
    let kind = item.text("type").unwrap_or_default();
    if kind == "mcp_tool_call" {
        let server = item.text("server").unwrap_or_default();
        let tool = item.text("tool").unwrap_or_default();
        let arguments = item.object("arguments").cloned().unwrap_or_default();
        return (format!("mcp__{server}__{tool}"), arguments);
    }
    let mut arguments = item.clone();
    for key in ["id", "type", "status", "aggregated_output", "exit_code"] {
        arguments.shift_remove(key);
    }
    (kind.to_owned(), arguments)
}

fn result_of(item: &Fields) -> Vec<Part> {
    if let Some(output) = item.text("aggregated_output") {
        return vec![Part::text(output)];
    }
    let error = item.object("error").and_then(|error| error.text("message"));
    if let Some(message) = error {
        return vec![Part::text(message)];
    }
    match item.object("result") {
        Some(result) => content(result.get("content")),
        None => vec![Part::text(item.text("status").unwrap_or_default())],
    }
}
