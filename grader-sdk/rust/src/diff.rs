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

use std::collections::BTreeMap;

use imara_diff::{Algorithm, InternedInput, Interner};

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

/// Lines that are compared in their order, in both texts together and without
/// what they have in common at their ends.
pub const MOST_LINES: usize = 10_000;

/// Lines that differ between two texts, without lines around them. Ends of
/// lines do not count: neither `\r` nor a missing one at the end.
///
/// Where the texts differ over more than [`MOST_LINES`], order does not count
/// there: a line is removed or added where the other text has it less often. To
/// find the shortest difference of long texts takes the square of their length.
pub fn compare(before: &str, after: &str) -> Vec<Hunk> {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let same = |(one, other): &(&&str, &&str)| one == other;
    let start = before.iter().zip(&after).take_while(same).count();
    let (old, new) = (&before[start..], &after[start..]);
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(same)
        .count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let mut hunks = if old.len() + new.len() > MOST_LINES {
        without_order(old, new)
    } else {
        in_order(old, new)
    };
    for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        line.number += start as u64;
    }
    hunks
}

fn in_order(before: &[&str], after: &[&str]) -> Vec<Hunk> {
    let mut input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: Interner::new(before.len() + after.len()),
    };
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let diff = imara_diff::Diff::compute(Algorithm::Histogram, &input);
    let hunks = diff.hunks().map(|hunk| {
        let removed = hunk.before.map(|index| (index as usize, Kind::Removed));
        let added = hunk.after.map(|index| (index as usize, Kind::Added));
        let line = |(index, kind)| match kind {
            Kind::Removed => line(before, index, kind),
            _ => line(after, index, kind),
        };
        Hunk {
            section: String::new(),
            lines: removed.chain(added).map(line).collect(),
        }
    });
    hunks.collect()
}

fn without_order(before: &[&str], after: &[&str]) -> Vec<Hunk> {
    let mut lines = exceeding(before, after, Kind::Removed);
    lines.extend(exceeding(after, before, Kind::Added));
    let section = String::new();
    let hunk = (!lines.is_empty()).then_some(Hunk { section, lines });
    hunk.into_iter().collect()
}

/// Lines of one text that the other has less often: the last ones of each.
fn exceeding(text: &[&str], other: &[&str], kind: Kind) -> Vec<Line> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other {
        *left.entry(line).or_default() += 1;
    }
    let mut lines = Vec::new();
    for (index, content) in text.iter().enumerate() {
        match left.get_mut(content) {
            Some(count) if *count > 0 => *count -= 1,
            _ => lines.push(line(text, index, kind)),
        }
    }
    lines
}

fn line(text: &[&str], index: usize, kind: Kind) -> Line {
    Line {
        kind,
        number: index as u64 + 1,
        text: text[index].to_owned(),
    }
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

    #[test]
    fn long_differences_are_compared_without_order() {
        let lines = |from: usize, to: usize| {
            let lines = (from..to).map(|n| n.to_string());
            lines.collect::<Vec<_>>().join("\n") + "\n"
        };
        let unrelated = compare(&lines(0, 100_000), &lines(100_000, 200_000));
        assert_eq!(unrelated[0].lines.len(), 200_000);
        // Two lines that alternate take classic algorithms the square.
        let hunks = compare(&"a\nb\n".repeat(50_000), &"b\nb\na\n".repeat(40_000));
        assert_eq!(hunks[0].removed().count(), 10_000);
        assert_eq!(hunks[0].added().count(), 30_000);
        // What is alike at the ends is compared in order, however long it is.
        let (head, tail) = (lines(0, 100_000), lines(200_000, 300_000));
        let hunks = compare(&format!("{head}x\n{tail}"), &format!("{head}y\nx\n{tail}"));
        assert!(hunks[0].added().eq([(100_001, "y")]));
        assert_eq!((hunks.len(), hunks[0].removed().count()), (1, 0));
    }
}
