//! Files of one JSON object a line.

use std::borrow::Cow;

use serde_json::Value;

use crate::error::{ReadError, sample};
use crate::json::{Fields, Refusal, weigh};
use crate::limits::{Bounds, Spent};
use crate::transcript::NativeFile;

/// Bytes of a line that is no JSON that are kept.
const STRAY_BYTES: usize = 4096;

/// A line of a file.
#[derive(Debug)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    /// What is on it.
    pub(crate) content: Content,
}

/// What is on a line.
#[derive(Debug)]
pub(crate) enum Content {
    /// An object.
    Object(Fields),
    /// Something else: its beginning, why it is no object, and a sample.
    Stray {
        /// The beginning.
        text: String,
        /// Why it is strange.
        problem: String,
        /// Bounded and escaped.
        sample: String,
    },
    /// The beginning of an object, at the end of the file: whoever wrote it
    /// was stopped.
    Torn,
}

/// The lines of a file that are not blank.
pub(crate) struct Lines<'a> {
    file: &'a NativeFile,
    rest: &'a [u8],
    number: u64,
    bounds: &'a Bounds,
}

impl<'a> Lines<'a> {
    /// Reads `file` from its beginning.
    pub(crate) fn new(file: &'a NativeFile, bounds: &'a Bounds) -> Self {
        Self {
            file,
            rest: &file.bytes,
            number: 0,
            bounds,
        }
    }

    fn object(&self, line: &[u8], ended: bool) -> Result<Content, ReadError> {
        let limits = &self.bounds.limits;
        if line.len() > limits.line_bytes {
            return Err(ReadError::TooLarge {
                file: self.file.shown(),
                line: Some(self.number),
                what: "bytes in a line",
                limit: limits.line_bytes as u64,
            });
        }
        let spent = || self.bounds.spent(self.file.shown(), Some(self.number));
        match weigh(line, limits.depth, self.bounds.values_left()) {
            Ok(count) => self.bounds.take(count).map_err(|Spent| spent())?,
            Err(Refusal::Many) => return Err(spent()),
            Err(Refusal::Deep) => {
                let problem = format!("nested more than {} deep", limits.depth);
                return Ok(stray(line, problem));
            }
        }
        Ok(match parse(line) {
            Ok(Value::Object(fields)) => Content::Object(fields),
            Ok(_) => stray(line, "not an object".to_owned()),
            Err(error) if !ended && error.is_eof() && line.starts_with(b"{") => Content::Torn,
            Err(error) => stray(line, without_place(&error)),
        })
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<Line, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = self.rest.iter().position(|byte| *byte == b'\n');
            let (line, rest) = match end {
                Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
                None => (self.rest, &[][..]),
            };
            self.rest = rest;
            self.number += 1;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let content = self.object(line, end.is_some());
            if content.is_err() {
                self.rest = &[];
            }
            return Some(content.map(|content| Line {
                number: self.number,
                content,
            }));
        }
    }
}

/// The whole of a file as one object, where it is one.
///
/// # Errors
/// When it has more values than are left: read by its lines, such a document
/// would be nothing but strange ones.
pub(crate) fn whole(file: &NativeFile, bounds: &Bounds) -> Result<Option<Fields>, ReadError> {
    let bytes = file.bytes.trim_ascii();
    if !bytes.starts_with(b"{") || bytes.len() as u64 > bounds.limits.bytes {
        return Ok(None);
    }
    let spent = || bounds.spent(file.shown(), None);
    let count = match weigh(bytes, bounds.limits.depth, bounds.values_left()) {
        Ok(count) => count,
        Err(Refusal::Deep) => return Ok(None),
        // Of many objects each is weighed by itself.
        Err(Refusal::Many) if begins_with_a_line(file, bounds) => return Ok(None),
        Err(Refusal::Many) => return Err(spent()),
    };
    match parse(bytes) {
        Ok(Value::Object(fields)) => {
            bounds.take(count).map_err(|Spent| spent())?;
            Ok(Some(fields))
        }
        _ => Ok(None),
    }
}

/// Whether the first line of a file is an object, and others follow.
fn begins_with_a_line(file: &NativeFile, bounds: &Bounds) -> bool {
    let aside = bounds.aside();
    let mut lines = Lines::new(file, &aside);
    let first = lines.next();
    matches!(first, Some(Ok(line)) if matches!(line.content, Content::Object(_)))
        && !lines.rest.trim_ascii().is_empty()
}

/// The objects on the first lines of a file, to tell what it is. They are not
/// kept: none of their values is taken from the reading.
pub(crate) fn first_objects(file: &NativeFile, bounds: &Bounds) -> Vec<Fields> {
    Lines::new(file, &bounds.aside())
        .take(16)
        .filter_map(|line| match line.ok()?.content {
            Content::Object(fields) => Some(fields),
            _ => None,
        })
        .collect()
}

/// JSON of programs in JavaScript: a text that was cut in the middle of a
/// character outside of the basic plane has half of a surrogate pair, which
/// JSON there can hold and Unicode cannot.
fn parse(line: &[u8]) -> serde_json::Result<Value> {
    let first = match serde_json::from_slice(line) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if first.is_eof() {
        return Err(first);
    }
    let text = String::from_utf8_lossy(line);
    let mended = without_lone_surrogates(&text);
    if matches!((&text, &mended), (Cow::Borrowed(_), Cow::Borrowed(_))) {
        return Err(first);
    }
    serde_json::from_str(&mended)
}

fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let unit = |at: usize| -> Option<u16> {
        if bytes.get(at..at + 2)? != b"\\u" {
            return None;
        }
        u16::from_str_radix(text.get(at + 2..at + 6)?, 16).ok()
    };
    let mut lone = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut mended = String::with_capacity(text.len());
    let mut from = 0;
    for at in lone {
        mended.push_str(&text[from..at]);
        mended.push_str("\\ufffd");
        from = at + 6;
    }
    mended.push_str(&text[from..]);
    Cow::Owned(mended)
}

fn stray(line: &[u8], problem: String) -> Content {
    Content::Stray {
        text: String::from_utf8_lossy(&line[..line.len().min(STRAY_BYTES)]).into_owned(),
        problem,
        sample: sample(line),
    }
}

/// The parser's words without its own line number, which is always 1.
fn without_place(error: &serde_json::Error) -> String {
    let words = error.to_string();
    match words.rfind(" at line ") {
        Some(end) => format!("{} at column {}", &words[..end], error.column()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_and_nothing_else() {
        let value = parse(
            br#"{"a":"x\ud83d","b":"\ude00y","c":"\ud83d\ude00","d":"\\ud83d","e":"\u00e9"}"#,
        )
        .unwrap();
        assert_eq!(
            value,
            serde_json::json!({"a": "x\u{fffd}", "b": "\u{fffd}y", "c": "\u{1f600}", "d": "\\ud83d", "e": "\u{e9}"})
        );
        assert!(parse(br#"{"a":"\ud8"}"#).is_err());
        assert!(parse(b"{\"a\":\"\\\xc3\xa9").is_err());
    }
}
