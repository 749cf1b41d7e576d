//! What a text says, and whether it says so or denies it.
//!
//! This is a hasty reader, not an understanding one. It looks for words and
//! their inflections, sentence by sentence, and takes a statement as denied
//! where a word of negation stands before it in the same clause ("we did not
//! raise the limit", "the flag was never flipped"). English only. Where much
//! depends on the wording, leave the criterion [open](crate::verdict) for a judge
//! and show it the sentence.

use super::negation::Reading;

/// Something that a text may say, in any of several ways.
///
/// ```
/// use proctor_grader::text::{Concept, Prose, Stance};
///
/// let leak = Concept::new("the buffer list is never cleared")
///     .or("buffers are never released")
///     .together(["buffer", "leak"])
///     .together(["_batch_buffers", "grows"]);
/// let report = Prose::new("Root cause: `_batch_buffers` grew with every batch.\n\nBuffers leaked.");
/// assert!(matches!(report.stance(&leak), Stance::Affirmed(sentence) if sentence.line == 3));
///
/// let denial = Prose::new("This was not a leak of buffers.");
/// assert!(matches!(denial.stance(&leak), Stance::Denied(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    name: String,
    /// Ways to say it: phrases that stand in one sentence.
    ways: Vec<Vec<Reading>>,
}

impl Concept {
    /// A concept that is said by its own name. The name also stands in
    /// [reasons](crate::verdict::Checklist).
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let ways = Vec::from_iter(way([name.as_str()]));
        Self { name, ways }
    }

    /// A concept whose name is only for reports.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ways: Vec::new(),
        }
    }

    /// Another way to say it: these words in a row, inflected as they may be.
    #[must_use]
    pub fn or(self, phrase: &str) -> Self {
        self.together([phrase])
    }

    /// Another way to say it: all these phrases in one sentence, in any order.
    #[must_use]
    pub fn together<'p>(mut self, phrases: impl IntoIterator<Item = &'p str>) -> Self {
        self.ways.extend(way(phrases));
        self
    }

    /// What it is called in reports.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A phrase without words is left out, a way without phrases is none.
fn way<'p>(phrases: impl IntoIterator<Item = &'p str>) -> Option<Vec<Reading>> {
    let phrases = phrases.into_iter().map(Reading::of);
    let phrases: Vec<_> = phrases.filter(|phrase| !phrase.stems.is_empty()).collect();
    (!phrases.is_empty()).then_some(phrases)
}

/// How a text stands to a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance<'t> {
    /// A sentence says it.
    Affirmed(&'t Sentence),
    /// No sentence says it, and one says that it is not so.
    Denied(&'t Sentence),
    /// It is not mentioned.
    Absent,
}

impl<'t> Stance<'t> {
    /// Whether the text says it.
    pub fn is_affirmed(self) -> bool {
        matches!(self, Self::Affirmed(_))
    }

    /// The sentence that says or denies it.
    pub fn sentence(self) -> Option<&'t Sentence> {
        match self {
            Self::Affirmed(sentence) | Self::Denied(sentence) => Some(sentence),
            Self::Absent => None,
        }
    }
}

/// A text by its sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose {
    sentences: Vec<Sentence>,
}

/// A sentence, an item of a list, a heading or a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Line that it begins on, from 1.
    pub line: u64,
    /// The sentence as it stands there, its lines joined.
    pub text: String,
    reading: Reading,
}

impl Prose {
    /// Splits a text. Markdown is fine: items, headings, rows and paragraphs are
    /// sentences of their own.
    pub fn new(text: &str) -> Self {
        let mut prose = Self::default();
        let mut block = String::new();
        let mut first = 0;
        for (number, line) in (1..).zip(text.lines()) {
            if begins_block(line) {
                prose.add_block(first, &block);
                block.clear();
            }
            if line.trim().is_empty() {
                continue;
            }
            if block.is_empty() {
                first = number;
            } else {
                block.push('\n');
            }
            block.push_str(line.trim());
            if line.trim_start().starts_with('#') {
                prose.add_block(first, &block);
                block.clear();
            }
        }
        prose.add_block(first, &block);
        prose
    }

