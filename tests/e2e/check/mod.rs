//! The gates that a task has to pass before it is locked.

mod grader_test;

use std::collections::BTreeMap;
use std::fs;

use proctor_tests::{Desk, Ended, GWS};
use serde_json::Value;

use crate::lock::CORE_MODULE;
use crate::packs::hostile;

/// The rows of the first task by gate.
fn rows(ended: &Ended) -> BTreeMap<String, Value> {
    let report = ended.json();
    let gates = report["tasks"][0]["gates"].as_array().unwrap();
    gates
        .iter()
        .map(|row| (row["gate"].as_str().unwrap().to_owned(), row.clone()))
        .collect()
}

/// A changed copy of the Google Workspace task, checked with `more`.
fn checked(edit: impl Fn(&str) -> String, more: &[&str]) -> (Desk, Ended) {
    let desk = Desk::new();
    let task = desk.task(edit);
    let mut arguments = vec!["check", task.to_str().unwrap(), "--format", "json"];
    arguments.extend(more);
    let ended = desk.run(arguments);
    (desk, ended)
}

fn status(rows: &BTreeMap<String, Value>, gate: &str) -> String {
    rows[gate]["status"].as_str().unwrap().to_owned()
}

#[test]
fn the_repositorys_suite_passes_every_gate() {
    let desk = Desk::new();
    let ended = desk.run(["check", "tasks", "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let report = ended.json();
    assert_eq!(
        (&report["failed"], &report["errors"]),
        (&0.into(), &0.into())
    );
    let rows = rows(&ended);
    assert_eq!(rows.len(), 11);
    for gate in [
        "nop", "oracle", "repeat", "evidence", "module", "imports", "prompt",
    ] {
        assert_eq!(status(&rows, gate), "pass", "{gate}: {report}");
    }
}

#[test]
fn everything_written_that_is_wrong_is_found_at_once_and_nothing_is_run() {
    let edit = |text: &str| {
        let text = text.replace("timeout_seconds: 300", "timeout_seconds: 5");
        let text = text.replace("(Weight: 40%)", "(Weight: 30%)");
        let text = text.replacen("category:", "difficulty: easy\ncategory:", 1);
        text.replacen(
            "Manage your tasks",
            "See `solution/steps.yaml`. Manage your tasks",
            1,
        )
    };
    let (_desk, ended) = checked(edit, &["--skip-run"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let rows = rows(&ended);
    for gate in ["rubric", "timeout", "prompt"] {
        assert_eq!(status(&rows, gate), "fail", "{rows:?}");
    }
    assert!(
        rows["format"]["notes"].to_string().contains("difficulty"),
        "{rows:?}"
    );
    let reason = rows["prompt"]["reason"].as_str().unwrap();
    assert!(reason.contains("names `solution/steps.yaml`"), "{reason}");
    assert!(!rows.contains_key("nop"), "{rows:?}");
    assert!(!ended.err.contains("trial"), "{}", ended.err);
}

#[test]
fn an_answer_among_the_workspace_files_is_found() {
    let desk = Desk::new();
    let entry = "workspace_files:\n  - source: notes.yaml\n    dest: notes.yaml";
    let task = desk.task(|text| text.replace("workspace_files: []", entry));
    fs::create_dir(task.join("assets")).unwrap();
    fs::copy(
        task.join("solution/steps.yaml"),
        task.join("assets/notes.yaml"),
    )
    .unwrap();
    let ended = desk.run(["check", task.to_str().unwrap(), "--only", "prompt"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended
            .out
            .contains("the workspace file `notes.yaml` is `solution/steps.yaml`"),
        "{}",
        ended.out
    );
    fs::remove_file(task.join("assets/notes.yaml")).unwrap();
    let ended = desk.run(["check", task.to_str().unwrap(), "--format", "json"]);
    assert_eq!(ended.code, 1);
    let rows = rows(&ended);
    assert_eq!(status(&rows, "fixtures"), "fail");
    assert_eq!(status(&rows, "nop"), "skipped");
}

#[test]
fn a_task_that_cannot_be_read_fails_at_its_line_and_hides_no_other() {
    let desk = Desk::new();
    let task = desk.path("suite/broken/task.md");
    fs::create_dir_all(task.parent().unwrap()).unwrap();
    fs::write(&task, "---\nid: Broken\n---\n").unwrap();
    let good = desk.path("suite/task_good.md");
    fs::write(
        &good,
        "---\nid: good\ngrading_type: automated\ntimeout_seconds: 60\n---\n\n## Prompt\n\nDo.\n\n\
         ## Automated Checks\n\n```python\ndef grade(transcript, workspace_path):\n    return {}\n```\n",
    )
    .unwrap();
    let suite = desk.path("suite");
    let arguments = [
        "check",
        suite.to_str().unwrap(),
        "--skip-run",
        "--format",
        "json",
    ];
    let ended = desk.run(arguments);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    assert_eq!(report["tasks"].as_array().unwrap().len(), 2);
    let rows = rows(&ended);
    assert_eq!(status(&rows, "format"), "fail");
    assert!(
        rows["format"]["reason"]
            .as_str()
            .unwrap()
            .contains("task.md:2"),
        "{rows:?}"
    );
    assert_eq!(report["tasks"][1]["task"], "good");
    assert_eq!(report["tasks"][1]["gates"][0]["status"], "pass");
}

#[test]
fn a_floor_that_is_not_the_tasks_and_a_solution_that_is_none_fail() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replacen("proctor:\n", "proctor:\n  floor: 2\n", 1));
    fs::write(task.join("solution/steps.yaml"), "steps:\n- run: 'true'\n").unwrap();
    let ended = desk.run(["check", task.to_str().unwrap(), "--format", "json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let rows = rows(&ended);
    assert_eq!(status(&rows, "nop"), "fail");
    let reason = rows["nop"]["reason"].as_str().unwrap();
    assert!(reason.contains("gets 0 points; the floor is 2"), "{reason}");
    assert_eq!(status(&rows, "oracle"), "fail");
    let notes = rows["oracle"]["notes"].to_string();
    assert!(notes.contains("0 of 1 points"), "{notes}");
    assert_eq!(status(&rows, "repeat"), "pass");
    // The solution never wrote the summary that the grader asks for.
    assert!(
        rows["evidence"]["notes"]
            .to_string()
            .contains("task_summary.md"),
        "{rows:?}"
    );
}

#[test]
fn a_hostile_grader_fails_its_gates_and_nothing_else() {
    for (module, gate, others) in [
        ("core-module", "module", ["nop", "oracle"]),
        ("endless-loop", "nop", ["oracle", "nop"]),
        ("nan-points", "nop", ["oracle", "nop"]),
    ] {
        let desk = Desk::new();
        let task = desk.task(str::to_owned);
        let wasm = match module {
            "core-module" => CORE_MODULE.to_vec(),
            name => fs::read(hostile(name)).unwrap(),
        };
        fs::write(task.join("grader.wasm"), wasm).unwrap();
        let ended = desk.run(["check", task.to_str().unwrap(), "--format", "json"]);
        assert_eq!(ended.code, 1, "{module}: {ended:?}");
        let rows = rows(&ended);
        for gate in others.iter().chain([&gate]) {
            assert_eq!(status(&rows, gate), "fail", "{module}: {rows:?}");
        }
        for gate in ["format", "rubric", "timeout", "prompt"] {
            assert_eq!(status(&rows, gate), "pass", "{module}: {rows:?}");
        }
        assert_eq!(status(&rows, "repeat"), "skipped", "{module}");
    }
}

#[test]
fn a_task_without_a_solution_or_a_module_fails_in_words() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replace("  oracle: solution/steps.yaml\n", ""));
    fs::remove_file(task.join("grader.wasm")).unwrap();
    let ended = desk.run(["check", task.to_str().unwrap()]);
    assert_eq!(ended.code, 1, "{ended:?}");
    for part in [
        "build it: proctor grader build",
        "no solution that could be played",
        "hint: ",
    ] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
}

#[test]
fn one_gate_can_be_asked_for_and_misuse_is_2() {
    let (_desk, ended) = checked(str::to_owned, &["--only", "imports", "--only", "timeout"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let rows = rows(&ended);
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["imports", "timeout"]);
    let desk = Desk::new();
    desk.run(["check", GWS, "--only", "everything"])
        .refused(2, &["no gate of that name"]);
    desk.run(["check", "/nowhere"]).refused(2, &["/nowhere"]);
}

#[test]
fn what_the_trials_left_is_kept_where_it_is_asked_for() {
    let desk = Desk::new();
    let out = desk.path("kept");
    let ended = desk.run([
        "check",
        GWS,
        "--only",
        "nop",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(out.join("gws-task-management/nop/summary.json").is_file());
}
