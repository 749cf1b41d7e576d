//! Questions and answers as OpenAI's chat completions.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ChatContent, ChatMessage, ChatReply, ChatRequest, ChatRole, StopReason, ToolCall};
use crate::tap::chat::WireUsage;

pub(super) fn request(request: &ChatRequest) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        push(&mut messages, message);
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    // OpenAI's newer models take only the newer name, other servers only the
    // older. Names of OpenAI's own models tell which it is.
    let limit = if is_openai(&request.model) {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    body.insert(limit.to_owned(), json!(request.max_tokens));
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        let tools: Vec<_> = request
            .tools
            .iter()
            .map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                }})
            })
            .collect();
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    if let Some(schema) = &request.schema {
        body.insert(
            "response_format".to_owned(),
            json!({"type": "json_schema", "json_schema": {
                "name": schema.name,
                "schema": schema.schema,
                "strict": schema.strict,
            }}),
        );
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    Value::Object(body)
}

fn is_openai(model: &str) -> bool {
    ["gpt-", "o1", "o3", "o4", "chatgpt-"]
        .iter()
        .any(|prefix| model.starts_with(prefix))
        && !model.starts_with("gpt-oss")
}

fn push(messages: &mut Vec<Value>, message: &ChatMessage) {
    let mut text = String::new();
    let mut calls = Vec::new();
    for content in &message.content {
        match content {
            ChatContent::Text(more) => text.push_str(more),
            ChatContent::ToolCall(call) => {
                let arguments = match &call.arguments {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                calls.push(json!({
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments},
                }));
            }
            // Results come before anything that the user says with them.
            ChatContent::ToolResult(result) => {
                let content = if result.is_error {
                    format!("Error: {}", result.content)
                } else {
                    result.content.clone()
                };
                messages.push(json!({
                    "role": "tool",
                    "tool_call_id": result.id,
                    "content": content,
                }));
            }
        }
    }
    match message.role {
        ChatRole::Assistant if calls.is_empty() => {
            messages.push(json!({"role": "assistant", "content": text}));
        }
        ChatRole::Assistant => {
            let content = if text.is_empty() {
                Value::Null
            } else {
                Value::String(text)
            };
            messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
        }
        ChatRole::User if text.is_empty() => {}
        ChatRole::User => messages.push(json!({"role": "user", "content": text})),
    }
}

#[derive(Deserialize)]
struct Reply {
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: Option<String>,
}

pub(super) fn reply(request: &ChatRequest, raw: &[u8]) -> Result<ChatReply, String> {
    let reply: Reply = serde_json::from_slice(raw).map_err(|error| error.to_string())?;
    let mut choices = reply.choices.into_iter();
    let choice = choices.next().ok_or("it has no choices")?;
    let Message {
        content,
        refusal,
        tool_calls,
    } = choice.message;
    let refused = refusal.is_some();
    let text = content.or(refusal).unwrap_or_default();
    let tool_calls: Vec<_> = tool_calls
        .unwrap_or_default()
        .into_iter()
        .enumerate()
        .map(|(index, call)| ToolCall {
            // Some servers give none; the result needs one.
            id: call.id.unwrap_or_else(|| format!("call_{index}")),
            name: call.function.name,
            arguments: arguments(call.function.arguments),
        })
        .collect();
    let json = request
        .schema
        .as_ref()
        .and_then(|_| serde_json::from_str(&text).ok());
    let stop = match choice.finish_reason.as_deref() {
        _ if refused => StopReason::Refusal,
        // Some servers say `stop` for calls.
        _ if !tool_calls.is_empty() => StopReason::Tools,
        Some("stop") => StopReason::End,
        Some("length") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
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

fn arguments(text: Option<String>) -> Value {
    match text {
        Some(text) if !text.trim().is_empty() => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        _ => Value::Object(Map::new()),
    }
}
