//! What lies between two commits: a pull request's commits and differences.

use git2::{Oid, Repository};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::state::Pull;
use super::super::store::oid;

/// What a pull request looks like in git.
#[derive(Debug)]
pub(crate) struct Compared {
    /// Where head and base part.
    pub(crate) fork_point: Option<Oid>,
    pub(crate) base: Oid,
    pub(crate) head: Oid,
    /// Oldest first.
    pub(crate) commits: Vec<Oid>,
}

impl Compared {
    /// Two commits and what lies between them.
    pub(crate) fn of(git: &Repository, base: Oid, head: Oid) -> Result<Self> {
        let mut commits = git::between(git, Some(base), head)?;
        commits.reverse();
        Ok(Self {
            fork_point: git::merge_base(git, base, head),
            base,
            head,
            commits,
        })
    }

    /// Differences between the fork point and the head.
    pub(crate) fn files(&self, git: &Repository) -> Result<Vec<git::FileDiff>> {
        let (old, new) = self.trees(git)?;
        git::diff(git, old.as_ref(), Some(&new))
    }

    /// The same as unified diff.
    pub(crate) fn diff_text(&self, git: &Repository) -> Result<Vec<u8>> {
        let (old, new) = self.trees(git)?;
        git::diff_text(git, old.as_ref(), Some(&new))
    }

    /// The commits as mails, as `git format-patch` writes them.
    pub(crate) fn patch_text(&self, git: &Repository) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        for id in &self.commits {
            let commit = git.find_commit(*id)?;
            if commit.parent_count() < 2 {
                let mut options = git2::EmailCreateOptions::new();
                text.extend_from_slice(git2::Email::from_commit(&commit, &mut options)?.as_slice());
            }
        }
        Ok(text)
    }

    fn trees<'g>(&self, git: &'g Repository) -> Result<(Option<git2::Tree<'g>>, git2::Tree<'g>)> {
        let old = self.fork_point.map(|id| git.find_commit(id)?.tree());
        Ok((old.transpose()?, git.find_commit(self.head)?.tree()?))
    }
}

impl Pull {
    /// A pull request's commits and differences.
    pub(crate) fn compared(&self, git: &Repository) -> Result<Compared> {
        let base = match &self.merged {
            Some(merged) => &merged.base,
            None => &self.base_sha,
        };
        let (base, head) = (oid(base), oid(&self.head_sha));
        let (Some(base), Some(head)) = (base, head) else {
            return Err(Error::not_found());
        };
        Compared::of(git, base, head)
    }
}
