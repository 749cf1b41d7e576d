//! Building a transcript event by event.

use std::collections::HashMap;

use proctor_types::Usage;
use proctor_types::transcript::{Details, Event, Message, Part, Role, ToolCall};
use serde_json::Value;

use crate::calls::Calls;
use crate::cut::{cut, cut_part, cut_text};
use crate::error::{ReadError, sample};
use crate::failure;
use crate::format::Format;
use crate::json::{Fields, Look, embedded};
use crate::limits::{Bounds, ReadLimits, Spent};
use crate::lines::{Content, Lines};
use crate::transcript::{NativeEnd, NativeFile, Transcript};

/// Warnings, models and samples that are kept.
const FEW: usize = 20;
/// Bytes of a name: of a model, a session, a tool, an identifier.
const NAME_BYTES: usize = 512;

/// A transcript in the making.
pub(crate) struct Builder<'a> {
    format: Format,
    bounds: &'a Bounds,
    limits: &'a ReadLimits,
    file: String,
    line: Option<u64>,
    understood: u64,
    strange: Option<ReadError>,
    calls: Calls,
    /// The reply that the agent's last words belong to, and its event.
    reply: Option<(String, usize)>,
    /// Usage by reply; the event that carries it where there is one.
    replies: HashMap<String, Reply>,
    reported: Option<Usage>,
    cut: u64,
    out: Transcript,
}

#[derive(Default)]
struct Reply {
    event: Option<usize>,
    usage: Option<Usage>,
}

/// Something that the agent says or calls.
#[derive(Default)]
pub(crate) struct Words {
    /// The reply of the model that it is a part of, as the agent calls it.
    /// Parts of one reply become one message, as long as nobody else speaks
    /// in between.
    pub(crate) reply: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) content: Vec<Part>,
    /// Why the model stopped, and what it failed with, where the agent says so
    /// in `OpenClaw`'s words.
    pub(crate) stop_reason: Option<String>,
    pub(crate) error_message: Option<String>,
    pub(crate) other: Fields,
}

