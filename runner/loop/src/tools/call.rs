//! Calls that a model asks for, bounded.

use proctor_model::client::ToolCall;
use serde_json::{Map, Value, json};

use crate::cut;

/// Most of a call's arguments as JSON, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Most JSON values in them.
const MAX_VALUES: usize = 20_000;
/// Deepest nesting of them. Readers of the transcript take 100 levels, of which
/// the message around them is some.
const MAX_DEPTH: usize = 48;
/// Most that is kept of arguments that cannot be used, in bytes.
const KEPT: usize = 1000;
/// Longest name and identifier, in bytes; the providers' are at most 128.
const MAX_NAME: usize = 256;

/// A call.
#[derive(Debug)]
pub(crate) struct Call {
    /// The provider's identifier.
    pub(crate) id: String,
    /// The tool that the model means.
    pub(crate) name: String,
    /// Its arguments, or what is wrong with them.
    pub(crate) arguments: Result<Map<String, Value>, Unusable>,
    /// How many JSON values the arguments are.
    pub(crate) values: usize,
}

/// Arguments that no tool takes.
#[derive(Debug)]
pub(crate) struct Unusable {
    /// Their beginning.
    kept: String,
    /// What is wrong, for the model.
    pub(crate) problem: String,
}

impl Call {
    /// Takes a call in.
    pub(crate) fn admit(call: &ToolCall) -> Self {
        let (arguments, values) = admit(&call.arguments);
        Self {
            id: cut::beginning(&call.id, MAX_NAME).to_owned(),
            name: cut::beginning(&call.name, MAX_NAME).to_owned(),
            arguments,
            values,
        }
    }

    /// The arguments for the transcript.
    pub(crate) fn shown(&self) -> Map<String, Value> {
        match &self.arguments {
            Ok(arguments) => arguments.clone(),
            Err(unusable) => unusable.shown(),
        }
    }

    /// The call for the conversation to go on with.
    pub(crate) fn sent(&self) -> ToolCall {
        ToolCall {
            id: self.id.clone(),
            name: self.name.clone(),
            arguments: Value::Object(self.shown()),
        }
    }
}

impl Unusable {
    fn shown(&self) -> Map<String, Value> {
        Map::from_iter([("unusable".to_owned(), json!(self.kept))])
    }
}

fn admit(arguments: &Value) -> (Result<Map<String, Value>, Unusable>, usize) {
    let unusable = |text: &str, problem: String| {
        let kept = cut::beginning(text, KEPT).to_owned();
        (Err(Unusable { kept, problem }), 2)
    };
    match arguments {
        Value::Object(fields) => match weigh(arguments) {
            Ok(values) => (Ok(fields.clone()), values),
            Err(problem) => unusable(&arguments.to_string(), problem),
        },
        // What the client could not read as JSON.
        Value::String(text) => {
            let problem = match serde_json::from_str::<Value>(text) {
                Err(error) => format!("the arguments are not JSON: {error}"),
                Ok(_) => "the arguments have to be a JSON object".to_owned(),
            };
            unusable(text, problem)
        }
        other => unusable(
            &other.to_string(),
            "the arguments have to be a JSON object".to_owned(),
        ),
    }
}

/// How many values a value is, or which bound it exceeds.
fn weigh(value: &Value) -> Result<usize, String> {
    let mut values = 0;
    let mut bytes = 0;
    let mut left = vec![(value, 1)];
    while let Some((value, depth)) = left.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(format!(
                "the arguments are nested more than {MAX_DEPTH} deep"
            ));
        }
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                bytes += fields.keys().map(String::len).sum::<usize>();
                left.extend(fields.values().map(|field| (field, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => bytes += 4,
        }
        if values > MAX_VALUES {
            return Err(format!("the arguments are more than {MAX_VALUES} values"));
        }
        if bytes > MAX_BYTES {
            return Err(format!(
                "the arguments are longer than {MAX_BYTES} bytes; do it in several calls"
            ));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(arguments: Value) -> String {
        let call = Call::admit(&ToolCall {
            id: "1".to_owned(),
            name: "shell".to_owned(),
            arguments,
        });
        // What is kept of them is small, whatever they are.
        assert!(Value::Object(call.shown()).to_string().len() < 2200);
        call.arguments.unwrap_err().problem
    }

    #[test]
    fn arguments_that_nothing_can_take_are_told_apart() {
        let deep = (0..60).fold(json!({}), |inner, _| json!({"a": inner}));
        for (arguments, said) in [
            (
                json!("{\"command\": \"ls"),
                "the arguments are not JSON: EOF",
            ),
            (json!("5"), "have to be a JSON object"),
            (json!([1]), "have to be a JSON object"),
            (deep, "more than 48 deep"),
            (json!({"a": vec![0; 30_000]}), "more than 20000 values"),
            (
                json!({"a": "\u{1}".repeat(2 << 20)}),
                "longer than 1048576 bytes",
            ),
        ] {
            let problem = problem(arguments);
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn ordinary_arguments_are_weighed() {
        assert_eq!(weigh(&json!({"a": [1, {"b": null}], "c": "d"})), Ok(6));
    }
}
