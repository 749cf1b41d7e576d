//! Google Workspace: the frame that every API stands in, and the APIs.
//!
//! [`method`] has the table of methods. From it come routing, discovery
//! documents, the checks of parameters and bodies ([`schema`]), and with them
//! everything that clients rely on: partial answers ([`fields`]), batches,
//! uploads ([`upload`]), error bodies ([`error`]). An API is one constant of
//! type [`method::Api`] and the functions it names.

use std::collections::BTreeMap;
use std::sync::Arc;

use proctor_types::WorldSnapshot;
use proctor_types::world::Account;
use serde::{Deserialize, Serialize};

use crate::service::{Answer, Request, Service};
use crate::world::{Ids, SeedContext, SeedError, World};

mod accept;
mod batch;
pub mod calendar;
pub mod call;
pub mod desk;
mod discovery;
pub mod error;
pub mod fields;
mod frame;
pub mod gmail;
pub mod method;
mod multipart;
mod oauth;
mod params;
pub mod people;
mod route;
pub mod schema;
pub mod tasks;
mod time;
pub mod upload;
mod watched;
mod wire;

pub use watched::Watched;

#[cfg(test)]
mod tests;

/// Every API of this world.
static APIS: [&method::Api; 4] = [&gmail::API, &tasks::API, &people::API, &calendar::API];

/// Every API of this world.
pub fn apis() -> &'static [&'static method::Api] {
    &APIS
}

/// State of all Google services of one account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Google {
    /// Mail.
    pub gmail: gmail::Mailbox,
    /// Task lists.
    pub tasks: tasks::TaskStore,
    /// Calendars.
    pub calendar: calendar::CalendarStore,
    /// Uploads that are under way.
    #[serde(default)]
    pub uploads: upload::Uploads,
    /// Services of others by address, of those who have used them or have got
    /// mail.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub desks: BTreeMap<String, desk::Desk>,
    /// Address of whom a token stands for, where that is not the account.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tokens: BTreeMap<String, String>,
}

impl Google {
    /// The services as the seed's `google/` folder describes them; empty ones
    /// where there is no folder.
    ///
    /// # Errors
    /// Says which file is wrong and what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        if let Some(dir) = context.dir {
            dir.expect_only(&["mail", "tasks.json", "calendar.json"])?;
        }
        Ok(Self {
            gmail: gmail::Mailbox::seed(context)?,
            tasks: tasks::TaskStore::seed(context)?,
            calendar: calendar::CalendarStore::seed(context)?,
            uploads: upload::Uploads::default(),
            desks: BTreeMap::new(),
            tokens: context.accounts.tokens.clone(),
        })
    }

    /// Adds the services to the evidence.
    pub fn snapshot(&self, snapshot: &mut WorldSnapshot) {
        snapshot.gmail = Some(self.gmail.snapshot());
        snapshot.mailboxes = self.mailboxes();
        snapshot.tasks = Some(self.tasks.snapshot());
        self.calendar.snapshot(&mut snapshot.other);
    }
}

/// What a handler may see and change.
#[derive(Debug)]
pub struct Ctx<'a> {
    /// Whose account it is.
    pub account: &'a Account,
    /// Everybody who has a mailbox.
    pub known: desk::Known<'a>,
    /// The world's clock.
    pub clock: &'a Watched<'a>,
    /// Source of new identifiers.
    pub ids: &'a mut Ids,
    /// The services.
    pub google: &'a mut Google,
}

/// Google's fakes as one service: they share hosts, credentials and formats.
#[derive(Debug, Clone, Copy, Default)]
pub struct GoogleService;

/// The fakes of Google Workspace.
pub fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(GoogleService)]
}

/// Hosts that serve every API.
const COMMON_HOSTS: &[&str] = &["www.googleapis.com", "content.googleapis.com"];
/// Paths on the port that routes by path, besides those of the APIs.
const PATHS: &[&str] = &[
    "/discovery/v1/",
    "/$discovery/",
    "/upload/",
    "/resumable/upload/",
];

/// The API that a host serves, where it serves only one.
fn api_of_host(host: &str) -> Option<&'static str> {
    let name = host.strip_suffix(".googleapis.com")?;
    let name = name.strip_suffix("-json").unwrap_or(name);
    apis().iter().map(|api| api.name).find(|api| *api == name)
}

/// Whether a host is one of Google's own.
fn is_google_host(host: &str) -> bool {
    host.ends_with(".googleapis.com") || oauth::HOSTS.contains(&host)
}

impl Service for GoogleService {
    fn name(&self) -> &'static str {
        "google"
    }

    fn owns(&self, host: &str) -> bool {
        COMMON_HOSTS.contains(&host)
            || oauth::HOSTS.contains(&host)
            || api_of_host(host).is_some()
            || frame::is_other_host(host)
    }

    fn owns_path(&self, path: &str) -> bool {
        PATHS.iter().any(|prefix| path.starts_with(prefix))
            || batch::is_batch(path)
            || oauth::is_oauth(path)
            || route::is_api_path(path)
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        let allowed = api_of_host(&request.host);
        if discovery::is_discovery(&request.path) {
            discovery::answer(request)
        } else if oauth::HOSTS.contains(&request.host.as_str())
            || allowed.is_none() && oauth::is_oauth(&request.path)
        {
            oauth::answer(world, request)
        } else if batch::is_batch(&request.path) {
            batch::answer(world, request, allowed)
        } else {
            frame::answer(world, request, allowed)
        }
    }
}
