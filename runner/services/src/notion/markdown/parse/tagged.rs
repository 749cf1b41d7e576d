//! Blocks that are tags, and what is in them.

use super::super::inline::inline;
use super::super::tags::Tag;
use super::super::{Piece, Shape, table};
use super::line::{closed, indented};
use super::{Parser, alone};
use crate::notion::block::{Block, Extra, Icon, Kind};
use crate::notion::rich::{Color, Rich};

impl<'t> Parser<'t> {
    /// A block that is a tag. An empty list: the tag stands for nothing.
    pub(super) fn tagged(
        &mut self,
        indent: usize,
        text: &'t str,
        line: usize,
    ) -> Option<Vec<Piece>> {
        let (tag, rest) = Tag::parse(text)?;
        let color = tag
            .get("color")
            .and_then(Color::of_markdown)
            .unwrap_or_default();
        let url = tag
            .get("url")
            .or(tag.get("src"))
            .unwrap_or_default()
            .to_owned();
        let caption = |parser: &Self| {
            let end = format!("</{}>", tag.name);
            let caption = rest.split(&end).next().unwrap_or_default();
            inline(caption, parser.names)
        };
        let block = match tag.name {
            "callout" | "details" | "columns" | "column" | "table" => {
                self.at += 1;
                return Some(vec![self.container(&tag, rest, color, indent, line)]);
            }
            "page" | "database" => {
                self.at += 1;
                let found = self.names.page(&url);
                if found.is_none() {
                    let text = format!("<{}> refers to `{url}`, which is not there", tag.name);
                    self.problems.push((line, text));
                }
                let found = found.map(|id| alone(Shape::Existing(id), line));
                return Some(found.into_iter().collect());
            }
            "unknown" => {
                self.at += 1;
                let found = self.names.block(&url);
                let found = found.map(|id| alone(Shape::Existing(id), line));
                return Some(found.into_iter().collect());
            }
            "empty-block" => Block::new(Kind::Paragraph, Rich::new()),
            "table_of_contents" => Block::new(Kind::TableOfContents, Rich::new()),
            "bookmark" | "embed" | "video" | "file" | "pdf" | "audio" => {
                let kind = Kind::parse(tag.name)?;
                Block::new(kind, caption(self)).with(Extra::Url(url))
            }
            _ => return None,
        };
        self.at += 1;
        let what = Shape::New(Block { color, ..block });
        let children = if tag.name == "empty-block" {
            self.nested(indent + 2, line)
        } else {
            Vec::new()
        };
        Some(vec![Piece {
            what,
            children,
            line,
        }])
    }

    /// A tag with blocks in it; its first line is read already.
    fn container(
        &mut self,
        tag: &Tag<'t>,
        rest: &'t str,
        color: Color,
        indent: usize,
        line: usize,
    ) -> Piece {
        let end = format!("</{}>", tag.name);
        if tag.name == "table" {
            return self.table(tag, rest, &end, line);
        }
        let (first, is_closed) = match rest.split_once(&end) {
            Some((first, _)) => (first, true),
            None => (rest, tag.is_closed),
        };
        let mut summary = None;
        let mut first = first.trim();
        if tag.name == "details" {
            if first.is_empty() && !is_closed {
                let next = self.lines.get(self.at).map(|line| line.trim());
                if let Some(next) = next.filter(|next| next.starts_with("<summary>")) {
                    first = next;
                    self.at += 1;
                }
            }
            if let Some(inside) = first.strip_prefix("<summary>") {
                let (text, after) = inside.split_once("</summary>").unwrap_or((inside, ""));
                summary = Some(self.rich(text));
                first = after.trim();
            }
        }
        let mut children = Vec::new();
        if !first.is_empty() {
            let block = self.leaf(first);
            children.push(alone(Shape::New(block), line));
        }
        if !is_closed {
            // Whatever its indentation: the tag says where it ends.
            let deeper = indented(self.lines.get(self.at).copied().unwrap_or_default()).0;
            children.extend(self.nested(deeper.min(indent), line));
            if self.lines.get(self.at).and_then(|line| closed(line)) == Some(tag.name) {
                self.at += 1;
            }
        }
        let block = match tag.name {
            "callout" => {
                let icon = tag.get("icon").filter(|icon| !icon.is_empty()).map(|icon| {
                    if icon.starts_with("http") {
                        Icon::External(icon.to_owned())
                    } else {
                        Icon::Emoji(icon.to_owned())
                    }
                });
                let text = own_text(&mut children);
                Block::new(Kind::Callout, text).with(icon.map_or(Extra::None, Extra::Icon))
            }
            "details" => Block::new(Kind::Toggle, summary.unwrap_or_default()),
            "columns" => Block::new(Kind::ColumnList, Rich::new()),
            _ => Block::new(Kind::Column, Rich::new()),
        };
        if block.kind == Kind::ColumnList {
            children
                .retain(|child| matches!(&child.what, Shape::New(it) if it.kind == Kind::Column));
        }
        let color = if block.kind.has_color() {
            color
        } else {
            Color::default()
        };
        Piece {
            what: Shape::New(Block { color, ..block }),
            children,
            line,
        }
    }

    fn table(&mut self, tag: &Tag<'t>, rest: &str, end: &str, line: usize) -> Piece {
        let mut inside = rest.to_owned();
        let mut is_closed = inside.contains(end);
        while let Some(next) = self.lines.get(self.at).filter(|_| !is_closed) {
            is_closed = next.contains(end);
            inside.push('\n');
            inside.push_str(next);
            self.at += 1;
        }
        let inside = inside.split(end).next().unwrap_or_default();
        for (at, text) in inside.split('\n').enumerate() {
            self.refer(text, line + at);
        }
        table::of_tags(tag, inside, self.names, line)
    }
}

/// The text of a callout: its first line, where that is plain text.
fn own_text(children: &mut Vec<Piece>) -> Rich {
    let first = children.first_mut();
    let Some(Piece {
        what: Shape::New(block),
        children: below,
        ..
    }) = first
    else {
        return Rich::new();
    };
    if block.kind != Kind::Paragraph || !block.color.is_default() || !below.is_empty() {
        return Rich::new();
    }
    let text = std::mem::take(&mut block.text);
    children.remove(0);
    text
}
