//! Transcripts as trajectories.

use std::collections::HashMap;

use jiff::Timestamp;
use proctor_types::Usage;
use proctor_types::transcript::{Event, Message, Part, Role};
use serde_json::{Map, Value, json};

use crate::transcript::Transcript;

/// Who the trajectory is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtifAgent {
    /// The agent's name: `claude-code`.
    pub name: String,
    /// Its version; `unknown` where nobody knows, since ATIF wants one.
    pub version: String,
    /// The model that it was run with.
    pub model: Option<String>,
}

/// `transcript` as an ATIF 1.7 trajectory; nothing where nobody says anything,
/// since ATIF has no trajectory without a step.
///
/// Each message is a step, but for results: they are observations of the step
/// that called, and of a system's step of their own where none did. What ATIF
/// has no field for goes into the `extra` of its place: exit codes and
/// durations, tokens written to the cache, that a result is an error. Raw
/// events and parts that are neither text nor thinking are left out, and
/// counted in the trajectory's `extra`.
pub fn to_atif(transcript: &Transcript, agent: &AtifAgent) -> Option<Value> {
    let mut writer = Writer::default();
    for event in &transcript.events {
        match &event.message {
            Some(message) => writer.message(event, message),
            None => writer.events_left_out += 1,
        }
    }
    if writer.steps.is_empty() {
        return None;
    }
    let steps: Vec<Value> = writer
        .steps
        .into_iter()
        .enumerate()
        .map(|(index, step)| step.finish(index + 1))
        .collect();
    let mut trajectory = Map::new();
    trajectory.insert("schema_version".into(), super::WRITTEN.into());
    put(
        &mut trajectory,
        "session_id",
        transcript.session_id.as_deref(),
    );
    let model = agent
        .model
        .as_deref()
        .or(transcript.models.first().map(String::as_str));
    let mut who = Map::new();
    who.insert("name".into(), agent.name.as_str().into());
    who.insert("version".into(), agent.version.as_str().into());
    put(&mut who, "model_name", model);
    trajectory.insert("agent".into(), who.into());
    let total = steps.len();
    trajectory.insert("steps".into(), steps.into());
    let final_metrics = final_metrics(transcript, total);
    trajectory.insert("final_metrics".into(), final_metrics.into());
    let mut left_out = Map::new();
    for (key, count) in [
        ("events_left_out", writer.events_left_out),
        ("parts_left_out", writer.parts_left_out),
    ] {
        if count > 0 {
            left_out.insert(key.into(), count.into());
        }
    }
    if !left_out.is_empty() {
        trajectory.insert("extra".into(), left_out.into());
    }
    Some(trajectory.into())
}

fn put(map: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        map.insert(key.into(), text.into());
    }
}

fn final_metrics(transcript: &Transcript, steps: usize) -> Map<String, Value> {
    let mut metrics = Map::new();
    if let Some(usage) = &transcript.usage {
        metrics.insert("total_prompt_tokens".into(), prompt(usage).into());
        metrics.insert("total_completion_tokens".into(), usage.output.into());
        metrics.insert("total_cached_tokens".into(), usage.cache_read.into());
    }
    if let Some(cost) = transcript.cost_usd {
        metrics.insert("total_cost_usd".into(), cost.into());
    }
    metrics.insert("total_steps".into(), steps.into());
    if let Some(usage) = &transcript.usage {
        let extra = beyond(usage);
        if !extra.is_empty() {
            metrics.insert("extra".into(), extra.into());
        }
    }
    metrics
}

/// All tokens of the prompt, however the cache had them.
fn prompt(usage: &Usage) -> u64 {
    usage
        .input
        .saturating_add(usage.cache_read)
        .saturating_add(usage.cache_write)
}

/// Counts that ATIF has no field for.
fn beyond(usage: &Usage) -> Map<String, Value> {
    let counts = [
        ("cache_write_tokens", usage.cache_write),
        ("reasoning_tokens", usage.reasoning),
    ];
    counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(key, count)| (key.to_owned(), count.into()))
        .collect()
}

#[derive(Default)]
struct Writer {
    steps: Vec<Step>,
    /// The step of each call.
    calls: HashMap<String, usize>,
    events_left_out: u64,
    parts_left_out: u64,
}

#[derive(Default)]
struct Step {
    fields: Map<String, Value>,
    calls: Vec<Value>,
    results: Vec<Value>,
}

