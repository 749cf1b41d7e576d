use std::fs;

use super::*;
use crate::task::lock::source_sha256;

fn put(dir: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn task(id: &str, extra: &str) -> String {
    format!(
        "---\nid: {id}\ngrading_type: automated\ntimeout_seconds: 60\n{extra}\n---\n\n## Prompt\n\n\
         Do it.\n\n## Automated Checks\n\n```python\ndef grade(transcript, workspace_path):\n    \
         return {{}}\n```\n"
    )
}

/// A component that a host would load, with one import more.
fn module(import: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(component
            (import "proctor:grader/types@1.0.0" (instance))
            {import}
            (core module $m (func (export "grade")))
            (core instance $i (instantiate $m))
            (func (export "grade") (canon lift (core func $i "grade"))))"#
    ))
    .unwrap()
}

/// A repository with a suite of two tasks and a grader's source, locked.
fn repository_of_two() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir(root.join(".git")).unwrap();
    put(root, "graders/Cargo.lock", "version = 4\n");
    put(root, "graders/mail/src/lib.rs", "//! A grader.\n");
    put(
        root,
        "tasks/mail/task.md",
        task("mail", "proctor:\n  grader: grader.wasm"),
    );
    put(root, "tasks/mail/grader.wasm", module(""));
    let source = source_sha256(&root.join("graders/mail"), root).unwrap();
    record(root, "../../graders/mail", &source);
    put(root, "tasks/words/task.md", task("words", ""));
    lock(root);
    dir
}

fn record(root: &Path, source: &str, source_sha256: &str) {
    let sha256 =
        crate::evidence::sha256_hex(&fs::read(root.join("tasks/mail/grader.wasm")).unwrap());
    let text = format!(
        "version = 1\nmodule_sha256 = \"{sha256}\"\n[build]\nsource = \"{source}\"\n\
         source_sha256 = \"{source_sha256}\"\nproctor = \"0.1.0\"\n\
         target = \"wasm32-unknown-unknown\"\nprofile = \"release\"\nstd = \"installed\"\n\
         rustc = \"rustc 0.0.1 (nobody has it)\"\ncargo = \"cargo 0.0.1\"\nwit_component = \"0\"\n"
    );
    put(root, "tasks/mail/grader.build.toml", text);
}

fn lock(root: &Path) {
    crate::suite::write(&root.join("tasks")).unwrap();
}

/// Kind, task and line of every finding.
fn found(path: &Path) -> Vec<(String, String, Option<u64>)> {
    let verified = verify(path, None).unwrap();
    verified
        .findings
        .iter()
        .map(|one| {
            let task = one.task.clone().unwrap_or_default();
            (one.kind.to_owned(), task, one.line)
        })
        .collect()
}

fn kinds(path: &Path) -> Vec<String> {
    found(path).into_iter().map(|(kind, ..)| kind).collect()
}

#[test]
fn a_locked_suite_fits_and_so_does_each_of_its_tasks() {
    let dir = repository_of_two();
    let suite = dir.path().join("tasks");
    let verified = verify(&suite, None).unwrap();
    assert!(verified.fits() && !verified.is_incomplete());
    assert_eq!((verified.tasks, verified.findings), (2, Vec::new()));
    for task in ["tasks/mail", "tasks/words/task.md", "."] {
        let verified = verify(&dir.path().join(task), None).unwrap();
        assert_eq!(verified.findings, [], "{task}");
    }
}

