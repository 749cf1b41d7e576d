//! Putting new blocks into pages.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::content::{Block, blocks};
use super::{FIND_BLOCK, FIND_PAGE, ask, children_of};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::{Arguments, Problem};

/// Blocks of one request, at most.
const BATCH: usize = 100;

fn append(
    caller: &mut Caller<'_>,
    parent: &str,
    children: &[Value],
    after: Option<&str>,
) -> Result<Value, Problem> {
    let mut body = json!({"children": children});
    if let Some(after) = after {
        body["after"] = after.into();
    }
    caller.ask(children_of(parent, Method::PATCH).body(body))
}

/// Appends paragraphs, headings and list items to a page or block. At most 100
/// at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AppendTextBlocks {
    /// Page or block that the blocks are put into.
    block_id: String,
    /// The blocks, in order. A short one without `block_property` is a paragraph.
    children: Vec<Block>,
    /// Block of the page behind which they are put; at the end where nothing is said.
    after: Option<String>,
}

impl Arguments for AppendTextBlocks {
    const SLUG: &'static str = "NOTION_APPEND_TEXT_BLOCKS";
    const TITLE: &'static str = "Append text";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let children = blocks("children", self.children, "paragraph")?;
        append(caller, &self.block_id, &children, self.after.as_deref())
    }
}

/// Appends to-dos, toggles and callouts to a page or block. At most 100 at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AppendTaskBlocks {
    /// Page or block that the blocks are put into.
    block_id: String,
    /// The blocks, in order. A short one without `block_property` is a `to_do`, ticked with `checked`.
    children: Vec<Block>,
    /// Block of the page behind which they are put; at the end where nothing is said.
    after: Option<String>,
}

impl Arguments for AppendTaskBlocks {
    const SLUG: &'static str = "NOTION_APPEND_TASK_BLOCKS";
    const TITLE: &'static str = "Append to-dos";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let children = blocks("children", self.children, "to_do")?;
        append(caller, &self.block_id, &children, self.after.as_deref())
    }
}

/// Appends code, quotes and equations to a page or block. At most 100 at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AppendCodeBlocks {
    /// Page or block that the blocks are put into.
    block_id: String,
    /// The blocks, in order. A short one without `block_property` is code, in `language`.
    children: Vec<Block>,
    /// Block of the page behind which they are put; at the end where nothing is said.
    after: Option<String>,
}

impl Arguments for AppendCodeBlocks {
    const SLUG: &'static str = "NOTION_APPEND_CODE_BLOCKS";
    const TITLE: &'static str = "Append code";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let children = blocks("children", self.children, "code")?;
        append(caller, &self.block_id, &children, self.after.as_deref())
    }
}

/// Appends blocks of any kinds to a page or block, in order. At most 100 at once.
/// It only adds: to change what is there use `NOTION_UPDATE_BLOCK`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddMultiplePageContent {
    /// Page or block that the blocks are put into.
    parent_block_id: String,
    /// The blocks, in order. A short one without `block_property` is a paragraph.
    content_blocks: Vec<Block>,
    /// Block of the page behind which they are put; at the end where nothing is said.
    after: Option<String>,
}

impl Arguments for AddMultiplePageContent {
    const SLUG: &'static str = "NOTION_ADD_MULTIPLE_PAGE_CONTENT";
    const TITLE: &'static str = "Append blocks";
    const READS: bool = false;
    const LOST: &'static str = FIND_BLOCK;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let children = blocks("content_blocks", self.content_blocks, "paragraph")?;
        append(
            caller,
            &self.parent_block_id,
            &children,
            self.after.as_deref(),
        )
    }
}

/// Replaces the whole content of a page by new blocks. Pages and databases in
/// it stay. Everything else is lost: to change a part use `NOTION_UPDATE_BLOCK`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReplacePageContent {
    /// The page whose content is replaced.
    page_id: String,
    /// The new content, in order. A short block without `block_property` is a paragraph.
    new_children: Vec<Block>,
}

impl Arguments for ReplacePageContent {
    const SLUG: &'static str = "NOTION_REPLACE_PAGE_CONTENT";
    const TITLE: &'static str = "Replace a page's content";
    const READS: bool = false;
    const LOST: &'static str = FIND_PAGE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let children = blocks("new_children", self.new_children, "paragraph")?;
        let mut old = Vec::new();
        let mut cursor = None;
        loop {
            let list = children_of(&self.page_id, Method::GET)
                .query("page_size", Some(BATCH))
                .query("start_cursor", cursor);
            let part = caller.ask(list)?;
            for block in part["results"].as_array().into_iter().flatten() {
                let is_place = block["type"] == "child_page" || block["type"] == "child_database";
                let id = block["id"].as_str().filter(|_| !is_place);
                old.extend(id.map(str::to_owned));
            }
            cursor = part["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        // The new content first: where it is refused, the old one is still there.
        let mut added = 0;
        for part in children.chunks(BATCH) {
            append(caller, &self.page_id, part, None).map_err(|problem| {
                problem.after(&format!(
                    "Nothing was removed, and {added} new blocks were appended before it."
                ))
            })?;
            added += part.len();
        }
        for id in &old {
            caller.ask(ask(Method::DELETE, &format!("blocks/{}", segment(id))))?;
        }
        Ok(json!({"page_id": self.page_id, "added": added, "removed": old.len()}))
    }
}
