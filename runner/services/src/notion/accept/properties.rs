//! Values of properties in requests.

use serde_json::{Map, Value};

use super::rich::{date, rich, title};
use super::schema::{color_of, name_of, unknown};
use super::{At, Bad, boolean, external, few, id, object, optional, required, short};
use crate::notion::id::Id;
use crate::notion::property::{
    Choice, Config, File, Property, TITLE, TYPES, Values, choice_by_name,
};
use crate::notion::rest::error::ApiError;
use crate::notion::rich::Rich;
use crate::notion::store::{Notion, Source};
use crate::world::Ids;

/// Most people, rows or options of one value.
const MAX_ITEMS: usize = 100;

/// What a request says of a page's properties.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) title: Option<Rich>,
    pub(crate) values: Values,
    /// Names of the properties in the order of the request.
    pub(crate) names: Vec<String>,
    /// The table with the options that came with values, where some did.
    pub(crate) source: Option<Source>,
}

/// The properties of a page that is in no table: only a title.
pub(crate) fn of_page(value: &Value, at: &At<'_>) -> Result<Given, ApiError> {
    let mut given = Given::default();
    for (key, value) in object(value, at)? {
        let at = at.key(key);
        let value = match value {
            // The title may be given without its type.
            Value::Array(_) if key == TITLE => value,
            _ => match object(value, &at)?.get(TITLE) {
                Some(title) => title,
                None if key == TITLE => return Err(at.key(TITLE).missing().into()),
                None => {
                    return Err(ApiError::validation(format!(
                        "{key} is not a property that exists."
                    )));
                }
            },
        };
        given.title = Some(title(value, &at.key(TITLE))?);
        given.names.push(TITLE.to_owned());
    }
    Ok(given)
}

/// The properties of a row of a table.
pub(crate) fn of_row(
    notion: &Notion,
    ids: &mut Ids,
    source: &Source,
    value: &Value,
    at: &At<'_>,
) -> Result<Given, ApiError> {
    let mut given = Given::default();
    let mut table = source.clone();
    for (key, value) in object(value, at)? {
        let at = at.key(key);
        let Some((id, definition)) = source.find(key) else {
            return Err(ApiError::validation(format!(
                "{key} is not a property that exists."
            )));
        };
        let config = &definition.config;
        let inner = inner(key, config, value, &at)?;
        let at = at.key(config.name());
        given.names.push(definition.name.clone());
        if *config == Config::Title {
            given.title = Some(title(inner, &at)?);
            continue;
        }
        if config.is_computed() {
            let text = format!("{key} is a property that cannot be set.");
            return Err(ApiError::validation(text));
        }
        let choices = table
            .schema
            .get_mut(id)
            .and_then(|it| it.config.choices_mut());
        let value = if let Some(choices) = choices {
            chosen(ids, config, choices, inner, &at)?
        } else if inner.is_null() {
            None
        } else {
            value_of(notion, config, inner, &at)?
        };
        given.values.insert(id.to_owned(), value);
    }
    given.source = (table != *source).then_some(table);
    Ok(given)
}

/// The value under the name of the property's type; what has another type is
/// refused by the property's name, as Notion does.
fn inner<'v>(
    key: &str,
    config: &Config,
    value: &'v Value,
    at: &At<'_>,
) -> Result<&'v Value, ApiError> {
    let kind = config.name();
    match value {
        Value::Object(map) => {
            if let Some(inner) = map.get(kind) {
                return Ok(inner);
            }
            if map.keys().any(|key| TYPES.contains(&key.as_str())) {
                return Err(ApiError::validation(format!(
                    "{key} is expected to be {kind}."
                )));
            }
        }
        Value::Array(_) if kind == TITLE || kind == "rich_text" => return Ok(value),
        _ => {}
    }
    Err(Bad::either(TYPES.map(|kind| at.key(kind).missing())).into())
}

/// An option, or several. What no option is called becomes one, except for a
/// status.
fn chosen(
    ids: &mut Ids,
    config: &Config,
    choices: &mut Vec<Choice>,
    value: &Value,
    at: &At<'_>,
) -> Result<Option<Property>, ApiError> {
    let fixed = matches!(config, Config::Status(_));
    let mut pick = |value: &Value, at: &At<'_>| choice(ids, choices, fixed, value, at);
    if let Config::MultiSelect(_) = config {
        let mut picked = Vec::new();
        for (n, value) in few(value, MAX_ITEMS, at)?.iter().enumerate() {
            let id = pick(value, &at.item(n))?;
            if !picked.contains(&id) {
                picked.push(id);
            }
        }
        return Ok((!picked.is_empty()).then_some(Property::MultiSelect(picked)));
    }
    if value.is_null() {
        return Ok(None);
    }
    let id = pick(value, at)?;
    Ok(Some(if fixed {
        Property::Status(id)
    } else {
        Property::Select(id)
    }))
}

