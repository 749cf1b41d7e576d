//! What text weighs once it is evidence.
//!
//! Everything an agent leaves behind is written as JSON and read by a grader
//! with limited memory. JSON writes one control character as six bytes, so
//! quotas count what will be written rather than what came in.

use std::borrow::Cow;

use serde_json::Value;

/// Length of a text as JSON writes it, without its quotes.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without early exits the compiler compares many bytes at once"
)]
pub(crate) fn escaped_len(text: &str) -> usize {
    // Nearly every text is plain, and blocks that are looked at whole are
    // compared many bytes at once.
    let odd = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let plain = |block: &[u8]| !block.iter().fold(false, |found, byte| found | odd(*byte));
    if text.as_bytes().chunks(64).all(plain) {
        return text.len();
    }
    let len = |byte: u8| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(len).sum()
}

/// Length that [`clean`] text has as JSON writes it, without its quotes.
pub(crate) fn clean_len(text: &str) -> usize {
    if is_clean(text) {
        return escaped_len(text);
    }
    let len = |c: char| match c {
        '"' | '\\' | '\t' | '\n' | '\r' => 2,
        c if c.is_control() => char::REPLACEMENT_CHARACTER.len_utf8(),
        c => c.len_utf8(),
    };
    text.chars().map(len).sum()
}

/// A text for a snapshot: control characters other than tab and line breaks
/// become U+FFFD. They mean nothing to a reader and weigh six bytes each.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let shown = |c| {
        if is_noise(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Cleans every text of a JSON value.
pub(crate) fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(cleaned) = clean(text) {
                *text = cleaned;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(members) => members.values_mut().for_each(clean_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Length of a value as compact JSON; the greatest there is where JSON cannot
/// express it, so that no quota lets it in.
pub(crate) fn json_len(value: &impl serde::Serialize) -> u64 {
    struct Counter(u64);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => u64::MAX,
    }
}

fn is_noise(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

fn is_clean(text: &str) -> bool {
    !text.chars().any(is_noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &[&str] = &[
        "",
        "plain",
        "Grüße \u{1f600}",
        "\"\\\t\n\r",
        "\u{0}\u{1}\u{8}\u{c}\u{1f}",
        "\u{7f}\u{81}\u{9f}\u{a9}\u{fffd}",
    ];

    #[test]
    fn lengths_are_those_of_the_json() {
        for text in TEXTS {
            let json = |text: &str| serde_json::to_string(text).unwrap().len() - 2;
            assert_eq!(escaped_len(text), json(text), "{text:?}");
            assert_eq!(clean_len(text), json(&clean(text)), "{text:?}");
            assert_eq!(json_len(text), json(text) as u64 + 2);
        }
    }

    #[test]
    fn only_control_characters_are_replaced() {
        assert_eq!(clean("a\tb\r\nc"), "a\tb\r\nc");
        assert_eq!(clean("a\u{1}b\u{7f}\u{81}"), "a\u{fffd}b\u{fffd}\u{fffd}");
        let mut value = serde_json::json!({"a": ["\u{2}", {"b": "c\u{3}"}], "n": 1});
        clean_value(&mut value);
        let wanted = serde_json::json!({"a": ["\u{fffd}", {"b": "c\u{fffd}"}], "n": 1});
        assert_eq!(value, wanted);
    }
}
