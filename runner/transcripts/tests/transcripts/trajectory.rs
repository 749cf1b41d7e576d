//! ATIF, there and back. [`rules`] are those of Harbor's own model.

use std::collections::HashSet;

use proctor_transcripts::{AtifAgent, Format, Transcript, to_atif};
use proctor_types::transcript::{Message, Part};
use serde_json::Value;

use crate::{file, read_all, sample, told, transcript, usage};

const SAMPLES: &[(Format, &str)] = &[
    (Format::ClaudeCode, "claude.session.jsonl"),
    (Format::ClaudeCode, "claude-exit3.stream.jsonl"),
    (Format::Codex, "codex.exec.jsonl"),
    (Format::Codex, "codex.rollout.jsonl"),
    (Format::Gemini, "gemini.session.jsonl"),
    (Format::Gemini, "gemini-exit3.session.jsonl"),
    (Format::Opencode, "opencode.export.json"),
    (Format::Openclaw, "openclaw-2026.9.6.session.jsonl"),
    (Format::Pi, "pi-exit3.session.jsonl"),
    (Format::Atif, "atif.json"),
];

fn agent() -> AtifAgent {
    AtifAgent {
        name: "sample".to_owned(),
        version: "unknown".to_owned(),
        model: None,
    }
}

fn written(transcript: &Transcript) -> Value {
    to_atif(transcript, &agent()).unwrap()
}

fn back(trajectory: &Value) -> Transcript {
    read_all(Format::Atif, &[file("atif", trajectory.to_string())]).unwrap()
}

fn only(value: &Value, place: &str, allowed: &[&str]) {
    for (key, value) in value.as_object().unwrap() {
        assert!(allowed.contains(&key.as_str()), "{place}.{key}");
        assert!(!value.is_null(), "{place}.{key}");
    }
}

/// What Harbor's model checks (`harbor.models.trajectories`, 0.26.0).
fn rules(trajectory: &Value) {
    only(
        trajectory,
        "",
        &[
            "schema_version",
            "session_id",
            "agent",
            "steps",
            "final_metrics",
            "extra",
        ],
    );
    assert_eq!(trajectory["schema_version"], "ATIF-v1.7");
    only(
        &trajectory["agent"],
        "agent",
        &["name", "version", "model_name"],
    );
    only(
        &trajectory["final_metrics"],
        "final_metrics",
        &[
            "total_prompt_tokens",
            "total_completion_tokens",
            "total_cached_tokens",
            "total_cost_usd",
            "total_steps",
            "extra",
        ],
    );
    let steps = trajectory["steps"].as_array().unwrap();
    assert_eq!(trajectory["final_metrics"]["total_steps"], steps.len());
    for (index, step) in steps.iter().enumerate() {
        let mut allowed = vec!["step_id", "timestamp", "source", "message", "observation"];
        if step["source"] == "agent" {
            allowed.extend([
                "model_name",
                "reasoning_content",
                "tool_calls",
                "metrics",
                "llm_call_count",
            ]);
        }
        only(step, "step", &allowed);
        assert_eq!(step["step_id"], index + 1);
        assert!(step["message"].is_string());
        let calls = step
            .get("tool_calls")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let mut ids = HashSet::new();
        for call in &calls {
            only(
                call,
                "call",
                &["tool_call_id", "function_name", "arguments"],
            );
            assert!(
                call["arguments"].is_object() && ids.insert(call["tool_call_id"].as_str().unwrap())
            );
        }
        let Some(observation) = step.get("observation") else {
            continue;
        };
        only(observation, "observation", &["results"]);
        for result in observation["results"].as_array().unwrap() {
            only(result, "result", &["source_call_id", "content", "extra"]);
            if let Some(id) = result.get("source_call_id") {
                assert!(ids.contains(id.as_str().unwrap()), "{id}");
            }
        }
    }
}

