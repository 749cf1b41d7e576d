use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::task::pack::{load_suite, load_task};
use crate::task::testing::{OPTIONS, task_text, write};

const GRADER: &str = "proctor:\n  grader: grader.wasm";

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
            ("mail/grader.wasm", "module"),
            ("b-python/task.md", &task_text("b-python", "")),
            ("task_remote.md", &task_text("a_remote", &oci)),
        ],
    );
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    (dir, suite)
}

fn lock_of(suite: &Suite) -> Lock {
    Lock::of_suite(suite, None, &BTreeMap::new()).unwrap()
}

fn shown(differences: &[Difference]) -> Vec<String> {
    differences.iter().map(ToString::to_string).collect()
}

#[test]
fn the_file_is_sorted_readable_and_survives_a_round_trip() {
    let (_dir, suite) = suite();
    let built = BTreeMap::from([(
        "mail".to_owned(),
        BTreeMap::from([
            ("rustc".to_owned(), "1.95.0".to_owned()),
            ("lock \"odd\" key".to_owned(), "\n".to_owned()),
        ]),
    )]);
    let lock = Lock::of_suite(&suite, None, &built).unwrap();
    let text = lock.to_text();
    assert_eq!(Lock::parse("proctor.lock", &text).unwrap(), lock);
    let blocks: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        blocks,
        [
            "[tasks.a_remote]",
            "[tasks.a_remote.grader]",
            "[tasks.b-python]",
            "[tasks.mail]",
            "[tasks.mail.grader]",
            "[tasks.mail.build]",
        ]
    );
    let digest = crate::task::digest::sha256(b"module");
    let module = format!(
        "[tasks.mail.grader]\nmodule = \"grader.wasm\"\nsha256 = \"{digest}\"\nbytes = 6\nabi = \"{ABI}\"\n"
    );
    assert!(text.contains(&module), "{text}");
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
    let (dir, suite) = suite();
    let record = BTreeMap::from([("rustc".to_owned(), "1.95.0".to_owned())]);
    let built = BTreeMap::from([("mail".to_owned(), record.clone())]);
    let old = Lock::of_suite(&suite, None, &built).unwrap();
    write(
        dir.path(),
        &[("mail/assets/new", "a file more, the module is the same")],
    );
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let new = Lock::of_suite(&suite, Some(&old), &BTreeMap::new()).unwrap();
    assert_ne!(new.tasks["mail"].pack_sha256, old.tasks["mail"].pack_sha256);
    assert_eq!(new.tasks["mail"].build, record);
    write(dir.path(), &[("mail/grader.wasm", "another")]);
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let new = Lock::of_suite(&suite, Some(&old), &BTreeMap::new()).unwrap();
    assert!(new.tasks["mail"].build.is_empty());
}

#[test]
fn a_grader_that_is_not_built_cannot_be_locked() {
    let (dir, _) = suite();
    fs::remove_file(dir.path().join("mail/grader.wasm")).unwrap();
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let error = Lock::of_suite(&suite, None, &BTreeMap::new())
        .unwrap_err()
        .to_string();
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
    lock.tasks
        .get_mut("a_remote")
        .unwrap()
        .grader
        .as_mut()
        .unwrap()
        .abi = "proctor:grader@0.1.0".to_owned();
    write(
        dir.path(),
        &[
            ("mail/grader.wasm", "MODULE"),
            ("new/task.md", &task_text("new", "")),
        ],
    );
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
        "a_remote: the grader was built for `proctor:grader@0.1.0`; this proctor speaks `proctor:grader@1.0.0`",
        "b-python: was `b-python` and is `c`",
        "b-python: some file of the pack changed (its digest was ",
        "b-python: the grader was none and is `grader.wasm`",
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
    assert_eq!(
        shown(&lock.verify(&suite)),
        ["mail: the grader has 6 bytes and the lock file says 7: somebody edited it"]
    );
}

#[test]
fn only_what_is_locked_runs() {
    let (dir, suite) = suite();
    let load = |name: &str| load_task(&dir.path().join(name), OPTIONS).unwrap();
    assert_eq!(
        admit(&load("mail"), false).unwrap(),
        Admission::Unlocked,
        "no lock file"
    );
    lock_of(&suite).write(&suite.lock_path()).unwrap();
    for name in ["mail", "b-python", "task_remote.md", "mail/task.md"] {
        assert_eq!(
            admit(&load(name), false).unwrap(),
            Admission::Locked,
            "{name}"
        );
    }

    write(dir.path(), &[("new/task.md", &task_text("new", ""))]);
    let error = admit(&load("new"), false).unwrap_err().to_string();
    assert!(
        error.ends_with("differs from what is there:\n  - new: is not in the lock file"),
        "{error}"
    );
    assert_eq!(admit(&load("new"), true).unwrap(), Admission::Unlocked);

    write(dir.path(), &[("b-python/assets/x", "x")]);
    assert!(admit(&load("b-python"), false).is_err());
    assert_eq!(admit(&load("b-python"), true).unwrap(), Admission::Unlocked);

    // Another module is refused whatever the operator allows.
    write(dir.path(), &[("mail/grader.wasm", "MODULE")]);
    for allowed in [false, true] {
        let error = admit(&load("mail"), allowed).unwrap_err().to_string();
        assert!(
            error.contains("mail: the grader is not the locked one"),
            "{error}"
        );
    }
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
    write(dir.path(), &[("mail/grader.wasm", "MODULE")]);
    let suite = load_suite(dir.path(), OPTIONS).unwrap();
    let json = serde_json::to_value(lock.verify(&suite)).unwrap();
    assert_eq!(json[0]["kind"], "pack");
    assert_eq!(json[1]["kind"], "grader");
    assert_eq!(json[1]["id"], "mail");
}
