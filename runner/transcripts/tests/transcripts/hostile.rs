//! Files that nobody should have.

use proctor_transcripts::{Format, NativeEnd, NativeFile, ReadError, ReadLimits, read};
use proctor_types::transcript::Part;

use crate::{file, read_all, sample, told, usage};

/// Forms that are read line by line.
const LINES: [Format; 7] = [
    Format::ClaudeCode,
    Format::Codex,
    Format::Gemini,
    Format::Opencode,
    Format::Openclaw,
    Format::Pi,
    Format::Canonical,
];

#[test]
fn what_is_nothing_is_refused_with_file_line_and_sample() {
    let deep = "[".repeat(1_000_000);
    let deep_object = format!("{}1{}", r#"{"a":"#.repeat(1_000_000), "}".repeat(1_000_000));
    let long_name = "x".repeat(100_000);
    let attacks: Vec<(&str, Vec<u8>)> = vec![
        ("prose", b"Segmentation fault (core dumped)\n".to_vec()),
        ("NUL", b"\0\0\0\0".to_vec()),
        ("not UTF-8", b"\xff\xfe\x80{".to_vec()),
        ("an array", b"[1,2,3]\n".to_vec()),
        ("numbers", b"1\n2\n3\n".to_vec()),
        ("nested arrays", deep.into_bytes()),
        ("nested objects", deep_object.into_bytes()),
        ("other objects", b"{\"hello\":\"world\"}\n".to_vec()),
        (
            "a type of another kind",
            b"{\"type\":{\"type\":1}}\n".to_vec(),
        ),
        ("an escape sequence", b"\x1b]0;owned\x07\x1b[2J\n".to_vec()),
        (
            "a long type",
            format!("{{\"type\":\"{long_name}\"}}").into_bytes(),
        ),
        ("an infinite number", b"{\"type\":1e999}\n".to_vec()),
    ];
    for format in LINES {
        for (attack, bytes) in &attacks {
            let bytes = [b"\n", bytes.as_slice()].concat();
            let read = read_all(format, &[NativeFile::new("out\u{1b}", bytes)]);
            let Err(error) = read else {
                panic!("{format} took {attack}");
            };
            let words = error.to_string();
            // Our own events may have any type, if only there is a message too.
            if format == Format::Canonical && *attack == "a long type" {
                assert!(words.contains("no message among them"), "{words}");
                continue;
            }
            assert!(
                words.starts_with(&format!("out\\u{{1b}}:2: nothing of it is {format}: ")),
                "{format}, {attack}: {words}"
            );
            assert!(
                words.len() < 1000 && !words.contains(char::is_control),
                "{words}"
            );
        }
        for (attack, bytes) in [("empty", ""), ("blank", "\n \n\n")] {
            let error = read_all(format, &[file("out", bytes)]).unwrap_err();
            assert!(
                matches!(error, ReadError::NoMessages { events: 0, .. }),
                "{format}, {attack}: {error}"
            );
        }
        let error = read_all(format, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the agent left no file to read as {format}")
        );
    }
}

#[test]
fn strange_lines_among_good_ones_are_kept_in_their_place() {
    let good = String::from_utf8(sample("claude.stream.jsonl").bytes).unwrap();
    let mut lines: Vec<&str> = good.lines().collect();
    let deep = format!(
        "{{\"type\":\"user\",\"x\":{}{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    lines.insert(3, "(node:7) Warning: something");
    lines.insert(4, r#"{"type":"rate_limit_event","x":1}"#);
    lines.insert(5, &deep);
    lines.insert(6, r#"{"type":"assistant","message":"none"}"#);
    let read = read_all(Format::ClaudeCode, &[file("out", lines.join("\n"))]).unwrap();
    let told = told(&read);
    assert_eq!(
        told[1..5],
        ["raw ?", "raw rate_limit_event", "raw ?", "raw assistant"]
    );
    assert!(told[5].starts_with("Bash #"), "{told:?}");
    assert_eq!(read.unknown.count, 4);
    assert_eq!(read.unknown.samples.len(), 4);
    assert!(read.unknown.samples[2].contains("out:6: nested more than 100 deep: {"));
    assert_eq!(read.events[1].other["event"], "(node:7) Warning: something");
    assert_eq!(read.events[1].other["agent"], "claude-code");
    assert_eq!(read.usage, usage(201, 10, 14, 40, 0));
}

#[test]
fn a_torn_last_line_is_told_and_the_run_has_no_end() {
    for (format, name) in [
        (Format::ClaudeCode, "claude.stream.jsonl"),
        (Format::Codex, "codex.exec.jsonl"),
        (Format::Gemini, "gemini.stream.jsonl"),
    ] {
        let mut torn = sample(name);
        torn.bytes.truncate(torn.bytes.len() - 20);
        let read = read_all(format, &[torn]).unwrap();
        assert_eq!(read.end, None, "{name}");
        assert_eq!(read.unknown.count, 0, "{name}");
        assert!(
            read.warnings
                .iter()
                .any(|warning| warning.contains("the last line is torn")),
            "{name}: {:?}",
            read.warnings
        );
    }
    // Without a result, the replies' own counts are all there is.
    let mut torn = sample("claude.stream.jsonl");
    torn.bytes.truncate(torn.bytes.len() - 20);
    let read = read_all(Format::ClaudeCode, &[torn]).unwrap();
    assert_eq!(read.usage, usage(201, 10, 14, 2, 0));
    // In the middle of a file it is no torn line, but a strange one.
    let read = read_all(
        Format::Canonical,
        &[file(
            "out",
            "{\"type\":\"mes\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n",
        )],
    );
    assert_eq!(read.unwrap().unknown.count, 1);
}

#[test]
fn every_sample_can_be_cut_anywhere_without_harm() {
    for (format, name) in [
        (Format::ClaudeCode, "claude.session.jsonl"),
        (Format::Codex, "codex.rollout.jsonl"),
        (Format::Gemini, "gemini.session.jsonl"),
        (Format::Opencode, "opencode.export.json"),
        (Format::Openclaw, "openclaw-2026.9.6.exec.json"),
        (Format::Pi, "pi.stream.jsonl"),
        (Format::Atif, "atif.json"),
    ] {
        let whole = sample(name);
        for end in (0..whole.bytes.len()).step_by(101) {
            let cut = NativeFile::new(name, &whole.bytes[..end]);
            match read_all(format, &[cut]) {
                Ok(read) => assert!(!read.events.is_empty(), "{name} cut at {end}"),
                Err(error) => assert!(
                    error.to_string().starts_with(name),
                    "{name} cut at {end}: {error}"
                ),
            }
        }
    }
}

fn assistant(id: &str, block: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","stop_reason":"tool_use","usage":{{"input_tokens":10,"output_tokens":5}},"content":[{block}]}},"sessionId":"s"}}"#
    )
}

fn answers(ids: &[&str]) -> String {
    let blocks: Vec<String> = ids
        .iter()
        .map(|id| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"of {id}"}}"#))
        .collect();
    format!(
        r#"{{"type":"user","message":{{"content":[{}]}},"sessionId":"s"}}"#,
        blocks.join(",")
    )
}

#[test]
fn identifiers_are_unique_results_pair_and_usage_counts_once() {
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
    let lines = [
        answers(&["early"]),
        assistant("m1", &call("a")),
        assistant("m1", &call("a")),
        assistant("m1", &call("early")),
        answers(&["a", "a", "a", "nobody", "early"]),
        assistant("m2", r#"{"type":"text","text":"done"}"#),
    ];
    let read = read_all(Format::ClaudeCode, &[file("s", lines.join("\n"))]).unwrap();
    assert_eq!(
        told(&read),
        [
            "? #early: of early",
            "agent: Bash{} #a | Bash{} #a#2 | Bash{} #early#2",
            "Bash #a: of a",
            "Bash #a#2: of a",
            "Bash #a#2: of a",
            "? #nobody: of nobody",
            "Bash #early#2: of early",
            "agent: done",
        ]
    );
    assert_eq!(read.usage, usage(20, 0, 0, 10, 0));
    assert_eq!(
        read.warnings,
        [
            "a result without a call: early",
            "a call with more than one result: a",
            "a result without a call: nobody",
        ]
    );
}

#[test]
fn bounds_are_told_with_the_place() {
    let line = r#"{"type":"message","message":{"role":"user","content":"hello"}}"#;
    let many = format!("{line}\n").repeat(50);
    let files = [file("s", many)];
    let limits = ReadLimits::default();
    for (limits, expected) in [
        (
            ReadLimits {
                events: 10,
                ..limits
            },
            "s:11: more than 10 events",
        ),
        (
            ReadLimits {
                line_bytes: 20,
                ..limits
            },
            "s:1: more than 20 bytes in a line",
        ),
        (
            ReadLimits {
                values: 100,
                ..limits
            },
            "s:21: more than 100 JSON values",
        ),
        (
            ReadLimits {
                bytes: 3000,
                ..limits
            },
            "s: more than 3000 bytes of native files",
        ),
        (ReadLimits { files: 0, ..limits }, "s: more than 0 files"),
    ] {
        let error = read(Format::Canonical, &files, &limits).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn json_values_are_counted_across_files_and_into_texts() {
    let limits = ReadLimits {
        values: 200,
        ..ReadLimits::default()
    };
    // 105 values, with the message around them.
    let said = |list: &str| {
        format!(
            r#"{{"type":"message","message":{{"role":"user","content":"hello"}},"x":[{list}]}}"#
        )
    };
    let list = ["0"; 99].join(",");
    let one = [file("a", said(&list))];
    read(Format::Canonical, &one, &limits).unwrap();
    let two = [file("a", said(&list)), file("b", said(&list))];
    let error = read(Format::Canonical, &two, &limits).unwrap_err();
    assert_eq!(error.to_string(), "b:1: more than 200 JSON values");

    // Documents are read whole, and two of them are kept at the same time.
    let document = format!(
        r#"{{"info":{{"id":"s"}},"messages":[{{"info":{{"role":"user"}},"parts":[{{"type":"text","text":"hi"}}],"x":[{list}]}}]}}"#
    );
    read(Format::Opencode, &[file("a", &document)], &limits).unwrap();
    let two = [file("a", &document), file("b", &document)];
    let error = read(Format::Opencode, &two, &limits).unwrap_err();
    assert_eq!(error.to_string(), "b: more than 200 JSON values");
    // One that is too large by itself is no file of strange lines.
    let spread = document.replace(',', ",\n");
    let few = ReadLimits {
        values: 100,
        ..limits
    };
    for format in [Format::Opencode, Format::Openclaw, Format::Gemini] {
        let error = read(format, &[file("a", &spread)], &few).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a: more than 100 JSON values",
            "{format}"
        );
    }

    // JSON inside of a text counts like the line that it is in; prose does not.
    let call = |arguments: &str| {
        let arguments = serde_json::Value::from(arguments);
        format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call","name":"x","call_id":"1","arguments":{arguments}}}}}"#
        )
    };
    let calls = |arguments: &str| {
        file(
            "a",
            (0..8)
                .map(|_| call(arguments))
                .collect::<Vec<_>>()
                .join("\n"),
        )
    };
    let small = ["0"; 20].join(",");
    read(Format::Codex, &[calls(&small)], &limits).unwrap();
    let error = read(
        Format::Codex,
        &[calls(&format!(r#"{{"x":[{small}]}}"#))],
        &limits,
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "a:7: more than 200 JSON values");
}

#[test]
fn long_texts_are_cut_on_both_sides_and_that_is_told() {
    let limits = ReadLimits {
        text_bytes: 101,
        ..ReadLimits::default()
    };
    let long = "é".repeat(100);
    let lines = [
        format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"1","name":"exec","arguments":{{"command":"{long}","deep":[{{"x":"{long}"}}]}}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"1","content":"{long}"}}}}"#
        ),
    ];
    let read = read(Format::Canonical, &[file("s", lines.join("\n"))], &limits).unwrap();
    let message = |index: usize| read.events[index].message.as_ref().unwrap();
    let Part::ToolCall(call) = &message(0).content[0] else {
        panic!("no call");
    };
    assert_eq!(call.command().map(str::len), Some(100));
    assert_eq!(
        call.arguments["deep"][0]["x"].as_str().map(str::len),
        Some(100)
    );
    assert_eq!(message(1).text().len(), 100);
    assert_eq!(
        message(1).details.as_ref().unwrap().truncated_bytes,
        Some(100)
    );
    assert_eq!(read.warnings, ["texts were cut by 300 bytes in all"]);
}

#[test]
fn one_reply_for_a_whole_session_does_not_move_words_through_time() {
    let lines = [
        assistant("same", r#"{"type":"text","text":"one"}"#),
        r#"{"type":"user","message":{"content":"stop"},"sessionId":"s"}"#.to_owned(),
        assistant("same", r#"{"type":"text","text":"two"}"#),
    ];
    let read = read_all(Format::ClaudeCode, &[file("s", lines.join("\n"))]).unwrap();
    assert_eq!(told(&read), ["agent: one", "user: stop", "agent: two"]);
    assert_eq!(read.usage, usage(10, 0, 0, 5, 0));
}

#[test]
fn numbers_that_cannot_be_do_not_count() {
    let result = r#"{"type":"result","session_id":"s","is_error":false,"result":"x","num_turns":-1,"total_cost_usd":-5,"usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":18446744073709551615,"output_tokens":1.5}}"#;
    let said = r#"{"type":"assistant","session_id":"s","message":{"id":"m","content":"x","usage":{"input_tokens":"many"}}}"#;
    let read = read_all(
        Format::ClaudeCode,
        &[file("s", format!("{said}\n{result}\n"))],
    )
    .unwrap();
    assert_eq!((read.turns, read.cost_usd), (None, None));
    assert_eq!(read.usage.unwrap().total(), u64::MAX);
    assert_eq!(read.end, Some(NativeEnd::Completed));
}

#[test]
fn halves_of_surrogate_pairs_are_no_garbage() {
    let line = r#"{"type":"message","message":{"role":"user","content":"cut \ud83d"}}"#;
    let read = read_all(Format::Canonical, &[file("s", line)]).unwrap();
    assert_eq!(told(&read), ["user: cut \u{fffd}"]);
}

#[test]
fn one_account_will_do_where_the_other_is_broken() {
    let broken = file("rollout", "{\"payload\":{}}\n");
    let read = read_all(Format::Codex, &[broken, sample("codex.exec.jsonl")]).unwrap();
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert!(
        read.warnings
            .iter()
            .any(|warning| warning.starts_with("rollout:1: nothing of it is codex")),
        "{:?}",
        read.warnings
    );
}
