//! Definitions of properties in requests.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{At, Bad, Checked, array, id, object, optional, short, word};
use crate::notion::id::Id;
use crate::notion::property::{CHOICE_COLORS, Choice, Config, Definition, TITLE, TYPES};
use crate::notion::rest::error::ApiError;
use crate::notion::store::{Notion, Source};
use crate::world::Ids;

/// Longest name of an option, in UTF-16 units.
const MAX_NAME: usize = 100;
/// Most properties of a table.
const MAX_PROPERTIES: usize = 500;

/// The properties of a new table.
pub(crate) fn new(
    notion: &Notion,
    ids: &mut Ids,
    value: &Value,
    at: &At<'_>,
) -> Result<IndexMap<String, Definition>, ApiError> {
    let mut source = Source::default();
    for (name, value) in object(value, at)? {
        let at = at.key(name);
        let config = config(notion, ids, object(value, &at)?, None, &at)?;
        add(&mut source, ids, name, config)?;
    }
    check(&source)?;
    Ok(source.schema)
}

/// Changes the properties of a table; gives the names of those that changed.
pub(crate) fn update(
    notion: &Notion,
    ids: &mut Ids,
    source: &mut Source,
    value: &Value,
    at: &At<'_>,
) -> Result<Vec<String>, ApiError> {
    let mut changed = Vec::new();
    for (key, value) in object(value, at)? {
        let at = at.key(key);
        let known = source.find(key).map(|(id, it)| (id.to_owned(), it.clone()));
        if value.is_null() {
            let (id, definition) = known.ok_or_else(|| unknown(key))?;
            if id == TITLE {
                let text = "Cannot delete the title property of a database.";
                return Err(ApiError::validation(text));
            }
            source.schema.shift_remove(&id);
            changed.push(definition.name);
            continue;
        }
        let map = object(value, &at)?;
        let Some((id, mut definition)) = known else {
            let config = config(notion, ids, map, None, &at)?;
            add(source, ids, key, config)?;
            changed.push(key.clone());
            continue;
        };
        if TYPES.iter().any(|kind| map.contains_key(*kind)) {
            let config = config(notion, ids, map, Some(&definition.config), &at)?;
            if (config.name() == TITLE) != (id == TITLE) {
                let text = "The type of the title property cannot be changed.";
                return Err(ApiError::validation(text));
            }
            definition.config = config;
        }
        if let Some(name) = optional(map, "name") {
            short(name, MAX_NAME, &at.key("name"))?.clone_into(&mut definition.name);
        }
        if let Some(text) = optional(map, "description") {
            let text = short(text, 280, &at.key("description"))?;
            definition.description = (!text.is_empty()).then(|| text.to_owned());
        }
        changed.push(definition.name.clone());
        source.schema.insert(id, definition);
    }
    check(source)?;
    Ok(changed)
}

/// The error for a property that is not there.
pub(crate) fn unknown(key: &str) -> ApiError {
    ApiError::validation(format!("Could not find property with name or id: {key}"))
}

/// Adds a property with an identifier of its own.
pub(crate) fn add(
    source: &mut Source,
    ids: &mut Ids,
    name: &str,
    config: Config,
) -> Result<(), ApiError> {
    let id = if config == Config::Title {
        TITLE.to_owned()
    } else {
        loop {
            let id = ids.base64url("notion.property", 4);
            if !source.schema.contains_key(&id) {
                break id;
            }
        }
    };
    let definition = Definition {
        name: name.to_owned(),
        description: None,
        config,
    };
    match source.schema.insert(id, definition) {
        Some(_) => Err(one_title()),
        None => Ok(()),
    }
}

fn one_title() -> ApiError {
    ApiError::validation("Databases must have exactly one title property.")
}

fn check(source: &Source) -> Result<(), ApiError> {
    if !source.schema.contains_key(TITLE) {
        return Err(one_title());
    }
    if source.schema.len() > MAX_PROPERTIES {
        let text = format!("A database has at most {MAX_PROPERTIES} properties.");
        return Err(ApiError::validation(text));
    }
    let mut names: Vec<&str> = source.schema.values().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [one, other] = pair
            && one == other
        {
            let text =
                format!("Cannot create new property: a property named {one} exists already.");
            return Err(ApiError::validation(text));
        }
    }
    Ok(())
}

