//! The summary as lines under headings.

use std::collections::BTreeMap;

use proctor_grader::files::Head;
use proctor_grader::text::{Terms, contains_words, term, words};

use crate::wording::{TITLE_CHARS, head};

/// Lines of the summary that are read.
const LINES: usize = 2000;
/// Words of a title that are looked for.
const NAME_WORDS: usize = 64;
/// Words of a line that are read.
const LINE_WORDS: usize = 400;

/// What the lines under a heading are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Created,
    Completed,
    /// Something else, or several things at once.
    Other,
}

/// One line that is not blank.
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) words: Vec<String>,
    pub(crate) topic: Topic,
    pub(crate) is_heading: bool,
    /// A list item or table row that is not nested in another one.
    pub(crate) is_item: bool,
    /// A ticked box or a check mark.
    is_ticked: bool,
}

/// The summary, indexed: any number of titles are looked for in it, and its
/// author chose both.
pub(crate) struct Document {
    pub(crate) lines: Vec<Line>,
    /// A number for each word.
    numbers: BTreeMap<String, u32>,
    /// The words of each line as numbers.
    numbered: Vec<Vec<u32>>,
    /// Lines that have a meaning-bearing word, by its stem.
    lines_with: BTreeMap<String, Vec<usize>>,
}

/// A title to look for.
pub(crate) struct Name {
    words: Vec<String>,
    terms: Terms,
}

impl Name {
    pub(crate) fn of(title: &str) -> Self {
        let words: Vec<String> = words(head(title, TITLE_CHARS)).take(NAME_WORDS).collect();
        Self {
            terms: terms_of(&words),
            words,
        }
    }
}

fn terms_of(words: &[String]) -> Terms {
    let terms = words.iter().filter_map(|word| term(word));
    terms.map(str::to_owned).collect()
}

impl Document {
    pub(crate) fn parse(file: &Head) -> Self {
        let mut lines = Vec::new();
        let mut section = Section {
            topic: Topic::Other,
            indent: None,
        };
        for (number, text) in file.lines().take(LINES) {
            let words: Vec<String> = words(text).take(LINE_WORDS).collect();
            if !words.is_empty() {
                lines.push(section.line(number, text, words));
            }
        }
        Self::index(lines)
    }

    fn index(lines: Vec<Line>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut numbered = Vec::new();
        let mut lines_with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, line) in lines.iter().enumerate() {
            let mut number = |word: &String| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(word.clone()).or_insert(next)
            };
            numbered.push(line.words.iter().map(&mut number).collect());
            for term in terms_of(&line.words).iter() {
                lines_with.entry(term.to_owned()).or_default().push(index);
            }
        }
        Self {
            lines,
            numbers,
            numbered,
            lines_with,
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.lines.is_empty()
    }

    /// The first line that names the title; where `as_completed`, also says
    /// that it is completed, by itself or under its heading.
    pub(crate) fn line_naming(&self, name: &Name, as_completed: bool) -> Option<u64> {
        let lines = self.lines_naming(name).into_iter();
        let mut lines = lines.map(|index| &self.lines[index]);
        lines
            .find(|line| !as_completed || line.says_completed())
            .map(|line| line.number)
    }

    /// Positions of the lines in which the title stands, in full or nearly so.
    pub(crate) fn lines_naming(&self, name: &Name) -> Vec<usize> {
        let phrase: Option<Vec<u32>> = name
            .words
            .iter()
            .map(|word| self.numbers.get(word).copied())
            .collect();
        let mut shared = vec![0; self.lines.len()];
        for index in name
            .terms
            .iter()
            .filter_map(|term| self.lines_with.get(term))
            .flatten()
        {
            shared[*index] += 1;
        }
        let wanted = name.terms.len();
        let has_most = |index: usize| {
            let (shared, words) = (shared[index], self.numbered[index].len());
            wanted >= 2 && words >= 2 && shared >= 2 && shared * 4 >= wanted * 3
        };
        let has_all = |index: usize| {
            let phrase = phrase.as_ref();
            phrase.is_some_and(|phrase| contains_words(&self.numbered[index], phrase))
        };
        (0..self.lines.len())
            .filter(|index| has_most(*index) || has_all(*index))
            .collect()
    }
}

impl Line {
    /// Whether the line says that something does not exist or did not happen.
    pub(crate) fn denies(&self) -> bool {
        const DENIALS: [&str; 15] = [
            "0", "cannot", "cant", "couldnt", "didnt", "failed", "na", "never", "no", "none",
            "not", "nothing", "unable", "without", "zero",
        ];
        self.words
            .iter()
            .any(|word| DENIALS.binary_search(&word.as_str()).is_ok())
    }

