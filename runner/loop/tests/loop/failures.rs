//! Runs that fail, and how they say so.

use std::net::TcpListener;

use proctor_model::scripted::Fault;
use proctor_transcripts::NativeEnd;
use proctor_types::manifest::FailureKind;
use serde_json::{Value, json};

use super::{Bench, Ran, reply, tool_use};

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

#[test]
fn each_failure_of_the_model_has_its_own_end() {
    let budget = "the trial's budget of 3 requests is used up (3 made)";
    for (status, body, code, kind) in [
        (
            401,
            error("authentication_error", "invalid x-api-key"),
            10,
            "authentication",
        ),
        (403, error("permission_error", "no"), 10, "authentication"),
        (
            429,
            error("rate_limit_error", "slow down"),
            11,
            "rate_limit",
        ),
        (
            402,
            error("billing_error", "your credit is used up"),
            11,
            "rate_limit",
        ),
        (500, error("api_error", "internal"), 12, "upstream"),
        (
            404,
            error("not_found_error", "no such model"),
            12,
            "upstream",
        ),
        (
            400,
            error("invalid_request_error", "prompt is too long: 9 > 8"),
            13,
            "context",
        ),
        (402, error("billing_error", budget), 15, "budget"),
    ] {
        let bench = Bench::new(&json!([{"say": "Never."}]));
        bench.answer(status, &body);
        let ran = bench.run(&[]);
        ran.failed(code, kind, body["error"]["message"].as_str().unwrap());
        assert_eq!(bench.model.seen().len(), 1);
        let kind: FailureKind = serde_json::from_value(json!(kind)).unwrap();
        let Some(NativeEnd::Failed { failure, .. }) = &ran.transcript.end else {
            panic!("{:?}", ran.transcript.end);
        };
        assert_eq!(*failure, Some(kind));
    }
}

#[test]
fn a_model_that_is_busy_for_a_while_is_asked_again() {
    let bench = Bench::new(&json!([{"say": "At last."}]));
    let busy = Fault::Status {
        status: 429,
        headers: vec![("retry-after".to_owned(), "0".to_owned())],
        body: error("rate_limit_error", "slow down").to_string(),
    };
    bench.model.fail(&busy, 2);
    bench.run(&["--attempts", "3"]).done();
    assert_eq!(bench.model.seen().len(), 3);
}

#[test]
fn what_is_no_answer_is_the_upstreams_failure() {
    for fault in [
        Fault::Garbage,
        Fault::Cut { pieces: 0 },
        Fault::Huge { bytes: 100 << 20 },
    ] {
        let bench = Bench::new(&json!([{"say": "Never."}]));
        bench.model.fail(&fault, 1);
        bench.run(&[]).failed(12, "upstream", "127.0.0.1");
    }
    let bench = Bench::new(&json!([{"say": "Never."}]));
    bench.answer(200, &reply("some_new_reason", &json!([])));
    bench.run(&[]).failed(12, "upstream", "some_new_reason");
}

#[test]
fn a_refusal_is_the_models() {
    let bench = Bench::new(&json!([{"say": "I will not do this.", "stop": "refusal"}]));
    let ran = bench.run(&[]);
    ran.failed(14, "refusal", "I will not do this.");
    assert_eq!(ran.messages("assistant").len(), 1);
}

#[test]
fn the_limit_of_turns_ends_the_run_after_the_last_calls() {
    let bench = Bench::new(&json!([
        {"call": {"shell": "touch one"}},
        {"call": {"shell": "touch two"}},
        {"call": {"shell": "touch three"}},
        {"say": "Done."},
    ]));
    let ran = bench.run(&["--turns", "2"]);
    ran.failed(16, "turns", "the limit of 2 turns");
    assert_eq!(ran.end()["turns"], 2);
    let there = |name: &str| bench.folder.path().join(name).exists();
    assert!(there("one") && there("two") && !there("three"));
}

#[test]
fn the_limit_of_time_ends_the_run_and_its_command() {
    let bench = Bench::new(&json!([{"call": {"shell": "echo $$ > id; exec sleep 1000"}}]));
    let ran = bench.run(&["--timeout-seconds", "2"]);
    assert_eq!((ran.code, &ran.end()["failure"]), (17, &Value::Null));
    assert_eq!(ran.end()["reason"], "the time of 2 seconds is over");
    let id = std::fs::read_to_string(bench.folder.path().join("id")).unwrap();
    // Killed; where nobody reaps orphans, it stays as a zombie. The kernel takes a
    // moment to end what has the signal.
    let ended = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", id.trim()));
        status.is_err() || status.unwrap().contains(") Z")
    };
    let mut looks = 0;
    while !ended() {
        looks += 1;
        assert!(looks < 500, "the command runs on");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_reply_that_is_cut_off_goes_on_three_times_and_no_more() {
    let cut = reply(
        "max_tokens",
        &json!([{"type": "text", "text": "It begins"}]),
    );
    let bench = Bench::new(&json!([{"say": "and ends."}]));
    bench.answer(200, &cut);
    let ran = bench.run(&[]);
    ran.done();
    let asked = bench.asked();
    let messages = asked[1]["messages"].as_array().unwrap();
    assert_eq!(messages[1]["content"][0]["text"], "It begins");
    assert!(
        messages[2]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("cut off")
    );
    let bench = Bench::new(&json!([{"say": "Never."}]));
    for _ in 0..3 {
        bench.answer(200, &cut);
    }
    bench.run(&[]).failed(13, "context", "3 replies in a row");
    // Calls of such a reply may be incomplete.
    let bench = Bench::new(&json!([{"say": "Well."}]));
    let call = tool_use("t1", "shell", &json!({"command": "touch wrong"}));
    bench.answer(200, &reply("max_tokens", &json!([call])));
    let ran = bench.run(&[]);
    ran.done();
    assert!(ran.results()[0].1 && ran.results()[0].0.contains("cut off"));
    assert!(!bench.folder.path().join("wrong").exists());
}

#[test]
fn without_what_it_needs_it_says_what_is_missing() {
    let bench = Bench::new(&json!([{"say": "Never."}]));
    let nowhere = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let url = format!("http://{nowhere}/mcp");
    bench
        .run(&["--mcp", &url])
        .failed(12, "upstream", "cannot connect to");
    bench
        .run(&["--mcp", "https://h/mcp"])
        .failed(12, "upstream", "is no address like");
    let base = format!("http://{nowhere}");
    bench
        .run(&["--base-url", &base])
        .failed(12, "upstream", "cannot be reached");
    let mut command = bench.command("anthropic", &[]);
    let ran = Ran::of(&command.env("SSL_CERT_FILE", "/nowhere").output().unwrap());
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("SSL_CERT_FILE names /nowhere"),
        "{}",
        ran.stderr
    );
    let mut command = bench.command("anthropic", &["--base-url", "https://api.anthropic.com"]);
    command.env("HTTPS_PROXY", "http://127.0.0.1:9");
    Ran::of(&command.output().unwrap()).failed(12, "upstream", "https_proxy is set");
    std::fs::write(bench.folder.path().join("odd"), [b' ', 0xff]).unwrap();
    for file in ["odd", "missing", "."] {
        let ran = bench.run(&["--system-prompt-file", file]);
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains("system prompt file"), "{}", ran.stderr);
    }
    let output = bench.command("gemini", &[]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(bench.model.seen().is_empty());
}
