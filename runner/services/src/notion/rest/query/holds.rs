//! Whether a row meets a condition.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::filter::Condition;
use super::moment::{Moment, span};
use crate::notion::id::Id;
use crate::notion::property::{Cell, Config, Property};
use crate::notion::store::Notion;

/// What rows are tested against: the workspace, at a moment.
pub(super) struct Test<'a> {
    pub(super) notion: &'a Notion,
    pub(super) now: Timestamp,
}

impl Test<'_> {
    /// Whether a row meets a condition.
    pub(super) fn holds(&self, condition: &Condition, row: Id) -> bool {
        match condition {
            Condition::All(parts) => parts.iter().all(|part| self.holds(part, row)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part, row)),
            Condition::Cell {
                column,
                operator,
                value,
            } => self.cell_holds(row, column.cell(), operator, value),
        }
    }

    fn cell_holds(&self, row: Id, cell: Cell<'_>, operator: &str, value: &Value) -> bool {
        let text = self.notion.value_text(row, cell);
        match operator {
            "is_empty" => return text.is_empty(),
            "is_not_empty" => return !text.is_empty(),
            _ => {}
        }
        let wanted = value.as_str().unwrap_or_default();
        match cell.config {
            Config::Number(_) => {
                let number = text.parse::<f64>().ok().zip(value.as_f64());
                let order = number.and_then(|(is, than)| is.partial_cmp(&than));
                match operator {
                    "equals" => order == Some(Ordering::Equal),
                    "does_not_equal" => order != Some(Ordering::Equal),
                    "greater_than" => order == Some(Ordering::Greater),
                    "less_than" => order == Some(Ordering::Less),
                    "greater_than_or_equal_to" => order.is_some_and(Ordering::is_ge),
                    _ => order.is_some_and(Ordering::is_le),
                }
            }
            Config::Checkbox => {
                let same = Some(text == "true") == value.as_bool();
                same == (operator == "equals")
            }
            Config::Select(_) | Config::Status(_) => (text == wanted) == (operator == "equals"),
            Config::MultiSelect(_) => {
                let has = text.split(", ").any(|name| name == wanted);
                has == (operator == "contains")
            }
            Config::People | Config::CreatedBy | Config::LastEditedBy | Config::Relation(_) => {
                let has = Id::parse(wanted).is_some_and(|id| self.refers(row, cell, id));
                has == (operator == "contains")
            }
            Config::Date | Config::CreatedTime | Config::LastEditedTime => {
                self.date_holds(row, cell, operator, wanted)
            }
            _ => text_holds(&text, operator, wanted),
        }
    }

    fn refers(&self, row: Id, cell: Cell<'_>, id: Id) -> bool {
        let Some(node) = self.notion.node(row) else {
            return false;
        };
        match cell.config {
            Config::CreatedBy => return node.created.by == id,
            Config::LastEditedBy => return node.edited.by == id,
            _ => {}
        }
        match node.page().and_then(|page| page.properties.get(cell.id)) {
            Some(Property::People(ids) | Property::Relation(ids)) => ids.contains(&id),
            _ => false,
        }
    }

    fn date_holds(&self, row: Id, cell: Cell<'_>, operator: &str, wanted: &str) -> bool {
        let Some(is) = Moment::of(self.notion, row, cell) else {
            return false;
        };
        if let Some(than) = Moment::parse(wanted) {
            let order = is.compare(than);
            return match operator {
                "equals" => order.is_eq(),
                "before" => order.is_lt(),
                "after" => order.is_gt(),
                "on_or_before" => order.is_le(),
                _ => order.is_ge(),
            };
        }
        let today = self.now.to_zoned_datetime(TimeZone::UTC).date();
        let Some((first, last)) = span(operator, today) else {
            return false;
        };
        (first..=last).contains(&is.day)
    }
}

fn text_holds(text: &str, operator: &str, wanted: &str) -> bool {
    let (text, wanted) = (text.to_lowercase(), wanted.to_lowercase());
    match operator {
        "equals" => text == wanted,
        "does_not_equal" => text != wanted,
        "contains" => text.contains(&wanted),
        "does_not_contain" => !text.contains(&wanted),
        "starts_with" => text.starts_with(&wanted),
        _ => text.ends_with(&wanted),
    }
}