#[test]
fn everything_that_differs_is_found_at_once_with_its_line() {
    let dir = repository_of_two();
    let root = dir.path();
    let suite = root.join("tasks");
    put(
        root,
        "tasks/mail/grader.wasm",
        module("(import \"wasi:http/types@0.2.0\" (instance))"),
    );
    put(root, "tasks/new/task.md", task("new", ""));
    put(root, "tasks/broken/task.md", "no front matter\n");
    fs::remove_dir_all(root.join("tasks/words")).unwrap();
    let text = fs::read_to_string(suite.join("proctor.lock")).unwrap();
    let line = |start: &str| {
        let at = text
            .lines()
            .position(|line| line.starts_with(start))
            .unwrap();
        Some(at as u64 + 1)
    };
    let expected = [
        ("invalid", "", Some(1)),
        ("refused", "mail", None),
        ("pack", "mail", line("pack_sha256")),
        ("grader", "mail", line("sha256")),
        ("not_locked", "new", Some(1)),
        ("gone", "words", line("[tasks.words]")),
    ];
    let expected = expected.map(|(kind, task, line)| (kind.to_owned(), task.to_owned(), line));
    assert_eq!(found(&suite), expected);
    assert!(!verify(&suite, None).unwrap().fits());
    // A task that was locked and cannot be loaded any more is broken, not gone.
    put(root, "tasks/mail/task.md", "no front matter\n");
    assert!(!kinds(&suite).contains(&"refused".to_owned()));
    assert_eq!(
        kinds(&suite).iter().filter(|kind| *kind == "gone").count(),
        1
    );
}

#[test]
fn lock_files_that_are_none_are_findings() {
    let dir = repository_of_two();
    let suite = dir.path().join("tasks");
    let path = suite.join("proctor.lock");
    let text = fs::read_to_string(&path).unwrap();
    put(
        &suite,
        "proctor.lock",
        text.replacen("path =", "<<<<<<< ours\npath =", 1),
    );
    assert_eq!(found(&suite), [("lock".to_owned(), String::new(), Some(6))]);
    put(&suite, "proctor.lock", b"\xff");
    assert_eq!(kinds(&suite), ["lock"]);
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert_eq!(kinds(&suite), ["lock"]);
    fs::remove_file(&path).unwrap();
    assert_eq!(kinds(&suite), ["no_lock"]);
}

#[test]
fn what_is_no_suite_is_a_misuse() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "file.txt", "");
    for path in ["", "nowhere", "file.txt"] {
        let error = verify(&dir.path().join(path), None).unwrap_err();
        assert!(
            matches!(error, EngineError::Usage { .. }),
            "{path}: {error}"
        );
    }
}

#[test]
fn a_source_that_changed_and_a_missing_record_are_warnings() {
    let dir = repository_of_two();
    let root = dir.path();
    assert_eq!(
        crate::suite::write(&root.join("tasks")).unwrap().warnings,
        []
    );
    put(root, "graders/mail/src/lib.rs", "//! Another.\n");
    assert_eq!(kinds(&root.join("tasks")), ["source_changed"]);
    // Who locks it all the same is told, too.
    let warnings = crate::suite::write(&root.join("tasks")).unwrap().warnings;
    let [warning] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert_eq!(warning.id, "mail");
    for part in ["`../graders/mail`", "`proctor grader build`"] {
        assert!(warning.message.contains(part), "{warning}");
    }
    assert!(verify(&root.join("tasks"), None).unwrap().fits());
    fs::remove_file(root.join("tasks/mail/grader.build.toml")).unwrap();
    fs::remove_file(root.join("tasks/proctor.lock")).unwrap();
    lock(root);
    assert_eq!(kinds(&root.join("tasks")), ["no_build_record"]);
}

/// Nobody is asked about a path outside of the repository, whatever the lock
/// file says, and nothing is reported about it.
#[test]
fn sources_outside_of_the_repository_are_not_looked_at() {
    let dir = repository_of_two();
    let root = dir.path();
    let outside = tempfile::tempdir().unwrap();
    put(outside.path(), "Cargo.lock", "x");
    std::os::unix::fs::symlink(outside.path(), root.join("graders/link")).unwrap();
    for source in ["../../..", "../../graders/link"] {
        record(root, source, &"ab".repeat(32));
        fs::remove_file(root.join("tasks/proctor.lock")).unwrap();
        lock(root);
        assert_eq!(kinds(&root.join("tasks")), Vec::<String>::new(), "{source}");
    }
}

