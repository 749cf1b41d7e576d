//! What a request body is held against.
//!
//! The newer APIs read bodies into protocol buffers, and refuse what does not
//! fit with texts that name the field by its path: those texts are what agents
//! correct themselves by, so they are Google's. The older ones drop what they
//! do not know.

use serde_json::{Map, Value};

use crate::google::error::{ApiError, violation};
use crate::google::method::{Api, Style};
use crate::google::schema::{Field, Shape};

/// Longest list of problems in one answer.
const MAX_PROBLEMS: usize = 10;
/// Longest quotation of a value in characters.
const MAX_QUOTE: usize = 80;

/// Reads a request body and brings it into the form that handlers expect:
/// names in camel case, numbers of 64 bits as strings, single values of lists
/// as lists. `null` stays: in an update it empties the field. Without a schema
/// there is nothing that a body could say.
pub(crate) fn body(
    api: &Api,
    schema: Option<&str>,
    bytes: &[u8],
) -> Result<Option<Map<String, Value>>, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let value =
        serde_json::from_slice(bytes).map_err(|error| not_json(bytes, &error, api.style))?;
    let Value::Object(map) = value else {
        let message =
            "Invalid JSON payload received. Unknown name \"\": Root element must be a message.";
        return Err(refused(api.style, message.to_owned()).violating(""));
    };
    let fields = schema
        .and_then(|schema| api.schema(schema))
        .map_or(&[][..], |schema| schema.fields);
    let mut check = Check {
        api,
        problems: Vec::new(),
    };
    let map = check.object(map, fields, &root_name(schema.unwrap_or_default()));
    check.result().map(|()| Some(map))
}

/// The name under which Google's transcoder holds the body: `task` for a
/// `Task`, nothing for a request message, which is the body itself.
fn root_name(schema: &str) -> String {
    if schema.ends_with("Request") {
        String::new()
    } else {
        snake(schema)
    }
}

/// `userId` as protocol buffers name it: `user_id`.
pub(crate) fn snake(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// A value as an error quotes it.
pub(crate) fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn refused(style: Style, message: String) -> ApiError {
    match style {
        Style::Strict => ApiError::bad_request("badRequest", message),
        Style::Lenient => ApiError::bad_request("parseError", message).without_status(),
    }
}

fn not_json(bytes: &[u8], error: &serde_json::Error, style: Style) -> ApiError {
    let message = if style == Style::Lenient {
        "Parse Error".to_owned()
    } else if error.is_eof() {
        "Invalid JSON payload received. Unexpected end of string.".to_owned()
    } else {
        // The line at fault up to a screen's width, and a mark below the column.
        let text = String::from_utf8_lossy(bytes);
        let line = text
            .lines()
            .nth(error.line().saturating_sub(1))
            .unwrap_or_default();
        let column = error.column().saturating_sub(1);
        let from = column.saturating_sub(20);
        let part: String = line.chars().skip(from).take(40).collect();
        let mark = " ".repeat(column - from);
        format!("Invalid JSON payload received. Unexpected token.\n{part}\n{mark}^")
    };
    let error = refused(style, message);
    if style == Style::Strict {
        error.violating("")
    } else {
        error
    }
}

struct Check<'a> {
    api: &'a Api,
    problems: Vec<(String, String, bool)>,
}

