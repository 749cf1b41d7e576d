//! Whether a sentence says that something is so now: that the documentation is
//! done, the incident resolved.

use proctor_grader::text::{Prose, Sentence, Stance};

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
    "put together",
    "all set",
    "available",
    "in place",
    "up to date",
    "added",
    "is up",
    "are up",
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
/// Words of what is not so, or not yet.
const NOT_NOW: &[&str] = &[
    "will be",
    "to be",
    "once",
    "not yet",
    "as soon as",
    "when both",
    "going to",
    "plan to",
    "should be",
    "would",
    "could be",
    "can be",
    "until",
    "almost",
    "nearly",
    "half",
    "partly",
    "partially",
    "mostly",
    "tomorrow",
    "soon",
];
/// Words of documentation that is still to come.
const PENDING: &[&str] = &["pending", "revisit", "later", "in progress", "after the"];

/// Whether a sentence says something that is so now: in one of its clauses, or as
/// a whole where no word of it puts it off or halves it. A question says nothing.
pub(crate) fn is_so_now(sentence: &str, said: &Together, but: &[&str]) -> bool {
    let says = |text: &str| {
        let words = Words::of(text);
        said.is_said(&Prose::new(text)) && !words.have_any(NOT_NOW) && !words.have_any(but)
    };
    if sentence.trim_end().ends_with('?') || said.stance(&Prose::new(sentence)) == Stance::Absent {
        return false;
    }
    let clauses = sentence.split([',', ';', ':', '—', '–', '(', ')']);
    says(sentence) || clauses.into_iter().any(says)
}

/// The sentence that says something that is so now.
pub(crate) fn said_now<'p>(prose: &'p Prose, said: &Together) -> Option<&'p Sentence> {
    let mut sentences = prose.sentences().iter();
    sentences.find(|sentence| is_so_now(&sentence.text, said, &[]))
}

/// The sentence that says that the documentation is done.
pub(crate) fn documented(prose: &Prose) -> Option<&Sentence> {
    let done = Together::of(&[DOCS, DONE]);
    let mut sentences = prose.sentences().iter();
    sentences.find(|sentence| is_so_now(&sentence.text, &done, PENDING))
}

#[cfg(test)]
mod tests {
    use super::documented;
    use proctor_grader::text::Prose;

    #[test]
    fn what_is_done_is_told_from_what_is_to_come() {
        for text in [
            "the API reference is done!",
            "The API docs are ready, I will be happy to extend them.",
            "I've documented all five endpoints on the page",
            "all five endpoints have been documented with their fields",
            "The API reference contains every endpoint.",
            "Your API docs are up.",
            "The page, Product / API Reference / Hydra Inference API, is now filled in.",
        ] {
            assert!(documented(&Prose::new(text)).is_some(), "{text}");
        }
        for text in [
            "Once both PRs are merged, I'll be able to revisit the Notion API docs.",
            "The API docs are not done.",
            "The API docs will be ready tomorrow.",
            "The docs are pending, they are not yet complete",
            "Everything is done.",
            "Are the API docs done?",
            "The API docs page should be ready by Wednesday",
            "The API docs are half done.",
            "The API docs are almost complete.",
            "The API reference does not contain every endpoint.",
        ] {
            assert!(documented(&Prose::new(text)).is_none(), "{text}");
        }
    }
}
