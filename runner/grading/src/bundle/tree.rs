//! The bundle as a tree of directories, for graders that read it as one.

use std::collections::BTreeSet;
use std::ops::Bound;

use proctor_types::WorkspaceListing;
use proctor_types::bundle::{WORKSPACE_DIR, WORKSPACE_LISTING};
use proctor_types::workspace::EntryKind;

use super::{Bundle, EvidenceError};

impl Bundle {
    /// Whether `path` is a directory: some file is below it, or it is an empty
    /// directory of the workspace.
    pub(crate) fn is_directory(&self, path: &str) -> Result<bool, EvidenceError> {
        let below = format!("{path}/");
        let has_files = self.list(&below).next().is_some();
        Ok(has_files || self.directories()?.contains(path))
    }

    /// Names directly below a directory, in order, each with whether it is a
    /// directory itself.
    pub(crate) fn children(&self, directory: &str) -> Result<Vec<(String, bool)>, EvidenceError> {
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let mut found: BTreeSet<(String, bool)> = BTreeSet::new();
        let mut from = prefix.clone();
        loop {
            let range = (Bound::Included(from.as_str()), Bound::Unbounded);
            let mut next = self.0.manifest.files.range::<str, _>(range);
            let Some(rest) = next.next().and_then(|(path, _)| path.strip_prefix(&prefix)) else {
                break;
            };
            if let Some((name, _)) = rest.split_once('/') {
                // The character after `/`: on with what is not below it.
                from = format!("{prefix}{name}0");
                found.insert((name.to_owned(), true));
            } else {
                from = format!("{prefix}{rest}\0");
                found.insert((rest.to_owned(), false));
            }
        }
        let directories = self.directories()?;
        let range = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        for path in directories
            .range::<str, _>(range)
            .take_while(|path| path.starts_with(&prefix))
        {
            let rest = &path[prefix.len()..];
            let name = rest.split_once('/').map_or(rest, |(name, _)| name);
            if !name.is_empty() {
                found.insert((name.to_owned(), true));
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Directories of the workspace: a manifest has only files, and a grader
    /// may well ask for a directory that is empty.
    fn directories(&self) -> Result<&BTreeSet<String>, EvidenceError> {
        let read = || {
            let mut directories = BTreeSet::from([WORKSPACE_DIR.to_owned()]);
            let Some(text) = self.read(WORKSPACE_LISTING)? else {
                return Ok(directories);
            };
            let listing: WorkspaceListing = serde_json::from_slice(&text)
                .map_err(|error| EvidenceError::malformed(WORKSPACE_LISTING, error.to_string()))?;
            // Names with a backslash are written with escapes; those of bytes
            // that are no text cannot be asked for.
            let plain = |path: &str| !path.contains('\\');
            directories.extend(
                listing
                    .entries
                    .iter()
                    .filter(|entry| entry.kind == EntryKind::Directory && plain(&entry.path))
                    .map(|entry| format!("{WORKSPACE_DIR}/{}", entry.path)),
            );
            Ok(directories)
        };
        self.0
            .directories
            .get_or_init(read)
            .as_ref()
            .map_err(Clone::clone)
    }
}
