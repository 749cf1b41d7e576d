//! Blocks in requests.

use serde_json::{Map, Value};

use super::rich::{color, rich};
use super::{
    At, Bad, Checked, boolean, external, few, flag, icon, id, object, optional, required, short,
    url, word,
};
use crate::notion::block::{Block, Extra, KINDS, Kind, LANGUAGES};
use crate::notion::rest::error::ApiError;
use crate::notion::rich::Rich;

/// Most blocks in one list.
pub(crate) const MAX_CHILDREN: usize = 100;
/// Most blocks in one request.
const MAX_BLOCKS: usize = 1000;
/// How many levels of blocks one request may have below the first.
const MAX_NESTING: usize = 2;

/// A block that is not in the tree yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) block: Block,
    pub(crate) children: Vec<Draft>,
}

impl Draft {
    /// How many blocks it is, with those in it.
    pub(crate) fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

/// The blocks of a request.
pub(crate) fn children(value: &Value, at: &At<'_>) -> Result<Vec<Draft>, ApiError> {
    let drafts = list(value, MAX_NESTING, at)?;
    let count: usize = drafts.iter().map(Draft::count).sum();
    if count > MAX_BLOCKS {
        let what = format!("\u{2264} `{MAX_BLOCKS}`");
        let at = at.key("total_blocks");
        return Err(at.wrong(&what, Some(&count.into())).into());
    }
    for draft in &drafts {
        fits(draft)?;
    }
    Ok(drafts)
}

fn list(value: &Value, levels: usize, at: &At<'_>) -> Checked<Vec<Draft>> {
    few(value, MAX_CHILDREN, at)?
        .iter()
        .enumerate()
        .map(|(n, value)| draft(value, levels, &at.item(n)))
        .collect()
}

fn draft(value: &Value, levels: usize, at: &At<'_>) -> Checked<Draft> {
    let map = object(value, at)?;
    let (kind, content) = kind_of(map, at)?;
    let at = at.key(kind.name());
    let content = object(content, &at)?;
    let block = new(kind, content, &at)?;
    // Some clients put `children` beside the content; Notion takes them inside.
    let children = match optional(content, "children") {
        None => Vec::new(),
        Some(value) if levels == 0 || !block.takes_children() => {
            return Err(at.key("children").surplus(value));
        }
        Some(value) => list(value, levels - 1, &at.key("children"))?,
    };
    if matches!(kind, Kind::Table | Kind::ColumnList) && children.is_empty() {
        return Err(at.key("children").missing());
    }
    Ok(Draft { block, children })
}

/// The kind of a block and its content, by the member that it has.
fn kind_of<'v>(map: &'v Map<String, Value>, at: &At<'_>) -> Checked<(Kind, &'v Value)> {
    let names = KINDS.map(|(_, name)| name);
    if let Some(value) = map.get("type") {
        let name = word(value, &names, &at.key("type"))?;
        required(map, name, at)?;
    }
    let mut found = KINDS
        .iter()
        .filter_map(|(kind, name)| Some((*kind, map.get(*name)?)));
    let Some(first) = found.next() else {
        return Err(Bad::either(names.map(|name| at.key(name).missing())));
    };
    if let Some((kind, value)) = found.next() {
        return Err(at.key(kind.name()).surplus(value));
    }
    let known = ["object", "type", first.0.name()];
    // What a block that was read carries besides is ignored.
    let served = [
        "id",
        "parent",
        "created_time",
        "created_by",
        "last_edited_time",
        "last_edited_by",
        "has_children",
        "archived",
        "in_trash",
    ];
    match map
        .iter()
        .find(|(key, _)| !known.contains(&key.as_str()) && !served.contains(&key.as_str()))
    {
        Some((key, value)) => Err(at.key(key).surplus(value)),
        None => Ok(first),
    }
}