#[tokio::test]
async fn checking_tells_of_a_module_that_is_older_than_its_source() {
    use crate::check::{CheckRequest, Gate, Row, check};
    let dir = repository_of_two();
    let root = dir.path();
    let notes = async || -> Vec<String> {
        let request = CheckRequest {
            path: root.join("tasks/mail"),
            only: vec![Gate::Module],
            skip_run: true,
            isolation: proctor_types::manifest::Isolation::None,
            tools: Vec::new(),
            out: root.join("out"),
            keeps_out: true,
            host: host(),
        };
        let report = check(request, Vec::new()).await.unwrap();
        let [Row { notes, status, .. }] = report.tasks[0].gates.as_slice() else {
            panic!("{report:?}");
        };
        assert_eq!(*status, crate::check::Status::Pass);
        notes.clone()
    };
    assert_eq!(notes().await, Vec::<String>::new());
    put(root, "graders/mail/src/lib.rs", "//! Another.\n");
    let [note] = notes().await.try_into().unwrap();
    assert!(note.contains("`proctor grader build`"), "{note}");
}

fn host() -> crate::host::HostConfig {
    let nothing = std::env::temp_dir().join("nothing");
    crate::host::HostConfig {
        search: Vec::new(),
        init: nothing.clone(),
        capture: None,
        mcp: None,
        agents: nothing.clone(),
        own: None,
        compiler: crate::host::CompilerCommand {
            program: nothing.clone(),
            args: Vec::new(),
        },
        python: Vec::new(),
        cache: nothing.clone(),
        scratch: nothing,
    }
}

fn rebuilt(path: &Path) -> Verified {
    let rebuilding = Rebuilding {
        host: host(),
        env: Vec::new(),
        cargo_home: None,
        rustup_home: None,
        say: &|_| {},
    };
    verify(path, Some(&rebuilding)).unwrap()
}

#[test]
fn what_cannot_be_built_again_is_no_pass_and_says_why() {
    let dir = repository_of_two();
    let root = dir.path();
    let why = || {
        let verified = rebuilt(&root.join("tasks"));
        assert!(verified.fits() && verified.is_incomplete());
        let outcomes: Vec<_> = verified.rebuilds.iter().map(|one| one.outcome).collect();
        let expected = [RebuildOutcome::NotRebuilt, RebuildOutcome::NotRebuilt];
        assert_eq!(outcomes, expected);
        verified.rebuilds[0].message.clone()
    };
    assert!(
        why().contains("the tools that built it are not here"),
        "{}",
        why()
    );
    let relock = || {
        fs::remove_file(root.join("tasks/proctor.lock")).unwrap();
        lock(root);
    };
    for (source, expected) in [
        ("../../graders/nobody", "is not there"),
        ("../../..", "outside of the repository"),
    ] {
        record(root, source, &"ab".repeat(32));
        relock();
        assert!(why().contains(expected), "{}", why());
    }
    fs::remove_file(root.join("tasks/mail/grader.build.toml")).unwrap();
    relock();
    assert!(why().contains("nothing says how it was built"), "{}", why());
}

/// The Python component is a grader like another: that nobody built it again
/// is said. A task that a judge alone decides has nothing to build.
#[test]
fn the_python_component_is_not_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("tasks");
    put(&suite, "words/task.md", task("words", ""));
    let judged = "---\nid: judged\ngrading_type: llm_judge\ntimeout_seconds: 60\n---\n\n## Prompt\n\n\
                  Do it.\n\n## LLM Judge Rubric\n\n### Criterion 1: Clear (Weight: 100%)\n\n\
                  **Score 1.0**: Clear\n";
    put(&suite, "judged/task.md", judged);
    lock(dir.path());
    let verified = rebuilt(&suite);
    assert_eq!(verified.findings, []);
    let [judged, words] = verified.rebuilds.as_slice() else {
        panic!("{:?}", verified.rebuilds);
    };
    assert_eq!(judged.outcome, RebuildOutcome::NothingToBuild);
    assert_eq!(words.outcome, RebuildOutcome::NotRebuilt);
    let digest = proctor_grading::python::component_sha256();
    for part in [digest, "`tools/python.sh --check`"] {
        assert!(words.message.contains(part), "{words:?}");
    }
    assert!(verified.fits() && verified.is_incomplete());
}
