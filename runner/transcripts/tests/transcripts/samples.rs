//! What real agents left behind. Each wrote "hello" with one command; the
//! numbers are those of the samples, added up by hand.

use proctor_transcripts::{Format, NativeEnd};
use proctor_types::manifest::FailureKind;

use crate::{failure, file, read_all, sample, told, transcript, usage, usages};

const DONE: &str = "Done: wrote task_summary.md.";

#[test]
fn claude_code_stream() {
    let read = transcript(Format::ClaudeCode, &["claude.stream.jsonl"]);
    assert_eq!(
        told(&read),
        [
            r#"agent: I will write the file. | Bash{"command":"echo hello > task_summary.md","description":"write hello"} #toolu_66184481d90a1"#,
            "Bash #toolu_66184481d90a1: (Bash completed with no output)",
            "agent: Done: wrote task_summary.md.",
        ]
    );
    // Its messages have one token of output each; the result has them all.
    assert_eq!(read.usage, usage(201, 10, 14, 40, 0));
    assert_eq!(usages(&read), [None, None]);
    assert_eq!(read.models, ["claude-opus-4-8"]);
    assert_eq!(
        read.session_id.as_deref(),
        Some("8d96eb46-11f6-4461-9f74-127e19872ab1")
    );
    assert_eq!(read.version.as_deref(), Some("2.1.197"));
    assert_eq!(read.final_text.as_deref(), Some(DONE));
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!((read.turns, read.cost_usd), (Some(2), Some(0.003_143_75)));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    assert!(read.warnings.is_empty() && !read.has_prompt());
    assert_eq!(
        read.events[1].timestamp.as_deref(),
        Some("2026-11-30T20:30:33.807Z")
    );
}

#[test]
fn claude_code_session_and_both() {
    let session = transcript(Format::ClaudeCode, &["claude.session.jsonl"]);
    let both = transcript(
        Format::ClaudeCode,
        &["claude.stream.jsonl", "claude.session.jsonl"],
    );
    for read in [&session, &both] {
        assert_eq!(
            told(read),
            [
                "user: Write hello to task_summary.md",
                r#"agent: I will write the file. | Bash{"command":"echo hello > task_summary.md","description":"write hello"} #toolu_66184481d90a1"#,
                "Bash #toolu_66184481d90a1: (Bash completed with no output)",
                "agent: Done: wrote task_summary.md.",
            ]
        );
        assert_eq!(read.usage, usage(201, 10, 14, 40, 0));
        assert_eq!(
            usages(read),
            [usage(100, 5, 7, 20, 0), usage(101, 5, 7, 20, 0)]
        );
        assert_eq!(read.end, Some(NativeEnd::Completed));
        assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    }
    assert_eq!((session.turns, session.cost_usd), (None, None));
    assert_eq!((both.turns, both.cost_usd), (Some(2), Some(0.003_143_75)));
}

#[test]
fn claude_code_failures() {
    let stream = transcript(Format::ClaudeCode, &["claude-401.stream.jsonl"]);
    // `subtype` says success.
    assert_eq!(failure(&stream), Some(FailureKind::Authentication));
    assert!(stream.models.iter().all(|model| model != "<synthetic>"));
    let session = transcript(Format::ClaudeCode, &["claude-401.session.jsonl"]);
    assert_eq!(failure(&session), Some(FailureKind::Authentication));
    let turns = transcript(Format::ClaudeCode, &["claude-turns.stream.jsonl"]);
    assert_eq!(failure(&turns), Some(FailureKind::Turns));
    assert_eq!(
        turns.end,
        Some(NativeEnd::Failed {
            failure: Some(FailureKind::Turns),
            reason: "Reached maximum number of turns (1)".to_owned()
        })
    );
    let exit = transcript(Format::ClaudeCode, &["claude-exit3.stream.jsonl"]);
    assert_eq!(
        told(&exit)[1],
        "Bash #toolu_66190f5f48c04 exit 3 error: Exit code 3/1/2/3/600"
    );
}

