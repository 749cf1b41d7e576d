//! Text from agents, mails and task authors, made safe to stand in Markdown.

use proctor_types::verdict::Interval;

pub(crate) use crate::record::number;

/// Longest piece of foreign text in a report, in characters.
const LONGEST: usize = 400;

/// `text` on one line, with everything escaped that Markdown or HTML would
/// take as markup, cut to a readable length.
pub(crate) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LONGEST) + 16);
    let mut space = false;
    for (count, c) in text.trim().chars().enumerate() {
        if count == LONGEST {
            out.push('…');
            break;
        }
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        match c {
            '<' => out.push_str("&lt;"),
            // Only at its beginning would it be a quotation.
            '>' if out.is_empty() => out.push_str("\\>"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // Control and direction characters could hide or reorder a line.
            c if c.is_control() || is_format(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `text` as a code span whose fence is longer than any run inside it.
pub(crate) fn code(text: &str) -> String {
    let flat: String = text
        .chars()
        .take(LONGEST)
        .map(|c| {
            if c.is_control() || is_format(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect();
    let longest = flat.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    // Inside a table cell a bar ends the cell even within a code span.
    let flat = flat.replace('|', "\\|");
    format!("{fence}{pad}{flat}{pad}{fence}")
}

fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// What stands between the ends of an interval.
pub(crate) const DASH: &str = "–";

/// `6` or `6–10`.
pub(crate) fn range(low: f64, high: f64) -> String {
    crate::record::range(low, high, DASH)
}

/// `64 %` or `60–100 %`.
pub(crate) fn percent(share: Interval) -> String {
    crate::record::percent(share, DASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_become_markup() {
        let hostile = "a|b\n# Heading <script>alert(1)</script> [x](javascript:1) `c` \u{202e}evil";
        let safe = inline(hostile);
        assert!(!safe.contains('\n') && !safe.contains('<') && !safe.contains('\u{202e}'));
        for bare in ["a|b", "[x]", "`c`", " # "] {
            assert!(!safe.contains(bare), "{bare} in {safe}");
        }
        assert_eq!(code("a ``b`` |"), "``` a ``b`` \\| ```");
        assert_eq!(inline(&"x".repeat(1000)).chars().count(), LONGEST + 1);
    }
}