impl Step {
    fn finish(self, number: usize) -> Value {
        let mut step = Map::new();
        step.insert("step_id".into(), number.into());
        step.extend(self.fields);
        if !self.calls.is_empty() {
            step.insert("tool_calls".into(), self.calls.into());
        }
        if !self.results.is_empty() {
            step.insert("observation".into(), json!({"results": self.results}));
        }
        step.into()
    }
}

impl Writer {
    fn message(&mut self, event: &Event, message: &Message) {
        if message.role == Role::ToolResult {
            self.result(event, message);
            return;
        }
        let index = self.steps.len();
        let mut step = Step::default();
        let source = match message.role {
            Role::System | Role::ToolResult => "system",
            Role::User => "user",
            Role::Assistant => "agent",
        };
        if let Some(time) = time_of(event) {
            step.fields.insert("timestamp".into(), time.into());
        }
        step.fields.insert("source".into(), source.into());
        if message.role == Role::Assistant {
            put(&mut step.fields, "model_name", message.model.as_deref());
        }
        step.fields.insert("message".into(), message.text().into());
        let mut thoughts = Vec::new();
        for part in &message.content {
            match part {
                Part::Text { .. } => {}
                Part::ToolCall(call) if message.role == Role::Assistant => {
                    self.calls.insert(call.id.clone(), index);
                    step.calls.push(json!({
                        "tool_call_id": call.id,
                        "function_name": call.name,
                        "arguments": call.arguments,
                    }));
                }
                part => match thought(part) {
                    Some(text) if message.role == Role::Assistant => thoughts.push(text),
                    _ => self.parts_left_out += 1,
                },
            }
        }
        if !thoughts.is_empty() {
            let text = thoughts.join("\n");
            step.fields.insert("reasoning_content".into(), text.into());
        }
        if let (Role::Assistant, Some(usage)) = (message.role, &message.usage) {
            let mut metrics = Map::new();
            metrics.insert("prompt_tokens".into(), prompt(usage).into());
            metrics.insert("completion_tokens".into(), usage.output.into());
            metrics.insert("cached_tokens".into(), usage.cache_read.into());
            let extra = beyond(usage);
            if !extra.is_empty() {
                metrics.insert("extra".into(), extra.into());
            }
            step.fields.insert("metrics".into(), metrics.into());
            step.fields.insert("llm_call_count".into(), 1.into());
        }
        self.steps.push(step);
    }

    fn result(&mut self, event: &Event, message: &Message) {
        let others = message
            .content
            .iter()
            .filter(|part| !matches!(part, Part::Text { .. }));
        self.parts_left_out += others.count() as u64;
        let mut result = Map::new();
        let mut extra = Map::new();
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let step = self.calls.get(id).copied();
        if step.is_some() {
            put(&mut result, "source_call_id", Some(id));
        } else {
            put(&mut extra, "call_id", Some(id));
            put(&mut extra, "tool_name", message.tool_name.as_deref());
        }
        result.insert("content".into(), message.text().into());
        if let Some(is_error) = message.is_error {
            extra.insert("is_error".into(), is_error.into());
        }
        if let Some(details) = &message.details {
            let numbers = [
                ("exit_code", details.exit_code.map(Value::from)),
                ("duration_ms", details.duration_ms.map(Value::from)),
                ("timed_out", details.timed_out.then_some(Value::Bool(true))),
                ("truncated_bytes", details.truncated_bytes.map(Value::from)),
            ];
            extra.extend(
                numbers
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.to_owned(), value?))),
            );
        }
        put(&mut extra, "timestamp", time_of(event).as_deref());
        if !extra.is_empty() {
            result.insert("extra".into(), extra.into());
        }
        if let Some(index) = step {
            self.steps[index].results.push(result.into());
            return;
        }
        let mut step = Step::default();
        step.fields.insert("source".into(), "system".into());
        step.fields.insert("message".into(), "".into());
        step.results.push(result.into());
        self.steps.push(step);
    }
}

fn thought(part: &Part) -> Option<&str> {
    match part {
        Part::Other(fields) if fields.get("type")? == "thinking" => {
            fields.get("thinking").and_then(Value::as_str)
        }
        _ => None,
    }
}

/// The event's time, where it is one: ATIF refuses others.
fn time_of(event: &Event) -> Option<String> {
    let moment: Timestamp = event.timestamp.as_deref()?.parse().ok()?;
    Some(format!("{moment:.3}"))
}
