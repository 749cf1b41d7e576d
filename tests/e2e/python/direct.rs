//! `proctor grade TASK --workspace DIR --transcript FILE`: no trial needed.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proctor_tests::{Desk, Ended, GWS};

const TASK: &str = "---
id: little
name: Little
category: test
grading_type: automated
timeout_seconds: 60
workspace_files: []
---

## Prompt

Write a report.

## Expected Behavior

It does.

## Grading Criteria

- [ ] It does

## Automated Checks

```python
def grade(transcript, workspace_path):
    from pathlib import Path
    root = Path(workspace_path)
    print('looking at', sorted(p.name for p in root.rglob('*')))
    commands = [e['params']['command'] for e in transcript if e.get('type') == 'tool_use']
    return {
        'report': 1.0 if (root / 'report.md').exists() else 0.0,
        'ran tests': 1.0 if 'pytest' in commands else 0.0,
        'why': 'because',
        'fixture': float(Path('/fixtures/given.txt').read_text() == 'given'),
        'model': float(any('done' in t for e in transcript if e.get('type') == 'model.completed'
                           for t in e['data']['assistantTexts'])),
    }
```
";

const EVENTS: &str = r#"[{"type":"tool_use","name":"bash","params":{"command":"pytest"}},
 {"type":"model.completed","data":{"assistantTexts":["all done"]}}]"#;

struct Case {
    desk: Desk,
    task: PathBuf,
}

