//! `proctor new`: from nothing to a task that is locked and verified.

use std::fmt::Write as _;
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

/// What stands in the guide between two of its headings, as commands with the
/// output that it shows of each.
fn console(from: &str, to: &str) -> Vec<(String, Vec<String>)> {
    let guide = std::fs::read_to_string(root().join("docs/writing-graders.md")).unwrap();
    let (_, rest) = guide.split_once(from).unwrap();
    let (part, _) = rest.split_once(to).unwrap();
    let blocks = part.split("```console\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command.to_owned(), Vec::new())),
            None => commands.last_mut().unwrap().1.push(line.to_owned()),
        }
    }
    commands
}

/// A line without what differs from run to run: words of three characters or
/// more with digits in them, how long something took, the way to the SDK.
fn shape(line: &str) -> String {
    let line = line.split(" took ").next().unwrap_or(line);
    let line = match line.split_once("the SDK at ") {
        Some((before, after)) => format!("{before}{}", after.split_once(' ').unwrap().1),
        None => line.to_owned(),
    };
    let mut shape = String::new();
    for piece in line.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let end = piece.trim_start_matches(char::is_alphanumeric);
        let word = &piece[..piece.len() - end.len()];
        let varies = word.len() > 2 && word.contains(|c: char| c.is_ascii_digit());
        shape.push_str(if varies { "#" } else { word });
        shape.push_str(end);
    }
    shape.trim_end_matches('.').to_owned()
}

/// Slow the first time, since it compiles the SDK natively and for WebAssembly:
/// what a newcomer does.
#[test]
fn the_guide_leads_to_a_locked_and_verified_task() {
    let desk = Desk::new();
    let shared = root().join("target").join("guide");
    std::fs::create_dir_all(&shared).unwrap();
    let commands = console("## 1. A task", "## 6. For others");
    assert!(commands.len() > 12, "{commands:?}");
    let mut script = String::from("exec 2>&1\n");
    for (at, (command, _)) in commands.iter().enumerate() {
        _ = writeln!(script, "{command}\nprintf '\\n== %s\\n' \"$?\"");
        if at == 0 {
            // What was compiled once is not compiled again.
            _ = writeln!(script, "ln -s '{}' target", shared.display());
        }
    }
    let bin = proctor_tests::built("proctor").parent().unwrap().to_owned();
    let output = desk
        .program("bash")
        .args(["-c", &format!("PATH='{}':$PATH\n{script}", bin.display())])
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    let suite = desk.path("suite").canonicalize().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let output = output.replace(suite.to_str().unwrap(), "/home/me/suite");
    let mut rest = output.as_str();
    for (command, expected) in &commands {
        let (printed, after) = rest.split_once("\n== ").unwrap();
        let (code, after) = after.split_once('\n').unwrap();
        rest = after;
        let fails = expected.iter().any(|line| line.starts_with("error: "));
        assert_eq!(
            code != "0",
            fails,
            "`{command}` ended with {code}:\n{printed}"
        );
        let lines: Vec<String> = printed.lines().map(shape).collect();
        for line in expected.iter().filter(|line| *line != "...") {
            let found = lines
                .iter()
                .any(|printed| printed.starts_with(&shape(line)));
            assert!(found, "`{command}` does not print `{line}` but:\n{printed}");
        }
    }
    // Cargo had nothing to change in the versions that were made up for it.
    let lock = |suite: &Path| std::fs::read(suite.join("monthly-expenses/grader/Cargo.lock"));
    let fresh = desk.path("fresh");
    ok(&desk.run(["new", "monthly-expenses", "--dir", fresh.to_str().unwrap()]));
    assert_eq!(lock(&suite).unwrap(), lock(&fresh).unwrap());
}

/// Step 6 of the guide up to where it compiles: with the SDK in the suite's own
/// repository the task names it there, and nothing has to be warned about.
#[test]
fn the_guide_makes_a_task_that_finds_its_sdk_on_other_machines() {
    let desk = Desk::new();
    let commands = console("## 6. For others", "## 7. A task of your own");
    let [submodule, new, grep, rebuild] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!(submodule.0.starts_with("git submodule add ") && rebuild.0.ends_with(" --rebuild"));
    // What the submodule would bring.
    let sdk = desk.path("suite/vendor/proctor/grader-sdk/rust");
    std::fs::create_dir_all(&sdk).unwrap();
    let manifest = "[package]\nname = \"proctor-grader\"\n";
    std::fs::write(sdk.join("Cargo.toml"), manifest).unwrap();
    let bin = proctor_tests::built("proctor").parent().unwrap().to_owned();
    let script = format!(
        "set -e; PATH='{}':$PATH; git init -q; {}; printf '== '; {}",
        bin.display(),
        new.0,
        grep.0
    );
    let output = desk
        .program("bash")
        .args(["-c", &script])
        .current_dir(desk.path("suite"))
        .output()
        .unwrap();
    let ended = Ended::of(&output);
    ok(&ended);
    assert!(!ended.err.contains("warning: "), "{ended:?}");
    let (_, found) = ended.out.split_once("== ").unwrap();
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found, grep.1);
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
