//! From Markdown to blocks.

mod drawn;
mod line;
mod tagged;

use super::inline::inline;
use super::tags::{Tag, trailing};
use super::{Names, Parsed, Piece, Shape};
use crate::notion::block::{Block, Extra, Kind};
use crate::notion::rich::{Color, Rich};
use line::{closed, image, indented, marked};

/// Most levels of blocks in each other. What is deeper is put into the deepest.
const MAX_LEVELS: usize = 32;

/// The blocks that a text describes.
pub(crate) fn parse(text: &str, names: &dyn Names) -> Parsed {
    let lines: Vec<&str> = text
        .split('\n')
        .map(|it| it.trim_end_matches('\r'))
        .collect();
    let mut parser = Parser {
        lines,
        at: 0,
        level: 0,
        names,
        problems: Vec::new(),
    };
    let mut pieces = Vec::new();
    while parser.at < parser.lines.len() {
        pieces.extend(parser.blocks(0));
        // A tag that closes nothing.
        parser.at += 1;
    }
    Parsed {
        pieces,
        problems: parser.problems,
    }
}

struct Parser<'t> {
    lines: Vec<&'t str>,
    at: usize,
    level: usize,
    names: &'t dyn Names,
    problems: Vec<(usize, String)>,
}

impl<'t> Parser<'t> {
    /// Blocks that are indented by at least `columns`, up to the end of the
    /// container that they are in.
    fn blocks(&mut self, columns: usize) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            let (indent, text) = indented(line);
            if text.trim().is_empty() {
                self.at += 1;
                continue;
            }
            if indent < columns || closed(text).is_some() {
                break;
            }
            pieces.extend(self.block(indent, text.trim_end()));
        }
        pieces
    }

    fn block(&mut self, indent: usize, text: &'t str) -> Vec<Piece> {
        let line = self.at + 1;
        if let Some(pieces) = self.tagged(indent, text, line) {
            return pieces;
        }
        let whole = self.fenced(indent, text, line);
        if let Some(piece) = whole.or_else(|| self.drawn(text, line)) {
            return vec![piece];
        }
        self.at += 1;
        let block = self.leaf(text);
        let children = if block.takes_children() {
            self.nested(indent + 2, line)
        } else {
            Vec::new()
        };
        vec![Piece {
            what: Shape::New(block),
            children,
            line,
        }]
    }

    /// The blocks in one that was just read.
    fn nested(&mut self, columns: usize, line: usize) -> Vec<Piece> {
        if self.level >= MAX_LEVELS {
            let next = self.lines.get(self.at..).unwrap_or_default();
            let next = next
                .iter()
                .map(|line| indented(line))
                .find(|(_, it)| !it.is_empty());
            if next.is_some_and(|(indent, text)| indent >= columns && closed(text).is_none()) {
                let text = format!("blocks are nested more than {MAX_LEVELS} levels deep");
                self.problems.push((line, text));
            }
            return Vec::new();
        }
        self.level += 1;
        let children = self.blocks(columns);
        self.level -= 1;
        children
    }

    /// A block of one line.
    fn leaf(&mut self, line: &str) -> Block {
        let (text, attributes) = trailing(line);
        let (kind, text, mut extra) = marked(text);
        let mut color = Color::default();
        for (key, value) in attributes {
            match key {
                "color" => color = Color::of_markdown(&value).unwrap_or_default(),
                _ if kind.heading().is_some() && value == "true" => extra = Extra::Toggleable,
                _ => {}
            }
        }
        let mut block = match image(text) {
            Some((caption, url)) if kind == Kind::Paragraph => {
                let caption = inline(caption, self.names);
                Block::new(Kind::Image, caption).with(Extra::Url(url))
            }
            _ => Block::new(kind, self.rich(text)).with(extra),
        };
        if block.kind.has_color() {
            block.color = color;
        }
        block
    }

    /// The text of a block. What it refers to has to be there.
    fn rich(&mut self, text: &str) -> Rich {
        self.refer(text, self.at);
        inline(text, self.names)
    }

    fn refer(&mut self, text: &str, line: usize) {
        let mut rest = text;
        while let Some(at) = rest.find("<mention-") {
            rest = rest.get(at..).unwrap_or_default();
            let Some((tag, after)) = Tag::parse(rest) else {
                break;
            };
            rest = after;
            let url = tag.get("url").unwrap_or_default();
            let known = match tag.name {
                "mention-user" => self.names.user(url).is_some(),
                "mention-date" => true,
                _ => self.names.page(url).is_some(),
            };
            if !known {
                let text = format!("<{}> mentions `{url}`, which is not there", tag.name);
                self.problems.push((line, text));
            }
        }
    }
}

/// A piece without others in it.
fn alone(what: Shape, line: usize) -> Piece {
    Piece {
        what,
        children: Vec::new(),
        line,
    }
}
