//! From YAML to [`Steps`].

use std::time::Duration;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_saphyr::{Error as YamlError, Location, Spanned};

use super::error::{MAX_TIMEOUT_SECONDS, StepsError, StepsProblem};
use super::files::{MAX_BROUGHT_FILES, is_inside};
use super::template::is_name;
use super::{ATTEMPT, CommandStep, DEFAULT_TIMEOUT, MAX_FILE_BYTES, MAX_STEPS, Step, Steps};
use crate::capture::MAX_FILTER_BYTES;
use crate::spec::nearest;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    files: Vec<Spanned<String>>,
    steps: Spanned<Vec<Spanned<RawStep>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    say: Option<String>,
    run: Option<Spanned<String>>,
    timeout_seconds: Option<Spanned<u64>>,
    capture: Option<Spanned<IndexMap<String, String>>>,
    expect_exit: Option<Spanned<i64>>,
}

pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Steps, StepsError> {
    let fail = |(line, problem)| StepsError {
        path: path.to_owned(),
        line,
        problem,
    };
    if bytes.len() > MAX_FILE_BYTES {
        return Err(fail((None, StepsProblem::TooLarge)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n');
        let line = before.count() as u64;
        fail((Some(line), StepsProblem::NotUtf8))
    })?;
    let raw: RawFile =
        serde_saphyr::from_str_with_options(text, options()).map_err(|error| fail(yaml(&error)))?;
    let files = names(raw.files).map_err(fail)?;
    let count = raw.steps.value.len();
    if count == 0 {
        return Err(fail(at(raw.steps.referenced, StepsProblem::Empty)));
    }
    if count > MAX_STEPS {
        return Err(fail(at(raw.steps.referenced, StepsProblem::TooMany(count))));
    }
    let steps = raw.steps.value.into_iter().enumerate();
    let steps = steps
        .map(|(index, step)| checked(index + 1, step.referenced, step.value))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    Ok(Steps {
        list: steps,
        files,
        source: bytes.to_vec(),
    })
}

/// Bounds for the YAML parser: far above what a steps file needs, far below
/// what a hostile one would like.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 100_000,
            max_nodes: 50_000,
            max_depth: 16,
            max_documents: 1,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_total_scalar_bytes: 4 * MAX_FILE_BYTES,
        },
    }
}

type Located = (Option<u64>, StepsProblem);

fn at(location: Location, problem: StepsProblem) -> Located {
    let line = location.line();
    ((line > 0).then_some(line), problem)
}

fn yaml(error: &YamlError) -> Located {
    let bare = error.without_snippet();
    let location = bare.location().unwrap_or(Location::UNKNOWN);
    let problem = match bare {
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => StepsProblem::UnknownKey {
            key: field.clone(),
            nearest: nearest(field, expected),
            known: expected.clone(),
        },
        // The first line is the message; a snippet of the file may follow.
        other => StepsProblem::Yaml(
            other
                .to_string()
                .lines()
                .next()
                .unwrap_or("not valid YAML")
                .trim()
                .to_owned(),
        ),
    };
    at(location, problem)
}

