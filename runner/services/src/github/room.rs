//! How much requests can add. Whatever is in a world lies on the disk of whoever
//! runs it and must be readable by its grader: an agent must not be able to fill
//! the one, or to make itself ungradable.

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::session::Session;
use super::state::GitHub;
use crate::service::Request;

/// Most bytes of objects that requests can add to all repositories together.
const OBJECTS_CAP: u64 = 256 << 20;
/// Most bytes that requests can say of issues, pull requests and the like.
const TEXT_CAP: u64 = 12 << 20;
/// Most repositories that requests can make.
const REPOSITORIES_CAP: usize = 200;

/// What requests have added, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Added {
    objects: u64,
    text: u64,
}

impl Added {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What a request's body becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matter {
    /// Objects of a repository.
    Objects,
    /// What is said of a repository.
    Text,
}

impl Matter {
    /// What a request to the REST interface brings.
    pub(crate) fn of(request: &Request) -> Self {
        let path = &request.path;
        if path.contains("/git/") || path.contains("/contents/") {
            Self::Objects
        } else {
            Self::Text
        }
    }
}

impl GitHub {
    /// Bytes of objects that there is still room for.
    pub(crate) fn room(&self) -> u64 {
        OBJECTS_CAP.saturating_sub(self.added.objects)
    }

    /// Checks that there is room for `bytes` more.
    pub(crate) fn check_room(&self, matter: Matter, bytes: usize) -> Result<()> {
        let (room, cap) = match matter {
            Matter::Objects => (self.room(), OBJECTS_CAP),
            Matter::Text => (TEXT_CAP.saturating_sub(self.added.text), TEXT_CAP),
        };
        if bytes as u64 <= room {
            return Ok(());
        }
        let text = format!(
            "Repository size limit exceeded: this world takes {} MiB of {} and has {room} bytes \
             left",
            cap >> 20,
            match matter {
                Matter::Objects => "files",
                Matter::Text => "issues, pull requests and comments",
            },
        );
        Err(Error::new(403, text))
    }

    /// Notes that `bytes` have been added.
    pub(crate) fn fill(&mut self, matter: Matter, bytes: u64) {
        let filled = match matter {
            Matter::Objects => &mut self.added.objects,
            Matter::Text => &mut self.added.text,
        };
        *filled = filled.saturating_add(bytes);
    }

    /// Checks that one more repository can be made.
    pub(crate) fn check_repositories(&self) -> Result<()> {
        let made = self.repositories.values().filter(|repo| !repo.seeded);
        if made.count() < REPOSITORIES_CAP {
            return Ok(());
        }
        let text = format!("You have reached the limit of {REPOSITORIES_CAP} repositories");
        Err(Error::custom("Repository", text))
    }
}

impl Session {
    /// Has `work` change something, where there is room for `bytes`. If it
    /// fails, everything is as it was before.
    pub(crate) fn attempt<T>(
        &mut self,
        (matter, bytes): (Matter, usize),
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.gh.check_room(matter, bytes)?;
        // A copy has objects written into a layer of their own. Those that no
        // ref leads to show in nothing, so there is no need for one.
        let before = (matter == Matter::Text).then(|| self.gh.clone());
        let (read, changed) = (self.read.len(), self.changed.len());
        match work(self) {
            Ok(done) => {
                if matter == Matter::Objects || self.changed.len() > changed {
                    self.gh.fill(matter, bytes as u64);
                }
                Ok(done)
            }
            Err(error) => {
                self.gh = before.unwrap_or_else(|| std::mem::take(&mut self.gh));
                self.read.truncate(read);
                self.changed.truncate(changed);
                Err(error)
            }
        }
    }
}
