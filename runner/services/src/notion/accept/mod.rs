//! Reading requests: what a body must look like, and Notion's words for what
//! is wrong with one.

pub(crate) mod blocks;
pub(crate) mod properties;
pub(crate) mod rich;
pub(crate) mod schema;

use std::fmt;

use serde_json::{Map, Value};

use super::block::Icon;
use super::id::Id;
use super::rest::error::ApiError;

/// Longest part of a wrong value that an error repeats, in characters.
const SHOWN: usize = 50;
/// Longest URL, in UTF-16 units.
const MAX_URL: usize = 2000;

/// Where a value stands: `body.children[0].paragraph`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At<'a> {
    Root(&'static str),
    Key(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) fn item(&'a self, at: usize) -> Self {
        Self::Item(self, at)
    }

    fn root(&self) -> &'static str {
        let mut at = self;
        loop {
            match at {
                Self::Root(name) => return name,
                Self::Key(up, _) | Self::Item(up, _) => at = up,
            }
        }
    }

    /// What is wrong here: `PATH should be WHAT, instead was VALUE.`
    pub(crate) fn wrong(&self, what: &str, value: Option<&Value>) -> Bad {
        let root = self.root();
        let shown = shown(value);
        Bad {
            root,
            lines: vec![format!("{self} should be {what}, instead was `{shown}`.")],
        }
    }

    pub(crate) fn missing(&self) -> Bad {
        self.wrong("defined", None)
    }

    pub(crate) fn surplus(&self, value: &Value) -> Bad {
        self.wrong("not present", Some(value))
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Key(up, key) => write!(f, "{up}.{key}"),
            Self::Item(up, at) => write!(f, "{up}[{at}]"),
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "undefined".to_owned();
    };
    // Only the beginning of a long value is written out.
    let text = match value {
        Value::String(text) if text.len() > 4 * SHOWN => {
            let start: String = text.chars().take(SHOWN + 1).collect();
            Value::String(start).to_string()
        }
        Value::Array(items) if items.len() > SHOWN => "[...]".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// What is wrong with a request; one of several where any would do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bad {
    root: &'static str,
    lines: Vec<String>,
}

impl Bad {
    /// Either of these has to be fixed.
    pub(crate) fn either(all: impl IntoIterator<Item = Self>) -> Self {
        let mut all = all.into_iter();
        let mut first = all.next().unwrap_or(Self {
            root: "body",
            lines: Vec::new(),
        });
        first.lines.extend(all.flat_map(|bad| bad.lines));
        first
    }
}

impl From<Bad> for ApiError {
    fn from(bad: Bad) -> Self {
        let Bad { root, lines } = bad;
        Self::validation(match lines.as_slice() {
            [only] => format!("{root} failed validation: {only}"),
            several => format!("{root} failed validation. Fix one:\n{}", several.join("\n")),
        })
    }
}

/// A part of a request that was looked at.
pub(crate) type Checked<T> = Result<T, Bad>;

pub(crate) fn object<'v>(value: &'v Value, at: &At<'_>) -> Checked<&'v Map<String, Value>> {
    value
        .as_object()
        .ok_or_else(|| at.wrong("an object", Some(value)))
}

pub(crate) fn array<'v>(value: &'v Value, at: &At<'_>) -> Checked<&'v Vec<Value>> {
    value
        .as_array()
        .ok_or_else(|| at.wrong("an array", Some(value)))
}

pub(crate) fn string<'v>(value: &'v Value, at: &At<'_>) -> Checked<&'v str> {
    value
        .as_str()
        .ok_or_else(|| at.wrong("a string", Some(value)))
}

pub(crate) fn boolean(value: &Value, at: &At<'_>) -> Checked<bool> {
    value
        .as_bool()
        .ok_or_else(|| at.wrong("a boolean", Some(value)))
}

pub(crate) fn id(value: &Value, at: &At<'_>) -> Checked<Id> {
    Id::parse(string(value, at)?).ok_or_else(|| at.wrong("a valid uuid", Some(value)))
}

pub(crate) fn required<'v>(
    map: &'v Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Checked<&'v Value> {
    map.get(key).ok_or_else(|| at.key(key).missing())
}

/// A member that may be missing or null.
pub(crate) fn optional<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| !value.is_null())
}

pub(crate) fn flag(map: &Map<String, Value>, key: &str, at: &At<'_>) -> Checked<Option<bool>> {
    optional(map, key)
        .map(|value| boolean(value, &at.key(key)))
        .transpose()
}

