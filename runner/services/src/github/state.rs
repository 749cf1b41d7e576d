//! What the fake knows besides git's objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proctor_types::world::github as kind;
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::room::Added;
use super::store::{Objects, oid};

/// Everything of GitHub that one world has.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitHub {
    /// Login of the world's account.
    pub(crate) login: String,
    /// Users and organizations by login in lower case.
    pub(crate) users: BTreeMap<String, User>,
    /// Logins by token; any other token is the account's.
    pub(crate) tokens: BTreeMap<String, String>,
    /// Repositories by full name in lower case.
    pub(crate) repositories: BTreeMap<String, Arc<Repo>>,
    /// How much requests have added.
    #[serde(default, skip_serializing_if = "Added::is_nothing")]
    pub(crate) added: Added,
}

/// Somebody who has an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct User {
    pub(crate) id: u64,
    pub(crate) login: String,
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) organization: bool,
}

/// A repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Repo {
    pub(crate) id: u64,
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) homepage: Option<String>,
    pub(crate) private: bool,
    pub(crate) archived: bool,
    pub(crate) default_branch: String,
    pub(crate) seeded: bool,
    pub(crate) fork_of: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) pushed_at: String,
    pub(crate) objects: Objects,
    /// Object ids by full name (`refs/heads/main`), `refs/pull/N/head` too.
    pub(crate) refs: BTreeMap<String, String>,
    pub(crate) protection: BTreeMap<String, Protection>,
    pub(crate) labels: Vec<Label>,
    pub(crate) milestones: Vec<Milestone>,
    pub(crate) collaborators: BTreeSet<String>,
    /// Issues and pull requests by number.
    pub(crate) issues: BTreeMap<u64, Arc<Issue>>,
    /// Who brought a commit, by object id.
    pub(crate) pushers: BTreeMap<String, String>,
    /// Commits of the seed.
    pub(crate) seeded_commits: Arc<BTreeSet<String>>,
    /// Commit statuses by object id, oldest first.
    pub(crate) statuses: BTreeMap<String, Vec<Status>>,
}

/// What a branch demands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Protection {
    /// Changes come by pull request only.
    pub(crate) require_pull_request: bool,
    /// Approvals that a merge needs.
    pub(crate) required_approvals: usize,
    pub(crate) allow_force_pushes: bool,
    pub(crate) allow_deletions: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Label {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Milestone {
    pub(crate) id: u64,
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) closed: bool,
    pub(crate) due_on: Option<String>,
    pub(crate) creator: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) id: u64,
    pub(crate) state: String,
    pub(crate) context: String,
    pub(crate) description: Option<String>,
    pub(crate) target_url: Option<String>,
    pub(crate) creator: String,
    pub(crate) created_at: String,
}

/// An issue, or what a pull request has in common with one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Issue {
    pub(crate) id: u64,
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) user: String,
    pub(crate) closed: bool,
    pub(crate) state_reason: Option<String>,
    pub(crate) closed_by: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) assignees: Vec<String>,
    pub(crate) milestone: Option<u64>,
    pub(crate) locked: bool,
    pub(crate) comments: Vec<Comment>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) closed_at: Option<String>,
    pub(crate) seeded: bool,
    pub(crate) pull: Option<Pull>,
}

/// What a pull request has besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pull {
    pub(crate) draft: bool,
    /// Full name of the head's repository where it is another one.
    pub(crate) head_repo: Option<String>,
    pub(crate) head_ref: String,
    pub(crate) head_sha: String,
    pub(crate) base_ref: String,
    /// Tip of the base, as of the last push while open.
    pub(crate) base_sha: String,
    pub(crate) merged: Option<Merged>,
    pub(crate) requested_reviewers: Vec<String>,
    pub(crate) reviews: Vec<Review>,
    pub(crate) review_comments: Vec<ReviewComment>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Merged {
    pub(crate) at: String,
    pub(crate) by: String,
    pub(crate) sha: String,
    /// Tip of the base before the merge.
    pub(crate) base: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) user: String,
    pub(crate) body: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) seeded: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Review {
    pub(crate) id: u64,
    pub(crate) user: String,
    pub(crate) body: String,
    pub(crate) state: String,
    pub(crate) commit_id: String,
    pub(crate) submitted_at: String,
    pub(crate) seeded: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReviewComment {
    pub(crate) id: u64,
    pub(crate) review: Option<u64>,
    pub(crate) user: String,
    pub(crate) body: String,
    pub(crate) path: String,
    pub(crate) line: Option<u64>,
    pub(crate) side: String,
    pub(crate) commit_id: String,
    pub(crate) in_reply_to: Option<u64>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) seeded: bool,
}