/// A block of `kind`, everything that it needs in `content`.
fn new(kind: Kind, content: &Map<String, Value>, at: &At<'_>) -> Checked<Block> {
    let extra = match kind {
        Kind::Code => {
            required(content, "language", at)?;
            Extra::None
        }
        Kind::Table => Extra::Table {
            width: width(
                required(content, "table_width", at)?,
                &at.key("table_width"),
            )?,
            column_header: false,
            row_header: false,
        },
        Kind::TableRow => {
            required(content, "cells", at)?;
            Extra::None
        }
        Kind::Bookmark | Kind::Embed => {
            required(content, "url", at)?;
            Extra::None
        }
        Kind::Equation => {
            required(content, "expression", at)?;
            Extra::None
        }
        Kind::LinkToPage => link_target(content, at)?,
        _ if kind.is_media() => {
            required(content, "external", at)?;
            Extra::None
        }
        _ => Extra::None,
    };
    if kind.has_text() {
        required(content, "rich_text", at)?;
    }
    let mut block = Block::new(kind, Rich::new()).with(extra);
    apply(&mut block, content, at)?;
    Ok(block)
}

fn width(value: &Value, at: &At<'_>) -> Checked<usize> {
    value
        .as_u64()
        .filter(|width| (1..=100).contains(width))
        .and_then(|width| usize::try_from(width).ok())
        .ok_or_else(|| at.wrong("a number between `1` and `100`", Some(value)))
}

fn link_target(content: &Map<String, Value>, at: &At<'_>) -> Checked<Extra> {
    let keys = ["page_id", "database_id"];
    let found = keys.iter().find_map(|key| Some((*key, content.get(*key)?)));
    match found {
        Some((key, value)) => id(value, &at.key(key)).map(Extra::Target),
        None => Err(Bad::either(keys.map(|key| at.key(key).missing()))),
    }
}

/// Changes what `content` says of a block; the rest stays as it is.
fn apply(block: &mut Block, content: &Map<String, Value>, at: &At<'_>) -> Checked<()> {
    let kind = block.kind;
    let text_key = if kind.has_text() {
        "rich_text"
    } else {
        "caption"
    };
    if let Some(value) = optional(content, text_key) {
        block.text = rich(value, &at.key(text_key))?;
    }
    if kind.has_color()
        && let Some(color) = color(content, at)?
    {
        block.color = color;
    }
    match kind {
        Kind::ToDo => {
            if let Some(checked) = flag(content, "checked", at)? {
                block.extra = if checked { Extra::Checked } else { Extra::None };
            }
        }
        Kind::Heading1 | Kind::Heading2 | Kind::Heading3 | Kind::Heading4 => {
            if let Some(toggleable) = flag(content, "is_toggleable", at)? {
                block.extra = if toggleable {
                    Extra::Toggleable
                } else {
                    Extra::None
                };
            }
        }
        Kind::Callout => {
            if let Some(value) = content.get("icon") {
                block.extra = icon(value, &at.key("icon"))?.map_or(Extra::None, Extra::Icon);
            }
        }
        Kind::Code => apply_code(block, content, at)?,
        Kind::Table => apply_table(block, content, at)?,
        Kind::TableRow => {
            if let Some(value) = optional(content, "cells") {
                block.extra = Extra::Cells(cells(value, &at.key("cells"))?);
            }
        }
        Kind::Bookmark | Kind::Embed => {
            if let Some(value) = optional(content, "url") {
                block.extra = Extra::Url(url(value, &at.key("url"))?.to_owned());
            }
        }
        Kind::Equation => {
            if let Some(value) = optional(content, "expression") {
                let text = short(value, 1000, &at.key("expression"))?;
                block.extra = Extra::Expression(text.to_owned());
            }
        }
        Kind::SyncedBlock => {
            if let Some(value) = optional(content, "synced_from") {
                let at = at.key("synced_from");
                let value = required(object(value, &at)?, "block_id", &at)?;
                block.extra = Extra::Target(id(value, &at.key("block_id"))?);
            }
        }
        Kind::Column => {
            if let Some(ratio) = optional(content, "width_ratio").and_then(Value::as_f64) {
                block.extra = Extra::Width(ratio);
            }
        }
        _ if kind.is_media() => {
            if let Some(value) = optional(content, "external") {
                block.extra = Extra::Url(external(value, &at.key("external"))?);
            }
        }
        _ => {}
    }
    Ok(())
}

