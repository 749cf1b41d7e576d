//! The traps of the format: what the field's files look like, and what hostile
//! ones do.

use std::fs;

use proctor_types::task::GradingType;

use super::*;
use crate::task::testing::{
    CHECKS, SERVICES, parse, parse_error, parse_warnings, real_task, task_text,
};

fn front(lines: &str) -> String {
    format!("---\n{lines}\n---\n\n## Prompt\n\nDo it.\n\n{CHECKS}")
}

#[test]
fn the_task_of_the_first_seed_document_is_read_whole() {
    let bytes = fs::read(real_task().join("task.md")).unwrap();
    let task = format_parse(&bytes).unwrap();
    assert_eq!(task.front.id, "gws-task-management");
    assert_eq!(task.front.grading_type, GradingType::Hybrid);
    assert!((task.front.weights.automated - 0.6).abs() < 1e-12);
    assert!((task.front.weights.llm_judge - 0.4).abs() < 1e-12);
    assert!(
        task.prompt
            .starts_with("You have access to a Google Workspace account")
    );
    assert!(
        task.prompt
            .ends_with("listing what tasks you found, created, and completed")
    );
    assert_eq!(task.criteria.len(), 6);
    assert_eq!(task.criteria[0], "Agent listed existing tasks using gws");
    let python = task.python.clone().unwrap();
    assert!(
        python
            .code
            .starts_with("def grade(transcript: list, workspace_path: str) -> dict:\n")
    );
    assert!(python.code.ends_with("    return scores\n"));
    let line = String::from_utf8(bytes)
        .unwrap()
        .lines()
        .nth(python.line as usize - 1)
        .map(str::to_owned);
    assert!(line.unwrap().starts_with("def grade("));
    let rubric: Vec<_> = task
        .rubric
        .iter()
        .map(|c| (c.id.as_str(), c.levels.len()))
        .collect();
    assert_eq!(
        rubric,
        [
            ("rubric_information_extraction", 5),
            ("rubric_task_list_management", 5),
            ("rubric_summary_quality", 5),
        ]
    );
    assert!((task.rubric[0].weight - 0.4).abs() < 1e-12);
    assert_eq!(task.info().services, ["google"]);
    assert_eq!(task.warnings, []);
}

fn format_parse(bytes: &[u8]) -> Result<Document, FormatError> {
    super::parse("task.md", bytes, SERVICES)
}

#[test]
fn a_bare_file_of_the_public_format_is_a_task() {
    let task = parse(
        "---\nid: task_01_calendar\nname: Calendar\ncategory: basic\ngrading_type: automated\n\
         timeout_seconds: 120.0\nworkspace_files: []\n---\n## Prompt\nMake an event.\n\n\
         ## Expected Behaviour\nIt does.\n\n## Grading criteria\n- [ ] A file\n\n## Automated Checks\n\
         ```python\ndef grade(transcript: list, workspace_path: str) -> dict:\n    return {'a': 1.0}\n```\n",
    )
    .unwrap();
    assert_eq!(task.front.timeout_seconds, 120);
    assert_eq!(task.expected_behavior, "It does.");
    assert_eq!(task.criteria, ["A file"]);
    assert_eq!(task.front.proctor, Proctor::default());
    assert_eq!(task.warnings, []);
    let weights = task.front.weights;
    assert_eq!((weights.automated, weights.llm_judge), (1.0, 0.0));
}

