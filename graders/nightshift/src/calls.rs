//! Calls of methods in a statement, by its text.

/// What a method of that name is called on, and what follows its bracket:
/// `self._buffers` and `buf)` of `self._buffers.append(buf)`.
pub(crate) fn call_of<'s>(bare: &'s str, method: &str) -> Option<(&'s str, &'s str)> {
    let call = format!(".{method}(");
    let at = bare.find(&call)?;
    Some((before(bare, at), &bare[at + call.len()..]))
}

/// What a method is taken from where it is not called: `self._kept` of
/// `keep = self._kept.append`.
pub(crate) fn reference_to<'s>(bare: &'s str, method: &str) -> Option<&'s str> {
    let name = format!(".{method}");
    let found = bare.match_indices(&name).find(|(at, _)| {
        let rest = &bare[at + name.len()..];
        let next = rest.trim_start().chars().next();
        !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_') && next != Some('(')
    });
    found.map(|(at, _)| before(bare, at))
}

/// The expression that ends at a place, with its calls and indexes.
fn before(bare: &str, end: usize) -> &str {
    let mut depth = 0_usize;
    let mut from = end;
    for (at, char) in bare[..end].char_indices().rev() {
        match char {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            char if char.is_alphanumeric() || matches!(char, '_' | '.') => {}
            _ => break,
        }
        from = at;
    }
    &bare[from..end]
}

/// Names that are called in an expression, whatever they are taken from.
pub(crate) fn called(expression: &str) -> impl Iterator<Item = &str> {
    expression.match_indices('(').map(|(at, _)| {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let start = expression[..at].rfind(|char| !is_word(char));
        let start = start.map_or(0, |start| {
            start + expression[start..].chars().next().map_or(1, char::len_utf8)
        });
        &expression[start..at]
    })
}

/// Whether a word stands in a text; paths are one word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    text.split(|char| !is_word(char)).any(|one| one == word)
}

pub(crate) fn first_name(path: &str) -> &str {
    path.split(['.', '(', '[']).next().unwrap_or_default()
}
