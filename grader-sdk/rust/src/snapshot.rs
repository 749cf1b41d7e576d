//! One snapshot of the world, parsed service by service.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use proctor_types::world::{Account, GitHub, Gmail, Notion, Tasks};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::Error;
use crate::evidence::{cached, expect_schema};
use crate::source::Source;

/// A snapshot whose services stay text until a grader asks for one: a trial
/// with a hundred thousand tasks costs a mail grader no memory for them.
pub(crate) struct Snapshot {
    path: &'static str,
    text: String,
    /// Where in the text the value of each key stands.
    sections: BTreeMap<String, Range<usize>>,
    account: OnceCell<Account>,
    gmail: OnceCell<Gmail>,
    tasks: OnceCell<Tasks>,
    github: OnceCell<GitHub>,
    notion: OnceCell<Notion>,
}

impl Snapshot {
    pub(crate) fn read(source: &dyn Source, path: &'static str) -> Result<Self, Error> {
        let text = String::from_utf8(source.read(path)?)
            .map_err(|error| Error::malformed(path, None, &error))?;
        let sections = sections(&text).map_err(|error| Error::malformed(path, None, &error))?;
        let snapshot = Self {
            path,
            text,
            sections,
            account: OnceCell::new(),
            gmail: OnceCell::new(),
            tasks: OnceCell::new(),
            github: OnceCell::new(),
            notion: OnceCell::new(),
        };
        let schema: String = snapshot
            .section("schema")?
            .ok_or_else(|| Error::malformed(path, None, &"it has no `schema`"))?;
        expect_schema(path, &schema, proctor_types::world::SCHEMA)?;
        Ok(snapshot)
    }

    pub(crate) fn account(&self) -> Result<&Account, Error> {
        cached(&self.account, || self.service("account"))
    }

    pub(crate) fn gmail(&self) -> Result<&Gmail, Error> {
        cached(&self.gmail, || self.service("gmail"))
    }

    pub(crate) fn tasks(&self) -> Result<&Tasks, Error> {
        cached(&self.tasks, || self.service("tasks"))
    }

    pub(crate) fn github(&self) -> Result<&GitHub, Error> {
        cached(&self.github, || self.service("github"))
    }

    pub(crate) fn notion(&self) -> Result<&Notion, Error> {
        cached(&self.notion, || self.service("notion"))
    }

    pub(crate) fn service<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        self.section(name)?.ok_or_else(|| Error::NoService {
            path: self.path,
            service: name.to_owned(),
        })
    }

    fn section<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let Some(range) = self.sections.get(name) else {
            return Ok(None);
        };
        serde_json::from_str(&self.text[range.clone()])
            .map_err(|error| Error::malformed(self.path, None, &format!("`{name}`: {error}")))
    }
}

/// Where the value of each key of an object stands in its text.
fn sections(text: &str) -> serde_json::Result<BTreeMap<String, Range<usize>>> {
    let values: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
    let range = |value: &RawValue| {
        // A borrowed value is a part of the text it was read from.
        let from = value.get().as_ptr() as usize - text.as_ptr() as usize;
        from..from + value.get().len()
    };
    Ok(values
        .into_iter()
        .map(|(key, value)| (key, range(value)))
        .collect())
}