#[test]
fn codex_exec() {
    let read = transcript(Format::Codex, &["codex.exec.jsonl"]);
    assert_eq!(
        told(&read),
        [
            "raw error",
            r#"agent: I will write the file. | command_execution{"command":"/bin/bash -lc 'echo hello > task_summary.md'"} #item_2"#,
            "command_execution #item_2 exit 0: ",
            "agent: Done: wrote task_summary.md.",
        ]
    );
    assert_eq!(read.usage, usage(191, 10, 0, 40, 6));
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!(
        read.session_id.as_deref(),
        Some("01a22e26-f466-7692-8d5f-b3757e4e5a74")
    );
    assert_eq!(read.final_text.as_deref(), Some(DONE));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
    assert!(read.warnings[0].contains("Model metadata for `fake-model` not found"));
}

#[test]
fn codex_rollout_and_both() {
    let rollout = transcript(Format::Codex, &["codex.rollout.jsonl"]);
    let both = transcript(Format::Codex, &["codex.exec.jsonl", "codex.rollout.jsonl"]);
    for read in [&rollout, &both] {
        assert_eq!(
            told(read),
            [
                "system",
                "system",
                "user: Write hello to task_summary.md",
                r#"agent: I will write the file. | exec_command{"cmd":"echo hello > task_summary.md"} #call_66184482bb160"#,
                "exec_command #call_66184482bb160 exit 0: Chunk ID: 4257dd/Wall time: 0.0000 seconds/Process exited with code 0/Original token count: 0/Output:/",
                "agent: Done: wrote task_summary.md.",
            ]
        );
        assert_eq!(read.usage, usage(191, 10, 0, 40, 6));
        assert_eq!(
            usages(read),
            [usage(95, 5, 0, 20, 3), usage(96, 5, 0, 20, 3)]
        );
        assert_eq!(read.models, ["fake-model"]);
        assert_eq!(read.version.as_deref(), Some("0.171.0"));
        assert_eq!(read.end, Some(NativeEnd::Completed));
        assert_eq!(read.final_text.as_deref(), Some(DONE));
        assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    }
    let command = rollout.events.iter().find_map(|event| {
        event
            .message
            .as_ref()?
            .content
            .iter()
            .find_map(|part| match part {
                proctor_types::transcript::Part::ToolCall(call) => call.command(),
                _ => None,
            })
    });
    assert_eq!(command, Some("echo hello > task_summary.md"));
}

#[test]
fn codex_failures() {
    for (names, expected) in [
        (&["codex-401.exec.jsonl"][..], FailureKind::Authentication),
        (&["codex-429.exec.jsonl"], FailureKind::RateLimit),
        (&["codex-401.rollout.jsonl"], FailureKind::Authentication),
        (
            &["codex-401.exec.jsonl", "codex-401.rollout.jsonl"],
            FailureKind::Authentication,
        ),
    ] {
        let read = transcript(Format::Codex, names);
        assert_eq!(failure(&read), Some(expected), "{names:?}");
        assert!(!read.events.is_empty(), "{names:?}");
    }
    let exec = transcript(Format::Codex, &["codex-exit3.exec.jsonl"]);
    assert_eq!(
        told(&exec)[2],
        "command_execution #item_2 exit 3 error: 1/2/3/600/"
    );
    assert_eq!(exec.end, Some(NativeEnd::Completed));
    let rollout = transcript(Format::Codex, &["codex-exit3.rollout.jsonl"]);
    let result = told(&rollout)
        .into_iter()
        .find(|line| line.starts_with("exec_command"));
    assert!(
        result
            .unwrap()
            .starts_with("exec_command #call_66190f5d3e09d exit 3 error: Chunk ID")
    );
}

