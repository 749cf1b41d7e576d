//! Whatever an agent writes, reading it neither panics nor takes longer than a
//! text of that length may: generated texts, and the shapes that make naive
//! readers slow.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proctor_grader::files::Parsed;
use proctor_grader::markdown::Document;
use proctor_grader::testing::Bundle;
use proctor_grader::text::{self, Concept, Prose};
use proctor_grader::{Evidence, diff};

/// Pieces that mean something to one of the readers, and pieces that break naive
/// ones: characters of several bytes, marks, halves of pairs.
const PIECES: &[&str] = &[
    "a",
    "Word",
    "not ",
    "n't ",
    "no longer ",
    " and ",
    ", ",
    ". ",
    ": ",
    "; ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    "- ",
    "- [x] ",
    "  - ",
    "1. ",
    "9999999999999999999) ",
    "# ",
    "###### ",
    "**",
    "__",
    "`",
    "```",
    "~~~",
    "|",
    "| --- |",
    "> ",
    "[",
    "](",
    ")",
    "<http://",
    "https://x.example/a_b",
    "&amp;",
    "\\",
    "@@ -1 +1 @@",
    "@@ -1,9 +1,9 @@\n",
    "+",
    "-",
    "+++ b/x\n",
    "--- a/x\n",
    "diff --git a/x b/x\n",
    "\"a/\\303\"",
    "4Gi",
    "4 ",
    "1,024",
    "2048.5",
    "0",
    "_",
    ".",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{300}",
    "é",
    "ß",
    "İ",
    "計",
    "👩‍👩‍👧",
    "\u{10ffff}",
    "…",
    "—",
    "“",
    "\"",
    "'",
    "’",
    ",",
    "\"\"",
    "{",
    "}",
    "null",
];

/// Texts that are the same in every run.
struct Texts(u64);

impl Texts {
    fn below(&mut self, most: usize) -> usize {
        // Xorshift: any quick sequence does.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }

    fn next(&mut self, pieces: usize) -> String {
        (0..=self.below(pieces))
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }
}

fn read_everything(one: &str, other: &str) {
    let normal = text::normalize(one);
    assert_eq!(text::normalize(&normal), normal, "{one:?}");
    assert!(normal.is_empty() || text::contains_normalized(one, &normal));

    let words: Vec<String> = text::words(one).collect();
    assert_eq!(text::contains(one, one), !words.is_empty(), "{one:?}");
    for quantity in text::quantities(one) {
        assert!(one[quantity.at..].starts_with(|char: char| char.is_ascii_digit()));
    }

    let prose = Prose::new(one);
    let lines = one.lines().count() as u64;
    let mut last = 0;
    for sentence in prose.sentences() {
        assert!((last.max(1)..=lines).contains(&sentence.line), "{one:?}");
        last = sentence.line;
    }
    let concept = Concept::new(other).together(["not", other]);
    let stance = prose.stance(&concept);
    assert_eq!(stance.is_affirmed(), prose.says_all(&[concept]));

    let document = Document::parse(one);
    for section in document.sections().chain([document.whole()]) {
        assert!(one.contains(section.text()) && section.text().starts_with(section.own_text()));
        assert!(section.bullets().count() <= section.items().count());
        assert!(section.line() <= lines + 1);
    }

    let hunks = diff::compare(one, other);
    assert_eq!(
        hunks.is_empty(),
        one.lines().eq(other.lines()),
        "{one:?} {other:?}"
    );
    for file in diff::files(one) {
        let known = file
            .added()
            .chain(file.removed())
            .all(|(_, line)| one.contains(line));
        assert!(known, "{one:?}");
    }
    diff::hunks(one);
}

#[test]
fn generated_texts_are_read_without_a_panic() {
    let mut texts = Texts(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4_000 {
        let (one, other) = (texts.next(30), texts.next(12));
        read_everything(&one, &other);
    }
}

#[test]
fn every_piece_can_be_repeated_a_hundred_thousand_times() {
    for piece in PIECES {
        let text = piece.repeat(100_000 / piece.len().max(4) * 4);
        text::normalize(&text);
        assert!(text::quantities(&text).count() <= text.len());
        let prose = Prose::new(&text);
        prose.stance(&Concept::new("a a a a b").together(["word word", "not"]));
        assert!(diff::files(&text).len() <= text.len());
        diff::compare(&text, &text[..text.floor_char_boundary(text.len() / 2)]);
    }
}

fn evidence(content: &[u8]) -> Evidence {
    Bundle::new()
        .fixture("a", "seeded\n")
        .workspace("a", content)
        .evidence()
}

#[test]
fn any_bytes_are_a_file() {
    let mut texts = Texts(42);
    for _ in 0..500 {
        let mut bytes = texts.next(20).into_bytes();
        let at = texts.below(bytes.len());
        bytes[at] = 0xff;
        let evidence = evidence(&bytes);
        let workspace = evidence.workspace().unwrap();
        assert!(workspace.text("a").unwrap().is_some());
        let utf8 = workspace.utf8("a").unwrap();
        assert_eq!(
            utf8.as_ref().valid().is_some(),
            std::str::from_utf8(&bytes).is_ok()
        );
        assert!(!matches!(workspace.csv("a").unwrap(), Parsed::Missing));
        workspace.json::<serde_json::Value>("a").unwrap();
        assert!(!workspace.diff("a").unwrap().is_empty());
    }
}

#[test]
fn a_file_of_any_length_is_survived() {
    let long = vec![b'x'; (proctor_grader::files::TEXT_BYTES as usize) + 1];
    let evidence = evidence(&long);
    let workspace = evidence.workspace().unwrap();
    assert_eq!(workspace.text("a").unwrap().unwrap().len(), long.len() - 1);
    let problem = workspace.utf8("a").unwrap();
    assert!(problem.problem().unwrap().contains("are read at most"));
    let deep = "[".repeat(1_000_000);
    let nested = Bundle::new().workspace("a", deep).evidence();
    let json = nested
        .workspace()
        .unwrap()
        .json::<serde_json::Value>("a")
        .unwrap();
    assert!(matches!(json, Parsed::Malformed(_)));
}
