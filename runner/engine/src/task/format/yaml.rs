//! Front matter as a tree of values that know their line.
//!
//! The tree is read by hand ([`super::fields`]) rather than into structs:
//! errors then name the key, the line and what was expected, and unknown keys
//! are kept instead of lost.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Localizer, Location, Spanned};

use super::Problem;

/// Most nodes of a front matter. The longest one seen in the field has under
/// 200; sessions with long prompts are single nodes.
const MAX_NODES: usize = 4_000;
/// Deepest nesting.
const MAX_DEPTH: usize = 16;
/// Aliases are allowed, but not for amplification.
const MAX_ALIASES: usize = 32;

/// A value with the line on which it starts, from 1 in the whole file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: u64,
    pub(super) value: Value,
}

/// A YAML value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: u64,
    pub(super) node: Node,
}

impl Value {
    /// What it is, for error messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(value) => format!("`{value}`"),
            Self::Whole(value) => format!("the number {value}"),
            Self::Number(value) => format!("the number {value}"),
            Self::Text(text) => format!("the text `{}`", super::excerpt(text)),
            Self::List(items) if items.is_empty() => "an empty list".to_owned(),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Map(_) => "a mapping".to_owned(),
        }
    }

    /// The value without its lines, for keys that are only kept.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Whole(value) => (*value).into(),
            Self::Number(value) => (*value).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(items) => items.iter().map(|item| item.value.to_json()).collect(),
            Self::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.node.value.to_json()))
                .collect(),
        }
    }

    /// Adds `offset` to every line below this value.
    fn shift(&mut self, offset: u64) {
        match self {
            Self::List(items) => items.iter_mut().for_each(|item| item.shift(offset)),
            Self::Map(entries) => {
                for entry in entries {
                    entry.line += offset;
                    entry.node.shift(offset);
                }
            }
            _ => {}
        }
    }
}

impl Node {
    fn shift(&mut self, offset: u64) {
        self.line += offset;
        self.value.shift(offset);
    }

    fn from_spanned(spanned: Spanned<Value>) -> Self {
        Self {
            line: spanned.referenced.line(),
            value: spanned.value,
        }
    }
}

/// Parses the text between the front matter's two `---` lines. `lines_before`
/// is how many lines of the file come before it.
///
/// # Errors
/// The line in the file, and the problem.
pub(super) fn parse(text: &str, lines_before: u64) -> Result<Node, (u64, Problem)> {
    let options = serde_saphyr::options! {
        budget: limits(),
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_NODES,
            max_replay_stack_depth: MAX_DEPTH,
        },
        with_snippet: false,
        // YAML 1.1 takes `y`, `no` and `off` for booleans; authors do not.
        strict_booleans: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        underscored_numbers_as_strings: true,
        leading_zero_numbers_as_strings: true,
    };
    match serde_saphyr::from_str_with_options::<Spanned<Value>>(text, options) {
        Ok(spanned) => {
            let mut node = Node::from_spanned(spanned);
            node.shift(lines_before);
            Ok(node)
        }
        Err(error) => {
            let line = error
                .location()
                .map_or(1, |location| location.line().max(1));
            Err((lines_before + line, Problem::Yaml(message(&error))))
        }
    }
}

fn limits() -> Option<serde_saphyr::Budget> {
    serde_saphyr::budget! {
        max_nodes: MAX_NODES,
        max_events: 3 * MAX_NODES,
        max_depth: MAX_DEPTH,
        flow_nesting_limit: MAX_DEPTH,
        max_aliases: MAX_ALIASES,
        max_anchors: MAX_ALIASES,
        max_recorded_anchor_events: MAX_NODES,
        max_merge_keys: MAX_ALIASES,
        max_documents: 1,
    }
}

/// The parser's message without its own idea of the line: it counts from the
/// start of the front matter, we from the start of the file.
fn message(error: &serde_saphyr::Error) -> String {
    struct WithoutLocation;
    impl Localizer for WithoutLocation {
        fn attach_location<'a>(&self, base: Cow<'a, str>, _: Location) -> Cow<'a, str> {
            base
        }
    }
    let formatter = serde_saphyr::DefaultMessageFormatter;
    let formatter = formatter.with_localizer(&WithoutLocation);
    let text = error
        .without_snippet()
        .render_with_options(serde_saphyr::RenderOptions::new(&formatter));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Whole(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value)
            .map(Value::Whole)
            .map_err(|_| E::custom("the number is too large"))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        i64::try_from(value)
            .map(Value::Whole)
            .map_err(|_| E::custom("the number is too large"))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        i64::try_from(value)
            .map(Value::Whole)
            .map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Spanned<Value>>()? {
            items.push(Node::from_spanned(item));
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<Value>>()? {
            let line = key.referenced.line();
            let key = match key.value {
                Value::Text(text) => text,
                Value::Bool(value) => value.to_string(),
                Value::Whole(value) => value.to_string(),
                Value::Number(value) => value.to_string(),
                Value::Null => "null".to_owned(),
                Value::List(_) | Value::Map(_) => {
                    return Err(de::Error::custom(
                        "a key must be a word, not a list or mapping",
                    ));
                }
            };
            let node = Node::from_spanned(access.next_value::<Spanned<Value>>()?);
            entries.push(Entry { key, line, node });
        }
        Ok(Value::Map(entries))
    }
}
