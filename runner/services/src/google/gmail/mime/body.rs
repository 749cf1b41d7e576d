//! Bodies: transfer encodings, character sets, HTML.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::html_to_text;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;

/// How a body is encoded for its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Encoding {
    /// As it is.
    #[default]
    Identity,
    /// Base64.
    Base64,
    /// Quoted-printable.
    QuotedPrintable,
}

impl Encoding {
    /// The encoding that a `Content-Transfer-Encoding` names.
    pub(super) fn named(value: &[u8]) -> Self {
        let name = value.trim_ascii();
        if name.eq_ignore_ascii_case(b"base64") {
            Self::Base64
        } else if name.eq_ignore_ascii_case(b"quoted-printable") {
            Self::QuotedPrintable
        } else {
            Self::Identity
        }
    }

    /// The content of a body. One that is not encoded as it says is content
    /// as it stands.
    pub(super) fn decode(self, body: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Identity => Cow::Borrowed(body),
            Self::Base64 => Cow::Owned(base64(body)),
            Self::QuotedPrintable => quoted_printable(body).map_or(Cow::Borrowed(body), Cow::Owned),
        }
    }
}

/// Base64 without regard to padding, stray bits or characters that do not
/// belong: what can be read is read.
pub(super) fn base64(body: &[u8]) -> Vec<u8> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let complete = |body: &[u8]| {
        let symbols = body
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count();
        symbols.is_multiple_of(4)
    };
    if complete(body)
        && let Some(content) = base64_decode(body)
    {
        return content;
    }
    let mut symbols: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        .collect();
    if symbols.len() % 4 == 1 {
        // Six bits make no byte.
        symbols.pop();
    }
    LENIENT.decode(symbols).unwrap_or_default()
}

/// Quoted-printable; `None` where it is malformed.
pub(super) fn quoted_printable(body: &[u8]) -> Option<Vec<u8>> {
    quoted_printable_decode(body)
}

/// Text in a named character set as UTF-8; in an unknown one what can be read
/// as UTF-8.
pub(super) fn to_utf8<'a>(content: Cow<'a, [u8]>, charset: Option<&str>) -> Cow<'a, str> {
    let named = charset.map(str::trim).filter(|name| !is_utf8(name));
    if let Some(decode) = named.and_then(|name| charset_decoder(name.as_bytes())) {
        return Cow::Owned(decode(&content));
    }
    match content {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
    }
}

/// Whether text in this character set reads as UTF-8 does.
fn is_utf8(name: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii", ""]
        .iter()
        .any(|it| name.eq_ignore_ascii_case(it))
}

/// The text of an HTML document, one line for each block.
pub(super) fn text_of_html(html: &str) -> String {
    let text = html_to_text(&with_breaks(html));
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines().map(str::trim) {
        // Nested blocks leave several empty lines behind.
        if !(line.is_empty() && blank) {
            out.push_str(line);
            out.push('\n');
        }
        blank = line.is_empty();
    }
    out.truncate(out.trim_end().len());
    out
}

/// Elements that stand on lines of their own.
const BLOCKS: [&str; 22] = [
    "div",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "table",
    "blockquote",
    "section",
    "article",
    "header",
    "footer",
    "hr",
    "pre",
    "dt",
    "dd",
    "p",
];
/// Elements whose content is not for reading.
const UNREAD: [&str; 3] = ["style", "script", "title"];

/// The document with a line break before and after each block, and without
/// style sheets and scripts: `html_to_text` knows only `br` and `p`.
fn with_breaks(html: &str) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some((before, tail)) = rest.find('<').map(|at| rest.split_at(at)) {
        out.push_str(before);
        let name = tag_name(tail);
        let is = |known: &&str| name.eq_ignore_ascii_case(known);
        if let Some(element) = UNREAD.iter().find(|it| is(it)) {
            match end_of(tail, element) {
                Some(after) => {
                    rest = after;
                    continue;
                }
                // It has no end: then the document has none either.
                None => return out,
            }
        }
        if BLOCKS.iter().any(is) {
            out.push_str("<br>");
        } else if name.eq_ignore_ascii_case("td") || name.eq_ignore_ascii_case("th") {
            out.push(' ');
        }
        out.push('<');
        rest = tail.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Name of the tag at the beginning of `text`, opening or closing.
fn tag_name(text: &str) -> &str {
    let inner = text.strip_prefix('<').unwrap_or(text);
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let length = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    inner.get(..length).unwrap_or_default()
}

/// What follows the element `name` that begins `text`.
fn end_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if text.starts_with("</") {
        return text.split_once('>').map(|(_, after)| after);
    }
    let mut rest = text;
    loop {
        rest = rest.get(rest.find("</")?..)?;
        if tag_name(rest).eq_ignore_ascii_case(name) {
            return Some(rest.split_once('>').map_or("", |(_, after)| after));
        }
        rest = rest.get(2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_far_as_it_goes() {
        assert_eq!(base64(b"aGVs\r\nbG8="), b"hello");
        assert_eq!(base64(b"aGVsbG8"), b"hello");
        assert_eq!(base64(b"aGVs*bG8="), b"hello");
        assert_eq!(base64(b"aGVsb"), b"hel");
        assert_eq!(base64(b"===="), b"");
        assert_eq!(base64(b""), b"");
        assert_eq!(base64(b"aGk=aGk="), base64(b"aGk=aGk="));
    }

    #[test]
    fn malformed_quoted_printable_stays_as_it_is() {
        let decode = |body: &'static [u8]| Encoding::QuotedPrintable.decode(body).into_owned();
        assert_eq!(decode(b"a=C3=A4 =\r\nb"), "aä b".as_bytes());
        assert_eq!(decode(b"100 =% sure =="), b"100 =% sure ==");
    }

    #[test]
    fn character_sets() {
        let text = |bytes: &'static [u8], set| to_utf8(Cow::Borrowed(bytes), set).into_owned();
        assert_eq!(text(b"\xe4", Some("ISO-8859-1")), "ä");
        assert_eq!(text(b"\x93x\x94", Some("windows-1252")), "“x”");
        assert_eq!(text(b"\x1b$B%F\x1b(B", Some("iso-2022-jp")), "テ");
        assert_eq!(text("ä".as_bytes(), Some("unheard-of")), "ä");
        assert_eq!(text("ä".as_bytes(), Some("us-ascii")), "ä");
        assert_eq!(text(b"\xff", None), "\u{fffd}");
    }

    #[test]
    fn html_reads_as_lines() {
        let html = "<html><head><title>No</title><style>p{}</style></head><body>\
            <style>x</style><div>One &amp; two</div><div>three<br>four</div>\
            <ul><li>a</li><li>b</li></ul><table><tr><td>1</td><td>2</td></tr></table>\
            <p>five <b>six</b></p><script>var no = '<p>';</script></body></html>";
        assert_eq!(
            text_of_html(html).replace("\n\n", "\n"),
            "One & two\nthree\nfour\na\nb\n1 2\nfive six"
        );
    }

    #[test]
    fn broken_html_does_no_harm() {
        for html in [
            "<",
            "<<<",
            "<style>",
            "</style",
            "<div",
            "&#x110000;",
            "&#;&;&",
            "<!-- <p>",
            "a<b>c",
            "<p",
            "\u{0}<\u{fffd}",
        ] {
            text_of_html(html);
        }
        assert_eq!(text_of_html("a </style> b"), "a b");
    }
}
