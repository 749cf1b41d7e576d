//! From blocks to Markdown.

use super::escape::{attribute, beginning, destination, text as escaped};
use super::merged;
use super::tags::open;
use crate::notion::block::{Block, Extra, Icon, Kind};
use crate::notion::id::Id;
use crate::notion::rich::{Color, Date, Mention, Run, Style, What};
use crate::notion::store::{Body, Node, Notion};

/// A page's blocks as Markdown, without a line break at the end. Of a block it
/// is that block with those in it.
pub(crate) fn render(notion: &Notion, id: Id) -> String {
    let mut writer = Writer {
        notion,
        lines: String::new(),
    };
    match notion.node(id) {
        Some(node) if node.block().is_some() => writer.node(id, node, 0, 1),
        _ => writer.children(id, 0),
    }
    if writer.lines.ends_with('\n') {
        writer.lines.pop();
    }
    writer.lines
}

struct Writer<'n> {
    notion: &'n Notion,
    lines: String,
}

impl Writer<'_> {
    fn line(&mut self, level: usize, text: &str) {
        for _ in 0..level {
            self.lines.push('\t');
        }
        self.lines.push_str(text);
        self.lines.push('\n');
    }

    fn children(&mut self, id: Id, level: usize) {
        let mut number = 0;
        for (id, node) in self.notion.living(id) {
            let is_numbered = node
                .block()
                .is_some_and(|block| block.kind == Kind::NumberedListItem);
            number = if is_numbered { number + 1 } else { 0 };
            self.node(id, node, level, number);
        }
    }

    fn node(&mut self, id: Id, node: &Node, level: usize, number: usize) {
        let block = match &node.body {
            Body::Block(block) => block,
            Body::Page(_) | Body::Database(_) => {
                let is_page = node.page().is_some();
                let name = if is_page { "page" } else { "database" };
                let title = self.notion.title(id).unwrap_or_default();
                let tag = open(name, &[("url", &self.notion.url(id))]);
                self.line(level, &format!("{tag}>{}</{name}>", escaped(&title)));
                return;
            }
            Body::Source(_) => return,
        };
        let rich = rich(self.notion, &block.text);
        let color = braces(block.color, block.extra == Extra::Toggleable);
        match block.kind {
            Kind::Paragraph => {
                let text = if rich.is_empty() {
                    let mut tag = open(
                        "empty-block",
                        &color_of(block).iter().map(pair).collect::<Vec<_>>(),
                    );
                    tag.push_str("/>");
                    tag
                } else {
                    format!("{}{color}", beginning(rich))
                };
                self.line(level, &text);
                self.children(id, level + 1);
            }
            Kind::Heading1 | Kind::Heading2 | Kind::Heading3 | Kind::Heading4 => {
                let hashes = "#".repeat(block.kind.heading().unwrap_or(1));
                self.marked(&hashes, &rich, &color, level, id);
            }
            Kind::BulletedListItem => self.marked("-", &rich, &color, level, id),
            Kind::NumberedListItem => {
                self.marked(&format!("{number}."), &rich, &color, level, id);
            }
            Kind::ToDo => {
                let is_done = block.extra == Extra::Checked;
                let mark = if is_done { "- [x]" } else { "- [ ]" };
                self.marked(mark, &rich, &color, level, id);
            }
            Kind::Quote => self.marked(">", &rich, &color, level, id),
            Kind::Toggle => {
                let tag = open(
                    "details",
                    &color_of(block).iter().map(pair).collect::<Vec<_>>(),
                );
                self.line(level, &format!("{tag}>"));
                self.line(level, &format!("<summary>{rich}</summary>"));
                self.children(id, level + 1);
                self.line(level, "</details>");
            }
            Kind::Callout => self.callout(id, block, rich, level),
            Kind::Code => self.code(block, level),
            Kind::Equation => self.equation(block, level),
            Kind::Table => self.table(id, block, level),
            Kind::ColumnList => self.wrapped("columns", id, level),
            Kind::Column => self.wrapped("column", id, level),
            _ => {
                let line = self.simple(id, block, &rich);
                self.line(level, &line);
            }
        }
    }

    /// A block of one line that nothing is in.
    fn simple(&self, id: Id, block: &Block, rich: &str) -> String {
        match (block.kind, &block.extra) {
            (Kind::Divider, _) => "---".to_owned(),
            (Kind::Image, Extra::Url(url)) => format!("![{rich}]({})", destination(url)),
            (Kind::Bookmark | Kind::Embed, Extra::Url(url)) => {
                let name = block.kind.name();
                format!("{}>{rich}</{name}>", open(name, &[("url", url)]))
            }
            (_, Extra::Url(url)) => {
                let name = block.kind.name();
                format!("{}>{rich}</{name}>", open(name, &[("src", url)]))
            }
            (Kind::TableOfContents, _) => {
                let color = color_of(block);
                let attributes: Vec<_> = color.iter().map(pair).collect();
                format!("{}/>", open("table_of_contents", &attributes))
            }
            _ => {
                let page = self.notion.page_of(id).unwrap_or(id);
                let url = format!("{}#{}", self.notion.url(page), id.plain());
                format!(
                    "{}/>",
                    open("unknown", &[("url", &url), ("alt", block.kind.name())])
                )
            }
        }
    }

    fn marked(&mut self, mark: &str, rich: &str, color: &str, level: usize, id: Id) {
        let line = format!("{mark} {rich}{color}");
        self.line(level, line.trim_end());
        self.children(id, level + 1);
    }

    fn wrapped(&mut self, name: &str, id: Id, level: usize) {
        self.line(level, &format!("<{name}>"));
        self.children(id, level + 1);
        self.line(level, &format!("</{name}>"));
    }

    fn callout(&mut self, id: Id, block: &Block, rich: String, level: usize) {
        let color = color_of(block);
        let mut attributes = Vec::new();
        if let Extra::Icon(Icon::Emoji(icon) | Icon::External(icon)) = &block.extra {
            attributes.push(("icon", icon.as_str()));
        }
        attributes.extend(color.iter().map(pair));
        self.line(level, &format!("{}>", open("callout", &attributes)));
        let has_children = self.notion.living(id).next().is_some();
        if !rich.is_empty() {
            self.line(level + 1, &beginning(rich));
        } else if has_children {
            // Or the first block would be taken for its text.
            self.line(level + 1, "<empty-block/>");
        }
        self.children(id, level + 1);
        self.line(level, "</callout>");
    }

    fn code(&mut self, block: &Block, level: usize) {
        let Extra::Code { language, .. } = &block.extra else {
            return;
        };
        let source = self.notion.plain(&block.text);
        let mut longest = 2;
        let mut run = 0;
        for c in source.chars() {
            run = if c == '`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        let fence = "`".repeat(longest + 1);
        self.line(level, &format!("{fence}{language}"));
        if !source.is_empty() {
            for line in source.split('\n') {
                self.line(level, line);
            }
        }
        self.line(level, &fence);
    }

    fn equation(&mut self, block: &Block, level: usize) {
        let Extra::Expression(expression) = &block.extra else {
            return;
        };
        if !expression.contains(['$', '\n']) {
            self.line(level, &format!("$${expression}$$"));
            return;
        }
        self.line(level, "$$");
        let lines = expression.split('\n').filter(|line| line.trim() != "$$");
        for line in lines {
            self.line(level, line);
        }
        self.line(level, "$$");
    }

    fn table(&mut self, id: Id, block: &Block, level: usize) {
        let mut attributes = Vec::new();
        if let Extra::Table {
            column_header,
            row_header,
            ..
        } = &block.extra
        {
            let flags = [("header-row", column_header), ("header-column", row_header)];
            attributes.extend(
                flags
                    .iter()
                    .filter(|(_, is)| **is)
                    .map(|(key, _)| (*key, "true")),
            );
        }
        self.line(level, &format!("{}>", open("table", &attributes)));
        for (_, row) in self.notion.living(id) {
            let Some(Extra::Cells(cells)) = row.block().map(|block| &block.extra) else {
                continue;
            };
            self.line(level, "<tr>");
            for cell in cells {
                let cell = rich(self.notion, cell);
                self.line(level, &format!("<td>{cell}</td>"));
            }
            self.line(level, "</tr>");
        }
        self.line(level, "</table>");
    }
}

