//! The world: everything that the fakes of one trial know.

mod clock;
mod ids;
mod seed;

use std::sync::Arc;

use jiff::Timestamp;
use proctor_types::WorldSnapshot;
use serde::{Deserialize, Serialize};

pub use clock::Clock;
pub use ids::Ids;
pub use proctor_types::world::Account;
pub use seed::{Accounts, SERVICES, SeedContext, SeedDir, SeedError, SeedFile, SeedOptions};

use crate::composio::Sessions;
use crate::github::GitHub;
use crate::google::Google;
use crate::notion::Notion;
use crate::service::Service;

/// State of all services of one trial.
///
/// A world is one value. Cloning it is cheap (bulky leaves are shared and
/// never changed in place), two worlds have no state in common, and its JSON is
/// complete: what [`Deserialize`] gives back answers every request as the
/// original would have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Whose account the agent works with.
    pub account: Account,
    /// People that the account knows, in the order of the seed.
    pub people: Vec<Person>,
    /// The world's own clock.
    pub clock: Clock,
    /// Source of identifiers.
    pub ids: Ids,
    /// Google Workspace, where the world has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub google: Option<Google>,
    /// GitHub, where the world has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<GitHub>,
    /// Notion, where the world has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notion: Option<Notion>,
    /// Sessions of Composio's interface.
    #[serde(default, skip_serializing_if = "Sessions::is_empty")]
    pub(crate) composio: Sessions,
}

/// Somebody that the account knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// Address.
    pub email: String,
    /// Name as it stands in mails.
    pub name: String,
    /// Job title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Company or team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// Telephone number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Login at GitHub, where the person has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<String>,
    /// Name at Notion, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notion: Option<String>,
}

impl World {
    /// A world without services: every request to it is attempted egress.
    pub fn empty(start: Timestamp) -> Self {
        Self {
            account: Account {
                email: "agent@example.com".to_owned(),
                name: "Agent".to_owned(),
                time_zone: "UTC".to_owned(),
            },
            people: Vec::new(),
            clock: Clock::new(start),
            ids: Ids::new(0),
            google: None,
            github: None,
            notion: None,
            composio: Sessions::default(),
        }
    }

    /// A world whose services are there and empty, with its clock at `start`.
    ///
    /// # Errors
    /// A service that does not exist.
    pub fn unseeded(start: Timestamp, options: &SeedOptions) -> Result<Self, SeedError> {
        seed::unseeded(start, options)
    }

    /// The world that a seed folder describes: `world.yaml`, and one folder
    /// for each service.
    ///
    /// # Errors
    /// Names the file and, where there is one, the line, and says what was
    /// expected. Symbolic links, unknown files and unknown keys are refused.
    pub fn seed(dir: &cap_std::fs::Dir, options: &SeedOptions) -> Result<Self, SeedError> {
        seed::load(dir, options)
    }

    /// The fakes that this world has. Hosts of any other are as unreachable as
    /// the rest of the internet.
    pub fn services(&self) -> Vec<Arc<dyn Service>> {
        let google = self.google.iter().flat_map(|_| crate::google::services());
        let notion = self.notion.iter().flat_map(|_| crate::notion::services());
        let github = self.github.iter().flat_map(|_| crate::github::services());
        let mut services: Vec<_> = google.chain(github).chain(notion).collect();
        // Tools are for the services that there are.
        if !services.is_empty() {
            services.extend(crate::mcp::services());
            services.extend(crate::composio::services());
        }
        services
    }

    /// Content of the files that the snapshot's repositories list, by SHA-256.
    pub fn blobs(&self) -> crate::github::Blobs {
        let github = self.github.as_ref();
        github.map(|it| it.snapshot().1).unwrap_or_default()
    }

    /// The world as evidence: made for reading by a grader.
    pub fn snapshot(&self) -> WorldSnapshot {
        let mut snapshot = WorldSnapshot {
            schema: proctor_types::world::SCHEMA.to_owned(),
            clock: self.clock.now().to_string(),
            account: self.account.clone(),
            gmail: None,
            mailboxes: std::collections::BTreeMap::new(),
            tasks: None,
            github: None,
            notion: None,
            other: std::collections::BTreeMap::new(),
        };
        if let Some(google) = &self.google {
            google.snapshot(&mut snapshot);
        }
        if let Some(github) = &self.github {
            crate::github::add_to(github, &mut snapshot);
        }
        snapshot.notion = self.notion.as_ref().map(Notion::snapshot);
        snapshot
    }
}
