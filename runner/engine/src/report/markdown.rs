//! Text from agents, mails and task authors, made safe to stand in Markdown.

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

/// A number without needless digits: `6`, `1.5`, `0.667`.
pub(crate) fn number(value: f64) -> String {
    // A sum over nothing is -0.
    let text = format!("{:.3}", value + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `6` or `6–10`.
pub(crate) fn range(low: f64, high: f64) -> String {
    let (low, high) = (number(low), number(high));
    if low == high {
        low
    } else {
        format!("{low}–{high}")
    }
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

    #[test]
    fn numbers_are_short_and_exact_enough() {
        assert_eq!(number(6.0), "6");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(2.0 / 3.0), "0.667");
        assert_eq!(range(0.6, 1.0), "0.6–1");
        assert_eq!(range(1.0, 1.0), "1");
    }
}
