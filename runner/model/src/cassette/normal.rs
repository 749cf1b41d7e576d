//! Bodies without what differs between two runs of the same session. What that
//! is, is said in the documentation of the module above.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Fields of a body in which clients name their session.
const SESSION: &[&str] = &[
    "metadata",
    "user",
    "prompt_cache_key",
    "safety_identifier",
    "client_metadata",
];

/// Fields whose values are names made up by one of the two sides.
const NAMES: &[&str] = &["id", "call_id", "tool_call_id", "tool_use_id"];

/// Patterns and what stands in their place, in this order.
const VOLATILE: &[(&str, &str)] = &[
    (
        r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        "<uuid>",
    ),
    (
        r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?",
        "<time>",
    ),
    (r"\b\d{4}-\d{2}-\d{2}\b", "<date>"),
    (
        r"\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? +)?(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]* {1,2}\d{1,2}(?:st|nd|rd|th)?(?:,? +\d{4})?\b",
        "<date>",
    ),
    (
        r"\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}\b",
        "<date>",
    ),
    (
        r"\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?\b",
        "<time>",
    ),
    (r"\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b", "<epoch>"),
    (r"\b\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?)\b", "<duration>"),
    (
        r"\b(?:toolu|call|fc|msg|resp|rs)_[A-Za-z0-9_-]+|\bchatcmpl-[A-Za-z0-9_-]+",
        "<name>",
    ),
    (r"\b[0-9a-f]{16,}\b", "<hex>"),
    (r"/tmp/[A-Za-z0-9._-]+", "/tmp/<name>"),
    // Codex numbers what a command prints, Claude Code what it sends.
    (r"\bChunk ID: [0-9a-f]+", "Chunk ID: <name>"),
    (r"\bcch=[0-9a-f]+", "cch=<name>"),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = VOLATILE.iter();
    // A test compiles every pattern.
    let compiled = patterns.filter_map(|(pattern, with)| Some((Regex::new(pattern).ok()?, *with)));
    compiled.collect()
});

/// A body as it is compared. What is no JSON is compared as text.
pub(super) fn body(bytes: &[u8]) -> Value {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(mut fields)) => {
            for name in SESSION {
                fields.shift_remove(*name);
            }
            Value::Object(object(fields))
        }
        Ok(other) => value(other),
        Err(_) => Value::String(text(&String::from_utf8_lossy(bytes))),
    }
}

/// SHA-256 of a body as it is compared.
pub(super) fn digest(body: &Value) -> [u8; 32] {
    Sha256::digest(body.to_string()).into()
}

fn value(of: Value) -> Value {
    match of {
        Value::String(of) => Value::String(text(&of)),
        Value::Array(all) => Value::Array(all.into_iter().map(value).collect()),
        Value::Object(fields) => Value::Object(object(fields)),
        other => other,
    }
}

/// Fields in the order of their names.
fn object(fields: Map<String, Value>) -> Map<String, Value> {
    let mut fields: Vec<_> = fields.into_iter().collect();
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    let fields = fields.into_iter().map(|(name, of)| {
        let of = match of {
            Value::String(_) if NAMES.contains(&name.as_str()) => Value::from("<name>"),
            of => value(of),
        };
        (name, of)
    });
    fields.collect()
}

fn text(of: &str) -> String {
    let mut text = of.to_owned();
    for (pattern, with) in PATTERNS.iter() {
        if let std::borrow::Cow::Owned(changed) = pattern.replace_all(&text, *with) {
            text = changed;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_runs_does_not_count() {
        assert_eq!(PATTERNS.len(), VOLATILE.len(), "a pattern is broken");
        for (one, other) in [
            (
                "at 2026-12-01T11:30:39.5Z ok",
                "at 2027-01-31 01:02:03+01:00 ok",
            ),
            ("Today's date: 2026-12-01.", "Today's date: 2027-01-31."),
            (
                "Today is Tuesday, December 1, 2026",
                "Today is Sunday, January 31, 2027",
            ),
            ("Tue, 1 Dec 2026 11:30", "Tue, 31 Jan 2027 9:05"),
            (
                "-rw-r--r-- 1 a a 6 Dec  1 11:30 x",
                "-rw-r--r-- 1 a a 6 Jan 31 09:05 x",
            ),
            ("/tmp/tmp.aBc123/x", "/tmp/tmp.Zz9/x"),
            ("Wall time: 0.051 seconds", "Wall time: 12 seconds"),
            ("took 35ms", "took 1 ms"),
            ("1764588639", "1794588639123"),
            ("id toolu_01AbC-x.", "id toolu_99zzz."),
            (
                "5f0c6a3e-0d5a-4a52-9d7e-111111111111",
                "00000000-0000-4000-8000-000000000000",
            ),
        ] {
            assert_eq!(text(one), text(other));
        }
    }

    #[test]
    fn what_was_said_counts() {
        for (one, other) in [
            ("echo hello", "echo hallo"),
            ("/tmp/a/x", "/tmp/a/y"),
            ("exit 1", "exit 2"),
            ("12345", "12346"),
            ("May I?", "May we?"),
            ("deadbeef", "deadbee0"),
        ] {
            assert_ne!(text(one), text(other));
        }
    }

    #[test]
    fn bodies_are_compared_as_json() {
        let one =
            br#"{"model":"m","metadata":{"user_id":"a"},"messages":[{"role":"user","id":"1"}]}"#;
        let other = br#"{ "messages": [ {"id":"2","role":"user"} ], "model":"m","user":"u"}"#;
        assert_eq!(body(one), body(other));
        assert_eq!(digest(&body(one)), digest(&body(other)));
        assert_ne!(digest(&body(b"x")), digest(&body(b"y")));
    }
}
