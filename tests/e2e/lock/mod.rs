//! Locking suites, and looking at what is to be locked.

use std::fs;

use proctor_tests::{Desk, copy, root};

/// The smallest core module: no grader, and no component at all.
pub(crate) const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// The repository's own grader, made for another version of the contract.
pub(crate) fn of_another_contract() -> Vec<u8> {
    let mut module = fs::read(root().join("tasks/gws-task-management/grader.wasm")).unwrap();
    let (from, to) = (b"@1.0.0", b"@9.0.0");
    let places: Vec<usize> = (0..module.len() - from.len())
        .filter(|at| module[*at..].starts_with(from))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        module[at..at + to.len()].copy_from_slice(to);
    }
    module
}

/// A suite that has a copy of one of the repository's tasks, locked.
pub(crate) fn suite(desk: &Desk) -> String {
    let suite = desk.path("suite");
    let task = "gws-task-management";
    fs::create_dir(&suite).unwrap();
    copy(&root().join("tasks").join(task), &suite.join(task));
    let suite = suite.to_str().unwrap().to_owned();
    let locked = desk.run(["lock", &suite]);
    assert_eq!(locked.code, 0, "{locked:?}");
    suite
}

#[test]
fn locking_says_what_was_different_and_what_is_missing() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let record = desk.path("suite/gws-task-management/grader.build.toml");
    drop(fs::remove_file(record));
    drop(fs::remove_file(desk.path("suite/proctor.lock")));
    let ended = desk.run(["lock", &suite]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.out.contains("is not in the lock file"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("1 task locked"), "{}", ended.out);
    assert!(
        ended.err.contains("nothing says how the grader was built"),
        "{}",
        ended.err
    );
    let again = desk.run(["lock", &suite, "--format", "json"]);
    assert_eq!(again.json()["differences"], serde_json::json!([]));
    assert_eq!(again.json()["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(desk.run(["lock", &suite, "--check"]).code, 0);
}

#[test]
fn the_contract_in_the_lock_is_the_modules_own() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let lock = fs::read_to_string(desk.path("suite/proctor.lock")).unwrap();
    assert!(lock.contains("abi = \"proctor:grader@1.0.0\"\n"), "{lock}");
    // A module of another contract is none that could be locked.
    let module = desk.path("suite/gws-task-management/grader.wasm");
    fs::write(&module, of_another_contract()).unwrap();
    desk.run(["lock", &suite])
        .refused(4, &["cannot be locked", "wrong ABI"]);
    fs::write(&module, CORE_MODULE).unwrap();
    desk.run(["lock", &suite])
        .refused(4, &["cannot be locked", "core module"]);
    fs::remove_file(&module).unwrap();
    desk.run(["lock", &suite]).refused(3, &["is not built"]);
    assert_eq!(
        fs::read_to_string(desk.path("suite/proctor.lock")).unwrap(),
        lock
    );
}

#[test]
fn another_grader_than_the_locked_one_has_to_be_asked_for_twice() {
    let desk = Desk::new();
    let suite = suite(&desk);
    let other = root().join("tests/hostile/graders/criteria-bomb.wasm");
    let own = desk.path("suite/gws-task-management/grader.wasm");
    let run = |grader: &std::path::Path, out: &str, more: &[&str]| {
        let (grader, out) = (grader.to_str().unwrap(), desk.path(out));
        let mut arguments = vec!["run", &suite, "--agent", "nop", "--grader", grader];
        arguments.extend(["--out", out.to_str().unwrap()]);
        arguments.extend(more);
        desk.run(arguments)
    };
    let refused = run(&other, "refused", &[]);
    refused.refused(5, &["criteria-bomb.wasm", "not the grader", "--unlocked"]);
    // It grades, and badly; that is the operator's wish, and it is written down.
    let asked = run(&other, "asked", &["--unlocked"]);
    assert_ne!(asked.code, 5, "{asked:?}");
    let report = "asked/trials/gws-task-management.nop.0/eval_report_0.md";
    let report = fs::read_to_string(desk.path(report)).unwrap();
    assert!(report.contains("not by the task's own grader"), "{report}");
    // The locked module by another way is still the locked module.
    let ended = run(&own, "own", &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn any_module_can_be_looked_at_and_a_refused_one_ends_with_4() {
    let desk = Desk::new();
    let inspect = |module: &str| {
        let ended = desk.run(["grader", "inspect", module, "--format", "json"]);
        (ended.code, ended.json())
    };
    let written = |name: &str, bytes: &[u8]| {
        let path = desk.path(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let plain = written("core.wasm", CORE_MODULE);
    let other = written("other.wasm", &of_another_contract());
    let task = root().join("tasks/gws-task-management");
    let module = task.join("grader.wasm");
    let (code, own) = inspect(module.to_str().unwrap());
    assert_eq!(code, 0, "{own}");
    assert_eq!(own["bytes"], fs::metadata(&module).unwrap().len());
    let record = fs::read_to_string(task.join("grader.build.toml")).unwrap();
    for key in ["source_sha256", "proctor", "rustc", "wit_component"] {
        let line = format!("{key} = \"{}\"\n", own["build"][key].as_str().unwrap());
        assert!(record.contains(&line), "{line} is not in {record}");
    }
    assert!(own["no_build"].is_null(), "{own}");
    assert_eq!(own["abi"], "proctor:grader@1.0.0");
    assert!(
        own["imports"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["is_allowed"] == true)
    );
    assert_eq!(own["exports"][0]["name"], "grade");
    assert!(own["functions"].as_u64().unwrap() > 100);
    for (file, kind) in [(&plain, "not_a_component"), (&other, "wrong_abi")] {
        let (code, module) = inspect(file);
        assert_eq!(
            (code, &module["refusal"]["kind"]),
            (4, &kind.into()),
            "{file}"
        );
        assert_eq!(module["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(module["bytes"], fs::metadata(file).unwrap().len());
        // Nobody says how it was built, and that is said.
        assert!(module["build"].is_null(), "{module}");
        assert!(module["no_build"].is_string(), "{module}");
    }
    assert_eq!(inspect(&other).1["abi"], "proctor:grader@9.0.0");
    // What is no module at all, or goes on for ever.
    let file = desk.path("noise");
    fs::write(&file, b"#!/bin/sh\n\x1b[2J").unwrap();
    let ended = desk.run(["grader", "inspect", file.to_str().unwrap()]);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(
        !ended.out.contains('\u{1b}') && ended.out.contains("REFUSED"),
        "{}",
        ended.out
    );
    desk.run(["grader", "inspect", "/dev/zero"])
        .refused(9, &["no regular file"]);
}

#[test]
fn what_stands_in_arguments_has_no_power_over_the_terminal() {
    let desk = Desk::new();
    for arguments in [
        &["run\u{1b}[2J"][..],
        &["lock", "--unknown\u{1b}]0;title\u{7}"],
        &["grade", "\u{202e}x", "--format", "yaml\u{9b}1m"],
    ] {
        let ended = desk.run(arguments);
        assert_eq!(ended.code, 2, "{ended:?}");
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!ended.err.contains(acts), "{:?}", ended.err);
    }
    // An ordinary mistake still looks as it always did.
    let ended = desk.run(["lock", "--unknown"]);
    assert!(
        ended
            .err
            .starts_with("error: unexpected argument '--unknown'"),
        "{}",
        ended.err
    );
    // The log quotes paths.
    let name = desk.path("x\u{1b}[2J");
    let mut command = desk.proctor();
    command.args(["-vvv", "task", "show"]).arg(&name);
    let output = command.output().unwrap();
    assert!(
        !output.stderr.contains(&0x1b),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A cache that others could write to is not used, and that is said as JSON
/// where JSON is asked for.
#[test]
fn warnings_are_json_where_it_is_asked_for() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let trial = desk.trial(suite(&desk), "nop", &[]);
    let modules = desk.path("cache/proctor/modules");
    fs::create_dir_all(&modules).unwrap();
    fs::set_permissions(&modules, fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = desk.proctor();
    command.env("XDG_CACHE_HOME", desk.path("cache"));
    command
        .arg("grade")
        .arg(&trial.dir)
        .args(["--format", "json"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let warning: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    let message = warning["warning"]["message"].as_str().unwrap();
    assert!(message.contains("compiled again"), "{message}");
}

/// Two branches that each lock a task of their own: git merges the lock, and
/// what it makes of it is what `proctor lock` would write.
#[test]
fn branches_that_lock_different_tasks_merge_by_themselves() {
    let desk = Desk::new();
    let suite = |branch: &str, ids: &[&str]| {
        let suite = desk.path(branch);
        fs::create_dir(&suite).unwrap();
        for id in ids {
            let task = format!(
                "---\nid: {id}\ngrading_type: automated\ntimeout_seconds: 60\n---\n\n## Prompt\n\n\
                 Do {id}.\n\n## Automated Checks\n\n```python\ndef grade(transcript, \
                 workspace_path):\n    return {{}}\n```\n"
            );
            fs::write(suite.join(format!("task_{id}.md")), task).unwrap();
        }
        let locked = desk.run(["lock", suite.to_str().unwrap()]);
        assert_eq!(locked.code, 0, "{locked:?}");
        suite.join("proctor.lock")
    };
    let base = suite("base", &["calendar", "mail"]);
    let ours = suite("ours", &["budget", "calendar", "mail"]);
    let theirs = suite("theirs", &["calendar", "mail", "travel"]);
    let both = suite("both", &["budget", "calendar", "mail", "travel"]);
    let merged = desk
        .program("git")
        .args(["merge-file", "-p"])
        .args([&ours, &base, &theirs])
        .output()
        .unwrap();
    assert!(merged.status.success(), "{merged:?}");
    let merged = String::from_utf8(merged.stdout).unwrap();
    assert_eq!(merged, fs::read_to_string(&both).unwrap());
    fs::write(&both, merged).unwrap();
    let suite = desk.path("both");
    let verified = desk.run(["verify", suite.to_str().unwrap()]);
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(
        verified.out.contains("fits the suite: 4 tasks"),
        "{verified:?}"
    );
}
