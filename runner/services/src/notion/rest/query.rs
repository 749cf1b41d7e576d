//! Queries of a table: filters and sorts.

use std::cmp::Ordering;

use jiff::civil;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Map, Value};

use super::error::ApiError;
use super::paging::{Paging, list};
use super::{Call, Cx};
use crate::notion::accept::properties::find;
use crate::notion::accept::{
    At, Bad, array, boolean, id as id_at, object, only, optional, required, string, trash, word,
};
use crate::notion::id::Id;
use crate::notion::property::{Cell, Config, Property, TYPES};
use crate::notion::store::{Notion, Source};

/// How deep `and` and `or` may be in each other.
const MAX_NESTING: usize = 2;
/// Most conditions of one filter.
const MAX_CONDITIONS: usize = 100;

/// The rows of a table that a request asks for.
pub(super) fn query(cx: &mut Cx<'_>, call: &Call, source: Id) -> Result<Value, ApiError> {
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
        let test = Test {
            notion: cx.notion,
            table: &table,
            now: cx.now,
        };
        let condition = test.read(filter, MAX_NESTING, &at.key("filter"))?;
        rows.retain(|row| test.holds(&condition, *row));
    }
    if let Some(sorts) = optional(body, "sorts") {
        sort(cx.notion, &table, &mut rows, sorts, &at.key("sorts"))?;
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

/// A filter that was understood.
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Cell {
        id: String,
        config: Config,
        operator: String,
        value: Value,
    },
}

struct Test<'a> {
    notion: &'a Notion,
    table: &'a Source,
    now: Timestamp,
}

