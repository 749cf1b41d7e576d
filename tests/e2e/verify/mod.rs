//! Verifying suites: everything at once, nothing run, and building again.

mod rebuild;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use proctor_tests::{Desk, GWS, copy, root};

use crate::lock::{CORE_MODULE, suite};

#[test]
fn the_repositorys_own_suite_fits() {
    let desk = Desk::new();
    let ended = desk.run(["verify", "tasks"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.out.contains("proctor.lock fits the suite"),
        "{}",
        ended.out
    );
    assert_eq!(desk.run(["verify", GWS]).code, 0);
}

#[test]
fn everything_that_differs_is_said_at_once() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let at = |path: &str| desk.path("suite").join(path);
    fs::write(at("gws-task-management/grader.wasm"), CORE_MODULE).unwrap();
    copy(&root().join(GWS), &at("another"));
    let file = at("another/task.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("gws-task-management", "another", 1)).unwrap();
    fs::create_dir(at("broken")).unwrap();
    fs::write(at("broken/task.md"), "---\nid: Broken\n---\n").unwrap();
    let ended = desk.run(["verify", &suite, "--format", "json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    assert_eq!(
        (&report["fits"], &report["tasks"]),
        (&false.into(), &3.into())
    );
    let findings = report["findings"].as_array().unwrap();
    let errors = findings.iter().filter(|one| one["level"] == "error");
    let kinds: Vec<_> = errors.map(|one| one["kind"].as_str().unwrap()).collect();
    for kind in ["invalid", "not_locked", "pack", "grader", "refused"] {
        assert!(kinds.contains(&kind), "{kind}: {report}");
    }
    let text = desk.run(["verify", &suite]);
    assert_eq!(text.code, 1);
    assert_eq!(
        text.out.matches("error: ").count(),
        kinds.len(),
        "{}",
        text.out
    );
}

#[test]
fn annotations_stand_at_their_lines_and_hold_one_command_each() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let file = desk.path("suite/gws-task-management/task.md");
    let text = fs::read_to_string(&file).unwrap();
    // What the pack says tries to be a command of its own.
    let text = text.replacen("category:", "\"::error::x%0A\u{1b}[2J\": 1\ncategory:", 1);
    fs::write(
        &file,
        text.replace("timeout_seconds: 300", "timeout_seconds: a\\n::warning::y"),
    )
    .unwrap();
    let ended = desk.run(["verify", &suite, "--format", "github"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let lines: Vec<&str> = ended.out.lines().collect();
    let (last, commands) = lines.split_last().unwrap();
    assert!(
        last.starts_with("proctor.lock does not fit the suite"),
        "{last}"
    );
    assert!(!commands.is_empty());
    for line in commands {
        assert!(line.starts_with("::error file="), "{line}");
        assert!(line.contains(",title=proctor verify::"), "{line}");
    }
    assert!(ended.out.contains("task.md,line="), "{}", ended.out);
    assert!(!ended.out.contains('\u{1b}'));
}

#[test]
fn misuse_is_2_and_a_missing_lock_is_1() {
    let desk = Desk::new();
    desk.run(["verify", "/nowhere"])
        .refused(2, &["/nowhere", "hint: "]);
    fs::create_dir(desk.path("empty")).unwrap();
    let empty = desk.path("empty");
    desk.run(["verify", empty.to_str().unwrap()])
        .refused(2, &["a folder without tasks"]);
    let suite = suite(&desk);
    let lock = desk.path("suite/proctor.lock");
    fs::remove_file(&lock).unwrap();
    let ended = desk.run(["verify", &suite]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.out.contains("there is no proctor.lock"),
        "{}",
        ended.out
    );
    fs::write(&lock, "version = 1\n<<<<<<< ours\n").unwrap();
    let ended = desk.run(["verify", &suite]);
    assert_eq!(ended.code, 1);
    assert!(ended.out.contains("proctor.lock:2"), "{}", ended.out);
}

/// Neither the tools nor anything in the suite or its sources is started.
#[test]
fn verifying_runs_nothing() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let (tools, marker) = (desk.path("tools"), desk.path("was-run"));
    fs::create_dir(&tools).unwrap();
    for name in ["cargo", "rustc", "rustup", "git", "sh", "bwrap"] {
        let path = tools.join(name);
        fs::write(&path, format!("#!/bin/bash\n: > {}\n", marker.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = desk.proctor();
    command.args(["verify", &suite]).env("PATH", &tools);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!marker.exists());
}

/// A lock that cannot be read, or that is a link to nowhere, is none that is
/// missing: nothing runs by it, whatever is typed.
#[test]
fn a_lock_that_is_hidden_unlocks_nothing() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let lock = desk.path("suite/proctor.lock");
    fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink("nowhere", &lock).unwrap();
    for more in [&[][..], &["--unlocked"]] {
        let mut arguments = vec!["run", suite.as_str(), "--agent", "nop"];
        arguments.extend(more);
        desk.run(arguments).refused(5, &["proctor.lock"]);
    }
}

#[test]
fn what_is_unlocked_says_so_in_every_report() {
    let desk = Desk::new();
    let suite = suite(&desk);
    fs::write(desk.path("suite/gws-task-management/note"), "new").unwrap();
    desk.run(["run", &suite, "--agent", "nop"])
        .refused(5, &["the pack changed", "hint: "]);
    let trial = desk.trial(&suite, "nop", &["--unlocked"]);
    assert_eq!(trial.outcome(), "scored");
    let remark = "not locked: --unlocked was given";
    assert!(
        trial.record["warnings"].to_string().contains(remark),
        "{}",
        trial.record
    );
    let report = fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(report.contains(remark), "{report}");
    // A task that is in the lock is locked, also when the word is typed.
    fs::remove_file(desk.path("suite/gws-task-management/note")).unwrap();
    let desk = Desk::new();
    let trial = desk.trial(&suite, "nop", &["--unlocked"]);
    assert!(
        !trial.record["warnings"].to_string().contains("not locked"),
        "{}",
        trial.record
    );
}
