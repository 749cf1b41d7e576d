//! Text of agents, tasks and models, made fit to be shown and compared.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character does something else than being seen: control characters
/// (line feeds and tabs are allowed), those that reorder or hide text, and the
/// tag and variation characters in which text can be written that a model reads
/// and a person does not see.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control(),
    }
}

/// The text with everything hidden written out as `\u{..}`, and line ends as
/// line feeds.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            // Writing into a String cannot fail.
            hidden if is_hidden(hidden) => _ = write!(out, "{}", hidden.escape_unicode()),
            plain => out.push(plain),
        }
    }
    Cow::Owned(out)
}

/// As [`visible`], on one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// At most about `bytes` bytes of a text for a message, on one line.
pub(crate) fn excerpt(text: &str, bytes: usize) -> String {
    // More than is kept, since white space goes away; not all, since it may be
    // megabytes.
    let window = &text[..text.floor_char_boundary(bytes.saturating_mul(4))];
    let line = one_line(window);
    let kept = &line[..line.floor_char_boundary(bytes)];
    if kept.len() == line.len() && window.len() == text.len() {
        line
    } else {
        format!("{kept}...")
    }
}

/// The text with every run of white space as one space, for comparisons.
pub(crate) fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// What is kept of a text that is too long: its beginning, how many bytes are
/// left out, and its end.
pub(crate) struct Cut<'a> {
    pub(crate) head: &'a str,
    pub(crate) left_out: usize,
    pub(crate) tail: &'a str,
}

/// Cuts `text` to at most `bytes` bytes: three quarters from its beginning, a
/// quarter from its end.
pub(crate) fn cut(text: &str, bytes: usize) -> Cut<'_> {
    if text.len() <= bytes {
        return Cut {
            head: text,
            left_out: 0,
            tail: "",
        };
    }
    let head = text.floor_char_boundary(bytes - bytes / 4);
    let tail = text.ceil_char_boundary(text.len() - bytes / 4);
    Cut {
        head: &text[..head],
        left_out: tail - head,
        tail: &text[tail..],
    }
}

/// `text` cut to `bytes` bytes, as one text that says what is missing.
pub(crate) fn shortened(text: &str, bytes: usize) -> Cow<'_, str> {
    let Cut {
        head,
        left_out,
        tail,
    } = cut(text, bytes);
    if left_out == 0 {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{head}\n{}\n{tail}", omission(left_out as u64)))
    }
}

/// The line that stands for what is left out.
pub(crate) fn omission(bytes: u64) -> String {
    format!("[... {bytes} bytes left out ...]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_becomes_visible() {
        assert_eq!(
            visible("plain\n\ttext é 👩\u{200d}🔧"),
            "plain\n\ttext é 👩\u{200d}🔧"
        );
        assert_eq!(visible("a\r\nb\rc"), "a\nb\\u{d}c");
        assert_eq!(visible("\u{1b}[31m"), "\\u{1b}[31m");
        assert_eq!(visible("x\u{202e}y\u{200b}z"), "x\\u{202e}y\\u{200b}z");
        // ASCII in tag characters, invisible in nearly every font.
        assert_eq!(visible("a\u{e0067}\u{e0069}"), "a\\u{e0067}\\u{e0069}");
    }

    #[test]
    fn a_cut_keeps_both_ends_and_counts_what_is_between() {
        let text = format!("{}{}{}", "a".repeat(60), "b".repeat(1_000), "c".repeat(20));
        let Cut {
            head,
            left_out,
            tail,
        } = cut(&text, 80);
        assert_eq!(
            (head, tail),
            ("a".repeat(60).as_str(), "c".repeat(20).as_str())
        );
        assert_eq!(left_out, 1_000);
        assert_eq!(shortened("short", 5), "short");
        // Never inside of a character, never longer than allowed.
        let umlauts = "ä".repeat(100);
        for bytes in 0..50 {
            let Cut {
                head,
                left_out,
                tail,
            } = cut(&umlauts, bytes);
            assert!(head.len() + tail.len() <= bytes);
            assert_eq!(head.len() + left_out + tail.len(), umlauts.len());
        }
    }

    #[test]
    fn an_excerpt_is_one_line_and_bounded() {
        assert_eq!(excerpt("a\n  b", 10), "a b");
        assert_eq!(excerpt(&"x".repeat(1_000_000), 4), "xxxx...");
    }
}
