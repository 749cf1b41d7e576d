//! Agent-made text in reasons: quoted, short and few.

use proctor_grader::text::excerpt;

/// Characters of a title that count.
pub(crate) const TITLE_CHARS: usize = 1024;
/// Things that a reason names before it only counts the others.
const NAMED: usize = 5;
/// Citations of one criterion.
pub(crate) const CITED: usize = 20;

/// The first `limit` characters of a text.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    text.char_indices()
        .nth(limit)
        .map_or(text, |(end, _)| &text[..end])
}

/// A title in quotation marks.
pub(crate) fn quoted(title: &str) -> String {
    let title = excerpt(title, 80);
    if title.is_empty() {
        "(no title)".to_owned()
    } else {
        format!("“{title}”")
    }
}

/// `“a”`, `“a” and “b”`, `“a”, “b” and 7 more`.
pub(crate) fn named<'t>(titles: impl IntoIterator<Item = &'t str>) -> String {
    let mut titles = titles.into_iter();
    let mut parts: Vec<String> = titles.by_ref().take(NAMED).map(quoted).collect();
    let more = titles.count();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    match parts.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// `1 new task`, `2 new tasks`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