pub(crate) fn only(map: &Map<String, Value>, known: &[&str], at: &At<'_>) -> Checked<()> {
    match map.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, value)) => Err(at.key(key).surplus(value)),
        None => Ok(()),
    }
}

/// At most `max` UTF-16 units, which is how Notion counts.
pub(crate) fn short<'v>(value: &'v Value, max: usize, at: &At<'_>) -> Checked<&'v str> {
    let text = string(value, at)?;
    let length = text.encode_utf16().count();
    if length > max {
        let what = format!("\u{2264} `{max}`");
        return Err(at.key("length").wrong(&what, Some(&length.into())));
    }
    Ok(text)
}

pub(crate) fn few<'v>(value: &'v Value, max: usize, at: &At<'_>) -> Checked<&'v Vec<Value>> {
    let items = array(value, at)?;
    if items.len() > max {
        let what = format!("\u{2264} `{max}`");
        return Err(at.key("length").wrong(&what, Some(&items.len().into())));
    }
    Ok(items)
}

pub(crate) fn url<'v>(value: &'v Value, at: &At<'_>) -> Checked<&'v str> {
    short(value, MAX_URL, at)
}

/// One of some words.
pub(crate) fn word<'v>(value: &'v Value, words: &[&str], at: &At<'_>) -> Checked<&'v str> {
    let text = string(value, at)?;
    if words.contains(&text) {
        return Ok(text);
    }
    Err(at.wrong(&alternatives(words), Some(value)))
}

/// `"a"`, `"b"`, or `"c"`.
pub(crate) fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        [firsts @ .., last] => format!("{}, or {last}", firsts.join(", ")),
        [] => String::new(),
    }
}

/// An icon; null is none.
pub(crate) fn icon(value: &Value, at: &At<'_>) -> Checked<Option<Icon>> {
    if value.is_null() {
        return Ok(None);
    }
    let map = object(value, at)?;
    if let Some(emoji) = map.get("emoji") {
        let emoji = short(emoji, 64, &at.key("emoji"))?;
        return Ok(Some(Icon::Emoji(emoji.to_owned())));
    }
    if let Some(file) = map.get("external") {
        return Ok(Some(Icon::External(external(file, &at.key("external"))?)));
    }
    Err(Bad::either(
        ["emoji", "external"].map(|key| at.key(key).missing()),
    ))
}

/// The address of a cover; null is none.
pub(crate) fn cover(value: &Value, at: &At<'_>) -> Checked<Option<String>> {
    if value.is_null() {
        return Ok(None);
    }
    let map = object(value, at)?;
    let file = required(map, "external", at)?;
    external(file, &at.key("external")).map(Some)
}

/// `{"url": ...}`.
pub(crate) fn external(value: &Value, at: &At<'_>) -> Checked<String> {
    let file = object(value, at)?;
    let address = required(file, "url", at)?;
    url(address, &at.key("url")).map(str::to_owned)
}

/// Whether a request moves something into the trash or out of it, by either
/// name that the versions have for it.
pub(crate) fn trash(map: &Map<String, Value>, at: &At<'_>) -> Checked<Option<bool>> {
    let new = flag(map, "in_trash", at)?;
    let old = flag(map, "archived", at)?;
    Ok(new.or(old))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_in_notions_words() {
        let body = At::Root("body");
        let children = body.key("children");
        let bad = few(&json!(vec![0; 101]), 100, &children).unwrap_err();
        assert_eq!(
            ApiError::from(bad).message,
            "body failed validation: body.children.length should be \u{2264} `100`, instead was `101`."
        );
        let long = "f5820afe77ee4c589e91903f956bdda1?v=9a3e53af8585464db3e5d9c93ef26e88";
        let bad = id(&json!(long), &children.item(3)).unwrap_err();
        let error = ApiError::from(Bad::either([bad, body.key("parent").missing()]));
        assert_eq!(
            error.message,
            "body failed validation. Fix one:\n\
             body.children[3] should be a valid uuid, instead was \
             `\"f5820afe77ee4c589e91903f956bdda1?v=9a3e53af858546...`.\n\
             body.parent should be defined, instead was `undefined`."
        );
    }

    #[test]
    fn text_is_counted_in_utf_16() {
        let at = At::Root("body");
        assert!(short(&json!("\u{1f600}"), 2, &at).is_ok());
        assert!(short(&json!("\u{1f600}"), 1, &at).is_err());
    }
}
