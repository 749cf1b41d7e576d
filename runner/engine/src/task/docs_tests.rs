//! The documents say what the code does.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use super::lock::Lock;
use super::pack::load_task;
use super::testing::{OPTIONS, parse, parse_error, real_task, task_text, write};

const TASK_FORMAT: &str = include_str!("../../../../docs/task-format.md");
const LOCK: &str = include_str!("../../../../docs/lock.md");

/// The code blocks of a document that begin with the fence `open`.
fn blocks<'a>(document: &'a str, open: &str) -> Vec<&'a str> {
    let close = format!("\n{}\n", open.trim_end_matches(char::is_alphabetic));
    let open = format!("\n{open}\n");
    document
        .match_indices(&open)
        .map(|(at, _)| {
            let text = &document[at + open.len()..];
            &text[..=text.find(&close).expect("the block ends")]
        })
        .collect()
}

#[test]
fn the_smallest_task_is_one() {
    let [text] = blocks(TASK_FORMAT, "````markdown")[..] else {
        panic!("one example")
    };
    let task = parse(text).unwrap();
    assert_eq!(task.front.id, "hello-file");
    assert!(task.python.is_some());
    assert_eq!(task.warnings, []);
}

#[test]
fn every_example_of_front_matter_is_read_without_a_warning() {
    let examples = blocks(TASK_FORMAT, "```yaml");
    assert_eq!(examples.len(), 4);
    for example in examples {
        assert_eq!(
            parse(&task_text("a", example)).unwrap().warnings,
            [],
            "{example}"
        );
    }
    let [rubric] = blocks(TASK_FORMAT, "```markdown")[..] else {
        panic!("one example")
    };
    let text = task_text("a", "").replace("automated", "llm_judge");
    let warnings = parse(&format!("{text}\n## LLM Judge Rubric\n\n{rubric}"))
        .unwrap()
        .warnings;
    assert_eq!(
        warnings.len(),
        1,
        "its one weight is not 100 %: {warnings:?}"
    );
}

#[test]
fn messages_are_quoted_as_they_are() {
    let shown = |text: &str| parse_error(text).replace("t.md", "tasks/a/task.md");
    let stray = "---\nid: a\ngrading_type: automated\ntimeout_seconds: 60\n---\n## Prompt\nDo.\n\n## Automated Checks\n\ndef grade(transcript, workspace_path):\n    return {}\n";
    let open =
        "---\nid: a\ngrading_type: automated\ntimeout_seconds: 60\n---\n## Prompt\nDo.\n```\nx\n";
    for error in [
        shown(&task_text("A-Task", "")),
        shown(&task_text("a", "workspace_files:\n  - data.csv")),
        shown(stray),
        shown(open),
    ] {
        assert!(TASK_FORMAT.contains(&error), "{error}");
    }
}

#[test]
fn the_shell_in_the_document_makes_the_same_digest() {
    let [script] = blocks(LOCK, "```sh")[..] else {
        panic!("one script")
    };
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("task.md", &task_text("a", "")),
            ("seed/b", "1"),
            ("seed-a", "22"),
            ("seed/a b", ""),
            (".hidden/ü", "x"),
            ("solution/run.sh", "exit 0\n"),
            ("proctor.lock", "not part of it"),
        ],
    );
    let run = dir.path().join("solution/run.sh");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    for pack in [dir.path().to_owned(), real_task()] {
        let output = Command::new("bash")
            .arg("-c")
            .arg(script)
            .current_dir(&pack)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            printed.trim_end(),
            format!("{}  -", load_task(&pack, OPTIONS).unwrap().pack_sha256)
        );
    }
}

#[test]
fn the_example_of_a_lock_file_has_the_form_of_one() {
    let [example] = blocks(LOCK, "```toml")[..] else {
        panic!("one example")
    };
    let digest = |short: &str, whole: &str| (format!("\"{short}...\""), format!("\"{whole}\""));
    let mut text = example.to_owned();
    for (short, whole) in [
        digest("3f0c", &"3f0c".repeat(16)),
        digest("9ab1", &"9ab1".repeat(16)),
        digest("77e1", &"77e1".repeat(16)),
    ] {
        assert!(text.contains(&short));
        text = text.replace(&short, &whole);
    }
    let lock = Lock::parse("proctor.lock", &text).unwrap();
    // Written again, it is the same from the first block on.
    let blocks = |text: &str| text[text.find("version").unwrap()..].to_owned();
    assert_eq!(blocks(&lock.to_text()), blocks(&text));
}

/// Not about a document: the seed's own check, run by Python on the commands
/// of the oracle, gives every key but the file's.
#[test]
fn the_python_check_of_the_repositorys_task_accepts_the_oracles_commands() {
    let task = load_task(&real_task(), OPTIONS).unwrap();
    let steps = task.pack.read(task.oracle.as_deref().unwrap()).unwrap();
    let steps: serde_json::Value = serde_saphyr::from_slice(&steps).unwrap();
    let events: Vec<serde_json::Value> = steps["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["run"].as_str())
        .map(|run| {
            serde_json::json!({"type": "message", "message": {"role": "assistant", "content": [
                {"type": "toolCall", "name": "exec", "arguments": {"command": run}},
            ]}})
        })
        .collect();
    let workspace = tempfile::tempdir().unwrap();
    write(workspace.path(), &[("task_summary.md", "x")]);
    let code = task.python.unwrap().code;
    let program = format!(
        "import json, sys\n{code}\nprint(json.dumps(grade(json.load(sys.stdin), {:?})))\n",
        workspace.path()
    );
    let mut python = Command::new("python3")
        .args(["-I", "-c", &program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = serde_json::to_vec(&events).unwrap();
    python.stdin.take().unwrap().write_all(&input).unwrap();
    let output = python.wait_with_output().unwrap();
    let scores: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        scores,
        serde_json::json!({
            "listed_tasks": 1.0,
            "updated_completed": 1.0,
            "read_emails": 1.0,
            "created_new_task": 1.0,
            "summary_created": 1.0,
        })
    );
}
