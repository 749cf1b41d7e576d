//! Comparing texts that people and agents wrote.
//!
//! Everything here is deterministic, linear in the length of the text, and
//! indifferent to case, punctuation, Markdown emphasis, control characters and
//! bidirectional marks. Stop words and stems are English; other languages
//! compare by whole words.
//!
//! | question | answer |
//! | --- | --- |
//! | Does this phrase stand in the text? | [`contains`], word by word |
//! | Does this piece of code stand in the text? | [`contains_normalized`], literally but for case, blanks and quotation marks |
//! | Does the text *say* this, in one of several ways, or deny it? | [`Prose::stance`] to a [`Concept`] |
//! | Is the number right, and its unit? | [`mentions`], [`quantities`] |
//! | Are two texts about the same thing? | [`Terms::overlap`] |
//!
//! Markdown has its structure read by [`markdown`](crate::markdown), changes by
//! [`diff`](crate::diff).

mod negation;
mod normal;
mod numbers;
mod prose;

pub use normal::{contains_normalized, normalize};
pub use numbers::{Quantity, mentions, quantities};
pub use prose::{Concept, Prose, Sentence, Stance};

/// The words of a text in order: runs of letters and digits in lower case.
/// Apostrophes and invisible characters inside a word are dropped; scripts
/// without spaces give one word a character.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut splitter = Splitter::new(text);
    std::iter::from_fn(move || {
        let mut word = String::new();
        splitter.next_into(&mut word).then_some(word)
    })
}

/// Takes the words of a text one by one into a buffer of the caller's, so that
/// who only looks at them allocates nothing.
struct Splitter<'t> {
    chars: std::str::Chars<'t>,
    /// A character that is a word by itself and ended the one before it.
    held: Option<char>,
}

impl<'t> Splitter<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            chars: text.chars(),
            held: None,
        }
    }

    /// Replaces what is in `word` by the next word. False at the end.
    fn next_into(&mut self, word: &mut String) -> bool {
        word.clear();
        if let Some(single) = self.held.take() {
            word.push(single);
            return true;
        }
        for char in self.chars.by_ref() {
            if char.is_ascii_alphanumeric() {
                if word.len() < LONGEST_WORD {
                    word.push(char.to_ascii_lowercase());
                }
            } else if char.is_ascii() {
                // Of ASCII, only the apostrophe stands inside of words.
                if char != '\'' && !word.is_empty() {
                    return true;
                }
            } else if is_ideograph(char) {
                if word.is_empty() {
                    word.push(char);
                } else {
                    self.held = Some(char);
                }
                return true;
            } else if char.is_alphanumeric() {
                if word.len() < LONGEST_WORD {
                    word.extend(char.to_lowercase());
                }
            } else if !is_inside_words(char) && !word.is_empty() {
                return true;
            }
        }
        !word.is_empty()
    }
}

/// Bytes of a word that count. What follows is ignored.
const LONGEST_WORD: usize = 64;

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Characters that neither belong to a word nor end it.
fn is_inside_words(char: char) -> bool {
    matches!(char, '\'' | '\u{2019}' | '\u{300}'..='\u{36f}') || is_invisible(char)
}

/// Characters that have no width or turn the direction of text around.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The meaning-bearing words of a text: no stop words, reduced to their stems,
/// each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Terms(Vec<String>);

/// The meaning-bearing words of a text.
pub fn terms(text: &str) -> Terms {
    let mut terms = Vec::new();
    let mut splitter = Splitter::new(text);
    let mut word = String::new();
    while splitter.next_into(&mut word) {
        terms.extend(term(&word).map(str::to_owned));
    }
    terms.into_iter().collect()
}

/// What a word contributes to [`terms`]: its stem, or nothing where it bears no
/// meaning. `word` is one of [`words`].
pub fn term(word: &str) -> Option<&str> {
    bears_meaning(word).then(|| stem(word))
}

impl FromIterator<String> for Terms {
    fn from_iter<I: IntoIterator<Item = String>>(terms: I) -> Self {
        let mut terms: Vec<String> = terms.into_iter().collect();
        terms.sort_unstable();
        terms.dedup();
        Self(terms)
    }
}

impl Terms {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether the stem is one of them.
    pub fn contains(&self, stem: &str) -> bool {
        self.0
            .binary_search_by(|term| term.as_str().cmp(stem))
            .is_ok()
    }

    /// Those that the other text has too.
    pub fn shared<'a>(&'a self, other: &Self) -> impl Iterator<Item = &'a str> {
        self.iter().filter(|term| other.contains(term))
    }

    /// Share of these words that the other text has too, 0 to 1. Nothing
    /// shares nothing.
    #[allow(
        clippy::cast_precision_loss,
        reason = "counts of words, far below 2^52"
    )]
    pub fn overlap(&self, other: &Self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        self.shared(other).count() as f64 / self.len() as f64
    }
}

