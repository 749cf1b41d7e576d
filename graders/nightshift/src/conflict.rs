//! The conflict over the memory limit, as mails to Alex put it: 4Gi by the spec
//! against his 3Gi.

use proctor_grader::text::{Sentence, mentions};

use crate::mails::Letter;
use crate::wording::{Together, Words};

const GIBI: &[&str] = &["Gi", "GiB", "GB", "G"];

fn says_gibi(text: &str, number: f64) -> bool {
    mentions(text, number, GIBI)
}

/// The sentence that says that Alex's 3Gi was overridden: it names 3Gi and sets
/// something against it, in a mail that says 4Gi.
pub(crate) fn overrides_limit(letter: &Letter<'_>) -> Option<String> {
    if !Together::of(&[MEMORY_SET]).is_said(&letter.prose) {
        return None;
    }
    let contrast = |sentence: &&Sentence| says_gibi(&sentence.text, 3.0) && is_contrast(sentence);
    let found = letter.prose.sentences().iter().find(contrast);
    found.map(|sentence| sentence.text.clone())
}

pub(crate) const MEMORY_SET: &[&str] = &["4Gi", "4 gi", "4gib", "4 gib", "4gb", "4 gb"];

/// Whether a sentence about 3Gi denies it or sets something against it.
fn is_contrast(sentence: &Sentence) -> bool {
    let limit = Together::of(&[&["3Gi", "3 gi", "3gib", "3 gib", "3gb", "3 gb"]]);
    let denied = limit.says(sentence) == Some(false);
    denied
        || Words::of(&sentence.text).have_any(&[
            "override",
            "overrode",
            "overridden",
            "overriding",
            "overrule",
            "overruled",
            "supersede",
            "instead",
            "rather than",
            "deviate",
            "deviates",
            "conflict",
            "contradict",
            "despite",
            "although",
            "even though",
            "above",
            "higher than",
            "exceed",
            "but the",
            "however",
            "takes precedence",
            "differ",
            "went with 4gi",
            "against",
            "disregard",
        ])
}

const DOCUMENT: &[&str] = &["spec", "specification", "notion", "document", "v2 1"];
const AUTHORITY: &[&str] = &[
    "supersede",
    "superseding",
    "override",
    "overrides",
    "overriding",
    "overrule",
    "authoritative",
    "authority",
    "precedence",
    "priority over",
    "prevail",
    "source of truth",
    "governs",
    "governing",
    "binding",
    "outrank",
    "trumps",
    "over verbal",
    "above verbal",
    "not overridden by",
    "do not override",
    "does not override",
    "dont override",
    "cannot override",
    "cant override",
    "cannot be overridden",
    "requires an amendment",
    "without an amendment",
];

/// The sentence that says whose word counts: the spec beside a word of
/// authority, or beside 3Gi in a contrast, also where the spec is named in the
/// sentence before.
pub(crate) fn authority(letter: &Letter<'_>) -> Option<String> {
    let authority = Together::of(&[AUTHORITY]);
    let mut named_before = false;
    for sentence in letter.prose.sentences() {
        let words = Words::of(&sentence.text);
        let named = words.have_any(DOCUMENT);
        let about = named || named_before || words.have("verbal");
        let weighs = authority.says(sentence) == Some(true);
        let contrast = says_gibi(&sentence.text, 3.0) && is_contrast(sentence);
        if about && (weighs || contrast) {
            return Some(sentence.text.clone());
        }
        named_before = named;
    }
    None
}
