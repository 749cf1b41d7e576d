//! From what a model sends to arguments of the right types: what is wrong is
//! named, with what would be right.

use serde_json::{Map, Value};

use super::tool::{Arguments, Problem, Tool};

/// Longest text of one argument, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// Reads arguments.
pub(super) fn read<A: Arguments>(tool: &Tool, arguments: Map<String, Value>) -> Result<A, Problem> {
    let known = tool.schema().get("properties").and_then(Value::as_object);
    let known: Vec<&str> = known
        .map(|known| known.keys().map(String::as_str).collect())
        .unwrap_or_default();
    if let Some(name) = arguments
        .keys()
        .find(|name| !known.contains(&name.as_str()))
    {
        let like = nearest(name, known.iter().copied());
        let like = like.map_or_else(String::new, |like| format!(" Did you mean `{like}`?"));
        return Err(Problem::new(format!(
            "{} has no argument `{}`.{like} It takes: {}.",
            tool.slug,
            shown(name),
            listed(&known),
        )));
    }
    let required = tool.schema().get("required").and_then(Value::as_array);
    let missing: Vec<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| arguments.get(*name).is_none_or(Value::is_null))
        .collect();
    if !missing.is_empty() {
        let (noun, it) = if missing.len() == 1 {
            ("argument", "it")
        } else {
            ("arguments", "them")
        };
        return Err(Problem::new(format!(
            "{} needs the {noun} {}: call it again with {it}.",
            tool.slug,
            listed(&missing),
        )));
    }
    for (name, value) in &arguments {
        let bytes = text_bytes(value);
        if bytes > MAX_TEXT {
            return Err(Problem::new(format!(
                "The argument `{name}` of {} is {bytes} bytes long; at most {MAX_TEXT} are taken. \
                 Send less, or in several calls.",
                tool.slug,
            )));
        }
    }
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        Problem::new(format!(
            "The argument `{path}` of {} is wrong: {}.",
            tool.slug,
            error.inner(),
        ))
    })
}

/// Bytes of all texts in a value.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| name.len() + text_bytes(value))
            .sum(),
        _ => 0,
    }
}

/// Of `known`, what `word` was most probably meant to be.
pub(crate) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    /// Below this likeness a suggestion confuses more than it helps.
    const LIKE: f64 = 0.7;
    // Nobody means a known word by a very long one, and comparing is quadratic.
    let word = word.get(..word.len().min(128))?;
    known
        .map(|known| (strsim::jaro_winkler(word, known), known))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

/// A name as a message shows it: cut off where it is very long.
pub(super) fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(80).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    text
}

/// `a`, `b` and `c`.
pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}
