//! Trajectories as transcripts.

use proctor_types::Usage;
use proctor_types::transcript::{Details, Part, Role};
use serde_json::Value;

use crate::builder::{Answer, Builder, Words};
use crate::error::{ReadError, sample};
use crate::format::Format;
use crate::json::{Fields, Look, content, thinking};
use crate::limits::Bounds;
use crate::lines::whole;
use crate::transcript::{NativeFile, Transcript};

/// Reads trajectories, one a file. Trajectories of agents that the agent
/// started are kept raw.
pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Atif, bounds);
    for file in files {
        builder.at(file, None);
        let refused = |problem: String| ReadError::NotUnderstood {
            format: Format::Atif,
            file: file.shown(),
            line: None,
            problem,
            sample: sample(file.bytes.trim_ascii_start()),
        };
        let Some(trajectory) = whole(file, bounds)? else {
            let deepest = bounds.limits.depth;
            return Err(refused(format!(
                "not one JSON object, at most {deepest} deep"
            )));
        };
        known_version(&trajectory).map_err(refused)?;
        self::trajectory(&mut builder, &trajectory)?;
    }
    builder.finish()
}

fn known_version(trajectory: &Fields) -> Result<(), String> {
    let version = trajectory.text("schema_version").unwrap_or_default();
    let minor = version.strip_prefix(super::VERSION);
    match minor.and_then(|minor| minor.parse::<u32>().ok()) {
        Some(minor) if minor <= super::NEWEST => Ok(()),
        _ => Err(format!(
            "schema_version is \"{}\", and {}0 to {}{} are read",
            sample(version.as_bytes()),
            super::VERSION,
            super::VERSION,
            super::NEWEST,
        )),
    }
}

fn trajectory(builder: &mut Builder<'_>, trajectory: &Fields) -> Result<(), ReadError> {
    builder.session(trajectory.text("session_id"));
    let empty = Fields::new();
    let agent = trajectory.object("agent").unwrap_or(&empty);
    builder.version(agent.text("version"));
    if let Some(model) = agent.text("model_name") {
        builder.model(model);
    }
    for (index, step) in trajectory.list("steps").iter().enumerate() {
        match step {
            Value::Object(step) => self::step(builder, step, index)?,
            other => builder.stray_value(other.clone(), "not a step".to_owned())?,
        }
    }
    for started in trajectory.list("subagent_trajectories") {
        if let Value::Object(started) = started {
            builder
                .warn("the trajectory of an agent that the agent started is kept raw".to_owned());
            builder.note(started.clone())?;
        }
    }
    if let Some(metrics) = trajectory.object("final_metrics") {
        builder.cost(metrics.amount("total_cost_usd"));
        if metrics.contains_key("total_prompt_tokens") {
            builder.reported_usage(usage_of(metrics, "total_"));
        }
    }
    Ok(())
}

fn step(builder: &mut Builder<'_>, step: &Fields, index: usize) -> Result<(), ReadError> {
    let timestamp = step.moment("timestamp");
    let said = content(step.get("message"));
    let said: Vec<Part> = said
        .into_iter()
        .filter(|part| !matches!(part, Part::Text { text } if text.is_empty()))
        .collect();
    let results: Vec<&Fields> = step
        .object("observation")
        .map_or(&[][..], |observation| observation.list("results"))
        .iter()
        .filter_map(Value::as_object)
        .collect();
    let role = match step.text("source") {
        Some("agent") => {
            return agent(builder, step, said, &results, index);
        }
        Some("user") => Role::User,
        Some("system") => Role::System,
        _ => return builder.unknown(step.clone()),
    };
    if !said.is_empty() || results.is_empty() {
        builder.say(role, timestamp, said, Fields::new())?;
    }
    observe(builder, &results, "")
}

fn agent(
    builder: &mut Builder<'_>,
    step: &Fields,
    said: Vec<Part>,
    results: &[&Fields],
    index: usize,
) -> Result<(), ReadError> {
    let mut parts: Vec<Part> = step
        .text("reasoning_content")
        .map(thinking)
        .into_iter()
        .collect();
    parts.extend(said);
    let calls: Vec<&Fields> = step
        .list("tool_calls")
        .iter()
        .filter_map(Value::as_object)
        .collect();
    for call in &calls {
        let id = call.text("tool_call_id").unwrap_or_default();
        let name = call.text("function_name").unwrap_or_default();
        let arguments = call.object("arguments").cloned().unwrap_or_default();
        parts.push(builder.call(id, name, arguments));
    }
    if parts.is_empty() {
        parts.push(Part::text(""));
    }
    let reply = format!("step {index}");
    builder.reply(Words {
        reply: Some(reply.clone()),
        timestamp: step.moment("timestamp"),
        model: step.text("model_name").map(str::to_owned),
        content: parts,
        ..Words::default()
    })?;
    if let Some(metrics) = step.object("metrics")
        && (metrics.contains_key("prompt_tokens") || metrics.contains_key("completion_tokens"))
    {
        builder.usage(&reply, usage_of(metrics, ""));
    }
    // A result that does not say which call it answers answers the only one.
    let only = match calls[..] {
        [call] => call.text("tool_call_id").unwrap_or_default(),
        _ => "",
    };
    observe(builder, results, only)
}

fn observe(builder: &mut Builder<'_>, results: &[&Fields], only: &str) -> Result<(), ReadError> {
    let empty = Fields::new();
    for result in results {
        let extra = result.object("extra").unwrap_or(&empty);
        let call = result.text("source_call_id").or(extra.text("call_id"));
        builder.answer(Answer {
            call: call.unwrap_or(only).to_owned(),
            tool: extra.text("tool_name").map(str::to_owned),
            timestamp: extra.moment("timestamp"),
            content: content(result.get("content")),
            is_error: extra.get("is_error").and_then(Value::as_bool),
            details: Details {
                exit_code: extra.code("exit_code"),
                duration_ms: extra.count("duration_ms"),
                timed_out: extra.flag("timed_out"),
                truncated_bytes: extra.count("truncated_bytes"),
            },
            other: Fields::new(),
        })?;
    }
    Ok(())
}

/// Counts of a step, or of the whole (whose names begin with `total_`).
fn usage_of(metrics: &Fields, prefix: &str) -> Usage {
    let count = |name: &str| {
        metrics
            .count(&format!("{prefix}{name}"))
            .unwrap_or_default()
    };
    let empty = Fields::new();
    let extra = metrics.object("extra").unwrap_or(&empty);
    let cached = count("cached_tokens");
    let written = extra.count("cache_write_tokens").unwrap_or_default();
    Usage {
        input: count("prompt_tokens")
            .saturating_sub(cached)
            .saturating_sub(written),
        cache_read: cached,
        cache_write: written,
        output: count("completion_tokens"),
        reasoning: extra.count("reasoning_tokens").unwrap_or_default(),
    }
}