impl Check<'_> {
    fn result(self) -> Result<(), ApiError> {
        let Some((field, _, wrong_type)) = self.problems.first() else {
            return Ok(());
        };
        if self.api.style == Style::Lenient {
            return Err(
                ApiError::bad_request("invalid", format!("Invalid value for: {field}"))
                    .without_status(),
            );
        }
        let texts: Vec<&str> = self
            .problems
            .iter()
            .map(|(_, text, _)| text.as_str())
            .collect();
        let error = if *wrong_type {
            ApiError::bad_request("invalid", texts.join("\n")).without_domain()
        } else {
            ApiError::bad_request("badRequest", texts.join("\n"))
        };
        let details = self
            .problems
            .iter()
            .map(|(field, text, _)| violation(field, text));
        Err(details.fold(error, ApiError::detail))
    }

    fn problem(&mut self, field: &str, text: String, wrong_type: bool) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push((field.to_owned(), text, wrong_type));
        }
    }

    fn wrong(&mut self, at: &str, kind: &str, value: &Value) {
        let text = format!("Invalid value at '{at}' ({kind}), {}", quoted(value));
        self.problem(at, text, true);
    }

    fn unknown(&mut self, name: &str, at: &str, why: &str) {
        let place = if at.is_empty() {
            String::new()
        } else {
            format!(" at '{at}'")
        };
        let name = quoted(&Value::from(name));
        let text = format!("Invalid JSON payload received. Unknown name {name}{place}: {why}");
        self.problem(at, text, false);
    }

    fn object(
        &mut self,
        map: Map<String, Value>,
        fields: &[Field],
        at: &str,
    ) -> Map<String, Value> {
        let mut out = Map::with_capacity(map.len());
        for (name, value) in map {
            let known = fields
                .iter()
                .find(|field| field.name == name)
                .or_else(|| fields.iter().find(|field| snake(field.name) == name));
            match known {
                Some(field) => {
                    let value = self.field(field, value, at);
                    out.insert(field.name.to_owned(), value);
                }
                None if self.api.style == Style::Strict => {
                    self.unknown(&name, at, "Cannot find field.");
                }
                None => {}
            }
        }
        out
    }

    fn field(&mut self, field: &Field, value: Value, at: &str) -> Value {
        let inner = snake(field.name);
        let path = if at.is_empty() {
            inner
        } else {
            format!("{at}.{inner}")
        };
        if value.is_null() {
            return value;
        }
        if value.is_array() && !matches!(field.shape, Shape::List(_) | Shape::Any) {
            self.unknown(
                field.name,
                at,
                "Proto field is not repeating, cannot start list.",
            );
            return value;
        }
        let value = self.value(field.shape, value, &path);
        if let Some(text) = value.as_str()
            && !field.choices.is_empty()
            && !field.choices.iter().any(|(choice, _)| *choice == text)
        {
            self.wrong(&path, "TYPE_ENUM", &value);
        }
        value
    }

    fn value(&mut self, shape: Shape, value: Value, at: &str) -> Value {
        match (shape, value) {
            (Shape::Any, value) => value,
            (Shape::Text | Shape::Date | Shape::DateTime, value) => {
                self.expect(value.is_string(), value, at, "TYPE_STRING")
            }
            (Shape::Bytes, value) => self.expect(value.is_string(), value, at, "TYPE_BYTES"),
            (Shape::Bool, Value::String(text)) if text == "true" || text == "false" => {
                Value::Bool(text == "true")
            }
            (Shape::Bool, value) => self.expect(value.is_boolean(), value, at, "TYPE_BOOL"),
            (Shape::Int32, value) => {
                self.number(value, at, "TYPE_INT32", i32::MIN.into(), i32::MAX.into())
            }
            (Shape::Uint32, value) => self.number(value, at, "TYPE_UINT32", 0, u32::MAX.into()),
            (Shape::Int64, value) => {
                self.long(value, at, "TYPE_INT64", i64::MIN.into(), i64::MAX.into())
            }
            (Shape::Uint64, value) => self.long(value, at, "TYPE_UINT64", 0, u64::MAX.into()),
            (Shape::List(item), Value::Array(items)) => items
                .into_iter()
                .enumerate()
                .map(|(n, value)| self.value(*item, value, &format!("{at}[{n}]")))
                .collect(),
            // Protocol buffers take one value for a list of one.
            (Shape::List(item), value) => Value::Array(vec![self.value(*item, value, at)]),
            (Shape::Ref(id), Value::Object(map)) => match self.api.schema(id) {
                Some(schema) => Value::Object(self.object(map, schema.fields, at)),
                None => Value::Object(map),
            },
            (Shape::Object(fields), Value::Object(map)) => {
                Value::Object(self.object(map, fields, at))
            }
            (Shape::Map(item), Value::Object(map)) => map
                .into_iter()
                .map(|(name, value)| {
                    let value = self.value(*item, value, &format!("{at}.{name}"));
                    (name, value)
                })
                .collect(),
            (Shape::Ref(id), value) => self.expect(false, value, at, id),
            (Shape::Object(_) | Shape::Map(_), value) => self.expect(false, value, at, "object"),
        }
    }

    fn expect(&mut self, fits: bool, value: Value, at: &str, kind: &str) -> Value {
        if !fits {
            self.wrong(at, kind, &value);
        }
        value
    }

    fn number(&mut self, value: Value, at: &str, kind: &str, min: i128, max: i128) -> Value {
        match integer(&value).filter(|number| (min..=max).contains(number)) {
            // Both bounds are within i64.
            Some(number) => i64::try_from(number).map_or(value, Value::from),
            None => self.expect(false, value, at, kind),
        }
    }

    fn long(&mut self, value: Value, at: &str, kind: &str, min: i128, max: i128) -> Value {
        match integer(&value).filter(|number| (min..=max).contains(number)) {
            Some(number) => Value::String(number.to_string()),
            None => self.expect(false, value, at, kind),
        }
    }
}

