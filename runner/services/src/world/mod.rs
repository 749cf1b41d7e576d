//! The state that one trial sees.

use proctor_types::world::Account;
use serde::{Deserialize, Serialize};

use crate::google;

/// The state that one trial sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Whose account it is.
    pub account: Account,
    /// Its clock.
    pub clock: Clock,
    /// Source of identifiers.
    pub ids: Ids,
    /// Google Workspace, where the world has it.
    pub google: Option<google::Google>,
}

/// A clock that moves by one second per request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    now: jiff::Timestamp,
}

impl Clock {
    /// The moment it is.
    pub fn now(&self) -> jiff::Timestamp {
        self.now
    }
}

/// Identifiers that follow from a seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    seed: u64,
    counter: u64,
}

impl Ids {
    /// The next identifier of a kind: 32 hexadecimal digits.
    pub fn next(&mut self, kind: &str) -> String {
        let _ = kind;
        self.counter += 1;
        format!("{:016x}{:016x}", self.seed, self.counter)
    }
}