impl Test<'_> {
    fn read(&self, value: &Value, levels: usize, at: &At<'_>) -> Result<Condition, ApiError> {
        let map = object(value, at)?;
        for key in ["and", "or"] {
            let Some(value) = map.get(key) else { continue };
            let at = at.key(key);
            if levels == 0 {
                return Err(at.surplus(value).into());
            }
            let parts = array(value, &at)?;
            if parts.len() > MAX_CONDITIONS {
                let what = format!("\u{2264} `{MAX_CONDITIONS}`");
                return Err(at
                    .key("length")
                    .wrong(&what, Some(&parts.len().into()))
                    .into());
            }
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(n, part)| self.read(part, levels - 1, &at.item(n)));
            let parts = parts.collect::<Result<_, _>>()?;
            return Ok(if key == "and" {
                Condition::All(parts)
            } else {
                Condition::Any(parts)
            });
        }
        let (id, config) = self.subject(map, at)?;
        let kind = config.name();
        let Some(inner) = map.get(kind) else {
            let other = TYPES.iter().find(|other| map.contains_key(**other));
            return Err(match other {
                Some(other) => ApiError::validation(format!(
                    "database property {kind} does not match filter {other}"
                )),
                None => Bad::either(TYPES.map(|kind| at.key(kind).missing())).into(),
            });
        };
        let at = at.key(kind);
        let inner = object(inner, &at)?;
        let operators = operators(&config);
        let found = inner
            .iter()
            .find(|(key, _)| operators.contains(&key.as_str()));
        let Some((operator, value)) = found else {
            return Err(Bad::either(operators.iter().map(|key| at.key(key).missing())).into());
        };
        check(&config, operator, value, &at.key(operator))?;
        Ok(Condition::Cell {
            id,
            config,
            operator: operator.clone(),
            value: value.clone(),
        })
    }

    /// What a filter is about: a property, or a time that every page has.
    fn subject(&self, map: &Map<String, Value>, at: &At<'_>) -> Result<(String, Config), ApiError> {
        if let Some(value) = map.get("timestamp") {
            let words = ["created_time", "last_edited_time"];
            let name = word(value, &words, &at.key("timestamp"))?;
            let config = if name == "created_time" {
                Config::CreatedTime
            } else {
                Config::LastEditedTime
            };
            return Ok((name.to_owned(), config));
        }
        let Some(value) = map.get("property") else {
            let keys = ["or", "and", "property", "timestamp"];
            return Err(Bad::either(keys.map(|key| at.key(key).missing())).into());
        };
        let key = string(value, &at.key("property"))?;
        let (id, config) = find(self.table, key)?;
        Ok((id.to_owned(), config.clone()))
    }

    fn holds(&self, condition: &Condition, row: Id) -> bool {
        match condition {
            Condition::All(parts) => parts.iter().all(|part| self.holds(part, row)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part, row)),
            Condition::Cell {
                id,
                config,
                operator,
                value,
            } => {
                let cell = Cell {
                    id,
                    name: id,
                    config,
                };
                self.cell_holds(row, cell, operator, value)
            }
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
        let Some(is) = date_of(self.notion, row, cell).and_then(|it| Moment::parse(&it)) else {
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

/// The days that a word like `past_week` means.
fn span(operator: &str, today: civil::Date) -> Option<(civil::Date, civil::Date)> {
    let go = |span: jiff::Span| today.checked_add(span).ok();
    Some(match operator {
        "past_week" => (go(-7.days())?, today),
        "past_month" => (go(-1.month())?, today),
        "past_year" => (go(-1.year())?, today),
        "next_week" => (today, go(7.days())?),
        "next_month" => (today, go(1.month())?),
        "next_year" => (today, go(1.year())?),
        "this_week" => {
            let since = i64::from(today.weekday().to_sunday_zero_offset());
            (go(-since.days())?, go((6 - since).days())?)
        }
        _ => return None,
    })
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

/// What may be asked of a type of property.
fn operators(config: &Config) -> &'static [&'static str] {
    match config {
        Config::Number(_) => &[
            "equals",
            "does_not_equal",
            "greater_than",
            "less_than",
            "greater_than_or_equal_to",
            "less_than_or_equal_to",
            "is_empty",
            "is_not_empty",
        ],
        Config::Checkbox => &["equals", "does_not_equal"],
        Config::Select(_) | Config::Status(_) => {
            &["equals", "does_not_equal", "is_empty", "is_not_empty"]
        }
        Config::MultiSelect(_)
        | Config::People
        | Config::CreatedBy
        | Config::LastEditedBy
        | Config::Relation(_) => &["contains", "does_not_contain", "is_empty", "is_not_empty"],
        Config::Files => &["is_empty", "is_not_empty"],
        Config::Date | Config::CreatedTime | Config::LastEditedTime => &[
            "equals",
            "before",
            "after",
            "on_or_before",
            "on_or_after",
            "past_week",
            "past_month",
            "past_year",
            "next_week",
            "next_month",
            "next_year",
            "this_week",
            "is_empty",
            "is_not_empty",
        ],
        _ => &[
            "equals",
            "does_not_equal",
            "contains",
            "does_not_contain",
            "starts_with",
            "ends_with",
            "is_empty",
            "is_not_empty",
        ],
    }
}

/// Whether what is compared with is of the right type.
fn check(config: &Config, operator: &str, value: &Value, at: &At<'_>) -> Result<(), ApiError> {
    if operator == "is_empty" || operator == "is_not_empty" {
        boolean(value, at)?;
        return Ok(());
    }
    match config {
        Config::Number(_) if !value.is_number() => Err(at.wrong("a number", Some(value)).into()),
        Config::Number(_) => Ok(()),
        Config::Checkbox => Ok(boolean(value, at).map(drop)?),
        Config::People | Config::CreatedBy | Config::LastEditedBy | Config::Relation(_) => {
            Ok(id_at(value, at).map(drop)?)
        }
        Config::Date | Config::CreatedTime | Config::LastEditedTime => {
            if operator.ends_with("week")
                || operator.ends_with("month")
                || operator.ends_with("year")
            {
                return Ok(object(value, at).map(drop)?);
            }
            match Moment::parse(string(value, at)?) {
                Some(_) => Ok(()),
                None => Err(at.wrong("a valid ISO 8601 date string", Some(value)).into()),
            }
        }
        _ => Ok(string(value, at).map(drop)?),
    }
}

/// A day, or a moment of one.
#[derive(Debug, Clone, Copy)]
struct Moment {
    day: civil::Date,
    at: Option<Timestamp>,
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(at) = text.parse::<Timestamp>() {
            let day = at.to_zoned_datetime(TimeZone::UTC).date();
            return Some(Self { day, at: Some(at) });
        }
        let local = text.parse::<civil::DateTime>().ok()?;
        let at = text
            .contains(['T', ' '])
            .then(|| local.to_zoned_datetime(TimeZone::UTC));
        let at = at.and_then(Result::ok).map(|zoned| zoned.timestamp());
        Some(Self {
            day: local.date(),
            at,
        })
    }

    /// By moment where both say one, else by day.
    fn compare(self, other: Self) -> Ordering {
        match (self.at, other.at) {
            (Some(one), Some(two)) => one.cmp(&two),
            _ => self.day.cmp(&other.day),
        }
    }
}

/// The date of a row, exact to the second.
fn date_of(notion: &Notion, row: Id, cell: Cell<'_>) -> Option<String> {
    let node = notion.node(row)?;
    Some(match cell.config {
        Config::CreatedTime => node.created.at.to_string(),
        Config::LastEditedTime => node.edited.at.to_string(),
        _ => match node.page()?.properties.get(cell.id)? {
            Property::Date(date) => date.start.clone(),
            _ => return None,
        },
    })
}

fn sort(
    notion: &Notion,
    table: &Source,
    rows: &mut [Id],
    sorts: &Value,
    at: &At<'_>,
) -> Result<(), ApiError> {
    let mut keys = Vec::new();
    for (n, value) in array(sorts, at)?.iter().enumerate() {
        let at = at.item(n);
        let map = object(value, &at)?;
        let words = ["ascending", "descending"];
        let direction = match map.get("direction") {
            Some(value) => word(value, &words, &at.key("direction"))?,
            None => "ascending",
        };
        let key = if let Some(value) = map.get("timestamp") {
            let words = ["created_time", "last_edited_time"];
            match word(value, &words, &at.key("timestamp"))? {
                "created_time" => (String::new(), Config::CreatedTime),
                _ => (String::new(), Config::LastEditedTime),
            }
        } else {
            let name = required(map, "property", &at)?;
            let (id, config) = find(table, string(name, &at.key("property"))?)?;
            (id.to_owned(), config.clone())
        };
        keys.push((key, direction == "descending"));
    }
    // Stable, so that the last key decides least.
    for ((id, config), descending) in keys.iter().rev() {
        let cell = Cell {
            id,
            name: id,
            config,
        };
        rows.sort_by(|one, two| {
            let (one, two) = (Key::of(notion, *one, cell), Key::of(notion, *two, cell));
            match (one, two) {
                (Key::None, Key::None) => Ordering::Equal,
                // What has no value comes last either way.
                (Key::None, _) => Ordering::Greater,
                (_, Key::None) => Ordering::Less,
                (one, two) => {
                    let order = one.compare(&two);
                    if *descending { order.reverse() } else { order }
                }
            }
        });
    }
    Ok(())
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
        if let Some(date) = date_of(notion, row, cell) {
            return Moment::parse(&date).map_or(Self::None, Self::Date);
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
