//! From the parser's events to a document.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::{At, BOLD, Code, Document, Heading, Item, LONGEST, Link, Table};

pub(super) fn document(text: &str) -> Document {
    let source = &text[..text.floor_char_boundary(LONGEST)];
    let feeds = source
        .bytes()
        .enumerate()
        .filter(|(_, byte)| *byte == b'\n');
    let mut reader = Reader {
        document: Document {
            source: source.to_owned(),
            complete: source.len() == text.len(),
            lines: std::iter::once(0)
                .chain(feeds.map(|(at, _)| at + 1))
                .collect(),
            ..Document::default()
        },
        ..Reader::default()
    };
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let parser = Parser::new_ext(source, options).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(parser) {
        reader.event(event, &range);
    }
    let mut document = reader.document;
    // A plain address may stand in the text of a link that began before it.
    document.links.sort_by_key(|link| link.at);
    close_sections(&mut document.headings, source.len());
    document
}

/// Sets where each section ends. There are few levels, so each heading is
/// passed over few times.
fn close_sections(headings: &mut [Heading], length: usize) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..headings.len() {
        let (level, at) = (headings[index].level, headings[index].at);
        while let Some(outer) = open.pop_if(|outer| headings[*outer].level >= level) {
            headings[outer].end = at;
        }
        open.push(index);
    }
    for index in open {
        headings[index].end = length;
    }
}

#[derive(Default)]
struct Reader {
    document: Document,
    /// Next number of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    /// Open items, by their index.
    items: Vec<usize>,
    heading: Option<Heading>,
    paragraph: Option<Paragraph>,
    cell: Option<String>,
    in_code: bool,
    in_link: bool,
}

/// What is known of a paragraph that may turn out to be bold as a whole.
struct Paragraph {
    at: usize,
    bold: String,
    depth: usize,
    is_plain: bool,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => {
                if !self.in_code && !self.in_link {
                    self.addresses(&text, range);
                }
                self.text(&text);
            }
            Event::Code(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::TaskListMarker(checked) => {
                if let Some(item) = self.items.last() {
                    self.document.items[*item].item.checked = Some(checked);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        let at = range.start;
        let line = self.document.line_of(at);
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = Some(Heading {
                    level: level as u8,
                    at,
                    ..Heading::default()
                });
            }
            Tag::Paragraph if self.items.is_empty() => {
                self.paragraph = Some(Paragraph {
                    at,
                    bold: String::new(),
                    depth: 0,
                    is_plain: false,
                });
            }
            Tag::Strong => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.depth += 1;
                }
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => {
                let depth = self.lists.len().saturating_sub(1);
                let number = self.lists.last_mut().and_then(|next| {
                    let number = *next;
                    *next = number.map(|number| number.saturating_add(1));
                    number
                });
                self.items.push(self.document.items.len());
                let item = Item {
                    depth,
                    number,
                    line,
                    ..Item::default()
                };
                self.document.items.push(At { at, item });
            }
            Tag::Table(_) => {
                let item = Table {
                    line,
                    ..Table::default()
                };
                self.document.tables.push(At { at, item });
            }
            Tag::TableRow => {
                if let Some(table) = self.document.tables.last_mut() {
                    table.item.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.cell = Some(String::new()),
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let item = Code {
                    language,
                    line,
                    text: String::new(),
                };
                self.document.code.push(At { at, item });
            }
            Tag::Link { dest_url, .. } => {
                self.in_link = true;
                self.link(at, String::new(), dest_url.into_string());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some(mut heading) = self.heading.take() {
                    heading.body = range.end;
                    self.document.headings.push(heading);
                }
            }
            TagEnd::Paragraph => self.end_paragraph(range.end),
            TagEnd::Strong => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.depth = paragraph.depth.saturating_sub(1);
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                if let Some(item) = self.items.pop() {
                    let text = &mut self.document.items[item].item.text;
                    text.truncate(text.trim_end().len());
                }
            }
            TagEnd::TableCell => {
                let cell = self.cell.take().unwrap_or_default();
                if let Some(At { item: table, .. }) = self.document.tables.last_mut() {
                    table
                        .rows
                        .last_mut()
                        .unwrap_or(&mut table.header)
                        .push(cell);
                }
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Link => self.in_link = false,
            _ => {}
        }
    }

    fn end_paragraph(&mut self, end: usize) {
        if let Some(item) = self.items.last() {
            self.document.items[*item].item.text.push(' ');
        }
        let Some(paragraph) = self.paragraph.take() else {
            return;
        };
        let title = paragraph.bold.trim();
        if !paragraph.is_plain && !title.is_empty() {
            self.document.headings.push(Heading {
                level: BOLD,
                title: title.to_owned(),
                at: paragraph.at,
                body: end,
                end,
            });
        }
    }

    /// Text goes to whatever is open.
    fn text(&mut self, text: &str) {
        if self.in_code {
            if let Some(code) = self.document.code.last_mut() {
                code.item.text.push_str(text);
            }
            return;
        }
        if let Some(heading) = &mut self.heading {
            heading.title.push_str(text);
        }
        if let Some(paragraph) = &mut self.paragraph {
            if paragraph.depth > 0 {
                paragraph.bold.push_str(text);
            } else {
                // "**Title**:" is a title too.
                paragraph.is_plain |= !matches!(text.trim(), "" | ":");
            }
        }
        if let Some(cell) = &mut self.cell {
            cell.push_str(text);
        }
        if self.in_link
            && let Some(link) = self.document.links.last_mut()
        {
            link.item.text.push_str(text);
        }
        if let Some(item) = self.items.last() {
            self.document.items[*item].item.text.push_str(text);
        }
    }

    fn link(&mut self, at: usize, text: String, url: String) {
        let line = self.document.line_of(at);
        let item = Link { text, url, line };
        self.document.links.push(At { at, item });
    }

    /// Addresses that stand in a text without being marked as links.
    fn addresses(&mut self, text: &str, range: &Range<usize>) {
        let mut from = 0;
        while let Some(found) = text[from..].find("http") {
            let start = from + found;
            let rest = &text[start..];
            if !rest.starts_with("http://") && !rest.starts_with("https://") {
                from = start + 4;
                continue;
            }
            let ends = |char: char| char.is_whitespace() || "<>\"`|".contains(char);
            let end = rest.find(ends).unwrap_or(rest.len());
            let url =
                rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '\'']);
            // Escapes make the source longer than the text: then the place is
            // only near.
            self.link(
                (range.start + start).min(range.end),
                url.to_owned(),
                url.to_owned(),
            );
            from = start + end;
        }
    }
}
