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
    assert_eq!(rows.len(), 12);
    for gate in [
        "nop", "oracle", "repeat", "evidence", "module", "imports", "prompt", "seed",
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

/// A seed is read, and nothing is run for it.
#[test]
fn a_seed_that_is_none_fails_with_its_file_and_what_to_do() {
    let (desk, ended) = checked(str::to_owned, &["--skip-run"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let seed = rows(&ended)["seed"].clone();
    assert!(
        seed["reason"].as_str().unwrap().starts_with("mail: "),
        "{seed}"
    );
    let task = desk.path("task");
    let again = || {
        desk.run([
            "check",
            task.to_str().unwrap(),
            "--skip-run",
            "--format",
            "json",
        ])
    };
    let failed = |ended: &Ended, parts: [&str; 2]| {
        assert_eq!(ended.code, 1, "{ended:?}");
        let row = rows(ended)["seed"].clone();
        assert_eq!(row["status"], "fail", "{row}");
        let (reason, hint) = (row["reason"].as_str(), row["hint"].as_str());
        assert!(reason.unwrap().contains(parts[0]), "{row}");
        assert!(hint.unwrap().contains(parts[1]), "{row}");
    };
    fs::create_dir(task.join("seed/notion")).unwrap();
    failed(
        &again(),
        ["task/seed/notion: ", "`services: [google, notion]`"],
    );
    fs::remove_dir(task.join("seed/notion")).unwrap();
    fs::write(task.join("seed/world.yaml"), "clock: soon\n").unwrap();
    failed(
        &again(),
        ["task/seed/world.yaml:1: ", "docs/writing-worlds.md"],
    );
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

/// What Python opens in vain is told like what a component asks for.
#[test]
fn a_python_grader_that_reads_what_is_not_there_is_told() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replace("  grader: grader.wasm\n", ""));
    fs::remove_file(task.join("grader.wasm")).unwrap();
    let only = ["--only", "evidence", "--format", "json"];
    let check = || desk.run(["check", task.to_str().unwrap()].iter().chain(&only));
    let ended = check();
    assert_eq!(ended.code, 0, "{ended:?}");
    let reason = rows(&ended)["evidence"]["reason"].clone();
    assert_eq!(reason, "whatever it asked for was there");
    let file = task.join("task.md");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("task_summary.md\""), "{text}");
    fs::write(&file, text.replace("task_summary.md\"", "task_sumary.md\"")).unwrap();
    let notes = rows(&check())["evidence"]["notes"].clone();
    assert_eq!(
        notes[0],
        "`workspace/task_sumary.md` is not in the evidence"
    );
}

#[test]
fn what_a_failing_grader_logged_is_where_the_hint_says() {
    let desk = Desk::new();
    let file = desk.path("suite/task_fails.md");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(
        &file,
        "---\nid: fails\ngrading_type: automated\ntimeout_seconds: 60\n---\n\n## Prompt\n\nDo.\n\n\
         ## Automated Checks\n\n```python\ndef grade(transcript, workspace_path):\n    \
         print('as far as this')\n    return 1 / 0\n```\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let only = ["--only", "nop", "--format", "json"];
    let ended = desk.run(["check", file].iter().chain(&only));
    assert_eq!(ended.code, 1, "{ended:?}");
    let hint = rows(&ended)["nop"]["hint"].clone();
    assert!(hint.as_str().unwrap().contains("`--out DIR`"), "{hint}");
    let out = desk.path("out");
    let kept = ["--out", out.to_str().unwrap()];
    let ended = desk.run(["check", file].iter().chain(&only).chain(&kept));
    let hint = rows(&ended)["nop"]["hint"].clone();
    let folder = hint.as_str().unwrap().rsplit(' ').next().unwrap();
    let log = fs::read_to_string(std::path::Path::new(folder).join("grader.log")).unwrap();
    assert!(log.contains("as far as this"), "{log}");
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
