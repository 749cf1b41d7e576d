//! Making repositories.

use std::collections::BTreeMap;
use std::sync::Arc;

use proctor_types::journal::Change;
use proctor_types::world::github as kind;

use super::error::{Error, Result};
use super::seed::repository::default_labels;
use super::session::Session;
use super::state::Repo;
use super::store::Objects;

impl Session {
    /// Makes an empty repository. Gives its full name.
    pub(crate) fn create_repo(
        &mut self,
        owner: &str,
        name: &str,
        description: Option<String>,
        private: bool,
    ) -> Result<String> {
        let actor = self.actor()?;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '-' })
            .collect();
        if name.is_empty() || name.len() > 100 || name.starts_with('.') {
            return Err(Error::field("Repository", "name", "invalid"));
        }
        let full_name = format!("{owner}/{name}");
        if self.gh.by_full_name(&full_name).is_ok() {
            let text = "name already exists on this account";
            return Err(Error::custom("Repository", text));
        }
        self.gh.check_repositories()?;
        let now = self.time();
        let objects = Objects::new().map_err(|error| Error::new(500, error.to_string()))?;
        let repo = Repo {
            id: self.fresh(),
            owner: owner.to_owned(),
            name,
            description,
            homepage: None,
            private,
            archived: false,
            default_branch: "main".to_owned(),
            seeded: false,
            fork_of: None,
            created_at: now.clone(),
            updated_at: now.clone(),
            pushed_at: now,
            objects,
            refs: BTreeMap::new(),
            protection: BTreeMap::new(),
            labels: default_labels(&mut self.ids),
            milestones: Vec::new(),
            collaborators: std::iter::once(actor).collect(),
            issues: BTreeMap::new(),
            pushers: BTreeMap::new(),
            seeded_commits: Arc::default(),
            statuses: BTreeMap::new(),
        };
        self.gh
            .repositories
            .insert(full_name.to_ascii_lowercase(), Arc::new(repo));
        self.did(kind::REPOSITORY, full_name.clone(), Change::Created);
        Ok(full_name)
    }
}
