//! Task packs and graders that are not as they should be: a clear error, the
//! right outcome, the documented exit code.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proctor_tests::{Desk, GWS, Trial, copy, root};

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

#[test]
fn a_pack_does_not_lift_the_walls_of_the_room() {
    refused(
        |text| text.replace("proctor:\n", "proctor:\n  limits: {workspace: 1TiB}\n"),
        &["task.md:", "`proctor.limits.workspace`", "64KiB to 4GiB"],
    );
}

#[test]
fn the_runners_own_program_is_no_prerequisite() {
    refused(
        |text| text.replacen("cli:gws", "cli:proctor-capture", 1),
        &["task.md", "`proctor-capture` is the runner's own"],
    );
}

#[test]
fn a_solution_that_is_no_steps_file_is_refused_before_anything_runs() {
    let desk = Desk::new();
    let task = desk.task(str::to_owned);
    fs::write(task.join("solution/steps.yaml"), "steps:\n- rum: echo\n").unwrap();
    let (task, out) = (task.to_str().unwrap(), desk.path("job"));
    let out = out.to_str().unwrap();
    let ended = desk.run(["run", task, "--agent", "oracle", "--out", out]);
    ended.refused(3, &["task/solution/steps.yaml:2", "rum"]);
    assert!(!desk.path("job").exists());
    // It is the oracle's alone.
    assert_eq!(desk.trial(task, "nop", &[]).outcome(), "scored");
}

#[test]
fn a_job_is_not_recorded_inside_of_what_it_runs() {
    let desk = Desk::new();
    let task = desk.task(str::to_owned);
    let out = task.join("out/job");
    let arguments = ["run", task.to_str().unwrap(), "--agent", "nop", "--out"];
    let ended = desk.run(arguments.into_iter().chain(out.to_str()));
    ended.refused(2, &["inside of what it runs", "hint: "]);
    assert!(!task.join("out").exists());
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
    symlink("/etc/passwd", task.join("assets/link.csv")).unwrap();
    let ended = desk.run(["run", task.to_str().unwrap(), "--agent", "nop"]);
    ended.refused(3, &["link.csv", "symbolic link"]);
}

#[test]
fn two_tasks_with_one_id_are_refused_with_both_files() {
    let desk = Desk::new();
    for name in ["one", "two"] {
        copy(&root().join(GWS), &desk.path("suite").join(name));
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

pub(crate) fn hostile(name: &str) -> PathBuf {
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
        ("log-flood", "log_quota", &["log"]),
    ] {
        let module = fs::read(hostile(name)).unwrap();
        let (_desk, trial) = graded_by(&module);
        println!("{name}: {}", trial.record["failure"]);
        ungraded(&trial, kind, parts);
    }
}

#[test]
fn modules_that_are_no_graders_leave_the_trial_ungraded() {
    let component = *b"\0asm\x0d\0\x01\0";
    // A section of one import, by a plain name, of a function.
    let mut imports = vec![1, 0, 7];
    imports.extend(b"network");
    imports.extend([1, 0]);
    let mut networked = component.to_vec();
    networked.extend([10, u8::try_from(imports.len()).unwrap()]);
    networked.extend(imports);
    for (module, kind, parts) in [
        (
            &b"#!/bin/sh\necho 1.0 > reward\n"[..],
            "not_a_component",
            &[][..],
        ),
        (b"\0asm\x01\0\0\0", "not_a_component", &["core module"]),
        (&component, "wrong_abi", &["proctor:grader"]),
        (
            &networked,
            "forbidden_import",
            &["`network`", "proctor:grader/evidence"],
        ),
    ] {
        let (_desk, trial) = graded_by(module);
        ungraded(&trial, kind, parts);
    }
}

#[test]
fn mistakes_on_the_command_line_are_json_where_it_is_asked_for() {
    let desk = Desk::new();
    for arguments in [
        &["run", "--format", "json"][..],
        &["rum", "--format=json"],
        &["run", GWS, "--agent", "nobody", "--format", "json"],
        &[
            "run",
            GWS,
            "--agent",
            "nop",
            "--agent",
            "nop",
            "--format=json",
        ],
        &["serve", "--world", "moon", "--format", "json"],
    ] {
        let ended = desk.run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{ended:?}");
        let error: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
        assert_eq!(error["error"]["code"], 2, "{error}");
        assert!(error["error"]["message"].is_string(), "{error}");
    }
}

#[test]
fn what_a_pack_says_cannot_turn_text_on_a_terminal() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replacen("category:", "\"x\u{202e}y\": 1\ncategory:", 1));
    let ended = desk.run(["task", "show", task.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.err.contains(r"x\u{202e}y"), "{}", ended.err);
    assert!(!ended.out.contains('\u{202e}') && !ended.err.contains('\u{202e}'));
}
