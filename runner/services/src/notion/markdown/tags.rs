//! Tags: `<name key="value" ...>`, and attributes in braces after a text.

use super::escape::{attribute, unattribute};

/// An opening tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    attributes: Vec<(&'t str, String)>,
    /// Whether it ends itself: `<br/>`.
    pub(super) is_closed: bool,
}

impl<'t> Tag<'t> {
    /// The opening tag that a text begins with, and what follows it.
    pub(super) fn parse(text: &'t str) -> Option<(Self, &'t str)> {
        let rest = text.strip_prefix('<')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let length = rest.find(|c| !is_name(c))?;
        let (name, rest) = rest.split_at_checked(length)?;
        if name.is_empty() {
            return None;
        }
        let (attributes, rest) = attributes(rest);
        let rest = rest.trim_start();
        let (is_closed, rest) = match rest.strip_prefix("/>") {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix('>')?),
        };
        let tag = Self {
            name,
            attributes,
            is_closed,
        };
        Some((tag, rest))
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| *known == key);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }

    pub(super) fn is_bare(&self) -> bool {
        self.attributes.is_empty()
    }
}

/// `key="value"` pairs at the beginning of a text, and what follows them.
fn attributes(text: &str) -> (Vec<(&str, String)>, &str) {
    let mut attributes = Vec::new();
    let mut rest = text;
    while let Some((key, value, after)) = one(rest.trim_start()) {
        attributes.push((key, unattribute(value)));
        rest = after;
    }
    (attributes, rest)
}

fn one(text: &str) -> Option<(&str, &str, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let (key, rest) = text.split_at_checked(text.find(|c| !is_name(c))?)?;
    let rest = rest.strip_prefix('=').filter(|_| !key.is_empty())?;
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let (value, after) = rest.strip_prefix(quote)?.split_once(quote)?;
    Some((key, value, after))
}

/// A text without the attributes in braces at its end, and those.
pub(super) fn trailing(text: &str) -> (&str, Vec<(&str, String)>) {
    let none = (text, Vec::new());
    let Some(inside) = text.trim_end().strip_suffix('}') else {
        return none;
    };
    let Some(at) = inside.rfind('{') else {
        return none;
    };
    let (before, braced) = (inside.get(..at), inside.get(at + 1..));
    let (Some(before), Some(braced)) = (before, braced) else {
        return none;
    };
    if before.ends_with('\\') {
        return none;
    }
    let (found, rest) = attributes(braced);
    let known = found
        .iter()
        .all(|(key, _)| ["color", "toggle"].contains(key));
    if found.is_empty() || !known || !rest.trim().is_empty() {
        return none;
    }
    (before.trim_end(), found)
}

/// The beginning of a tag, its attributes written out.
pub(super) fn open(name: &str, attributes: &[(&str, &str)]) -> String {
    let mut tag = format!("<{name}");
    for (key, value) in attributes {
        tag.extend([" ", key, "=\"", &attribute(value), "\""]);
    }
    tag
}
