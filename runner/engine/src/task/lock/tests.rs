use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::task::pack::{load_suite, load_task};
use crate::task::testing::{OPTIONS, task_text, write};

const GRADER: &str = "proctor:\n  grader: grader.wasm";

/// A module that a host would load; `mark` makes it another one.
fn module(mark: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(component
            (import "proctor:grader/types@1.0.0" (instance))
            (@custom "mark" "{mark}")
            (core module $m (func (export "grade")))
            (core instance $i (instantiate $m))
            (func (export "grade") (canon lift (core func $i "grade"))))"#
    ))
    .unwrap()
}

fn put_module(dir: &Path, path: &str, mark: &str) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, module(mark)).unwrap();
}

/// A build record of the module `mark`.
fn record(mark: &str, source: &str) -> ModuleRecord {
    let text = format!(
        "version = 1\nmodule_sha256 = \"{}\"\n[build]\nsource = \"{source}\"\n\
         source_sha256 = \"{}\"\nproctor = \"0.1.0\"\ntarget = \"wasm32-unknown-unknown\"\n\
         profile = \"release\"\nstd = \"installed\"\nrustc = \"rustc 1.95.0\"\n\
         cargo = \"cargo 1.95.0\"\nwit_component = \"0.250.0\"\n",
        crate::task::digest::sha256(&module(mark)),
        "ab".repeat(32)
    );
    ModuleRecord::parse(text.as_bytes()).unwrap()
}

fn suite() -> (tempfile::TempDir, Suite) {
    let dir = tempfile::tempdir().unwrap();
    let oci = format!(
        "proctor:\n  grader: oci://ghcr.io/x/y@sha256:{}",
        "ab".repeat(32)
    );
    write(
        dir.path(),
        &[
            ("mail/task.md", &task_text("mail", GRADER)),
            ("b-python/task.md", &task_text("b-python", "")),
            ("task_remote.md", &task_text("a_remote", &oci)),
        ],
    );
    put_module(dir.path(), "mail/grader.wasm", "a");
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    (dir, suite)
}

fn lock_of(suite: &Suite) -> Lock {
    Lock::of_suite(suite, None).unwrap().0
}

fn shown(differences: &[Difference]) -> Vec<String> {
    differences.iter().map(ToString::to_string).collect()
}

#[test]
fn the_file_is_sorted_readable_and_survives_a_round_trip() {
    let (dir, _) = suite();
    let text = record("a", "../../graders/mail").to_text();
    write(dir.path(), &[("mail/grader.build.toml", &text)]);
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let (lock, warnings) = Lock::of_suite(&suite, None).unwrap();
    assert_eq!(warnings, []);
    let text = lock.to_text();
    assert_eq!(Lock::parse("proctor.lock", &text).unwrap(), lock);
    let blocks: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        blocks,
        [
            "[tasks.a_remote]",
            "[tasks.a_remote.grader]",
            "[tasks.b-python]",
            "[tasks.b-python.grader]",
            "[tasks.mail]",
            "[tasks.mail.grader]",
            "[tasks.mail.build]",
        ]
    );
    let wasm = module("a");
    let block = format!(
        "[tasks.mail.grader]\nmodule = \"grader.wasm\"\nsha256 = \"{}\"\nbytes = {}\n\
         abi = \"proctor:grader@1.0.0\"\n\n[tasks.mail.build]\nsource = \"../graders/mail\"\n\
         source_sha256 = \"{}\"\n",
        crate::task::digest::sha256(&wasm),
        wasm.len(),
        "ab".repeat(32)
    );
    assert!(text.contains(&block), "{text}");
    let python = format!(
        "module = \"proctor:python\"\nsha256 = \"{}\"\nsource_sha256 = \"",
        proctor_grading::python::component_sha256()
    );
    assert!(text.contains(&python), "{text}");
    // Nothing is known of what a registry holds but its digest.
    assert!(!text.contains("abi = \"\""), "{text}");
    assert!(text.starts_with("# Written by `proctor lock`"));
}

#[test]
fn the_same_suite_gives_the_same_bytes_and_nothing_else_is_left_behind() {
    let (dir, suite) = suite();
    let path = suite.lock_path();
    assert_eq!(Lock::read(&path).unwrap(), None);
    lock_of(&suite).write(&path).unwrap();
    let first = fs::read(&path).unwrap();
    let again = load_suite(dir.path(), OPTIONS).unwrap();
    lock_of(&again).write(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), first);
    assert_eq!(Lock::read(&path).unwrap(), Some(lock_of(&suite)));
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o600,
        0o600
    );
    let mut names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["b-python", "mail", "proctor.lock", "task_remote.md"]
    );
    assert_eq!(shown(&lock_of(&suite).verify(&again)), Vec::<String>::new());
}

