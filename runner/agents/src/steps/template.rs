//! `{{name}}` in the text of a step.

use std::collections::BTreeMap;

/// Captured values by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, String>);

/// Why a template could not be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Nothing was captured under that name.
    #[error("nothing was captured as `{name}` before{}", known(captured))]
    Unknown {
        /// The name.
        name: String,
        /// What there is.
        captured: Vec<String>,
    },
    /// The filled-in text is too long.
    #[error("the text has more than {limit} bytes with its variables filled in")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
}

fn known(captured: &[String]) -> String {
    if captured.is_empty() {
        ", nor anything else".to_owned()
    } else {
        format!("; there is {}", captured.join(", "))
    }
}

impl Variables {
    /// Keeps `value` as `name`, in place of what was there.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// `template` with every `{{name}}` replaced by its value, of at most
    /// `limit` bytes. Values are not looked at again: braces in them stay.
    ///
    /// # Errors
    /// For a name that nothing was captured as, and for too long a text.
    pub fn fill(&self, template: &str, limit: usize) -> Result<String, TemplateError> {
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(at) = rest.find("{{") {
            let (before, braces) = rest.split_at(at);
            let Some((whole, name)) = placeholder(braces) else {
                // One brace on, so that the last two of `{{{name}}` are seen.
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            };
            if let Some(before) = before.strip_suffix('\\') {
                out.push_str(before);
                out.push_str(whole);
            } else {
                out.push_str(before);
                out.push_str(self.get(name)?);
            }
            rest = &braces[whole.len()..];
            if out.len() > limit {
                break;
            }
        }
        out.push_str(rest);
        if out.len() > limit {
            Err(TemplateError::TooLong { limit })
        } else {
            Ok(out)
        }
    }

    fn get(&self, name: &str) -> Result<&str, TemplateError> {
        self.0
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| TemplateError::Unknown {
                name: name.to_owned(),
                captured: self.0.keys().cloned().collect(),
            })
    }
}

/// The placeholder at the start of `text`: the whole of it, and its name.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("{{")?;
    let name = &inner[..inner.find("}}")?];
    let whole = &text[..name.len() + 4];
    let name = name.trim_matches(' ');
    is_name(name).then_some((whole, name))
}

/// Whether `text` can be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables {
        let mut variables = Variables::default();
        variables.set("id", "18f0");
        variables.set("braces", "{{id}} $HOME");
        variables
    }

    #[test]
    fn names_are_replaced_and_everything_else_is_left_alone() {
        for (template, expected) in [
            ("get {{id}} {{ id }}", "get 18f0 18f0"),
            ("{{{id}}}", "{18f0}"),
            (
                "docker --format '{{.Names}}'",
                "docker --format '{{.Names}}'",
            ),
            ("{{", "{{"),
            ("{{}}", "{{}}"),
            ("{{id", "{{id"),
            ("a\\{{id}}b", "a{{id}}b"),
            ("{{braces}}", "{{id}} $HOME"),
            ("é{{id}}é", "é18f0é"),
            ("{{\n{{id}}", "{{\n18f0"),
        ] {
            assert_eq!(
                variables().fill(template, 100).unwrap(),
                expected,
                "{template}"
            );
        }
    }

    #[test]
    fn an_unknown_name_says_which_there_are() {
        let error = variables().fill("{{idd}}", 100).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nothing was captured as `idd` before; there is braces, id"
        );
        assert!(
            Variables::default()
                .fill("{{a}}", 9)
                .unwrap_err()
                .to_string()
                .ends_with("nor anything else")
        );
    }

    #[test]
    fn the_filled_in_text_is_bounded() {
        let mut variables = Variables::default();
        variables.set("big", "x".repeat(1000));
        let template = "{{big}}".repeat(1000);
        assert_eq!(
            variables.fill(&template, 5000),
            Err(TemplateError::TooLong { limit: 5000 })
        );
    }
}
