//! Queries of a table: which rows, in what order, which part of them.

mod filter;
mod holds;
mod moment;
mod sort;

use serde_json::{Map, Value};

use super::error::ApiError;
use super::paging::{Paging, list};
use super::{Call, Cx};
use crate::notion::accept::properties::find;
use crate::notion::accept::{At, only, optional, string, trash, word};
use crate::notion::id::Id;
use crate::notion::property::{Cell, Config};
use crate::notion::store::Source;
use filter::Condition;
use holds::Test;

/// The rows of a table that a request asks for.
pub(in crate::notion::rest) fn query(
    cx: &mut Cx<'_>,
    call: &Call,
    source: Id,
) -> Result<Value, ApiError> {
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "filter",
        "sorts",
        "start_cursor",
        "page_size",
        "archived",
        "in_trash",
        "result_type",
    ];
    only(body, &known, &at)?;
    let trashed = trash(body, &at)?.unwrap_or(false);
    let node = cx.node(source, "data_source")?;
    let table = node.source().cloned().unwrap_or_default();
    let children = node.children.clone();
    let mut rows: Vec<Id> = children
        .into_iter()
        .filter(|row| cx.notion.in_trash(*row) == trashed)
        .collect();
    if let Some(filter) = optional(body, "filter") {
        let condition = Condition::read(&table, filter, &at.key("filter"))?;
        let test = Test {
            notion: cx.notion,
            now: cx.now,
        };
        rows.retain(|row| test.holds(&condition, *row));
    }
    if let Some(sorts) = optional(body, "sorts") {
        let keys = sort::keys(&table, sorts, &at.key("sorts"))?;
        sort::sort(cx.notion, &keys, &mut rows);
    }
    let part = Paging::of_body(call)?.cut(rows, |row| *row)?;
    let only = call.queries("filter_properties");
    cx.read(source, proctor_types::View::Summary);
    let results = part
        .items
        .into_iter()
        .map(|row| cx.object(row, &only))
        .collect();
    let kind = if cx.version.has_sources() {
        "page_or_data_source"
    } else {
        "page_or_database"
    };
    Ok(list(kind, results, part.next))
}

/// What a filter or a sort is about: a property, or a time that every page has.
struct Column {
    id: String,
    config: Config,
}

impl Column {
    /// Reads `property` or `timestamp`; `None` where there is neither.
    fn read(
        table: &Source,
        map: &Map<String, Value>,
        at: &At<'_>,
    ) -> Result<Option<Self>, ApiError> {
        if let Some(value) = map.get("timestamp") {
            let words = ["created_time", "last_edited_time"];
            let name = word(value, &words, &at.key("timestamp"))?;
            let config = match name {
                "created_time" => Config::CreatedTime,
                _ => Config::LastEditedTime,
            };
            let id = name.to_owned();
            return Ok(Some(Self { id, config }));
        }
        let Some(value) = map.get("property") else {
            return Ok(None);
        };
        let (id, config) = find(table, string(value, &at.key("property"))?)?;
        let (id, config) = (id.to_owned(), config.clone());
        Ok(Some(Self { id, config }))
    }

    fn cell(&self) -> Cell<'_> {
        Cell {
            id: &self.id,
            name: &self.id,
            config: &self.config,
        }
    }
}