#[test]
fn every_sample_becomes_a_trajectory_and_comes_back() {
    for (format, name) in SAMPLES {
        let first = transcript(*format, &[name]);
        let trajectory = written(&first);
        rules(&trajectory);
        let second = back(&trajectory);
        let said = |read: &Transcript| -> Vec<String> {
            told(read)
                .into_iter()
                .filter(|line| !line.starts_with("raw"))
                .collect()
        };
        assert_eq!(said(&second), said(&first), "{name}");
        assert_eq!(second.usage, first.usage, "{name}");
        assert_eq!(second.cost_usd, first.cost_usd, "{name}");
        assert_eq!(second.session_id, first.session_id, "{name}");
        assert_eq!(second.final_text, first.final_text, "{name}");
        // Two texts of one message come back as one, and nothing says why a
        // model stopped.
        let known = |read: &Transcript| -> Vec<_> {
            let messages = read.events.iter().filter_map(|event| event.message.clone());
            messages
                .map(|message| Message {
                    content: vec![Part::text(message.text())],
                    stop_reason: None,
                    error_message: None,
                    ..message
                })
                .collect()
        };
        assert_eq!(known(&second), known(&first), "{name}");
        // A second time there is nothing more to lose.
        let again = written(&second);
        assert_eq!(again["steps"], trajectory["steps"], "{name}");
    }
}

#[test]
fn the_sample_of_harbor_is_read() {
    let read = transcript(Format::Atif, &["atif.json"]);
    assert_eq!(
        told(&read),
        [
            "user: Write hello",
            r#"agent: I will write the file. | exec{"command":"echo hello > task_summary.md"} #call_1"#,
            "exec #call_1 exit 0: (no output)",
            "agent: Done.",
        ]
    );
    // The whole's tokens are told beside the steps'.
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(
        read.events[1].message.as_ref().unwrap().usage,
        usage(95, 5, 0, 20, 0)
    );
    assert_eq!(read.cost_usd, Some(0.000_272));
    assert_eq!(read.models, ["fake/fake-model"]);
    assert_eq!(read.version.as_deref(), Some("2026.9.6"));
    assert_eq!(read.unknown.count, 0);
}

#[test]
fn versions_to_1_8_are_read_and_others_are_refused_by_name() {
    let text = String::from_utf8(sample("atif.json").bytes).unwrap();
    for version in ["ATIF-v1.0", "ATIF-v1.4", "ATIF-v1.8"] {
        let other = text.replace("ATIF-v1.7", version);
        assert_eq!(
            read_all(Format::Atif, &[file("a", other)])
                .unwrap()
                .events
                .len(),
            4
        );
    }
    for version in ["ATIF-v1.9", "ATIF-v2.0", "1.7", "ATIF-v1.x\u{7f}"] {
        let error = read_all(
            Format::Atif,
            &[file("a", text.replace("ATIF-v1.7", version))],
        );
        let words = error.unwrap_err().to_string();
        assert!(
            words.contains("and ATIF-v1.0 to ATIF-v1.8 are read"),
            "{words}"
        );
        assert!(!words.contains('\u{7f}'));
    }
    let torn = &text[..text.len() - 9];
    let error = read_all(Format::Atif, &[file("a", torn)])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("a: nothing of it is atif: not one JSON object"),
        "{error}"
    );
}

#[test]
fn results_without_a_call_thoughts_and_raw_events_have_their_places() {
    let events = [
        r#"{"type":"message","message":{"role":"toolResult","toolCallId":"lost","toolName":"exec","isError":true,"content":"x","details":{"exitCode":7}}}"#,
        r#"{"type":"message","timestamp":"yesterday","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"y"},{"type":"image","data":"AAAA"}]}}"#,
        r#"{"type":"custom","x":1}"#,
    ];
    let first = read_all(Format::Canonical, &[file("s", events.join("\n"))]).unwrap();
    let trajectory = written(&first);
    rules(&trajectory);
    assert_eq!(trajectory["extra"]["events_left_out"], 1);
    assert_eq!(trajectory["extra"]["parts_left_out"], 1);
    assert_eq!(trajectory["steps"][1]["reasoning_content"], "hm");
    assert!(trajectory["steps"][1].get("timestamp").is_none());
    let second = back(&trajectory);
    assert_eq!(
        told(&second),
        ["exec #lost exit 7 error: x", "agent: (thinking) | y"]
    );
    assert_eq!(to_atif(&Transcript::default(), &agent()), None);
}

/// One trajectory a line. `harbor` is a large package for one class: it was
/// asked by hand, with `Trajectory.model_validate_json` over these lines.
#[test]
#[ignore = "prints trajectories, for Harbor's own model to validate"]
fn trajectories_for_harbor() {
    for (format, name) in SAMPLES {
        println!("TRAJECTORY {}", written(&transcript(*format, &[name])));
    }
}