/// The result of a call.
#[derive(Default)]
pub(crate) struct Answer {
    /// The call, as the agent calls it.
    pub(crate) call: String,
    /// The tool, where the result says so itself.
    pub(crate) tool: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) content: Vec<Part>,
    pub(crate) is_error: Option<bool>,
    pub(crate) details: Details,
    pub(crate) other: Fields,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(format: Format, bounds: &'a Bounds) -> Self {
        Self {
            format,
            bounds,
            limits: &bounds.limits,
            file: String::new(),
            line: None,
            understood: 0,
            strange: None,
            calls: Calls::default(),
            reply: None,
            replies: HashMap::new(),
            reported: None,
            cut: 0,
            out: Transcript::default(),
        }
    }

    pub(crate) fn limits(&self) -> &'a ReadLimits {
        self.limits
    }

    /// The object that `text` is, where it is one: JSON inside of a string, or in
    /// a row of a database.
    ///
    /// # Errors
    /// When the reading's values do not suffice for it.
    pub(crate) fn embedded(&self, text: &str) -> Result<Option<Fields>, ReadError> {
        embedded(text, self.bounds).map_err(|Spent| self.bounds.spent(self.file.clone(), self.line))
    }

    /// What follows is from `file`, and from `line` of it.
    pub(crate) fn at(&mut self, file: &NativeFile, line: Option<u64>) {
        self.file = file.shown();
        self.line = line;
    }

    /// Hands each object of a file of lines to `take`; what is no object is
    /// kept as a strange event.
    pub(crate) fn each_object(
        &mut self,
        file: &NativeFile,
        mut take: impl FnMut(&mut Self, Fields) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.at(file, None);
        for line in Lines::new(file, self.bounds) {
            let line = line?;
            self.line = Some(line.number);
            match line.content {
                Content::Object(fields) => take(self, fields)?,
                Content::Stray {
                    text,
                    problem,
                    sample,
                } => self.stray(Value::String(text), problem, sample)?,
                Content::Torn => {
                    let (file, line) = (self.file.clone(), line.number);
                    self.warn(format!(
                        "{file}:{line}: the last line is torn: whoever wrote it was stopped"
                    ));
                }
            }
        }
        Ok(())
    }

    /// An event was understood, whether it leaves a trace or not.
    pub(crate) fn understood(&mut self) {
        self.understood += 1;
    }

    /// An event that this version does not know.
    pub(crate) fn unknown(&mut self, fields: Fields) -> Result<(), ReadError> {
        self.stray_value(Value::Object(fields), "an unknown event".to_owned())
    }

    /// A strange value, with its own beginning as the sample.
    pub(crate) fn stray_value(&mut self, value: Value, problem: String) -> Result<(), ReadError> {
        let shown = sample(value.to_string().as_bytes());
        self.stray(value, problem, shown)
    }

    /// Something strange: kept, counted, and shown if all is strange.
    pub(crate) fn stray(
        &mut self,
        value: Value,
        problem: String,
        sample: String,
    ) -> Result<(), ReadError> {
        self.out.unknown.count += 1;
        if self.out.unknown.samples.len() < FEW {
            let place = match self.line {
                Some(line) => format!("{}:{line}", self.file),
                None => self.file.clone(),
            };
            let shown = format!("{place}: {problem}: {sample}");
            self.out.unknown.samples.push(shown);
        }
        self.strange.get_or_insert(ReadError::NotUnderstood {
            format: self.format,
            file: self.file.clone(),
            line: self.line,
            problem,
            sample,
        });
        self.raw(value)
    }

    /// Keeps an event as it is, without counting it: it is known, but nobody
    /// says anything with it.
    pub(crate) fn note(&mut self, fields: Fields) -> Result<(), ReadError> {
        self.understood();
        self.raw(Value::Object(fields))
    }

    /// Keeps one of Proctor's own events as it is.
    pub(crate) fn keep(&mut self, mut fields: Fields) -> Result<(), ReadError> {
        self.understood();
        let timestamp = fields.moment("timestamp");
        let kind = fields.text("type").unwrap_or_default().to_owned();
        for key in ["type", "timestamp", "message"] {
            fields.shift_remove(key);
        }
        let mut other = Value::Object(fields);
        self.cut += cut(&mut other, self.limits.text_bytes);
        let Value::Object(other) = other else {
            return Ok(());
        };
        self.push(Event {
            kind: name(kind),
            timestamp,
            message: None,
            other,
        })?;
        Ok(())
    }

    fn raw(&mut self, mut value: Value) -> Result<(), ReadError> {
        self.cut += cut(&mut value, self.limits.text_bytes);
        let mut other = Fields::new();
        other.insert("agent".into(), self.format.name().into());
        other.insert("event".into(), value);
        self.push(Event {
            kind: "raw".to_owned(),
            timestamp: None,
            message: None,
            other,
        })?;
        Ok(())
    }

    pub(crate) fn warn(&mut self, warning: String) {
        if self.out.warnings.len() < FEW && !self.out.warnings.contains(&warning) {
            self.out.warnings.push(warning);
        }
    }

    /// The operator or the user says something.
    pub(crate) fn say(
        &mut self,
        role: Role,
        timestamp: Option<String>,
        content: Vec<Part>,
        other: Fields,
    ) -> Result<(), ReadError> {
        self.understood();
        self.reply = None;
        let mut event = Event::message(timestamp, Message::new(role, content));
        event.other = other;
        self.push(event)?;
        Ok(())
    }

    /// The agent says something.
    pub(crate) fn reply(&mut self, words: Words) -> Result<(), ReadError> {
        self.understood();
        let model = words.model.map(name);
        if let Some(model) = &model {
            self.model(model);
        }
        if words.content.is_empty() && words.other.is_empty() && words.stop_reason.is_none() {
            return Ok(());
        }
        if let (Some(key), Some((last, index))) = (&words.reply, &self.reply)
            && key == last
            && let Some(message) = &mut self.out.events[*index].message
        {
            let mut content = words.content;
            for part in &mut content {
                self.cut += cut_part(part, self.limits.text_bytes);
            }
            message.content.extend(content);
            message.model = message.model.take().or(model);
            message.stop_reason = words.stop_reason.or(message.stop_reason.take());
            message.error_message = words.error_message.or(message.error_message.take());
            return Ok(());
        }
        let mut message = Message::new(Role::Assistant, words.content);
        message.model = model;
        message.stop_reason = words.stop_reason.map(name);
        message.error_message = words.error_message;
        let mut event = Event::message(words.timestamp, message);
        event.other = words.other;
        let index = self.push(event)?;
        self.reply = words.reply.map(|key| (key, index));
        if let Some((key, index)) = &self.reply {
            let reply = self.replies.entry(key.clone()).or_default();
            reply.event.get_or_insert(*index);
        }
        Ok(())
    }

    /// Adds `text` to the last text of the reply `key`, where the agent's last
    /// part is a text; says whether it did.
    pub(crate) fn extend(&mut self, key: &str, text: &str) -> bool {
        let Some((last, index)) = &self.reply else {
            return false;
        };
        let message = self.out.events[*index].message.as_mut();
        match message.and_then(|message| message.content.last_mut()) {
            Some(Part::Text { text: said }) if key == last => {
                said.push_str(text);
                self.cut += cut_text(said, self.limits.text_bytes);
                self.understood += 1;
                true
            }
            _ => false,
        }
    }

    /// A part that calls `tool`; it has to be handed to [`Builder::reply`].
    pub(crate) fn call(&mut self, native: &str, tool: &str, arguments: Fields) -> Part {
        let tool = name(tool.to_owned());
        let id = self.calls.add(&name(native.to_owned()), &tool);
        Part::ToolCall(ToolCall {
            id,
            name: tool,
            arguments,
        })
    }

    /// Whether the agent has made a call of this identifier.
    pub(crate) fn has_call(&self, native: &str) -> bool {
        self.calls.has(&name(native.to_owned()))
    }

    /// The tool of the call that the next result for `native` answers.
    pub(crate) fn tool_of(&self, native: &str) -> Option<&str> {
        self.calls.tool(&name(native.to_owned()))
    }

    /// A tool answers.
    pub(crate) fn answer(&mut self, answer: Answer) -> Result<(), ReadError> {
        self.understood();
        let native = name(answer.call);
        let call = self.calls.answer(&native);
        match &call {
            None => self.warn(format!(
                "a result without a call: {}",
                sample(native.as_bytes())
            )),
            Some(call) if call.again => self.warn(format!(
                "a call with more than one result: {}",
                sample(native.as_bytes())
            )),
            Some(_) => {}
        }
        let (id, tool) = call.map_or((native, None), |call| (call.id, Some(call.tool)));
        let mut message = Message::new(Role::ToolResult, answer.content);
        let mut details = answer.details;
        let cut: u64 = message
            .content
            .iter_mut()
            .map(|part| cut_part(part, self.limits.text_bytes))
            .sum();
        self.cut += cut;
        if cut > 0 {
            details.truncated_bytes = Some(details.truncated_bytes.unwrap_or_default() + cut);
        }
        message.tool_call_id = Some(id);
        message.tool_name = tool.or(answer.tool.map(name));
        message.is_error = answer.is_error;
        message.details = (details != Details::default()).then_some(details);
        let mut event = Event::message(answer.timestamp, message);
        event.other = answer.other;
        self.push(event)?;
        Ok(())
    }

    /// What a reply took. Told again for the same reply, the last count holds.
    pub(crate) fn usage(&mut self, reply: &str, usage: Usage) {
        let reply = self.replies.entry(reply.to_owned()).or_default();
        reply.usage = Some(usage);
        if let Some(index) = reply.event
            && let Some(message) = &mut self.out.events[index].message
        {
            message.usage = Some(usage);
        }
    }

    /// What a reply took so far; its message does not carry it.
    pub(crate) fn provisional_usage(&mut self, reply: &str, usage: Usage) {
        self.replies.entry(reply.to_owned()).or_default().usage = Some(usage);
    }

    /// What the agent itself adds up a file's replies to: it holds, instead of
    /// the sum.
    pub(crate) fn reported_usage(&mut self, usage: Usage) {
        *self.reported.get_or_insert_default() += usage;
    }

    pub(crate) fn model(&mut self, model: &str) {
        let model = name(model.to_owned());
        if !model.is_empty() && self.out.models.len() < FEW && !self.out.models.contains(&model) {
            self.out.models.push(model);
        }
    }

    pub(crate) fn has_model(&self) -> bool {
        !self.out.models.is_empty()
    }

    pub(crate) fn session(&mut self, id: Option<&str>) {
        if let (None, Some(id)) = (&self.out.session_id, id) {
            self.out.session_id = Some(name(id.to_owned()));
        }
    }

    pub(crate) fn version(&mut self, version: Option<&str>) {
        if let (None, Some(version)) = (&self.out.version, version) {
            self.out.version = Some(name(version.to_owned()));
        }
    }

    pub(crate) fn end(&mut self, end: Option<NativeEnd>) {
        self.out.end = end;
    }

    /// The agent reports an error.
    pub(crate) fn failed(&mut self, status: Option<u64>, names: &[&str], message: &str) {
        self.out.end = Some(NativeEnd::Failed {
            failure: failure::kind(status, names, message),
            reason: failure::reason(message),
        });
    }

    pub(crate) fn final_text(&mut self, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            let mut text = text.to_owned();
            cut_text(&mut text, self.limits.text_bytes);
            self.out.final_text = Some(text);
        }
    }

    pub(crate) fn turns(&mut self, turns: Option<u64>) {
        self.out.turns = turns.or(self.out.turns);
    }

    /// Adds to what the agent believes the run cost.
    pub(crate) fn cost(&mut self, usd: Option<f64>) {
        if let Some(usd) = usd {
            *self.out.cost_usd.get_or_insert_default() += usd;
        }
    }

    fn push(&mut self, mut event: Event) -> Result<usize, ReadError> {
        if self.out.events.len() >= self.limits.events {
            return Err(ReadError::TooLarge {
                file: self.file.clone(),
                line: self.line,
                what: "events",
                limit: self.limits.events as u64,
            });
        }
        if let Some(message) = &mut event.message {
            for part in &mut message.content {
                self.cut += cut_part(part, self.limits.text_bytes);
            }
        }
        self.out.events.push(event);
        Ok(self.out.events.len() - 1)
    }

    /// The transcript, unless nothing was understood or nobody said anything.
    pub(crate) fn finish(mut self) -> Result<Transcript, ReadError> {
        let failed = matches!(self.out.end, Some(NativeEnd::Failed { .. }));
        if !self.out.has_messages() && !failed {
            return Err(match self.strange {
                Some(strange) if self.understood == 0 => strange,
                _ => ReadError::NoMessages {
                    format: self.format,
                    file: self.file,
                    events: self.understood,
                },
            });
        }
        let counts = self.replies.values().filter_map(|reply| reply.usage);
        let sum = counts.reduce(|mut sum, usage| {
            sum += usage;
            sum
        });
        self.out.usage = self.reported.or(sum);
        for event in &mut self.out.events {
            event.message = event.message.take().map(Message::ended);
        }
        if self.cut > 0 {
            let cut = self.cut;
            self.warn(format!("texts were cut by {cut} bytes in all"));
        }
        if self.out.final_text.is_none() {
            self.out.final_text = last_words(&self.out.events);
        }
        Ok(self.out)
    }
}

/// What the agent said last; not what an agent that it had started said.
fn last_words(events: &[Event]) -> Option<String> {
    let mut messages = events
        .iter()
        .filter(|event| !event.other.contains_key("sidechain"))
        .filter_map(|event| event.message.as_ref())
        .filter(|message| message.role == Role::Assistant)
        .map(Message::text);
    messages.rfind(|text| !text.trim().is_empty())
}

fn name(mut name: String) -> String {
    cut_text(&mut name, NAME_BYTES);
    name
}
