//! What one line says: how far it is indented, which mark it begins with,
//! whether it is an image or closes a tag.

use crate::notion::block::{Extra, Kind};

/// Columns that a tab is wide.
const TAB: usize = 4;
/// Tags that hold other blocks.
const CONTAINERS: [&str; 5] = ["callout", "details", "columns", "column", "table"];

/// How far a line is indented, in columns, and the rest of it.
pub(super) fn indented(line: &str) -> (usize, &str) {
    let mut columns = 0;
    for (at, c) in line.char_indices() {
        match c {
            '\t' => columns = (columns / TAB + 1) * TAB,
            ' ' => columns += 1,
            _ => return (columns, line.get(at..).unwrap_or_default()),
        }
    }
    (columns, "")
}

/// A line without `columns` of its indentation.
pub(super) fn outdented(line: &str, columns: usize) -> &str {
    let mut seen = 0;
    for (at, c) in line.char_indices() {
        if seen >= columns || c != '\t' && c != ' ' {
            return line.get(at..).unwrap_or_default();
        }
        seen += if c == '\t' { TAB } else { 1 };
    }
    ""
}

/// The container that a line closes.
pub(super) fn closed(line: &str) -> Option<&'static str> {
    let name = line.trim().strip_prefix("</")?.strip_suffix('>')?;
    CONTAINERS.into_iter().find(|known| *known == name)
}

/// What the marks at the beginning of a line make of it, and the rest.
pub(super) fn marked(line: &str) -> (Kind, &str, Extra) {
    let none = Extra::None;
    let hashes = line.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&hashes)
        && let Some(text) = after(line, hashes)
    {
        return (Kind::of_heading(hashes), text, none);
    }
    if let Some(text) = line.strip_prefix('>') {
        return (Kind::Quote, text.trim_start(), none);
    }
    if line.starts_with(['-', '*', '+'])
        && let Some(text) = after(line, 1)
    {
        for (mark, extra) in [
            ("[ ]", Extra::None),
            ("[x]", Extra::Checked),
            ("[X]", Extra::Checked),
        ] {
            if let Some(text) = text.strip_prefix(mark).and_then(|it| after(it, 0)) {
                return (Kind::ToDo, text, extra);
            }
        }
        return (Kind::BulletedListItem, text, none);
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && line
            .get(digits..)
            .is_some_and(|it| it.starts_with(['.', ')']))
        && let Some(text) = after(line, digits + 1)
    {
        return (Kind::NumberedListItem, text, none);
    }
    (Kind::Paragraph, line, none)
}

/// What follows a mark of `length` bytes and white space.
fn after(line: &str, length: usize) -> Option<&str> {
    let rest = line.get(length..)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
}

/// The image that a line is: caption and address.
pub(super) fn image(line: &str) -> Option<(&str, String)> {
    let rest = line.strip_prefix("![")?;
    let (caption, url) = rest.split_once("](")?;
    let url = url.strip_suffix(')')?;
    let url = url.trim().trim_start_matches('<').trim_end_matches('>');
    let is_one = !caption.contains("![") && !url.contains("](");
    is_one.then(|| (caption, url.replace("\\&", "&").replace("\\\\", "\\")))
}
