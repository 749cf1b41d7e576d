//! The repositories, before and after.
//!
//! ```
//! use proctor_grader::repositories::{ChangedFileExt as _, PullRequestExt as _};
//! use proctor_grader::testing::{Bundle, Repo};
//! # use proctor_grader::Error;
//!
//! let seed = Repo::new("acme/hydra", &[("k8s.yaml", "replicas: 3\n")]);
//! let mut after = seed.clone();
//! after.commit("fix", "fix: scale up (#138)", &[("k8s.yaml", Some("replicas: 5\n"))]);
//! after.pull_request("fix", "fix: scale up (#138)");
//! let evidence = Bundle::new().repositories(&[seed], &[after]).evidence();
//!
//! let hydra = evidence.repositories().get("hydra")?;
//! let pulls = hydra.new_pull_requests();
//! let (pull, file) = pulls.iter().find_map(|pull| Some((pull, pull.file("k8s.yaml")?))).unwrap();
//! assert_eq!(file.after.as_deref(), Some("replicas: 5\n"));
//! assert!(file.diff()[0].added().eq([(1, "replicas: 5")]));
//! assert_eq!(hydra.text("main", "k8s.yaml")?.as_deref(), Some("replicas: 3\n"));
//! assert_eq!(hydra.text(&pull.head.sha, "k8s.yaml")?.as_deref(), Some("replicas: 5\n"));
//! assert_eq!(hydra.new_commits().count(), 1);
//! # Ok::<(), Error>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use proctor_types::bundle;
use proctor_types::citation::Moment;
use proctor_types::world::github::{
    ChangedFile, Comment, Commit, GitHub, Issue, PullRequest, Ref, Repository, State, TreeEntry,
};

use crate::diff::{self, Hunk};
use crate::files::{Happened, lossy};
use crate::{Error, Evidence};

pub use proctor_types::world::github::{
    BRANCH, COMMENT, COMMIT, FILE, ISSUE, LABEL, PULL_REQUEST, REPOSITORY, REVIEW, TAG, at_id,
    file_id, numbered_id,
};

/// The repositories of a trial.
#[derive(Clone, Copy)]
pub struct Repositories<'e> {
    evidence: &'e Evidence,
}

impl<'e> Repositories<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self { evidence }
    }

    /// The repositories before the agent's first request.
    pub fn before(&self) -> Result<&'e GitHub, Error> {
        self.evidence.snapshot(Moment::Before)?.github()
    }

    /// The repositories after the agent stopped.
    pub fn after(&self) -> Result<&'e GitHub, Error> {
        self.evidence.snapshot(Moment::After)?.github()
    }

    /// The repository of that name, `acme/hydra` or just `hydra`, as the agent
    /// left it; nothing where there is none.
    pub fn find(&self, name: &str) -> Result<Option<Repo<'e>>, Error> {
        let found = self.all()?.into_iter().find(|repo| repo.is_called(name));
        Ok(found)
    }

    /// The repository of that name.
    ///
    /// # Errors
    /// When the seed had none: that is the task's mistake. One that the agent
    /// deleted is there as [`Repo::before`] shows it, with nothing in it now.
    pub fn get(&self, name: &str) -> Result<Repo<'e>, Error> {
        if let Some(repo) = self.find(name)? {
            return Ok(repo);
        }
        let named = |repository: &&Repository| is_called(repository, name);
        let before = self.before()?.repositories.iter().find(named);
        let before =
            before.ok_or_else(|| Error::unfit(format!("the world has no repository `{name}`")))?;
        Ok(Repo {
            evidence: self.evidence,
            before: Some(before),
            after: None,
        })
    }

    /// All repositories as the agent left them.
    pub fn all(&self) -> Result<Vec<Repo<'e>>, Error> {
        let seeded: BTreeMap<&str, &Repository> = self
            .before()?
            .repositories
            .iter()
            .map(|repository| (repository.full_name.as_str(), repository))
            .collect();
        let repositories = self.after()?.repositories.iter();
        let repo = |after: &'e Repository| Repo {
            evidence: self.evidence,
            before: seeded.get(after.full_name.as_str()).copied(),
            after: Some(after),
        };
        Ok(repositories.map(repo).collect())
    }

    /// Repositories that did not exist before.
    pub fn created(&self) -> Result<Vec<Repo<'e>>, Error> {
        let mut all = self.all()?;
        all.retain(|repo| repo.before.is_none());
        Ok(all)
    }
}

