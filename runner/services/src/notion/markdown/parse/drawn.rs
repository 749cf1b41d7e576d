//! Blocks that take up whole lines and are not text: fences, rules, tables with
//! pipes.

use super::super::inline::chunks;
use super::super::{Piece, Shape, table};
use super::line::outdented;
use super::{Parser, alone};
use crate::notion::block::{Block, Extra, Kind, language_of_fence};
use crate::notion::rich::{Rich, Run};

impl<'t> Parser<'t> {
    /// Code or an equation between fences.
    pub(super) fn fenced(&mut self, indent: usize, text: &str, line: usize) -> Option<Piece> {
        if let Some(rest) = text.strip_prefix("$$") {
            let (first, is_closed) = match rest.split_once("$$") {
                Some((first, after)) if after.trim().is_empty() => (first, true),
                Some(_) => return None,
                None => (rest, false),
            };
            self.at += 1;
            let mut inside: Vec<&str> = Some(first)
                .filter(|it| !it.is_empty())
                .into_iter()
                .collect();
            if !is_closed {
                inside.extend(self.until(indent, |line| line.trim() == "$$"));
            }
            let extra = Extra::Expression(inside.join("\n"));
            let block = Block::new(Kind::Equation, Rich::new()).with(extra);
            return Some(alone(Shape::New(block), line));
        }
        let mark = text.chars().next().filter(|c| *c == '`' || *c == '~')?;
        let length = text.chars().take_while(|c| *c == mark).count();
        let info = text.get(length..)?;
        if length < 3 || mark == '`' && info.contains('`') {
            return None;
        }
        self.at += 1;
        let ends = |line: &str| {
            let line = line.trim();
            line.len() >= length && line.chars().all(|c| c == mark)
        };
        let inside = self.until(indent, ends).join("\n");
        let block = Block {
            text: chunks(&inside).into_iter().map(Run::text).collect(),
            ..Block::new(Kind::Code, Rich::new())
        };
        let block = block.with(Extra::Code {
            language: language_of_fence(info).to_owned(),
            caption: Rich::new(),
        });
        Some(alone(Shape::New(block), line))
    }

    /// Lines up to the one that ends them, without indentation.
    fn until(&mut self, indent: usize, ends: impl Fn(&str) -> bool) -> Vec<&'t str> {
        let mut inside = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            self.at += 1;
            if ends(line) {
                break;
            }
            inside.push(outdented(line, indent));
        }
        inside
    }

    /// A rule, or a table with pipes.
    pub(super) fn drawn(&mut self, text: &str, line: usize) -> Option<Piece> {
        let is_rule = ["-", "*", "_"].iter().any(|mark| {
            text.matches(mark).count() >= 3 && text.replace(mark, "").trim().is_empty()
        });
        if is_rule {
            self.at += 1;
            let block = Block::new(Kind::Divider, Rich::new());
            return Some(alone(Shape::New(block), line));
        }
        if !text.starts_with('|')
            || !self
                .lines
                .get(self.at + 1)
                .is_some_and(|it| table::is_rule(it))
        {
            return None;
        }
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let rows = rest
            .iter()
            .take_while(|line| line.trim_start().starts_with('|'));
        let rows: Vec<&str> = rows.copied().collect();
        for (at, text) in rows.iter().enumerate() {
            self.refer(text, line + at);
        }
        self.at += rows.len();
        Some(table::of_pipes(&rows, self.names, line))
    }
}
