//! Lists in pages: a cursor is the identifier of the first object of the next.

use serde_json::{Map, Value, json};

use super::Call;
use super::error::ApiError;
use crate::notion::accept::{At, id, optional};
use crate::notion::id::Id;

/// Objects of a page, at most and by default.
const MAX: u64 = 100;

/// Which part of a list a request wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    start: Option<Id>,
    size: usize,
}

/// A part of a list.
pub(super) struct Part<T> {
    pub(super) items: Vec<T>,
    pub(super) next: Option<Id>,
}

impl Paging {
    /// As a query says it.
    pub(super) fn of_query(call: &Call) -> Result<Self, ApiError> {
        let mut map = Map::new();
        if let Some(start) = call.query("start_cursor").filter(|it| !it.is_empty()) {
            map.insert("start_cursor".into(), start.into());
        }
        if let Some(size) = call.query("page_size") {
            let number = size
                .parse::<u64>()
                .map_or_else(|_| size.into(), Value::from);
            map.insert("page_size".into(), number);
        }
        Self::of(&map, &At::Root("query"))
    }

    /// As a body says it.
    pub(super) fn of_body(call: &Call) -> Result<Self, ApiError> {
        Self::of(&call.body, &At::Root("body"))
    }

    fn of(map: &Map<String, Value>, at: &At<'_>) -> Result<Self, ApiError> {
        let start = optional(map, "start_cursor");
        let start = start.map(|value| id(value, &at.key("start_cursor")));
        let size = match optional(map, "page_size") {
            None => MAX,
            Some(value) => {
                let at = at.key("page_size");
                let size = value.as_u64();
                let size = size.ok_or_else(|| at.wrong("a number", Some(value)))?;
                if size > MAX {
                    return Err(at.wrong(&format!("\u{2264} `{MAX}`"), Some(value)).into());
                }
                if size == 0 {
                    return Err(at.wrong("\u{2265} `1`", Some(value)).into());
                }
                size
            }
        };
        Ok(Self {
            start: start.transpose()?,
            size: usize::try_from(size).unwrap_or(1),
        })
    }

    /// The part of a list that is wanted.
    pub(super) fn cut<T>(self, all: Vec<T>, id_of: impl Fn(&T) -> Id) -> Result<Part<T>, ApiError> {
        let from = match self.start {
            None => 0,
            Some(start) => {
                let at = all.iter().position(|item| id_of(item) == start);
                at.ok_or_else(|| {
                    let text = format!("The start_cursor provided is invalid: {start}");
                    ApiError::validation(text)
                })?
            }
        };
        let next = all.get(from + self.size).map(&id_of);
        let items = all.into_iter().skip(from).take(self.size).collect();
        Ok(Part { items, next })
    }
}

/// A list as the API serves it.
pub(super) fn list(kind: &str, results: Vec<Value>, next: Option<Id>) -> Value {
    let results = Value::Array(results);
    let mut list = json!({
        "object": "list",
        "results": results,
        "next_cursor": next,
        "has_more": next.is_some(),
        "type": kind,
    });
    list[kind] = json!({});
    list
}
