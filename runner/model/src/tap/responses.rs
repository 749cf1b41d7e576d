//! OpenAI's responses.

use proctor_types::model::Usage;
use serde::Deserialize;

use super::{Details, Length, Seen, error_of, read, read_whole, with_cached};

/// Tokens as responses write them: `input_tokens` holds those of the cache.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
    output_tokens_details: Option<Details>,
}

impl WireUsage {
    fn usage(self) -> Usage {
        with_cached(
            self.input_tokens.unwrap_or(0),
            self.input_tokens_details.and_then(|it| it.cached_tokens),
            self.output_tokens.unwrap_or(0),
            self.output_tokens_details
                .and_then(|it| it.reasoning_tokens),
        )
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    delta: Length,
    item: Option<Item>,
    response: Option<Reply>,
}

#[derive(Deserialize)]
struct Reply {
    model: Option<String>,
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<Item>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    call_id: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    arguments: Length,
    #[serde(default)]
    content: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Length,
}

pub(super) fn event(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let Some(event) = read::<Event>(data)? else {
        return Ok(());
    };
    match event.kind.as_str() {
        "response.created" | "response.in_progress" => {
            seen.model(event.response.and_then(|response| response.model));
        }
        "response.output_item.done" => {
            if let Some(done) = event.item {
                item(done, seen);
            }
        }
        "response.completed" | "response.incomplete" => {
            seen.complete = true;
            seen.last = true;
            if let Some(response) = event.response {
                end(response, seen);
            }
        }
        "response.failed" | "error" => {
            seen.error = error_of(data);
            seen.complete = true;
        }
        _ => seen.written += event.delta.0,
    }
    Ok(())
}

pub(super) fn whole(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let mut reply: Reply = read_whole(data)?;
    if reply.status.is_none() {
        return Err("it has no status".to_owned());
    }
    if reply.status.as_deref() == Some("failed") {
        seen.error = error_of(data);
    }
    for output in std::mem::take(&mut reply.output) {
        let parts = output.content.iter();
        seen.written += output.arguments.0 + parts.map(|part| part.text.0).sum::<u64>();
        item(output, seen);
    }
    end(reply, seen);
    Ok(())
}

fn item(item: Item, seen: &mut Seen) {
    match item.kind.as_str() {
        "function_call" | "custom_tool_call" => {
            seen.call(item.call_id.or(item.id), item.name.unwrap_or_default());
        }
        "local_shell_call" | "shell_call" | "apply_patch_call" | "computer_call" => {
            let name = item.kind.trim_end_matches("_call").to_owned();
            seen.call(item.call_id.or(item.id), name);
        }
        _ => {}
    }
}

fn end(reply: Reply, seen: &mut Seen) {
    seen.model(reply.model);
    let reason = reply.incomplete_details.and_then(|it| it.reason);
    seen.stop(reason.or(reply.status));
    if let Some(usage) = reply.usage {
        seen.usage = Some(usage.usage());
        seen.counted = true;
    }
}
