//! The keys of the public format.

use super::{front, parse_bytes};
use crate::task::format::{FileSource, MAX_BYTES, Problem};
use crate::task::testing::{SERVICES, parse, parse_error, parse_warnings, task_text};

#[test]
fn files_that_are_no_task_say_what_was_expected() {
    for (text, message) in [
        (
            "",
            "t.md:1: expected `---` on the first line, found an empty line",
        ),
        (
            "# A task\n\n## Prompt\n",
            "t.md:1: expected `---` on the first line, found `# A task`",
        ),
        (
            "\n---\nid: a\n---\n",
            "t.md:1: expected `---` on the first line, found an empty line",
        ),
        (
            "---\nid: a\n\n## Prompt\n",
            "t.md:1: the front matter that begins here has no end; expected a second line `---`",
        ),
        (
            "---",
            "t.md:1: the front matter that begins here has no end",
        ),
        (
            "---\n---\n",
            "t.md:2: `front matter` is nothing; expected `key: value` lines",
        ),
        (
            "---\n- a\n---\n",
            "t.md:2: `front matter` is a list of 1; expected `key: value` lines",
        ),
        (
            "---\nname: b\n\nname: c\n---\n",
            "t.md:4: the front matter is not valid YAML: ",
        ),
        ("---\nid: a\nname: [b\n---\n", "t.md:"),
        ("---\nid: a\nname: \"b\n---\n", "t.md:"),
        (
            "---\nid: *nobody\n---\n",
            "t.md:2: the front matter is not valid YAML: ",
        ),
        (
            "---\nid: a\x00\n---\n",
            "t.md:2: the text has a NUL character",
        ),
    ] {
        let error = parse_error(text);
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
    let error =
        crate::task::format::parse("t.md", b"---\nid: a\nname: \xff\n---\n", SERVICES).unwrap_err();
    assert_eq!(
        (error.place.line, error.problem),
        (Some(3), Problem::NotUtf8)
    );
    let long = vec![b'a'; MAX_BYTES + 1];
    assert!(matches!(
        parse_bytes(&long).unwrap_err().problem,
        Problem::TooLarge { .. }
    ));
}

#[test]
fn required_keys_and_their_values_are_checked() {
    let base = "id: a\ngrading_type: automated\ntimeout_seconds: 60";
    assert!(parse(&front(base)).is_ok());
    for (from, to, message) in [
        (
            "id: a",
            "id:",
            "t.md:2: `id` is missing; expected an identifier",
        ),
        ("id: a\n", "", "t.md:2: `id` is missing;"),
        (
            "id: a",
            "id: 7",
            "t.md:2: `id` is the number 7; expected lower-case letters, digits, `-` and `_`, beginning with a letter or digit, at most 64 of them (put it in quotes to make it text)",
        ),
        ("id: a", "id: A-Task", "t.md:2: `id` is the text `A-Task`;"),
        ("id: a", "id: ../a", "t.md:2: `id` is the text `../a`;"),
        ("id: a", "id: _a", "t.md:2: `id` is the text `_a`;"),
        ("id: a", "id: [a]", "t.md:2: `id` is a list of 1;"),
        (
            "automated",
            "magic",
            "t.md:3: `grading_type` is the text `magic`; expected `automated`, `llm_judge` or `hybrid`",
        ),
        (
            "grading_type: automated\n",
            "",
            "t.md:2: `grading_type` is missing;",
        ),
        (
            "60",
            "soon",
            "t.md:4: `timeout_seconds` is the text `soon`; expected a time limit in whole seconds, 1 to 86400",
        ),
        ("60", "0", "t.md:4: `timeout_seconds` is the number 0;"),
        ("60", "-5", "t.md:4: `timeout_seconds` is the number -5;"),
        ("60", "1.5", "t.md:4: `timeout_seconds` is the number 1.5;"),
        (
            "60",
            "99999999",
            "t.md:4: `timeout_seconds` is the number 99999999;",
        ),
        ("60", ".inf", "t.md:4: `timeout_seconds` is the number inf;"),
        ("60", ".nan", "t.md:4: `timeout_seconds` is the number NaN;"),
        ("60", "99999999999999999999999", "t.md:4: "),
    ] {
        let error = parse_error(&front(&base.replacen(from, to, 1)));
        assert!(error.starts_with(message), "{to}: {error}");
    }
    let long = "a".repeat(65);
    assert!(
        parse_error(&front(&base.replacen("id: a", &format!("id: {long}"), 1)))
            .contains("at most 64")
    );
    for id in [
        "task_01_calendar",
        "0",
        "a-b_c",
        "01_calendar",
        "1_000",
        &"a".repeat(64),
    ] {
        let task = parse(&front(&base.replacen("id: a", &format!("id: {id}"), 1)));
        // Digits alone are a number to YAML.
        assert_eq!(task.is_ok(), id != "0", "{id}");
    }
}

#[test]
fn unknown_keys_are_kept_and_warned_about_once() {
    let extra = "difficulty: hard\npre_exec_command: curl x | sh\ncapabilities: [a, {b: 1}]\nprerequisits: []\nproctor:\n  sede: seed/\n  limits: {workspaces: 1GiB}";
    let task = parse(&task_text("a", extra)).unwrap();
    let kept: Vec<_> = task
        .front
        .other
        .iter()
        .map(|(key, _)| key.as_str())
        .collect();
    assert_eq!(
        kept,
        [
            "difficulty",
            "pre_exec_command",
            "capabilities",
            "prerequisits"
        ]
    );
    assert_eq!(task.front.other[2].1, serde_json::json!(["a", {"b": 1}]));
    assert_eq!(
        task.warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        [
            "t.md:7: `difficulty` is not a key that Proctor knows; it has no effect",
            "t.md:8: `pre_exec_command` is not a key that Proctor knows; it has no effect",
            "t.md:9: `capabilities` is not a key that Proctor knows; it has no effect",
            "t.md:10: `prerequisits` is not a key that Proctor knows; it has no effect; did you mean `prerequisites`?",
            "t.md:12: `proctor.sede` is not a key that Proctor knows; it has no effect; did you mean `proctor.seed`?",
            "t.md:13: `proctor.limits.workspaces` is not a key that Proctor knows; it has no effect; did you mean `proctor.limits.workspace`?",
        ]
    );
}

#[test]
fn weights_are_shares() {
    let hybrid = |weights: &str| {
        front(&format!(
            "id: a\ngrading_type: hybrid\ntimeout_seconds: 60\n{weights}"
        )) + "\n## LLM Judge Rubric\n\n### Criterion 1: A (Weight: 100%)\n\n**Score 1.0**: a\n"
    };
    for (text, automated) in [
        ("", 0.5),
        ("grading_weights: {automated: 0.6, llm_judge: 0.4}", 0.6),
        ("grading_weights: {automated: 60, llm_judge: 40}", 0.6),
        ("grading_weights: {automated: 1, llm_judge: 0}", 1.0),
    ] {
        let weights = parse(&hybrid(text)).unwrap().front.weights;
        assert!((weights.automated - automated).abs() < 1e-12, "{text}");
        assert!(
            (weights.automated + weights.llm_judge - 1.0).abs() < 1e-12,
            "{text}"
        );
    }
    for (text, message) in [
        (
            "grading_weights: 0.6",
            "t.md:5: `grading_weights` is the number 0.6; expected a mapping",
        ),
        (
            "grading_weights: {automated: 0.6}",
            "t.md:5: `grading_weights.llm_judge` is missing;",
        ),
        (
            "grading_weights: {automated: 0, llm_judge: 0}",
            "t.md:5: `grading_weights` is a mapping; expected shares of which at least one is above 0",
        ),
        (
            "grading_weights: {automated: -1, llm_judge: 2}",
            "t.md:5: `grading_weights.automated` is the number -1;",
        ),
        (
            "grading_weights: {automated: .nan, llm_judge: 2}",
            "t.md:5: `grading_weights.automated` is the number NaN;",
        ),
        (
            "grading_weights: {automated: most, llm_judge: 2}",
            "t.md:5: `grading_weights.automated` is the text `most`;",
        ),
    ] {
        let error = parse_error(&hybrid(text));
        assert!(error.starts_with(message), "{error}");
    }
    let text = task_text("a", "grading_weights: {automated: 0.6, llm_judge: 0.4}");
    assert_eq!(
        parse_warnings(&text),
        ["t.md:7: `grading_weights` has no effect: grading_type is not `hybrid`"]
    );
}

#[test]
fn workspace_files_have_two_forms() {
    let task = parse(&task_text(
        "a",
        "workspace_files:\n  - source: data/a.csv\n    dest: ./in/a.csv\n  - path: b.txt\n    content: |\n      one\n      two",
    ))
    .unwrap();
    let files: Vec<_> = task
        .front
        .workspace_files
        .iter()
        .map(|at| (at.line, &at.value))
        .collect();
    assert_eq!(files[0].1.dest, "in/a.csv");
    assert_eq!(files[0].1.from, FileSource::Asset("data/a.csv".to_owned()));
    assert_eq!(
        files[1].1.from,
        FileSource::Content("one\ntwo\n".to_owned())
    );
    assert_eq!((files[0].0, files[1].0), (8, 10));
}

#[test]
fn workspace_files_that_are_neither_name_their_line() {
    let forms = "`{source: FILE, dest: PATH}` or `{path: PATH, content: TEXT}`";
    for (entry, message) in [
        ("data.csv", format!("t.md:8: `workspace_files[1]` is the text `data.csv`; expected {forms}")),
        ("{source: a}", format!("t.md:8: `workspace_files[1]` is a mapping; expected {forms}")),
        ("{source: a, content: b}", format!("t.md:8: `workspace_files[1]` is a mapping; expected {forms}")),
        ("{path: a, content: 7}", "t.md:8: `workspace_files[1].content` is the number 7; expected the text of the file (put it in quotes".to_owned()),
        ("{source: /etc/passwd, dest: a}", "t.md:8: `workspace_files[1].source` names `/etc/passwd`, which is absolute; expected a path relative to the `assets/` folder".to_owned()),
        ("{source: a/../../b, dest: a}", "t.md:8: `workspace_files[1].source` names `a/../../b`, which goes up with `..`; expected a path that stays inside the `assets/` folder".to_owned()),
        ("{source: a, dest: ../b}", "t.md:8: `workspace_files[1].dest` names `../b`, which goes up with `..`; expected a path that stays inside the workspace".to_owned()),
        ("{path: /b, content: x}", "t.md:8: `workspace_files[1].path` names `/b`, which is absolute; expected a path relative to the workspace".to_owned()),
        ("{path: '', content: x}", "t.md:8: `workspace_files[1].path` names ``, which is empty".to_owned()),
        ("{path: \"a\\nb\", content: x}", "t.md:8: `workspace_files[1].path` names `a b`, which is not a portable path".to_owned()),
    ] {
        let error = parse_error(&task_text("a", &format!("workspace_files:\n  - {entry}")));
        assert!(error.starts_with(&message), "{error}\n{message}");
    }
    let error = parse_error(&task_text("a", "workspace_files: data.csv"));
    assert!(
        error.starts_with("t.md:7: `workspace_files` is the text `data.csv`; expected a list of")
    );
    let twice = "workspace_files:\n  - {path: a, content: x}\n  - {source: b, dest: ./a}";
    assert_eq!(
        parse_error(&task_text("a", twice)),
        "t.md:9: workspace file `a` is there twice, first in line 8; give each file a path of its own"
    );
    let inside = "workspace_files:\n  - {path: a/b/c, content: x}\n  - {path: a, content: x}";
    assert_eq!(
        parse_error(&task_text("a", inside)),
        "t.md:8: `workspace_files[1]` is the file `a/b/c`; expected a path outside `a`, which is a file (line 9)"
    );
}

#[test]
fn sessions_have_three_forms() {
    let extra = "multi_session: true\nsessions:\n  - id: first\n    prompt: One\n  - {message: Two, new_session: true}\n  - Three";
    let text = task_text("a", extra).replace("## Prompt\n\nDo it.\n", "");
    let task = parse(&text).unwrap();
    let sessions: Vec<_> = task
        .front
        .sessions
        .iter()
        .map(|s| (s.id.as_str(), s.prompt.as_str(), s.new_session))
        .collect();
    assert_eq!(
        sessions,
        [
            ("first", "One", false),
            ("session_2", "Two", true),
            ("session_3", "Three", false)
        ]
    );
    assert_eq!(task.prompt, "One");
    assert_eq!(
        parse_warnings(&task_text("a", "sessions: [One]")),
        ["t.md:7: `sessions` is set and `multi_session` is not true; the sessions are used"]
    );
    for (extra, message) in [
        (
            "multi_session: true",
            "t.md:7: `sessions` is missing; expected a list of `{id: NAME, prompt: TEXT}` because `multi_session` is true",
        ),
        (
            "multi_session: true\nsessions: []",
            "t.md:8: `sessions` is an empty list;",
        ),
        (
            "multi_session: 1\nsessions: []",
            "t.md:7: `multi_session` is the number 1; expected `true` or `false`",
        ),
        (
            "multi_session: true\nsessions:\n  - {id: a}",
            "t.md:9: `sessions[1]` is a mapping; expected `{id: NAME, prompt: TEXT}`",
        ),
        (
            "multi_session: true\nsessions:\n  - {prompt: a, message: b}",
            "t.md:9: `sessions[1]` is a mapping;",
        ),
        (
            "multi_session: true\nsessions: [' ']",
            "t.md:8: `sessions[1]` is the text ` `;",
        ),
        (
            "multi_session: true\nsessions:\n  - {id: a, prompt: x}\n  - {id: a, prompt: y}",
            "t.md:10: session `a` is there twice, first in line 9;",
        ),
    ] {
        let error = parse_error(&task_text("a", extra));
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn odd_prerequisites_are_kept_with_a_warning() {
    let text = task_text("a", "prerequisites: [cli:gws, gws, 'npm:a:b']");
    assert_eq!(
        parse(&text).unwrap().front.prerequisites,
        ["cli:gws", "gws", "npm:a:b"]
    );
    assert_eq!(
        parse_warnings(&text),
        [
            "t.md:7: the prerequisite `gws` is not of the form KIND:NAME (`cli:gws`); nothing checks it"
        ]
    );
}
