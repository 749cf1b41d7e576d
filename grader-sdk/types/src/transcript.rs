//! Canonical transcript events, one a line of `transcript.jsonl`.
//!
//! The shape is the one that most public Python graders read, `OpenClaw`'s
//! (sessions of 2026.9 were looked at): messages whose content is a list of
//! parts, tokens as `cacheRead` and `totalTokens`, `stopReason` in the agent's
//! messages. A tool call is written with its arguments under `arguments`,
//! `input` and `params` alike, since graders differ in which of the three they
//! look at; reading accepts any one of them.

use serde::de::Deserializer;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::Usage;

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// `message` for everything that the canonical model covers. Other types
    /// are kept with their fields in [`Event::other`].
    #[serde(rename = "type")]
    pub kind: String,
    /// RFC 3339 in UTC. A clock field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The message, for `type: message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Fields of events that are no messages, and unknown ones.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Event {
    /// An event that carries `message`.
    pub fn message(timestamp: Option<String>, message: Message) -> Self {
        Self {
            kind: "message".to_owned(),
            timestamp,
            message: Some(message),
            other: Map::new(),
        }
    }
}

/// A message of one of the three roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said. A plain string is read as one text part.
    #[serde(deserialize_with = "parts")]
    pub content: Vec<Part>,
    /// For tool results: the call that is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For tool results: the tool that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// For tool results: whether the tool reported an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// For tool results: exit code, duration, truncation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
    /// For the agent's messages: the model that made it, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// For the agent's messages: the tokens that it took, where the agent says
    /// so. Of several messages that are one reply of the model, one has them.
    #[serde(default, with = "counts", skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// For the agent's messages: why the model stopped. `toolUse` and `stop`
    /// where the agent's own words are not known; [`Message::ended`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// For the agent's messages: what the agent says the model failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

impl Message {
    /// A message of `role` that consists of `content`.
    pub fn new(role: Role, content: Vec<Part>) -> Self {
        Self {
            role,
            content,
            tool_call_id: None,
            tool_name: None,
            is_error: None,
            details: None,
            model: None,
            usage: None,
            stop_reason: None,
            error_message: None,
        }
    }

    /// The message with a reason to stop, where it is the agent's and has none:
    /// `toolUse` with a call in it, else `stop`.
    #[must_use]
    pub fn ended(mut self) -> Self {
        let calls = |part: &Part| matches!(part, Part::ToolCall(_));
        if self.role == Role::Assistant && self.stop_reason.is_none() {
            let calls = self.content.iter().any(calls);
            self.stop_reason = Some(if calls { "toolUse" } else { "stop" }.to_owned());
        }
        self
    }

