//! Looking at replies as they pass: tokens, calls of tools, how it ended.
//!
//! A tap never changes, delays or fails a reply. What it cannot read is noted,
//! and what it keeps is bounded whatever the reply.

pub(crate) mod anthropic;
pub(crate) mod chat;
mod gemini;
mod quick;
mod responses;

use std::fmt;

use proctor_types::manifest::FailureKind;
use proctor_types::model::{TOOL_CALLS_MAX, ToolUse, Usage};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, Visitor};

use crate::api::ModelApi;
use crate::reply::ApiError;
use crate::sse::SseParser;

/// Bytes of a reply that is no stream; a longer one is not looked at.
const WHOLE: usize = 32 << 20;
/// Bytes of a name, an identifier, a reason.
const WORD: usize = 256;

/// What a reply showed so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Tokens, as far as the provider said.
    pub(crate) usage: Option<Usage>,
    /// Whether `usage` is the whole reply's, and not what a stream said so far.
    pub(crate) counted: bool,
    /// The model, as it calls itself.
    pub(crate) model: Option<String>,
    /// Why it stopped.
    pub(crate) stop: Option<String>,
    /// What it wants called.
    pub(crate) tool_calls: Vec<ToolUse>,
    /// Bytes of what the model wrote: text, reasoning, arguments.
    pub(crate) written: u64,
    /// Whether everything that the model says, or its whole body, was there.
    pub(crate) complete: bool,
    /// Whether an event was there that nothing follows, or the whole body.
    pub(crate) last: bool,
    /// What it says went wrong.
    pub(crate) error: Option<ApiError>,
}

impl Seen {
    fn call(&mut self, id: Option<String>, name: String) {
        if self.tool_calls.len() < TOOL_CALLS_MAX && !name.is_empty() {
            self.tool_calls.push(ToolUse {
                id: id.filter(|id| !id.is_empty()).map(word),
                name: word(name),
            });
        }
    }

    fn model(&mut self, model: Option<String>) {
        if let Some(model) = model.filter(|it| !it.is_empty()) {
            self.model = Some(word(model));
        }
    }

    fn stop(&mut self, stop: Option<String>) {
        if let Some(stop) = stop {
            self.stop = Some(word(stop));
        }
    }

    /// What a complete reply is as a failure: the words with which providers
    /// say that the model refused, or ran out of context.
    pub(crate) fn failure(&self) -> Option<FailureKind> {
        match self.stop.as_deref()? {
            "refusal" | "content_filter" | "SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST"
            | "SPII" => Some(FailureKind::Refusal),
            "model_context_window_exceeded" => Some(FailureKind::Context),
            _ => None,
        }
    }
}

fn word(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(WORD));
    text
}

/// What a reply turns out to be when it is over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TapEnd {
    /// All of it, and as the protocol says.
    Complete,
    /// Its end is missing.
    Cut,
    /// It is not what the protocol says.
    Invalid(String),
    /// It says that something went wrong.
    Error(ApiError),
}

/// Looks at one reply.
#[derive(Debug)]
pub(crate) struct Tap {
    api: ModelApi,
    kind: Kind,
    pub(crate) seen: Seen,
    events: u64,
    bad: Option<String>,
}

#[derive(Debug)]
enum Kind {
    Events(SseParser),
    Whole {
        bytes: Vec<u8>,
        over: bool,
    },
    /// Nothing to be found in it.
    Opaque,
}

impl Tap {
    /// For a stream of events, or for one JSON value.
    pub(crate) fn new(api: ModelApi, streamed: bool) -> Self {
        let kind = if streamed {
            Kind::Events(SseParser::default())
        } else {
            Kind::Whole {
                bytes: Vec::new(),
                over: false,
            }
        };
        Self::of(api, kind)
    }

    /// For what is passed on without a look.
    pub(crate) fn opaque(api: ModelApi) -> Self {
        Self::of(api, Kind::Opaque)
    }

    /// For what is packed, although that was not asked for.
    pub(crate) fn packed(api: ModelApi, encoding: &str) -> Self {
        let mut tap = Self::of(api, Kind::Opaque);
        tap.bad = Some(format!("it is packed ({encoding}), which nobody asked for"));
        tap
    }

    fn of(api: ModelApi, kind: Kind) -> Self {
        Self {
            api,
            kind,
            seen: Seen::default(),
            events: 0,
            bad: None,
        }
    }

    /// Looks at the next piece.
    pub(crate) fn feed(&mut self, data: &[u8]) {
        match &mut self.kind {
            Kind::Opaque => {}
            Kind::Whole { bytes, over } => {
                if bytes.len() + data.len() > WHOLE {
                    *over = true;
                    bytes.clear();
                } else if !*over {
                    bytes.extend_from_slice(data);
                }
            }
            Kind::Events(parser) => {
                let (api, seen) = (self.api, &mut self.seen);
                let (events, bad) = (&mut self.events, &mut self.bad);
                parser.feed(data, |data| event(api, data, seen, events, bad));
            }
        }
    }

