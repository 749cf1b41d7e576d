//! Repositories from the seed: a folder tree for the content of each, and a
//! file beside it for everything else.
//!
//! `github/OWNER/NAME/` is the first commit of the default branch; what
//! `history` in `github/OWNER/NAME.yaml` lists comes on top of it.

mod accounts;
mod content;
mod desk;
mod entries;
pub(crate) mod repository;
mod threads;

use std::collections::BTreeSet;
use std::sync::Arc;

use accounts::people;
use repository::repository;

use super::state::GitHub;
use crate::world::{SeedContext, SeedError};

impl GitHub {
    /// The service as the seed's `github/` folder describes it; one without
    /// repositories where there is no folder.
    ///
    /// # Errors
    /// Names the file and the line, and says what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let mut hub = people(context);
        let Some(dir) = context.dir else {
            return Ok(hub);
        };
        for owner in dir.names()? {
            let path = dir.path_of(&owner);
            if !is_name(&owner) {
                return Err(SeedError::file(path, "expected the login of an owner"));
            }
            let folder = dir.folder(&owner)?;
            let folder = folder.ok_or_else(|| SeedError::file(path, "missing"))?;
            if hub.user(&owner).is_none() {
                hub.add(context.ids, &owner, None, None, true);
            }
            let names = folder.names()?.into_iter();
            let stem = |name: String| match name.strip_suffix(".yaml") {
                Some(stem) => stem.to_owned(),
                None => name,
            };
            for name in names.map(stem).collect::<BTreeSet<_>>() {
                if !is_name(&name) || name.to_ascii_lowercase().ends_with(".git") {
                    let problem = "expected the name of a repository";
                    return Err(SeedError::file(folder.path_of(&name), problem));
                }
                let repo = repository(&hub, context, &folder, &owner, &name)?;
                hub.repositories
                    .insert(repo.full_name().to_ascii_lowercase(), Arc::new(repo));
            }
        }
        Ok(hub)
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(fits)
}
