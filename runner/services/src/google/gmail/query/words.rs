//! Words: how searches see text.
//!
//! Text becomes a line of lower-case words with one space around each, so that
//! a word or a phrase is found on the boundaries of words by looking for
//! `" the phrase "`. Everything that is neither letter nor digit separates
//! words. Scripts that are written without spaces have words of one character.

use std::ops::Range;

use crate::google::gmail::mime::{Address, Head};

/// Where in a mail a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::google::gmail) enum Place {
    /// Everywhere.
    Anywhere,
    /// Names and addresses of `From`.
    From,
    /// Names and addresses of everyone it is addressed to.
    To,
    /// Those of `Cc`.
    Cc,
    /// Those of `Bcc`.
    Bcc,
    /// The subject.
    Subject,
    /// Names of files.
    Files,
    /// The mailing list.
    List,
}

/// Documents that Gmail recognises by their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::google::gmail) enum Link {
    /// Anything in Google Drive.
    Drive,
    /// A Google document.
    Document,
    /// A Google spreadsheet.
    Spreadsheet,
    /// A Google presentation.
    Presentation,
    /// A video.
    Video,
}

/// The words of a mail. Fields are separated by a line break, which no phrase
/// contains.
#[derive(Debug, Default)]
pub(in crate::google::gmail) struct Index {
    words: Box<str>,
    from: Range<usize>,
    to: Range<usize>,
    cc: Range<usize>,
    bcc: Range<usize>,
    subject: Range<usize>,
    files: Range<usize>,
    list: Range<usize>,
}

impl Index {
    /// The words of a header, of the names of files (one a line) and of a text.
    pub(in crate::google::gmail) fn new(head: &Head, files: &str, text: &str) -> Self {
        let mut words = String::with_capacity(text.len() + 256);
        let mut index = Self {
            from: people(&head.from, &mut words),
            to: people(&head.to, &mut words),
            cc: people(&head.cc, &mut words),
            bcc: people(&head.bcc, &mut words),
            subject: field(&head.subject, &mut words),
            ..Self::default()
        };
        let start = words.len();
        for name in files.lines() {
            field(name, &mut words);
        }
        index.files = start..words.len();
        index.list = field(&head.list, &mut words);
        field(text, &mut words);
        index.words = words.into();
        index
    }

    /// The words of a place.
    pub(super) fn words(&self, place: Place) -> &str {
        let range = match place {
            Place::Anywhere => return &self.words,
            Place::From => self.from.clone(),
            // The fields of recipients follow one another.
            Place::To => self.to.start..self.bcc.end,
            Place::Cc => self.cc.clone(),
            Place::Bcc => self.bcc.clone(),
            Place::Subject => self.subject.clone(),
            Place::Files => self.files.clone(),
            Place::List => self.list.clone(),
        };
        self.words.get(range).unwrap_or_default()
    }

    /// Whether the text has a link of this kind.
    pub(super) fn links(&self, link: Link) -> bool {
        let hosts: &[&str] = match link {
            Link::Drive => &[" drive google com ", " docs google com "],
            Link::Document => &[" docs google com document "],
            Link::Spreadsheet => &[" docs google com spreadsheets "],
            Link::Presentation => &[" docs google com presentation "],
            Link::Video => &[" youtube com ", " youtu be "],
        };
        hosts.iter().any(|host| self.words.contains(host))
    }
}

fn people(list: &[Address], words: &mut String) -> Range<usize> {
    let start = words.len();
    for address in list {
        field(&address.name, words);
        field(&address.email, words);
    }
    start..words.len()
}

fn field(text: &str, words: &mut String) -> Range<usize> {
    let start = words.len();
    words.push(' ');
    split(text, words);
    words.push('\n');
    start..words.len()
}

/// Appends the words of `text`, each followed by a space.
fn split(text: &str, words: &mut String) {
    let mut open = false;
    for c in text.chars() {
        if !c.is_alphanumeric() {
            if open {
                words.push(' ');
            }
            open = false;
            continue;
        }
        if stands_alone(c) {
            if open {
                words.push(' ');
            }
            words.push(c);
            words.push(' ');
            open = false;
            continue;
        }
        if c.is_ascii() {
            words.push(c.to_ascii_lowercase());
        } else {
            words.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        }
        open = true;
    }
    if open {
        words.push(' ');
    }
}

/// Han and Kana, which are written without spaces.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// `" the words "` of a search; `None` where there are none.
pub(super) fn needle(text: &str) -> Option<String> {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    split(text, &mut words);
    (words.len() > 1).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        needle(text).unwrap_or_default()
    }

    #[test]
    fn words_end_where_letters_and_digits_end() {
        for (text, expected) in [
            ("Q3-planning, v2.0!", " q3 planning v2 0 "),
            ("  a\tb\n", " a b "),
            ("Ada.L@Example.COM", " ada l example com "),
            ("ÄRGER Straße ΣΑΣ", " ärger straße σασ "),
            ("don't_stop", " don t stop "),
            ("東京tower", " 東 京 tower "),
            ("--- * ---", ""),
            ("", ""),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_phrase_does_not_reach_over_fields() {
        let head = Head {
            subject: "first second".into(),
            ..Head::default()
        };
        let index = Index::new(&head, "a.pdf\nb.txt\n", "third fourth");
        let anywhere = index.words(Place::Anywhere);
        assert!(anywhere.contains(" first second ") && anywhere.contains(" third fourth "));
        assert!(!anywhere.contains(" second third ") && !anywhere.contains(" pdf b "));
        assert_eq!(index.words(Place::Subject), " first second \n");
        assert!(index.words(Place::Files).contains(" b txt "));
        assert!(!index.words(Place::Files).contains(" third "));
    }
}