    /// What it is, now that no more comes. `ended`: whether that is because its
    /// body is over, which is all that tells the end of what is not looked at.
    pub(crate) fn finish(&mut self, ended: bool) -> TapEnd {
        match std::mem::replace(&mut self.kind, Kind::Opaque) {
            Kind::Opaque => self.seen.complete |= ended,
            Kind::Whole { over: true, .. } => {
                self.bad = Some(format!("it is longer than {WHOLE} bytes, which none is"));
            }
            Kind::Whole { bytes, .. } => self.whole(&bytes),
            Kind::Events(mut parser) => {
                let (api, seen) = (self.api, &mut self.seen);
                let (events, bad) = (&mut self.events, &mut self.bad);
                parser.finish(|data| event(api, data, seen, events, bad));
                if parser.skipped() > 0 {
                    bad.get_or_insert_with(|| "an event is too long to be read".to_owned());
                }
            }
        }
        if let Some(error) = self.seen.error.take() {
            return TapEnd::Error(error);
        }
        match self.bad.take() {
            Some(reason) => TapEnd::Invalid(reason),
            None if self.seen.complete => TapEnd::Complete,
            None => TapEnd::Cut,
        }
    }

    fn whole(&mut self, bytes: &[u8]) {
        let seen = &mut self.seen;
        let result = match self.api {
            ModelApi::Anthropic => anthropic::whole(bytes, seen),
            ModelApi::OpenaiChat => chat::whole(bytes, seen),
            ModelApi::OpenaiResponses => responses::whole(bytes, seen),
            ModelApi::Gemini => gemini::whole(bytes, seen),
        };
        match result {
            Ok(()) => {
                seen.complete = true;
                seen.last = true;
            }
            Err(reason) => self.bad = Some(reason),
        }
    }
}

fn event(api: ModelApi, data: &[u8], seen: &mut Seen, events: &mut u64, bad: &mut Option<String>) {
    *events += 1;
    // Most events are a few letters of text, and what else they could say is
    // seen without reading them as JSON.
    if let Some(written) = quick::written(api, data, seen) {
        seen.written += written;
        return;
    }
    let result = match api {
        ModelApi::Anthropic => anthropic::event(data, seen),
        ModelApi::OpenaiChat => chat::event(data, seen),
        ModelApi::OpenaiResponses => responses::event(data, seen),
        ModelApi::Gemini => gemini::event(data, seen),
    };
    if let Err(reason) = result {
        bad.get_or_insert_with(|| format!("event {events}: {reason}"));
    }
}

/// Reads what is known of a JSON value. What is JSON of another shape is let be:
/// other servers have their own ideas of a protocol.
fn read<T: DeserializeOwned>(data: &[u8]) -> Result<Option<T>, String> {
    match serde_json::from_slice(data) {
        Ok(value) => Ok(Some(value)),
        Err(error) => match serde_json::from_slice::<IgnoredAny>(data) {
            Ok(_) => Ok(None),
            Err(_) => Err(format!("it is no JSON: {error}")),
        },
    }
}

/// The same for a whole reply, which has to be of the right shape.
fn read_whole<T: DeserializeOwned>(data: &[u8]) -> Result<T, String> {
    serde_json::from_slice(data).map_err(|error| error.to_string())
}

/// What tokens were made of, in the protocols of OpenAI.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

/// Tokens of a protocol that counts those of the cache as part of the prompt.
fn with_cached(prompt: u64, cached: Option<u64>, output: u64, reasoning: Option<u64>) -> Usage {
    let cached = cached.unwrap_or(0).min(prompt);
    Usage {
        input: prompt - cached,
        cache_read: cached,
        cache_write: 0,
        output,
        reasoning: reasoning.unwrap_or(0),
    }
}

fn error_of(data: &[u8]) -> Option<ApiError> {
    serde_json::from_slice(data)
        .ok()
        .and_then(|value| ApiError::of(&value))
}

/// The length of a string, without the string; 0 of anything else.
#[derive(Debug, Default, Clone, Copy)]
struct Length(u64);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Length;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Length, E> {
                Ok(Length(text.len() as u64))
            }
            fn visit_unit<E>(self) -> Result<Length, E> {
                Ok(Length(0))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Length, E> {
                Ok(Length(0))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Length, E> {
                Ok(Length(0))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Length, E> {
                Ok(Length(0))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Length, E> {
                Ok(Length(0))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Length, A::Error> {
                IgnoredAny.visit_seq(seq).map(|_| Length(0))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Length, A::Error> {
                IgnoredAny.visit_map(map).map(|_| Length(0))
            }
        }
        deserializer.deserialize_any(Of)
    }
}

#[cfg(test)]
mod tests;
