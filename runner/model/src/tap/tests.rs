//! Replies of all protocols, whole, streamed and broken.

use super::*;

fn run(api: ModelApi, streamed: bool, pieces: &[&[u8]]) -> (TapEnd, Seen) {
    let mut tap = Tap::new(api, streamed);
    for piece in pieces {
        tap.feed(piece);
    }
    let end = tap.finish(true);
    (end, tap.seen)
}

fn stream(events: &[&str]) -> Vec<u8> {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect::<String>().into_bytes()
}

const USAGE: Usage = Usage {
    input: 95,
    cache_read: 5,
    cache_write: 0,
    output: 20,
    reasoning: 3,
};

const ANTHROPIC: &[&str] = &[
    r#"{"type":"message_start","message":{"model":"m-1","content":[],"usage":{"input_tokens":100,"cache_creation_input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"so \u00e4"}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}"#,
    r#"{"type":"message_stop"}"#,
];

#[test]
fn anthropic_streams() {
    let bytes = stream(ANTHROPIC);
    for cut in 0..bytes.len() {
        let (end, seen) = run(ModelApi::Anthropic, true, &[&bytes[..cut], &bytes[cut..]]);
        assert_eq!(end, TapEnd::Complete);
        let usage = seen.usage.unwrap();
        assert_eq!((usage.input, usage.cache_read), (100, 5));
        assert_eq!((usage.cache_write, usage.output), (7, 20));
        assert_eq!(seen.model.as_deref(), Some("m-1"));
        assert_eq!(seen.stop.as_deref(), Some("tool_use"));
        assert_eq!(seen.tool_calls[0].name, "Bash");
        assert_eq!(seen.tool_calls[0].id.as_deref(), Some("toolu_1"));
        assert!((2..20).contains(&seen.written), "{}", seen.written);
        assert!(seen.counted);
    }
}

#[test]
fn a_stream_without_its_last_event_is_cut() {
    for most in 0..ANTHROPIC.len() - 1 {
        let (end, seen) = run(ModelApi::Anthropic, true, &[&stream(&ANTHROPIC[..most])]);
        assert_eq!(end, TapEnd::Cut, "{most} events");
        assert_eq!(seen.counted, most > 5, "{most} events");
    }
}

#[test]
fn chat_streams() {
    let events = [
        r#"{"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":"abc","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"shell","arguments":"{\"c"}}]},"finish_reason":null}],"usage":null}"#,
        r#"{"model":"m-1","choices":[{"index":0,"delta":{"content":null,"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]},"finish_reason":null}]}"#,
        r#"{"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"model":"m-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":3}}}"#,
        "[DONE]",
    ];
    let (end, seen) = run(ModelApi::OpenaiChat, true, &[&stream(&events)]);
    assert_eq!(end, TapEnd::Complete);
    assert_eq!(seen.usage, Some(USAGE));
    assert_eq!(seen.tool_calls.len(), 1);
    assert_eq!(seen.written, 3 + r#"{"c":1}"#.len() as u64);
    assert_eq!(seen.stop.as_deref(), Some("tool_calls"));
}

#[test]
fn responses_stream() {
    let events = [
        r#"{"type":"response.created","response":{"model":"m-1","status":"in_progress","output":[]}}"#,
        r#"{"type":"response.output_text.delta","delta":"abcd"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"call_1","name":"exec","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"model":"m-1","status":"completed","output":[{"type":"function_call","call_id":"call_1","name":"exec","arguments":"{}"}],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":5},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":3}}}}"#,
    ];
    let (end, seen) = run(ModelApi::OpenaiResponses, true, &[&stream(&events)]);
    assert_eq!(end, TapEnd::Complete);
    assert_eq!(seen.usage, Some(USAGE));
    assert_eq!(seen.tool_calls.len(), 1, "the last event repeats the items");
    assert_eq!(seen.stop.as_deref(), Some("completed"));

    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}}"#;
    let (end, _) = run(ModelApi::OpenaiResponses, true, &[&stream(&[failed])]);
    let TapEnd::Error(error) = end else {
        panic!("{end:?}")
    };
    assert_eq!(error.describe(), "rate_limit_exceeded: slow down");
    assert_eq!(error.failure_in_stream(), FailureKind::RateLimit);
}

#[test]
fn gemini_streams_as_events_and_as_an_array() {
    let events = [
        r#"{"candidates":[{"content":{"parts":[{"text":"ab"},{"functionCall":{"name":"run","args":{}}}]}}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":1},"modelVersion":"m-1"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"c"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":5,"candidatesTokenCount":17,"thoughtsTokenCount":3},"modelVersion":"m-1"}"#,
    ];
    let array = format!("[{}]", events.join(",\r\n"));
    for (streamed, body) in [(true, stream(&events)), (false, array.into_bytes())] {
        let (end, seen) = run(ModelApi::Gemini, streamed, &[&body]);
        assert_eq!(end, TapEnd::Complete);
        assert_eq!(seen.usage, Some(USAGE));
        assert_eq!((seen.written, seen.tool_calls.len()), (5, 1));
        assert_eq!(seen.model.as_deref(), Some("m-1"));
    }
    let blocked =
        br#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}"#;
    let (end, seen) = run(ModelApi::Gemini, false, &[blocked]);
    assert_eq!(end, TapEnd::Complete);
    assert_eq!(seen.failure(), Some(FailureKind::Refusal));
}

