//! Events of which only the length matters.
//!
//! A long reply is tens of thousands of events that each bring a few letters.
//! Reading all of them as JSON would take longer than everything else that the
//! gateway does; so those in exactly the form in which providers write them are
//! only measured. What looks otherwise is read.

use memchr::memmem;

use super::Seen;
use crate::api::ModelApi;

/// Bytes of an Anthropic event around its text.
const ANTHROPIC: usize = 80;
/// The same of responses, where identifiers are longer.
const RESPONSES: usize = 150;

/// About how many bytes the model wrote with an event that says nothing else.
/// None for an event that has to be read.
pub(super) fn written(api: ModelApi, data: &[u8], seen: &Seen) -> Option<u64> {
    let data = data.trim_ascii_end();
    if !data.ends_with(b"}") {
        return None;
    }
    let length = match api {
        ModelApi::Anthropic => {
            let delta = data.starts_with(b"{\"type\":\"content_block_delta\",");
            (delta && data.ends_with(b"\"}}")).then(|| data.len().saturating_sub(ANTHROPIC))
        }
        ModelApi::OpenaiResponses => {
            let rest = data.strip_prefix(b"{\"type\":\"response.")?;
            let end = memchr::memchr(b'"', rest)?;
            let delta = rest[..end].ends_with(b".delta");
            delta.then(|| data.len().saturating_sub(RESPONSES))
        }
        ModelApi::OpenaiChat => chat(data, seen),
        ModelApi::Gemini => None,
    };
    length.map(|length| length as u64)
}

fn chat(data: &[u8], seen: &Seen) -> Option<usize> {
    // The first event names the model.
    seen.model.as_ref()?;
    memmem::find(data, b"\"finish_reason\":null")?;
    let telling: [&[u8]; 3] = [b"\"tool_calls\"", b"\"usage\":{", b"\"error\""];
    if telling.iter().any(|it| memmem::find(data, it).is_some()) {
        return None;
    }
    let begin = b"\"content\":\"";
    let start = memmem::find(data, begin)? + begin.len();
    let length = memmem::find(&data[start..], b"\"}")?;
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(api: ModelApi, data: &str) -> Option<u64> {
        let seen = Seen {
            model: Some("m".to_owned()),
            ..Seen::default()
        };
        written(api, data.as_bytes(), &seen)
    }

    #[test]
    fn letters_are_measured_and_everything_else_is_read() {
        use ModelApi::{Anthropic, Gemini, OpenaiChat, OpenaiResponses};
        let chat = |delta: &str, rest: &str| {
            format!(r#"{{"id":"c","choices":[{{"index":0,"delta":{delta},{rest}}}],"usage":null}}"#)
        };
        let text = "x".repeat(40);
        let letters = format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}  "#
        );
        assert!(of(Anthropic, &letters).unwrap().abs_diff(40) < 5);
        let delta = format!(
            r#"{{"type":"response.output_text.delta","content_index":0,"delta":"{text}","item_id":"msg_0123456789ab","output_index":0,"sequence_number":4}}"#
        );
        assert!(of(OpenaiResponses, &delta).unwrap().abs_diff(40) < 40);
        let content = format!(r#"{{"content":"{text}"}}"#);
        assert_eq!(
            of(OpenaiChat, &chat(&content, r#""finish_reason":null"#)),
            Some(40)
        );

        for (api, data) in [
            (
                Anthropic,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned(),
            ),
            (
                Anthropic,
                letters.trim_end().trim_end_matches('}').to_owned(),
            ),
            (
                OpenaiResponses,
                r#"{"type":"response.completed","response":{}}"#.to_owned(),
            ),
            (OpenaiResponses, r#"{"type":"error"}"#.to_owned()),
            (OpenaiChat, chat(&content, r#""finish_reason":"stop""#)),
            (
                OpenaiChat,
                chat(
                    r#"{"tool_calls":[],"content":"x"}"#,
                    r#""finish_reason":null"#,
                ),
            ),
            (
                OpenaiChat,
                r#"{"choices":[],"usage":{"prompt_tokens":1}}"#.to_owned(),
            ),
            (Gemini, letters.clone()),
        ] {
            assert_eq!(of(api, &data), None, "{data}");
        }
    }
}
