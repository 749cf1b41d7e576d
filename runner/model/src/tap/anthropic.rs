//! Anthropic's Messages.

use proctor_types::model::Usage;
use serde::Deserialize;

use super::{Length, Seen, error_of, read, read_whole};

/// Tokens as Anthropic writes them. `input_tokens` does not hold those of the
/// cache; in a stream, the last event's figures are sums and go before the
/// first's.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the protocol's names")]
pub(crate) struct WireUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl WireUsage {
    pub(crate) fn usage(self) -> Usage {
        self.over(Usage::default())
    }

    fn over(self, before: Usage) -> Usage {
        Usage {
            input: self.input_tokens.unwrap_or(before.input),
            cache_read: self.cache_read_input_tokens.unwrap_or(before.cache_read),
            cache_write: self
                .cache_creation_input_tokens
                .unwrap_or(before.cache_write),
            output: self.output_tokens.unwrap_or(before.output),
            reasoning: before.reasoning,
        }
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    message: Option<Message>,
    content_block: Option<Block>,
    delta: Option<Delta>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    text: Length,
    #[serde(default)]
    thinking: Length,
    input: Option<Box<serde_json::value::RawValue>>,
}

#[derive(Deserialize)]
struct Delta {
    stop_reason: Option<String>,
    #[serde(default)]
    text: Length,
    #[serde(default)]
    thinking: Length,
    #[serde(default)]
    partial_json: Length,
}

pub(super) fn event(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let Some(event) = read::<Event>(data)? else {
        return Ok(());
    };
    match event.kind.as_str() {
        "message_start" => {
            if let Some(message) = event.message {
                seen.model(message.model);
                seen.usage = message.usage.map(WireUsage::usage);
            }
        }
        "content_block_start" => {
            if let Some(start) = event.content_block {
                block(start, seen);
            }
        }
        "content_block_delta" => {
            if let Some(delta) = event.delta {
                seen.written += delta.text.0 + delta.thinking.0 + delta.partial_json.0;
            }
        }
        "message_delta" => {
            seen.stop(event.delta.and_then(|delta| delta.stop_reason));
            if let Some(usage) = event.usage {
                seen.usage = Some(usage.over(seen.usage.unwrap_or_default()));
                seen.counted = true;
            }
        }
        "message_stop" => {
            seen.complete = true;
            seen.last = true;
        }
        "error" => seen.error = error_of(data),
        _ => {}
    }
    Ok(())
}

fn block(block: Block, seen: &mut Seen) {
    seen.written += block.text.0 + block.thinking.0;
    // Tools that run at the provider (`server_tool_use`) are none of the
    // agent's.
    if block.kind == "tool_use" {
        seen.call(block.id, block.name.unwrap_or_default());
        seen.written += block.input.map_or(0, |input| input.get().len() as u64);
    }
}

pub(super) fn whole(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let message: Message = read_whole(data)?;
    let usage = message.usage.ok_or("it has no usage")?;
    seen.model(message.model);
    seen.stop(message.stop_reason);
    seen.usage = Some(usage.usage());
    seen.counted = true;
    for part in message.content {
        block(part, seen);
    }
    Ok(())
}
