//! A trial from seed to report, and what it leaves on disk.

use proctor_tests::{Desk, GWS};
use serde_json::Value;

#[test]
fn the_oracle_gets_every_automated_point_and_leaves_the_judge_its_share() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &[]);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    assert_eq!(trial.outcome(), "scored");
    assert_eq!(
        trial.record["points"],
        serde_json::json!({"low": 6.0, "high": 10.0, "max": 10.0})
    );
    assert_eq!(
        trial.record["score"],
        serde_json::json!({"low": 0.6, "high": 1.0})
    );
    let keys = [
        "listed_tasks",
        "updated_completed",
        "read_emails",
        "created_new_task",
        "meaningful_titles",
        "summary_created",
    ];
    for key in keys {
        assert_eq!(trial.points(key), Some(1.0), "{key}");
    }
    let criteria = trial.record["criteria"].as_array().unwrap();
    let open: Vec<&Value> = criteria
        .iter()
        .filter(|one| one["status"] == "open")
        .collect();
    assert_eq!(open.len(), 3);
    assert!(open.iter().all(|one| one["points"].is_null()));
    for one in criteria.iter().filter(|one| one["status"] == "graded") {
        assert!(!one["reason"].as_str().unwrap().is_empty(), "{one}");
        assert!(!one["citations"].as_array().unwrap().is_empty(), "{one}");
    }
}

#[test]
fn the_job_directory_holds_what_the_documentation_says() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &["--attempts", "2"]);
    let job = desk.path("job");
    for name in ["job.json", "events.jsonl", "summary.json", "summary.md"] {
        assert!(job.join(name).is_file(), "{name}");
    }
    for attempt in 0..2 {
        let dir = job.join(format!("trials/gws-task-management.oracle.{attempt}"));
        for name in [
            "verdict.json",
            "trial.json",
            &format!("eval_report_{attempt}.md"),
        ] {
            assert!(dir.join(name).is_file(), "{attempt}: {name}");
        }
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(dir.join("evidence/manifest.json")).unwrap())
                .unwrap();
        assert_eq!(manifest["schema"], "proctor.evidence/1");
        assert_eq!(manifest["agent"]["transcript"], "runner");
        assert_eq!(manifest["isolation"], "sandbox");
    }
    assert_eq!(trial.job["denominator"]["planned"], 2);
    assert_eq!(trial.job["denominator"]["counted"], 2);
    let summary: Value =
        serde_json::from_slice(&std::fs::read(job.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary, trial.job);
    let report = std::fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    for part in [
        "6–10 of 10 points",
        "| Task list |",
        "60–100 %",
        "What went right",
        "What went wrong",
        "## Not judged",
        "journal:",
        "manifest",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    assert!(!report.contains("No isolation"));
}

#[test]
fn events_are_numbered_and_versioned() {
    let desk = Desk::new();
    desk.trial(GWS, "nop", &[]);
    let text = std::fs::read_to_string(desk.path("job/events.jsonl")).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["schema"], "proctor.events/1");
        assert_eq!(event["seq"], at as u64 + 1);
    }
    let stages: Vec<&str> = events
        .iter()
        .filter(|event| event["event"] == "stage_finished")
        .map(|event| event["stage"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["seed", "run", "freeze", "grade"]);
    assert_eq!(events.first().unwrap()["event"], "job_started");
    assert_eq!(events.last().unwrap()["event"], "job_finished");
}

/// Replaces the values of the manifest's clock fields in `document` of `file`.
fn mask(file: &str, document: &mut Value, fields: &[String]) {
    for field in fields {
        let Some((name, pointer)) = field.split_once('#') else {
            panic!("{field}")
        };
        if name == file {
            let parts: Vec<&str> = pointer.split('/').skip(1).collect();
            blank(document, &parts);
        }
    }
}

fn blank(value: &mut Value, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else {
        *value = Value::Null;
        return;
    };
    match value {
        Value::Array(items) if *first == "*" => {
            for item in items {
                blank(item, rest);
            }
        }
        Value::Object(map) if *first == "*" => map.values_mut().for_each(|item| blank(item, rest)),
        Value::Object(map) => {
            if let Some(item) = map.get_mut(*first) {
                blank(item, rest);
            }
        }
        _ => {}
    }
}

