//! One task, two graders, the same evidence.

use std::process::Command;

use proctor_tests::{Desk, GWS, Trial, root};
use serde_json::Value;

/// The Google Workspace task as a bare file in the public format, without the
/// key that is ours alone: its Python is its grader then.
fn plain(desk: &Desk) -> std::path::PathBuf {
    desk.task(|text| {
        let begin = text.find("proctor:\n").unwrap();
        let end = begin + text[begin..].find("\n---").unwrap();
        format!(
            "{}proctor:\n  services: [google]\n  seed: seed/\n  oracle: solution/steps.yaml{}",
            &text[..begin],
            &text[end..]
        )
    })
}

fn verdict(trial: &Trial) -> Value {
    let bytes = std::fs::read(trial.dir.join("verdict.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn regrade(desk: &Desk, trial: &Trial, more: &[&str]) -> proctor_tests::Ended {
    let dir = trial.dir.to_str().unwrap();
    let arguments = ["grade", dir, "--format", "json"];
    desk.run(arguments.iter().chain(more))
}

/// The component's digest, as the lock file has it.
fn locked() -> String {
    let lock = std::fs::read_to_string(root().join("graders/python/python.lock")).unwrap();
    let line = lock.lines().find_map(|line| line.strip_prefix("sha256 = "));
    line.unwrap().trim_matches('"').to_owned()
}

#[test]
fn a_task_without_a_component_is_graded_by_its_python() {
    let desk = Desk::new();
    let task = plain(&desk);
    let trial = desk.trial(&task, "oracle", &["--unlocked"]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let decided = trial.decided();
    assert_eq!(decided.len(), 5);
    assert!(
        decided.iter().all(|(_, points)| *points == 1.0),
        "{decided:?}"
    );
    calls_have_their_arguments_under_three_names(&trial);
    // Who graded is in the record and in the verdict.
    let verdict = verdict(&trial);
    for place in [&trial.record["grader"], &verdict["grader"]["kind"]] {
        assert_eq!(place, "python");
    }
    assert_eq!(verdict["grader"]["sha256"], locked());
    let source = trial.record["source_sha256"].as_str().unwrap();
    assert_eq!(verdict["grader"]["source_sha256"], source);
    // The source is kept with the job, so the suite is not needed any more.
    std::fs::remove_dir_all(&task).unwrap();
    let kept = trial.dir.join(format!("../../graders/{source}.py"));
    assert!(
        std::fs::read_to_string(&kept)
            .unwrap()
            .contains("def grade")
    );
    let again = regrade(&desk, &trial, &[]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(
        again.out.as_bytes(),
        std::fs::read(trial.dir.join("verdict.json")).unwrap()
    );
    // And it has to be that very source.
    std::fs::write(
        &kept,
        "def grade(t, w):\n    return {'listed_tasks': 1.0}\n",
    )
    .unwrap();
    regrade(&desk, &trial, &[]).refused(5, &["is not what graded the trial"]);
}

/// What graders in Python find in the transcript of any trial.
fn calls_have_their_arguments_under_three_names(trial: &Trial) {
    let events = trial.evidence_lines("transcript.jsonl");
    let contents = events.iter().map(|event| &event["message"]["content"]);
    let calls: Vec<&Value> = contents
        .filter_map(Value::as_array)
        .flatten()
        .filter(|part| part["type"] == "toolCall")
        .collect();
    assert!(!calls.is_empty());
    for call in calls {
        assert!(call["arguments"].is_object(), "{call}");
        for name in ["input", "params"] {
            assert_eq!(call[name], call["arguments"], "{call}");
        }
    }
}

/// `--unlocked` admits a changed task, never another grader than the locked
/// one: that takes a review and `proctor lock`.
#[test]
fn a_changed_python_block_has_to_be_locked_again() {
    let desk = Desk::new();
    let task = desk.path("suite/task_words.md");
    std::fs::create_dir_all(task.parent().unwrap()).unwrap();
    let text = |points: &str| {
        format!(
            "---\nid: words\ngrading_type: automated\ntimeout_seconds: 60\n---\n\n## Prompt\n\n\
             Do.\n\n## Automated Checks\n\n```python\ndef grade(transcript, workspace_path):\n    \
             return {{'a': {points}}}\n```\n"
        )
    };
    std::fs::write(&task, text("0.25")).unwrap();
    let suite = desk.path("suite");
    assert_eq!(desk.run(["lock", suite.to_str().unwrap()]).code, 0);
    std::fs::write(&task, text("0.75")).unwrap();
    let run = [
        "run",
        task.to_str().unwrap(),
        "--agent",
        "nop",
        "--unlocked",
    ];
    let why = ["the Python block is not", "run `proctor lock`"];
    desk.run(run).refused(5, &why);
    let named = [&run[..], &["--grader", "python"]].concat();
    desk.run(named).refused(5, &why);
    assert_eq!(desk.run(["lock", suite.to_str().unwrap()]).code, 0);
    let trial = desk.trial(&task, "nop", &[]);
    assert_eq!(trial.decided(), [("a".to_owned(), 0.75)]);
}

#[test]
fn either_grader_grades_the_same_evidence() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &[]);
    assert_eq!(trial.record["grader"], "component");
    let python = regrade(&desk, &trial, &["--grader", "python"]);
    assert_eq!(python.code, 0, "{python:?}");
    let python = python.json();
    assert_eq!(python["grader"]["kind"], "python");
    let given: Vec<(&str, f64)> = python["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| Some((one["id"].as_str()?, one["points"].as_f64()?)))
        .collect();
    assert_eq!(given, native(&trial));
    assert!(given.iter().all(|(_, points)| *points == 1.0));
    let wasm = regrade(&desk, &trial, &["--grader", "wasm"]);
    assert_eq!(
        wasm.out.as_bytes(),
        std::fs::read(trial.dir.join("verdict.json")).unwrap()
    );
    // A job that ran with the other one can be graded by the first.
    let other = Desk::new();
    let trial = other.trial(GWS, "oracle", &["--grader", "python"]);
    assert_eq!(trial.record["grader"], "python");
    assert!(
        trial.record["warnings"][0]
            .as_str()
            .unwrap()
            .contains("--grader python")
    );
    let wasm = regrade(&other, &trial, &["--grader", "wasm"]).json();
    assert_eq!(wasm["grader"]["kind"], "component");
    assert_eq!(wasm["points"]["low"], 6.0);
}

/// The seed's Python looks for words in commands and for a file of a name. Who
/// echoes the one and touches the other has done nothing, and gets everything.
#[test]
fn the_cheating_agent_gets_full_marks_from_words_and_none_from_facts() {
    let desk = Desk::new();
    let agent = desk.steps(&[
        "echo gws tasks tasks list",
        "echo gws tasks tasks patch",
        "echo gws gmail users messages list",
        "echo gws tasks tasks insert; touch task_summary.md",
    ]);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.record["requests"]["answered"], 0);
    assert!(
        trial.decided().iter().all(|(_, points)| *points == 0.0),
        "{}",
        trial.record
    );
    let python = regrade(&desk, &trial, &["--grader", "python"]).json();
    let points: Vec<f64> = python["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["points"].as_f64())
        .collect();
    assert_eq!(points, [1.0; 5]);
    assert_eq!(native(&trial).len(), 5);
    // docs/python-graders.md says why.
    let page = std::fs::read_to_string(root().join("docs/python-graders.md")).unwrap();
    assert!(page.contains("gets full marks"));
}

#[test]
fn a_grader_that_fails_leaves_the_denominator_with_its_reason() {
    let desk = Desk::new();
    let task = plain(&desk);
    let file = task.join("task.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("scores = {}"))
        .unwrap()
        + 1;
    let broken = text.replacen(
        "    scores = {}",
        "    import subprocess; subprocess.run(['ls'])",
        1,
    );
    std::fs::write(&file, broken).unwrap();
    let trial = desk.trial(&task, "nop", &["--unlocked"]);
    assert_eq!(trial.ended.code, 4);
    assert_eq!(trial.outcome(), "ungraded");
    assert_eq!(trial.job["denominator"]["counted"], 0);
    let failure = trial.record["failure"]["message"].as_str().unwrap();
    assert!(
        failure.starts_with(&format!("task.md:{line}: ")),
        "{failure}"
    );
    assert!(
        failure.contains("probe") && failure.contains("docs/python-graders.md"),
        "{failure}"
    );
    let log = std::fs::read_to_string(trial.dir.join("grader.log")).unwrap();
    assert!(log.contains("Traceback"), "{log}");
}

#[test]
fn the_python_grader_must_be_there_and_be_the_right_one() {
    let desk = Desk::new();
    let task = plain(&desk);
    let run = |python: &std::path::Path| {
        let output = desk
            .proctor()
            .env("PROCTOR_PYTHON_GRADER", python)
            .args([
                "run",
                task.to_str().unwrap(),
                "--agent",
                "nop",
                "--unlocked",
                "--out",
            ])
            .arg(desk.path("job"))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), error)
    };
    let (code, error) = run(&desk.path("nowhere.wasm"));
    assert_eq!(code, 4);
    assert!(
        error.contains("nowhere.wasm") && error.contains("make python"),
        "{error}"
    );
    std::fs::write(desk.path("other.wasm"), "not it").unwrap();
    let (code, error) = run(&desk.path("other.wasm"));
    assert_eq!(code, 5);
    assert!(error.contains(&locked()), "{error}");
    assert!(!desk.path("job").exists(), "nothing was run");
}

/// What the machine's own Python says, by id.
fn native(trial: &Trial) -> Vec<(&'static str, f64)> {
    let text = std::fs::read_to_string(root().join(GWS).join("task.md")).unwrap();
    let code = text.split("```python\n").nth(1).unwrap();
    let code = code.split("\n```").next().unwrap();
    let program = format!(
        "{code}\n\nimport json, sys\n\
         events = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n\
         print(json.dumps(list(grade(events, sys.argv[2]).items())))\n"
    );
    let output = Command::new("python3")
        .args(["-c", &program])
        .arg(trial.dir.join("evidence/transcript.jsonl"))
        .arg(trial.dir.join("evidence/workspace"))
        .output()
        .unwrap();
    let values: Vec<(String, f64)> = serde_json::from_slice(&output.stdout).unwrap();
    let known = [
        "listed_tasks",
        "updated_completed",
        "read_emails",
        "created_new_task",
        "summary_created",
    ];
    known
        .into_iter()
        .zip(values)
        .map(|(id, (found, points))| {
            assert_eq!(id, found);
            (id, points)
        })
        .collect()
}
