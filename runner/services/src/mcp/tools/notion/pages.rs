//! Pages.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::values::{Properties, update};
use super::{FIND_PAGE, ask};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::{Arguments, Problem};

/// What is searched for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Page,
    Database,
}

/// Finds pages and databases by words of their title; without a query, lists
/// everything. Content is not searched.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SearchNotionPage {
    /// Words of the title.
    query: String,
    /// Only `page` or only `database`; both where nothing is said.
    filter_value: Option<Kind>,
    /// `next_cursor` of the call before, to go on where it ended.
    start_cursor: Option<String>,
    /// How many at most, from 1 to 100 (100 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    page_size: Option<u32>,
}

impl Arguments for SearchNotionPage {
    const SLUG: &'static str = "NOTION_SEARCH_NOTION_PAGE";
    const TITLE: &'static str = "Search pages";
    const LOST: &'static str = "";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut body = json!({"query": self.query});
        if let Some(kind) = self.filter_value {
            let kind = match kind {
                Kind::Page => "page",
                Kind::Database => "database",
            };
            body["filter"] = json!({"property": "object", "value": kind});
        }
        if let Some(cursor) = self.start_cursor {
            body["start_cursor"] = cursor.into();
        }
        if let Some(size) = self.page_size {
            body["page_size"] = size.into();
        }
        caller.ask(ask(Method::POST, "search").body(body))
    }
}

/// Gets a page's properties (of a database's row: its fields), not its content:
/// that comes with `NOTION_GET_PAGE_MARKDOWN` or `NOTION_FETCH_BLOCK_CONTENTS`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RetrievePage {
    /// The page, by its id from `NOTION_SEARCH_NOTION_PAGE`.
    page_id: String,
}

impl Arguments for RetrievePage {
    const SLUG: &'static str = "NOTION_RETRIEVE_PAGE";
    const TITLE: &'static str = "Get a page's properties";
    const LOST: &'static str = FIND_PAGE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(ask(
            Method::GET,
            &format!("pages/{}", segment(&self.page_id)),
        ))
    }
}

/// Reads a page's whole content as Markdown: the quickest way to read a page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetPageMarkdown {
    /// The page, by its id from `NOTION_SEARCH_NOTION_PAGE`.
    page_id: String,
}

impl Arguments for GetPageMarkdown {
    const SLUG: &'static str = "NOTION_GET_PAGE_MARKDOWN";
    const TITLE: &'static str = "Read a page";
    const LOST: &'static str = FIND_PAGE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let path = format!("pages/{}/markdown", segment(&self.page_id));
        caller.ask(ask(Method::GET, &path))
    }
}

/// Changes properties, icon or cover of a page (of a database's row: its
/// fields), or puts it into the trash. Its content is changed with
/// `NOTION_UPDATE_BLOCK`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdatePage {
    /// The page, by its id from `NOTION_SEARCH_NOTION_PAGE`.
    page_id: String,
    /// New values by name, for example `{"Status": "Done"}`; those that are not named stay. A value is a text, number, boolean or list of texts, or whole as in Notion's interface.
    properties: Option<Properties>,
    /// Icon of the page: an emoji.
    icon: Option<String>,
    /// Cover of the page: address of a picture.
    cover: Option<String>,
    /// Whether the page is in the trash.
    archived: Option<bool>,
}

impl Arguments for UpdatePage {
    const SLUG: &'static str = "NOTION_UPDATE_PAGE";
    const TITLE: &'static str = "Update a page";
    const READS: bool = false;
    const LOST: &'static str = FIND_PAGE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut body = json!({});
        if let Some(icon) = self.icon {
            body["icon"] = json!({"type": "emoji", "emoji": icon});
        }
        if let Some(cover) = self.cover {
            body["cover"] = json!({"type": "external", "external": {"url": cover}});
        }
        if let Some(archived) = self.archived {
            body["archived"] = archived.into();
        }
        update(caller, &self.page_id, self.properties, body)
    }
}