/// Whether the words of `phrase` stand in `text` in the same order without
/// others between them. An empty phrase stands nowhere.
pub fn contains(text: &str, phrase: &str) -> bool {
    let text: Vec<String> = words(text).collect();
    let phrase: Vec<String> = words(phrase).collect();
    contains_words(&text, &phrase)
}

/// As [`contains`], for texts that are already split into [`words`].
pub fn contains_words<W: PartialEq>(text: &[W], phrase: &[W]) -> bool {
    positions(text, phrase).next().is_some()
}

/// Where the words of a phrase stand in a text, in order; an empty phrase
/// stands nowhere.
fn positions<W: PartialEq>(text: &[W], phrase: &[W]) -> impl Iterator<Item = usize> {
    let length = phrase.len();
    // Knuth, Morris and Pratt: linear for any texts, also for those that repeat
    // one word. `borders[n]` is the length of the longest proper prefix of the
    // first n + 1 words that is also their end.
    let mut borders = vec![0; length];
    let mut matched = 0;
    for index in 1..length {
        while matched > 0 && phrase[index] != phrase[matched] {
            matched = borders[matched - 1];
        }
        matched += usize::from(phrase[index] == phrase[matched]);
        borders[index] = matched;
    }
    let mut found = 0;
    let candidates = if length == 0 || length > text.len() {
        &[]
    } else {
        text
    };
    candidates
        .iter()
        .enumerate()
        .filter_map(move |(index, word)| {
            while found > 0 && (found == length || *word != phrase[found]) {
                found = borders[found - 1];
            }
            found += usize::from(*word == phrase[found]);
            (found == length).then(|| index + 1 - length)
        })
}

/// At most `limit` characters of a text on one line, safe to show: white space
/// is one blank, control and bidirectional characters are gone, and what was
/// cut off shows as `…`.
pub fn excerpt(text: &str, limit: usize) -> String {
    let visible = |char: &char| char.is_whitespace() || !(char.is_control() || is_invisible(*char));
    let mut excerpt = String::new();
    let mut length = 0;
    let mut blank = false;
    for char in text.chars().filter(visible) {
        if char.is_whitespace() {
            blank = length > 0;
            continue;
        }
        if length + usize::from(blank) >= limit {
            excerpt.push('…');
            break;
        }
        if std::mem::take(&mut blank) {
            excerpt.push(' ');
            length += 1;
        }
        excerpt.push(char);
        length += 1;
    }
    excerpt
}

fn bears_meaning(word: &str) -> bool {
    // A single letter means nothing; a single digit or ideograph may.
    let letter = word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic();
    !letter && !is_stop_word(word)
}

/// Most words are told from stop words by their first letter and their length,
/// without comparing texts.
fn is_stop_word(word: &str) -> bool {
    let Some(letter @ b'a'..=b'z') = word.bytes().next() else {
        return false;
    };
    let letter = usize::from(letter - b'a');
    STOP_WORDS[STOP_WORDS_FROM[letter]..STOP_WORDS_FROM[letter + 1]].contains(&word)
}

/// Where the stop words of each letter begin, and where the last ones end.
static STOP_WORDS_FROM: [usize; 27] = {
    let mut from = [0; 27];
    let mut index = 0;
    while index < STOP_WORDS.len() {
        // How many begin with this letter or one before it.
        from[(STOP_WORDS[index].as_bytes()[0] - b'a') as usize + 1] = index + 1;
        index += 1;
    }
    let mut letter = 1;
    while letter < from.len() {
        if from[letter] < from[letter - 1] {
            from[letter] = from[letter - 1];
        }
        letter += 1;
    }
    from
};

/// The stem of an English word in lower case: a light one, which only makes
/// inflections of one word alike (`plans`, `planned`, `planning`) and a few
/// derivations (`failed`, `failure`; `document`, `documentation`).
pub fn stem(word: &str) -> &str {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let word = singular(word);
    let word = inflection(word);
    let word = ["ation", "ment", "ure"].iter().fold(word, |word, suffix| {
        word.strip_suffix(suffix)
            .filter(|s| s.len() >= 4)
            .unwrap_or(word)
    });
    match word.strip_suffix(['e', 'y', 'i']) {
        Some(rest) if rest.len() >= 3 => rest,
        _ => word,
    }
}

fn singular(word: &str) -> &str {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix('s') {
        Some(rest) if !kept && rest.len() >= 3 => {
            // "replies" to "repli", which "reply" becomes as well.
            let plural = ["xe", "che", "she", "sse", "ie"]
                .iter()
                .any(|end| rest.ends_with(end));
            if plural {
                &rest[..rest.len() - 1]
            } else {
                rest
            }
        }
        _ => word,
    }
}

fn inflection(word: &str) -> &str {
    let root = word
        .strip_suffix("ing")
        .or_else(|| word.strip_suffix("ed").filter(|root| !root.ends_with('e')));
    let Some(root) = root else { return word };
    if root.len() < 3 || !root.bytes().any(|byte| b"aeiouy".contains(&byte)) {
        return word;
    }
    // "planned" to "plan", but "failed" to "fail" and "called" to "call".
    let bytes = root.as_bytes();
    let [.., before, last] = bytes else {
        return root;
    };
    if before == last && !b"lsz".contains(last) {
        &root[..root.len() - 1]
    } else {
        root
    }
}

