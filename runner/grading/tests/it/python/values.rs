//! What the dictionary of a grader comes to.

use super::kit::{body, function, given, grade, pairs, refused};

#[test]
fn numbers_count_and_everything_else_is_noted() {
    let source = function(
        "return {'one': 1.0, 'half': 0.5, 'int': 1, 'yes': True, 'no': False, 'text': 'good',\n\
         'nothing': None, 'nested': {'a': 1.0}, 'list': [1], 'sum': 0.1 * 3 + 0.7, 'less': -1e-12}",
    );
    let graded = grade(&source).unwrap();
    let expected = pairs(&[
        ("one", 1.0),
        ("half", 0.5),
        ("int", 1.0),
        ("yes", 1.0),
        ("no", 0.0),
        ("sum", 1.0),
        ("less", 0.0),
    ]);
    assert_eq!(super::kit::values(&graded), expected);
    assert_eq!(
        graded.verdict.notes,
        [
            "The value of `text` is a str and does not count.",
            "The value of `nothing` is None and does not count.",
            "The value of `nested` is a dict and does not count.",
            "The value of `list` is a list and does not count.",
        ]
    );
    assert!(graded.verdict.criteria.iter().all(|one| one.max == 1.0));
    assert_eq!(graded.verdict.criteria[1].reason, "grade() gave 0.5.");
}

#[test]
fn keys_become_ids_that_are_unique_and_titles_that_say_what_was_meant() {
    let source = function("return {'Has a README?': 1, 'Has a README!': 0, 7: 1, '': 0, '\\n': 1}");
    let graded = grade(&source).unwrap();
    let names: Vec<(&str, &str)> = graded
        .verdict
        .criteria
        .iter()
        .map(|one| (one.id.as_str(), one.title.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("Has_a_README_", "Has a README?"),
            ("Has_a_README_-2", "Has a README!"),
            ("7", "7"),
            ("_no_name_", "(no name)"),
            ("_no_name_-2", "(no name)"),
        ]
    );
}

#[test]
fn a_number_that_is_no_score_is_the_graders_mistake_and_never_a_zero() {
    for (value, shown) in [
        ("float('nan')", "nan"),
        ("float('inf')", "inf"),
        ("-0.5", "-0.5"),
        ("1.5", "1.5"),
        ("2", "2"),
        ("10 ** 400", "10000"),
        ("10 ** 5000", "more digits than Python writes"),
    ] {
        let error = refused(&function(&format!(
            "return {{'good': 1.0, 'bad': {value}}}"
        )));
        let text = error.to_string();
        assert_eq!(error.kind(), "grader_said_error", "{text}");
        assert!(
            text.contains("`bad`") && text.contains(shown),
            "{value}: {text}"
        );
    }
}

#[test]
fn what_is_no_dictionary_of_numbers_is_no_verdict() {
    for (source, expected) in [
        ("return None", "returned None"),
        ("return [1.0]", "returned a list"),
        ("return 1.0", "returned a float"),
        ("return {}", "returned no number"),
        ("return {'a': 'b'}", "returned no number"),
        ("yield 1", "returned a generator"),
    ] {
        let text = refused(&function(source)).to_string();
        assert!(
            text.starts_with("task.md: the grader cannot be used: "),
            "{text}"
        );
        assert!(text.contains(expected), "{text}");
    }
    let text = refused("async def grade(transcript, workspace_path):\n    return {'a': 1}\n");
    assert!(text.to_string().contains("`async def`"), "{text}");
    let text = refused("def grader(transcript, workspace_path):\n    return {'a': 1}\n");
    assert!(text.to_string().contains("no function `grade`"), "{text}");
    let text = refused("grade = 7\n");
    assert!(text.to_string().contains("no function `grade`"), "{text}");
}

#[test]
fn other_mappings_and_defaults_are_fine() {
    let source = "import collections, types\n\
                  def grade(transcript: list, workspace_path: str, **more) -> dict:\n    \
                  scores = collections.defaultdict(float)\n    scores['a'] += 0.25\n    \
                  return types.MappingProxyType(scores)\n";
    assert_eq!(given(source), pairs(&[("a", 0.25)]));
    assert_eq!(body("return {'a': 1}"), pairs(&[("a", 1.0)]));
}

#[test]
fn mistakes_are_named_with_their_line_in_the_task_file() {
    // The source begins in line 10.
    let cases = [
        (
            "def grade(t, w):\n    x = 1\n    return {'a': x / 0}\n",
            "task.md:12: the grader failed: ZeroDivisionError: division by zero",
        ),
        (
            "def helper():\n    raise ValueError('no\\nsuch thing')\n\ndef grade(t, w):\n    return helper()\n",
            "task.md:11: the grader failed: ValueError: no such thing",
        ),
        (
            "import json\ndef grade(t, w):\n    return json.loads('{')\n",
            "task.md:12: the grader failed: JSONDecodeError: ",
        ),
        (
            "def grade(t, w):\n    return {'a': 1\n",
            "task.md:11: the grader failed: SyntaxError: '{' was never closed",
        ),
        (
            "def grade(t):\n    return {'a': 1}\n",
            "task.md: the grader failed: TypeError: ",
        ),
        (
            "x = undefined\ndef grade(t, w):\n    return {'a': 1}\n",
            "task.md:10: the grader failed: NameError: ",
        ),
        (
            "def grade(t, w):\n    assert len(t) == 99, 'short transcript'\n",
            "task.md:11: the grader failed: AssertionError: short transcript",
        ),
    ];
    for (source, expected) in cases {
        let error = refused(source);
        assert!(error.to_string().starts_with(expected), "{error}");
        // Tracebacks are for the log.
        let log: String = error
            .log()
            .lines
            .iter()
            .map(|line| line.message.as_str())
            .collect();
        assert!(
            log.contains("Traceback") || log.contains("SyntaxError"),
            "{log}"
        );
    }
    let long = refused(&function("raise ValueError('x' * 10_000_000)")).to_string();
    assert!(long.len() < 2000, "{}", long.len());
}
