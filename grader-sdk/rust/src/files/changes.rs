//! What became of the files that the task seeded.

use crate::diff::{self, Hunk};
use crate::{Error, File};

use super::Workspace;

/// A file that is not as the task seeded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path in the workspace.
    pub path: String,
    /// What happened to it.
    pub happened: Happened,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happened {
    /// The task did not seed it.
    Added,
    /// Its content is another one.
    Changed,
    /// It is not there any more, or not as a regular file.
    Removed,
}

impl Workspace<'_> {
    /// The difference between the workspace and the seeded files, sorted by
    /// path. Compared by digest; nothing is read.
    pub fn changes(&self) -> Vec<FileChange> {
        let mut before = self
            .files
            .evidence
            .fixtures()
            .list("")
            .into_iter()
            .peekable();
        let mut changes = Vec::new();
        let mut add = |file: File, happened| {
            changes.push(FileChange {
                path: file.path,
                happened,
            });
        };
        for after in self.list("") {
            while let Some(gone) = before.next_if(|file| file.path < after.path) {
                add(gone, Happened::Removed);
            }
            match before.next_if(|file| file.path == after.path) {
                None => add(after, Happened::Added),
                Some(file) if file.sha256 != after.sha256 => add(after, Happened::Changed),
                Some(_) => {}
            }
        }
        before.for_each(|gone| add(gone, Happened::Removed));
        changes
    }

    /// What became of one file; nothing where it is as it was seeded, or never
    /// was.
    pub fn change(&self, path: &str) -> Option<Happened> {
        let before = self.files.evidence.fixtures().stat(path);
        match (before, self.stat(path)) {
            (None, None) => None,
            (None, Some(_)) => Some(Happened::Added),
            (Some(_), None) => Some(Happened::Removed),
            (Some(one), Some(other)) => (one.sha256 != other.sha256).then_some(Happened::Changed),
        }
    }

    /// The lines that differ from the seeded file. What is not there has no
    /// lines.
    pub fn diff(&self, path: &str) -> Result<Vec<Hunk>, Error> {
        if self.change(path).is_none() {
            return Ok(Vec::new());
        }
        let before = self.files.evidence.fixtures().text(path)?;
        let after = self.text(path)?;
        Ok(diff::compare(
            &before.unwrap_or_default(),
            &after.unwrap_or_default(),
        ))
    }
}