#[test]
fn whole_replies() {
    for (api, body) in [
        (
            ModelApi::Anthropic,
            r#"{"type":"message","model":"m-1","content":[{"type":"text","text":"abc"},{"type":"tool_use","id":"t","name":"Bash","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":95,"cache_read_input_tokens":5,"output_tokens":20}}"#,
        ),
        (
            ModelApi::OpenaiChat,
            r#"{"model":"m-1","choices":[{"message":{"content":"abc","tool_calls":[{"id":"t","function":{"name":"Bash","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":5}}}"#,
        ),
        (
            ModelApi::OpenaiResponses,
            r#"{"model":"m-1","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"abc"}]},{"type":"function_call","call_id":"t","name":"Bash","arguments":"{}"}],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":5},"output_tokens":20}}"#,
        ),
        (
            ModelApi::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"abc"},{"functionCall":{"id":"t","name":"Bash","args":{}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":5,"candidatesTokenCount":20},"modelVersion":"m-1"}"#,
        ),
    ] {
        let (end, seen) = run(api, false, &[body.as_bytes()]);
        assert_eq!(end, TapEnd::Complete, "{api}");
        let usage = Usage {
            reasoning: 0,
            ..USAGE
        };
        assert_eq!(seen.usage, Some(usage), "{api}");
        assert_eq!(seen.written, 5, "{api}");
        assert_eq!(seen.tool_calls[0].id.as_deref(), Some("t"), "{api}");
        assert!(seen.counted, "{api}");
    }
}

#[test]
fn what_is_no_reply_is_said_to_be_none() {
    for api in ModelApi::ALL {
        for body in [&b""[..], b"{", b"<html>", b"{}", b"[]", b"null"] {
            let (end, _) = run(api, false, &[body]);
            assert!(
                matches!(end, TapEnd::Invalid(_)),
                "{api}: {body:?}: {end:?}"
            );
        }
        let (end, _) = run(api, true, &[b"data: {\"type\": nonsense\n\n"]);
        let TapEnd::Invalid(reason) = end else {
            panic!("{api}: {end:?}")
        };
        assert!(reason.starts_with("event 1: it is no JSON"), "{reason}");
        // JSON of another shape is not an error by itself.
        let (end, _) = run(api, true, &[b"data: [1, {\"a\": 2}]\n\n"]);
        assert_eq!(end, TapEnd::Cut, "{api}");
    }
}

#[test]
fn errors_in_the_middle_of_a_stream_are_errors() {
    let event = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for api in ModelApi::ALL {
        let (end, _) = run(api, true, &[&stream(&[event])]);
        let TapEnd::Error(error) = end else {
            panic!("{api}: {end:?}")
        };
        assert_eq!(error.describe(), "overloaded_error: Overloaded");
    }
}

#[test]
fn what_is_kept_is_bounded() {
    let name = "n".repeat(10_000);
    let call = format!(
        r#"{{"type":"content_block_start","content_block":{{"type":"tool_use","id":"{name}","name":"{name}"}}}}"#
    );
    let mut tap = Tap::new(ModelApi::Anthropic, true);
    let event = stream(&[&call]);
    for _ in 0..1000 {
        tap.feed(&event);
    }
    assert_eq!(tap.seen.tool_calls.len(), TOOL_CALLS_MAX);
    assert!(tap.seen.tool_calls[0].name.len() <= WORD);
}

#[test]
fn what_is_not_looked_at_is_complete_when_its_body_is() {
    for (ended, expected) in [(true, TapEnd::Complete), (false, TapEnd::Cut)] {
        let mut tap = Tap::opaque(ModelApi::Anthropic);
        tap.feed(b"{\"input_tokens\":10}");
        assert_eq!(tap.finish(ended), expected);
    }
    let mut packed = Tap::packed(ModelApi::Anthropic, "gzip");
    assert!(matches!(packed.finish(true), TapEnd::Invalid(_)));
}

#[test]
fn only_an_event_that_nothing_follows_is_the_last() {
    let stop = r#"{"model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let (end, seen) = run(ModelApi::OpenaiChat, true, &[&stream(&[stop])]);
    assert_eq!((end, seen.last), (TapEnd::Complete, false));
    let (_, seen) = run(ModelApi::OpenaiChat, true, &[&stream(&[stop, "[DONE]"])]);
    assert!(seen.last);
    let (_, seen) = run(ModelApi::Anthropic, true, &[&stream(ANTHROPIC)]);
    assert!(seen.last);
}

#[test]
fn a_service_may_count_tokens_by_both_of_openais_names() {
    let both = r#"{"model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"input_tokens":0,"output_tokens":0,"input_tokens_details":null,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":3}}}"#;
    let (_, seen) = run(ModelApi::OpenaiChat, true, &[&stream(&[both])]);
    assert_eq!(seen.usage, Some(USAGE));
}

#[test]
fn an_array_of_many_errors_is_read_no_more_often_than_one_of_few() {
    // Reading it once for each would take hours.
    let error = r#"{"error":{"code":500,"message":"no","status":"INTERNAL"}}"#;
    let array = format!("[{}]", vec![error; 100_000].join(","));
    let (end, _) = run(ModelApi::Gemini, false, &[array.as_bytes()]);
    let TapEnd::Error(error) = end else {
        panic!("{end:?}")
    };
    assert_eq!(error.describe(), "INTERNAL: no");
}
