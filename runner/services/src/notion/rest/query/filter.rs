//! Understanding a filter: conditions, and what may be asked of each type of
//! property.

use serde_json::Value;

use super::super::error::ApiError;
use super::Column;
use super::moment::Moment;
use crate::notion::accept::{At, Bad, array, boolean, id, object, string};
use crate::notion::property::{Config, TYPES};
use crate::notion::store::Source;

/// How deep `and` and `or` may be in each other.
const MAX_NESTING: usize = 2;
/// Most conditions of one filter.
const MAX_CONDITIONS: usize = 100;

/// A filter that was understood.
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Cell {
        column: Column,
        operator: String,
        value: Value,
    },
}

impl Condition {
    /// Understands a filter of a table's rows.
    pub(super) fn read(table: &Source, value: &Value, at: &At<'_>) -> Result<Self, ApiError> {
        Self::within(table, value, MAX_NESTING, at)
    }

    fn within(table: &Source, value: &Value, levels: usize, at: &At<'_>) -> Result<Self, ApiError> {
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
            let parts = parts.map(|(n, part)| Self::within(table, part, levels - 1, &at.item(n)));
            let parts = parts.collect::<Result<_, _>>()?;
            return Ok(if key == "and" {
                Self::All(parts)
            } else {
                Self::Any(parts)
            });
        }
        let Some(column) = Column::read(table, map, at)? else {
            let keys = ["or", "and", "property", "timestamp"];
            return Err(Bad::either(keys.map(|key| at.key(key).missing())).into());
        };
        let kind = column.config.name();
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
        let operators = operators(&column.config);
        let found = inner
            .iter()
            .find(|(key, _)| operators.contains(&key.as_str()));
        let Some((operator, value)) = found else {
            return Err(Bad::either(operators.iter().map(|key| at.key(key).missing())).into());
        };
        check(&column.config, operator, value, &at.key(operator))?;
        Ok(Self::Cell {
            column,
            operator: operator.clone(),
            value: value.clone(),
        })
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
            Ok(id(value, at).map(drop)?)
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
