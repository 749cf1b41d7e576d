//! Transcripts made up for tests.

use proctor_types::Event;
use proctor_types::transcript::{Message, Part, Role, ToolCall};
use serde_json::Value;

/// The agent says something.
pub fn says(text: &str) -> Event {
    Event::message(None, Message::new(Role::Assistant, vec![Part::text(text)]))
}

/// The agent calls a tool; `arguments` is an object.
pub fn calls(id: &str, tool: &str, arguments: &Value) -> Event {
    let call = ToolCall {
        id: id.to_owned(),
        name: tool.to_owned(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
    };
    Event::message(
        None,
        Message::new(Role::Assistant, vec![Part::ToolCall(call)]),
    )
}

/// A tool answers the call `id`.
pub fn answers(id: &str, text: &str) -> Event {
    let mut message = Message::new(Role::ToolResult, vec![Part::text(text)]);
    message.tool_call_id = Some(id.to_owned());
    Event::message(None, message)
}
