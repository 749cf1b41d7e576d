//! Databases of a seed: `_database.yaml`.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::files::{Found, icon_of};
use super::{Seeder, Spot};
use crate::notion::accept::schema;
use crate::notion::id::Id;
use crate::notion::property::{CHOICE_COLORS, Choice, Config, GROUPS, TYPES};
use crate::notion::store::{Body, Page, Place, Source};
use crate::world::{SeedError, SeedFile};

/// A row that stands in the database's own file.
pub(super) type Row = IndexMap<String, Spanned<Value>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DatabaseFile {
    title: Option<String>,
    icon: Option<String>,
    description: Option<Spanned<String>>,
    #[serde(default)]
    inline: bool,
    properties: IndexMap<String, Spanned<Value>>,
    #[serde(default)]
    rows: Vec<Row>,
}

/// The title that the file says.
pub(super) fn title(file: &SeedFile) -> Result<Option<String>, SeedError> {
    Ok(file.yaml::<DatabaseFile>()?.title)
}

impl Seeder<'_, '_> {
    /// Gives a database its table; what is left are its rows.
    pub(super) fn define(&mut self, file: &SeedFile, id: Id) -> Result<Vec<Row>, SeedError> {
        let DatabaseFile {
            title,
            icon,
            description,
            inline,
            properties,
            rows,
        } = file.yaml()?;
        let spot = |line| Spot {
            file: &file.path,
            line,
        };
        let mut source = Source::default();
        let mut first = 1;
        for (name, spec) in &properties {
            let spot = spot(spec.referenced.line());
            first = first.max(spot.line);
            let config = self.config(&spec.value, &spot)?;
            schema::add(&mut source, self.context.ids, name, config)
                .map_err(|error| spot.wrong(error.message))?;
        }
        if !source.schema.values().any(|it| it.config == Config::Title) {
            return Err(spot(first).wrong("expected one property of the type `title`"));
        }
        let name = title.unwrap_or_else(|| {
            let folder = file.path.rsplit('/').nth(1);
            folder.unwrap_or_default().to_owned()
        });
        let name = self.text(&name, &spot(1))?;
        source.title.clone_from(&name);
        let description = match &description {
            Some(text) => self.text(&text.value, &spot(text.referenced.line()))?,
            None => Vec::new(),
        };
        let table = self.notion.only_source(id);
        if let Some(node) = self.notion.node_mut(id)
            && let Body::Database(database) = &mut node.body
        {
            database.title = name;
            database.icon = icon.as_deref().map(icon_of);
            database.description = description;
            database.inline = inline;
        }
        if let Some(node) = table.and_then(|table| self.notion.node_mut(table)) {
            node.body = Body::Source(source);
        }
        Ok(rows)
    }

    /// What a property is: the name of a type, or a type with more.
    fn config(&mut self, spec: &Value, spot: &Spot<'_>) -> Result<Config, SeedError> {
        let (kind, map) = match spec {
            Value::String(kind) => (kind.as_str(), None),
            Value::Object(map) => match map.get("type").and_then(Value::as_str) {
                Some(kind) => (kind, Some(map)),
                None => return Err(spot.wrong("expected `type: ...`")),
            },
            _ => return Err(spot.wrong("expected the name of a type, or `{type: ...}`")),
        };
        let known = ["type", "options", "format", "database"];
        if let Some(other) =
            map.and_then(|map| map.keys().find(|key| !known.contains(&key.as_str())))
        {
            let text = format!("`{other}` is unknown; known: {}", known.join(", "));
            return Err(spot.wrong(text));
        }
        let get = |key: &str| map.and_then(|map| map.get(key));
        let options = match get("options") {
            None => Vec::new(),
            Some(Value::Array(options)) => options.clone(),
            Some(_) => return Err(spot.wrong("expected a list of `options`")),
        };
        Ok(match kind {
            "title" => Config::Title,
            "rich_text" => Config::RichText,
            "number" => {
                let format = get("format").and_then(Value::as_str);
                Config::Number(format.unwrap_or("number").to_owned())
            }
            "select" => Config::Select(self.choices(&options, false, spot)?),
            "multi_select" => Config::MultiSelect(self.choices(&options, false, spot)?),
            "status" if options.is_empty() => {
                Config::Status(schema::default_status(self.context.ids))
            }
            "status" => Config::Status(self.choices(&options, true, spot)?),
            "date" => Config::Date,
            "people" => Config::People,
            "checkbox" => Config::Checkbox,
            "url" => Config::Url,
            "email" => Config::Email,
            "phone_number" => Config::PhoneNumber,
            "files" => Config::Files,
            "relation" => {
                let path = get("database").and_then(Value::as_str).unwrap_or_default();
                let found = self.paths.get(&super::names::key(path));
                let table = found.and_then(|id| self.notion.only_source(*id));
                let wrong = || {
                    let text = format!("expected `database: PATH` of a database, found `{path}`");
                    spot.wrong(text)
                };
                Config::Relation(table.ok_or_else(wrong)?)
            }
            "created_time" => Config::CreatedTime,
            "created_by" => Config::CreatedBy,
            "last_edited_time" => Config::LastEditedTime,
            "last_edited_by" => Config::LastEditedBy,
            other => {
                let text = format!(
                    "`{other}` is no type of property; known: {}",
                    TYPES.join(", ")
                );
                return Err(spot.wrong(text));
            }
        })
    }

