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

use std::collections::BTreeMap;
use std::sync::Arc;

use accounts::people;
use repository::repository;

use super::state::GitHub;
use crate::world::{SeedContext, SeedDir, SeedError};

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
        for (owner, folder_name) in dir.named()? {
            if folder_name.starts_with('.') {
                continue;
            }
            let path = dir.path_of(&folder_name);
            if !is_name(&owner) {
                return Err(SeedError::file(path, "expected the login of an owner"));
            }
            let folder = dir.folder(&folder_name)?;
            let folder = folder.ok_or_else(|| SeedError::file(path, "missing"))?;
            if hub.user(&owner).is_none() {
                hub.add(context.ids, &owner, None, None, true);
            }
            for (name, place) in places(&folder)? {
                if !is_name(&name) || name.to_ascii_lowercase().ends_with(".git") {
                    let problem = "expected the name of a repository";
                    return Err(SeedError::file(folder.path_of(place.shown()), problem));
                }
                let repo = repository(&hub, context, &folder, &owner, (&name, &place))?;
                let key = repo.full_name().to_ascii_lowercase();
                if let Some(other) = hub.repositories.insert(key, Arc::new(repo)) {
                    let problem = format!(
                        "collides with `{}`: GitHub does not tell names of repositories apart by \
                         case",
                        other.full_name()
                    );
                    return Err(SeedError::file(folder.path_of(place.shown()), problem));
                }
            }
        }
        Ok(hub)
    }
}

/// Where a repository is described, by names of entries of its owner's folder.
#[derive(Default)]
struct Described {
    /// The repository's files.
    tree: Option<String>,
    /// Everything else.
    yaml: Option<String>,
}

impl Described {
    /// The entry to name in errors.
    fn shown(&self) -> &str {
        let tree = self.tree.as_deref();
        tree.or(self.yaml.as_deref()).unwrap_or_default()
    }
}

/// The repositories of an owner's folder, by what they are called.
fn places(folder: &SeedDir) -> Result<BTreeMap<String, Described>, SeedError> {
    let mut places: BTreeMap<String, Described> = BTreeMap::new();
    for (called, entry) in folder.named()? {
        if entry.starts_with('.') {
            continue;
        }
        match called.strip_suffix(".yaml") {
            Some(stem) => places.entry(stem.to_owned()).or_default().yaml = Some(entry),
            None => places.entry(called).or_default().tree = Some(entry),
        }
    }
    Ok(places)
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(fits)
}
