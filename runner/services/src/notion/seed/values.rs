//! Values of properties in a seed, written as plainly as YAML allows.

use serde_json::Value;

use super::files::PageFile;
use super::{Seeder, Spot};
use crate::notion::accept::rich::is_date;
use crate::notion::accept::schema::color_of;
use crate::notion::id::Id;
use crate::notion::property::{Choice, Config, File, Property, choice_by_name};
use crate::notion::rich::Date;
use crate::notion::store::Body;
use crate::world::SeedError;

impl Seeder<'_, '_> {
    /// What a page's front matter says of its properties.
    pub(super) fn properties(&mut self, file: &PageFile, id: Id) -> Result<(), SeedError> {
        for (name, value) in &file.front.properties {
            let spot = Spot {
                file: &file.path,
                line: value.referenced.line(),
            };
            self.set(id, name, &value.value, &spot)?;
        }
        Ok(())
    }

    /// Sets a property of a row.
    pub(super) fn set(
        &mut self,
        id: Id,
        name: &str,
        value: &Value,
        spot: &Spot<'_>,
    ) -> Result<(), SeedError> {
        let Some((table, source)) = self.notion.source_of(id) else {
            let text = format!("`{name}`: only pages in a database have properties");
            return Err(spot.wrong(text));
        };
        let Some((key, definition)) = source.find(name) else {
            let known: Vec<&str> = source.schema.values().map(|it| it.name.as_str()).collect();
            let text = format!(
                "`{name}` is no property of this database; known: {}",
                known.join(", ")
            );
            return Err(spot.wrong(text));
        };
        let (key, mut config) = (key.to_owned(), definition.config.clone());
        if config == Config::Title {
            let title = self.text(value.as_str().unwrap_or_default(), spot)?;
            if let Some(Body::Page(page)) = self.notion.node_mut(id).map(|node| &mut node.body) {
                page.title = title;
            }
            return Ok(());
        }
        let value = if value.is_null() {
            None
        } else {
            self.value(name, &mut config, value, spot)?
        };
        if let Some(Body::Page(page)) = self.notion.node_mut(id).map(|node| &mut node.body) {
            page.set(&key, value);
        }
        if let Some(Body::Source(source)) = self.notion.node_mut(table).map(|node| &mut node.body)
            && let Some(definition) = source.schema.get_mut(&key)
        {
            definition.config = config;
        }
        Ok(())
    }

