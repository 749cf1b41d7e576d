//! `proctor transcript`: what an agent said and did, for other programs.

use std::fs;

use proctor_tests::{Desk, GWS, root};
use serde_json::Value;

/// Calls as name and arguments, whoever wrote them down.
fn calls(events: &Value) -> Vec<(String, Value)> {
    let parts = |event: &Value| {
        let content = event["message"]["content"].as_array();
        content.cloned().unwrap_or_default()
    };
    let all = events.as_array().unwrap().iter().flat_map(parts);
    all.filter(|part| part["type"] == "toolCall")
        .map(|part| {
            let name = part["name"].as_str().unwrap().to_owned();
            (name, part["arguments"].clone())
        })
        .collect()
}

#[test]
fn a_trial_becomes_a_trajectory_and_comes_back() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &[]);
    let dir = trial.dir.to_str().unwrap();
    let shown = desk.run(["transcript", dir]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("gws tasks"), "{}", shown.out);

    let events = desk.run(["transcript", dir, "--format", "json"]).json();
    let frozen: Value = trial.evidence_lines("transcript.jsonl").into();
    assert_eq!(calls(&events), calls(&frozen));
    assert!(!calls(&events).is_empty());

    let atif = desk.run(["transcript", dir, "--format", "atif"]).json();
    assert_eq!(atif["schema_version"], "ATIF-v1.7");
    assert_eq!(atif["agent"]["name"], "oracle");
    let file = desk.path("trajectory.json");
    fs::write(&file, atif.to_string()).unwrap();
    let back = desk
        .run([
            "transcript",
            file.to_str().unwrap(),
            "--from",
            "atif",
            "--format",
            "json",
        ])
        .json();
    assert_eq!(calls(&back), calls(&events));
}

/// What a grader in Python reads of an agent's own session has `OpenClaw`'s
/// shape, whichever agent it was.
#[test]
fn an_agents_own_files_become_what_python_graders_read() {
    let desk = Desk::new();
    let samples = root().join("runner/transcripts/tests/samples");
    let sample = samples.join("claude.session.jsonl");
    let sample = sample.to_str().unwrap();
    let events = desk
        .run([
            "transcript",
            sample,
            "--from",
            "claude-code",
            "--format",
            "json",
        ])
        .json();
    let agents = |event: &&Value| event["message"]["role"] == "assistant";
    let messages: Vec<&Value> = events.as_array().unwrap().iter().filter(agents).collect();
    assert!(messages.len() > 1, "{events:#}");
    for event in &messages {
        let reason = event["message"]["stopReason"].as_str().unwrap();
        let calls = event["message"]["content"].to_string().contains("toolCall");
        assert_eq!(reason == "toolUse", calls, "{event:#}");
    }
    let counted = |event: &&&Value| event["message"]["usage"].is_object();
    let usage = &messages.iter().find(counted).unwrap()["message"]["usage"];
    let sum: u64 = ["input", "output", "cacheRead", "cacheWrite"]
        .map(|name| usage[name].as_u64().unwrap())
        .iter()
        .sum();
    assert_eq!(usage["totalTokens"], sum);

    let file = desk.path("events.json");
    fs::write(&file, events.to_string()).unwrap();
    let script = "```python\ndef grade(transcript, workspace_path):\n    last = [e['message'] for e in transcript if e.get('type') == 'message' and e['message']['role'] == 'assistant'][-1]\n    return {'stopped': float(last['stopReason'] == 'stop')}\n```\n";
    let head = "---\nid: little\nname: Little\ncategory: test\ngrading_type: automated\ntimeout_seconds: 60\nworkspace_files: []\n---\n\n## Prompt\n\nWork.\n\n## Expected Behavior\n\nIt does.\n\n## Grading Criteria\n\n- [ ] It stopped\n\n## Automated Checks\n\n";
    let task = desk.path("little.md");
    fs::write(&task, format!("{head}{script}")).unwrap();
    fs::create_dir(desk.path("after")).unwrap();
    let graded = desk
        .run([
            "grade".as_ref(),
            task.as_os_str(),
            "--workspace".as_ref(),
            desk.path("after").as_os_str(),
            "--transcript".as_ref(),
            file.as_os_str(),
            "--format".as_ref(),
            "json".as_ref(),
        ])
        .json();
    assert_eq!(graded["automated"], 1.0, "{graded:#}");
}

#[test]
fn what_is_no_transcript_is_told() {
    let desk = Desk::new();
    fs::write(desk.path("odd"), "\u{1b}[31m{\"a\": 1}").unwrap();
    let odd = desk.path("odd");
    let odd = odd.to_str().unwrap();
    desk.run(["transcript", odd, "--from", "codex"])
        .refused(2, &["codex"]);
    desk.run(["transcript", odd, "--from", "word"])
        .refused(2, &["`word` is no transcript format", "claude-code"]);
    desk.run(["transcript", desk.path("").to_str().unwrap()])
        .refused(10, &["no frozen evidence"]);
    desk.run(["transcript", odd, odd]).refused(2, &["--from"]);
}