fn apply_code(block: &mut Block, content: &Map<String, Value>, at: &At<'_>) -> Checked<()> {
    let (mut language, mut caption) = match &block.extra {
        Extra::Code { language, caption } => (language.clone(), caption.clone()),
        _ => ("plain text".to_owned(), Rich::new()),
    };
    if let Some(value) = optional(content, "language") {
        word(value, LANGUAGES, &at.key("language"))?.clone_into(&mut language);
    }
    if let Some(value) = optional(content, "caption") {
        caption = rich(value, &at.key("caption"))?;
    }
    block.extra = Extra::Code { language, caption };
    Ok(())
}

fn apply_table(block: &mut Block, content: &Map<String, Value>, at: &At<'_>) -> Checked<()> {
    if let Extra::Table {
        column_header,
        row_header,
        ..
    } = &mut block.extra
    {
        let flags = [
            ("has_column_header", column_header),
            ("has_row_header", row_header),
        ];
        for (key, is) in flags {
            if let Some(value) = optional(content, key) {
                *is = boolean(value, &at.key(key))?;
            }
        }
    }
    Ok(())
}

fn cells(value: &Value, at: &At<'_>) -> Checked<Vec<Rich>> {
    few(value, MAX_CHILDREN, at)?
        .iter()
        .enumerate()
        .map(|(n, cell)| rich(cell, &at.item(n)))
        .collect()
}

/// The block as an update leaves it.
pub(crate) fn updated(block: &Block, body: &Map<String, Value>) -> Result<Block, ApiError> {
    let at = At::Root("body");
    let kind = block.kind;
    for (other, name) in KINDS {
        if let (Some(value), true) = (body.get(name), other != kind) {
            let wrong = [at.key(kind.name()).missing(), at.key(name).surplus(value)];
            return Err(Bad::either(wrong).into());
        }
    }
    let mut block = block.clone();
    if let Some(content) = body.get(kind.name()) {
        let at = at.key(kind.name());
        apply(&mut block, object(content, &at)?, &at)?;
    }
    Ok(block)
}

/// Whether blocks may be in each other as a draft has them.
fn fits(draft: &Draft) -> Result<(), ApiError> {
    for child in &draft.children {
        may_hold(&draft.block, &child.block)?;
        fits(child)?;
    }
    Ok(())
}

/// Whether `child` may be in `parent`.
pub(crate) fn may_hold(parent: &Block, child: &Block) -> Result<(), ApiError> {
    let refuse = |text: String| Err(ApiError::validation(text));
    if !parent.takes_children() {
        let name = parent.kind.name();
        return refuse(format!("Blocks of type {name} do not support children."));
    }
    match (parent.kind, child.kind) {
        (Kind::Table, Kind::TableRow) => match (&parent.extra, &child.extra) {
            (Extra::Table { width, .. }, Extra::Cells(cells)) if cells.len() != *width => refuse(
                "Number of cells in table row must match the table width of the parent table"
                    .to_owned(),
            ),
            _ => Ok(()),
        },
        (Kind::Table, other) => refuse(format!(
            "A table block can only contain table_row blocks, instead was {}.",
            other.name()
        )),
        (_, Kind::TableRow) => refuse("A table_row block can only be in a table block.".to_owned()),
        (Kind::ColumnList, Kind::Column) => Ok(()),
        (Kind::ColumnList, _) | (_, Kind::Column) => {
            refuse("A column_list block contains column blocks, and only they do.".to_owned())
        }
        _ => Ok(()),
    }
}
