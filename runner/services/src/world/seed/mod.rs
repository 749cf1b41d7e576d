//! Making a world from a task's seed folder.

mod attempt;
mod dir;
mod people;

use jiff::Timestamp;
use serde::Deserialize;
use serde_saphyr::Spanned;

pub use dir::{SeedDir, SeedFile};

use super::{Account, Clock, Ids, Person, World};
use crate::github::GitHub;
use crate::google::Google;
use crate::notion::Notion;

/// The world's own file in a seed folder.
const WORLD_FILE: &str = "world.yaml";
/// Services that a world can have, by the name of their seed folder.
pub const SERVICES: &[&str] = &["google", "github", "notion"];

/// What a world is made of besides the seed folder.
#[derive(Debug, Clone, Default)]
pub struct SeedOptions {
    /// Services that the world has ([`SERVICES`]). One without a seed folder
    /// starts empty.
    pub services: Vec<String>,
    /// Number of the attempt that the world is for, from 0. It stands in place
    /// of each `{attempt}` in the seed's files and in names under `github/`;
    /// never in what the files of a repository say.
    pub attempt: u32,
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
    /// What the seed says of accounts besides.
    pub accounts: &'a Accounts,
}

/// What `world.yaml` says of accounts besides names and addresses.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    /// The account's login at GitHub, where the seed names one.
    pub github: Option<String>,
    /// The account's name at Notion, where it is another one.
    pub notion: Option<String>,
    /// Tokens that stand for somebody else than the account: the address of a
    /// person by token.
    pub tokens: std::collections::BTreeMap<String, String>,
}

/// `world.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldFile {
    clock: Spanned<String>,
    #[serde(default)]
    seed: u64,
    account: AccountEntry,
    #[serde(default)]
    people: Vec<Spanned<Person>>,
    /// Address of a person by token.
    #[serde(default)]
    tokens: std::collections::BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountEntry {
    email: Spanned<String>,
    name: String,
    time_zone: Option<Spanned<String>>,
    github: Option<Spanned<String>>,
    notion: Option<String>,
}

/// See [`World::seed`].
pub(super) fn load(dir: &cap_std::fs::Dir, options: &SeedOptions) -> Result<World, SeedError> {
    let root = SeedDir::root(dir)?.of_attempt(options.attempt);
    check(options)?;
    let mut known = vec![WORLD_FILE];
    known.extend(options.services.iter().map(String::as_str));
    root.expect_only(&known)?;

    let (mut world, accounts) = world_of(&root.file(WORLD_FILE)?)?;
    fill(&mut world, Some(&root), options, &accounts)?;
    Ok(world)
}

/// See [`World::unseeded`].
pub(super) fn unseeded(start: Timestamp, options: &SeedOptions) -> Result<World, SeedError> {
    check(options)?;
    let mut world = World::empty(start);
    fill(&mut world, None, options, &Accounts::default())?;
    Ok(world)
}

fn check(options: &SeedOptions) -> Result<(), SeedError> {
    match options
        .services
        .iter()
        .find(|name| !SERVICES.contains(&name.as_str()))
    {
        Some(unknown) => Err(SeedError::file(
            unknown,
            format!("there is no such service; known: {}", SERVICES.join(", ")),
        )),
        None => Ok(()),
    }
}

/// Makes the services that the options name: from their folders in `root`, or
/// empty.
fn fill(
    world: &mut World,
    root: Option<&SeedDir>,
    options: &SeedOptions,
    accounts: &Accounts,
) -> Result<(), SeedError> {
    let wanted = |service: &&&str| options.services.iter().any(|name| name == **service);
    // In this order always: identifiers come from one source.
    for service in SERVICES.iter().filter(wanted) {
        let dir = match root {
            Some(root) => root.folder(service)?,
            None => None,
        };
        let mut context = SeedContext {
            dir: dir.as_ref(),
            account: &world.account,
            people: &world.people,
            clock: &world.clock,
            ids: &mut world.ids,
            accounts,
        };
        match *service {
            "google" => world.google = Some(Google::seed(&mut context)?),
            "github" => world.github = Some(GitHub::seed(&mut context)?),
            "notion" => world.notion = Some(Notion::seed(&mut context)?),
            _ => {}
        }
    }
    Ok(())
}

fn world_of(file: &SeedFile) -> Result<(World, Accounts), SeedError> {
    let WorldFile {
        clock,
        seed,
        account,
        people,
        tokens,
    } = file.yaml()?;
    people::check(&file.path, &account, &people, &tokens)?;
    let wrong =
        |at: serde_saphyr::Location, problem: String| SeedError::at(&file.path, at.line(), problem);
    let start: Timestamp = clock.value.parse().map_err(|_| {
        let problem = format!(
            "`{}` is no RFC 3339 time like `2026-03-02T09:00:00Z`",
            clock.value
        );
        wrong(clock.referenced, problem)
    })?;
    let zone = account.time_zone.as_ref();
    if let Some(zone) = zone.filter(|zone| jiff::tz::TimeZone::get(&zone.value).is_err()) {
        let problem = format!("`{}` is no IANA time zone like `Europe/Berlin`", zone.value);
        return Err(wrong(zone.referenced, problem));
    }
    let accounts = Accounts {
        github: account.github.map(|login| login.value),
        notion: account.notion,
        tokens: tokens
            .into_iter()
            .map(|(token, it)| (token, it.value.to_ascii_lowercase()))
            .collect(),
    };
    let world = World {
        account: Account {
            email: account.email.value.to_ascii_lowercase(),
            name: account.name,
            time_zone: zone.map_or_else(|| "UTC".to_owned(), |zone| zone.value.clone()),
        },
        people: people.into_iter().map(|person| person.value).collect(),
        clock: Clock::new(start),
        ids: Ids::new(seed),
        google: None,
        github: None,
        notion: None,
        composio: crate::composio::Sessions::default(),
    };
    Ok((world, accounts))
}

#[cfg(test)]
mod tests;
