//! Literal comparison that forgives how a text was typed.

use super::is_invisible;

/// The text as it is compared literally: letters in one case, white space one
/// blank (none at the ends), typographic quotation marks, dashes and full-width
/// forms as their plain ASCII ones, `…` as three full stops, invisible and
/// bidirectional characters gone. Punctuation stays: where only words count, use
/// [`words`](super::words).
///
/// ```
/// use proctor_grader::text::normalize;
///
/// assert_eq!(normalize("  “Don’t\u{a0}ship” — STRASSE "), "\"don't ship\" - strasse");
/// assert_eq!(normalize("Straße"), normalize("STRASSE"));
/// ```
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for char in text.chars() {
        if is_invisible(char) {
            continue;
        }
        if char.is_whitespace() {
            blank = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        if char.is_ascii() {
            out.push(char.to_ascii_lowercase());
        } else if char == '…' {
            out.push_str("...");
        } else {
            // There and back: `ẞ`, `ß` and `SS`, `ς` and `Σ` become one.
            let upper = plain(char).to_lowercase().flat_map(char::to_uppercase);
            out.extend(upper.flat_map(char::to_lowercase).map(plain));
        }
    }
    out
}

/// Whether `text` has `needle` in it, both [normalised](normalize). Nothing is
/// in no text.
///
/// ```
/// use proctor_grader::text::contains_normalized;
///
/// let code = "DEBUG = os.environ.get(“HYDRA_DEBUG”,\n    'false')";
/// assert!(contains_normalized(code, "os.environ.get(\"hydra_debug\", 'false')"));
/// assert!(!contains_normalized(code, ""));
/// ```
pub fn contains_normalized(text: &str, needle: &str) -> bool {
    let needle = normalize(needle);
    !needle.is_empty() && normalize(text).contains(&needle)
}

/// The ASCII form of a character that has one.
fn plain(char: char) -> char {
    match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{2bc}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        // Full-width forms stand in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xff01 + 0x21).unwrap_or(char),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_differently_is_the_same() {
        for (one, other) in [
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("don't", "don\u{2019}t"),
            ("4Gi - not 3Gi", "4Gi\u{a0}\u{2014}\tnot\r\n3Gi"),
            ("wait...", "Wait\u{2026}"),
            ("pr #42", "ＰＲ ＃４２"),
            ("secret", "se\u{200b}cr\u{ad}et\u{202e}"),
        ] {
            assert_eq!(normalize(one), normalize(other));
        }
        assert_ne!(normalize("a-b"), normalize("a b"));
        assert_eq!(normalize(" \u{feff}\n"), "");
    }

    #[test]
    fn normalising_twice_changes_nothing() {
        for text in ["İstanbul ﬁx ŉ", "“a”\u{300} ß ǅ", "\u{1e9e}\u{fb03}…’"] {
            assert_eq!(normalize(&normalize(text)), normalize(text), "{text}");
        }
    }
}
