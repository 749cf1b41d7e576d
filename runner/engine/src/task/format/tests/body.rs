//! Sections, and files as a whole.

use std::fs;

use proctor_types::task::GradingType;

use super::parse_bytes;
use crate::task::format::Proctor;
use crate::task::testing::{CHECKS, parse, parse_error, parse_warnings, real_task, task_text};

#[test]
fn the_task_of_the_first_seed_document_is_read_whole() {
    let bytes = fs::read(real_task().join("task.md")).unwrap();
    let task = parse_bytes(&bytes).unwrap();
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
        .nth(usize::try_from(python.line).unwrap() - 1)
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
        ("automated", "## Prompt\nDo.\n```\nx\n\n## Automated Checks\n".to_owned(), "t.md:8: the code fence that begins here is never closed; expected a closing line ```".to_owned()),
        ("llm_judge", "## Prompt\nDo.\n".to_owned(), "t.md: the section `## LLM Judge Rubric` is missing; it is what a judge grades by".to_owned()),
        ("hybrid", format!("## Prompt\nDo.\n\n{rubric}"), "t.md: grading_type is `hybrid` and there is no grader;".to_owned()),
        ("hybrid", format!("## Prompt\nDo.\n\n{CHECKS}\n## LLM Judge Rubric\n\nBe fair.\n"), "t.md:16: the rubric has no criteria;".to_owned()),
    ] {
        let error = parse_error(&text(&body).replace("GT", kind));
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