/// A whole number, written as a number or as text.
fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from))
            .or_else(|| {
                let float = number.as_f64()?;
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "checked to be whole and small"
                )]
                (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i128)
            }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::google::tasks;

    fn strict(text: &str) -> Result<Value, String> {
        body(&tasks::API, Some("Task"), text.as_bytes())
            .map(|map| map.map_or(Value::Null, Value::Object))
            .map_err(|error| error.message)
    }

    #[test]
    fn what_fits_is_brought_into_form() {
        assert_eq!(strict(""), Ok(Value::Null));
        assert_eq!(strict(" \r\n"), Ok(Value::Null));
        assert_eq!(strict("{}"), Ok(json!({})));
        assert_eq!(
            strict(
                r#"{"title":"a","due":null,"deleted":"true","self_link":"x","links":{"type":"t"}}"#
            ),
            Ok(
                json!({"title":"a","due":null,"deleted":true,"selfLink":"x","links":[{"type":"t"}]})
            )
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (text, message) in [
            (
                "[]",
                "Invalid JSON payload received. Unknown name \"\": Root element must be a message.",
            ),
            (
                "{",
                "Invalid JSON payload received. Unexpected end of string.",
            ),
            (
                "{\"a\" 1}",
                "Invalid JSON payload received. Unexpected token.\n{\"a\" 1}\n     ^",
            ),
            (
                r#"{"titel":"a"}"#,
                "Invalid JSON payload received. Unknown name \"titel\" at 'task': Cannot find field.",
            ),
            (
                r#"{"title":5}"#,
                "Invalid value at 'task.title' (TYPE_STRING), 5",
            ),
            (
                r#"{"deleted":"yes"}"#,
                "Invalid value at 'task.deleted' (TYPE_BOOL), \"yes\"",
            ),
            (
                r#"{"title":["a"]}"#,
                "Invalid JSON payload received. Unknown name \"title\" at 'task': Proto field is not \
                 repeating, cannot start list.",
            ),
            (
                r#"{"links":[{"typ":"a"}]}"#,
                "Invalid JSON payload received. Unknown name \"typ\" at 'task.links[0]': Cannot find \
                 field.",
            ),
            (
                r#"{"links":["a"]}"#,
                "Invalid value at 'task.links[0]' (object), \"a\"",
            ),
        ] {
            assert_eq!(strict(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn several_problems_come_together_and_not_without_end() {
        let names: Map<String, Value> = (0..500).map(|n| (format!("x{n}"), json!(1))).collect();
        let text = Value::Object(names).to_string();
        let error = body(&tasks::API, Some("Task"), text.as_bytes()).unwrap_err();
        assert_eq!(error.message.lines().count(), MAX_PROBLEMS);
        let body = error.to_json();
        assert_eq!(
            body["error"]["details"].as_array().unwrap().len(),
            MAX_PROBLEMS
        );
    }

    #[test]
    fn hostile_bodies_are_refused() {
        let deep = format!("{{\"title\":{}", "[".repeat(1_000_000));
        let deep_object = "{\"links\":".repeat(100_000);
        let huge_number = format!("{{\"title\":{}}}", "9".repeat(100_000));
        let huge_name = format!("{{\"{}\":1}}", "n".repeat(1_000_000));
        for text in [deep, deep_object, huge_number, huge_name] {
            let message = strict(&text).unwrap_err();
            assert!(message.len() < 400, "{}", message.len());
        }
        assert!(body(&tasks::API, Some("Task"), b"{\"title\":\"\xff\"}").is_err());
    }

    #[test]
    fn numbers_keep_to_their_width() {
        let mut check = Check {
            api: &tasks::API,
            problems: Vec::new(),
        };
        for (shape, value, wanted) in [
            (Shape::Int32, json!("7"), json!(7)),
            (Shape::Int32, json!(7.0), json!(7)),
            (
                Shape::Uint32,
                json!(4_294_967_295_u64),
                json!(4_294_967_295_u64),
            ),
            (Shape::Int64, json!(-9), json!("-9")),
            (Shape::Uint64, json!(u64::MAX), json!(u64::MAX.to_string())),
        ] {
            assert_eq!(check.value(shape, value, "x"), wanted);
        }
        assert!(check.problems.is_empty());
        for (shape, value) in [
            (Shape::Int32, json!(2_147_483_648_i64)),
            (Shape::Uint32, json!(-1)),
            (Shape::Int32, json!(1.5)),
            (Shape::Int32, json!(1e300)),
            (Shape::Uint64, json!("-1")),
            (Shape::Int64, json!("9223372036854775808")),
            (Shape::Int32, json!({})),
        ] {
            check.value(shape, value, "x");
        }
        assert_eq!(check.problems.len(), 7);
    }

    #[test]
    fn names_of_protocol_buffers() {
        assert_eq!(snake("maxResults"), "max_results");
        assert_eq!(snake("TaskList"), "task_list");
        assert_eq!(root_name("ModifyMessageRequest"), "");
    }
}