#[test]
fn byte_order_marks_and_line_ends_of_other_systems_change_nothing() {
    let unix = task_text("a", "");
    let expected = parse(&unix).unwrap();
    for text in [
        format!("\u{feff}{unix}"),
        unix.replace('\n', "\r\n"),
        unix.replace('\n', "\r"),
        format!("\u{feff}{}", unix.replace('\n', "\r\n")),
        unix.replace("---\n", "---  \n"),
    ] {
        assert_eq!(parse(&text).unwrap(), expected);
    }
    let error = parse_error(&task_text("A", "").replace('\n', "\r\n"));
    assert!(
        error.starts_with("t.md:2: `id` is the text `A`;"),
        "{error}"
    );
}

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
    let error = super::parse("t.md", b"---\nid: a\nname: \xff\n---\n", SERVICES).unwrap_err();
    assert_eq!(
        (error.place.line, error.problem),
        (Some(3), Problem::NotUtf8)
    );
    let long = vec![b'a'; MAX_BYTES + 1];
    assert!(matches!(
        format_parse(&long).unwrap_err().problem,
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
fn yaml_bombs_are_refused_quickly() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = format!("*a{}, ", level - 1).repeat(9);
        laughs.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    let doubling: String = std::iter::once("b0: &b0 [x, x]\n".to_owned())
        .chain((1..16).map(|n| format!("b{n}: &b{n} [*b{0}, *b{0}]\n", n - 1)))
        .collect();
    for bomb in [
        laughs,
        doubling,
        format!("deep: {}{}", "[".repeat(5_000), "]".repeat(5_000)),
        format!(
            "deep:\n{}",
            (1..1_000)
                .map(|n| format!("{}a:\n", " ".repeat(n)))
                .collect::<String>()
        ),
        format!("wide: [{}]", "x, ".repeat(50_000)),
        format!(
            "keys: {{{}}}",
            (0..20_000)
                .map(|n| format!("k{n}: x, "))
                .collect::<String>()
        ),
        "a: &a [*a]".to_owned(),
        format!("x: 1\n{}", "...\ny: 1\n".repeat(1_000)),
    ] {
        let error = parse_error(&task_text("a", &bomb));
        let expected = ["is not valid YAML", "`## Prompt` is missing"];
        assert!(expected.iter().any(|text| error.contains(text)), "{error}");
        assert!(
            error.len() < 1_000,
            "a message, not a copy of the file: {}",
            error.len()
        );
    }
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
fn everything_under_proctor_is_read() {
    let extra = "proctor:\n  services: [google, github]\n  seed: seed/\n  grader: grader.wasm\n  system_prompt: sys.md\n  verdict: {pass: 18, borderline: 14.5}\n  attempts: 5\n  network: {allow: [API.example.com]}\n  limits: {workspace: 256MiB, memory: 4GiB, processes: 512}\n  probes: [{name: unit-tests, run: python -m pytest -q, timeout_seconds: 90}, {name: b, run: 'true'}]\n  oracle: solution/steps.yaml";
    let proctor = parse(&task_text("a", extra)).unwrap().front.proctor;
    assert_eq!(proctor.services, ["google", "github"]);
    assert_eq!(
        proctor.seed,
        Some(At {
            value: "seed".to_owned(),
            line: 9
        })
    );
    let grader = GraderName::File("grader.wasm".to_owned());
    assert_eq!(
        proctor.grader,
        Some(At {
            value: grader,
            line: 10
        })
    );
    assert_eq!(proctor.system_prompt.unwrap().value, "sys.md");
    let thresholds = proctor.thresholds.unwrap();
    assert_eq!((thresholds.pass, thresholds.borderline), (18.0, Some(14.5)));
    assert_eq!(proctor.attempts, Some(5));
    assert_eq!(proctor.network_allow, ["api.example.com"]);
    assert_eq!(
        proctor.limits,
        Limits {
            workspace_bytes: Some(256 << 20),
            memory_bytes: Some(4 << 30),
            processes: Some(512)
        }
    );
    assert_eq!(proctor.probes[0].timeout_seconds, 90);
    assert_eq!(proctor.probes[1].timeout_seconds, PROBE_SECONDS);
    assert_eq!(proctor.oracle.unwrap().value, "solution/steps.yaml");
}

#[test]
fn wrong_values_under_proctor_name_key_and_line() {
    let digest = "0".repeat(64);
    for (line, message) in [
        (
            "proctor: yes please",
            "t.md:7: `proctor` is the text `yes please`; expected a mapping of Proctor's own keys",
        ),
        (
            "proctor:\n  services: google",
            "t.md:8: `proctor.services` is the text `google`; expected a list of services (`google`, `github`, `notion`)",
        ),
        (
            "proctor:\n  services:\n    - gogle",
            "t.md:9: `proctor.services[1]` is the text `gogle`; expected one of `google`, `github`, `notion`; did you mean `google`?",
        ),
        (
            "proctor:\n  services: [google, google]",
            "t.md:8: `proctor.services[2]` is the text `google`; expected each service once",
        ),
        (
            "proctor:\n  seed: /srv/seed",
            "t.md:8: `proctor.seed` names `/srv/seed`, which is absolute; expected a path relative to the task's folder",
        ),
        (
            "proctor:\n  seed: ../other/seed",
            "t.md:8: `proctor.seed` names `../other/seed`, which goes up with `..`",
        ),
        (
            "proctor:\n  grader: https://example.com/g.wasm",
            "t.md:8: `proctor.grader` is the text `https://example.com/g.wasm`; expected a file of the task's folder, or `oci://",
        ),
        (
            "proctor:\n  grader: oci://ghcr.io/a/b:latest",
            "t.md:8: `proctor.grader` is the text `oci://ghcr.io/a/b:latest`; expected `oci://REGISTRY/NAME@sha256:DIGEST` with all 64",
        ),
        (
            "proctor:\n  grader: oci://ghcr.io/a/b@sha256:00",
            "t.md:8: `proctor.grader` is the text",
        ),
        (
            "proctor:\n  grader: oci://ghcr.io/../b@sha256:DIGEST",
            "t.md:8: `proctor.grader` is the text",
        ),
        (
            "proctor:\n  verdict: {borderline: 14}",
            "t.md:8: `proctor.verdict.pass` is missing; expected a number of points",
        ),
        (
            "proctor:\n  verdict: {pass: 14, borderline: 18}",
            "t.md:8: `proctor.verdict.borderline` is the number 18; expected at most `pass`, which is 14",
        ),
        (
            "proctor:\n  attempts: 0",
            "t.md:8: `proctor.attempts` is the number 0; expected a number of attempts, 1 to 1000",
        ),
        (
            "proctor:\n  attempts: many",
            "t.md:8: `proctor.attempts` is the text `many`;",
        ),
        (
            "proctor:\n  network: {allow: ['https://api.example.com']}",
            "t.md:8: `proctor.network.allow[1]` is the text `https://api.example.com`; expected a full host name",
        ),
        (
            "proctor:\n  network: {allow: ['*.example.com']}",
            "t.md:8: `proctor.network.allow[1]`",
        ),
        (
            "proctor:\n  network: {allow: [127.0.0.1]}",
            "t.md:8: `proctor.network.allow[1]`",
        ),
        (
            "proctor:\n  network: {allow: [localhost]}",
            "t.md:8: `proctor.network.allow[1]`",
        ),
        (
            "proctor:\n  limits: {workspace: 256}",
            "t.md:8: `proctor.limits.workspace` is the number 256; expected a size such as `256MiB`",
        ),
        (
            "proctor:\n  limits: {memory: lots}",
            "t.md:8: `proctor.limits.memory` is the text `lots`;",
        ),
        (
            "proctor:\n  limits: {processes: 0}",
            "t.md:8: `proctor.limits.processes` is the number 0;",
        ),
        (
            "proctor:\n  probes: [{name: a}]",
            "t.md:8: `proctor.probes[1].run` is missing; expected a shell command",
        ),
        (
            "proctor:\n  probes: [{name: a b, run: x}]",
            "t.md:8: `proctor.probes[1].name` is the text `a b`;",
        ),
        (
            "proctor:\n  probes: [{name: a, run: x, timeout_seconds: 1e9}]",
            "t.md:8: `proctor.probes[1].timeout_seconds` is the number 1000000000;",
        ),
        (
            "proctor:\n  probes:\n    - {name: a, run: x}\n    - {name: a, run: y}",
            "t.md:10: probe `a` is there twice, first in line 9;",
        ),
    ] {
        let error = parse_error(&task_text("a", &line.replace("DIGEST", &digest)));
        assert!(error.starts_with(message), "{error}\n{message}");
    }
    let text = task_text(
        "a",
        &format!("proctor:\n  grader: oci://ghcr.io/a/b@sha256:{digest}"),
    );
    let grader = parse(&text).unwrap().front.proctor.grader.unwrap().value;
    let GraderName::Oci(reference) = grader else {
        panic!("a reference")
    };
    assert_eq!(
        reference.to_string(),
        format!("oci://ghcr.io/a/b@sha256:{digest}")
    );
}

#[test]
fn sections_are_checked_for_what_the_task_needs() {
    let text =
        |body: &str| format!("---\nid: a\ngrading_type: GT\ntimeout_seconds: 60\n---\n{body}");
    let rubric = "## LLM Judge Rubric\n\n### Criterion 1: A\n\n**Score 1.0**: a\n";
    for (kind, body, message) in [
        ("automated", CHECKS.to_owned(), "t.md: the section `## Prompt` is missing; it is what the agent is asked".to_owned()),
        ("automated", format!("## Prompt\n\n  \n\n{CHECKS}"), "t.md:6: the section `## Prompt` is empty;".to_owned()),
        ("automated", format!("# Prompt\n\nDo.\n\n{CHECKS}"), "t.md: the section `## Prompt` is missing (line 6 looks like it, but is no level-2 heading".to_owned()),
        ("automated", format!("<pre>\n## Prompt\n\nDo.\n\n{CHECKS}"), "t.md: the section `## Prompt` is missing (line 7 looks like it".to_owned()),
        ("automated", format!("## Prompt\nDo.\n\n{CHECKS}\n## prompt\nAgain.\n"), "t.md:16: section `Prompt` is there twice, first in line 6; put both under one heading".to_owned()),
        ("automated", "## Prompt\nDo.\n".to_owned(), "t.md: grading_type is `automated` and there is no grader;".to_owned()),
        ("automated", "## Prompt\nDo.\n## Automated Checks\nNone yet.\n".to_owned(), "t.md:8: grading_type is `automated` and there is no grader; expected a ```python block".to_owned()),
        ("automated", "## Prompt\nDo.\n\n## Automated Checks\n\ndef grade(transcript, workspace_path):\n    return {}\n".to_owned(), "t.md:11: `def grade` stands outside a code fence; expected it inside a fence that begins with ```python".to_owned()),
        ("automated", "## Prompt\nDo.\n```\nx\n\n## Automated Checks\n".to_owned(), "t.md:8: the code fence that begins here is never closed; expected a line `` ``` ``".to_owned()),
        ("llm_judge", "## Prompt\nDo.\n".to_owned(), "t.md: the section `## LLM Judge Rubric` is missing; it is what a judge grades by".to_owned()),
        ("hybrid", format!("## Prompt\nDo.\n\n{rubric}"), "t.md: grading_type is `hybrid` and there is no grader;".to_owned()),
        ("hybrid", format!("## Prompt\nDo.\n\n{CHECKS}\n## LLM Judge Rubric\n\nBe fair.\n"), "t.md:16: the rubric has no criteria;".to_owned()),
    ] {
        let error = parse_error(&text(&body).replace("GT", kind));
        let message = message.replace("`` ``` ``", "````");
        assert!(error.starts_with(&message), "{error}\n{message}");
    }
    assert!(
        parse(&text(&format!("## Prompt\nDo.\n\n{rubric}")).replace("GT", "llm_judge")).is_ok()
    );
    let unused = text(&format!("## Prompt\nDo.\n\n{CHECKS}\n{rubric}")).replace("GT", "automated");
    assert_eq!(
        parse_warnings(&unused),
        ["t.md:16: the rubric has no effect: grading_type is `automated`"]
    );
}

#[test]
fn prompts_keep_their_markdown() {
    let prompt = "Write a README:\n\n````markdown\n# Title\n\n## Usage\n\n```sh\nrun\n```\n\n## Prompt\n````\n\nThen:\n\n~~~\n## Automated Checks\n~~~\n\n    ## Indented\n\nA plan\n------\n\n### Details\n\n> ## Quoted";
    let text = task_text("a", "").replace("Do it.", prompt);
    let task = parse(&text).unwrap();
    assert_eq!(task.prompt, prompt);
    assert_eq!(task.warnings, []);
    let text = task_text("a", "").replace("Do it.", "Do it.\n\n## Requirement\n\nWell.");
    assert_eq!(
        parse_warnings(&text),
        [
            "t.md:14: `## Requirement` is not a section of the task format; the section `Prompt` ends here (use `###` or a code fence if it should not)"
        ]
    );
    let text = task_text("a", "") + "\n## Additional Note\n\nx\n";
    assert_eq!(
        parse_warnings(&text),
        [
            "t.md:21: `## Additional Note` is not a section of the task format; the section `Automated Checks` ends here (use `###` or a code fence if it should not); did you mean `Additional Notes`?"
        ]
    );
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

/// Whatever the bytes: an answer, and a place in it when it is an error.
fn survives(bytes: &[u8]) {
    if let Err(error) = format_parse(bytes) {
        let lines = 1 + bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() as u64;
        let line = error.place.line.unwrap_or(1);
        assert!((1..=lines + 1).contains(&line), "{error} in {lines} lines");
        assert!(error.to_string().len() < 2_000);
    }
}

#[test]
fn no_bytes_make_the_parser_panic() {
    let real = fs::read(real_task().join("task.md")).unwrap();
    for end in 0..real.len() {
        if end % 7 == 0 || end < 700 {
            survives(&real[..end]);
        }
    }
    // A fixed sequence: the same mutations in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let pieces: [&[u8]; 24] = [
        b"---",
        b"\n",
        b"\r",
        b"```",
        b"~~~",
        b"## ",
        b"### Criterion 1: x (Weight: 9%)",
        b"Score 0.5:",
        b"\t",
        b"- ",
        b": ",
        b"[",
        b"{",
        b"&a ",
        b"*a",
        b"!!binary ",
        b"|\n",
        b"\xff",
        b"\0",
        b"\xef\xbb\xbf",
        b"<!--",
        b"> ",
        b"\"",
        b"\xc3\xa9",
    ];
    for _ in 0..1_500 {
        let mut bytes = real.clone();
        for _ in 0..1 + random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = u8::try_from(random(256)).unwrap(),
                1 => drop(bytes.splice(at..at, pieces[random(pieces.len())].iter().copied())),
                2 => drop(bytes.drain(at..(at + random(200)).min(bytes.len()))),
                _ => {
                    let end = (at + random(400)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random(bytes.len());
                    drop(bytes.splice(to..to, copy));
                }
            }
        }
        survives(&bytes);
    }
}

#[test]
fn long_repetitions_take_no_long_time() {
    let unit = 1 << 16;
    for piece in [
        "## a\n",
        "> ",
        "- ",
        "* a\n",
        "```\n",
        "[",
        "<a ",
        "*",
        "_a",
        "`",
        "1. ",
        "Score 1.0: ",
        "• x\n",
        "| a ",
        "&amp;",
        "\\",
        "![",
        "<!--",
        "    ",
    ] {
        let body = piece.repeat(unit / piece.len());
        for section in ["Prompt", "Grading Criteria", "LLM Judge Rubric"] {
            let kind = if section == "LLM Judge Rubric" {
                "llm_judge"
            } else {
                "automated"
            };
            let head = format!("---\nid: a\ngrading_type: {kind}\ntimeout_seconds: 60\n---\n");
            let rubric = "### Criterion 1: A (Weight: 100%)\n";
            survives(
                format!("{head}## Prompt2\nx\n\n## {section}\n\n{rubric}{body}\n\n{CHECKS}")
                    .as_bytes(),
            );
        }
    }
}
