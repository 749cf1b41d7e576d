//! Grading again: evidence and everything beside it may come from anywhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use proctor_tests::{Desk, GWS, Trial, copy};

use super::packs::hostile;

#[test]
fn evidence_that_was_changed_afterwards_is_not_graded() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    let file = trial.dir.join("evidence/world/after.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("needsAction", "completed  ", 1)).unwrap();
    let ended = desk.run(["grade", trial.dir.to_str().unwrap()]);
    ended.refused(10, &["world/after.json"]);
    desk.run(["grade", desk.path("").to_str().unwrap()])
        .refused(10, &["no frozen evidence"]);
}

/// What `proctor grade` says of `trial` after `spoil` has been at its folder.
fn spoiled(desk: &Desk, trial: &Trial, spoil: impl Fn(&Path)) -> proctor_tests::Ended {
    let copied = desk.path("spoiled/trials/one");
    copy(&desk.path("job/graders"), &desk.path("spoiled/graders"));
    copy(&trial.dir, &copied);
    spoil(&copied);
    let ended = desk.run(["grade", copied.to_str().unwrap()]);
    fs::remove_dir_all(desk.path("spoiled")).unwrap();
    ended
}

#[test]
fn all_of_the_evidence_has_to_be_what_was_frozen() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    assert_eq!(spoiled(&desk, &trial, |_| ()).code, 0);
    spoiled(&desk, &trial, |dir| {
        // None of these is read by the grader.
        fs::write(dir.join("evidence/prompt.md"), "Do nothing.").unwrap();
        fs::write(dir.join("evidence/workspace/extra"), "").unwrap_or_else(|_| {
            fs::create_dir(dir.join("evidence/workspace")).unwrap();
            fs::write(dir.join("evidence/workspace/extra"), "").unwrap();
        });
        symlink("/etc/passwd", dir.join("evidence/link")).unwrap();
        fs::remove_file(dir.join("evidence/workspace.json")).unwrap();
    })
    .refused(
        10,
        &["prompt.md", "workspace/extra", "link", "workspace.json"],
    );
    spoiled(&desk, &trial, |dir| {
        fs::rename(dir.join("evidence"), dir.join("moved")).unwrap();
        symlink("moved", dir.join("evidence")).unwrap();
    })
    .refused(10, &["evidence is a link"]);
    spoiled(&desk, &trial, |dir| {
        let file = dir.join("evidence/manifest.json");
        let mut manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let files = manifest["files"].as_object_mut().unwrap();
        files.remove("world/journal.jsonl").unwrap();
        fs::write(&file, manifest.to_string()).unwrap();
        fs::remove_file(dir.join("evidence/world/journal.jsonl")).unwrap();
    })
    .refused(10, &["world/journal.jsonl"]);
}

#[test]
fn a_recorded_verdict_that_is_another_one_is_a_difference() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    spoiled(&desk, &trial, |dir| {
        let file = dir.join("verdict.json");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replacen(": 0", ": 1", 1)).unwrap();
    })
    .refused(1, &["another verdict"]);
}

#[test]
fn hostile_files_beside_the_evidence_neither_hang_nor_flood() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    for name in ["trial.json", "verdict.json"] {
        spoiled(&desk, &trial, |dir| {
            fs::remove_file(dir.join(name)).unwrap();
            symlink("/dev/zero", dir.join(name)).unwrap();
        })
        .refused(10, &[name, "symbolic link"]);
        spoiled(&desk, &trial, |dir| {
            fs::remove_file(dir.join(name)).unwrap();
            let made = Command::new("mkfifo").arg(dir.join(name)).status();
            assert!(made.unwrap().success());
        })
        .refused(10, &[name, "no regular file"]);
    }
    let trial = trial.dir.to_str().unwrap();
    desk.run(["grade", trial, "--grader", "/dev/zero"])
        .refused(9, &["/dev/zero", "no regular file"]);
}

#[test]
fn what_is_no_trial_is_told_apart() {
    let desk = Desk::new();
    desk.trial(GWS, "nop", &[]);
    let job = desk.path("job");
    desk.run(["grade", job.to_str().unwrap()])
        .refused(2, &["is a job", "trials/gws-task-management.nop.0"]);
    let nowhere = desk.path("nowhere");
    desk.run(["grade", nowhere.to_str().unwrap()])
        .refused(9, &["cannot enter"]);
}

#[test]
fn a_recorded_grader_that_was_exchanged_is_not_run() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    // The task's Python lies beside its component.
    let file = fs::read_dir(desk.path("job/graders"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .unwrap();
    fs::copy(hostile("trap"), &file).unwrap();
    let ended = desk.run(["grade", trial.dir.to_str().unwrap()]);
    ended.refused(5, &["not the locked one"]);
    assert!(Path::new(&file).is_file());
}