/// English function words, greetings, and words that say "task" or "mail"
/// about anything. Sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "action", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "be", "because", "been", "before", "being", "best", "but", "by", "can", "could", "dear",
    "did", "do", "does", "doing", "done", "dont", "down", "each", "email", "emails", "for", "from",
    "fw", "fwd", "get", "had", "has", "have", "having", "hello", "her", "here", "hers", "hey",
    "hi", "him", "his", "how", "i", "if", "im", "in", "into", "is", "it", "item", "items", "its",
    "ive", "just", "kind", "let", "lets", "list", "mail", "mails", "may", "me", "message",
    "messages", "might", "more", "most", "must", "my", "need", "needed", "needs", "new", "no",
    "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over",
    "own", "please", "re", "regards", "same", "she", "should", "so", "some", "such", "task",
    "tasks", "than", "thank", "thanks", "that", "thats", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "todo", "too", "under", "until", "up", "us",
    "very", "via", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your", "youre",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        words(text).collect()
    }

    #[test]
    fn words_ignore_case_punctuation_markup_and_invisible_characters() {
        assert_eq!(
            list("**Review** PR #42: don't-ship!"),
            ["review", "pr", "42", "dont", "ship"]
        );
        assert_eq!(
            list("pla\u{200b}n \u{202e}Q3\u{202c}\u{0}ok"),
            ["plan", "q3", "ok"]
        );
        assert_eq!(list("Straße ÉTÉ e\u{301}te"), ["straße", "été", "ete"]);
        assert_eq!(list("計画 v2会議"), ["計", "画", "v2", "会", "議"]);
        assert_eq!(list(" \u{feff}—- "), Vec::<String>::new());
    }

    #[test]
    fn a_word_without_end_is_cut_not_kept() {
        let word = list(&"x".repeat(1 << 20));
        assert_eq!(word.len(), 1);
        assert_eq!(word[0].len(), LONGEST_WORD);
    }

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            &["plan", "plans", "planned", "planning"][..],
            &["fail", "fails", "failed", "failing", "failure", "failures"],
            &["document", "documents", "documentation", "documented"],
            &["schedule", "scheduled", "scheduling", "schedules"],
            &["reply", "replies"],
            &["fix", "fixes", "fixed", "fixing"],
            &["branch", "branches"],
            &["deploy", "deployment", "deployed"],
            &["call", "called", "calls"],
            &["status"],
            &["update", "updates", "updating"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
        for other in [
            ("meet", "mail"),
            ("string", "str"),
            ("feed", "fe"),
            ("q3", "q"),
        ] {
            assert_ne!(stem(other.0), stem(other.1));
        }
    }

    #[test]
    fn stop_words_are_sorted_and_bear_no_meaning() {
        assert!(STOP_WORDS.is_sorted());
        for letter in b'a'..=b'z' {
            let stop_words = STOP_WORDS
                .iter()
                .filter(|word| word.as_bytes()[0] == letter)
                .count();
            let letter = usize::from(letter - b'a');
            let found = STOP_WORDS_FROM[letter + 1] - STOP_WORDS_FROM[letter];
            assert_eq!(found, stop_words, "letter {letter}");
        }
        assert!(terms("Please do this new task: the email!").is_empty());
        assert_eq!(
            terms("Review the Q3 plans, a plan")
                .iter()
                .collect::<Vec<_>>(),
            ["plan", "q3", "review"]
        );
    }

    #[test]
    fn overlap_is_a_share_of_the_first_text() {
        let title = terms("Review pull request");
        let mail = terms("Code review request: a pull request waits for you");
        assert!((title.overlap(&mail) - 1.0).abs() < f64::EPSILON);
        assert!(mail.overlap(&title) < 1.0);
        assert!(terms("").overlap(&mail).abs() < f64::EPSILON);
    }

    #[test]
    fn a_phrase_has_to_stand_together() {
        assert!(contains(
            "- [x] **Update documentation** (done)",
            "update documentation"
        ));
        assert!(!contains(
            "update the documentation",
            "Update documentation"
        ));
        assert!(!contains("updated documentation", "Update documentation"));
        assert!(!contains("anything", " -- "));
        assert!(contains("a a b a a b a a c", "a a b a a c"));
        assert!(!contains("a a b a a b a a", "a a b a a c"));
        assert!(!contains("a a a", "a a a a"));
        assert!(contains("a a a", "a a a"));
    }

    #[test]
    fn an_excerpt_is_one_safe_line() {
        assert_eq!(excerpt("  a\r\n\tb\u{1b}[31m\u{202e}c ", 80), "a b[31mc");
        assert_eq!(excerpt("abc def", 5), "abc d…");
        assert_eq!(excerpt("abc def", 4), "abc…");
        assert_eq!(excerpt("abc   ", 3), "abc");
        assert_eq!(excerpt(&"é".repeat(1000), 10).chars().count(), 11);
    }
}
