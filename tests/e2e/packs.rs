//! Task packs and graders that are not as they should be: a clear error, the
//! right outcome, the documented exit code.

use std::fs;
use std::path::{Path, PathBuf};

use proctor_tests::{Desk, Trial, copy, root};

/// A suite of one task, changed by `edit`, that `proctor run` refuses with code
/// 3 and an error that has every one of `parts`.
fn refused(edit: impl Fn(&str) -> String, parts: &[&str]) {
    let desk = Desk::new();
    let task = desk.task(edit);
    let out = desk.path("job");
    let ended = desk.run([
        "run",
        task.to_str().unwrap(),
        "--agent",
        "nop",
        "--out",
        out.to_str().unwrap(),
    ]);
    ended.refused(3, parts);
    assert!(ended.err.contains("hint: "), "{}", ended.err);
    assert!(
        !out.exists(),
        "nothing was run, and a job directory was made"
    );
}

#[test]
fn a_task_without_front_matter_is_refused_with_its_line() {
    refused(
        |text| text.split_once("\n---\n").unwrap().1.to_owned(),
        &["task.md:1", "front matter"],
    );
}

#[test]
fn a_rubric_that_cannot_be_read_is_refused_with_its_line() {
    refused(
        |text| text.replace("(Weight: 40%)", "(Weight: much)"),
        &["task.md:", "Weight"],
    );
}

#[test]
fn an_unknown_service_is_refused_with_the_known_ones() {
    refused(
        |text| text.replace("services: [google]", "services: [gogle]"),
        &["gogle", "google"],
    );
}

fn with_fixture(source: &str) -> impl Fn(&str) -> String {
    let entry = format!("workspace_files:\n  - source: {source}\n    dest: data.csv");
    move |text| {
        assert!(
            text.contains("workspace_files: []"),
            "the task has no fixtures to begin with"
        );
        text.replace("workspace_files: []", &entry)
    }
}

#[test]
fn a_missing_fixture_is_refused() {
    refused(
        with_fixture("nowhere.csv"),
        &["task.md:", "nowhere.csv", "does not exist"],
    );
}

#[test]
fn a_fixture_above_the_pack_is_refused() {
    refused(
        with_fixture("../../../etc/passwd"),
        &["task.md:", "../../../etc/passwd", "`..`"],
    );
}

#[test]
fn a_fixture_through_a_link_is_refused() {
    let desk = Desk::new();
    let task = desk.task(with_fixture("link.csv"));
    fs::create_dir(task.join("assets")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", task.join("assets/link.csv")).unwrap();
    let ended = desk.run(["run", task.to_str().unwrap(), "--agent", "nop"]);
    ended.refused(3, &["link.csv", "symbolic link"]);
}

#[test]
fn two_tasks_with_one_id_are_refused_with_both_files() {
    let desk = Desk::new();
    for name in ["one", "two"] {
        copy(
            &root().join(proctor_tests::GWS),
            &desk.path("suite").join(name),
        );
    }
    let suite = desk.path("suite");
    let ended = desk.run(["run", suite.to_str().unwrap(), "--agent", "nop"]);
    ended.refused(3, &["gws-task-management", "one/task.md", "two/task.md"]);
}

#[test]
fn a_broken_seed_is_refused_before_anything_runs() {
    let desk = Desk::new();
    let task = desk.task(str::to_owned);
    fs::write(
        task.join("seed/google/tasks.json"),
        "{\"lists\": [\n{\"titel\": 1}\n]}",
    )
    .unwrap();
    let ended = desk.run(["run", task.to_str().unwrap(), "--agent", "nop"]);
    ended.refused(3, &["seed/google/tasks.json:2", "titel"]);
}

#[test]
fn unknown_keys_warn_and_stop_nothing() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replacen("category:", "difficulty: easy\ncategory:", 1));
    let trial = desk.trial(&task, "nop", &[]);
    assert_eq!(trial.outcome(), "scored");
    assert!(
        trial.record["warnings"].to_string().contains("difficulty"),
        "{}",
        trial.record
    );
}

#[test]
fn a_task_that_is_not_in_the_lock_needs_the_word_unlocked() {
    let desk = Desk::new();
    let suite = desk.path("suite");
    copy(&root().join("tasks"), &suite);
    let file = suite.join("gws-task-management/task.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("timeout_seconds: 300", "timeout_seconds: 301"),
    )
    .unwrap();
    let suite = suite.to_str().unwrap();
    desk.run(["run", suite, "--agent", "nop"])
        .refused(5, &["proctor.lock", "the pack changed"]);
    let trial = desk.trial(suite, "nop", &["--unlocked"]);
    assert_eq!(trial.outcome(), "scored");
    let report = fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(report.contains("not locked"), "{report}");
}