impl Case {
    fn new() -> Self {
        let desk = Desk::new();
        let write = |name: &str, text: &str| {
            let path = desk.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("little.md", TASK);
        write("events.json", EVENTS);
        write("before/given.txt", "given");
        write("after/report.md", "# Report");
        write("after/deep/er/x", "x");
        let task = desk.path("little.md");
        Self { desk, task }
    }

    fn grade(&self, more: &[&str]) -> Ended {
        self.desk.run(self.arguments(more))
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let at = |name: &str| self.desk.path(name).to_str().unwrap().to_owned();
        let mut arguments = vec!["grade".to_owned(), self.task.to_str().unwrap().to_owned()];
        for (option, value) in [
            ("--workspace", "after"),
            ("--transcript", "events.json"),
            ("--fixtures", "before"),
        ] {
            if !more.contains(&option) {
                arguments.extend([option.to_owned(), at(value)]);
            }
        }
        arguments.extend(more.iter().map(ToString::to_string));
        arguments
    }
}

#[test]
fn a_workspace_and_a_transcript_are_enough() {
    let case = Case::new();
    let ended = case.grade(&["--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let json = ended.json();
    assert_eq!(json["outcome"], "scored");
    assert_eq!(json["automated"], 1.0);
    let ids: Vec<&str> = json["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["report", "ran_tests", "fixture", "model"]);
    assert_eq!(
        json["notes"][0],
        "The value of `why` is a str and does not count."
    );
    assert_eq!(
        case.grade(&["--format", "json"]).out,
        ended.out,
        "twice the same"
    );
    let text = case.grade(&[]);
    assert!(
        text.out.starts_with("scored, automated score 1\n"),
        "{text:?}"
    );
    assert!(
        text.err
            .contains("looking at ['deep', 'er', 'report.md', 'x']"),
        "{text:?}"
    );
}

#[test]
fn a_hostile_workspace_reaches_nothing() {
    let case = Case::new();
    let at = |name: &str| case.desk.path("after").join(name);
    std::fs::remove_file(at("report.md")).unwrap();
    std::fs::write(case.desk.path("secret.md"), "secret").unwrap();
    symlink(case.desk.path("secret.md"), at("report.md")).unwrap();
    symlink("/", at("root")).unwrap();
    symlink(".", at("loop")).unwrap();
    let fifo = std::process::Command::new("mkfifo")
        .arg(at("pipe"))
        .status()
        .unwrap();
    assert!(fifo.success());
    let ended = case.grade(&["--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let json = ended.json();
    assert_eq!(json["automated"], 0.75, "a link is no report");
    let warnings = json["warnings"].to_string();
    for name in ["report.md", "root", "loop", "pipe"] {
        assert!(
            warnings.contains(&format!("after/{name}: the grader does not see it")),
            "{warnings}"
        );
    }
}

#[test]
fn a_grader_that_fails_has_an_outcome_and_an_exit_code() {
    let case = Case::new();
    let text = TASK.replace(
        "    from pathlib import Path\n",
        "    raise KeyError('x')\n",
    );
    std::fs::write(&case.task, &text).unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("KeyError"))
        .unwrap()
        + 1;
    let ended = case.grade(&["--format", "json"]);
    assert_eq!(ended.code, 4, "{ended:?}");
    let json = ended.json();
    assert_eq!(json["outcome"], "ungraded");
    assert!(json["automated"].is_null());
    assert_eq!(json["criteria"].as_array().unwrap().len(), 0);
    assert_eq!(
        json["failure"]["message"],
        format!("little.md:{line}: the grader failed: KeyError: 'x'")
    );
}

#[test]
fn what_is_given_must_be_there_and_be_what_it_is_called() {
    let case = Case::new();
    case.grade(&["--workspace", "/nowhere"])
        .refused(9, &["/nowhere"]);
    let file = case.desk.path("events.json");
    let file = file.to_str().unwrap();
    case.grade(&["--workspace", file])
        .refused(9, &["events.json"]);
    case.grade(&["--transcript", "/dev/zero"])
        .refused(9, &["/dev/zero"]);
    std::fs::write(case.desk.path("bad.jsonl"), "{}\nnonsense\n").unwrap();
    let bad = case.desk.path("bad.jsonl");
    case.grade(&["--transcript", bad.to_str().unwrap()])
        .refused(2, &["bad.jsonl", "line 2"]);
    case.grade(&["--grader", "wasm"])
        .refused(2, &["has no component"]);
    case.desk
        .run(["grade", GWS, "--workspace", "."])
        .refused(2, &["--transcript"]);
}

#[test]
fn scripts_of_ones_own_grade_too() {
    let case = Case::new();
    let script = case.desk.path("mine.py");
    std::fs::write(
        &script,
        "def grade(t, w):\n    return {'events': len(t) / 4}\n",
    )
    .unwrap();
    let ended = case.grade(&["--grader", script.to_str().unwrap(), "--format", "json"]);
    assert_eq!(ended.json()["automated"], 0.5);
    std::fs::write(&script, "def grade(t, w):\n    return {'events': len(t)}\n").unwrap();
    let ended = case.grade(&["--grader", script.to_str().unwrap(), "--format", "json"]);
    assert_eq!(ended.code, 4);
    assert!(
        ended.out.contains("mine.py: the grader cannot be used"),
        "{ended:?}"
    );
}

/// Graders differ in the name that they look for arguments under, and whoever
/// wrote the transcript chose one.
#[test]
fn arguments_are_found_under_all_three_names() {
    let case = Case::new();
    let script = case.desk.path("mine.py");
    std::fs::write(
        &script,
        "def grade(transcript, workspace_path):
    calls = [e for e in transcript if e['type'] == 'tool_use']
    calls += [part for e in transcript if e['type'] == 'message'
              for part in e['message']['content'] if part['type'] == 'toolCall']
    names = ('arguments', 'input', 'params')
    return {
        'calls': len(calls) / 6,
        'all': all(c.get(name) == {'command': 'pytest'} for c in calls for name in names),
    }
",
    )
    .unwrap();
    let events = ["arguments", "input", "params"].map(|name| {
        let rest = format!(r#""name":"bash","{name}":{{"command":"pytest"}}}}"#);
        format!(
            "{{\"type\":\"tool_use\",{rest}\n\
             {{\"type\":\"message\",\"message\":{{\"role\":\"assistant\",\"content\":[\
             {{\"type\":\"toolCall\",{rest}]}}}}\n"
        )
    });
    std::fs::write(case.desk.path("events.json"), events.concat()).unwrap();
    let ended = case.grade(&["--grader", script.to_str().unwrap(), "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let json = ended.json();
    for one in json["criteria"].as_array().unwrap() {
        assert_eq!(one["points"], 1.0, "{json}");
    }
    assert_eq!(json["automated"], 1.0);
}

/// Slow, because it compiles the component: that takes seconds, so it is said,
/// and done once.
#[test]
fn the_first_use_says_that_it_compiles_and_the_second_does_not() {
    let case = Case::new();
    let grade = || {
        let mut command = case.desk.proctor();
        command
            .env("XDG_CACHE_HOME", case.desk.path("cache"))
            .args(case.arguments(&["--format", "json"]));
        let ended = Ended::of(&command.output().unwrap());
        assert_eq!(ended.code, 0, "{ended:?}");
        ended
    };
    let said = "compiling the Python grader, once";
    let first = grade();
    assert!(first.err.contains(said), "{first:?}");
    let second = grade();
    assert!(!second.err.contains(said), "{second:?}");
    assert_eq!(first.out, second.out);
}
