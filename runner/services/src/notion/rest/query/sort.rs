//! Sorting rows.

use std::cmp::Ordering;

use serde_json::Value;

use super::super::error::ApiError;
use super::Column;
use super::moment::Moment;
use crate::notion::accept::{At, array, object, word};
use crate::notion::id::Id;
use crate::notion::property::{Cell, Config};
use crate::notion::store::{Notion, Source};

/// One thing that rows are sorted by.
pub(super) struct SortKey {
    column: Column,
    descending: bool,
}

/// Understands what rows are to be sorted by; the first counts most.
pub(super) fn keys(table: &Source, sorts: &Value, at: &At<'_>) -> Result<Vec<SortKey>, ApiError> {
    let key = |(n, value): (usize, &Value)| {
        let at = at.item(n);
        let map = object(value, &at)?;
        let direction = map.get("direction");
        let words = ["ascending", "descending"];
        let direction = direction.map(|value| word(value, &words, &at.key("direction")));
        let direction = direction.transpose()?;
        let column = Column::read(table, map, &at)?;
        Ok(SortKey {
            column: column.ok_or_else(|| at.key("property").missing())?,
            descending: direction == Some("descending"),
        })
    };
    array(sorts, at)?.iter().enumerate().map(key).collect()
}

/// Sorts rows; those that are equal stay in their order.
pub(super) fn sort(notion: &Notion, keys: &[SortKey], rows: &mut [Id]) {
    // Stable, so that the last key decides least.
    for key in keys.iter().rev() {
        let cell = key.column.cell();
        rows.sort_by(|one, two| {
            let (one, two) = (Key::of(notion, *one, cell), Key::of(notion, *two, cell));
            match (one, two) {
                (Key::None, Key::None) => Ordering::Equal,
                // What has no value comes last either way.
                (Key::None, _) => Ordering::Greater,
                (_, Key::None) => Ordering::Less,
                (one, two) => {
                    let order = one.compare(&two);
                    if key.descending {
                        order.reverse()
                    } else {
                        order
                    }
                }
            }
        });
    }
}

/// What a row is sorted by.
enum Key {
    None,
    Number(f64),
    Date(Moment),
    Text(String),
}

impl Key {
    fn of(notion: &Notion, row: Id, cell: Cell<'_>) -> Self {
        if let Config::Date | Config::CreatedTime | Config::LastEditedTime = cell.config {
            return Moment::of(notion, row, cell).map_or(Self::None, Self::Date);
        }
        let text = notion.value_text(row, cell);
        if text.is_empty() {
            return Self::None;
        }
        match cell.config {
            Config::Number(_) => text.parse().map_or(Self::None, Self::Number),
            Config::Select(choices) | Config::Status(choices) => {
                let at = choices.iter().position(|choice| choice.name == text);
                let at = at.and_then(|at| u32::try_from(at).ok());
                at.map_or(Self::None, |at| Self::Number(at.into()))
            }
            _ => Self::Text(text.to_lowercase()),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => one.total_cmp(two),
            (Self::Date(one), Self::Date(two)) => one.compare(*two),
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            _ => Ordering::Equal,
        }
    }
}
