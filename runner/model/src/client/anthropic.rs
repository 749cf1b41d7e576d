//! Questions and answers as Anthropic's Messages.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ChatContent, ChatReply, ChatRequest, ChatRole, StopReason, ToolCall};
use crate::tap::anthropic::WireUsage;

pub(super) fn request(request: &ChatRequest) -> Value {
    let messages: Vec<_> = request
        .messages
        .iter()
        .map(|message| {
            let role = match message.role {
                ChatRole::User => "user",
                ChatRole::Assistant => "assistant",
            };
            let content: Vec<_> = message.content.iter().map(content).collect();
            json!({"role": role, "content": content})
        })
        .collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    if let Some(system) = &request.system {
        body.insert("system".to_owned(), json!(system));
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    let mut tools: Vec<_> = request
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        })
        .collect();
    if let Some(schema) = &request.schema {
        tools.push(json!({
            "name": schema.name,
            "description": "Gives the answer. Call it once, with the whole answer.",
            "input_schema": schema.schema,
        }));
        body.insert(
            "tool_choice".to_owned(),
            json!({"type": "tool", "name": schema.name}),
        );
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    Value::Object(body)
}

fn content(content: &ChatContent) -> Value {
    match content {
        ChatContent::Text(text) => json!({"type": "text", "text": text}),
        ChatContent::ToolCall(call) => {
            // Only objects are taken; what was no JSON is shown as what it was.
            let input = match &call.arguments {
                Value::Object(_) => call.arguments.clone(),
                other => json!({"not_an_object": other}),
            };
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
        }
        ChatContent::ToolResult(result) => json!({
            "type": "tool_result",
            "tool_use_id": result.id,
            "content": result.content,
            "is_error": result.is_error,
        }),
    }
}

#[derive(Deserialize)]
struct Reply {
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    #[serde(other)]
    Other,
}

pub(super) fn reply(request: &ChatRequest, raw: &[u8]) -> Result<ChatReply, String> {
    let reply: Reply = serde_json::from_slice(raw).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut tool_calls = Vec::new();
    let mut json = None;
    for block in reply.content {
        match block {
            Block::Text { text: more } => text.push_str(&more),
            Block::ToolUse { id, name, input } => {
                let answer = request.schema.as_ref().is_some_and(|it| it.name == name);
                if answer {
                    json.get_or_insert(input);
                } else {
                    tool_calls.push(ToolCall {
                        id,
                        name,
                        arguments: input,
                    });
                }
            }
            Block::Other => {}
        }
    }
    let stop = match reply.stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") if tool_calls.is_empty() => StopReason::End,
        Some("tool_use") => StopReason::Tools,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        other => StopReason::Other(other.unwrap_or("none").to_owned()),
    };
    Ok(ChatReply {
        text,
        json,
        tool_calls,
        usage: reply.usage.map(WireUsage::usage),
        stop,
        model: reply.model,
        sent: Bytes::new(),
        raw: Bytes::new(),
        attempts: 0,
    })
}