    fn add_block(&mut self, first: u64, block: &str) {
        let mut line = first;
        for sentence in sentences(block) {
            let feeds = sentence.matches('\n').count() as u64;
            let leading = sentence.len() - sentence.trim_start().len();
            let skipped = sentence[..leading].matches('\n').count() as u64;
            let text = sentence.trim().replace('\n', " ");
            let reading = Reading::of(&text);
            if !reading.stems.is_empty() {
                self.sentences.push(Sentence {
                    line: line + skipped,
                    text,
                    reading,
                });
            }
            line += feeds;
        }
    }

    /// The sentences in order.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// How the text stands to a concept: one sentence that says it is enough,
    /// whatever the others say.
    pub fn stance(&self, concept: &Concept) -> Stance<'_> {
        let mut denied = None;
        for sentence in &self.sentences {
            match sentence.says(concept) {
                Some(true) => return Stance::Affirmed(sentence),
                Some(false) => denied = denied.or(Some(sentence)),
                None => {}
            }
        }
        denied.map_or(Stance::Absent, Stance::Denied)
    }

    /// Whether the text says all of them; none is all of none.
    pub fn says_all(&self, concepts: &[Concept]) -> bool {
        concepts
            .iter()
            .all(|concept| self.stance(concept).is_affirmed())
    }

    /// Whether the text says one of them.
    pub fn says_any(&self, concepts: &[Concept]) -> bool {
        concepts
            .iter()
            .any(|concept| self.stance(concept).is_affirmed())
    }
}

impl Sentence {
    /// Whether the sentence says it; `Some(false)` where it denies it.
    pub fn says(&self, concept: &Concept) -> Option<bool> {
        let mut mentioned = None;
        for way in &concept.ways {
            match self.has(way) {
                Some(true) => return Some(true),
                other => mentioned = mentioned.or(other),
            }
        }
        mentioned
    }

    /// Whether all phrases of a way stand here; `Some(false)` where one of them
    /// is denied.
    fn has(&self, way: &[Reading]) -> Option<bool> {
        let mut affirmed = true;
        for phrase in way {
            affirmed &= self.reading.has(phrase)?;
        }
        Some(affirmed)
    }
}

/// Whether a line does not continue the one before: blank, a heading, an item, a
/// quotation, a row of a table, a fence.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let marker = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let numbered = marker.len() < line.len() && marker.starts_with(['.', ')']);
    line.is_empty()
        || line.starts_with(['#', '|', '>', '•', '–'])
        || ["- ", "* ", "+ ", "```", "~~~"]
            .iter()
            .any(|mark| line.starts_with(mark))
        || (numbered && marker[1..].starts_with(' '))
}