fn is_called(repository: &Repository, name: &str) -> bool {
    let full = repository.full_name.as_str();
    full.eq_ignore_ascii_case(name)
        || full
            .rsplit('/')
            .next()
            .is_some_and(|short| short.eq_ignore_ascii_case(name))
}

/// A repository, before and after.
#[derive(Clone, Copy)]
pub struct Repo<'e> {
    evidence: &'e Evidence,
    before: Option<&'e Repository>,
    after: Option<&'e Repository>,
}

/// A branch or tag that is not where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefChange<'e> {
    /// Name of the branch or tag.
    pub name: &'e str,
    /// Commit that it was at; nothing where it was not there.
    pub before: Option<&'e str>,
    /// Commit that it is at; nothing where it is not there any more.
    pub after: Option<&'e str>,
}

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange<'e> {
    /// Its path.
    pub path: &'e str,
    /// What happened to it. Another mode is a change too.
    pub happened: Happened,
}

impl<'e> Repo<'e> {
    /// Owner and name.
    pub fn full_name(&self) -> &'e str {
        let repository = self.after.or(self.before);
        repository.map_or("", |repository| &repository.full_name)
    }

    /// The repository before the agent's first request, where it existed.
    pub fn before(&self) -> Option<&'e Repository> {
        self.before
    }

    /// The repository after the agent stopped, where it still exists.
    pub fn after(&self) -> Option<&'e Repository> {
        self.after
    }

    fn is_called(&self, name: &str) -> bool {
        self.after
            .or(self.before)
            .is_some_and(|repository| is_called(repository, name))
    }

    /// Branches as the agent left them.
    pub fn branches(&self) -> &'e [Ref] {
        self.after.map_or(&[], |repository| &repository.branches)
    }

    /// Branches that were made, moved or deleted.
    pub fn changed_branches(&self) -> Vec<RefChange<'e>> {
        let of = |repository: Option<&'e Repository>| -> BTreeMap<&'e str, &'e str> {
            let branches = repository.map_or(&[][..], |repository| &repository.branches);
            let pair = |branch: &'e Ref| (branch.name.as_str(), branch.sha.as_str());
            branches.iter().map(pair).collect()
        };
        let (before, after) = (of(self.before), of(self.after));
        let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
        let changes = names.into_iter().map(|name| RefChange {
            name,
            before: before.get(name).copied(),
            after: after.get(name).copied(),
        });
        changes
            .filter(|change| change.before != change.after)
            .collect()
    }

    /// The commit of a branch, a tag or an object id as the agent left it. A
    /// commit that only the seed knew is found as well.
    pub fn commit(&self, reference: &str) -> Option<&'e Commit> {
        self.after
            .and_then(|repository| commit(repository, reference))
            .or_else(|| {
                self.before
                    .and_then(|repository| commit_by_id(repository, reference))
            })
    }

    /// Commits that were not there before, children before their parents. That
    /// is every commit that a branch, tag or pull request reaches now; one that
    /// was pushed and then thrown away again is only in the journal.
    pub fn new_commits(&self) -> impl Iterator<Item = &'e Commit> {
        let seeded = self
            .before
            .map_or(&[][..], |repository| &repository.commits);
        let known: BTreeSet<&str> = seeded.iter().map(|commit| commit.sha.as_str()).collect();
        let commits = self.after.map_or(&[][..], |repository| &repository.commits);
        commits
            .iter()
            .filter(move |commit| !known.contains(commit.sha.as_str()))
    }

    /// Commits from a branch, tag or commit back to the beginning, children
    /// before their parents.
    pub fn history(&self, reference: &str) -> Vec<&'e Commit> {
        let Some(tip) = self.commit(reference) else {
            return Vec::new();
        };
        let mut reached: BTreeSet<&str> = BTreeSet::from([tip.sha.as_str()]);
        let mut history = Vec::new();
        for commit in self.after.map_or(&[][..], |repository| &repository.commits) {
            if reached.contains(commit.sha.as_str()) {
                reached.extend(commit.parents.iter().map(String::as_str));
                history.push(commit);
            }
        }
        history
    }

    /// Files at a branch, tag or commit as the agent left it; nothing where
    /// there is no such ref, or its files are not in the bundle.
    pub fn files(&self, reference: &str) -> Option<&'e [TreeEntry]> {
        let tree = &self.commit(reference)?.tree;
        let of = |repository: &'e Repository| repository.trees.get(tree);
        let files = self
            .after
            .and_then(of)
            .or_else(|| self.before.and_then(of))?;
        Some(files)
    }

    /// Files at a branch or tag before the agent's first request.
    pub fn files_before(&self, reference: &str) -> Option<&'e [TreeEntry]> {
        let repository = self.before?;
        let files = repository.trees.get(&commit(repository, reference)?.tree)?;
        Some(files)
    }

    /// A file at a branch, tag or commit as the agent left it.
    pub fn file(&self, reference: &str, path: &str) -> Option<&'e TreeEntry> {
        self.files(reference)?
            .iter()
            .find(|entry| entry.path == path)
    }

    /// Text of a file at a branch, tag or commit as the agent left it; nothing
    /// where there is no such file or its content is not in the bundle. Bytes
    /// that are not UTF-8 become `U+FFFD`.
    pub fn text(&self, reference: &str, path: &str) -> Result<Option<String>, Error> {
        match self.file(reference, path) {
            Some(entry) => self.content(entry),
            None => Ok(None),
        }
    }

    /// Text of a file at a branch or tag before the agent's first request.
    pub fn text_before(&self, reference: &str, path: &str) -> Result<Option<String>, Error> {
        let files = self.files_before(reference).unwrap_or_default();
        match files.iter().find(|entry| entry.path == path) {
            Some(entry) => self.content(entry),
            None => Ok(None),
        }
    }

    /// Text of an entry of a tree; nothing where it is not in the bundle. Bytes
    /// that are not UTF-8 become `U+FFFD`.
    pub fn content(&self, entry: &TreeEntry) -> Result<Option<String>, Error> {
        let Some(sha256) = &entry.sha256 else {
            return Ok(None);
        };
        let path = format!("{}/{sha256}", bundle::BLOBS_DIR);
        self.evidence.read(&path).map(|bytes| Some(lossy(bytes)))
    }

    /// What differs between a branch as it was and as it is, by path; nothing
    /// where it is not there any more. A branch that was not there before is
    /// compared with the default branch of then.
    pub fn changed_files(&self, branch: &str) -> Option<Vec<TreeChange<'e>>> {
        let after = self.files(branch)?;
        let default = self
            .before
            .map_or("", |repository| &repository.default_branch);
        let before = self
            .files_before(branch)
            .or_else(|| self.files_before(default));
        Some(compare(before.unwrap_or_default(), after))
    }

    /// Pull requests as the agent left them, in order of number.
    pub fn pull_requests(&self) -> &'e [PullRequest] {
        self.after
            .map_or(&[], |repository| &repository.pull_requests)
    }

    /// Pull requests that were not there before, whatever became of them.
    pub fn new_pull_requests(&self) -> Vec<&'e PullRequest> {
        let seeded = self
            .before
            .map_or(&[][..], |repository| &repository.pull_requests);
        let known: BTreeSet<u64> = seeded.iter().map(|pull| pull.number).collect();
        let is_new = |pull: &&PullRequest| !known.contains(&pull.number);
        self.pull_requests().iter().filter(is_new).collect()
    }

    /// Pull requests that the agent offers: those that were not there before,
    /// are open or merged, and go to what was the default branch before.
    pub fn proposals(&self) -> Vec<&'e PullRequest> {
        let default = self
            .before
            .map_or("", |repository| &repository.default_branch);
        let mut pulls = self.new_pull_requests();
        pulls.retain(|pull| pull.stands() && pull.base.name == default);
        pulls
    }

    /// Numbers of pull requests of this repository that a text links to by
    /// their address (`.../acme/hydra/pull/12`), in order, each once. There need
    /// not be such a pull request.
    pub fn linked_pulls(&self, text: &str) -> Vec<u64> {
        let address = format!("/{}/pull/", self.full_name()).to_ascii_lowercase();
        let text = text.to_ascii_lowercase();
        let mut numbers = Vec::new();
        for (at, found) in text.match_indices(&address) {
            let rest = &text[at + found.len()..];
            let end = rest.find(|char: char| !char.is_ascii_digit());
            let number = rest[..end.unwrap_or(rest.len())].parse();
            numbers.extend(number.ok().filter(|number| !numbers.contains(number)));
        }
        numbers
    }

    /// A pull request as the agent left it.
    pub fn pull_request(&self, number: u64) -> Option<&'e PullRequest> {
        self.pull_requests()
            .iter()
            .find(|pull| pull.number == number)
    }

    /// An issue as the agent left it.
    pub fn issue(&self, number: u64) -> Option<&'e Issue> {
        let issues = self.after.map_or(&[][..], |repository| &repository.issues);
        issues.iter().find(|issue| issue.number == number)
    }

    /// An issue before the agent's first request.
    pub fn issue_before(&self, number: u64) -> Option<&'e Issue> {
        self.before?
            .issues
            .iter()
            .find(|issue| issue.number == number)
    }

    /// Issues that were not there before.
    pub fn new_issues(&self) -> Vec<&'e Issue> {
        let issues = self.after.map_or(&[][..], |repository| &repository.issues);
        let is_new = |issue: &&Issue| self.issue_before(issue.number).is_none();
        issues.iter().filter(is_new).collect()
    }

    /// Comments on issues and pull requests as a whole that were not there
    /// before, with the number of what they are on.
    pub fn new_comments(&self) -> Vec<(u64, &'e Comment)> {
        let on_issues = self.after.map_or(&[][..], |repository| &repository.issues);
        let on_issues = on_issues
            .iter()
            .map(|issue| (issue.number, &issue.comments));
        let on_pulls = self
            .pull_requests()
            .iter()
            .map(|pull| (pull.number, &pull.comments));
        on_issues
            .chain(on_pulls)
            .flat_map(|(number, comments)| comments.iter().map(move |comment| (number, comment)))
            .filter(|(_, comment)| !comment.seeded)
            .collect()
    }
}