fn choice(
    ids: &mut Ids,
    choices: &mut Vec<Choice>,
    fixed: bool,
    value: &Value,
    at: &At<'_>,
) -> Result<String, ApiError> {
    let map = object(value, at)?;
    if let Some(id) = optional(map, "id") {
        let id = super::string(id, &at.key("id"))?;
        let known = choices.iter().find(|choice| choice.id == id);
        return match known {
            Some(choice) => Ok(choice.id.clone()),
            None => Err(no_choice(fixed, id)),
        };
    }
    let Some(name) = map.get("name") else {
        return Err(Bad::either(["id", "name"].map(|key| at.key(key).missing())).into());
    };
    let name = name_of(name, &at.key("name"))?;
    if let Some(choice) = choice_by_name(choices, &name) {
        return Ok(choice.id.clone());
    }
    if fixed {
        return Err(no_choice(fixed, &name));
    }
    let id = ids.base64url("notion.choice", 4);
    choices.push(Choice {
        id: id.clone(),
        name,
        color: color_of(choices.len()),
        group: 0,
    });
    Ok(id)
}

fn no_choice(is_status: bool, name: &str) -> ApiError {
    let (kind, title) = if is_status {
        ("status", "Status")
    } else {
        ("select", "Select")
    };
    let text = format!("Invalid {kind} option. {title} option \"{name}\" does not exist.");
    ApiError::validation(text)
}

/// A value that no options are needed for.
fn value_of(
    notion: &Notion,
    config: &Config,
    value: &Value,
    at: &At<'_>,
) -> Result<Option<Property>, ApiError> {
    let text = |max| -> Result<Option<String>, ApiError> {
        let text = short(value, max, at)?;
        Ok((!text.is_empty()).then(|| text.to_owned()))
    };
    Ok(match config {
        Config::RichText => {
            let rich = rich(value, at)?;
            (!rich.is_empty()).then_some(Property::RichText(rich))
        }
        Config::Number(_) => match value {
            Value::Number(number) => Some(Property::Number(number.clone())),
            _ => return Err(at.wrong("a number", Some(value)).into()),
        },
        Config::Date => Some(Property::Date(date(value, at)?)),
        Config::Checkbox => boolean(value, at)?.then_some(Property::Checkbox(true)),
        Config::Url => text(2000)?.map(Property::Url),
        Config::Email => text(200)?.map(Property::Email),
        Config::PhoneNumber => text(200)?.map(Property::PhoneNumber),
        Config::People => {
            let people = list_of_ids(value, at)?;
            if let Some(nobody) = people.iter().find(|id| notion.user(**id).is_none()) {
                return Err(ApiError::not_found("user", *nobody));
            }
            (!people.is_empty()).then_some(Property::People(people))
        }
        Config::Relation(source) => {
            let rows = list_of_ids(value, at)?;
            for row in &rows {
                let parent = notion.node(*row).and_then(|node| node.parent);
                if parent != Some(*source) {
                    return Err(ApiError::not_found("page", *row));
                }
            }
            (!rows.is_empty()).then_some(Property::Relation(rows))
        }
        Config::Files => {
            let files = few(value, MAX_ITEMS, at)?.iter().enumerate();
            let files = files.map(|(n, value)| file(value, &at.item(n)));
            let files = files.collect::<Result<Vec<_>, _>>()?;
            (!files.is_empty()).then_some(Property::Files(files))
        }
        _ => None,
    })
}

fn list_of_ids(value: &Value, at: &At<'_>) -> Result<Vec<Id>, ApiError> {
    let mut ids = Vec::new();
    for (n, value) in few(value, MAX_ITEMS, at)?.iter().enumerate() {
        let at = at.item(n);
        let value = required(object(value, &at)?, "id", &at)?;
        let id = id(value, &at.key("id"))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn file(value: &Value, at: &At<'_>) -> super::Checked<File> {
    let map: &Map<String, Value> = object(value, at)?;
    let name = required(map, "name", at)?;
    let name = short(name, MAX_ITEMS, &at.key("name"))?.to_owned();
    let url = required(map, "external", at)?;
    let url = external(url, &at.key("external"))?;
    Ok(File { name, url })
}

/// The property that a request means by name or identifier.
pub(crate) fn find<'s>(source: &'s Source, key: &str) -> Result<(&'s str, &'s Config), ApiError> {
    let found = source.find(key);
    found
        .map(|(id, definition)| (id, &definition.config))
        .ok_or_else(|| unknown(key))
}
