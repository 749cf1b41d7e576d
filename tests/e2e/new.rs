//! `proctor new`: from nothing to a task that is locked and verified.

use std::path::Path;
use std::process::Command;

use proctor_tests::{Desk, Ended, root};
use serde_json::Value;

/// `proctor new` with these arguments, in an empty suite.
fn make(desk: &Desk, arguments: &[&str]) -> (Ended, std::path::PathBuf) {
    let suite = desk.path("suite");
    let mut all = vec!["new", "--format", "json", "--dir", suite.to_str().unwrap()];
    all.extend(arguments);
    (desk.run(all), suite)
}

fn ok(ended: &Ended) {
    assert_eq!(ended.code, 0, "{ended:?}");
}

/// Oracle and nop, all gates, lock, verify.
fn passes_its_gates(desk: &Desk, suite: &Path, max: f64) {
    let task = suite.join("hello");
    let trial = desk.trial(&task, "oracle", &["--agent", "nop"]);
    ok(&trial.ended);
    let points = |at: usize| trial.job["trials"][at]["points"].clone();
    for (at, expected) in [(0, max), (1, 0.0)] {
        let points = points(at);
        assert_eq!(points["low"], expected, "{}", trial.job);
        assert_eq!(points["high"], expected, "{}", trial.job);
    }
    assert_eq!(trial.record["result"], "pass", "{}", trial.record);
    let suite = suite.to_str().unwrap();
    for verb in ["check", "lock", "verify"] {
        ok(&desk.run([verb, suite]));
    }
    assert!(Path::new(suite).join("proctor.lock").is_file());
    // Locked, it runs without a remark.
    let trial = desk.trial_into("locked", &task, "oracle", &[]);
    assert_eq!(trial.record["warnings"], Value::Null, "{}", trial.record);
    // And a change of its grader's source is seen.
    let file = task.join("task.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("March", "April")).unwrap();
    assert_eq!(desk.run(["verify", suite]).code, 1);
}

/// Slow the first time (it compiles the SDK twice, natively and for
/// WebAssembly): this is what a newcomer does.
#[test]
fn a_task_with_a_rust_grader_goes_all_the_way() {
    let desk = Desk::new();
    let (made, suite) = make(&desk, &["hello"]);
    ok(&made);
    let json = made.json();
    assert_eq!(json["task"], "hello");
    assert!(json["next"].as_array().unwrap().len() >= 4, "{json}");
    let krate = suite.join("hello/grader");
    let tests = Command::new("cargo")
        .args(["test", "--locked", "--quiet"])
        .current_dir(&krate)
        .env("CARGO_TARGET_DIR", root().join("target").join("new-task"))
        .output()
        .unwrap();
    assert!(
        tests.status.success(),
        "{}",
        String::from_utf8_lossy(&tests.stderr)
    );
    let module = suite.join("hello/grader.wasm");
    ok(&desk.run([
        "grader".as_ref(),
        "build".as_ref(),
        krate.as_os_str(),
        "-o".as_ref(),
        module.as_os_str(),
    ]));
    passes_its_gates(&desk, &suite, 10.0);
}

#[test]
fn a_task_with_a_python_grader_goes_all_the_way() {
    let desk = Desk::new();
    let (made, suite) = make(&desk, &["hello", "--lang", "python"]);
    ok(&made);
    assert_eq!(made.json()["sdk"], Value::Null);
    passes_its_gates(&desk, &suite, 2.0);
}

#[test]
fn build_output_stays_out_of_the_task() {
    let desk = Desk::new();
    let (made, suite) = make(&desk, &["hello"]);
    ok(&made);
    // Where cargo would put it, without building anything.
    let metadata = Command::new("cargo")
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(suite.join("hello/grader"))
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let target = Path::new(metadata["target_directory"].as_str().unwrap());
    std::fs::create_dir_all(target).unwrap();
    let (target, suite) = (
        target.canonicalize().unwrap(),
        suite.canonicalize().unwrap(),
    );
    assert_eq!(target, suite.join("target"));
}

#[test]
fn no_path_of_this_machine_is_written_into_a_task() {
    let desk = Desk::new();
    // Beside the SDK's checkout, as a task of the same repository would be.
    let repository = desk.path("repository");
    let sdk = repository.join("grader-sdk/rust");
    std::fs::create_dir_all(&sdk).unwrap();
    std::fs::write(
        sdk.join("Cargo.toml"),
        "[package]\nname = \"proctor-grader\"\n",
    )
    .unwrap();
    let tasks = repository.join("tasks");
    let made = desk.run([
        "new",
        "hello",
        "--format",
        "json",
        "--dir",
        tasks.to_str().unwrap(),
    ]);
    ok(&made);
    let json = made.json();
    assert_eq!(json["sdk"], "../../../grader-sdk/rust");
    assert_eq!(json["warnings"], serde_json::json!([]));
    let outside = [root(), desk.path("")];
    for file in json["files"].as_array().unwrap() {
        let path = tasks.join("hello").join(file.as_str().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        for outside in &outside {
            let outside = outside.to_str().unwrap().trim_end_matches('/');
            assert!(!text.contains(outside), "{file} names {outside}");
        }
    }
}

#[test]
fn what_cannot_be_made_is_refused_with_the_remedy() {
    let desk = Desk::new();
    let (ended, suite) = make(&desk, &["Hello World"]);
    ended.refused(2, &["is no name for a task", "lower-case letters"]);
    assert!(!suite.exists());
    let (ended, _) = make(&desk, &["hello", "--sdk", "/nowhere"]);
    ended.refused(2, &["/nowhere", "checkout of Proctor"]);
    assert!(!suite.exists());
    let (ended, _) = make(&desk, &["hello", "--lang", "cobol"]);
    ended.refused(2, &["cobol", "rust, python"]);
    ok(&make(&desk, &["hello", "--lang", "python"]).0);
    let (ended, _) = make(&desk, &["hello"]);
    ended.refused(8, &["already holds something called `hello`"]);
}
