//! Header fields: where they stand, and what they say.
//!
//! The grammar of each field is mail-parser's; what is here cuts a source into
//! fields and keeps that parser away from input it would take quadratic time
//! for.

use std::borrow::Cow;
use std::ops::Range;

use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue};
use memchr::{memchr, memmem};

use super::body;

/// Most fields of one header; what follows is skipped.
const MOST_FIELDS: usize = 10_000;
/// Longest `Content-Type` or `Content-Disposition` that is looked at.
const LONGEST_TYPE: usize = 64 << 10;
/// Longest encoded word. RFC 2047 allows 75 characters; mailers write more.
const LONGEST_WORD: usize = 1_000;
/// Longest value whose encoded words are decoded. Gmail takes no header of half
/// this length.
const LONGEST_DECODED: usize = 1 << 20;
/// Encoded words times bytes of a field above which it is read without
/// decoding them.
const WORK_CAP: usize = 50_000_000;

/// A header field, decoded.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Field {
    /// Name as written.
    pub name: Box<str>,
    /// Value: unfolded, encoded words decoded.
    pub value: Box<str>,
}

/// A mailbox of an address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name, decoded; empty where there is none.
    pub name: Box<str>,
    /// Address, lower-case; empty where there is none.
    pub email: Box<str>,
}

/// A header field in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawField {
    /// The field with its line breaks.
    pub(super) whole: Range<usize>,
    /// Its name.
    pub(super) name: Range<usize>,
    /// Everything after the colon, the last line break included.
    pub(super) value: Range<usize>,
}

/// A header in its source.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) fields: Vec<RawField>,
    /// Where the body begins.
    pub(super) body: usize,
}

impl Block {
    /// Cuts the header at the beginning of `range`. It ends after an empty
    /// line, or before a line that is no part of a header: what is not a mail
    /// is a body without a header.
    pub(super) fn read(source: &[u8], range: Range<usize>) -> Self {
        let mut fields: Vec<RawField> = Vec::new();
        let mut at = range.start;
        while let Some(rest) = source.get(at..range.end).filter(|rest| !rest.is_empty()) {
            let end = memchr(b'\n', rest).map_or(range.end, |length| at + length + 1);
            let line = source.get(at..end).unwrap_or_default();
            if matches!(line, b"\n" | b"\r\n") {
                return Self { fields, body: end };
            }
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                let Some(last) = fields.last_mut() else { break };
                last.whole.end = end;
                last.value.end = end;
            } else if let Some(colon) = name_length(line) {
                if fields.len() < MOST_FIELDS {
                    let name = line.get(..colon).unwrap_or_default().trim_ascii_end().len();
                    fields.push(RawField {
                        whole: at..end,
                        name: at..at + name,
                        value: at + colon + 1..end,
                    });
                }
            } else if !(at == 0 && line.starts_with(b"From ")) {
                // A line like that before the header comes from a Unix
                // mailbox file and means nothing.
                break;
            }
            at = end;
        }
        Self { fields, body: at }
    }

    /// The first field of this name, its value.
    pub(super) fn value<'s>(&self, source: &'s [u8], name: &str) -> Option<&'s [u8]> {
        self.values(source, name).next()
    }

    /// Every field of this name, its value.
    pub(super) fn values<'s>(
        &self,
        source: &'s [u8],
        name: &str,
    ) -> impl Iterator<Item = &'s [u8]> {
        self.named(source, name)
            .filter_map(|field| source.get(field.value.clone()))
    }

    /// Every field of this name.
    pub(super) fn named(&self, source: &[u8], name: &str) -> impl Iterator<Item = &RawField> {
        self.fields.iter().filter(move |field| {
            let it = source.get(field.name.clone()).unwrap_or_default();
            it.eq_ignore_ascii_case(name.as_bytes())
        })
    }

    /// The fields, decoded.
    pub(super) fn decode(&self, source: &[u8]) -> Vec<Field> {
        let text = |range: &Range<usize>| source.get(range.clone()).unwrap_or_default();
        let field = |raw: &RawField| Field {
            name: String::from_utf8_lossy(text(&raw.name)).into(),
            value: plain(text(&raw.value)).into(),
        };
        self.fields.iter().map(field).collect()
    }
}

/// Length of what stands before the colon, where it can be a field's name.
fn name_length(line: &[u8]) -> Option<usize> {
    let colon = memchr(b':', line)?;
    let name = line.get(..colon)?.trim_ascii_end();
    let valid = !name.is_empty() && name.iter().all(|byte| (33..127).contains(byte));
    valid.then_some(colon)
}