fn color_of(block: &Block) -> Option<(&'static str, String)> {
    (!block.color.is_default()).then(|| ("color", block.color.markdown()))
}

fn pair<'a>(pair: &'a (&'static str, String)) -> (&'a str, &'a str) {
    (pair.0, &pair.1)
}

/// Attributes after a text.
fn braces(color: Color, toggle: bool) -> String {
    let mut inside = Vec::new();
    if toggle {
        inside.push("toggle=\"true\"".to_owned());
    }
    if !color.is_default() {
        inside.push(format!("color=\"{}\"", color.markdown()));
    }
    if inside.is_empty() {
        String::new()
    } else {
        format!(" {{{}}}", inside.join(" "))
    }
}

/// Rich text as Markdown.
fn rich(notion: &Notion, runs: &[Run]) -> String {
    let runs = merged(runs);
    let mut out = String::new();
    let mut at = 0;
    while let Some(run) = runs.get(at) {
        let Some(link) = &run.link else {
            let next = first_of(runs.get(at + 1));
            one(notion, run, next, &mut out);
            at += 1;
            continue;
        };
        let rest = runs.get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|it| it.link.as_ref() == Some(link))
            .count();
        out.push('[');
        for n in 0..length {
            if let Some(run) = rest.get(n) {
                let next = (n + 1 < length).then(|| first_of(rest.get(n + 1)));
                one(notion, run, next.unwrap_or(Some(']')), &mut out);
            }
        }
        out.push_str("](");
        out.push_str(&destination(link));
        out.push(')');
        at += length;
    }
    out
}

