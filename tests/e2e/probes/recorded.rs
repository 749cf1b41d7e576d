//! What becomes of a probe in the evidence, the events and the report.

use proctor_tests::{Desk, GWS};
use serde_json::{Value, json};

use super::{printed, probe, task, with};

#[test]
fn how_a_probe_ended_and_what_it_wrote_is_evidence() {
    let desk = Desk::new();
    let task = with(
        &desk,
        &json!([
            {"name": "good", "run": "cat result.txt; echo warned >&2"},
            {"name": "bad", "run": "exit 3"},
            {"name": "killed", "run": "kill -SEGV $$"},
            {"name": "slow", "run": "echo begun; sleep 600", "timeout_seconds": 1},
            {"name": "after", "run": "echo still here"},
        ]),
    );
    let trial = desk.trial(&task, &desk.steps(&["echo 42 > result.txt"]), &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    assert_eq!(
        probe(&trial, "good"),
        json!({
            "name": "good", "run": "cat result.txt; echo warned >&2", "timeout_seconds": 60,
            "status": "exited", "exit_code": 0, "stdout": "42\n", "stderr": "warned\n",
            "stdout_bytes": 3, "stderr_bytes": 7, "stdout_truncated": false,
            "stderr_truncated": false,
        })
    );
    assert_eq!(probe(&trial, "bad")["exit_code"], 3);
    assert_eq!(probe(&trial, "killed")["status"], "signalled");
    assert_eq!(probe(&trial, "killed")["signal"], 11);
    assert_eq!(probe(&trial, "slow")["status"], "timed_out");
    assert_eq!(probe(&trial, "slow")["stdout"], "begun\n");
    assert_eq!(printed(&trial, "after"), "still here\n");
    let manifest = trial.evidence_json("manifest.json");
    assert!(manifest["files"]["probes.json"].is_object(), "{manifest}");
    let report = std::fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    for part in [
        "## Probes",
        "`probe:bad`, `exit 3`: exit code 3",
        "`probe:slow`",
        "its time was up",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    assert!(trial.record["seconds"]["probe"].is_number());
}

#[test]
fn probing_is_a_stage_between_freezing_and_grading() {
    for (probes, expected) in [
        (
            &[("one", "true")][..],
            &["seed", "run", "freeze", "probe", "grade"][..],
        ),
        (&[], &["seed", "run", "freeze", "grade"]),
    ] {
        let desk = Desk::new();
        let trial = desk.trial(task(&desk, probes), "nop", &[]);
        assert_eq!(trial.outcome(), "scored", "{}", trial.record);
        let events = std::fs::read_to_string(desk.path("job/events.jsonl")).unwrap();
        let stages: Vec<String> = events
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|event| event["event"] == "stage_finished")
            .map(|event| event["stage"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(stages, expected);
        let there = trial.dir.join("evidence/probes.json").exists();
        assert_eq!(there, !probes.is_empty());
    }
}

#[test]
fn the_end_of_a_long_output_is_counted_and_not_kept() {
    let desk = Desk::new();
    let task = task(
        &desk,
        &[
            (
                "long",
                "head -c 3000000 /dev/zero | tr '\\0' x; echo short >&2",
            ),
            ("dense", "head -c 100000 /dev/zero"),
            ("bytes", "printf 'a\\377b\\303'"),
        ],
    );
    let trial = desk.trial(&task, "nop", &[]);
    let long = probe(&trial, "long");
    assert_eq!(long["stdout_bytes"], 3_000_000);
    assert_eq!(long["stdout"].as_str().unwrap().len(), 256 << 10);
    assert_eq!(
        (&long["stdout_truncated"], &long["stderr_truncated"]),
        (&json!(true), &json!(false))
    );
    // A NUL is six characters in JSON: what counts is what a grader has to read.
    let dense = probe(&trial, "dense");
    assert_eq!(dense["stdout"].as_str().unwrap().len(), (256 << 10) / 6);
    assert_eq!(dense["stdout_truncated"], true);
    assert_eq!(printed(&trial, "bytes"), "a\u{fffd}b\u{fffd}");
    assert_eq!(probe(&trial, "bytes")["stdout_truncated"], false);
}

#[test]
fn two_runs_give_the_same_bytes() {
    let documents: Vec<Vec<u8>> = (0..2)
        .map(|_| {
            let desk = Desk::new();
            let task = task(
                &desk,
                &[
                    ("list", "ls -1; cat *.md"),
                    ("bad", "false"),
                    ("env", "env"),
                ],
            );
            let trial = desk.trial(&task, &desk.steps(&["echo hello > a.md"]), &[]);
            trial.evidence("probes.json")
        })
        .collect();
    assert!(!documents[0].is_empty());
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn without_isolation_probes_run_as_well() {
    let desk = Desk::new();
    let task = with(
        &desk,
        &json!([
            {"name": "read", "run": "cat result.txt; echo litter > litter.txt"},
            {"name": "slow", "run": "sleep 600", "timeout_seconds": 1},
            {"name": "who", "run": "id -u; pwd; echo $HOME"},
        ]),
    );
    let agent = desk.steps(&["echo 42 > result.txt; id -u; pwd; echo $HOME"]);
    let trial = desk.trial(&task, &agent, &["--isolation", "none"]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    assert_eq!(printed(&trial, "read"), "42\n");
    assert_eq!(probe(&trial, "slow")["status"], "timed_out");
    assert_eq!(printed(&trial, "who").trim(), trial.outputs()[0].trim());
    assert!(!trial.dir.join("evidence/workspace/litter.txt").exists());
}

#[test]
fn a_task_without_probes_has_no_document_of_them() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    let manifest = trial.evidence_json("manifest.json");
    assert!(manifest["files"]["workspace.json"].is_object());
    assert!(manifest["files"]["probes.json"].is_null());
    let report = std::fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(!report.contains("## Probes"), "{report}");
}
