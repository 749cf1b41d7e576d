//! Whether a sentence says that the documentation is done.

use proctor_grader::text::Prose;

use crate::wording::{Together, Words};

const DOCS: &[&str] = &[
    "api",
    "docs",
    "documentation",
    "api reference",
    "reference",
    "page",
    "endpoints",
];
const DONE: &[&str] = &[
    "done",
    "complete",
    "completed",
    "ready",
    "filled",
    "populated",
    // Not "documented" alone: it has the stem of "documentation".
    "documented the",
    "been documented",
    "documented all",
    "documented every",
    "documented it",
    "have documented",
    "ive documented",
    "now documented",
    "is documented",
    "are documented",
    "published",
    "updated",
    "live",
    "finished",
    "written",
    "available",
    "in place",
    "up to date",
    "added",
    "is up",
    "now covers",
    "covers every",
    "covers all",
    "contains every",
    "contains all",
    "has every endpoint",
    "has all",
    "lists every",
    "lists all",
    "now lists",
    "wrote",
];
/// Words of what is still to come.
const PENDING: &[&str] = &[
    "pending",
    "will be",
    "once",
    "revisit",
    "soon",
    "later",
    "tomorrow",
    "not yet",
    "in progress",
    "as soon as",
    "when both",
    "going to",
    "plan to",
    "after the",
];

/// Whether a sentence says that the documentation is done: in one of its
/// clauses, or as a whole where no word of it is about the future.
pub(crate) fn says_done(sentence: &str) -> bool {
    let done = Together::of(&[DOCS, DONE]);
    let says = |text: &str| {
        let prose = Prose::new(text);
        done.is_said(&prose) && !Words::of(text).have_any(PENDING)
    };
    let clauses = sentence.split([',', ';', ':', '—', '–', '(', ')']);
    says(sentence) || clauses.into_iter().any(says)
}

#[cfg(test)]
mod tests {
    use super::says_done;

    #[test]
    fn what_is_done_is_told_from_what_is_to_come() {
        for text in [
            "the API reference is done!",
            "The API docs are ready, I will be happy to extend them.",
            "I've documented all five endpoints on the page",
            "all five endpoints have been documented with their fields",
            "The API reference contains every endpoint.",
            "The page, Product / API Reference / Hydra Inference API, is now filled in.",
        ] {
            assert!(says_done(text), "{text}");
        }
        for text in [
            "Once both PRs are merged, I'll be able to revisit the Notion API docs.",
            "The API docs are not done.",
            "The API docs will be ready tomorrow.",
            "The docs are pending, they are not yet complete",
            "Everything is done.",
            "The API reference does not contain every endpoint.",
        ] {
            assert!(!says_done(text), "{text}");
        }
    }
}
