//! One snapshot of the world, parsed service by service.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use proctor_types::world::{Account, GitHub, Gmail, Notion, Tasks};
use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::Error;
use crate::evidence::{Lazy, expect_schema, utf8};
use crate::source::Source;

/// A snapshot whose services stay text until a grader asks for one: a trial
/// with a hundred thousand tasks costs a mail grader no memory for them.
pub(crate) struct Snapshot {
    path: &'static str,
    text: String,
    /// Where in the text the value of each key stands.
    sections: Vec<(String, Range<usize>)>,
    account: Lazy<Account>,
    gmail: Lazy<Gmail>,
    mailboxes: Lazy<BTreeMap<String, Gmail>>,
    tasks: Lazy<Tasks>,
    github: Lazy<GitHub>,
    notion: Lazy<Notion>,
}

impl Snapshot {
    pub(crate) fn read(source: &dyn Source, path: &'static str) -> Result<Self, Error> {
        let text = utf8(path, source.read(path)?)?;
        let sections = sections(&text).map_err(|error| Error::malformed(path, None, &error))?;
        let snapshot = Self {
            path,
            text,
            sections,
            account: Lazy::new(),
            gmail: Lazy::new(),
            mailboxes: Lazy::new(),
            tasks: Lazy::new(),
            github: Lazy::new(),
            notion: Lazy::new(),
        };
        let schema: String = snapshot
            .section("schema")?
            .ok_or_else(|| Error::malformed(path, None, &"it has no `schema`"))?;
        expect_schema(path, &schema, proctor_types::world::SCHEMA)?;
        Ok(snapshot)
    }

    pub(crate) fn account(&self) -> Result<&Account, Error> {
        self.account.get_or_make(|| self.service("account"))
    }

    pub(crate) fn gmail(&self) -> Result<&Gmail, Error> {
        self.gmail.get_or_make(|| self.service("gmail"))
    }

    /// The mailbox of somebody beside the account: an empty one where nothing
    /// has been delivered to them.
    pub(crate) fn mailbox_of(&self, address: &str) -> Result<&Gmail, Error> {
        static EMPTY: Gmail = Gmail {
            history_id: 0,
            labels: Vec::new(),
            messages: Vec::new(),
            drafts: Vec::new(),
        };
        let read = || Ok(self.section("mailboxes")?.unwrap_or_default());
        let mailboxes = self.mailboxes.get_or_make(read)?;
        Ok(mailboxes.get(&address.to_lowercase()).unwrap_or(&EMPTY))
    }

    pub(crate) fn tasks(&self) -> Result<&Tasks, Error> {
        self.tasks.get_or_make(|| self.service("tasks"))
    }

    pub(crate) fn github(&self) -> Result<&GitHub, Error> {
        self.github.get_or_make(|| self.service("github"))
    }

    pub(crate) fn notion(&self) -> Result<&Notion, Error> {
        self.notion.get_or_make(|| self.service("notion"))
    }

    pub(crate) fn service<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        self.section(name)?.ok_or_else(|| Error::NoService {
            path: self.path,
            service: name.to_owned(),
        })
    }

    fn section<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        // The last one counts, as in a map.
        let mut sections = self.sections.iter().rev();
        let Some((_, range)) = sections.find(|(key, _)| key == name) else {
            return Ok(None);
        };
        serde_json::from_str(&self.text[range.clone()])
            .map_err(|error| Error::malformed(self.path, None, &format!("`{name}`: {error}")))
    }
}

/// Where the value of each key of an object stands in its text.
fn sections(text: &str) -> serde_json::Result<Vec<(String, Range<usize>)>> {
    struct Sections<'t>(&'t str);

    impl<'t> Visitor<'t> for Sections<'t> {
        type Value = Vec<(String, Range<usize>)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut sections = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                // A borrowed value is a part of the text it was read from.
                let from = value.get().as_ptr() as usize - self.0.as_ptr() as usize;
                sections.push((key, from..from + value.get().len()));
            }
            Ok(sections)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let sections = deserializer.deserialize_map(Sections(text))?;
    deserializer.end()?;
    Ok(sections)
}
