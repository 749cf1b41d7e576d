//! Content that the provider would fetch from an address.

use bytes::Bytes;
use serde_json::{Map, Value};

/// There is such content, or something that cannot be told from it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// It is at this address.
    At(String),
    /// The body names such a field, and cannot be read.
    Unreadable,
}

/// Names that stand where content is named by its address: in blocks of
/// Anthropic's (`{"type": "url", "url"}`), in parts of `OpenAI`'s two APIs and of
/// servers like theirs, in parts of Gemini's.
const NAMES: &[&str] = &[
    "url",
    "image_url",
    "file_url",
    "video_url",
    "audio_url",
    "fileUri",
    "file_uri",
];
/// Characters of an address that a message shows.
const SHOWN: usize = 100;

/// Looks for content that the provider would fetch: a way out of the world for
/// whatever an agent puts into the address.
pub(super) fn look(body: &Bytes) -> Result<(), Fetched> {
    if !suspicious(body) {
        return Ok(());
    }
    let body: Value = serde_json::from_slice(body).map_err(|_| Fetched::Unreadable)?;
    let Value::Object(fields) = &body else {
        return Ok(());
    };
    fields
        .iter()
        .filter(|(name, _)| !["tools", "functions"].contains(&name.as_str()))
        .try_for_each(|(_, field)| walk(field))
}

/// Whether a name occurs as a JSON string of its own, not inside of a text, or
/// could be hidden by an escape: nobody has to write printable ASCII as one.
fn suspicious(body: &[u8]) -> bool {
    let escaped = |at: usize| matches!(body.get(at + 4), Some(b'2'..=b'7'));
    memchr::memmem::find_iter(body, br"\u00").any(escaped)
        || NAMES.iter().any(|name| {
            let quoted = format!("\"{name}\"");
            memchr::memmem::find(body, quoted.as_bytes()).is_some()
        })
}

/// `value` has at most the nesting that the JSON reader admits.
fn walk(value: &Value) -> Result<(), Fetched> {
    match value {
        Value::Array(items) => items.iter().try_for_each(walk),
        Value::Object(fields) => {
            if let Some(address) = address(fields) {
                return Err(Fetched::At(address.chars().take(SHOWN).collect()));
            }
            fields
                .iter()
                .filter(|(name, _)| !is_data(fields, name))
                .try_for_each(|(_, field)| walk(field))
        }
        _ => Ok(()),
    }
}

/// Whether the field `name` holds what a tool was called with or answered, which
/// means nothing to the provider.
fn is_data(fields: &Map<String, Value>, name: &str) -> bool {
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("");
    match name {
        "input" => kind.ends_with("tool_use"),
        "functionCall" | "function_call" => true,
        _ => false,
    }
}

fn address(fields: &Map<String, Value>) -> Option<&str> {
    let named = |name: &str| {
        let field = fields.get(name)?;
        field.as_str().or_else(|| field.get("url")?.as_str())
    };
    NAMES
        .iter()
        .filter(|name| **name != "url" || fields.get("type").is_some_and(|kind| kind == "url"))
        .filter_map(|name| named(name))
        .find(|address| is_remote(address))
}

/// Whether an address is more than the content itself.
fn is_remote(address: &str) -> bool {
    let start = address.trim_start().get(..5);
    !start.is_some_and(|start| start.eq_ignore_ascii_case("data:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(body: &str) -> Result<(), Fetched> {
        look(&Bytes::copy_from_slice(body.as_bytes()))
    }

    #[test]
    fn content_at_an_address_is_found() {
        for body in [
            r#"{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x.test/?d=1"}}]}]}"#,
            r#"{"messages":[{"content":[{"type":"tool_result","content":[{"type":"document","source":{"url":"https://x.test/?d=1","type":"url"}}]}]}]}"#,
            r#"{"messages":[{"content":[{"type":"image_url","image_url":{"url":"https://x.test/?d=1"}}]}]}"#,
            r#"{"messages":[{"content":[{"type":"image_url","image_url":"https://x.test/?d=1"}]}]}"#,
            r#"{"messages":[{"content":[{"type":"image_url","image_\u0075rl":"https://x.test/?d=1"}]}]}"#,
            r#"{"input":[{"type":"message","content":[{"type":"input_image","image_url":"https://x.test/?d=1"}]}]}"#,
            r#"{"input":[{"content":[{"type":"input_file","file_url":"https://x.test/?d=1"}]}]}"#,
            r#"{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"https://x.test/?d=1"}}]}]}"#,
            r#"{"contents":[{"parts":[{"file_data":{"file_uri":"https://x.test/?d=1"}}]}]}"#,
        ] {
            let expected = Fetched::At("https://x.test/?d=1".to_owned());
            assert_eq!(looked(body), Err(expected), "{body}");
        }
    }

    #[test]
    fn content_itself_and_what_only_speaks_of_addresses_pass() {
        for body in [
            r#"{"messages":[{"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}"#,
            r#"{"messages":[{"content":"see \"image_url\": https://x.test"}]}"#,
            r#"{"tools":[{"input_schema":{"properties":{"url":{"type":"string"}}}}],"messages":[]}"#,
            r#"{"messages":[{"content":[{"type":"tool_use","name":"fetch","input":{"type":"url","url":"https://x.test"}}]}]}"#,
            r#"{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"file_uri":"https://x.test"}}}]}]}"#,
            r#"{"messages":[{"content":"\u001b[31m \u00e9"}]}"#,
        ] {
            assert_eq!(looked(body), Ok(()), "{body}");
        }
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let body = format!(r#"{{"messages":{deep},"url":1}}"#);
        assert_eq!(looked(&body), Err(Fetched::Unreadable));
    }
}
