//! Looking into JSON of strangers.

use jiff::Timestamp;
use proctor_types::transcript::Part;
use serde_json::{Map, Value};

use crate::limits::{Bounds, Spent};

/// An object's fields.
pub(crate) type Fields = Map<String, Value>;

/// Typed looks at the fields of an object: nothing where a field is missing or
/// of another type.
pub(crate) trait Look {
    /// A string.
    fn text(&self, key: &str) -> Option<&str>;
    /// A whole number, not negative.
    fn count(&self, key: &str) -> Option<u64>;
    /// A finite number, not negative.
    fn amount(&self, key: &str) -> Option<f64>;
    /// An object.
    fn object(&self, key: &str) -> Option<&Fields>;
    /// The elements of a list; none where there is no list.
    fn list(&self, key: &str) -> &[Value];
    /// Whether the field is `true`.
    fn flag(&self, key: &str) -> bool;
    /// An exit code or any other small whole number.
    fn code(&self, key: &str) -> Option<i32>;
    /// A moment: RFC 3339, or milliseconds since 1970.
    fn moment(&self, key: &str) -> Option<String>;
}

impl Look for Fields {
    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    fn amount(&self, key: &str) -> Option<f64> {
        self.get(key)?
            .as_f64()
            .filter(|amount| amount.is_finite() && *amount >= 0.0)
    }

    fn object(&self, key: &str) -> Option<&Fields> {
        self.get(key)?.as_object()
    }

    fn list(&self, key: &str) -> &[Value] {
        self.get(key)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    fn flag(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    fn code(&self, key: &str) -> Option<i32> {
        i32::try_from(self.get(key)?.as_i64()?).ok()
    }

    fn moment(&self, key: &str) -> Option<String> {
        let moment = match self.get(key)? {
            Value::String(text) => text.parse().ok()?,
            Value::Number(number) => Timestamp::from_millisecond(number.as_i64()?).ok()?,
            _ => return None,
        };
        Some(format!("{moment:.3}"))
    }
}

/// Why a text is not taken for JSON.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It is nested too deeply.
    Deep,
    /// It has more values than are left.
    Many,
}

/// How many values `text` would have as JSON. A scan that allocates nothing:
/// what it lets through can be parsed without harm.
pub(crate) fn weigh(text: &[u8], depth: usize, values: usize) -> Result<usize, Refusal> {
    let (mut level, mut count) = (0_usize, 1_usize);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'[' | b'{' => {
                level += 1;
                count += 1;
                if level > depth {
                    return Err(Refusal::Deep);
                }
            }
            b']' | b'}' => level = level.saturating_sub(1),
            b',' => count += 1,
            _ => {}
        }
        if count > values {
            return Err(Refusal::Many);
        }
    }
    Ok(count)
}

/// The object that `text` is, where it is one within the limits: an eighth of a
/// reading's values at most. For JSON inside of a string, which the scan of its
/// line did not see.
///
/// # Errors
/// When it has more values than are left.
pub(crate) fn embedded(text: &str, bounds: &Bounds) -> Result<Option<Fields>, Spent> {
    let limits = &bounds.limits;
    if text.len() > limits.line_bytes {
        return Ok(None);
    }
    let Ok(count) = weigh(text.as_bytes(), limits.depth, limits.values / 8) else {
        return Ok(None);
    };
    let fields: Option<Fields> = serde_json::from_str(text).ok();
    // Prose has commas, too, and makes no values.
    if fields.is_some() {
        bounds.take(count)?;
    }
    Ok(fields)
}

/// A part that is the agent's thinking, in the shape of `OpenClaw`.
pub(crate) fn thinking(text: &str) -> Part {
    let mut fields = Fields::new();
    fields.insert("type".into(), "thinking".into());
    fields.insert("thinking".into(), text.into());
    Part::Other(fields)
}

/// Content that is a string or a list of parts with a `text`; what has none is
/// kept as it is.
pub(crate) fn content(value: Option<&Value>) -> Vec<Part> {
    match value {
        Some(Value::String(text)) => vec![Part::text(text)],
        Some(Value::Array(parts)) => parts.iter().filter_map(content_part).collect(),
        Some(Value::Object(fields)) => content_part(&Value::Object(fields.clone()))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

fn content_part(part: &Value) -> Option<Part> {
    match part {
        Value::String(text) => Some(Part::text(text)),
        Value::Object(fields) => Some(match (fields.text("type"), fields.text("text")) {
            (None | Some("text" | "input_text" | "output_text"), Some(text)) => Part::text(text),
            _ => Part::Other(fields.clone()),
        }),
        _ => None,
    }
}

/// The number after `prefix` at the beginning of `line`.
pub(crate) fn number_after(line: &str, prefix: &str) -> Option<i32> {
    let rest = line.strip_prefix(prefix)?.trim_start();
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scan_counts_no_less_than_the_parser_would_make() {
        let weight = |text: &str| weigh(text.as_bytes(), 4, 100);
        assert_eq!(weight(r#"{"a,[": ["\"[", 1, {}]}"#).unwrap(), 6);
        assert!(matches!(weight("[[[[[1]]]]]"), Err(Refusal::Deep)));
        assert!(matches!(weight(&"0,".repeat(200)), Err(Refusal::Many)));
    }

    #[test]
    fn moments_are_read_in_both_notations_and_nonsense_is_none() {
        let fields: Fields = serde_json::from_str(
            r#"{"a": "2026-11-30T21:30:33.8+01:00", "b": 1796070655391, "c": "yesterday", "d": 1e300, "e": 9223372036854775807}"#,
        )
        .unwrap();
        assert_eq!(
            fields.moment("a").as_deref(),
            Some("2026-11-30T20:30:33.800Z")
        );
        assert_eq!(
            fields.moment("b").as_deref(),
            Some("2026-11-30T20:30:55.391Z")
        );
        for key in ["c", "d", "e", "f"] {
            assert_eq!(fields.moment(key), None, "{key}");
        }
    }
}
