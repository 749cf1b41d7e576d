//! The structure of a Markdown text: sections, items, to-dos, tables, code,
//! links.
//!
//! ```
//! use proctor_grader::markdown::Document;
//!
//! let page = Document::parse("\
//! # INC-2025-0714
//! **Status**: RESOLVED
//!
//! ## Actions Taken
//! - [x] Opened [#12](https://github.example/acme/hydra/pull/12)
//!   - with tests
//! - [ ] Rotate the key
//! ");
//! let actions = page.section("actions taken").unwrap();
//! assert_eq!(actions.items().count(), 3);
//! assert_eq!(actions.items().filter(|item| item.checked == Some(true)).count(), 1);
//! assert_eq!(actions.links().next().unwrap().text, "#12");
//! assert_eq!(actions.line(), 4);
//! ```
//!
//! The text is read as `CommonMark` with tables, task lists and strikethrough, as
//! [`pulldown-cmark`](https://docs.rs/pulldown-cmark) reads it: what stands in a
//! code fence is neither a heading nor an item. A paragraph that is bold as a
//! whole counts as a heading below all others, since mails are written so.

mod read;

use crate::text::{contains_words, words};

/// What is read of a text, in bytes. What follows is not looked at.
pub const LONGEST: usize = 1 << 20;

/// Level of a bold paragraph that stands for a heading.
pub const BOLD: u8 = 7;

/// A text and its structure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    source: String,
    complete: bool,
    /// Where each line begins.
    lines: Vec<usize>,
    headings: Vec<Heading>,
    items: Vec<At<Item>>,
    tables: Vec<At<Table>>,
    code: Vec<At<Code>>,
    links: Vec<At<Link>>,
}

/// Something at an offset of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct At<T> {
    at: usize,
    item: T,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Heading {
    level: u8,
    title: String,
    /// Where it begins, where its body begins, and where its section ends.
    at: usize,
    body: usize,
    end: usize,
}

/// An item of a list, without those nested in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// How many lists it is in besides its own.
    pub depth: usize,
    /// Its number, in a numbered list.
    pub number: Option<u64>,
    /// For to-dos: whether it is checked.
    pub checked: Option<bool>,
    /// Its text without markup, on one line.
    pub text: String,
    /// Line from 1.
    pub line: u64,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Cells of its head, without markup.
    pub header: Vec<String>,
    /// Cells of its rows, without markup.
    pub rows: Vec<Vec<String>>,
    /// Line from 1.
    pub line: u64,
}

impl Table {
    /// The column whose head has these words.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header
            .iter()
            .position(|cell| words(cell).eq(words(name)))
    }

    /// The first row with a cell that has these words in a row.
    pub fn row(&self, phrase: &str) -> Option<&[String]> {
        let phrase: Vec<String> = words(phrase).collect();
        let has = |cell: &String| contains_words(&words(cell).collect::<Vec<_>>(), &phrase);
        let row = self.rows.iter().find(|row| row.iter().any(has))?;
        Some(row)
    }
}

/// A block of code, or an indented one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// What stands behind the fence.
    pub language: String,
    /// The code.
    pub text: String,
    /// Line from 1.
    pub line: u64,
}

/// A link, or a plain address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// Its text without markup; of a plain address, the address.
    pub text: String,
    /// Where it leads.
    pub url: String,
    /// Line from 1.
    pub line: u64,
}

impl Document {
    /// Reads a text; never fails, since every text is Markdown.
    pub fn parse(text: &str) -> Self {
        read::document(text)
    }