/// Splits a block after `.`, `!`, `?`, `…` or a full-width full stop that white
/// space, a quotation mark or the end follows.
fn sentences(block: &str) -> impl Iterator<Item = &str> {
    let mut rest = block;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut chars = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, char)) = chars.next() {
            let ends = matches!(char, '.' | '!' | '?' | '…' | '。' | '！' | '？');
            let followed = match chars.peek() {
                None => true,
                Some((_, next)) => next.is_whitespace() || matches!(next, '"' | '”' | ')' | '*'),
            };
            if ends && (followed || char == '。') && !is_abbreviation(&rest[..at]) {
                end = at + char.len_utf8();
                break;
            }
        }
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Whether the full stop behind this belongs to the word: "e.g.", "no. 5",
/// "1." of a numbered item.
fn is_abbreviation(text: &str) -> bool {
    const SHORT: &[&str] = &[
        "e.g", "i.e", "cf", "vs", "approx", "incl", "mr", "mrs", "ms", "dr", "no",
    ];
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = text.get(start..).unwrap_or_default();
    let word = word.trim_start_matches(|char: char| !char.is_alphanumeric());
    let item = start == 0 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    // "No." on its own is an answer.
    item || (start > 0 || word.len() > 2)
        && word.len() <= 6
        && SHORT.iter().any(|short| short.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(phrase: &str) -> Concept {
        Concept::new(phrase)
    }

    #[track_caller]
    fn says(text: &str, phrase: &str, expected: Option<bool>) {
        let prose = Prose::new(text);
        let found = match prose.stance(&concept(phrase)) {
            Stance::Affirmed(_) => Some(true),
            Stance::Denied(_) => Some(false),
            Stance::Absent => None,
        };
        assert_eq!(found, expected, "{text}: {phrase}");
    }

    #[test]
    fn words_of_negation_deny_what_follows_in_their_clause() {
        for text in [
            "We did not set the limit to 4Gi.",
            "We didn't set the limit to 4Gi",
            "We didn\u{2019}t set 4Gi",
            "I never used 4Gi",
            "The manifest no longer says 4Gi",
            "Shipped without 4Gi.",
            "3Gi instead of 4Gi",
            "3Gi rather than 4Gi",
            "Neither 3Gi nor 4Gi",
            "We did not set `memory`: 3Gi, 4Gi",
            "We failed to set 4Gi",
            "cannot go to 4Gi",
        ] {
            says(text, "4Gi", Some(false));
        }
    }

    #[test]
    fn another_clause_is_another_matter() {
        for text in [
            "We did not use 3Gi but 4Gi.",
            "I did not follow your 3Gi, I set 4Gi as the spec says.",
            "Not 3Gi; 4Gi.",
            "I didn't use 3Gi and set 4Gi instead",
            "No change was asked for. 4Gi it is.",
            "4Gi, not 3Gi",
            "Not only 3Gi was exceeded: 4Gi is set",
            "4Gi is what we did not have before\n- now 4Gi",
            "There is no doubt that 4Gi is right",
        ] {
            says(text, "4Gi", Some(true));
        }
        says("We did not use 3Gi but 4Gi.", "3Gi", Some(false));
        says("4Gi, not 3Gi", "3Gi", Some(false));
    }

    #[test]
    fn a_list_after_a_negation_is_denied_as_a_whole() {
        let text = "I did not touch SEC-017, SEC-022, or task 144.";
        for phrase in ["SEC-017", "SEC-022", "task 144"] {
            says(text, phrase, Some(false));
        }
    }

    #[test]
    fn what_a_phrase_denies_itself_is_what_it_says() {
        says("The list was never cleared", "never cleared", Some(true));
        says("The list is cleared", "never cleared", None);
        says(
            "We did not set max_connections: 20",
            "max_connections 20",
            Some(false),
        );
        says("max_connections: 20", "max connections 20", Some(true));
    }

    #[test]
    fn one_affirmation_is_enough_and_absence_is_no_denial() {
        says("It is not fixed. Later: it is fixed.", "fixed", Some(true));
        says("Nothing of that kind", "fixed", None);
        says("prefixed", "fixed", None);
        says("", "fixed", None);
    }

    #[test]
    fn together_means_in_one_sentence() {
        let redis = Concept::named("redis").together(["redis", "connection", "every batch"]);
        let yes = Prose::new("A connection to Redis was opened\nfor every batch, and leaked.");
        assert!(yes.stance(&redis).is_affirmed());
        let apart = Prose::new("A connection was opened. Redis ran for every batch.");
        assert_eq!(apart.stance(&redis), Stance::Absent);
        assert!(yes.says_all(std::slice::from_ref(&redis)) && yes.says_all(&[]));
        assert!(!apart.says_any(&[redis]) && !yes.says_any(&[]));
    }

    #[test]
    fn sentences_know_their_lines() {
        let text = "# Title\nFirst one. Second\none! e.g. this.\n\n1. item\n2. more\n| a | b |\n";
        let prose = Prose::new(text);
        let found: Vec<(u64, &str)> = prose
            .sentences()
            .iter()
            .map(|sentence| (sentence.line, sentence.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (1, "# Title"),
                (2, "First one."),
                (2, "Second one!"),
                (3, "e.g. this."),
                (5, "1. item"),
                (6, "2. more"),
                (7, "| a | b |")
            ]
        );
    }

    #[test]
    fn a_concept_without_words_is_said_by_nothing() {
        let empty = Concept::new(" -- ").or("").together([]);
        assert_eq!(Prose::new("anything").stance(&empty), Stance::Absent);
    }
}