#[test]
fn a_grader_that_is_not_the_locked_one_is_refused_whatever_is_allowed() {
    let desk = Desk::new();
    let suite = desk.path("suite");
    copy(&root().join("tasks"), &suite);
    fs::copy(
        hostile("nan-points"),
        suite.join("gws-task-management/grader.wasm"),
    )
    .unwrap();
    for more in [&[][..], &["--unlocked"]] {
        let mut arguments = vec!["run", suite.to_str().unwrap(), "--agent", "nop"];
        arguments.extend(more);
        desk.run(arguments)
            .refused(5, &["the grader is not the locked one"]);
    }
}

#[test]
fn a_grader_that_was_not_built_is_refused() {
    let desk = Desk::new();
    let task = desk.task(str::to_owned);
    fs::remove_file(task.join("grader.wasm")).unwrap();
    let ended = desk.run(["run", task.to_str().unwrap(), "--agent", "nop"]);
    ended.refused(3, &["grader.wasm", "does not exist"]);
}

fn hostile(name: &str) -> PathBuf {
    root()
        .join("tests/hostile/graders")
        .join(format!("{name}.wasm"))
}

/// Runs a trial that is graded by `module`.
fn graded_by(module: &[u8]) -> (Desk, Trial) {
    let desk = Desk::new();
    let task = desk.task(str::to_owned);
    fs::write(task.join("grader.wasm"), module).unwrap();
    let trial = desk.trial(&task, "nop", &[]);
    (desk, trial)
}

/// The trial is ungraded for this reason, counts nowhere, and keeps its
/// evidence.
fn ungraded(trial: &Trial, kind: &str, parts: &[&str]) {
    assert_eq!(trial.outcome(), "ungraded", "{}", trial.record);
    assert_eq!(trial.ended.code, 4);
    assert_eq!(
        trial.record["failure"]["kind"], kind,
        "{}",
        trial.record["failure"]
    );
    let message = trial.record["failure"]["message"].as_str().unwrap();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
    assert!(trial.record["score"].is_null() && trial.record["points"].is_null());
    assert_eq!(trial.job["denominator"]["counted"], 0);
    assert_eq!(trial.job["denominator"]["ungraded"], 1);
    assert!(trial.dir.join("evidence/manifest.json").is_file());
    assert!(!trial.dir.join("verdict.json").exists());
    let report = fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(report.contains("says nothing about the agent"), "{report}");
}

#[test]
fn graders_that_break_leave_the_trial_ungraded_each_for_its_own_reason() {
    for (name, kind, parts) in [
        ("trap", "trapped", &[][..]),
        ("endless-loop", "out_of_fuel", &["fuel"]),
        ("memory-bomb", "out_of_memory", &["memory"]),
        ("nan-points", "invalid_verdict", &["NaN"]),
        ("points-above-max", "invalid_verdict", &["1.5", "0 to 1"]),
        ("negative-max", "invalid_verdict", &["max"]),
        ("duplicate-ids", "invalid_verdict", &["taken by another"]),
        ("citation-to-nowhere", "invalid_verdict", &["journal"]),
        ("core-module", "not_a_component", &["core module"]),
        ("wrong-abi", "wrong_abi", &["proctor:grader"]),
        (
            "imports-wasi",
            "forbidden_import",
            &["wasi", "proctor:grader/evidence"],
        ),
        ("log-flood", "log_quota", &["log"]),
    ] {
        let module = fs::read(hostile(name)).unwrap();
        let (_desk, trial) = graded_by(&module);
        println!("{name}: {}", trial.record["failure"]);
        ungraded(&trial, kind, parts);
    }
}

#[test]
fn bytes_that_are_no_module_leave_the_trial_ungraded() {
    let (_desk, trial) = graded_by(b"#!/bin/sh\necho 1.0 > reward\n");
    ungraded(&trial, "not_a_component", &[]);
}

#[test]
fn evidence_that_was_changed_afterwards_is_not_graded() {
    let desk = Desk::new();
    let trial = desk.trial(proctor_tests::GWS, "nop", &[]);
    let file = trial.dir.join("evidence/world/after.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("needsAction", "completed  ", 1)).unwrap();
    let ended = desk.run(["grade", trial.dir.to_str().unwrap()]);
    ended.refused(10, &["world/after.json"]);
    desk.run(["grade", desk.path("").to_str().unwrap()])
        .refused(10, &["no frozen evidence"]);
}

#[test]
fn a_recorded_grader_that_was_exchanged_is_not_run() {
    let desk = Desk::new();
    let trial = desk.trial(proctor_tests::GWS, "nop", &[]);
    let graders: Vec<_> = fs::read_dir(desk.path("job/graders")).unwrap().collect();
    let file = graders[0].as_ref().unwrap().path();
    fs::copy(hostile("trap"), &file).unwrap();
    let ended = desk.run(["grade", trial.dir.to_str().unwrap()]);
    ended.refused(5, &["not the locked one"]);
    assert!(Path::new(&file).is_file());
}
