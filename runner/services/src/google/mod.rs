//! Google Workspace: the frame that every API stands in, and the APIs.
//!
//! [`method`] has the table of methods. From it come routing ([`route`]),
//! discovery documents ([`discovery`]), checks of parameters and bodies
//! ([`schema`]), and with them everything that clients rely on: partial answers
//! ([`fields`]), batches ([`batch`]), uploads ([`upload`]), error bodies
//! ([`error`]). An API is one constant of type [`method::Api`] and the
//! functions it names.

use proctor_types::WorldSnapshot;
use proctor_types::world::Account;
use serde::{Deserialize, Serialize};

use crate::world::{Clock, Ids, SeedContext, SeedError};

pub mod call;
pub mod error;
pub mod fields;
pub mod gmail;
pub mod method;
pub mod schema;
pub mod tasks;

/// State of all Google services of one account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Google {
    /// Mail.
    pub gmail: gmail::Mailbox,
    /// Task lists.
    pub tasks: tasks::TaskStore,
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
        Ok(Self { gmail: gmail::Mailbox::default(), tasks: tasks::TaskStore::default() })
    }

    /// Adds the services to the evidence.
    pub fn snapshot(&self, _snapshot: &mut WorldSnapshot) {}
}

/// The fakes of Google Workspace.
pub fn services() -> Vec<std::sync::Arc<dyn crate::service::Service>> {
    Vec::new()
}

/// What a handler may see and change.
#[derive(Debug)]
pub struct Ctx<'a> {
    /// Whose account it is.
    pub account: &'a Account,
    /// The world's clock.
    pub clock: &'a Clock,
    /// Source of new identifiers.
    pub ids: &'a mut Ids,
    /// The services.
    pub google: &'a mut Google,
}
