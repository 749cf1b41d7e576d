//! Making a world from a task's seed folder.

mod dir;

use jiff::Timestamp;
use serde::Deserialize;

pub use dir::{SeedDir, SeedFile};

use super::{Account, Clock, Ids, Person, World};
use crate::google::Google;

/// The world's own file in a seed folder.
const WORLD_FILE: &str = "world.yaml";
/// Services that a world can have, by the name of their seed folder.
pub const SERVICES: &[&str] = &["google"];

/// What a world is made of besides the seed folder.
#[derive(Debug, Clone, Default)]
pub struct SeedOptions {
    /// Services that the world has ([`SERVICES`]). One without a seed folder
    /// starts empty.
    pub services: Vec<String>,
}

/// What is wrong with a seed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct SeedError {
    /// Path relative to the seed folder.
    pub file: String,
    /// Line, from 1, where the problem has one.
    pub line: Option<u64>,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl SeedError {
    /// A problem with a file as a whole.
    pub fn file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: None,
            problem: problem.into(),
        }
    }

    /// A problem in a line of a file.
    pub fn at(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: Some(line),
            problem: problem.into(),
        }
    }
}

/// What a service's seed may refer to.
#[derive(Debug)]
pub struct SeedContext<'a> {
    /// The service's folder in the seed; `None` where it has none and the
    /// service starts empty.
    pub dir: Option<&'a SeedDir>,
    /// Whose account it is.
    pub account: &'a Account,
    /// People that the account knows.
    pub people: &'a [Person],
    /// The world's clock, standing at its start.
    pub clock: &'a Clock,
    /// Source of identifiers.
    pub ids: &'a mut Ids,
}

/// `world.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldFile {
    clock: Timestamp,
    #[serde(default)]
    seed: u64,
    account: AccountEntry,
    #[serde(default)]
    people: Vec<Person>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountEntry {
    email: String,
    name: String,
    #[serde(default = "utc")]
    time_zone: String,
}

fn utc() -> String {
    "UTC".to_owned()
}

/// See [`World::seed`].
pub(super) fn load(dir: &cap_std::fs::Dir, options: &SeedOptions) -> Result<World, SeedError> {
    let root = SeedDir::root(dir)?;
    if let Some(unknown) = options
        .services
        .iter()
        .find(|name| !SERVICES.contains(&name.as_str()))
    {
        return Err(SeedError::file(
            unknown,
            format!("there is no such service; known: {}", SERVICES.join(", ")),
        ));
    }
    let mut known = vec![WORLD_FILE];
    known.extend(options.services.iter().map(String::as_str));
    root.expect_only(&known)?;

    let mut world = world_of(&root.file(WORLD_FILE)?)?;
    if options.services.iter().any(|name| name == "google") {
        let folder = root.folder("google")?;
        world.google = Some(Google::seed(&mut SeedContext {
            dir: folder.as_ref(),
            account: &world.account,
            people: &world.people,
            clock: &world.clock,
            ids: &mut world.ids,
        })?);
    }
    Ok(world)
}

fn world_of(file: &SeedFile) -> Result<World, SeedError> {
    let content: WorldFile = file.yaml()?;
    let AccountEntry {
        email,
        name,
        time_zone,
    } = content.account;
    let people = content.people.iter().map(|person| person.email.as_str());
    if let Some(wrong) = std::iter::once(email.as_str())
        .chain(people)
        .find(|it| !is_address(it))
    {
        return Err(SeedError::file(
            &file.path,
            format!("`{wrong}` is no mail address; expected one like `ada@example.com`"),
        ));
    }
    if jiff::tz::TimeZone::get(&time_zone).is_err() {
        return Err(SeedError::file(
            &file.path,
            format!("account.time_zone: `{time_zone}` is no IANA time zone like `Europe/Berlin`"),
        ));
    }
    Ok(World {
        account: Account {
            email: email.to_ascii_lowercase(),
            name,
            time_zone,
        },
        people: content.people,
        clock: Clock::new(content.clock),
        ids: Ids::new(content.seed),
        google: None,
    })
}

/// Far from the grammar of RFC 5322, and enough to catch a name in the wrong
/// place.
fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.is_empty()
            && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,;\"".contains(c))
            && !domain.contains('@')
    })
}

#[cfg(test)]
mod tests;
