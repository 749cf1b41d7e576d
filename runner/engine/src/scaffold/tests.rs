//! New tasks on disk: what is made, what is refused, what is left of a failure.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use super::*;

fn checkout() -> PathBuf {
    let krate = Path::new(env!("CARGO_MANIFEST_DIR"));
    krate.ancestors().nth(2).unwrap().to_owned()
}

fn new(dir: &Path, name: &str, language: Language) -> NewTask {
    NewTask {
        name: name.to_owned(),
        dir: dir.to_owned(),
        language,
        sdk: Some(checkout()),
        beside: Vec::new(),
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn refused(new: &NewTask) -> String {
    let error = make(new).unwrap_err();
    format!("{error} ({})", error.hint().unwrap_or_default())
}

#[test]
fn what_is_made_is_a_task_without_a_warning_but_for_what_is_not_built_yet() {
    for (language, warnings) in [(Language::Rust, 1), (Language::Python, 0)] {
        let dir = TempDir::new().unwrap();
        let made = make(&new(dir.path(), "monthly-expenses", language)).unwrap();
        assert_eq!(names(dir.path()), ["monthly-expenses"]);
        assert_eq!(made.dir, dir.path().join("monthly-expenses"));
        for file in &made.files {
            assert!(made.dir.join(file).is_file(), "{file}");
        }
        let task = crate::suite::load(std::slice::from_ref(&made.dir))
            .unwrap()
            .remove(0);
        assert_eq!(task.info.id, "monthly-expenses");
        assert_eq!(task.info.name, "Monthly expenses");
        assert_eq!(task.fixtures.len(), 1);
        assert!(task.oracle.is_some());
        assert_eq!(task.warnings.len(), warnings, "{:?}", task.warnings);
        // All of it counts for the pack's digest.
        assert_eq!(task.pack.listing().iter().count(), made.files.len());
        let rights = fs::metadata(&made.dir).unwrap().permissions().mode();
        assert_eq!(rights & 0o500, 0o500);
        assert_ne!(rights & 0o077, 0, "only its maker may read it");
    }
}

#[test]
fn the_same_name_gives_the_same_pack_wherever_the_checkout_is_as_far_away() {
    let digests: Vec<String> = (0..2)
        .map(|_| {
            let dir = TempDir::new().unwrap();
            let made = make(&new(dir.path(), "hello", Language::Rust)).unwrap();
            let task = crate::suite::load(&[made.dir]).unwrap().remove(0);
            task.pack_sha256
        })
        .collect();
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn names_that_are_no_ids_are_refused_before_anything_is_written() {
    let dir = TempDir::new().unwrap();
    let long = "a".repeat(65);
    for name in [
        "", "Hello", "a b", "../x", "a/b", "-a", ".", "ä", "a\n", &long,
    ] {
        let text = refused(&new(&dir.path().join("suite"), name, Language::Python));
        assert!(text.contains("is no name for a task"), "{name}: {text}");
        assert!(text.contains("lower-case letters"), "{text}");
    }
    assert!(names(dir.path()).is_empty());
}

#[test]
fn nothing_is_ever_written_over() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::write(dir.path().join("file"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
    make(&new(dir.path(), "made", Language::Python)).unwrap();
    fs::write(dir.path().join("made/task.md"), "mine").unwrap();
    let before = names(dir.path());
    for name in ["empty", "file", "link", "made"] {
        let text = refused(&new(dir.path(), name, Language::Python));
        assert!(
            text.contains(&format!("something called `{name}`")),
            "{text}"
        );
    }
    assert_eq!(names(dir.path()), before);
    assert!(names(&dir.path().join("empty")).is_empty());
    assert_eq!(
        fs::read_to_string(dir.path().join("made/task.md")).unwrap(),
        "mine"
    );
    // Not even by somebody who is faster.
    let draft = dir.path().join("draft");
    fs::create_dir(&draft).unwrap();
    for name in ["empty", "file", "link", "made"] {
        move_new(&draft, &dir.path().join(name)).unwrap_err();
    }
}

#[test]
fn a_task_is_not_made_inside_of_another() {
    let dir = TempDir::new().unwrap();
    let outer = make(&new(dir.path(), "outer", Language::Python))
        .unwrap()
        .dir;
    let text = refused(&new(&outer.join("more/tasks"), "inner", Language::Python));
    assert!(
        text.contains("one task cannot be part of another"),
        "{text}"
    );
    assert!(!outer.join("more").exists());
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    make(&new(
        &dir.path().join("file/suite"),
        "hello",
        Language::Python,
    ))
    .unwrap_err();
    let mut without_sdk = new(&dir.path().join("a/b/c"), "hello", Language::Rust);
    without_sdk.sdk = Some(dir.path().to_owned());
    let text = refused(&without_sdk);
    assert!(text.contains("the SDK is not there"), "{text}");
    assert_eq!(names(dir.path()), ["file"]);
    // Where the folder is there already, it stays.
    fs::create_dir(dir.path().join("suite")).unwrap();
    without_sdk.dir = dir.path().join("suite");
    refused(&without_sdk);
    assert_eq!(names(dir.path()), ["file", "suite"]);
}

#[test]
fn missing_folders_are_made() {
    let dir = TempDir::new().unwrap();
    let made = make(&new(&dir.path().join("a/b"), "hello", Language::Python)).unwrap();
    assert!(made.dir.join("task.md").is_file());
    assert_eq!(made.sdk, None);
}

#[test]
fn the_graders_of_templates_are_formatted_as_cargo_would() {
    // What an author sees first should not change with their first `cargo fmt`.
    let dir = TempDir::new().unwrap();
    let made = make(&new(dir.path(), "hello", Language::Rust)).unwrap();
    let krate = made.dir.join(templates::CRATE);
    let output = std::process::Command::new("rustfmt")
        .args([
            "--check",
            "--edition",
            "2024",
            "src/lib.rs",
            "tests/grade.rs",
        ])
        .current_dir(krate)
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
}
