//! A turn in the four protocols, whole and streamed. The shapes are those that
//! satisfied the real clients: Claude Code, Codex, Gemini CLI, opencode, pi and
//! OpenClaw.

use bytes::Bytes;
use serde_json::{Value, json};

use super::Turn;
use crate::api::ModelApi;

/// Characters of one piece of streamed text.
const PIECE: usize = 48;
/// Seconds since 1970 that every reply says it was made at.
const CREATED: u64 = 1_767_225_600;

/// The turn as one JSON value.
pub(super) fn whole(api: ModelApi, turn: &Turn) -> Value {
    match api {
        ModelApi::Anthropic => json!({
            "id": format!("msg_{}", turn.id), "type": "message", "role": "assistant",
            "model": turn.model, "content": anthropic_blocks(turn),
            "stop_reason": anthropic_stop(turn), "stop_sequence": null,
            "usage": anthropic_usage(turn),
        }),
        ModelApi::OpenaiChat => {
            let mut message = json!({"role": "assistant", "content": turn.text});
            if !turn.calls.is_empty() {
                message["tool_calls"] = Value::Array(chat_calls(turn));
            }
            let choice = json!({
                "index": 0, "message": message, "finish_reason": chat_stop(turn),
            });
            let mut whole = chat(turn, "chat.completion", &[choice]);
            whole["usage"] = chat_usage(turn);
            whole
        }
        ModelApi::OpenaiResponses => response(turn, true),
        ModelApi::Gemini => gemini(turn, &gemini_parts(turn), true),
    }
}

/// The turn as events, each a piece.
pub(super) fn stream(api: ModelApi, turn: &Turn, counts: bool) -> Vec<Bytes> {
    match api {
        ModelApi::Anthropic => named(&anthropic_events(turn)),
        ModelApi::OpenaiChat => {
            let mut events = plain(&chat_events(turn, counts));
            events.push(Bytes::from_static(b"data: [DONE]\n\n"));
            events
        }
        ModelApi::OpenaiResponses => named(&response_events(turn)),
        ModelApi::Gemini => plain(&gemini_events(turn)),
    }
}

fn plain(events: &[Value]) -> Vec<Bytes> {
    let events = events.iter();
    events
        .map(|event| Bytes::from(format!("data: {event}\n\n")))
        .collect()
}

fn named(events: &[Value]) -> Vec<Bytes> {
    let events = events.iter().map(|event| {
        let name = event["type"].as_str().unwrap_or_default();
        Bytes::from(format!("event: {name}\ndata: {event}\n\n"))
    });
    events.collect()
}

/// Text in pieces that are small, as models give it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(PIECE).map_or(rest.len(), |it| it.0);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

fn anthropic_usage(turn: &Turn) -> Value {
    json!({
        "input_tokens": turn.usage.input,
        "cache_creation_input_tokens": turn.usage.cache_write,
        "cache_read_input_tokens": turn.usage.cache_read,
        "output_tokens": turn.usage.output,
    })
}

fn anthropic_stop(turn: &Turn) -> &str {
    let calls = !turn.calls.is_empty();
    let usual = if calls { "tool_use" } else { "end_turn" };
    turn.stop.as_deref().unwrap_or(usual)
}

fn anthropic_blocks(turn: &Turn) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !turn.text.is_empty() {
        blocks.push(json!({"type": "text", "text": turn.text}));
    }
    for (index, call) in turn.calls.iter().enumerate() {
        blocks.push(json!({
            "type": "tool_use", "id": format!("toolu_{}{index}", turn.id),
            "name": call.name, "input": call.arguments,
        }));
    }
    blocks
}

