//! Each agent program does the Google Workspace task, for a model that plays a
//! script. One that is not installed is skipped, and says so.

use std::path::{Path, PathBuf};

use proctor_tests::{Desk, GWS, Trial};
use serde_json::Value;

use super::office;

/// Where `proctor agent install` has put an agent: the tests' cache, or the
/// user's own.
#[allow(
    clippy::print_stdout,
    reason = "what is skipped is said where tests print"
)]
fn installed(agent: &str) -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let tests = proctor_tests::root().join("target/test-cache");
    let mut caches = [Some(tests), own].into_iter().flatten();
    let found = caches.find_map(|cache| {
        let folder = cache.join("proctor/agents").join(agent);
        let mut versions: Vec<PathBuf> = std::fs::read_dir(folder)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.join("node_modules").is_dir())
            .collect();
        versions.sort();
        versions.pop()
    });
    if found.is_none() {
        // `make test` names those that it has installed.
        let expected = std::env::var("PROCTOR_TEST_AGENTS").unwrap_or_default();
        let expected = expected.split(' ').any(|name| name == agent);
        assert!(!expected, "{agent} was installed, and is not there");
        println!("SKIPPED: {agent} is not installed: `proctor agent install {agent}`");
    }
    found
}

fn plays(agent: &str, more: &[&str]) -> Trial {
    plays_task(&Desk::new(), Path::new(GWS), agent, more)
}

fn plays_task(desk: &Desk, task: &Path, agent: &str, more: &[&str]) -> Trial {
    let model = format!("scripted/{}", office().display());
    let trial = desk.trial(task, agent, &[&["--model", &model][..], more].concat());
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    // All six of the grader's; a judge decides the other four.
    let points = &trial.record["points"];
    let (low, high) = (&points["low"], &points["high"]);
    assert!(*low == 6.0 && *high == 10.0, "{:#}", trial.record);
    // What the gateway counted, and what the agent says.
    let spoken = &trial.record["model"];
    assert_eq!(spoken["failed"], 0, "{spoken:#}");
    assert!(spoken["answered"].as_u64() >= Some(3), "{spoken:#}");
    let output = |value: &Value| value["usage"]["output"].as_u64().unwrap_or_default();
    assert!(output(spoken) > 0, "{spoken:#}");
    let claimed = &trial.record["claimed"];
    assert!(output(claimed) > 0, "{claimed:#}");
    assert!(output(claimed) <= output(spoken), "{claimed:#} {spoken:#}");
    let lines = trial.evidence_lines("model.jsonl");
    assert_eq!(lines.len() as u64, spoken["requests"].as_u64().unwrap());
    // The transcript has what happened, and nothing is missing in it.
    let transcript = trial.evidence("transcript.jsonl");
    let transcript = String::from_utf8(transcript).unwrap();
    for part in ["gws tasks tasklists list", "My Tasks", "Done. I marked"] {
        assert!(transcript.contains(part), "{part}: {transcript}");
    }
    let warnings = trial.record["warnings"].to_string();
    assert!(!warnings.contains("not in the transcript"), "{warnings}");
    trial
}

fn plays_if_there(agent: &str) {
    if let Some(path) = installed(agent) {
        plays(agent, &["--agent-path", path.to_str().unwrap()]);
    }
}

#[test]
fn claude_code() {
    plays_if_there("claude-code");
}

#[test]
fn codex() {
    plays_if_there("codex");
}

#[test]
fn gemini_cli() {
    plays_if_there("gemini-cli");
}

#[test]
fn opencode() {
    plays_if_there("opencode");
}

/// It starts several threads of V8, each of which takes memory for code ahead:
/// more than a task's four gigabytes.
#[test]
fn openclaw() {
    let Some(path) = installed("openclaw") else {
        return;
    };
    let desk = Desk::new();
    let roomy = "\nproctor:\n  limits: {memory: 16GiB}\n";
    let task = desk.task(|text| text.replacen("\nproctor:\n", roomy, 1));
    let path = path.to_str().unwrap();
    plays_task(&desk, &task, "openclaw", &["--agent-path", path]);
}

#[test]
fn pi() {
    plays_if_there("pi");
}

/// Proctor's own is always there.
#[test]
fn the_loop() {
    plays("loop", &[]);
}

/// Operation Nightshift, whole, with nothing but the world's tools over MCP.
#[test]
fn the_loop_plays_nightshift_over_mcp() {
    let desk = Desk::new();
    let script = proctor_tests::root().join("tests/agents/loop-nightshift.yaml");
    let model = format!("scripted/{}", script.display());
    let more = ["--attempts", "1", "--model", &model];
    let trial = desk.trial("tasks/nightshift", "loop", &more);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    assert_eq!(trial.record["points"]["low"], 25.0, "{:#}", trial.record);
    let mut tools = trial.evidence_lines("transcript.jsonl");
    tools.retain(|event| event["message"]["role"] == "toolResult");
    assert!(tools.len() >= 40, "{}", tools.len());
    let shell = tools
        .iter()
        .any(|event| event["message"]["toolName"] == "shell");
    assert!(!shell);
    let warnings = trial.record["warnings"].to_string();
    assert!(!warnings.contains("not in the transcript"), "{warnings}");
}