/// The character that a run will begin with: of one with style, a mark.
fn first_of(run: Option<&Run>) -> Option<char> {
    let run = run?;
    match &run.what {
        What::Text(text) if run.style.is_plain() && run.link.is_none() => {
            let first = text.chars().next()?;
            Some(if first == '\n' { '<' } else { first })
        }
        _ => Some('<'),
    }
}

fn one(notion: &Notion, run: &Run, next: Option<char>, out: &mut String) {
    let style = run.style;
    let mut attributes = Vec::new();
    if style.underline {
        attributes.push(("underline", "true".to_owned()));
    }
    if !style.color.is_default() {
        attributes.push(("color", style.color.markdown()));
    }
    let has_address = |text: &str| text.contains("http://") || text.contains("https://");
    let is_quiet = match &run.what {
        What::Text(text) => run.link.is_none() && !style.code && has_address(text),
        _ => false,
    };
    if attributes.is_empty() && !is_quiet {
        marks(style, &inner(notion, run), next, out);
        return;
    }
    if is_quiet {
        out.push_str("<span>");
    }
    if !attributes.is_empty() {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
            .collect();
        out.push_str(&open("span", &attributes));
        out.push('>');
    }
    marks(style, &inner(notion, run), Some('<'), out);
    if !attributes.is_empty() {
        out.push_str("</span>");
    }
    if is_quiet {
        out.push_str("</span>");
    }
}

/// A run without its style, except that code is code.
fn inner(notion: &Notion, run: &Run) -> String {
    match &run.what {
        What::Text(text) if run.style.code => code(text),
        What::Text(text) => escaped(text),
        What::Equation(expression) => {
            let is_simple = !expression.contains(['$', '\n', '\\', '`'])
                && !expression.is_empty()
                && expression.trim() == expression;
            if is_simple {
                format!("${expression}$")
            } else {
                format!("<equation expression=\"{}\"/>", attribute(expression))
            }
        }
        What::Mention(Mention::User(id)) => {
            let name = notion.user(*id).map_or("Anonymous", |user| &user.name);
            let tag = open("mention-user", &[("url", &format!("user://{id}"))]);
            format!("{tag}>{}</mention-user>", escaped(name))
        }
        What::Mention(Mention::Page(id)) => reference(notion, "mention-page", *id),
        What::Mention(Mention::Database(id)) => reference(notion, "mention-database", *id),
        What::Mention(Mention::Date(date)) => date_tag(date),
    }
}

fn reference(notion: &Notion, name: &str, id: Id) -> String {
    let title = notion.title(id).unwrap_or_default();
    let tag = open(name, &[("url", &notion.url(id))]);
    format!("{tag}>{}</{name}>", escaped(&title))
}

fn date_tag(date: &Date) -> String {
    let mut attributes = Vec::new();
    let moments = [
        ("start", "startTime", Some(&date.start)),
        ("end", "endTime", date.end.as_ref()),
    ];
    for (day, time, moment) in moments {
        let Some(moment) = moment else { continue };
        // Exactly what the tag has words for: a local time to the minute.
        match moment
            .split_once('T')
            .map(|(day, rest)| (day, rest.strip_suffix(":00")))
        {
            Some((date, Some(minute))) if minute.len() == 5 => {
                attributes.push((day, date));
                attributes.push((time, minute));
            }
            _ => attributes.push((day, moment)),
        }
    }
    if let Some(zone) = &date.time_zone {
        attributes.push(("timeZone", zone));
    }
    format!("{}/>", open("mention-date", &attributes))
}

/// A span of code.
fn code(text: &str) -> String {
    // What closes a tag would close it in code as well.
    if text.contains(['\n', '\r']) || text.contains("</") || text.trim().is_empty() {
        return format!("<code>{}</code>", escaped(text));
    }
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let is_padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if is_padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Marks around a text: those of Markdown where they will be read as such,
/// tags where they would not.
fn marks(style: Style, inner: &str, next: Option<char>, out: &mut String) {
    let before = out.chars().next_back();
    let kinds = [
        (style.bold, "**", "strong"),
        (style.italic, "*", "em"),
        (style.strikethrough, "~~", "del"),
    ];
    let wanted: Vec<_> = kinds.iter().filter(|(is, ..)| *is).collect();
    if wanted.is_empty() {
        out.push_str(inner);
        return;
    }
    let is_open = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let first = inner.chars().next();
    let last = inner.chars().next_back();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_simple = is_word(first) && is_word(last) && !(style.strikethrough && wanted.len() > 1);
    let is_free = is_open(before) && is_open(next) && !is_open(first) && !is_open(last);
    let is_clear = before.is_none_or(|c| !"*~_\\`".contains(c));
    let by_mark = is_clear && (is_simple || is_free);
    let push = |out: &mut String, mark: &str, tag: &str, end: &str| {
        if by_mark {
            out.push_str(mark);
        } else {
            out.extend(["<", end, tag, ">"]);
        }
    };
    for (_, mark, tag) in &wanted {
        push(out, mark, tag, "");
    }
    out.push_str(inner);
    for (_, mark, tag) in wanted.iter().rev() {
        push(out, mark, tag, "/");
    }
}