/// Type of a property, and what only that type has.
fn config(
    notion: &Notion,
    ids: &mut Ids,
    map: &Map<String, Value>,
    was: Option<&Config>,
    at: &At<'_>,
) -> Result<Config, ApiError> {
    let kind = TYPES.iter().find(|kind| map.contains_key(**kind));
    let Some(kind) = kind else {
        return Err(Bad::either(TYPES.map(|kind| at.key(kind).missing())).into());
    };
    let at = at.key(kind);
    let empty = Value::Null;
    let inner = map.get(*kind).unwrap_or(&empty);
    let inner = object(inner, &at)?;
    let format = || match optional(inner, "format") {
        Some(format) => short(format, MAX_NAME, &at.key("format")).map(str::to_owned),
        None => Ok("number".to_owned()),
    };
    let old = was
        .filter(|was| was.name() == *kind)
        .and_then(Config::choices);
    let old = old.map_or(&[][..], Vec::as_slice);
    Ok(match *kind {
        "title" => Config::Title,
        "rich_text" => Config::RichText,
        "number" => Config::Number(format()?),
        "select" => Config::Select(choices(ids, inner, old, &at)?),
        "multi_select" => Config::MultiSelect(choices(ids, inner, old, &at)?),
        "status" => Config::Status(match choices(ids, inner, old, &at)? {
            none if none.is_empty() => default_status(ids),
            some => some,
        }),
        "date" => Config::Date,
        "people" => Config::People,
        "checkbox" => Config::Checkbox,
        "url" => Config::Url,
        "email" => Config::Email,
        "phone_number" => Config::PhoneNumber,
        "files" => Config::Files,
        "relation" => Config::Relation(related(notion, inner, &at)?),
        "created_time" => Config::CreatedTime,
        "created_by" => Config::CreatedBy,
        "last_edited_time" => Config::LastEditedTime,
        _ => Config::LastEditedBy,
    })
}

fn related(notion: &Notion, inner: &Map<String, Value>, at: &At<'_>) -> Result<Id, ApiError> {
    let keys = ["data_source_id", "database_id"];
    let found = keys.iter().find_map(|key| Some((*key, inner.get(*key)?)));
    let Some((key, value)) = found else {
        return Err(Bad::either(keys.map(|key| at.key(key).missing())).into());
    };
    if let Some(value) = inner.get("dual_property") {
        return Err(at.key("dual_property").surplus(value).into());
    }
    let id = id(value, &at.key(key))?;
    let source = match notion.node(id) {
        Some(node) if node.source().is_some() => Some(id),
        Some(node) if node.database().is_some() => notion.only_source(id),
        _ => None,
    };
    source.ok_or_else(|| ApiError::not_found("database", id))
}

/// Options: those that are named again keep their identifier.
fn choices(
    ids: &mut Ids,
    inner: &Map<String, Value>,
    old: &[Choice],
    at: &At<'_>,
) -> Checked<Vec<Choice>> {
    let Some(value) = optional(inner, "options") else {
        return Ok(old.to_vec());
    };
    let at = at.key("options");
    let mut choices: Vec<Choice> = Vec::new();
    for (n, value) in super::few(value, MAX_NAME, &at)?.iter().enumerate() {
        let at = at.item(n);
        let map = object(value, &at)?;
        let known = |key: &str| map.get(key).and_then(Value::as_str);
        let was = old.iter().find(|choice| {
            known("id") == Some(choice.id.as_str())
                || known("id").is_none() && known("name") == Some(choice.name.as_str())
        });
        let name = match (map.get("name"), was) {
            (Some(name), _) => name_of(name, &at.key("name"))?,
            (None, Some(was)) => was.name.clone(),
            (None, None) => return Err(at.key("name").missing()),
        };
        let color = match optional(map, "color") {
            Some(color) => Some(word(color, &CHOICE_COLORS, &at.key("color"))?.to_owned()),
            None => was.map(|was| was.color.clone()),
        };
        let group = was.map_or(0, |was| was.group);
        let color = color.unwrap_or_else(|| color_of(choices.len()));
        let id = was.map_or_else(|| ids.base64url("notion.choice", 4), |was| was.id.clone());
        choices.push(Choice {
            id,
            name,
            color,
            group,
        });
    }
    if let Some(groups) = optional(inner, "groups") {
        let at = at.key("groups");
        for (at_group, group) in (0_u8..3).zip(array(groups, &at)?) {
            let ids = group.get("option_ids").and_then(Value::as_array);
            for choice in &mut choices {
                if ids.is_some_and(|ids| ids.iter().any(|id| id == choice.id.as_str())) {
                    choice.group = at_group;
                }
            }
        }
    }
    Ok(choices)
}

/// The name of an option. A comma would end it where several are written.
pub(crate) fn name_of(value: &Value, at: &At<'_>) -> Checked<String> {
    let name = short(value, MAX_NAME, at)?;
    if name.is_empty() || name.contains(',') {
        return Err(at.wrong("a name without commas", Some(value)));
    }
    Ok(name.to_owned())
}

/// Colours go round, the default one last.
pub(crate) fn color_of(at: usize) -> String {
    let named = CHOICE_COLORS.get(1..).unwrap_or_default();
    let color = named.get(at % named.len().max(1));
    color.copied().unwrap_or("default").to_owned()
}

/// The options that a new status has.
pub(crate) fn default_status(ids: &mut Ids) -> Vec<Choice> {
    let options = [
        ("Not started", "default", 0),
        ("In progress", "blue", 1),
        ("Done", "green", 2),
    ];
    let choice = |(name, color, group): (&str, &str, u8)| Choice {
        id: ids.base64url("notion.choice", 4),
        name: name.to_owned(),
        color: color.to_owned(),
        group,
    };
    options.map(choice).to_vec()
}
