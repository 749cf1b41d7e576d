//! Changes, line by line: reading unified diffs, and comparing two texts.
//!
//! ```
//! use proctor_grader::diff;
//!
//! let patch = "\
//! diff --git a/app.py b/app.py
//! --- a/app.py
//! +++ b/app.py
//! @@ -1,2 +1,2 @@
//!  import os
//! -DEBUG = True
//! +DEBUG = False
//! ";
//! let files = diff::files(patch);
//! assert_eq!(files[0].path(), "app.py");
//! assert!(files[0].added().eq([(2, "DEBUG = False")]));
//!
//! let hunks = diff::compare("a\nb\n", "a\nc\n");
//! assert!(hunks[0].removed().eq([(2, "b")]));
//! ```
//!
//! Diffs are read as leniently as they come: what is no part of one is passed
//! over, and a hunk that breaks off is as long as it is. Nothing an agent can
//! write makes reading fail, or take longer than its length.

mod read;

use imara_diff::{Algorithm, InternedInput, sources};

pub use read::{files, hunks};

/// What a diff says about one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Path before; none for a new file.
    pub old: Option<String>,
    /// Path after; none for a removed file.
    pub new: Option<String>,
    /// Whether it is a file that the diff does not show the lines of.
    pub binary: bool,
    /// Its changes in order.
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// Path after the change; for a removed file, before it.
    pub fn path(&self) -> &str {
        self.new
            .as_deref()
            .or(self.old.as_deref())
            .unwrap_or_default()
    }

    /// Whether it has another path than before.
    pub fn is_renamed(&self) -> bool {
        matches!((&self.old, &self.new), (Some(old), Some(new)) if old != new)
    }

    /// Added lines with their numbers after the change, from 1.
    pub fn added(&self) -> impl Iterator<Item = (u64, &str)> {
        self.hunks.iter().flat_map(Hunk::added)
    }

    /// Removed lines with their numbers before the change, from 1.
    pub fn removed(&self) -> impl Iterator<Item = (u64, &str)> {
        self.hunks.iter().flat_map(Hunk::removed)
    }
}

/// Lines that changed together, with those around them that a diff shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// What the diff says that it is in: often the head of a function.
    pub section: String,
    /// Its lines in order.
    pub lines: Vec<Line>,
}

impl Hunk {
    /// Added lines with their numbers after the change, from 1.
    pub fn added(&self) -> impl Iterator<Item = (u64, &str)> {
        self.of(Kind::Added)
    }

    /// Removed lines with their numbers before the change, from 1.
    pub fn removed(&self) -> impl Iterator<Item = (u64, &str)> {
        self.of(Kind::Removed)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = (u64, &str)> {
        let lines = self.lines.iter().filter(move |line| line.kind == kind);
        lines.map(|line| (line.number, line.text.as_str()))
    }
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What happened to it.
    pub kind: Kind,
    /// Its number from 1: for removed lines before the change, for others after.
    pub number: u64,
    /// The line without its end.
    pub text: String,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// Lines that differ between two texts, without lines around them. Ends of
/// lines do not count: neither `\r` nor a missing one at the end.
pub fn compare(before: &str, after: &str) -> Vec<Hunk> {
    let content = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let mut input = InternedInput::default();
    input.update_before(sources::lines(before).map(content));
    input.update_after(sources::lines(after).map(content));
    let diff = imara_diff::Diff::compute(Algorithm::Histogram, &input);
    let lines = |tokens: &[imara_diff::Token], range: std::ops::Range<u32>, kind| {
        let mut lines = Vec::new();
        for index in range {
            let token = tokens[index as usize];
            lines.push(Line {
                kind,
                number: u64::from(index) + 1,
                text: input.interner[token].clone(),
            });
        }
        lines
    };
    diff.hunks()
        .map(|hunk| {
            let mut changed = lines(&input.before, hunk.before, Kind::Removed);
            changed.extend(lines(&input.after, hunk.after, Kind::Added));
            Hunk {
                section: String::new(),
                lines: changed,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_differ_in_lines() {
        let hunks = compare("a\nb\nc\nd", "a\r\nB\r\nc\r\nd\r\ne");
        assert_eq!(hunks.len(), 2);
        assert!(hunks[0].removed().eq([(2, "b")]));
        assert!(hunks[0].added().eq([(2, "B")]));
        assert!(hunks[1].added().eq([(5, "e")]));
        assert_eq!(compare("same\n", "same"), []);
        assert_eq!(compare("", ""), []);
        assert!(compare("", "x")[0].added().eq([(1, "x")]));
    }

    /// Texts that have nothing in common, and texts of two alternating lines,
    /// are what the classic algorithms need the product of the lengths for.
    #[test]
    fn hostile_texts_are_compared_all_the_same() {
        let lines =
            |from: usize, to: usize| (from..to).map(|n| format!("{n}\n")).collect::<String>();
        let hunks = compare(&lines(0, 100_000), &lines(100_000, 200_000));
        assert_eq!(
            hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(),
            200_000
        );
        let one = "a\nb\n".repeat(50_000);
        let other = "b\nb\na\n".repeat(33_333);
        assert!(!compare(&one, &other).is_empty());
    }
}