/// A value as people read it: unfolded, encoded words decoded, control
/// characters gone.
pub(super) fn plain(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let text = text.trim();
    let decoded = if text.len() > LONGEST_DECODED {
        Cow::Borrowed(text)
    } else {
        decode_words(text)
    };
    if !decoded.contains(|c: char| c.is_control()) {
        return decoded.into_owned();
    }
    // A fold is a line break before a space, and the space stays.
    let mut out = String::with_capacity(decoded.len());
    let mut chars = decoded.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => {}
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Decodes the encoded words of RFC 2047; whatever is not one stays as it is.
fn decode_words(text: &str) -> Cow<'_, str> {
    if !text.contains("=?") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some((before, tail)) = rest.find("=?").map(|at| rest.split_at(at)) {
        let word = encoded_word(tail);
        // White space between two encoded words is there for folding only.
        if !(after_word && word.is_some() && before.trim().is_empty()) {
            out.push_str(before);
        }
        after_word = word.is_some();
        let length = if let Some((decoded, length)) = word {
            out.push_str(&decoded);
            length
        } else {
            out.push_str("=?");
            2
        };
        rest = tail.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The encoded word at the beginning of `text`, and its length.
fn encoded_word(text: &str) -> Option<(String, usize)> {
    let window = text.get(..text.floor_char_boundary(LONGEST_WORD))?;
    let (charset, rest) = window.strip_prefix("=?")?.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (data, after) = rest.split_once("?=")?;
    let bytes = match encoding {
        "B" | "b" => body::base64(data.as_bytes()),
        "Q" | "q" => body::quoted_printable(data.replace('_', " ").as_bytes())?,
        _ => return None,
    };
    let charset = charset.split('*').next().unwrap_or_default();
    let word = body::to_utf8(Cow::Owned(bytes), Some(charset)).into_owned();
    Some((word, window.len() - after.len()))
}

/// The mailboxes of an address field, groups dissolved.
pub(super) fn addresses(value: &[u8]) -> Vec<Address> {
    let line = as_line(value);
    let HeaderValue::Address(list) = MessageStream::new(&line).parse_address() else {
        return Vec::new();
    };
    let address = |addr: &mail_parser::Addr<'_>| Address {
        name: decode_words(addr.name().unwrap_or_default().trim()).into(),
        email: addr
            .address()
            .unwrap_or_default()
            .trim()
            .to_lowercase()
            .into(),
    };
    list.iter().map(address).collect()
}

/// Message identifiers of a field, without angle brackets.
pub(super) fn message_ids(value: &[u8]) -> Vec<Box<str>> {
    let line = as_line(value);
    match MessageStream::new(&line).parse_id() {
        HeaderValue::Text(id) => vec![id.into()],
        HeaderValue::TextList(ids) => ids.into_iter().map(Into::into).collect(),
        _ => Vec::new(),
    }
}

/// The moment of a date field, in milliseconds since 1970.
pub(super) fn date_ms(value: &[u8]) -> Option<i64> {
    let line = as_line(value);
    let HeaderValue::DateTime(date) = MessageStream::new(&line).parse_date() else {
        return None;
    };
    date.is_valid()
        .then(|| date.to_timestamp().saturating_mul(1000))
}

/// A `Content-Type` or `Content-Disposition`.
pub(super) fn content_type(value: &[u8]) -> Option<ContentType<'static>> {
    let line = as_line(value.get(..LONGEST_TYPE).unwrap_or(value));
    match MessageStream::new(&line).parse_content_type() {
        HeaderValue::ContentType(it) => Some(ContentType {
            c_type: it.c_type.into_owned().into(),
            c_subtype: it.c_subtype.map(|text| text.into_owned().into()),
            attributes: it.attributes.map(|all| {
                let owned = |it: mail_parser::Attribute<'_>| mail_parser::Attribute {
                    name: it.name.into_owned().into(),
                    value: it.value.into_owned().into(),
                };
                all.into_iter().map(owned).collect()
            }),
        }),
        _ => None,
    }
}