#[test]
fn two_runs_of_the_same_inputs_differ_in_clock_fields_alone() {
    let bundles: Vec<std::path::PathBuf> = (0..2)
        .map(|_| {
            let desk = Desk::new();
            let trial = desk.trial(GWS, "oracle", &[]);
            let kept = tempfile::tempdir().unwrap().keep();
            proctor_tests::copy(&trial.dir.join("evidence"), &kept);
            kept
        })
        .collect();
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(bundles[0].join("manifest.json")).unwrap()).unwrap();
    let fields: Vec<String> = serde_json::from_value(manifest["clock_fields"].clone()).unwrap();
    let mut names: Vec<String> = manifest["files"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    names.push("manifest.json".to_owned());
    assert!(names.len() > 10);
    for name in &names {
        let read = |bundle: &std::path::Path| std::fs::read(bundle.join(name)).unwrap();
        let (one, two) = (read(&bundles[0]), read(&bundles[1]));
        if !fields
            .iter()
            .any(|field| field.starts_with(&format!("{name}#")))
        {
            assert!(one == two, "{name} differs and has no clock fields");
            continue;
        }
        let parse = |bytes: &[u8]| -> Value {
            let lines = std::path::Path::new(name).extension() == Some("jsonl".as_ref());
            let mut document = if lines {
                let text = std::str::from_utf8(bytes).unwrap();
                text.lines()
                    .map(|line| serde_json::from_str::<Value>(line).unwrap())
                    .collect()
            } else {
                serde_json::from_slice(bytes).unwrap()
            };
            mask(name, &mut document, &fields);
            document
        };
        assert_eq!(
            parse(&one),
            parse(&two),
            "{name} differs outside of its clock fields"
        );
    }
    for bundle in bundles {
        std::fs::remove_dir_all(bundle).unwrap();
    }
}

#[test]
fn the_world_a_service_sees_does_not_move_with_the_hosts_clock() {
    let desk = Desk::new();
    let agent = desk.steps(&["curl -sS -D - -o /dev/null https://gmail.googleapis.com/x"]);
    let trial = desk.trial(GWS, &agent, &[]);
    let year = trial.evidence_json("world/before.json")["clock"]
        .as_str()
        .unwrap()[..4]
        .to_owned();
    let header = &trial.outputs()[0];
    assert!(
        header.to_lowercase().contains("date: ") && header.contains(&year),
        "{header}"
    );
}

#[test]
fn without_isolation_every_report_says_so() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &["--isolation", "none"]);
    assert_eq!(trial.record["isolation"], "none");
    assert_eq!(trial.record["points"]["low"], 6.0, "{}", trial.record);
    let report = std::fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(report.contains("No isolation"), "{report}");
    let summary = std::fs::read_to_string(desk.path("job/summary.md")).unwrap();
    assert!(summary.contains("No isolation"), "{summary}");
}

#[test]
fn any_shell_command_can_be_the_agent_and_gets_the_prompt_three_ways() {
    let desk = Desk::new();
    let script = r#"command:cat > from_stdin; cat "$PROCTOR_PROMPT_FILE" > from_file; echo done"#;
    let trial = desk.trial(GWS, script, &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let prompt = trial.evidence("prompt.md");
    for name in ["workspace/from_stdin", "workspace/from_file"] {
        let got = trial.evidence(name);
        assert_eq!(
            String::from_utf8_lossy(&got).trim(),
            String::from_utf8_lossy(&prompt).trim(),
            "{name}"
        );
    }
    let said = trial.evidence_lines("transcript.jsonl");
    assert!(said.iter().any(|event| {
        event["message"]["role"] == "assistant"
            && event["message"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .trim()
                == "done"
    }));
    let manifest = trial.evidence_json("manifest.json");
    assert_eq!(manifest["agent"]["transcript"], "output");
}

#[test]
fn agents_of_one_adapter_have_trials_of_their_own() {
    let desk = Desk::new();
    let more = ["--agent", "command:echo two > two.txt"];
    let trial = desk.trial(GWS, "command:echo one > one.txt", &more);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    let trials = trial.job["trials"].as_array().unwrap();
    let agents: Vec<_> = trials.iter().map(|one| &one["agent"]).collect();
    assert_eq!(agents, ["command", "command-2"]);
    let second = desk.path("job/trials/gws-task-management.command-2.0");
    assert!(second.join("evidence/workspace/two.txt").is_file());
    assert!(trial.dir.join("evidence/workspace/one.txt").is_file());
}
