//! `{attempt}`: the number of an attempt, in what a task says to its agent.
//!
//! Seeds have it too (`proctor_services::SeedOptions::attempt`), so that a
//! prompt can name the repository of its own attempt.

use std::borrow::Cow;

/// Stands for the number of the attempt.
pub(crate) const PLACEHOLDER: &str = "{attempt}";

/// `text` for the attempt with this number, from 0.
pub(crate) fn filled(text: &str, attempt: u32) -> Cow<'_, str> {
    if text.contains(PLACEHOLDER) {
        Cow::Owned(text.replace(PLACEHOLDER, &attempt.to_string()))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_placeholder_is_replaced() {
        for (text, expected) in [
            (
                "The repository is hydra-{attempt}.",
                "The repository is hydra-4.",
            ),
            ("{attempt}{attempt}", "44"),
            (
                "{attempts} {Attempt} { attempt }",
                "{attempts} {Attempt} { attempt }",
            ),
            ("{{attempt}}", "{4}"),
            ("", ""),
        ] {
            assert_eq!(filled(text, 4), expected);
        }
    }
}
