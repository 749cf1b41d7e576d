//! How JSON reaches the wire.
//!
//! Google indents by two spaces, ends with a newline, and escapes characters
//! that could end a script or confuse a terminal. The set was measured by
//! others against the live APIs: <https://github.com/brekkylab/backlot>,
//! `backlot/errors/google.py`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Media type of every JSON answer.
pub(crate) const MEDIA_TYPE: &str = "application/json; charset=UTF-8";

/// `value` as Google would write it.
pub(crate) fn write<T: Serialize + ?Sized>(
    value: &T,
    pretty: bool,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::with_capacity(4096);
    if pretty {
        let formatter = Escaping(PrettyFormatter::with_indent(b"  "));
        value.serialize(&mut serde_json::Serializer::with_formatter(
            &mut out, formatter,
        ))?;
        out.push(b'\n');
    } else {
        let formatter = Escaping(CompactFormatter);
        value.serialize(&mut serde_json::Serializer::with_formatter(
            &mut out, formatter,
        ))?;
    }
    Ok(out)
}

/// Characters that are written as `\u` and four hex digits although JSON would
/// allow them as they are: angle brackets, controls, and the invisible characters that steer
/// layout.
fn is_escaped(c: char) -> bool {
    matches!(
        c,
        '<' | '>'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{600}'..='\u{603}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
    )
}

/// Whether nothing in `bytes` can be the beginning of an escaped character.
/// Blocks are looked at whole: without an early exit the compiler compares many
/// bytes at once.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without early exits the compiler compares many bytes at once"
)]
fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: u8| (byte >= 0x7f) | (byte == b'<') | (byte == b'>');
    bytes
        .chunks(64)
        .all(|block| !block.iter().fold(false, |found, byte| found | odd(*byte)))
}

/// A formatter that adds Google's escapes to another one's layout.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Nearly every fragment is plain: one pass over its bytes says so.
        if is_plain(fragment.as_bytes()) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut plain = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| is_escaped(*c)) {
            writer.write_all(fragment.get(plain..at).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = at + c.len_utf8();
        }
        writer.write_all(fragment.get(plain..).unwrap_or_default().as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_layout_is_googles() {
        let value = json!({"a": [1, {"b": []}], "c": {}});
        let text = String::from_utf8(write(&value, true).unwrap()).unwrap();
        assert_eq!(
            text,
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}\n"
        );
        assert_eq!(
            write(&value, false).unwrap(),
            br#"{"a":[1,{"b":[]}],"c":{}}"#
        );
    }

    #[test]
    fn hidden_characters_are_escaped_and_come_back() {
        let text = "<b>&'é 日本\u{200b}\u{feff}\u{7f}\u{e0041}😀\"\\\n</b>";
        let written = String::from_utf8(write(text, false).unwrap()).unwrap();
        assert_eq!(
            written,
            "\"\\u003cb\\u003e&'é 日本\\u200b\\ufeff\\u007f\\udb40\\udc41😀\\\"\\\\\\n\\u003c/b\\u003e\""
        );
        assert_eq!(
            serde_json::from_str::<Value>(&written).unwrap(),
            json!(text)
        );
    }
}