    fn value(
        &mut self,
        name: &str,
        config: &mut Config,
        value: &Value,
        spot: &Spot<'_>,
    ) -> Result<Option<Property>, SeedError> {
        let kind = config.name();
        let wrong = |what: &str| {
            spot.wrong(format!(
                "`{name}` is a {kind}: expected {what}, found {value}"
            ))
        };
        let text = || value.as_str().ok_or_else(|| wrong("text"));
        Ok(Some(match config {
            Config::RichText => Property::RichText(self.text(text()?, spot)?),
            Config::Number(_) => match value {
                Value::Number(number) => Property::Number(number.clone()),
                _ => return Err(wrong("a number")),
            },
            Config::Checkbox => {
                let checked = value.as_bool().ok_or_else(|| wrong("true or false"))?;
                return Ok(checked.then_some(Property::Checkbox(true)));
            }
            Config::Url => Property::Url(text()?.to_owned()),
            Config::Email => Property::Email(text()?.to_owned()),
            Config::PhoneNumber => Property::PhoneNumber(text()?.to_owned()),
            Config::Select(choices) => {
                let option = value
                    .as_str()
                    .ok_or_else(|| wrong("the name of an option"))?;
                Property::Select(self.choice(choices, option))
            }
            Config::MultiSelect(choices) => {
                let names = list(value).ok_or_else(|| wrong("names of options"))?;
                let ids = names.iter().map(|name| self.choice(choices, name));
                Property::MultiSelect(ids.collect())
            }
            Config::Status(choices) => {
                let known = value
                    .as_str()
                    .and_then(|name| choice_by_name(choices, name));
                let names: Vec<&str> = choices.iter().map(|it| it.name.as_str()).collect();
                let known = known.ok_or_else(|| wrong(&format!("one of {}", names.join(", "))))?;
                Property::Status(known.id.clone())
            }
            Config::Date => Property::Date(date(value).ok_or_else(|| {
                wrong("a date like 2026-03-02 or 2026-03-02T09:00:00Z, or {start, end}")
            })?),
            Config::People => {
                let people = list(value).ok_or_else(|| wrong("addresses of people"))?;
                let ids = people.iter().map(|email| {
                    let user = self.notion.user_of(email).map(|user| user.id);
                    user.ok_or_else(|| wrong("addresses of the account or of `people`"))
                });
                Property::People(ids.collect::<Result<_, _>>()?)
            }
            Config::Files => {
                let urls = list(value).ok_or_else(|| wrong("addresses of files"))?;
                let file = |url: &&str| File {
                    name: url.rsplit('/').next().unwrap_or(url).to_owned(),
                    url: (*url).to_owned(),
                };
                Property::Files(urls.iter().map(file).collect())
            }
            Config::Relation(table) => {
                let table = *table;
                let rows = list(value).ok_or_else(|| wrong("paths of rows"))?;
                let ids = rows.iter().map(|path| {
                    let found = self.row(table, path);
                    found.ok_or_else(|| wrong("paths or titles of rows of the related database"))
                });
                Property::Relation(ids.collect::<Result<_, _>>()?)
            }
            _ => return Err(spot.wrong(format!("`{name}` is a {kind}, which cannot be set"))),
        }))
    }

    /// A row of a table by title, or by path.
    fn row(&self, table: Id, path: &str) -> Option<Id> {
        let titled = |id: &Id| {
            let parts = self.notion.path(*id);
            parts.last().is_some_and(|title| title == path)
        };
        let mut rows = self.notion.living(table).map(|(id, _)| id);
        let by_path = self.paths.get(&super::names::key(path)).copied();
        by_path
            .filter(|id| self.notion.node(*id).and_then(|it| it.parent) == Some(table))
            .or_else(|| rows.find(titled))
            .or_else(|| self.planted(table, path))
    }

    /// A row whose title is not set yet.
    fn planted(&self, table: Id, title: &str) -> Option<Id> {
        let suffix = format!("/{}", super::names::key(title));
        self.paths
            .iter()
            .filter(|(path, _)| path.ends_with(&suffix))
            .map(|(_, id)| *id)
            .find(|id| self.notion.node(*id).and_then(|node| node.parent) == Some(table))
    }

    /// An option by name; a new one where there is none of it.
    fn choice(&mut self, choices: &mut Vec<Choice>, name: &str) -> String {
        if let Some(known) = choice_by_name(choices, name) {
            return known.id.clone();
        }
        let id = self.context.ids.base64url("notion.choice", 4);
        choices.push(Choice {
            id: id.clone(),
            name: name.to_owned(),
            color: color_of(choices.len()),
            group: 0,
        });
        id
    }
}

/// A text, or a list of texts.
fn list(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => several.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn date(value: &Value) -> Option<Date> {
    let text = |value: &Value| {
        let text = value.as_str()?;
        is_date(text).then(|| text.to_owned())
    };
    if let Some(start) = text(value) {
        return Some(Date {
            start,
            end: None,
            time_zone: None,
        });
    }
    let map = value.as_object()?;
    if map
        .keys()
        .any(|key| !["start", "end"].contains(&key.as_str()))
    {
        return None;
    }
    let end = map.get("end");
    let end = match end {
        Some(end) => Some(text(end)?),
        None => None,
    };
    Some(Date {
        start: text(map.get("start")?)?,
        end,
        time_zone: None,
    })
}