fn checked(step: usize, here: Location, raw: RawStep) -> Result<Step, Located> {
    let Some(run) = raw.run else {
        let stray = [
            (
                "timeout_seconds",
                raw.timeout_seconds.map(|key| key.referenced),
            ),
            ("capture", raw.capture.map(|key| key.referenced)),
            ("expect_exit", raw.expect_exit.map(|key| key.referenced)),
        ];
        for (key, location) in stray {
            if let Some(location) = location {
                return Err(at(location, StepsProblem::NoCommand { step, key }));
            }
        }
        if raw.say.is_none() {
            return Err(at(here, StepsProblem::NothingToDo { step }));
        }
        return Ok(Step {
            say: raw.say,
            command: None,
        });
    };
    if run.value.trim().is_empty() {
        return Err(at(run.referenced, StepsProblem::EmptyCommand { step }));
    }
    if run.value.contains('\0') {
        return Err(at(run.referenced, StepsProblem::Nul { step }));
    }
    let timeout = match raw.timeout_seconds {
        None => DEFAULT_TIMEOUT,
        Some(seconds) if (1..=MAX_TIMEOUT_SECONDS).contains(&seconds.value) => {
            Duration::from_secs(seconds.value)
        }
        Some(seconds) => {
            let problem = StepsProblem::Timeout {
                step,
                seconds: seconds.value,
            };
            return Err(at(seconds.referenced, problem));
        }
    };
    let expect_exit = raw
        .expect_exit
        .map(|code| exit_code(step, &code))
        .transpose()?;
    let capture = raw
        .capture
        .map(|capture| captures(step, capture))
        .transpose()?;
    let command = CommandStep {
        run: run.value,
        timeout,
        capture: capture.unwrap_or_default(),
        expect_exit,
    };
    Ok(Step {
        say: raw.say,
        command: Some(command),
    })
}

fn names(raw: Vec<Spanned<String>>) -> Result<Vec<String>, Located> {
    let mut names: Vec<String> = Vec::with_capacity(raw.len().min(MAX_BROUGHT_FILES));
    for name in raw {
        if !is_inside(&name.value) || names.contains(&name.value) {
            return Err(at(name.referenced, StepsProblem::FileName(name.value)));
        }
        names.push(name.value);
    }
    Ok(names)
}

fn exit_code(step: usize, code: &Spanned<i64>) -> Result<i32, Located> {
    u8::try_from(code.value).map(i32::from).map_err(|_| {
        at(
            code.referenced,
            StepsProblem::ExitCode {
                step,
                code: code.value,
            },
        )
    })
}

