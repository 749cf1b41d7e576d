//! Runs that come to their end.

use proctor_transcripts::NativeEnd;
use proctor_types::model::Usage;
use serde_json::{Value, json};

use super::{Bench, Ran};

#[test]
fn a_task_is_done_with_shell_and_files_in_both_protocols() {
    for api in ["anthropic", "openai-chat"] {
        let bench = Bench::new(&json!([
            {"say": "I look.", "call": {"shell": "ls -A; echo one > a.txt"}},
            {"calls": [
                {"tool": "edit_file", "arguments": {"path": "a.txt", "old": "one", "new": "two"}},
                {"tool": "read_file", "arguments": {"path": "a.txt"}},
                {"tool": "read_file", "arguments": {"path": "b.txt"}},
            ]},
            {"say": "It is done."},
        ]));
        let ran = Ran::of(&bench.command(api, &[]).output().unwrap());
        ran.done();
        // Calls of one reply are done in order: the second sees what the first did.
        let results = ran.results();
        assert_eq!(results[0], (".task\n[exit code 0]", false));
        assert_eq!(results[1..3], [("Replaced 1.", false), ("two\n", false)]);
        assert!(
            results[3].1 && results[3].0.contains("No such file"),
            "{results:?}"
        );
        assert_eq!(ran.end()["turns"], 3);
        let first = ran.messages("toolResult")[0];
        assert_eq!(first["details"]["exitCode"], 0);
        assert!(first["details"]["durationMs"].is_u64());
        assert_eq!(first["toolName"], "shell");
        // The model got what the transcript has.
        let asked = bench.asked();
        assert_eq!(asked.len(), 3);
        let last = asked[2]["messages"].to_string();
        assert!(last.contains("Replaced 1."), "{last}");
        let transcript = ran.transcript;
        assert_eq!(transcript.end, Some(NativeEnd::Completed));
        assert_eq!(transcript.models, ["scripted"]);
        assert_eq!(transcript.final_text.as_deref(), Some("It is done."));
        assert!(
            transcript.has_prompt() && transcript.warnings.is_empty(),
            "{transcript:?}"
        );
        let expected = match api {
            "anthropic" => Usage {
                input: 100 + 101 + 104,
                cache_read: 15,
                cache_write: 21,
                output: 60,
                reasoning: 0,
            },
            _ => Usage {
                input: 100 + 101 + 104,
                cache_read: 15,
                cache_write: 0,
                output: 60,
                reasoning: 9,
            },
        };
        assert_eq!(transcript.usage, Some(expected), "{api}");
    }
}

#[test]
fn the_model_gets_prompts_tools_and_a_placeholder_for_a_key() {
    let bench = Bench::new(&json!([{"say": "Hello."}]));
    std::fs::write(bench.folder.path().join("system"), "You are terse.").unwrap();
    let ran = bench.run(&[
        "--system-prompt-file",
        "system",
        "--no-shell",
        "--max-tokens",
        "77",
    ]);
    ran.done();
    let [seen] = &bench.model.seen()[..] else {
        panic!("one request");
    };
    assert_eq!(seen.headers["x-api-key"], "proctor-no-key");
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(
        (&body["system"], &body["max_tokens"]),
        (&json!("You are terse."), &json!(77))
    );
    assert_eq!(body["messages"][0]["content"][0]["text"], "Do it.");
    let tools = body["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["read_file", "write_file", "edit_file", "list_files"]
    );
    assert_eq!(
        ran.messages("system")[0]["content"][0]["text"],
        "You are terse."
    );
}

#[test]
fn the_worlds_tools_are_the_models() {
    let bench = Bench::new(&json!([
        {"calls": [
            {"tool": "GMAIL_SEND_EMAIL", "arguments": {
                "recipient_email": "ada@example.com", "subject": "Hi", "body": "Hello Ada",
            }},
            {"tool": "GMAIL_FETCH_EMAILS", "arguments": {"query": "in:sent"}},
            {"tool": "GMAIL_FETCH_EMAILS", "arguments": {"max_results": "many"}},
        ]},
        {"say": "Sent."},
    ]));
    let served = bench.world();
    let ran = bench.run(&["--mcp", &served.url(), "--no-shell"]);
    ran.done();
    let results = ran.results();
    assert!(!results[0].1, "{results:?}");
    assert!(
        !results[1].1 && results[1].0.contains("Hello Ada"),
        "{results:?}"
    );
    assert!(
        results[2].1 && results[2].0.contains("max_results"),
        "{results:?}"
    );
    // The server's own words and schemas reach the model.
    let asked = &bench.asked()[0];
    assert!(
        asked["system"].as_str().unwrap().contains("GMAIL_"),
        "{}",
        asked["system"]
    );
    let tools = asked["tools"].as_array().unwrap();
    let send = tools
        .iter()
        .find(|it| it["name"] == "GMAIL_SEND_EMAIL")
        .unwrap();
    assert!(
        send["input_schema"]["properties"]["recipient_email"].is_object(),
        "{send}"
    );
    let journal = served.world.journal();
    let calls = journal
        .iter()
        .filter(|it| it.operation.as_deref() == Some("tools/call"));
    assert_eq!(calls.count(), 3);
    // Nothing that the model did not ask for, but the handshake.
    let others: Vec<_> = journal
        .iter()
        .filter_map(|it| it.operation.as_deref())
        .filter(|it| !it.starts_with("gmail.") && *it != "tools/call")
        .collect();
    assert_eq!(
        others,
        ["initialize", "notifications/initialized", "tools/list"]
    );
}

#[test]
fn the_world_may_be_behind_a_proxy() {
    let bench = Bench::new(&json!([
        {"call": {"tool": "GMAIL_GET_PROFILE"}},
        {"say": "Seen."},
    ]));
    let served = bench.world();
    let output = bench
        .command("openai-chat", &["--mcp", "http://mcp.proctor.test/mcp"])
        .env("http_proxy", format!("http://{}", served.through))
        .output()
        .unwrap();
    let ran = Ran::of(&output);
    ran.done();
    assert!(!ran.results()[0].1, "{:?}", ran.results());
    assert_eq!(served.world.journal()[0].host, "mcp.proctor.test");
}

#[test]
fn the_task_may_come_over_standard_input() {
    use std::io::Write as _;
    let bench = Bench::new(&json!([{"say": "Hello."}]));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_proctor-loop"))
        .args([
            "--model",
            "m",
            "--api",
            "anthropic",
            "--base-url",
            &bench.model.url(),
        ])
        .current_dir(bench.folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"Say hello.")
        .unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    ran.done();
    assert_eq!(ran.messages("user")[0]["content"][0]["text"], "Say hello.");
}
