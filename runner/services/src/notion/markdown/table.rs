//! Tables: as tags, and as ordinary Markdown draws them.

use super::inline::inline;
use super::tags::Tag;
use super::{Names, Piece, Shape};
use crate::notion::block::{Block, Extra, Kind};
use crate::notion::rich::Rich;

/// Most columns.
const MAX_WIDTH: usize = 100;

/// A table block of these rows.
fn table(mut rows: Vec<Vec<Rich>>, column_header: bool, row_header: bool, line: usize) -> Piece {
    let width = rows.iter().map(Vec::len).max().unwrap_or(1);
    let width = width.clamp(1, MAX_WIDTH);
    for row in &mut rows {
        row.resize(width, Rich::new());
    }
    let row = |(at, cells)| Piece {
        what: Shape::New(Block::new(Kind::TableRow, Rich::new()).with(Extra::Cells(cells))),
        children: Vec::new(),
        line: line + at,
    };
    let table = Block::new(Kind::Table, Rich::new()).with(Extra::Table {
        width,
        column_header,
        row_header,
    });
    Piece {
        what: Shape::New(table),
        children: rows.into_iter().enumerate().map(row).collect(),
        line,
    }
}

/// The table between `<table ...>` and `</table>`.
pub(super) fn of_tags(tag: &Tag<'_>, inside: &str, names: &dyn Names, line: usize) -> Piece {
    let mut rows: Vec<Vec<Rich>> = Vec::new();
    let mut rest = inside;
    while let Some(at) = rest.find('<') {
        let here = rest.get(at..).unwrap_or_default();
        let Some((inner, after)) = Tag::parse(here) else {
            rest = here.get(1..).unwrap_or_default();
            continue;
        };
        rest = after;
        match inner.name {
            "tr" => rows.push(Vec::new()),
            "td" | "th" => {
                let end = format!("</{}>", inner.name);
                let (cell, after) = after.split_once(&end).unwrap_or((after, ""));
                rest = after;
                if rows.is_empty() {
                    rows.push(Vec::new());
                }
                if let Some(row) = rows.last_mut() {
                    row.push(inline(cell, names));
                }
            }
            _ => {}
        }
    }
    table(rows, tag.is("header-row"), tag.is("header-column"), line)
}

/// Whether a line separates the head of a table from its body.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: ".contains(c))
}

/// The table that lines with pipes draw.
pub(super) fn of_pipes(lines: &[&str], names: &dyn Names, line: usize) -> Piece {
    let rows = lines.iter().enumerate().filter(|(at, _)| *at != 1);
    let rows = rows.map(|(_, line)| {
        let cells = cells(line).into_iter();
        cells.map(|cell| inline(&cell, names)).collect()
    });
    table(rows.collect(), true, false, line)
}

/// The cells of a line; a pipe that is escaped separates nothing.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in line.chars() {
        if c == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            if c == '|' {
                // The escape was the table's.
                cell.pop();
                cell.push_str("\\|");
            } else {
                cell.push(c);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
}
