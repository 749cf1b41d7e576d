//! How far a word of negation reaches in a sentence: to the end of its clause.

use super::{stem, words};

/// The words of a sentence, and which of them are denied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Stems of the words.
    pub(super) stems: Vec<String>,
    /// Whether a word of negation stands before (or is) the word of that index,
    /// in the same clause.
    pub(super) denied: Vec<bool>,
}

impl Reading {
    /// Reads a sentence.
    pub(super) fn of(sentence: &str) -> Self {
        let mut reader = Reader::default();
        for (piece, border) in pieces(sentence) {
            reader.piece(piece, border);
        }
        reader.reading
    }

    /// Whether the phrase stands here: `Some(false)` where it only stands
    /// denied. What a phrase denies itself is part of what it says.
    pub(super) fn has(&self, phrase: &Self) -> Option<bool> {
        let own = phrase.denied.iter().position(|denied| *denied);
        let length = own.unwrap_or(phrase.stems.len());
        let mut found = None;
        for start in super::positions(&self.stems, &phrase.stems) {
            if self.denied[start..start + length]
                .iter()
                .all(|denied| !denied)
            {
                return Some(true);
            }
            found = Some(false);
        }
        found
    }
}

/// Words that deny what follows them.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nothing", "nobody", "neither", "nor", "without", "cannot",
    "hardly",
];
/// Contractions as [`words`] gives them. "Wont" and "cant" are words of their
/// own only in old books.
const CONTRACTIONS: &[&str] = &[
    "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt",
    "mustnt", "neednt", "shouldnt", "wasnt", "werent", "wont", "wouldnt",
];
/// Two words that deny what follows them.
const PAIRS: &[(&str, &str)] = &[
    ("instead", "of"),
    ("rather", "than"),
    ("failed", "to"),
    ("unable", "to"),
    ("refused", "to"),
    ("declined", "to"),
];
/// Two words that look like a negation and are none.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("not", "only"),
    ("not", "just"),
    ("no", "doubt"),
    ("no", "later"),
    ("no", "problem"),
    ("no", "worries"),
];
/// Words that begin a clause of their own.
const BORDERS: &[&str] = &[
    "but", "however", "although", "though", "whereas", "while", "because", "since", "except",
    "yet", "so",
];
/// Words that make a piece behind a comma or an "and" a clause: pronouns,
/// auxiliaries, and verbs that do not end in "ed" in the past.
const SUBJECTS_AND_VERBS: &[&str] = &[
    "i", "we", "it", "they", "you", "he", "she", "this", "that", "is", "are", "was", "were", "has",
    "have", "had", "will", "would", "can", "could", "should", "do", "does", "did", "set", "made",
    "kept", "put", "took", "went", "wrote", "sent", "left", "chose", "gave", "told", "use", "uses",
];

/// What stands before a piece of a sentence.
#[derive(Clone, Copy, PartialEq)]
enum Border {
    /// A comma or colon: a new clause, or the next thing of a list.
    Comma,
    /// Something that always begins a clause.
    Hard,
}

/// The pieces between punctuation. A hyphen, a full stop or a colon inside a
/// word separates nothing.
fn pieces(sentence: &str) -> Vec<(&str, Border)> {
    let mut pieces = Vec::new();
    let (mut from, mut border) = (0, Border::Hard);
    let mut chars = sentence.char_indices().peekable();
    let mut previous = ' ';
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let outside = next.is_whitespace();
        let found = match char {
            ',' | ':' if outside => Some(Border::Comma),
            ';' | '(' | ')' | '|' | '—' | '–' => Some(Border::Hard),
            '.' | '!' | '?' if outside => Some(Border::Hard),
            '-' if outside && previous.is_whitespace() => Some(Border::Hard),
            _ => None,
        };
        if let Some(found) = found {
            pieces.push((&sentence[from..at], border));
            from = at + char.len_utf8();
            border = found;
        }
        previous = char;
    }
    pieces.push((&sentence[from..], border));
    pieces
}

/// Reads the words of a sentence.
#[derive(Default)]
struct Reader {
    reading: Reading,
    /// Whether what follows in this clause is denied.
    denied: bool,
    /// The word before, as it stands there.
    previous: String,
}

impl Reader {
    fn piece(&mut self, piece: &str, border: Border) {
        let words: Vec<String> = words(piece).collect();
        if words.is_empty() {
            return;
        }
        if border == Border::Hard || is_clause(&words) {
            self.end();
        }
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).map_or("", String::as_str);
            if BORDERS.contains(&word.as_str()) || (word == "and" && is_finite(next)) {
                self.end();
            }
            self.word(word, next);
        }
    }

    fn word(&mut self, word: &str, next: &str) {
        self.denied |= (NEGATIONS.contains(&word) && !EXCEPTIONS.contains(&(word, next)))
            || CONTRACTIONS.contains(&word)
            || PAIRS.contains(&(self.previous.as_str(), word));
        self.reading.stems.push(stem(word).to_owned());
        self.reading.denied.push(self.denied);
        word.clone_into(&mut self.previous);
    }

    fn end(&mut self) {
        self.previous.clear();
        self.denied = false;
    }
}

/// Whether the piece behind a comma or colon is a clause rather than the next thing of a
/// list: long, or with a subject or a verb near its beginning, or a negation.
fn is_clause(words: &[String]) -> bool {
    let begins = words.iter().take(3);
    words.len() > 6
        || begins.clone().any(|word| is_finite(word))
        || NEGATIONS.contains(&words[0].as_str())
}

fn is_finite(word: &str) -> bool {
    SUBJECTS_AND_VERBS.contains(&word) || (word.len() > 4 && word.ends_with("ed"))
}
