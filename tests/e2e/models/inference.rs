//! A real inference server behind the gateway: llama.cpp's, with a small model.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use proctor_tests::{Desk, root};

use super::note_task;

/// The server; it ends with its standard input.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// None where `tools/setup.sh test` could not install it.
    #[allow(
        clippy::print_stdout,
        reason = "what is skipped is said where tests print"
    )]
    fn start() -> Option<Self> {
        let python = root().join(".tools/inference/bin/python");
        if !python.exists() {
            println!("SKIPPED: no inference server: `tools/setup.sh test` installs it");
            return None;
        }
        let mut child = Command::new(python)
            .arg(root().join("tests/inference/serve.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let printed = child.stdout.take().unwrap();
        BufReader::new(printed).read_line(&mut url).unwrap();
        let url = format!("{}/v1", url.trim());
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Some(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}

/// An agent that asks once, with its answer as the transcript. It is a file of
/// the user's: no line of Rust knows it.
const ASKS_ONCE: &str = r#"
name = "asks-once"
args = ["-sSN", "--fail", "-d", "@{home}/request.json", "{base_url}/chat/completions"]

[program]
names = ["curl"]

[[model]]
api = "openai-chat"
path = "/v1"

[[file]]
path = "{home}/request.json"
[file.json]
model = "{model}"
stream = true
max_tokens = 8
messages = [{ role = "user", content = "{prompt}" }]

[transcript]
format = "text"
stdout = true
"#;

#[test]
fn a_real_server_streams_through_the_gateway() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::new();
    let task = note_task(&desk);
    let adapter = desk.path("asks-once.toml");
    std::fs::write(&adapter, ASKS_ONCE).unwrap();
    let model = ["--model", "openai-compatible/small"];
    let more = [&model[..], &["--model-url", &server.url]].concat();
    let trial = desk.trial(&task, adapter.to_str().unwrap(), &more);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);

    let spoken = &trial.record["model"];
    assert_eq!(
        (&spoken["requests"], &spoken["answered"]),
        (&1.into(), &1.into()),
        "{spoken:#}"
    );
    let usage = &spoken["usage"];
    let output = usage["output"].as_u64().unwrap();
    assert!((1..=8).contains(&output), "{usage:#}");
    let prompt = ["input", "cache_read"].map(|name| usage[name].as_u64().unwrap());
    assert!(prompt.iter().sum::<u64>() >= 5, "{usage:#}");
    // It came piece by piece.
    let transcript = String::from_utf8(trial.evidence("transcript.jsonl")).unwrap();
    assert!(transcript.contains("chat.completion.chunk"), "{transcript}");
}
