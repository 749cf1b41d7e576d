//! What texts of a seed refer to: pages by path, people by address.

use std::collections::HashMap;

use crate::notion::id::Id;
use crate::notion::markdown::Names;
use crate::notion::store::Notion;

/// The names of a seed, as seen from a page.
pub(super) struct SeedNames<'n> {
    pub(super) notion: &'n Notion,
    pub(super) paths: &'n HashMap<String, Id>,
    pub(super) here: &'n [String],
}

/// A path as it is looked up: `Engineering / Sprint 4` is `engineering/sprint 4`.
pub(super) fn key(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').map(str::trim).collect();
    parts.join("/").to_lowercase()
}

impl Names for SeedNames<'_> {
    fn user(&self, url: &str) -> Option<Id> {
        let email = url.trim_start_matches("mailto:");
        self.notion.user_of(email).map(|user| user.id)
    }

    fn page(&self, url: &str) -> Option<Id> {
        let path = key(url);
        let here = key(&self.here.join("/"));
        let below = self.paths.get(&format!("{here}/{path}"));
        below.or_else(|| self.paths.get(&path)).copied()
    }

    fn is_database(&self, id: Id) -> bool {
        self.notion
            .node(id)
            .is_some_and(|node| node.database().is_some())
    }

    fn block(&self, _: &str) -> Option<Id> {
        None
    }
}
