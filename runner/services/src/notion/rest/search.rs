//! Search by title.

use std::cmp::Reverse;

use serde_json::Value;

use super::error::ApiError;
use super::paging::{Paging, list};
use super::{Call, Cx};
use crate::notion::accept::{At, boolean, object, only, optional, required, short, word};
use crate::notion::id::Id;
use crate::notion::store::Node;

pub(super) fn search(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let at = At::Root("body");
    let body = &call.body;
    let known = ["query", "sort", "filter", "start_cursor", "page_size"];
    only(body, &known, &at)?;
    let table = if cx.version.has_sources() {
        "data_source"
    } else {
        "database"
    };
    let mut kind = None;
    let mut trashed = false;
    if let Some(value) = optional(body, "filter") {
        let at = at.key("filter");
        let filter = object(value, &at)?;
        if let Some(value) = optional(filter, "in_trash") {
            trashed = boolean(value, &at.key("in_trash"))?;
        }
        if let Some(value) = filter.get("value") {
            kind = Some(word(value, &["page", table], &at.key("value"))?);
            let property = required(filter, "property", &at)?;
            word(property, &["object"], &at.key("property"))?;
        }
    }
    let ascending = match optional(body, "sort") {
        None => None,
        Some(value) => {
            let at = at.key("sort");
            let sort = object(value, &at)?;
            match sort.get("direction") {
                Some(value) => {
                    let words = ["ascending", "descending"];
                    Some(word(value, &words, &at.key("direction"))? == "ascending")
                }
                None => None,
            }
        }
    };
    let query = match optional(body, "query") {
        Some(value) => short(value, 1000, &at.key("query"))?.to_lowercase(),
        None => String::new(),
    };
    let mut found: Vec<(u8, &Node, Id)> = Vec::new();
    for (id, node) in &cx.notion.nodes {
        let is = match (node.page(), node.source(), node.database()) {
            (Some(_), _, _) => "page",
            (_, Some(_), _) if table == "data_source" => table,
            (_, _, Some(_)) if table == "database" => table,
            _ => continue,
        };
        if kind.is_some_and(|kind| kind != is) || cx.notion.in_trash(*id) != trashed {
            continue;
        }
        let title = cx.notion.title(*id).unwrap_or_default().to_lowercase();
        if let Some(rank) = rank(&title, &query) {
            found.push((rank, node, *id));
        }
    }
    found.sort_by_key(|(rank, node, id)| {
        let rank = if ascending.is_some() { 0 } else { *rank };
        (rank, Reverse(node.edited.at), node.created.at, *id)
    });
    if ascending == Some(true) {
        found.reverse();
    }
    let found = found.into_iter().map(|(_, _, id)| id).collect();
    let part = Paging::of_body(call)?.cut(found, |id| *id)?;
    let results = part
        .items
        .into_iter()
        .map(|id| cx.object(id, &[]))
        .collect();
    let kind = if table == "data_source" {
        "page_or_data_source"
    } else {
        "page_or_database"
    };
    Ok(list(kind, results, part.next))
}

/// How well a title answers a query; less is better. `None`: not at all.
fn rank(title: &str, query: &str) -> Option<u8> {
    let query = query.trim();
    let all_in = query.split_whitespace().all(|word| title.contains(word));
    if title == query {
        Some(0)
    } else if title.starts_with(query) {
        Some(1)
    } else if title.contains(query) {
        Some(2)
    } else {
        all_in.then_some(3)
    }
}
