//! Databases and their rows.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::ask;
use super::values::{Properties, update};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::{Arguments, Problem};

/// What a model does when it has the wrong database.
const FIND_DATABASE: &str =
    "Find the right id with NOTION_SEARCH_NOTION_PAGE and `filter_value` `database`.";

/// Gets a database: its title and the properties (columns) of its rows, with
/// their types and options.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchDatabase {
    /// The database, by its id from `NOTION_SEARCH_NOTION_PAGE`.
    database_id: String,
}

impl Arguments for FetchDatabase {
    const SLUG: &'static str = "NOTION_FETCH_DATABASE";
    const TITLE: &'static str = "Get a database";
    const LOST: &'static str = FIND_DATABASE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let path = format!("databases/{}", segment(&self.database_id));
        caller.ask(ask(Method::GET, &path))
    }
}

/// Lists the rows of a database with their properties and ids; all of them, or
/// those that a filter lets through.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct QueryDatabaseWithFilter {
    /// The database, by its id from `NOTION_SEARCH_NOTION_PAGE`.
    database_id: String,
    /// Filter of Notion's interface, for example `{"property": "Status", "status": {"equals": "To Do"}}`; `and` and `or` hold lists of filters.
    filter: Option<Map<String, Value>>,
    /// Order, for example `[{"property": "Due", "direction": "ascending"}]`.
    sorts: Option<Vec<Map<String, Value>>>,
    /// `next_cursor` of the call before, to go on where it ended.
    start_cursor: Option<String>,
    /// How many rows at most, from 1 to 100 (100 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    page_size: Option<u32>,
}

impl Arguments for QueryDatabaseWithFilter {
    const SLUG: &'static str = "NOTION_QUERY_DATABASE_WITH_FILTER";
    const TITLE: &'static str = "Query a database";
    const LOST: &'static str = FIND_DATABASE;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut body = json!({});
        if let Some(filter) = self.filter.filter(|filter| !filter.is_empty()) {
            body["filter"] = Value::Object(filter);
        }
        if let Some(sorts) = self.sorts {
            body["sorts"] = json!(sorts);
        }
        if let Some(cursor) = self.start_cursor {
            body["start_cursor"] = cursor.into();
        }
        if let Some(size) = self.page_size {
            body["page_size"] = size.into();
        }
        let path = format!("databases/{}/query", segment(&self.database_id));
        caller.ask(ask(Method::POST, &path).body(body))
    }
}

/// Changes a row of a database: the values of its properties.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateRowDatabase {
    /// The row, by its id from `NOTION_QUERY_DATABASE_WITH_FILTER`.
    row_id: String,
    /// New values by name, for example `{"Status": "Done", "PR": "https://github.com/acme/hydra/pull/1"}`; those that are not named stay. A value is a text, number, boolean or list of texts, or whole as in Notion's interface.
    properties: Option<Properties>,
    /// Icon of the row: an emoji.
    icon: Option<String>,
    /// Whether the row is put into the trash (false where nothing is said).
    #[serde(default)]
    delete_row: bool,
}

impl Arguments for UpdateRowDatabase {
    const SLUG: &'static str = "NOTION_UPDATE_ROW_DATABASE";
    const TITLE: &'static str = "Update a row";
    const READS: bool = false;
    const LOST: &'static str = "Find the right id with NOTION_QUERY_DATABASE_WITH_FILTER.";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut body = json!({});
        if let Some(icon) = self.icon {
            body["icon"] = json!({"type": "emoji", "emoji": icon});
        }
        if self.delete_row {
            body["archived"] = true.into();
        }
        update(caller, &self.row_id, self.properties, body)
    }
}