#[test]
fn gemini_stream() {
    let read = transcript(Format::Gemini, &["gemini.stream.jsonl"]);
    assert_eq!(
        told(&read),
        [
            "user: Write hello to task_summary.md",
            r#"agent: I will write the file. | run_shell_command{"command":"echo hello > task_summary.md","description":"write hello"} #run_shell_command__fc_661844850125a"#,
            "run_shell_command #run_shell_command__fc_661844850125a: ",
            "agent: Done: wrote task_summary.md.",
        ]
    );
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(read.models, ["gemini-2.5-pro"]);
    assert_eq!(
        read.session_id.as_deref(),
        Some("a3c10ec7-d103-4d03-b935-d7b3ea2066de")
    );
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    let failed = transcript(Format::Gemini, &["gemini-401.stream.jsonl"]);
    assert_eq!(failure(&failed), Some(FailureKind::Authentication));
}

#[test]
fn gemini_deltas_are_one_text() {
    let stream = [
        r#"{"type":"init","session_id":"s","model":"m"}"#,
        r#"{"type":"message","role":"assistant","content":"He","delta":true}"#,
        r#"{"type":"message","role":"assistant","content":"llo","delta":true}"#,
        r#"{"type":"tool_use","tool_name":"t","tool_id":"1","parameters":{}}"#,
        r#"{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"x","message":"no"}}"#,
        r#"{"type":"message","role":"assistant","content":"By","delta":true}"#,
        r#"{"type":"message","role":"assistant","content":"e","delta":true}"#,
        "",
    ];
    let read = read_all(Format::Gemini, &[file("out", stream.join("\n"))]).unwrap();
    assert_eq!(
        told(&read),
        ["agent: Hello | t{} #1", "t #1 error: no", "agent: Bye"]
    );
    assert_eq!((read.end, read.final_text.as_deref()), (None, Some("Bye")));
}

#[test]
fn gemini_session() {
    let read = transcript(Format::Gemini, &["gemini.session.jsonl"]);
    assert_eq!(
        told(&read),
        [
            "system",
            "user: Write hello to task_summary.md",
            r#"agent: I will write the file. | run_shell_command{"command":"echo hello > task_summary.md","description":"write hello"} #run_shell_command__fc_661844850125a"#,
            "run_shell_command #run_shell_command__fc_661844850125a: <untrusted_context>/Output: (empty)/Process Group PGID: 20753/</untrusted_context>",
            "agent: Done: wrote task_summary.md.",
        ]
    );
    // The message that is there twice is counted once.
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(
        usages(&read),
        [usage(95, 5, 0, 20, 0), usage(96, 5, 0, 20, 0)]
    );
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    let exit = transcript(Format::Gemini, &["gemini-exit3.session.jsonl"]);
    let result = told(&exit)
        .into_iter()
        .find(|line| line.contains(" exit 3"));
    assert!(result.is_some(), "{:?}", told(&exit));
}

#[test]
fn opencode_run_and_export() {
    let call = r#"agent: I will write the file. | bash{"command":"echo hello > task_summary.md"} #call_66184496708b7"#;
    let result = "bash #call_66184496708b7 exit 0: (no output)";
    let run = transcript(Format::Opencode, &["opencode.run.jsonl"]);
    assert_eq!(
        told(&run),
        [call, result, "agent: Done: wrote task_summary.md."]
    );
    let export = transcript(Format::Opencode, &["opencode.export.json"]);
    let prompt = "user: \"Write hello to task_summary.md\"";
    assert_eq!(
        told(&export),
        [prompt, call, result, "agent: Done: wrote task_summary.md."]
    );
    let both = transcript(
        Format::Opencode,
        &["opencode.run.jsonl", "opencode.export.json"],
    );
    assert_eq!(told(&both), told(&export));
    for read in [&run, &export, &both] {
        assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
        assert_eq!(
            usages(read),
            [usage(95, 5, 0, 20, 0), usage(96, 5, 0, 20, 0)]
        );
        assert_eq!(read.end, Some(NativeEnd::Completed));
        assert!(
            (read.cost_usd.unwrap() - 0.000_271).abs() < 1e-9,
            "{:?}",
            read.cost_usd
        );
        assert_eq!(
            read.session_id.as_deref(),
            Some("ses_dd1d8bfceffeelhprB28QfVzAN")
        );
        assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    }
    assert_eq!(export.models, ["fake-model"]);
    let details = run.events[1]
        .message
        .as_ref()
        .unwrap()
        .details
        .clone()
        .unwrap();
    assert_eq!(details.duration_ms, Some(72));
    let failed = transcript(Format::Opencode, &["opencode-401.run.jsonl"]);
    assert_eq!(failure(&failed), Some(FailureKind::Authentication));
}