    /// Whether the text was not longer than [`LONGEST`].
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The document as one section without title.
    pub fn whole(&self) -> Section<'_> {
        Section {
            document: self,
            heading: None,
        }
    }

    /// All sections in order of their headings, nested ones included.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        self.headings.iter().map(|heading| Section {
            document: self,
            heading: Some(heading),
        })
    }

    /// The section whose title has these words and no others; where there is
    /// none, the first whose title has them in a row ("Timeline" finds
    /// "2. Timeline (UTC)").
    pub fn section(&self, title: &str) -> Option<Section<'_>> {
        self.section_at(&[title])
    }

    /// The section at the end of a path of titles, each compared as by
    /// [`Document::section`]: `["Incident", "Timeline"]` is a section "Timeline"
    /// anywhere in a section "Incident".
    pub fn section_at(&self, path: &[&str]) -> Option<Section<'_>> {
        let path: Vec<Vec<String>> = path.iter().map(|title| words(title).collect()).collect();
        let equal = |one: &[String], other: &[String]| one == other;
        self.find(&path, equal)
            .or_else(|| self.find(&path, contains_words))
    }

    fn find(
        &self,
        path: &[Vec<String>],
        matches: impl Fn(&[String], &[String]) -> bool,
    ) -> Option<Section<'_>> {
        let (last, outer) = path.split_last()?;
        // Sections that the current heading is in, and how much of the path is
        // found by then.
        let mut open: Vec<(u8, usize)> = Vec::new();
        for section in self.sections() {
            let level = section.level();
            while open.last().is_some_and(|(outer, _)| *outer >= level) {
                open.pop();
            }
            let found = open.last().map_or(0, |(_, found)| *found);
            let title: Vec<String> = words(section.title()).collect();
            if found == outer.len() && matches(&title, last) {
                return Some(section);
            }
            let next = outer
                .get(found)
                .is_some_and(|wanted| matches(&title, wanted));
            open.push((level, found + usize::from(next)));
        }
        None
    }

    fn line_of(&self, at: usize) -> u64 {
        self.lines.partition_point(|start| *start <= at) as u64
    }
}

/// A heading and what stands below it, up to the next heading of its level or a
/// higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'d> {
    document: &'d Document,
    heading: Option<&'d Heading>,
}

impl<'d> Section<'d> {
    /// Title without markup; empty for the whole document.
    pub fn title(&self) -> &'d str {
        self.heading.map_or("", |heading| &heading.title)
    }

    /// 1 to 6, or [`BOLD`]; 0 for the whole document.
    pub fn level(&self) -> u8 {
        self.heading.map_or(0, |heading| heading.level)
    }

    /// Line of the heading, from 1.
    pub fn line(&self) -> u64 {
        self.document
            .line_of(self.heading.map_or(0, |heading| heading.at))
    }

    /// The Markdown below the heading, nested sections included.
    pub fn text(&self) -> &'d str {
        let (from, to) = self.range();
        &self.document.source[from..to]
    }

    /// The Markdown between the heading and the first nested one.
    pub fn own_text(&self) -> &'d str {
        let (from, to) = self.range();
        let headings = &self.document.headings;
        let next = headings.partition_point(|heading| heading.at < from);
        let to = headings.get(next).map_or(to, |heading| heading.at.min(to));
        &self.document.source[from..to]
    }

    /// Sections below this one, at any depth.
    pub fn sections(&self) -> impl Iterator<Item = Section<'d>> {
        let (from, to) = self.range();
        let within = move |section: &Section<'d>| {
            section
                .heading
                .is_some_and(|heading| (from..to).contains(&heading.at))
        };
        self.document.sections().filter(within)
    }

    /// Items of lists, nested ones included, in order.
    pub fn items(&self) -> impl Iterator<Item = &'d Item> {
        self.within(&self.document.items)
    }

    /// Items of lists that are not nested in others.
    pub fn bullets(&self) -> impl Iterator<Item = &'d Item> {
        self.items().filter(|item| item.depth == 0)
    }

    /// Tables in order.
    pub fn tables(&self) -> impl Iterator<Item = &'d Table> {
        self.within(&self.document.tables)
    }

    /// Blocks of code in order.
    pub fn code(&self) -> impl Iterator<Item = &'d Code> {
        self.within(&self.document.code)
    }

    /// Links in order.
    pub fn links(&self) -> impl Iterator<Item = &'d Link> {
        self.within(&self.document.links)
    }

    fn range(&self) -> (usize, usize) {
        self.heading
            .map_or((0, self.document.source.len()), |heading| {
                (heading.body, heading.end)
            })
    }

    fn within<T>(&self, all: &'d [At<T>]) -> impl Iterator<Item = &'d T> {
        let (from, to) = self.range();
        let start = all.partition_point(|found| found.at < from);
        let end = all.partition_point(|found| found.at < to).max(start);
        all[start..end].iter().map(|found| &found.item)
    }
}

#[cfg(test)]
mod tests;