    /// Options: names, or `{name, color, group}`.
    fn choices(
        &mut self,
        options: &[Value],
        is_status: bool,
        spot: &Spot<'_>,
    ) -> Result<Vec<Choice>, SeedError> {
        let mut choices: Vec<Choice> = Vec::new();
        let last = options.len().saturating_sub(1);
        for (at, option) in options.iter().enumerate() {
            let get = |key: &str| option.get(key).and_then(Value::as_str);
            let name = option.as_str().or_else(|| get("name")).unwrap_or_default();
            if name.is_empty() || name.contains(',') || choices.iter().any(|it| it.name == name) {
                let text =
                    format!("expected names of options, each once and without commas: `{name}`");
                return Err(spot.wrong(text));
            }
            let color = match get("color") {
                Some(color) if !CHOICE_COLORS.contains(&color) => {
                    let known = CHOICE_COLORS.join(", ");
                    return Err(spot.wrong(format!("`{color}` is no colour; known: {known}")));
                }
                Some(color) => color.to_owned(),
                None => schema::color_of(at),
            };
            // Where no group is said: the first is to do, the last complete.
            let group = match get("group") {
                None if !is_status || at == 0 => 0,
                None if at == last => 2,
                None => 1,
                Some(group) => {
                    let found = (0_u8..).zip(GROUPS).find(|(_, (name, _))| *name == group);
                    let wrong = || {
                        let known = GROUPS.map(|(name, _)| name).join(", ");
                        spot.wrong(format!("`{group}` is no group of a status; known: {known}"))
                    };
                    found.ok_or_else(wrong)?.0
                }
            };
            choices.push(Choice {
                id: self.context.ids.base64url("notion.choice", 4),
                name: name.to_owned(),
                color,
                group,
            });
        }
        Ok(choices)
    }

    /// A row of the database's own file, still empty.
    pub(super) fn plant_row(
        &mut self,
        entry: &Found,
        database: Id,
        path: &[String],
        row: &Row,
        place: Place,
    ) -> Result<Id, SeedError> {
        let line = row
            .values()
            .next()
            .map_or(1, |value| value.referenced.line());
        let spot = Spot {
            file: &entry.file,
            line,
        };
        let table = self.notion.only_source(database);
        let source = table.and_then(|table| self.notion.node(table)?.source());
        let title = source.and_then(|source| {
            let title = source
                .schema
                .values()
                .find(|it| it.config == Config::Title)?;
            row.get(&title.name)?.value.as_str().map(str::to_owned)
        });
        let title = title.filter(|title| !title.trim().is_empty());
        let title = title.ok_or_else(|| spot.wrong("expected a title in every row"))?;
        let key = format!("{}/{title}", entry.key);
        let id = Id::named(self.context.ids, "notion.page", &key);
        let path = [path, std::slice::from_ref(&title)].concat();
        self.know(&entry.file, &path, id)
            .map_err(|error| spot.wrong(error.problem))?;
        self.insert(id, table, Body::Page(Page::default()), place);
        Ok(id)
    }

    /// The values of such a row.
    pub(super) fn fill_row(&mut self, file: &str, id: Id, row: &Row) -> Result<(), SeedError> {
        for (name, value) in row {
            let spot = Spot {
                file,
                line: value.referenced.line(),
            };
            self.set(id, name, &value.value, &spot)?;
        }
        Ok(())
    }
}
