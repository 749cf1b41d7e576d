//! OpenAI's chat completions.

use proctor_types::model::Usage;
use serde::Deserialize;

use super::{Details, Length, Seen, error_of, read, read_whole, with_cached};

/// Tokens as chat completions write them: `prompt_tokens` holds those of the
/// cache.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(crate) struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    completion_tokens_details: Option<Details>,
}

impl WireUsage {
    pub(crate) fn usage(self) -> Usage {
        with_cached(
            self.prompt_tokens.unwrap_or(0),
            self.prompt_tokens_details.and_then(|it| it.cached_tokens),
            self.completion_tokens.unwrap_or(0),
            self.completion_tokens_details
                .and_then(|it| it.reasoning_tokens),
        )
    }
}

#[derive(Deserialize)]
struct Chunk {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    message: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Length,
    #[serde(default)]
    reasoning: Length,
    #[serde(default)]
    reasoning_content: Length,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    #[serde(default)]
    arguments: Length,
}

pub(super) fn event(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    if data.trim_ascii() == b"[DONE]" {
        seen.complete = true;
        seen.last = true;
        return Ok(());
    }
    let Some(chunk) = read::<Chunk>(data)? else {
        return Ok(());
    };
    if chunk.error.is_some() {
        seen.error = error_of(data);
    }
    take(chunk, seen);
    Ok(())
}

pub(super) fn whole(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let chunk: Chunk = read_whole(data)?;
    if chunk.choices.is_empty() {
        return Err("it has no choices".to_owned());
    }
    take(chunk, seen);
    Ok(())
}

fn take(chunk: Chunk, seen: &mut Seen) {
    seen.model(chunk.model);
    if let Some(usage) = chunk.usage {
        seen.usage = Some(usage.usage());
        seen.counted = true;
    }
    for choice in chunk.choices {
        if choice.finish_reason.is_some() {
            // Servers other than OpenAI end without `[DONE]`. The event that
            // counts tokens may still come.
            seen.complete = true;
        }
        seen.stop(choice.finish_reason);
        for delta in choice.delta.into_iter().chain(choice.message) {
            seen.written += delta.content.0 + delta.reasoning.0 + delta.reasoning_content.0;
            for call in delta.tool_calls.into_iter().flatten() {
                let Some(function) = call.function else {
                    continue;
                };
                seen.written += function.arguments.0;
                // Further pieces of a call have no name.
                seen.call(call.id, function.name.unwrap_or_default());
            }
        }
    }
}
