//! Single blocks.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::content::rich_text;
use super::{FIND_BLOCK, ask, children_of};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::{Arguments, Problem};

/// Lists the blocks of a page, or those inside of a block, in order, with their
/// ids. Where `has_children` is true, call it again with that block's id; where
/// `next_cursor` comes back, there are more.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchBlockContents {
    /// Page or block whose content is listed.
    block_id: String,
    /// `next_cursor` of the call before, to go on where it ended.
    start_cursor: Option<String>,
    /// How many blocks at most, from 1 to 100 (100 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    page_size: Option<u32>,
}

impl Arguments for FetchBlockContents {
    const SLUG: &'static str = "NOTION_FETCH_BLOCK_CONTENTS";
    const TITLE: &'static str = "List blocks";
    const LOST: &'static str = super::FIND_PAGE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(
            children_of(&self.block_id, Method::GET)
                .query("start_cursor", self.start_cursor)
                .query("page_size", self.page_size),
        )
    }
}

/// Replaces the text of a block, which stays where it is and keeps its id: the
/// way to change a status line, tick a to-do or edit a row of a table.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateBlock {
    /// The block, by its id from `NOTION_FETCH_BLOCK_CONTENTS`.
    block_id: String,
    /// The block's whole new text. Of a table's row: its cells with ` | ` between them.
    content: String,
    /// The block's type, for example `paragraph` or `to_do`; looked up where nothing is said. A block's type cannot be changed.
    block_type: Option<String>,
    /// Further members of the block's content, for example `{"checked": true}` of a `to_do` or `{"language": "python"}` of code.
    additional_properties: Option<Map<String, Value>>,
}

impl Arguments for UpdateBlock {
    const SLUG: &'static str = "NOTION_UPDATE_BLOCK";
    const TITLE: &'static str = "Update a block";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let path = format!("blocks/{}", segment(&self.block_id));
        let kind = if let Some(kind) = self.block_type {
            kind
        } else {
            let block = caller.ask(ask(Method::GET, &path))?;
            block["type"].as_str().unwrap_or("paragraph").to_owned()
        };
        match kind.as_str() {
            "child_page" => {
                return Err(Problem::new(
                    "This block is a page: change its title with NOTION_UPDATE_PAGE.",
                ));
            }
            "child_database" => {
                return Err(Problem::new(
                    "This block is a database: no tool changes its title, and \
                     NOTION_UPDATE_ROW_DATABASE changes its rows.",
                ));
            }
            _ => {}
        }
        let plain = Map::new();
        let mut inner = if kind == "table_row" {
            let cells = self.content.trim().trim_matches('|').split('|');
            let cells = cells.map(|cell| rich_text(cell.trim(), None, &plain));
            json!({"cells": cells.collect::<Vec<_>>()})
        } else {
            json!({"rich_text": rich_text(&self.content, None, &plain)})
        };
        for (name, value) in self.additional_properties.into_iter().flatten() {
            inner[name] = value;
        }
        caller.ask(ask(Method::PATCH, &path).body(json!({kind: inner})))
    }
}

/// Deletes a block with everything in it. Of a page's id, puts the page into the
/// trash.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteBlock {
    /// The block, by its id from `NOTION_FETCH_BLOCK_CONTENTS`.
    block_id: String,
}

impl Arguments for DeleteBlock {
    const SLUG: &'static str = "NOTION_DELETE_BLOCK";
    const TITLE: &'static str = "Delete a block";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let path = format!("blocks/{}", segment(&self.block_id));
        caller.ask(ask(Method::DELETE, &path))
    }
}