fn commit<'e>(repository: &'e Repository, reference: &str) -> Option<&'e Commit> {
    let mut refs = repository.branches.iter().chain(&repository.tags);
    let sha = refs
        .find(|one| one.name == reference)
        .map_or(reference, |one| &one.sha);
    commit_by_id(repository, sha)
}

fn commit_by_id<'e>(repository: &'e Repository, sha: &str) -> Option<&'e Commit> {
    repository.commits.iter().find(|commit| commit.sha == sha)
}

fn compare<'e>(before: &'e [TreeEntry], after: &'e [TreeEntry]) -> Vec<TreeChange<'e>> {
    let by_path = |entries: &'e [TreeEntry]| -> BTreeMap<&'e str, &'e TreeEntry> {
        entries
            .iter()
            .map(|entry| (entry.path.as_str(), entry))
            .collect()
    };
    let (before, after) = (by_path(before), by_path(after));
    let paths: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let change = |path| {
        let happened = match (before.get(path), after.get(path)) {
            (None, _) => Happened::Added,
            (_, None) => Happened::Removed,
            (one, other) if one == other => return None,
            _ => Happened::Changed,
        };
        Some(TreeChange { path, happened })
    };
    paths.into_iter().filter_map(change).collect()
}

/// Questions to a pull request.
pub trait PullRequestExt {
    /// What it changes in the file of that path (after the change, or before it
    /// for removed files); nothing where it does not touch it.
    fn file(&self, path: &str) -> Option<&ChangedFile>;

    /// Whether it is open or was merged: not closed without being merged.
    fn stands(&self) -> bool;
}

impl PullRequestExt for PullRequest {
    fn file(&self, path: &str) -> Option<&ChangedFile> {
        self.files.iter().find(|file| file.filename == path)
    }

    fn stands(&self) -> bool {
        self.merged || self.state == State::Open
    }
}

/// Questions to a changed file.
pub trait ChangedFileExt {
    /// Its changes line by line: from the two texts where they are there, from
    /// the patch otherwise.
    fn diff(&self) -> Vec<Hunk>;
}

impl ChangedFileExt for ChangedFile {
    fn diff(&self) -> Vec<Hunk> {
        match (&self.before, &self.after, &self.patch) {
            (None, None, Some(patch)) => diff::hunks(patch),
            (before, after, _) => diff::compare(
                before.as_deref().unwrap_or_default(),
                after.as_deref().unwrap_or_default(),
            ),
        }
    }
}