fn anthropic_events(turn: &Turn) -> Vec<Value> {
    let mut usage = anthropic_usage(turn);
    usage["output_tokens"] = json!(1);
    let mut events = vec![json!({"type": "message_start", "message": {
        "id": format!("msg_{}", turn.id), "type": "message", "role": "assistant",
        "model": turn.model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": usage,
    }})];
    for (index, mut block) in anthropic_blocks(turn).into_iter().enumerate() {
        let deltas: Vec<_> = if block["type"] == "text" {
            block["text"] = json!("");
            let texts = pieces(&turn.text);
            texts
                .map(|text| json!({"type": "text_delta", "text": text}))
                .collect()
        } else {
            let input = block["input"].take().to_string();
            block["input"] = json!({});
            vec![json!({"type": "input_json_delta", "partial_json": input})]
        };
        events.push(json!({
            "type": "content_block_start", "index": index, "content_block": block,
        }));
        let deltas = deltas.into_iter();
        events.extend(
            deltas.map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": anthropic_stop(turn), "stop_sequence": null},
        "usage": anthropic_usage(turn),
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

fn chat(turn: &Turn, object: &str, choices: &[Value]) -> Value {
    json!({
        "id": format!("chatcmpl-{}", turn.id), "object": object, "created": CREATED,
        "model": turn.model, "choices": choices,
    })
}

fn chat_stop(turn: &Turn) -> &str {
    let calls = !turn.calls.is_empty();
    let usual = if calls { "tool_calls" } else { "stop" };
    turn.stop.as_deref().unwrap_or(usual)
}

fn chat_usage(turn: &Turn) -> Value {
    let prompt = turn.usage.input + turn.usage.cache_read;
    json!({
        "prompt_tokens": prompt, "completion_tokens": turn.usage.output,
        "total_tokens": prompt + turn.usage.output,
        "prompt_tokens_details": {"cached_tokens": turn.usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": turn.usage.reasoning},
    })
}

fn chat_calls(turn: &Turn) -> Vec<Value> {
    let calls = turn.calls.iter().enumerate();
    let calls = calls.map(|(index, call)| {
        json!({
            "index": index, "id": format!("call_{}{index}", turn.id), "type": "function",
            "function": {"name": call.name, "arguments": call.arguments.to_string()},
        })
    });
    calls.collect()
}

fn chat_events(turn: &Turn, counts: bool) -> Vec<Value> {
    let chunk = |delta: Value, stop: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": stop});
        chat(turn, "chat.completion.chunk", &[choice])
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    events.extend(pieces(&turn.text).map(|text| chunk(json!({"content": text}), None)));
    if !turn.calls.is_empty() {
        events.push(chunk(json!({"tool_calls": chat_calls(turn)}), None));
    }
    events.push(chunk(json!({}), Some(chat_stop(turn))));
    if counts {
        let mut last = chat(turn, "chat.completion.chunk", &[]);
        last["usage"] = chat_usage(turn);
        events.push(last);
    }
    events
}

fn response(turn: &Turn, complete: bool) -> Value {
    let stopped = turn.stop.as_deref();
    let status = match (complete, stopped) {
        (false, _) => "in_progress",
        (true, None) => "completed",
        (true, Some(_)) => "incomplete",
    };
    let mut response = json!({
        "id": format!("resp_{}", turn.id), "object": "response", "created_at": CREATED,
        "status": status, "model": turn.model, "output": [], "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [], "error": null,
    });
    if complete {
        let prompt = turn.usage.input + turn.usage.cache_read;
        response["output"] = Value::Array(response_items(turn));
        response["incomplete_details"] = match stopped {
            Some(reason) => json!({"reason": reason}),
            None => Value::Null,
        };
        response["usage"] = json!({
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": turn.usage.cache_read},
            "output_tokens": turn.usage.output,
            "output_tokens_details": {"reasoning_tokens": turn.usage.reasoning},
            "total_tokens": prompt + turn.usage.output,
        });
    }
    response
}

fn response_items(turn: &Turn) -> Vec<Value> {
    let mut items = Vec::new();
    if !turn.text.is_empty() {
        items.push(json!({
            "type": "message", "id": format!("msg_{}", turn.id), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": turn.text, "annotations": []}],
        }));
    }
    for (index, call) in turn.calls.iter().enumerate() {
        let mut item = json!({
            "type": "function_call", "id": format!("fc_{}{index}", turn.id),
            "call_id": format!("call_{}{index}", turn.id), "name": call.name,
            "arguments": call.arguments.to_string(), "status": "completed",
        });
        if let Some(namespace) = &call.namespace {
            item["namespace"] = json!(namespace);
        }
        items.push(item);
    }
    items
}

fn response_events(turn: &Turn) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": response(turn, false)})];
    for (index, item) in response_items(turn).into_iter().enumerate() {
        let mut added = item.clone();
        added["status"] = json!("in_progress");
        let at = |mut event: Value| {
            event["item_id"] = item["id"].clone();
            event["output_index"] = json!(index);
            event
        };
        let mut inner = Vec::new();
        if item["type"] == "message" {
            added["content"] = json!([]);
            let text = json!({"type": "output_text", "text": "", "annotations": []});
            inner.push(at(json!({
                "type": "response.content_part.added", "content_index": 0, "part": text,
            })));
            inner.extend(pieces(&turn.text).map(|text| {
                at(json!({
                    "type": "response.output_text.delta", "content_index": 0, "delta": text,
                }))
            }));
            inner.push(at(json!({
                "type": "response.output_text.done", "content_index": 0, "text": turn.text,
            })));
            inner.push(at(json!({
                "type": "response.content_part.done", "content_index": 0,
                "part": item["content"][0],
            })));
        } else {
            added["arguments"] = json!("");
            inner.push(at(json!({
                "type": "response.function_call_arguments.delta", "delta": item["arguments"],
            })));
            inner.push(at(json!({
                "type": "response.function_call_arguments.done",
                "arguments": item["arguments"],
            })));
        }
        events.push(json!({
            "type": "response.output_item.added", "output_index": index, "item": added,
        }));
        events.append(&mut inner);
        events.push(json!({
            "type": "response.output_item.done", "output_index": index, "item": item,
        }));
    }
    let last = if turn.stop.is_some() {
        "response.incomplete"
    } else {
        "response.completed"
    };
    events.push(json!({"type": last, "response": response(turn, true)}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events
}

fn gemini_parts(turn: &Turn) -> Vec<Value> {
    let mut parts = Vec::new();
    if !turn.text.is_empty() {
        parts.push(json!({"text": turn.text}));
    }
    for (index, call) in turn.calls.iter().enumerate() {
        parts.push(json!({"functionCall": {
            "id": format!("fc_{}{index}", turn.id), "name": call.name, "args": call.arguments,
        }}));
    }
    parts
}

fn gemini(turn: &Turn, parts: &[Value], last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if last {
        candidate["finishReason"] = json!(turn.stop.as_deref().unwrap_or("STOP"));
    }
    let prompt = turn.usage.input + turn.usage.cache_read;
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": prompt,
            "candidatesTokenCount": turn.usage.output.saturating_sub(turn.usage.reasoning),
            "thoughtsTokenCount": turn.usage.reasoning,
            "cachedContentTokenCount": turn.usage.cache_read,
            "totalTokenCount": prompt + turn.usage.output,
        },
        "modelVersion": turn.model, "responseId": turn.id,
    })
}

fn gemini_events(turn: &Turn) -> Vec<Value> {
    let mut parts: Vec<_> = pieces(&turn.text)
        .map(|text| json!({"text": text}))
        .collect();
    // The last piece comes with the calls: an event without parts is an empty
    // reply to some clients.
    let mut last: Vec<_> = parts.pop().into_iter().collect();
    let calls = gemini_parts(turn).into_iter();
    last.extend(calls.filter(|part| part.get("functionCall").is_some()));
    let events = parts.into_iter().map(|part| gemini(turn, &[part], false));
    events.chain([gemini(turn, &last, true)]).collect()
}
