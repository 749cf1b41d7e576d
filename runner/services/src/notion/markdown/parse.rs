//! From Markdown to blocks.

use super::inline::{chunks, inline};
use super::tags::{Tag, trailing};
use super::{Names, Parsed, Piece, Shape, table};
use crate::notion::block::{Block, Extra, Icon, Kind, language_of_fence};
use crate::notion::rich::{Color, Rich, Run};

/// Most levels of blocks in each other. What is deeper is put into the deepest.
const MAX_LEVELS: usize = 32;
/// Columns that a tab is wide.
const TAB: usize = 4;
/// Tags that hold other blocks.
const CONTAINERS: [&str; 5] = ["callout", "details", "columns", "column", "table"];

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

/// How far a line is indented, in columns, and the rest of it.
fn indented(line: &str) -> (usize, &str) {
    let mut columns = 0;
    for (at, c) in line.char_indices() {
        match c {
            '\t' => columns = (columns / TAB + 1) * TAB,
            ' ' => columns += 1,
            _ => return (columns, line.get(at..).unwrap_or_default()),
        }
    }
    (columns, "")
}

/// A line without `columns` of its indentation.
fn outdented(line: &str, columns: usize) -> &str {
    let mut seen = 0;
    for (at, c) in line.char_indices() {
        if seen >= columns || c != '\t' && c != ' ' {
            return line.get(at..).unwrap_or_default();
        }
        seen += if c == '\t' { TAB } else { 1 };
    }
    ""
}

/// The container that a line closes.
fn closed(line: &str) -> Option<&'static str> {
    let name = line.trim().strip_prefix("</")?.strip_suffix('>')?;
    CONTAINERS.into_iter().find(|known| *known == name)
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

    /// A block that is a tag. An empty list: the tag stands for nothing.
    fn tagged(&mut self, indent: usize, text: &'t str, line: usize) -> Option<Vec<Piece>> {
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
                let found = found.map(|id| existing(Shape::Existing(id), line));
                return Some(found.into_iter().collect());
            }
            "unknown" => {
                self.at += 1;
                let found = self.names.block(&url);
                let found = found.map(|id| existing(Shape::Existing(id), line));
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
            children.push(existing(Shape::New(block), line));
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

    /// Code or an equation between fences.
    fn fenced(&mut self, indent: usize, text: &str, line: usize) -> Option<Piece> {
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
            return Some(existing(Shape::New(block), line));
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
        Some(existing(Shape::New(block), line))
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
    fn drawn(&mut self, text: &str, line: usize) -> Option<Piece> {
        let is_rule = ["-", "*", "_"].iter().any(|mark| {
            text.matches(mark).count() >= 3 && text.replace(mark, "").trim().is_empty()
        });
        if is_rule {
            self.at += 1;
            let block = Block::new(Kind::Divider, Rich::new());
            return Some(existing(Shape::New(block), line));
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

/// A piece without others in it.
fn existing(what: Shape, line: usize) -> Piece {
    Piece {
        what,
        children: Vec::new(),
        line,
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

/// What the marks at the beginning of a line make of it, and the rest.
fn marked(line: &str) -> (Kind, &str, Extra) {
    let none = Extra::None;
    let hashes = line.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&hashes)
        && let Some(text) = after(line, hashes)
    {
        return (Kind::of_heading(hashes), text, none);
    }
    if let Some(text) = line.strip_prefix('>') {
        return (Kind::Quote, text.trim_start(), none);
    }
    if line.starts_with(['-', '*', '+'])
        && let Some(text) = after(line, 1)
    {
        for (mark, extra) in [
            ("[ ]", Extra::None),
            ("[x]", Extra::Checked),
            ("[X]", Extra::Checked),
        ] {
            if let Some(text) = text.strip_prefix(mark).and_then(|it| after(it, 0)) {
                return (Kind::ToDo, text, extra);
            }
        }
        return (Kind::BulletedListItem, text, none);
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && line
            .get(digits..)
            .is_some_and(|it| it.starts_with(['.', ')']))
        && let Some(text) = after(line, digits + 1)
    {
        return (Kind::NumberedListItem, text, none);
    }
    (Kind::Paragraph, line, none)
}

/// What follows a mark of `length` bytes and white space.
fn after(line: &str, length: usize) -> Option<&str> {
    let rest = line.get(length..)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
}

/// The image that a line is: caption and address.
fn image(line: &str) -> Option<(&str, String)> {
    let rest = line.strip_prefix("![")?;
    let (caption, url) = rest.split_once("](")?;
    let url = url.strip_suffix(')')?;
    let url = url.trim().trim_start_matches('<').trim_end_matches('>');
    let is_one = !caption.contains("![") && !url.contains("](");
    is_one.then(|| (caption, url.replace("\\&", "&").replace("\\\\", "\\")))
}
