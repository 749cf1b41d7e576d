//! Text that came from somebody else, made fit for a message or a verdict.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character could do something to a terminal or reorder what a
/// reader sees. Line feeds and tabs are allowed.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => true,
        other => other.is_control(),
    }
}

/// The text with control and reordering characters written out as `\u{..}`.
///
/// They are escaped rather than refused: a grader quotes what an agent wrote,
/// and an agent must not be able to get its trial thrown out by writing an
/// escape sequence into a file.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unsafe(character) {
            // Writing into a String cannot fail.
            let _ = write!(out, "{}", character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// The longest prefix of `text` of at most `bytes` bytes.
pub(crate) fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// At most `bytes` bytes of the text, with a note of how much is missing.
pub(crate) fn excerpt(text: &str, bytes: usize) -> Cow<'_, str> {
    let kept = prefix(text, bytes);
    if kept.len() == text.len() {
        return visible(text);
    }
    Cow::Owned(format!(
        "{} [... {} more bytes]",
        visible(kept),
        text.len() - kept.len()
    ))
}

/// A name or path for a message: quoted, on one line, short.
pub(crate) fn name(text: &str) -> String {
    let one_line = text.replace('\n', "\\n").replace('\t', "\\t");
    format!("`{}`", excerpt(&one_line, 200))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_reordering_characters_become_visible() {
        assert_eq!(visible("plain\n\ttext"), "plain\n\ttext");
        assert_eq!(visible("a\u{1b}[31mred"), "a\\u{1b}[31mred");
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
    }

    #[test]
    fn an_excerpt_ends_on_a_character_and_says_what_is_missing() {
        assert_eq!(excerpt("häuser", 2), "h [... 6 more bytes]");
        assert_eq!(excerpt("short", 5), "short");
    }
}
