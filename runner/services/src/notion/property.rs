//! Properties: their definitions in a table and their values in its rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};

use super::id::Id;
use super::rest::version::Version;
use super::rich::{Date, Rich};
use super::store::{Notion, Page, Source};

/// Identifier of the title, whatever its name.
pub(crate) const TITLE: &str = "title";

/// A property of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Definition {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) config: Config,
}

/// Type of a property, with what only that type has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Config {
    Title,
    RichText,
    Number(String),
    Select(Vec<Choice>),
    MultiSelect(Vec<Choice>),
    Status(Vec<Choice>),
    Date,
    People,
    Checkbox,
    Url,
    Email,
    PhoneNumber,
    Files,
    /// The table whose rows it refers to.
    Relation(Id),
    CreatedTime,
    CreatedBy,
    LastEditedTime,
    LastEditedBy,
}

/// Types of properties by name, in the order in which errors list them.
pub(crate) const TYPES: [&str; 18] = [
    "title",
    "rich_text",
    "number",
    "select",
    "multi_select",
    "status",
    "date",
    "people",
    "checkbox",
    "url",
    "email",
    "phone_number",
    "files",
    "relation",
    "created_time",
    "created_by",
    "last_edited_time",
    "last_edited_by",
];

/// An option of a select, multi-select or status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) color: String,
    /// Group of a status: 0 to do, 1 in progress, 2 complete.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) group: u8,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(group: &u8) -> bool {
    *group == 0
}

/// Groups of a status.
pub(crate) const GROUPS: [(&str, &str); 3] = [
    ("To-do", "gray"),
    ("In progress", "blue"),
    ("Complete", "green"),
];

/// Colours of options.
pub(crate) const CHOICE_COLORS: [&str; 10] = [
    "default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red",
];

/// A value that a page keeps. An option is kept by identifier, so that it may
/// be renamed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Property {
    RichText(Rich),
    Number(Number),
    Select(String),
    MultiSelect(Vec<String>),
    Status(String),
    Date(Date),
    People(Vec<Id>),
    Checkbox(bool),
    Url(String),
    Email(String),
    PhoneNumber(String),
    Files(Vec<File>),
    Relation(Vec<Id>),
}

/// A file elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) url: String,
}

impl Config {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::RichText => "rich_text",
            Self::Number(_) => "number",
            Self::Select(_) => "select",
            Self::MultiSelect(_) => "multi_select",
            Self::Status(_) => "status",
            Self::Date => "date",
            Self::People => "people",
            Self::Checkbox => "checkbox",
            Self::Url => "url",
            Self::Email => "email",
            Self::PhoneNumber => "phone_number",
            Self::Files => "files",
            Self::Relation(_) => "relation",
            Self::CreatedTime => "created_time",
            Self::CreatedBy => "created_by",
            Self::LastEditedTime => "last_edited_time",
            Self::LastEditedBy => "last_edited_by",
        }
    }

    /// Its options, where it has some.
    pub(crate) fn choices(&self) -> Option<&Vec<Choice>> {
        match self {
            Self::Select(choices) | Self::MultiSelect(choices) | Self::Status(choices) => {
                Some(choices)
            }
            _ => None,
        }
    }

    pub(crate) fn choices_mut(&mut self) -> Option<&mut Vec<Choice>> {
        match self {
            Self::Select(choices) | Self::MultiSelect(choices) | Self::Status(choices) => {
                Some(choices)
            }
            _ => None,
        }
    }

    fn choice(&self, id: &str) -> Option<&Choice> {
        self.choices()?.iter().find(|choice| choice.id == id)
    }

    /// Whether its value follows from the page.
    pub(crate) fn is_computed(&self) -> bool {
        matches!(
            self,
            Self::CreatedTime | Self::CreatedBy | Self::LastEditedTime | Self::LastEditedBy
        )
    }
}

impl Choice {
    pub(crate) fn json(&self) -> Value {
        json!({"id": self.id, "name": self.name, "color": self.color})
    }
}

