//! Text from elsewhere on a terminal.

use std::borrow::Cow;

/// `text` with everything made visible that a terminal would act on or that
/// would change how other text looks: control characters, and characters that
/// turn or hide what stands beside them, as `\u{202e}`. Line feeds and tabs
/// stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Controls, and the format characters (category Cf) and separators of the
/// Unicode Character Database. The two joiners U+200C and U+200D are left
/// alone: Persian and many emoji are written with them.
fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{600}'..='\u{605}'
        | '\u{61c}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'..='\u{891}'
        | '\u{8e2}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_acts_on_a_terminal_is_made_visible() {
        for (text, shown) in [
            ("a\u{202e}b", r"a\u{202e}b"),
            ("\u{1b}[2J", r"\u{1b}[2J"),
            ("a\r\nb\tc", "a\\u{d}\nb\tc"),
            ("\u{9b}1m", r"\u{9b}1m"),
            ("x\u{2066}y\u{2069}", r"x\u{2066}y\u{2069}"),
            ("\u{feff}\u{200b}\u{e0041}", r"\u{feff}\u{200b}\u{e0041}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn text_stays_text() {
        for text in ["", "Grüße, 世界", "می\u{200c}خواهم", "👩\u{200d}🚀", "שלום"]
        {
            assert_eq!(printable(text), text);
        }
    }
}