#[test]
fn openclaw_session_and_result() {
    for (names, cost, turns) in [
        (&["openclaw-2026.7.1.session.jsonl"][..], 0.000_272, None),
        (&["openclaw-2026.9.6.session.jsonl"], 0.000_272, None),
        (
            &[
                "openclaw-2026.9.6.session.jsonl",
                "openclaw-2026.9.6.exec.json",
            ],
            0.000_272,
            Some(2),
        ),
    ] {
        let read = transcript(Format::Openclaw, names);
        let lines = told(&read);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert_eq!(lines[0], "user: Write hello to task_summary.md");
        assert!(lines[1].starts_with(r#"agent: I will write the file. | exec{"command":"echo hello > task_summary.md"} #call_6618"#));
        assert!(
            lines[2].starts_with("exec #call_6618") && lines[2].ends_with(" exit 0: (no output)")
        );
        assert_eq!(lines[3], "agent: Done: wrote task_summary.md.");
        assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
        assert_eq!(
            usages(&read),
            [usage(95, 5, 0, 20, 0), usage(96, 5, 0, 20, 0)]
        );
        assert!(
            (read.cost_usd.unwrap() - cost).abs() < 1e-9,
            "{:?}",
            read.cost_usd
        );
        assert_eq!(read.turns, turns);
        assert_eq!(read.session_id.as_deref(), Some("s1"));
        assert_eq!(read.models, ["fake-model"]);
        assert_eq!(read.end, Some(NativeEnd::Completed));
        assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
        let reply = read.events[1].message.as_ref().unwrap();
        assert_eq!(reply.stop_reason.as_deref(), Some("toolUse"));
    }
    let result = transcript(Format::Openclaw, &["openclaw-2026.9.6.exec.json"]);
    assert_eq!(told(&result), ["agent: Done: wrote task_summary.md."]);
    assert_eq!(result.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(
        (result.turns, result.end),
        (Some(2), Some(NativeEnd::Completed))
    );
    let failed = transcript(Format::Openclaw, &["openclaw-401.exec.json"]);
    assert_eq!(failure(&failed), Some(FailureKind::Authentication));
    assert_eq!(told(&failed), ["raw error"]);
}

#[test]
fn openclaw_agent_local() {
    let printed = r#"{"payloads":[{"text":"Done.","mediaUrl":null}],"meta":{"durationMs":27656,"agentMeta":{"sessionId":"s1","model":"fake-model","usage":{"input":191,"output":40,"cacheRead":10,"cacheWrite":0,"total":241},"assistantTurns":2,"costUsd":0.000272},"aborted":false}}"#;
    let read = read_all(Format::Openclaw, &[file("out", printed)]).unwrap();
    assert_eq!(told(&read), ["agent: Done."]);
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!((read.turns, read.cost_usd), (Some(2), Some(0.000_272)));
    assert_eq!(read.session_id.as_deref(), Some("s1"));
}

#[test]
fn pi_session_and_stream() {
    let session = transcript(Format::Pi, &["pi.session.jsonl"]);
    let lines = [
        "user: Write hello to task_summary.md",
        r#"agent: I will write the file. | bash{"command":"echo hello > task_summary.md"} #call_661844e8c1f12"#,
        "bash #call_661844e8c1f12: (no output)",
        "agent: Done: wrote task_summary.md.",
    ];
    assert_eq!(told(&session), lines);
    let stream = transcript(Format::Pi, &["pi.stream.jsonl"]);
    assert_eq!(told(&stream).len(), 4, "{:?}", told(&stream));
    for read in [&session, &stream] {
        assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
        assert_eq!(
            usages(read),
            [usage(95, 5, 0, 20, 0), usage(96, 5, 0, 20, 0)]
        );
        assert!((read.cost_usd.unwrap() - 0.000_271).abs() < 1e-9);
        assert_eq!(read.end, Some(NativeEnd::Completed));
        assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    }
    let failed = transcript(Format::Pi, &["pi-429.stream.jsonl"]);
    assert_eq!(failure(&failed), Some(FailureKind::RateLimit));
    let exit = transcript(Format::Pi, &["pi-exit3.session.jsonl"]);
    let lines = told(&exit);
    assert_eq!(
        lines[2],
        "bash #call_66190f5c7c7fb exit 3 error: 1/2/3/600///Command exited with code 3"
    );
}

#[test]
fn a_pi_that_was_stopped_in_the_middle_of_a_message_keeps_what_it_said() {
    let whole = String::from_utf8(sample("pi.stream.jsonl").bytes).unwrap();
    let last_end = whole.rfind(r#"{"type":"message_end""#).unwrap();
    let read = read_all(Format::Pi, &[file("out", &whole[..last_end + 40])]).unwrap();
    assert_eq!(told(&read)[3], "agent: Done: wrote task_summary.md.");
    assert_eq!(read.end, None);
    assert_eq!(read.usage, usage(95, 5, 0, 20, 0));
    assert_eq!(read.warnings.len(), 2, "{:?}", read.warnings);
}

#[test]
fn canonical_events_come_through_unchanged() {
    let events = [
        r#"{"type":"session","id":"s1","model":"m1"}"#,
        r#"{"type":"message","timestamp":"2026-11-30T20:30:33.807Z","message":{"role":"user","content":[{"type":"text","text":"go"}]}}"#,
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls"}}],"model":"m1","usage":{"input":7,"cache_read":2,"cache_write":0,"output":3,"reasoning":1},"stopReason":"toolUse"}}"#,
        r#"{"type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"a"}],"toolCallId":"c1","toolName":"exec","isError":false,"details":{"exitCode":0}}}"#,
        r#"{"type":"end","outcome":"failed","failure":"budget","reason":"the trial's budget is used up","turns":1,"cost_usd":0.5}"#,
    ];
    let read = read_all(Format::Canonical, &[file("out", events.join("\n"))]).unwrap();
    let written: Vec<serde_json::Value> = read
        .events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    for (written, given) in written.iter().zip(events) {
        let event: proctor_types::Event = serde_json::from_str(given).unwrap();
        assert_eq!(*written, serde_json::to_value(event).unwrap());
    }
    assert_eq!(written.len(), events.len());
    assert_eq!(read.usage, usage(7, 2, 0, 3, 1));
    assert_eq!(failure(&read), Some(FailureKind::Budget));
    assert_eq!((read.turns, read.cost_usd), (Some(1), Some(0.5)));
    assert_eq!(
        (read.session_id.as_deref(), &read.models[..]),
        (Some("s1"), &["m1".to_owned()][..])
    );
}

#[test]
fn plain_output_is_one_message() {
    let read = read_all(
        Format::Text,
        &[file("a", b"one\n\xff"), file("b", "two\n\n")],
    )
    .unwrap();
    assert_eq!(told(&read), ["agent: one\n\u{fffd}\ntwo"]);
    assert!(read_all(Format::Text, &[file("a", " \n")]).is_err());
}