impl Source {
    /// A property by name or identifier.
    pub(crate) fn find(&self, key: &str) -> Option<(&str, &Definition)> {
        let named = self.schema.iter().find(|(_, it)| it.name == key);
        named
            .or_else(|| self.schema.get_key_value(key))
            .map(|(id, definition)| (id.as_str(), definition))
    }
}

/// A property of a page, whether or not it has a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) config: &'a Config,
}

impl Notion {
    /// Properties of a page: of a row those of its table, else the title alone.
    pub(crate) fn cells(&self, page: Id) -> Vec<Cell<'_>> {
        match self.source_of(page) {
            Some((_, source)) => source
                .schema
                .iter()
                .map(|(id, definition)| Cell {
                    id,
                    name: &definition.name,
                    config: &definition.config,
                })
                .collect(),
            None => vec![Cell {
                id: TITLE,
                name: TITLE,
                config: &Config::Title,
            }],
        }
    }

    /// What the API serves under the name of a property's type.
    pub(crate) fn value_json(&self, page: Id, cell: Cell<'_>) -> Value {
        let Some(node) = self.node(page) else {
            return Value::Null;
        };
        let Some(body) = node.page() else {
            return Value::Null;
        };
        match cell.config {
            Config::Title => return self.rich_json(&body.title),
            Config::CreatedTime => return time(node.created.at).into(),
            Config::LastEditedTime => return time(node.edited.at).into(),
            Config::CreatedBy => return self.person_json(node.created.by),
            Config::LastEditedBy => return self.person_json(node.edited.by),
            _ => {}
        }
        match body.properties.get(cell.id) {
            Some(value) => self.kept_json(cell.config, value),
            None => match cell.config {
                Config::RichText
                | Config::MultiSelect(_)
                | Config::People
                | Config::Files
                | Config::Relation(_) => json!([]),
                Config::Checkbox => json!(false),
                _ => Value::Null,
            },
        }
    }

    fn kept_json(&self, config: &Config, value: &Property) -> Value {
        match value {
            Property::RichText(rich) => self.rich_json(rich),
            Property::Number(number) => Value::Number(number.clone()),
            Property::Select(id) | Property::Status(id) => {
                config.choice(id).map_or(Value::Null, Choice::json)
            }
            Property::MultiSelect(ids) => ids
                .iter()
                .filter_map(|id| config.choice(id))
                .map(Choice::json)
                .collect(),
            Property::Date(date) => date.json(),
            Property::People(ids) => ids.iter().map(|id| self.person_json(*id)).collect(),
            Property::Checkbox(checked) => json!(checked),
            Property::Url(text) | Property::Email(text) | Property::PhoneNumber(text) => {
                json!(text)
            }
            Property::Files(files) => files.iter().map(File::json).collect(),
            Property::Relation(ids) => ids.iter().map(|id| json!({"id": id})).collect(),
        }
    }

    /// Plain text of a value; empty where there is none.
    pub(crate) fn value_text(&self, page: Id, cell: Cell<'_>) -> String {
        let Some(node) = self.node(page) else {
            return String::new();
        };
        let body = node.page();
        let name_of = |id: Id| self.user(id).map_or_else(String::new, |it| it.name.clone());
        match cell.config {
            Config::Title => return body.map_or_else(String::new, |it| self.plain(&it.title)),
            Config::CreatedTime => return time(node.created.at),
            Config::LastEditedTime => return time(node.edited.at),
            Config::CreatedBy => return name_of(node.created.by),
            Config::LastEditedBy => return name_of(node.edited.by),
            _ => {}
        }
        let Some(value) = body.and_then(|body| body.properties.get(cell.id)) else {
            let unchecked = matches!(cell.config, Config::Checkbox);
            return if unchecked { "false" } else { "" }.to_owned();
        };
        let choice = |id: &String| cell.config.choice(id).map(|choice| choice.name.clone());
        let joined = |names: Vec<String>| names.join(", ");
        match value {
            Property::RichText(rich) => self.plain(rich),
            Property::Number(number) => number.to_string(),
            Property::Select(id) | Property::Status(id) => choice(id).unwrap_or_default(),
            Property::MultiSelect(ids) => joined(ids.iter().filter_map(choice).collect()),
            Property::Date(date) => date.text(),
            Property::People(ids) => joined(ids.iter().map(|id| name_of(*id)).collect()),
            Property::Checkbox(checked) => checked.to_string(),
            Property::Url(text) | Property::Email(text) | Property::PhoneNumber(text) => {
                text.clone()
            }
            Property::Files(files) => joined(files.iter().map(|it| it.url.clone()).collect()),
            Property::Relation(ids) => {
                joined(ids.iter().filter_map(|id| self.title(*id)).collect())
            }
        }
    }

    /// The properties of a page as the API serves them, those of `only` where
    /// it names some.
    pub(crate) fn properties_json(&self, page: Id, only: &[String]) -> Value {
        let wanted = |cell: &Cell<'_>| {
            only.is_empty() || only.iter().any(|it| it == cell.id || it == cell.name)
        };
        let cells = self.cells(page).into_iter().filter(wanted);
        let properties: Map<String, Value> = cells
            .map(|cell| {
                let kind = cell.config.name();
                let mut value = json!({"id": cell.id, "type": kind});
                value[kind] = self.value_json(page, cell);
                if let Config::Relation(_) = cell.config {
                    value["has_more"] = false.into();
                }
                (cell.name.to_owned(), value)
            })
            .collect();
        Value::Object(properties)
    }

    /// A table's properties as the API serves them.
    pub(crate) fn schema_json(&self, source: &Source, version: Version) -> Map<String, Value> {
        let of = |(id, definition): (&String, &Definition)| {
            let kind = definition.config.name();
            let mut value = json!({
                "id": id,
                "name": definition.name,
                "description": definition.description,
                "type": kind,
            });
            value[kind] = self.config_json(&definition.config, version);
            (definition.name.clone(), value)
        };
        source.schema.iter().map(of).collect()
    }

    fn config_json(&self, config: &Config, version: Version) -> Value {
        let options = |choices: &[Choice]| choices.iter().map(Choice::json).collect::<Value>();
        match config {
            Config::Number(format) => json!({"format": format}),
            Config::Select(choices) | Config::MultiSelect(choices) => {
                json!({"options": options(choices)})
            }
            Config::Status(choices) => {
                let groups = (0_u8..).zip(GROUPS).map(|(at, (name, color))| {
                    let within = choices.iter().filter(|choice| choice.group == at);
                    let ids: Vec<&str> = within.map(|choice| choice.id.as_str()).collect();
                    json!({"id": format!("group-{at}"), "name": name, "color": color, "option_ids": ids})
                });
                let groups: Value = groups.collect();
                json!({"options": options(choices), "groups": groups})
            }
            Config::Relation(source) => {
                let database = self.node(*source).and_then(|node| node.parent);
                let mut value = json!({
                    "database_id": database,
                    "type": "single_property",
                    "single_property": {},
                });
                if version >= Version::V2025_09_03 {
                    value["data_source_id"] = json!(source);
                }
                value
            }
            _ => json!({}),
        }
    }

    /// A user with everything that is known.
    pub(crate) fn person_json(&self, id: Id) -> Value {
        match self.user(id) {
            Some(user) => self.user_json(user),
            None => Self::user_ref(id),
        }
    }
}

impl File {
    fn json(&self) -> Value {
        json!({"name": self.name, "type": "external", "external": {"url": self.url}})
    }
}

impl Page {
    /// Sets a value or takes it away.
    pub(crate) fn set(&mut self, id: &str, value: Option<Property>) {
        match value {
            Some(value) => self.properties.insert(id.to_owned(), value),
            None => self.properties.remove(id),
        };
    }
}

/// A table's options by name, for a value that names one.
pub(crate) fn choice_by_name<'c>(choices: &'c [Choice], name: &str) -> Option<&'c Choice> {
    choices.iter().find(|choice| choice.name == name)
}

/// Values by identifier of their property.
pub(crate) type Values = BTreeMap<String, Option<Property>>;

/// A moment as Notion writes it: pages and blocks know their times to the
/// minute.
pub(crate) fn time(at: jiff::Timestamp) -> String {
    let seconds = at.as_second().div_euclid(60) * 60;
    let minute = jiff::Timestamp::from_second(seconds).unwrap_or(at);
    minute.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
