//! A table of calls: each a command line, the exit code it must have, and what
//! must be in the JSON that it prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proctor_tests::{Desk, StepResult, Trial};
use serde_json::{Value, json};

use super::office;

/// One call of a client.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    line: String,
    exit: i64,
    wants: Vec<Want>,
    /// Variable and JSON pointer into the output.
    keeps: Vec<(&'static str, &'static str)>,
}

#[derive(Debug, Clone)]
enum Want {
    Has(&'static str, Value),
    Lacks(&'static str),
    Ids(&'static str, Vec<String>),
    Pages(usize),
    Says(String),
}

/// `gws` with the words of `line`, a space before whatever follows.
pub(crate) fn gws(line: &str) -> Call {
    run(&format!("gws {line}"))
}

/// Any command line for the shell.
pub(crate) fn run(line: &str) -> Call {
    Call {
        line: line.to_owned(),
        exit: 0,
        wants: Vec::new(),
        keeps: Vec::new(),
    }
}

impl Call {
    /// With `--params`.
    pub(crate) fn params(self, params: impl Into<Value>) -> Self {
        self.flag("--params", &params.into().to_string())
    }

    /// With `--json`: the body of the request.
    pub(crate) fn body(self, body: impl Into<Value>) -> Self {
        self.flag("--json", &body.into().to_string())
    }

    fn flag(mut self, name: &str, value: &str) -> Self {
        assert!(!value.contains('\''), "{value}");
        write!(self.line, " {name} '{value}'").unwrap();
        self
    }

    /// The exit code is not 0 but this.
    pub(crate) fn fails(mut self, exit: i64) -> Self {
        self.exit = exit;
        self
    }

    /// Google's error, as gws prints it.
    pub(crate) fn refused(self, code: u16, reason: &str, message: &str) -> Self {
        self.fails(1)
            .has("/error/code", code)
            .has("/error/reason", reason)
            .has("/error/message", message)
    }

    /// The output has `value` at the JSON pointer. Text may have `{{variables}}`.
    pub(crate) fn has(mut self, pointer: &'static str, value: impl Into<Value>) -> Self {
        self.wants.push(Want::Has(pointer, value.into()));
        self
    }

    /// The output has nothing at the JSON pointer.
    pub(crate) fn lacks(mut self, pointer: &'static str) -> Self {
        self.wants.push(Want::Lacks(pointer));
        self
    }

    /// The objects of the array at the JSON pointer have just these ids.
    pub(crate) fn ids(mut self, pointer: &'static str, ids: &[&str]) -> Self {
        let ids = ids.iter().map(|&id| id.to_owned()).collect();
        self.wants.push(Want::Ids(pointer, ids));
        self
    }

    /// The output is so many JSON documents.
    pub(crate) fn pages(mut self, count: usize) -> Self {
        self.wants.push(Want::Pages(count));
        self
    }

    /// Somewhere in the output, or in the error output, is this text.
    pub(crate) fn says(mut self, text: &str) -> Self {
        self.wants.push(Want::Says(text.to_owned()));
        self
    }

    /// What the output has at the JSON pointer is `{{name}}` for later calls.
    pub(crate) fn keep(mut self, name: &'static str, pointer: &'static str) -> Self {
        self.keeps.push((name, pointer));
        self
    }

    /// The command line, variables not filled in.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    fn step(&self) -> Value {
        let capture: BTreeMap<_, _> = self
            .keeps
            .iter()
            .map(|(name, pointer)| (*name, filter(pointer)))
            .collect();
        if capture.is_empty() {
            json!({"run": self.line})
        } else {
            json!({"run": self.line, "capture": capture})
        }
    }

    fn check(&self, result: &StepResult, variables: &mut BTreeMap<&'static str, String>) {
        let shown = format!("{}\n{}", self.line, result.text);
        assert_ne!(result.exit, 127, "run tools/setup.sh test: {shown}");
        assert_eq!(result.exit, self.exit, "{shown}");
        let documents: Vec<Value> = serde_json::Deserializer::from_str(&result.text)
            .into_iter()
            .map_while(Result::ok)
            .collect();
        let at = |pointer: &str| documents.first().and_then(|first| first.pointer(pointer));
        for (name, pointer) in &self.keeps {
            let value = at(pointer).and_then(Value::as_str);
            let value = value.unwrap_or_else(|| panic!("no text at {pointer} in {shown}"));
            variables.insert(name, value.to_owned());
        }
        for want in &self.wants {
            match want {
                Want::Has(pointer, value) => {
                    let value = filled(value, variables);
                    assert_eq!(at(pointer), Some(&value), "{pointer} of {shown}");
                }
                Want::Lacks(pointer) => {
                    assert!(!documents.is_empty(), "no JSON: {shown}");
                    assert_eq!(at(pointer), None, "{pointer} of {shown}");
                }
                Want::Ids(pointer, ids) => {
                    let items = at(pointer).and_then(Value::as_array);
                    let items = items.unwrap_or_else(|| panic!("no {pointer} in {shown}"));
                    let found: Vec<_> = items.iter().map(|it| it["id"].as_str()).collect();
                    let ids: Vec<_> = ids.iter().map(|id| fill(id, variables)).collect();
                    let ids: Vec<_> = ids.iter().map(|id| Some(id.as_str())).collect();
                    assert_eq!(found, ids, "{pointer} of {shown}");
                }
                Want::Pages(count) => assert_eq!(documents.len(), *count, "{shown}"),
                Want::Says(text) => assert!(result.text.contains(text), "no `{text}` in {shown}"),
            }
        }
    }
}

/// The jq filter for a JSON pointer.
fn filter(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1).map(|part| match part.parse() {
        Ok(index) => format!("[{}]", usize::to_string(&index)),
        Err(_) => format!("[{}]", json!(part)),
    });
    format!(".{}", parts.collect::<String>())
}

fn fill(text: &str, variables: &BTreeMap<&'static str, String>) -> String {
    variables
        .iter()
        .fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{{{name}}}}}"), value)
        })
}

fn filled(value: &Value, variables: &BTreeMap<&'static str, String>) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, variables)),
        other => other.clone(),
    }
}

/// What was played.
pub(crate) struct Played {
    pub(crate) trial: Trial,
    /// Values that were kept.
    variables: BTreeMap<&'static str, String>,
}

impl Played {
    /// A value that was kept.
    pub(crate) fn kept(&self, name: &str) -> &str {
        &self.variables[name]
    }
}

/// Plays the calls one after the other in one trial, and checks each.
pub(crate) fn play(desk: &Desk, calls: &[Call], more: &[&str]) -> Played {
    let steps: Vec<Value> = calls.iter().map(Call::step).collect();
    let trial = office(desk, &desk.script(&steps), more);
    let results = trial.results();
    let mut variables = BTreeMap::new();
    for (call, result) in calls.iter().zip(&results) {
        call.check(result, &mut variables);
    }
    assert_eq!(results.len(), calls.len(), "{}", trial.record);
    Played { trial, variables }
}