    /// The message's text parts, joined by line feeds.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}

/// Tokens of a message under `OpenClaw`'s names. [`Usage`]'s own are read too.
mod counts {
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    use super::Usage;

    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Counts {
        input: u64,
        #[serde(alias = "cache_read")]
        cache_read: u64,
        #[serde(alias = "cache_write")]
        cache_write: u64,
        output: u64,
        #[serde(skip_serializing_if = "is_zero")]
        reasoning: u64,
        #[serde(skip_deserializing)]
        total_tokens: u64,
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    fn is_zero(count: &u64) -> bool {
        *count == 0
    }

    #[expect(clippy::ref_option, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(
        usage: &Option<Usage>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        usage
            .map(|usage| Counts {
                input: usage.input,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                output: usage.output,
                reasoning: usage.reasoning,
                total_tokens: usage.total(),
            })
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Usage>, D::Error> {
        let counts = Option::<Counts>::deserialize(deserializer)?;
        Ok(counts.map(|counts| Usage {
            input: counts.input,
            cache_read: counts.cache_read,
            cache_write: counts.cache_write,
            output: counts.output,
            reasoning: counts.reasoning,
        }))
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The operator: system prompt and instructions.
    System,
    /// The task.
    User,
    /// The agent.
    Assistant,
    /// A tool's answer.
    ToolResult,
}

/// What is known about how a tool ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// Exit code of a command; 128 + signal where it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Milliseconds from start to end. A clock field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Whether the command met its time limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Bytes of output that were cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated_bytes: Option<u64>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A call of a tool.
    ToolCall(ToolCall),
    /// Anything else, as it came.
    Other(Map<String, Value>),
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Identifier, unique in the transcript.
    pub id: String,
    /// Name of the tool: `exec`, `read`, `write`, ...
    pub name: String,
    /// The arguments; for `exec` an object with `command`.
    pub arguments: Map<String, Value>,
}

impl ToolCall {
    /// The shell command of the call, whatever its tool is called.
    pub fn command(&self) -> Option<&str> {
        ["command", "cmd", "script"]
            .iter()
            .find_map(|key| self.arguments.get(*key).and_then(Value::as_str))
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text { text } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
                map.end()
            }
            Self::ToolCall(call) => {
                let mut map = serializer.serialize_map(Some(6))?;
                map.serialize_entry("type", "toolCall")?;
                map.serialize_entry("id", &call.id)?;
                map.serialize_entry("name", &call.name)?;
                for key in ["arguments", "input", "params"] {
                    map.serialize_entry(key, &call.arguments)?;
                }
                map.end()
            }
            Self::Other(fields) => fields.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(part(Map::deserialize(deserializer)?))
    }
}

fn part(mut fields: Map<String, Value>) -> Part {
    let kind = fields
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match kind {
        "text" => {
            if let Some(Value::String(text)) = fields.get_mut("text") {
                return Part::Text {
                    text: std::mem::take(text),
                };
            }
        }
        "toolCall" | "tool_use" => {
            let name = fields
                .get("name")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if let Some(name) = name {
                let id = fields
                    .get("id")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                let arguments = ["arguments", "input", "params"]
                    .iter()
                    .find_map(|key| fields.get(*key).and_then(Value::as_object))
                    .cloned()
                    .unwrap_or_default();
                return Part::ToolCall(ToolCall {
                    id,
                    name,
                    arguments,
                });
            }
        }
        _ => {}
    }
    Part::Other(fields)
}

fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of content parts")]
    enum Content {
        Plain(String),
        Parts(Vec<Part>),
    }
    Ok(match Content::deserialize(deserializer)? {
        Content::Plain(text) => vec![Part::Text { text }],
        Content::Parts(parts) => parts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_call_answers_to_all_three_names_of_its_arguments() {
        let mut arguments = Map::new();
        arguments.insert("command".into(), "ls".into());
        let call = ToolCall {
            id: "call_1".into(),
            name: "exec".into(),
            arguments,
        };
        let json = serde_json::to_value(Part::ToolCall(call.clone())).unwrap();
        for key in ["arguments", "input", "params"] {
            assert_eq!(json[key]["command"], "ls", "{key}");
            let only = serde_json::json!({"type": "tool_use", "id": "call_1", "name": "exec", key: {"command": "ls"}});
            assert_eq!(
                serde_json::from_value::<Part>(only).unwrap(),
                Part::ToolCall(call.clone())
            );
        }
    }

    #[test]
    fn the_agents_messages_are_as_openclaw_has_them() {
        let mut message = Message::new(Role::Assistant, vec![Part::text("done")]).ended();
        message.usage = Some(Usage {
            input: 95,
            cache_read: 5,
            cache_write: 0,
            output: 20,
            reasoning: 0,
        });
        let json = serde_json::to_value(&message).unwrap();
        let counts = serde_json::json!({"input": 95, "cacheRead": 5, "cacheWrite": 0, "output": 20, "totalTokens": 120});
        assert_eq!(json["usage"], counts);
        assert_eq!(json["stopReason"], "stop");
        assert_eq!(serde_json::from_value::<Message>(json).unwrap(), message);
        let ours = r#"{"role":"assistant","content":[{"type":"tool_use","name":"exec"}],"usage":{"cache_read":5,"cache_write":1}}"#;
        let read = serde_json::from_str::<Message>(ours).unwrap().ended();
        assert_eq!(read.usage.unwrap().total(), 6);
        assert_eq!(read.stop_reason.as_deref(), Some("toolUse"));
        let user = Message::new(Role::User, vec![Part::text("hello")]).ended();
        assert_eq!(user.stop_reason, None);
    }

    #[test]
    fn plain_string_content_and_unknown_parts_are_kept() {
        let event: Event = serde_json::from_str(
            r#"{"type":"message","id":"x","message":{"role":"user","content":"hello"}}"#,
        )
        .unwrap();
        assert_eq!(event.message.as_ref().unwrap().text(), "hello");
        assert_eq!(event.other["id"], "x");
        let thinking = serde_json::json!({"type": "thinking", "thinking": "hm"});
        let kept: Part = serde_json::from_value(thinking.clone()).unwrap();
        assert_eq!(serde_json::to_value(kept).unwrap(), thinking);
    }
}