    /// Whether the line says by itself that something was created.
    pub(crate) fn says_created(&self) -> bool {
        self.words
            .iter()
            .any(|word| matches!(word.as_str(), "created" | "added" | "inserted"))
    }

    fn says_completed(&self) -> bool {
        self.topic == Topic::Completed
            || self.is_ticked
            || self.words.iter().any(|word| is_completion(word))
    }
}

fn is_completion(word: &str) -> bool {
    matches!(
        word,
        "completed" | "complete" | "completion" | "done" | "finished" | "closed"
    )
}

/// The section that a line stands in.
struct Section {
    topic: Topic,
    /// Indentation of the section's first item.
    indent: Option<usize>,
}

impl Section {
    fn line(&mut self, number: u64, text: &str, words: Vec<String>) -> Line {
        let trimmed = text.trim();
        let is_heading = is_heading(trimmed, words.len());
        if is_heading {
            *self = Self {
                topic: topic(&words),
                indent: None,
            };
        }
        let is_item = !is_heading && is_list_item(trimmed) && {
            let indent = text.len() - text.trim_start().len();
            indent <= *self.indent.get_or_insert(indent)
        };
        let is_ticked = ["[x]", "[X]", "✅", "✔", "☑"]
            .iter()
            .any(|mark| text.contains(mark));
        Line {
            number,
            words,
            topic: self.topic,
            is_heading,
            is_item,
            is_ticked,
        }
    }
}

/// A Markdown heading, or a short line that announces what follows.
fn is_heading(line: &str, words: usize) -> bool {
    let plain = line.trim_end_matches(['*', '_']);
    let announces =
        plain.ends_with(':') || (plain.len() < line.len() && line.starts_with(['*', '_']));
    line.starts_with('#') || (announces && words <= 8)
}

fn is_list_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    let is_bullet = ["- ", "* ", "+ ", "• "]
        .iter()
        .any(|bullet| line.starts_with(bullet));
    is_bullet || is_numbered || line.starts_with('|')
}

fn topic(words: &[String]) -> Topic {
    let has = |is: fn(&str) -> bool| words.iter().any(|word| is(word));
    let created = has(|word| matches!(word, "created" | "new" | "newly" | "added"));
    let completed = has(is_completion);
    let found = has(|word| matches!(word, "found" | "existing" | "current"));
    match (created, completed, found) {
        (true, false, false) => Topic::Created,
        (false, true, false) => Topic::Completed,
        _ => Topic::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Document {
        Document::parse(&Head {
            text: text.to_owned(),
            complete: true,
        })
    }

    fn named(text: &str, title: &str, as_completed: bool) -> Option<u64> {
        parse(text).line_naming(&Name::of(title), as_completed)
    }

    #[test]
    fn lines_know_their_heading_and_whether_they_are_items() {
        let document = parse(
            "# Found, created and completed\n\n## Created tasks\n- One thing\n  - Due: Friday\n| two | x |\n3. Three\nText.\n**Completed:**\n* Four\n",
        );
        let seen: Vec<_> = document
            .lines
            .iter()
            .map(|line| (line.number, line.topic, line.is_item))
            .collect();
        assert_eq!(
            seen,
            [
                (1, Topic::Other, false),
                (3, Topic::Created, false),
                (4, Topic::Created, true),
                (5, Topic::Created, false),
                (6, Topic::Created, true),
                (7, Topic::Created, true),
                (8, Topic::Created, false),
                (9, Topic::Completed, false),
                (10, Topic::Completed, true),
            ]
        );
    }

    #[test]
    fn a_title_is_named_in_full_or_nearly() {
        let title = "Review pull request #42: fix login timeout";
        assert_eq!(
            named(
                "x\n- **Review pull request 42**: fix LOGIN timeout!",
                title,
                false
            ),
            Some(2)
        );
        assert_eq!(
            named("- fix the login timeout (pull request 42)", title, false),
            Some(1)
        );
        assert_eq!(named("- review something", title, false), None);
        assert_eq!(
            named("- documentation", "Update documentation", false),
            None
        );
    }

    #[test]
    fn completion_is_said_by_heading_word_or_tick() {
        let title = "Update documentation";
        assert_eq!(named("- Update documentation", title, true), None);
        for text in [
            "- Update documentation (already done)",
            "- [x] Update documentation",
            "Completed tasks:\n- Update documentation",
            "| Update documentation | completed |",
            "✅ Update documentation",
        ] {
            assert!(named(text, title, true).is_some(), "{text}");
        }
        assert_eq!(
            named(
                "## Completed\n## Found\n- Update documentation",
                title,
                true
            ),
            None
        );
    }
}