/// The value as mail-parser takes it: ended by a line break. Its search for
/// the end of an encoded word runs to the end of the line, so a long line with
/// very many of their beginnings is given to it without them.
fn as_line(value: &[u8]) -> Cow<'_, [u8]> {
    let mut line = Cow::Borrowed(value);
    let words = memmem::find_iter(value, b"=?").count();
    if words.saturating_mul(value.len()) > WORK_CAP {
        for byte in line.to_mut() {
            if *byte == b'?' {
                *byte = b'_';
            }
        }
    }
    if !line.ends_with(b"\n") {
        line.to_mut().push(b'\n');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(source: &str) -> (Vec<(String, String)>, String) {
        let block = Block::read(source.as_bytes(), 0..source.len());
        let fields = block.decode(source.as_bytes());
        let pairs = fields
            .into_iter()
            .map(|it| (it.name.into(), it.value.into()))
            .collect();
        (pairs, source[block.body..].to_owned())
    }

    #[test]
    fn a_header_is_cut_at_the_empty_line() {
        let (fields, body) = block("A: 1\r\nB : two\r\n  lines\r\nC:\r\n\r\nbody\r\n");
        let expected = [("A", "1"), ("B", "two  lines"), ("C", "")];
        assert_eq!(fields, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(body, "body\r\n");
    }

    #[test]
    fn what_is_no_header_is_body() {
        assert_eq!(block("just text\nmore"), (vec![], "just text\nmore".into()));
        assert_eq!(
            block("A: 1\nno field\n\nx"),
            (vec![("A".into(), "1".into())], "no field\n\nx".into())
        );
        assert_eq!(block("From me Mon\nA: 1\n\nx").0.len(), 1);
        assert_eq!(block(""), (vec![], String::new()));
        assert_eq!(block("\n\nx").1, "\nx");
        assert_eq!(block(" folded: nothing\n\n").0, vec![]);
        assert_eq!(block("A: 1").0, vec![("A".into(), "1".into())]);
        assert_eq!(
            block("A: 1\rB: 2\r\r").0,
            vec![("A".into(), "1 B: 2".into())]
        );
        assert_eq!(block("A: \0x\u{7}\n\n").0, vec![("A".into(), " x ".into())]);
    }

    #[test]
    fn encoded_words_are_decoded_as_rfc_2047_says() {
        for (raw, text) in [
            ("=?utf-8?q?J=C3=B6rg?= <j@x.org>", "Jörg <j@x.org>"),
            ("=?UTF-8?B?w7bDpA==?= =?utf-8?Q?_b?=", "öä b"),
            ("=?iso-8859-1*de?q?a=FC_b?=", "aü b"),
            ("a =?utf-8?q?b?= c", "a b c"),
            ("=?utf-8?q?b?=\r\n =?utf-8?q?c?=", "bc"),
            ("=?utf-8?x?b?=", "=?utf-8?x?b?="),
            ("=?utf-8?q?b", "=?utf-8?q?b"),
            ("1 =? 2", "1 =? 2"),
            ("=?nonsense?q?=E4?=", "\u{fffd}"),
            ("Über", "Über"),
        ] {
            assert_eq!(plain(raw.as_bytes()), text, "{raw}");
        }
    }

    #[test]
    fn addresses_survive_names_with_commas_and_groups() {
        let list = addresses(b"\"Doe, Jane\" <Jane@X.org>, bob@y.org, team: a@z.org, =?utf-8?q?=C3=84_B?= <b@z.org>;");
        let pairs: Vec<(&str, &str)> = list.iter().map(|it| (&*it.name, &*it.email)).collect();
        assert_eq!(
            pairs,
            [
                ("Doe, Jane", "jane@x.org"),
                ("", "bob@y.org"),
                ("", "a@z.org"),
                ("Ä B", "b@z.org")
            ]
        );
        assert_eq!(addresses(b""), vec![]);
        assert_eq!(addresses(b" \r\n"), vec![]);
    }

    #[test]
    fn typed_fields() {
        assert_eq!(
            message_ids(b" <a@x> <b@y>\r\n"),
            vec!["a@x".into(), "b@y".into()] as Vec<Box<str>>
        );
        assert_eq!(
            message_ids(b"bare@x"),
            vec!["bare@x".into()] as Vec<Box<str>>
        );
        assert_eq!(
            date_ms(b"Mon, 2 Mar 2026 10:00:00 +0100"),
            Some(1_772_442_000_000)
        );
        assert_eq!(date_ms(b"yesterday"), None);
        let it = content_type(b" Multipart/Mixed; boundary=\"a b\"").unwrap();
        assert_eq!(
            (it.ctype(), it.subtype(), it.attribute("boundary")),
            ("multipart", Some("mixed"), Some("a b"))
        );
        let it = content_type(b"attachment; filename*=utf-8''%C3%A4.txt").unwrap();
        assert_eq!(it.attribute("filename"), Some("ä.txt"));
    }
}