#[test]
fn writing_into_a_folder_that_is_not_there_says_so() {
    let (dir, suite) = suite();
    let error = lock_of(&suite)
        .write(&dir.path().join("nowhere/proctor.lock"))
        .unwrap_err();
    assert!(error.to_string().starts_with("cannot write in "), "{error}");
}

#[test]
fn a_build_record_lives_as_long_as_its_module() {
    let (dir, _) = suite();
    let made = record("a", "src");
    let locked = |old: Option<&Lock>| {
        let suite = load_suite(dir.path(), OPTIONS).unwrap();
        let (lock, warnings) = Lock::of_suite(&suite, old).unwrap();
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        (lock, warnings)
    };
    let (none, warnings) = locked(None);
    assert_eq!(none.tasks["mail"].build, None);
    assert!(
        warnings[0].starts_with("mail: nothing says how the grader was built: there is no "),
        "{warnings:?}"
    );
    write(dir.path(), &[("mail/grader.build.toml", &made.to_text())]);
    let (old, warnings) = locked(None);
    assert_eq!(warnings, Vec::<String>::new());
    let build = old.tasks["mail"].build.clone().unwrap();
    assert_eq!(build.source.as_deref(), Some("mail/src"));
    // The file is gone and the module is the same: the lock still knows.
    fs::remove_file(dir.path().join("mail/grader.build.toml")).unwrap();
    let (new, warnings) = locked(Some(&old));
    assert_ne!(new.tasks["mail"].pack_sha256, old.tasks["mail"].pack_sha256);
    assert_eq!(new.tasks["mail"].build, Some(build));
    assert_eq!(warnings, Vec::<String>::new());
    // Another module, and the record of the one before.
    put_module(dir.path(), "mail/grader.wasm", "b");
    write(dir.path(), &[("mail/grader.build.toml", &made.to_text())]);
    let (new, warnings) = locked(Some(&old));
    assert_eq!(new.tasks["mail"].build, None);
    assert!(
        warnings[0].contains("is the build record of another module"),
        "{warnings:?}"
    );
    write(dir.path(), &[("mail/grader.build.toml", "version = 1\n")]);
    let (_, warnings) = locked(None);
    assert!(warnings[0].contains("is no build record"), "{warnings:?}");
}

#[test]
fn a_grader_that_no_runner_would_run_cannot_be_locked() {
    let (dir, _) = suite();
    for (bytes, why) in [
        (&b"module"[..], "is not a WebAssembly component"),
        (b"\0asm\x01\0\0\0", "a core module"),
    ] {
        fs::write(dir.path().join("mail/grader.wasm"), bytes).unwrap();
        let suite = load_suite(dir.path(), OPTIONS).unwrap();
        let error = Lock::of_suite(&suite, None).unwrap_err().to_string();
        assert!(
            error.starts_with("the task `mail` cannot be locked: "),
            "{error}"
        );
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn an_edited_build_record_is_noticed() {
    let (dir, _) = suite();
    let text = record("a", "src").to_text();
    write(dir.path(), &[("mail/grader.build.toml", &text)]);
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let mut lock = lock_of(&suite);
    assert_eq!(shown(&lock.verify(&suite)), Vec::<String>::new());
    let build = lock.tasks.get_mut("mail").unwrap();
    build.build.as_mut().unwrap().rustc = "rustc 1.0.0".to_owned();
    let lines = shown(&lock.verify(&suite));
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].contains("the build record is not the one"),
        "{lines:?}"
    );
    lock.tasks.get_mut("mail").unwrap().build = None;
    assert_eq!(lock.verify(&suite)[0].kind(), "build");
}

#[test]
fn a_difference_is_found_in_the_file() {
    let (_dir, suite) = suite();
    let text = lock_of(&suite).to_text();
    let line = |id: &str, key: &str| text.lines().nth(Lock::line(&text, id, key) - 1).unwrap();
    assert_eq!(line("mail", "path"), "path = \"mail\"");
    assert!(line("mail", "sha256").starts_with("sha256 = "));
    assert!(line("b-python", "pack_sha256").starts_with("pack_sha256 = "));
    assert_eq!(line("b-python", "bytes"), "[tasks.b-python]");
    assert_eq!(Lock::line(&text, "nobody", "path"), 1);
    assert_eq!(Lock::line("", "nobody", "path"), 1);
}

#[test]
fn a_lock_file_that_cannot_be_read_is_not_one_that_is_missing() {
    let (dir, suite) = suite();
    let path = suite.lock_path();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    let task = load_task(&dir.path().join("mail"), OPTIONS).unwrap();
    for policy in [Policy::Locked, Policy::Unlocked] {
        assert!(
            admit(&task, policy).is_err(),
            "a link to nowhere unlocks nothing"
        );
    }
    fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &path,
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    assert!(
        admit(&task, Policy::Locked).is_err(),
        "a pipe is not waited for"
    );
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(admit(&task, Policy::Locked).is_err());
    assert_eq!(
        admit(&task, Policy::Unreviewed).unwrap(),
        Admission::Unlocked
    );
}

