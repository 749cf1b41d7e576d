//! Values of properties as models give them.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::ask;
use super::content::rich_text;
use crate::mcp::arguments::{listed, nearest, shown};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::Problem;

/// Values by the name of the property.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected an object of values by name, like {\"Status\": \"Done\"}"
)]
pub(super) enum Properties {
    /// By name.
    ByName(Map<String, Value>),
    /// As a list, in which each value says its type.
    List(Vec<Typed>),
}

/// One value, with its type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Typed {
    /// Name of the property.
    name: String,
    /// Type of the property, for example `status`.
    #[serde(rename = "type")]
    kind: String,
    /// The value: a text, number, boolean or list of texts.
    value: Value,
}

/// Updates a page or row. `body` is what changes besides its properties.
pub(super) fn update(
    caller: &mut Caller<'_>,
    id: &str,
    properties: Option<Properties>,
    mut body: Value,
) -> Result<Value, Problem> {
    let path = format!("pages/{}", segment(id));
    let mut values = Map::new();
    match properties {
        None => {}
        Some(Properties::List(list)) => {
            for Typed { name, kind, value } in list {
                let value = of_type(&name, &kind, &value)?;
                values.insert(name, value);
            }
        }
        Some(Properties::ByName(given)) => {
            // A whole value says its type itself.
            let page = if given.values().all(Value::is_object) {
                None
            } else {
                Some(caller.ask(ask(Method::GET, &path))?)
            };
            for (name, value) in given {
                let value = match &page {
                    Some(page) if !value.is_object() => {
                        of_type(&name, type_in(page, &name)?, &value)?
                    }
                    _ => value,
                };
                values.insert(name, value);
            }
        }
    }
    if !values.is_empty() {
        body["properties"] = Value::Object(values);
    }
    if body.as_object().is_some_and(Map::is_empty) {
        return Err(Problem::new(
            "Nothing would change: give `properties` or another argument.",
        ));
    }
    caller.ask(ask(Method::PATCH, &path).body(body))
}

fn type_in<'p>(page: &'p Value, name: &str) -> Result<&'p str, Problem> {
    if let Some(kind) = page["properties"][name]["type"].as_str() {
        return Ok(kind);
    }
    let known = page["properties"].as_object();
    let known: Vec<&str> = known
        .map(|known| known.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let like = nearest(name, known.iter().copied());
    let like = like.map_or_else(String::new, |like| format!(" Did you mean `{like}`?"));
    Err(Problem::new(format!(
        "The page has no property `{}`.{like} It has {}.",
        shown(name),
        listed(&known)
    )))
}

/// A value in the form that Notion wants of a property of this type.
fn of_type(name: &str, kind: &str, value: &Value) -> Result<Value, Problem> {
    let wrong = |expected: &str| {
        Problem::new(format!(
            "The property `{}` is of type {kind}: give {expected}.",
            shown(name)
        ))
    };
    let text = || value.as_str().ok_or_else(|| wrong("a text"));
    let empty = value.is_null();
    let inner = match kind {
        "title" | "rich_text" => {
            if empty {
                json!([])
            } else {
                rich_text(text()?, None, &Map::new())
            }
        }
        _ if empty => Value::Null,
        "select" | "status" => json!({"name": text()?}),
        "multi_select" => named(value, "name").ok_or_else(|| wrong("a list of options"))?,
        "people" | "relation" => named(value, "id").ok_or_else(|| wrong("a list of ids"))?,
        "number" => match value.as_str().map(str::parse::<f64>) {
            Some(Ok(number)) => json!(number),
            None if value.is_number() => value.clone(),
            _ => return Err(wrong("a number")),
        },
        "checkbox" => match (value.as_bool(), value.as_str()) {
            (Some(is), _) => is.into(),
            (None, Some("true")) => true.into(),
            (None, Some("false")) => false.into(),
            _ => return Err(wrong("true or false")),
        },
        "date" => json!({"start": text().map_err(|_| wrong("a date like 2026-03-05"))?}),
        "url" | "email" | "phone_number" => json!(text()?),
        "files" => {
            let url = text().map_err(|_| wrong("the address of a file"))?;
            json!([{"name": url, "type": "external", "external": {"url": url}}])
        }
        _ => return Err(wrong("nothing: it cannot be set")),
    };
    Ok(json!({kind: inner}))
}

/// `a, b` or `["a", "b"]` as objects with one member.
fn named(value: &Value, member: &str) -> Option<Value> {
    let one = |text: &str| json!({member: text.trim()});
    match value {
        Value::String(text) => {
            let parts = text.split(',').filter(|part| !part.trim().is_empty());
            Some(parts.map(one).collect())
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| item.as_str().map(one));
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        _ => None,
    }
}
