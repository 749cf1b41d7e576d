//! Pages made up for tests.

use proctor_types::world::notion::{Block, Page, Property};
use serde_json::{Value, json};

/// A seeded page. Each line of the Markdown becomes a block: headings, to-dos,
/// items, rows of a table, paragraphs. Blocks are called after the page and their
/// number, so that the same line of two versions of a page is the same block.
pub fn page(id: &str, path: &[&str], markdown: &str) -> Page {
    let title = path.last().copied().unwrap_or_default();
    let mut page = Page {
        id: id.to_owned(),
        path: path.iter().map(ToString::to_string).collect(),
        title: title.to_owned(),
        url: format!("https://www.notion.example/{id}"),
        markdown: markdown.to_owned(),
        blocks: blocks(id, markdown),
        seeded: true,
        ..Page::default()
    };
    property(&mut page, "Name", "title", title);
    page
}

/// Gives a page a property: its type and its plain text. The value is what the
/// API serves for a status, select or checkbox, and the text for others.
pub fn property(page: &mut Page, name: &str, kind: &str, text: &str) {
    let value = match kind {
        "status" | "select" => json!({"name": text}),
        "checkbox" => json!(text == "true"),
        "number" => text.parse::<f64>().map_or(Value::Null, Value::from),
        _ => json!(text),
    };
    let property = Property {
        kind: kind.to_owned(),
        text: text.to_owned(),
        value,
    };
    page.properties.insert(name.to_owned(), property);
}

fn blocks(page: &str, markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, line) in markdown.lines().enumerate() {
        let line = line.trim();
        let id = format!("{page}-{number}");
        if line.starts_with('|') {
            let in_table = blocks.last().is_some_and(|block| block.kind == "table_row");
            if line.trim_matches(['|', '-', ' ', ':']).is_empty() {
                continue;
            }
            if !in_table {
                blocks.push(block(format!("{id}-table"), "table", ""));
            }
            let cells = line
                .trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned());
            blocks.push(Block {
                cells: cells.collect(),
                depth: 1,
                ..block(id, "table_row", "")
            });
        } else if !line.is_empty() {
            blocks.push(of_line(id, line));
        }
    }
    blocks
}

fn of_line(id: String, line: &str) -> Block {
    for (mark, checked) in [("- [ ] ", false), ("- [x] ", true)] {
        if let Some(text) = line.strip_prefix(mark) {
            return Block {
                checked: Some(checked),
                ..block(id, "to_do", text)
            };
        }
    }
    for (mark, kind) in [
        ("### ", "heading_3"),
        ("## ", "heading_2"),
        ("# ", "heading_1"),
        ("- ", "bulleted_list_item"),
        ("> ", "quote"),
    ] {
        if let Some(text) = line.strip_prefix(mark) {
            return block(id, kind, text);
        }
    }
    block(id, "paragraph", line)
}

fn block(id: String, kind: &str, text: &str) -> Block {
    Block {
        id,
        kind: kind.to_owned(),
        text: text.to_owned(),
        seeded: true,
        ..Block::default()
    }
}
