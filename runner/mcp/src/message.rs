//! What has to be known of a message to send it on, and errors in its place.

use serde_json::{Value, json};

/// A message's parse error (JSON-RPC 2.0, section 5.1).
const PARSE_ERROR: i32 = -32700;
/// The server cannot be asked.
const INTERNAL_ERROR: i32 = -32603;
/// Where a message says which version of the protocol it is of.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// A message as far as it matters here.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Sent {
    /// `None`: nobody waits for an answer.
    pub(crate) id: Option<Value>,
    pub(crate) method: Option<String>,
    /// What is asked for by name: a tool, a prompt, a resource.
    pub(crate) name: Option<String>,
    /// Version that the message itself is of; from 2026-07-28 on.
    pub(crate) version: Option<String>,
    is_json: bool,
}

impl Sent {
    pub(crate) fn read(message: &[u8]) -> Self {
        let Ok(message) = serde_json::from_slice::<Value>(message) else {
            return Self::default();
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let params = &message["params"];
        Self {
            id: message.get("id").cloned(),
            method: text(&message["method"]),
            name: text(&params["name"]).or_else(|| text(&params["uri"])),
            version: text(&params["_meta"][VERSION_KEY]),
            is_json: true,
        }
    }

    /// The answer to a message that the server did not answer with one. `None`
    /// where nobody waits for it.
    pub(crate) fn error(&self, text: &str) -> Option<Vec<u8>> {
        let (code, id) = if self.is_json {
            (INTERNAL_ERROR, self.id.clone()?)
        } else {
            (PARSE_ERROR, Value::Null)
        };
        let error = json!({"code": code, "message": text});
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
        Some(answer.to_string().into_bytes())
    }
}

/// The version that an answer to `initialize` settles on.
pub(crate) fn agreed(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    answer["result"]["protocolVersion"]
        .as_str()
        .map(str::to_owned)
}

/// Whether a body is a message of the protocol, and not what some part of the
/// way to the server said.
pub(crate) fn is_message(body: &[u8]) -> bool {
    let body: Result<Value, _> = serde_json::from_slice(body);
    body.is_ok_and(|body| body["jsonrpc"] == "2.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_looked_at_only_as_far_as_needed() {
        let sent = Sent::read(br#"{"id": 1, "method": "tools/call", "params": {"name": "X"}}"#);
        assert_eq!(sent.id, Some(json!(1)));
        assert_eq!(sent.name.as_deref(), Some("X"));
        assert_eq!(sent.version, None);
        for odd in [
            "5",
            "[]",
            "null",
            "{}",
            "{\"params\": 5}",
            "{\"method\": 5}",
        ] {
            assert_eq!(Sent::read(odd.as_bytes()).method, None, "{odd}");
        }
    }

    #[test]
    fn only_those_who_wait_get_an_error() {
        let error = |line: &str| Sent::read(line.as_bytes()).error("no");
        assert_eq!(error(r#"{"method": "notifications/initialized"}"#), None);
        let answer = error(r#"{"id": "a", "method": "ping"}"#).unwrap();
        assert!(is_message(&answer));
        let broken: Value = serde_json::from_slice(&error("{").unwrap()).unwrap();
        assert_eq!(
            (&broken["id"], &broken["error"]["code"]),
            (&Value::Null, &json!(-32700))
        );
    }
}