fn captures(
    step: usize,
    raw: Spanned<IndexMap<String, String>>,
) -> Result<Vec<(String, String)>, Located> {
    for (name, filter) in &raw.value {
        if !is_name(name) {
            let problem = StepsProblem::VariableName {
                step,
                name: name.clone(),
            };
            return Err(at(raw.referenced, problem));
        }
        if name == ATTEMPT {
            let name = ATTEMPT;
            return Err(at(
                raw.referenced,
                StepsProblem::TakenVariable { step, name },
            ));
        }
        let bytes = filter.len();
        if filter.trim().is_empty() || bytes > MAX_FILTER_BYTES {
            let problem = StepsProblem::Filter {
                step,
                name: name.clone(),
                bytes,
            };
            return Err(at(raw.referenced, problem));
        }
    }
    Ok(raw.value.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse("solution/steps.yaml", text.as_bytes())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_full_step_and_the_defaults() {
        let text = "steps:\n- say: hello\n- run: ls\n- say: x\n  run: |\n    a\n    b\n  timeout_seconds: 5\n  capture: {b: .b, a: .a}\n  expect_exit: 3\n";
        let parsed = parse("s", text.as_bytes()).unwrap();
        assert!(parsed.files().is_empty());
        let steps = parsed.list;
        assert_eq!(
            steps[0],
            Step {
                say: Some("hello".into()),
                command: None
            }
        );
        let plain = steps[1].command.as_ref().unwrap();
        assert_eq!((plain.timeout, plain.expect_exit), (DEFAULT_TIMEOUT, None));
        let full = steps[2].command.as_ref().unwrap();
        assert_eq!(full.run, "a\nb\n");
        assert_eq!(full.timeout, Duration::from_secs(5));
        assert_eq!(full.expect_exit, Some(3));
        let names: Vec<&str> = full.capture.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a"], "in the order of the file");
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_the_nearest() {
        let text = error("steps:\n- run: ls\n- runn: ls\n");
        assert!(
            text.starts_with("solution/steps.yaml:3: unknown key `runn` (did you mean `run`?)"),
            "{text}"
        );
        let text = error("stages: []\n");
        assert!(
            text.starts_with("solution/steps.yaml:1: unknown key `stages`"),
            "{text}"
        );
        let text = error("steps:\n- run: ls\n  timeout: 3\n");
        assert!(
            text.contains(":3: unknown key `timeout`") && text.contains("timeout_seconds"),
            "{text}"
        );
    }

    #[test]
    fn each_mistake_names_its_line_and_what_was_expected() {
        for (text, expected) in [
            ("steps: []\n", ":1: `steps` is empty"),
            ("steps:\n- {}\n", ":2: step 1 has neither `say` nor `run`"),
            (
                "steps:\n- say: x\n  capture:\n    a: .a\n",
                ":4: step 1 has `capture` but no `run`",
            ),
            (
                "steps:\n- run: '  '\n",
                ":2: the command of step 1 is empty",
            ),
            (
                "steps:\n- run: \"a\\0b\"\n",
                ":2: the command of step 1 has a NUL",
            ),
            (
                "steps:\n- run: ls\n  timeout_seconds: 0\n",
                ":3: `timeout_seconds` of step 1 is 0",
            ),
            (
                "steps:\n- run: ls\n  timeout_seconds: 99999999\n",
                "expected a whole number from 1",
            ),
            (
                "steps:\n- run: ls\n  expect_exit: 256\n",
                ":3: `expect_exit` of step 1 is 256",
            ),
            (
                "steps:\n- run: ls\n  expect_exit: -1\n",
                "expected a number from 0 to 255",
            ),
            (
                "steps:\n- run: ls\n  capture: {1a: .}\n",
                "captures `1a`: expected a name",
            ),
            (
                "steps:\n- run: ls\n  capture: {a: ''}\n",
                "the filter for `a` in step 1 has 0 bytes",
            ),
            (
                "steps:\n- run: ls\n  capture: {attempt: .a}\n",
                ":3: step 1 captures `attempt`, which is the number of the attempt",
            ),
            (
                "files: [kit, ../grader.wasm]\nsteps:\n- run: ls\n",
                ":1: `files` names `../grader.wasm`",
            ),
            (
                "files:\n- a\n- a\nsteps:\n- run: ls\n",
                ":3: `files` names `a`",
            ),
            ("files: kit\nsteps:\n- run: ls\n", ":1: "),
            ("steps:\n- run: ls\n  run: ls\n", ":3: "),
            ("steps:\n- ls\n", ":2: "),
            ("steps: ls\n", ":1: "),
            ("steps:\n- run: [ls]\n", ":2: "),
            ("steps:\n- run: ls\n  timeout_seconds: soon\n", ":3: "),
            ("steps:\n- run: 'ls\n", "steps.yaml:"),
            ("", "expected `steps:`"),
            (
                "---\nsteps: [{run: a}]\n---\nsteps: [{run: b}]\n",
                "expected `steps:`",
            ),
        ] {
            let message = error(text);
            assert!(message.contains(expected), "{text:?} gave {message:?}");
        }
    }

    #[test]
    fn hostile_files_are_bounded() {
        assert_eq!(
            parse("s", &vec![b'#'; MAX_FILE_BYTES + 1])
                .unwrap_err()
                .problem,
            StepsProblem::TooLarge
        );
        let binary = parse("s", b"steps:\n- run: \xff\n").unwrap_err();
        assert_eq!(
            (binary.line, binary.problem),
            (Some(2), StepsProblem::NotUtf8)
        );
        let many = format!("steps:\n{}", "- run: x\n".repeat(MAX_STEPS + 1));
        assert!(error(&many).contains("a file may have 500"));
        assert!(parse("s", format!("steps: {}", "[".repeat(100_000)).as_bytes()).is_err());
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let below = format!("*a{},", level - 1).repeat(9);
            bomb.extend([format!("a{level}: &a{level} [{below}]\n")]);
        }
        bomb.push_str("steps: *a11\n");
        assert!(parse("s", bomb.as_bytes()).is_err());
    }
}