#[test]
fn a_grader_that_is_not_built_cannot_be_locked() {
    let (dir, _) = suite();
    fs::remove_file(dir.path().join("mail/grader.wasm")).unwrap();
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let error = Lock::of_suite(&suite, None).unwrap_err().to_string();
    assert!(
        error.starts_with("the task `mail` cannot be locked: its grader `"),
        "{error}"
    );
}

#[test]
fn every_difference_is_listed_at_once() {
    let (dir, suite) = suite();
    let mut lock = lock_of(&suite);
    lock.tasks
        .insert("gone".to_owned(), lock.tasks["b-python"].clone());
    lock.tasks.get_mut("a_remote").unwrap().path = "elsewhere".to_owned();
    let mail = lock.tasks.get_mut("mail").unwrap().grader.as_mut().unwrap();
    mail.abi = Some("proctor:grader@0.1.0".to_owned());
    assert_eq!(
        shown(&lock.verify(&suite)),
        [
            "a_remote: was `elsewhere` and is `task_remote.md`",
            "gone: is in the lock file and not in the suite (it was `b-python`)",
            "mail: the grader was built for `proctor:grader@1.0.0` and the lock file says \
             `proctor:grader@0.1.0`: somebody edited it",
        ]
    );
    put_module(dir.path(), "mail/grader.wasm", "b");
    write(dir.path(), &[("new/task.md", &task_text("new", ""))]);
    fs::rename(dir.path().join("b-python"), dir.path().join("c")).unwrap();
    write(
        dir.path(),
        &[
            ("c/task.md", &task_text("b-python", GRADER)),
            ("c/grader.wasm", "x"),
        ],
    );
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let lines = shown(&lock.verify(&suite));
    let expected = [
        "a_remote: was `elsewhere` and is `task_remote.md`",
        "b-python: was `b-python` and is `c`",
        "b-python: some file of the pack changed (its digest was ",
        "b-python: the grader was `proctor:python` and is `grader.wasm`",
        "gone: is in the lock file and not in the suite (it was `b-python`)",
        "mail: some file of the pack changed (its digest was ",
        "mail: the grader is not the locked one (its SHA-256 was ",
        "new: is not in the lock file",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
    fs::remove_file(dir.path().join("mail/grader.wasm")).unwrap();
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    assert!(
        shown(&lock.verify(&suite))
            .contains(&"mail: the grader `grader.wasm` is missing".to_owned())
    );
}

#[test]
fn another_python_and_another_block_are_noticed() {
    let (dir, suite) = suite();
    let mut lock = lock_of(&suite);
    let grader = lock.tasks.get_mut("b-python").unwrap().grader.as_mut();
    grader.unwrap().sha256 = "0".repeat(64);
    let text = task_text("b-python", "").replace("return {}", "return {'all': 1.0}");
    write(dir.path(), &[("b-python/task.md", &text)]);
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let kinds: Vec<&str> = lock.verify(&suite).iter().map(Difference::kind).collect();
    assert_eq!(kinds, ["pack", "grader", "python"]);
}

#[test]
fn a_size_that_was_edited_is_noticed() {
    let (_dir, suite) = suite();
    let mut lock = lock_of(&suite);
    lock.tasks
        .get_mut("mail")
        .unwrap()
        .grader
        .as_mut()
        .unwrap()
        .bytes = Some(7);
    let size = module("a").len();
    assert_eq!(
        shown(&lock.verify(&suite)),
        [format!(
            "mail: the grader has {size} bytes and the lock file says 7: somebody edited it"
        )]
    );
}

#[test]
fn only_what_is_locked_runs() {
    let (dir, suite) = suite();
    let load = |name: &str| load_task(&dir.path().join(name), OPTIONS).unwrap();
    assert_eq!(
        admit(&load("mail"), Policy::Locked).unwrap(),
        Admission::Unlocked,
        "no lock file"
    );
    lock_of(&suite).write(&suite.lock_path()).unwrap();
    for name in ["mail", "b-python", "task_remote.md", "mail/task.md"] {
        assert_eq!(
            admit(&load(name), Policy::Locked).unwrap(),
            Admission::Locked,
            "{name}"
        );
    }

    write(dir.path(), &[("new/task.md", &task_text("new", ""))]);
    let error = admit(&load("new"), Policy::Locked).unwrap_err().to_string();
    assert!(
        error.ends_with("differs from what is there:\n  - new: is not in the lock file"),
        "{error}"
    );
    assert_eq!(
        admit(&load("new"), Policy::Unlocked).unwrap(),
        Admission::Unlocked
    );

    write(dir.path(), &[("b-python/assets/x", "x")]);
    assert!(admit(&load("b-python"), Policy::Locked).is_err());
    assert_eq!(
        admit(&load("b-python"), Policy::Unlocked).unwrap(),
        Admission::Unlocked
    );

    // Another module is refused whatever the operator allows.
    put_module(dir.path(), "mail/grader.wasm", "b");
    for policy in [Policy::Locked, Policy::Unlocked] {
        let error = admit(&load("mail"), policy).unwrap_err().to_string();
        assert!(
            error.contains("mail: the grader is not the locked one"),
            "{error}"
        );
    }
    // Nor does a lock file that was edited admit anything.
    let path = suite.lock_path();
    let text = fs::read_to_string(&path).unwrap();
    put_module(dir.path(), "mail/grader.wasm", "a");
    let size = format!("bytes = {}", module("a").len());
    assert!(text.contains(&size), "{text}");
    fs::write(&path, text.replace(&size, "bytes = 7")).unwrap();
    let edited = admit(&load("mail"), Policy::Unlocked);
    assert!(edited.unwrap_err().to_string().contains("edited"));
}

#[test]
fn files_that_are_no_lock_name_the_line() {
    let digest = "0".repeat(64);
    for (text, message) in [
        ("", "proctor.lock:1: missing field `version`"),
        (
            "version = 2\nnew = true\n",
            "proctor.lock has version 2; this proctor reads version 1: use a newer one",
        ),
        (
            "version = 1\n[tasks.a]\npath = \"a\"\n",
            "proctor.lock:2: missing field `pack_sha256`",
        ),
        ("version = 1\n<<<<<<< ours\n", "proctor.lock:2: "),
        (
            "version = 1\n\n[tasks.a]\npath = 1\n",
            "proctor.lock:4: invalid type: integer `1`, expected a string",
        ),
        (
            "version = 1\n[tasks.a]\npath = \"a\"\npack_sha256 = \"DIGEST\"\nsurprise = 1\n",
            "proctor.lock:5: unknown field `surprise`",
        ),
        (
            "version = 1\n[tasks.a]\npath = \"a\"\npack_sha256 = \"DIGEST\"\n[tasks.a]\npath = \"a\"\npack_sha256 = \"DIGEST\"\n",
            "proctor.lock:5: duplicate key",
        ),
        (
            "version = 1\n\n[tasks.a]\npath = \"a\"\npack_sha256 = \"00\"\n",
            "proctor.lock:3: `pack_sha256` of `a` is no digest; expected 64 lower-case hex digits",
        ),
        (
            "version = 1\n[tasks.\"A B\"]\npath = \"a\"\npack_sha256 = \"DIGEST\"\n",
            "proctor.lock:1: `A B` is no task id",
        ),
        (
            "version = 1\n[tasks.a]\npath = \"a\"\npack_sha256 = \"DIGEST\"\n[tasks.a.grader]\nmodule = \"g\"\nsha256 = \"x\"\nabi = \"\"\n",
            "proctor.lock:2: the grader's `sha256` of `a` is no digest",
        ),
        (
            "version = 1\n[tasks.a]\npath = \"a\"\npack_sha256 = \"DIGEST\"\n[tasks.a.build]\nsource = \"/etc\"\nsource_sha256 = \"DIGEST\"\nproctor = \"1\"\ntarget = \"t\"\nprofile = \"p\"\nstd = \"installed\"\nrustc = \"r\"\ncargo = \"c\"\nwit_component = \"w\"\n",
            "proctor.lock:2: the build record of `a`: `source` is `/etc`; expected a relative path",
        ),
    ] {
        let error = Lock::parse("proctor.lock", &text.replace("DIGEST", &digest)).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(message), "{error}\n{message}");
    }
}

#[test]
fn broken_lock_files_never_panic() {
    let (_dir, suite) = suite();
    let text = lock_of(&suite).to_text();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = Lock::parse("proctor.lock", &text[..end]);
        let mutated = format!("{}[{}", &text[..end], &text[end..]);
        let _ = Lock::parse("proctor.lock", &mutated);
    }
    let nested = format!(
        "version = 1\nx = {}{}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    assert!(Lock::parse("proctor.lock", &nested).is_err());
}

#[test]
fn differences_are_readable_by_scripts() {
    let (dir, suite) = suite();
    let lock = lock_of(&suite);
    put_module(dir.path(), "mail/grader.wasm", "b");
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let json = serde_json::to_value(lock.verify(&suite)).unwrap();
    assert_eq!(json[0]["kind"], "pack");
    assert_eq!(json[1]["kind"], "grader");
    assert_eq!(json[1]["id"], "mail");
}
