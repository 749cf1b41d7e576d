//! Characters that mean something in Markdown.

/// Escaped outside of code.
const SPECIAL: &str = "\\*~`$[]<>{}|^";

/// A text so that Markdown reads it as it is; a line break is a tag.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.as_str();
        match c {
            '\n' => escaped.push_str("<br>"),
            // Within a word it has no meaning.
            '_' if is_word(before) && is_word(after.chars().next()) => escaped.push(c),
            '&' if !is_entity(after) => escaped.push(c),
            '!' if !after.is_empty() && !after.starts_with('[') => escaped.push(c),
            '_' | '&' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ if SPECIAL.contains(c) => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
        before = Some(c);
    }
    escaped
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// Whether what follows an ampersand makes it an entity.
fn is_entity(after: &str) -> bool {
    let Some((name, _)) = after.split_once(';') else {
        return false;
    };
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
}

/// A line of plain text so that it does not begin like a block.
pub(super) fn beginning(line: String) -> String {
    if line.starts_with(['#', '-', '+']) {
        return format!("\\{line}");
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    if digits > 0 && rest.starts_with(['.', ')']) {
        return format!("{number}\\{rest}");
    }
    line
}

/// The destination of a link.
pub(super) fn destination(url: &str) -> String {
    let mut escaped = String::with_capacity(url.len());
    let mut rest = url.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' | '<' | '>' => escaped.extend(['\\', c]),
            '&' if is_entity(rest.as_str()) => escaped.push_str("\\&"),
            '\n' => escaped.push_str("%0A"),
            '\r' => escaped.push_str("%0D"),
            _ => escaped.push(c),
        }
    }
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"()<>".contains(c);
    if !url.is_empty() && url.chars().all(is_plain) {
        escaped
    } else {
        format!("<{escaped}>")
    }
}

/// The value of an attribute.
pub(super) fn attribute(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', "&#10;")
}

/// What the value of an attribute means.
pub(super) fn unattribute(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    value
        .replace("&#10;", "\n")
        .replace("&gt;", ">")
        .replace("&lt;", "<")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}
