//! Google's `generateContent`. A stream is made of the same objects as a whole
//! reply; with `alt=sse` each is an event, without they are one JSON array.

use proctor_types::model::Usage;
use serde::Deserialize;

use super::{Length, Seen, error_of, read, read_whole, with_cached};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    #[serde(default)]
    candidates: Vec<Candidate>,
    usage_metadata: Option<WireUsage>,
    model_version: Option<String>,
    prompt_feedback: Option<Feedback>,
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    text: Length,
    function_call: Option<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    name: Option<String>,
    args: Option<Box<serde_json::value::RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

/// Tokens as Google writes them: `promptTokenCount` holds those of the cache,
/// `candidatesTokenCount` does not hold the reasoning. In a stream every
/// event's are the sums so far.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the protocol's names")]
struct WireUsage {
    prompt_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

impl WireUsage {
    fn usage(&self) -> Usage {
        let prompt = self.prompt_token_count.unwrap_or(0);
        let prompt = prompt.saturating_add(self.tool_use_prompt_token_count.unwrap_or(0));
        let reasoning = self.thoughts_token_count;
        let output = self.candidates_token_count.unwrap_or(0);
        let output = output.saturating_add(reasoning.unwrap_or(0));
        with_cached(prompt, self.cached_content_token_count, output, reasoning)
    }
}

pub(super) fn event(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    if let Some(reply) = read::<Reply>(data)? {
        if reply.error.is_some() {
            seen.error = error_of(data);
        }
        take(reply, seen);
    }
    Ok(())
}

pub(super) fn whole(data: &[u8], seen: &mut Seen) -> Result<(), String> {
    let replies: Vec<Reply> = if data.trim_ascii_start().starts_with(b"[") {
        read_whole(data)?
    } else {
        vec![read_whole(data)?]
    };
    // Once for all: it reads the whole again.
    if replies.iter().any(|reply| reply.error.is_some()) {
        seen.error = error_of(data);
    }
    for reply in replies {
        take(reply, seen);
    }
    if seen.complete || seen.error.is_some() {
        Ok(())
    } else {
        Err("no candidate has a finishReason".to_owned())
    }
}

fn take(reply: Reply, seen: &mut Seen) {
    seen.model(reply.model_version);
    if let Some(usage) = reply.usage_metadata {
        seen.usage = Some(usage.usage());
    }
    if let Some(reason) = reply.prompt_feedback.and_then(|it| it.block_reason) {
        // The words of a blocked prompt are those of a blocked reply.
        seen.stop(Some(reason));
        seen.complete = true;
    }
    for candidate in reply.candidates {
        for part in candidate.content.into_iter().flat_map(|it| it.parts) {
            seen.written += part.text.0;
            if let Some(call) = part.function_call {
                seen.written += call.args.map_or(0, |args| args.get().len() as u64);
                seen.call(call.id, call.name.unwrap_or_default());
            }
        }
        if candidate.finish_reason.is_some() {
            seen.complete = true;
        }
        seen.stop(candidate.finish_reason);
    }
    seen.counted = seen.complete && seen.usage.is_some();
}
