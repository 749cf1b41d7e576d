//! Models and servers that mean harm.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use super::{Bench, Ran, reply, tool_use};

#[test]
fn ten_thousand_calls_in_one_reply_are_not_done() {
    let bench = Bench::new(&json!([{"say": "Well."}]));
    let calls = (0..10_000).map(|index| {
        let input = json!({"path": "count", "content": index.to_string()});
        tool_use(&format!("t{index}"), "write_file", &input)
    });
    bench.answer(200, &reply("tool_use", &calls.collect()));
    let ran = bench.run(&[]);
    ran.done();
    let results = ran.results();
    assert_eq!(results.len(), 10_000);
    assert_eq!(results.iter().filter(|(_, error)| !error).count(), 64);
    assert!(
        results[64].0.contains("only the first 64"),
        "{}",
        results[64].0
    );
    let count = std::fs::read_to_string(bench.folder.path().join("count")).unwrap();
    assert_eq!(count, "63");
}

#[test]
fn a_model_that_never_stops_calling_meets_the_limit_of_the_transcript() {
    let bench = Bench::new(&json!([{"say": "Never."}]));
    let calls = (0..10_000).map(|index| tool_use(&format!("t{index}"), "fly", &json!({})));
    let body = reply("tool_use", &calls.collect());
    for _ in 0..5 {
        bench.answer(200, &body);
    }
    let ran = bench.run(&[]);
    ran.failed(16, "turns", "longer than anybody reads");
    assert!(ran.events.len() < 31_000);
}

#[test]
fn arguments_of_a_hundred_megabytes_are_not_taken() {
    let bench = Bench::new(&json!([{"say": "Never."}]));
    let input = json!({"path": "a", "content": "x".repeat(100 << 20)});
    bench.answer(
        200,
        &reply("tool_use", &json!([tool_use("t1", "write_file", &input)])),
    );
    bench.run(&[]).failed(12, "upstream", "is longer than");
    assert!(!bench.folder.path().join("a").exists());
}

#[test]
fn arguments_that_are_odd_are_answered_and_forgotten() {
    let bench = Bench::new(&json!([{"say": "Well."}]));
    let deep = (0..60).fold(json!("x"), |inner, _| json!([inner]));
    let calls = json!([
        tool_use(
            "t1",
            "write_file",
            &json!({"path": "a", "content": "x".repeat(2 << 20)})
        ),
        tool_use("t2", "write_file", &json!({"path": "a", "content": deep})),
        tool_use(
            "t3",
            "write_file",
            &json!({"path": "a", "content": vec![0; 100_000]})
        ),
        tool_use("t4", "write_file", &json!(["a"])),
        tool_use("t5", "write_file", &json!({"path": "../a", "content": ""})),
        tool_use("t6", "\u{0}\u{202e}", &json!({})),
    ]);
    bench.answer(200, &reply("tool_use", &calls));
    let ran = bench.run(&[]);
    ran.done();
    for ((text, is_error), said) in ran.results().into_iter().zip([
        "longer than",
        "more than 48 deep",
        "more than 20000 values",
        "have to be a JSON object",
        "is not in the workspace",
        "there is no tool",
    ]) {
        assert!(is_error && text.contains(said), "{text}");
    }
    // The conversation does not carry them along.
    assert!(bench.model.seen()[1].body.len() < 40_000);
}

#[test]
fn arguments_that_are_no_json_are_explained_to_the_model() {
    let bench = Bench::new(&json!([{"say": "Well."}]));
    let call = json!({"id": "c1", "type": "function", "function": {
        "name": "shell", "arguments": "{\"command\": \"ls",
    }});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    bench.answer(
        200,
        &json!({"model": "m", "choices": [{"message": message, "finish_reason": "tool_calls"}]}),
    );
    let ran = Ran::of(&bench.command("openai-chat", &[]).output().unwrap());
    ran.done();
    assert!(
        ran.results()[0].0.contains("not JSON: EOF"),
        "{:?}",
        ran.results()
    );
}

/// A server that answers each request with the next of `answers`, and what it is
/// asked after the last with nothing.
fn server(answers: Vec<(&'static str, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (kind, body) in answers {
            let Ok((mut stream, _)) = listener.accept() else {
                return;
            };
            let mut request = Vec::new();
            let mut piece = [0; 4096];
            // All messages of these tests are JSON that ends with the body.
            while !request.ends_with(b"}") {
                match stream.read(&mut piece) {
                    Ok(count) if count > 0 => request.extend_from_slice(&piece[..count]),
                    _ => break,
                }
            }
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    format!("http://{address}/mcp")
}

const JSON: &str = "200 OK\r\ncontent-type: application/json";
const EVENTS: &str = "200 OK\r\ncontent-type: text/event-stream";
const ACCEPTED: &str = "202 Accepted";

fn hello(id: u32) -> (&'static str, String) {
    let result = json!({
        "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    });
    (
        JSON,
        json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string(),
    )
}

fn tools(id: u32, names: &[&str]) -> (&'static str, String) {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}});
    // As a stream, which servers may answer with, too.
    (EVENTS, format!("event: message\ndata: {answer}\n\n"))
}

#[test]
fn a_server_with_tools_that_cannot_be_told_apart_is_refused() {
    for (names, code, said) in [
        (&["shell"][..], 1, "a tool \"shell\", and there is another"),
        (&["a", "a"], 12, "two tools \"a\""),
        (&["a b"], 12, "a name that no model can say"),
    ] {
        let bench = Bench::new(&json!([{"say": "Never."}]));
        let url = server(vec![hello(0), (ACCEPTED, String::new()), tools(1, names)]);
        let ran = bench.run(&["--mcp", &url]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert!(bench.model.seen().is_empty());
    }
}

#[test]
fn what_a_server_answers_is_shown_in_bounds_and_its_failures_are_told() {
    let bench = Bench::new(&json!([
        {"call": {"tool": "a"}},
        {"call": {"tool": "a"}},
        {"call": {"tool": "a"}},
        {"call": {"tool": "a"}},
        {"say": "Well."},
    ]));
    let content = json!([
        {"type": "text", "text": "x".repeat(1 << 20)},
        {"type": "image", "mimeType": "image/png", "data": "AAAA"},
    ]);
    let long = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": content}});
    let image = json!([{"type": "image", "mimeType": "image/png", "data": "AAAA"}]);
    let image = json!({"jsonrpc": "2.0", "id": 3, "result": {"content": image, "isError": true}});
    let error = json!({"code": -32602, "message": "no such thing"});
    let error = json!({"jsonrpc": "2.0", "id": 4, "error": error});
    let url = server(vec![
        hello(0),
        (ACCEPTED, String::new()),
        tools(1, &["a"]),
        (JSON, long.to_string()),
        (JSON, image.to_string()),
        (JSON, error.to_string()),
        ("500 Oops\r\ncontent-type: text/html", "<html>".to_owned()),
    ]);
    let ran = bench.run(&["--mcp", &url]);
    ran.done();
    let results = ran.results();
    assert!(results[0].0.len() < 101_000 && results[0].0.contains("bytes left out"));
    assert!(results[0].0.ends_with("[image, image/png, some 3 bytes]"));
    let details = &ran.messages("toolResult")[0]["details"];
    assert!(
        details["truncatedBytes"].as_u64().unwrap() > 900_000,
        "{details}"
    );
    assert_eq!(results[1], ("[image, image/png, some 3 bytes]", true));
    assert_eq!(
        results[2],
        ("The server refuses the call: no such thing", true)
    );
    assert!(
        results[3].1 && results[3].0.contains("500"),
        "{}",
        results[3].0
    );
}