impl Issue {
    /// What the journal calls it.
    pub(crate) fn kind(&self) -> &'static str {
        match self.pull {
            Some(_) => kind::PULL_REQUEST,
            None => kind::ISSUE,
        }
    }

    pub(crate) fn state(&self) -> &'static str {
        if self.closed { "closed" } else { "open" }
    }

    pub(crate) fn merged(&self) -> Option<&Merged> {
        self.pull.as_ref()?.merged.as_ref()
    }
}

impl Repo {
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Object id of a branch's tip.
    pub(crate) fn branch(&self, name: &str) -> Option<&str> {
        self.reference(&format!("refs/heads/{name}"))
    }

    /// Object id that a full ref name stands for.
    pub(crate) fn reference(&self, name: &str) -> Option<&str> {
        self.refs.get(name).map(String::as_str)
    }

    /// Names and tips of the branches.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (&str, &str)> {
        self.under("refs/heads/")
    }

    /// Names and object ids of the tags.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.under("refs/tags/")
    }

    fn under(&self, prefix: &'static str) -> impl Iterator<Item = (&str, &str)> {
        self.refs
            .range(prefix.to_owned()..)
            .map_while(move |(name, id)| Some((name.strip_prefix(prefix)?, id.as_str())))
    }

    /// The commit that a branch, tag, full ref, (shortened) object id or
    /// nothing (the default branch) stands for.
    pub(crate) fn resolve(&self, git: &git2::Repository, name: Option<&str>) -> Result<git2::Oid> {
        let name = name
            .filter(|name| !name.is_empty() && *name != "HEAD")
            .unwrap_or(&self.default_branch);
        let found = self
            .branch(name)
            .or_else(|| self.reference(&format!("refs/tags/{name}")))
            .or_else(|| self.reference(name))
            .or_else(|| self.reference(&format!("refs/{name}")));
        if let Some(id) = found.and_then(oid) {
            return Ok(git.find_object(id, None)?.peel_to_commit()?.id());
        }
        let is_hex = (7..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hex {
            return Err(Error::not_found());
        }
        let commit = git.find_commit_by_prefix(name);
        Ok(commit.map_err(|_| Error::not_found())?.id())
    }

    pub(crate) fn issue(&self, number: u64) -> Result<&Issue> {
        let found = self.issues.get(&number).map(AsRef::as_ref);
        found.ok_or_else(Error::not_found)
    }

    /// A pull request, with what it has of an issue.
    pub(crate) fn pull(&self, number: u64) -> Result<(&Issue, &Pull)> {
        let issue = self.issue(number)?;
        let pull = issue.pull.as_ref().ok_or_else(Error::not_found)?;
        Ok((issue, pull))
    }

    pub(crate) fn issue_mut(&mut self, number: u64) -> Result<&mut Issue> {
        let found = self.issues.get_mut(&number).map(Arc::make_mut);
        found.ok_or_else(Error::not_found)
    }

    pub(crate) fn pull_mut(&mut self, number: u64) -> Result<(&mut Issue, Pull)> {
        let issue = self.issue_mut(number)?;
        let pull = issue.pull.clone().ok_or_else(Error::not_found)?;
        Ok((issue, pull))
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.issues.keys().next_back().copied().unwrap_or(0) + 1
    }

    pub(crate) fn label(&self, name: &str) -> Option<&Label> {
        let mut labels = self.labels.iter();
        labels.find(|label| label.name.eq_ignore_ascii_case(name))
    }
}

impl GitHub {
    pub(crate) fn user(&self, login: &str) -> Option<&User> {
        self.users.get(&login.to_ascii_lowercase())
    }

    /// The account whose address this is.
    pub(crate) fn user_by_email(&self, email: &str) -> Option<&User> {
        let mine = |user: &&User| {
            let own = user.email.as_deref();
            own.is_some_and(|own| own.eq_ignore_ascii_case(email))
                || email.eq_ignore_ascii_case(&noreply(user))
        };
        self.users.values().find(mine)
    }

    pub(crate) fn by_full_name(&self, full_name: &str) -> Result<&Arc<Repo>> {
        let found = self.repositories.get(&full_name.to_ascii_lowercase());
        found.ok_or_else(Error::not_found)
    }

    pub(crate) fn repo_mut(&mut self, full_name: &str) -> Result<&mut Repo> {
        let found = self.repositories.get_mut(&full_name.to_ascii_lowercase());
        found.map(Arc::make_mut).ok_or_else(Error::not_found)
    }
}

/// The address that GitHub gives to who wants to hide theirs.
pub(crate) fn noreply(user: &User) -> String {
    format!("{}+{}@users.noreply.github.com", user.id, user.login)
}

/// Labels of a new repository.
pub(crate) const DEFAULT_LABELS: &[(&str, &str, &str)] = &[
    ("bug", "d73a4a", "Something isn't working"),
    (
        "documentation",
        "0075ca",
        "Improvements or additions to documentation",
    ),
    (
        "duplicate",
        "cfd3d7",
        "This issue or pull request already exists",
    ),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
];
