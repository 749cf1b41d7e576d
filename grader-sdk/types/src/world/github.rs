//! Repositories in a snapshot of the world.
//!
//! Fields are called as in GitHub's REST API where it has them; people are
//! their logins, labels their names. Lists are in a fixed order, so that equal
//! worlds give equal bytes.
//!
//! Objects are named alike in journals and citations: the kinds are the
//! constants of this module, and the identifiers are made by its functions.
//! Each function says what its identifiers look like.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Kind of a repository; its identifier is the full name, `acme/hydra`.
pub const REPOSITORY: &str = "github.repository";
/// Kind of a branch; see [`at_id`].
pub const BRANCH: &str = "github.branch";
/// Kind of a tag; see [`at_id`].
pub const TAG: &str = "github.tag";
/// Kind of a commit; see [`at_id`].
pub const COMMIT: &str = "github.commit";
/// Kind of a file at a ref; see [`file_id`].
pub const FILE: &str = "github.file";
/// Kind of a pull request; see [`numbered_id`].
pub const PULL_REQUEST: &str = "github.pull_request";
/// Kind of an issue; see [`numbered_id`].
pub const ISSUE: &str = "github.issue";
/// Kind of a comment on an issue or pull request, also on a line of one; its
/// identifier is the number that the API gives it.
pub const COMMENT: &str = "github.comment";
/// Kind of a review; its identifier is the number that the API gives it.
pub const REVIEW: &str = "github.review";
/// Kind of a label; see [`at_id`].
pub const LABEL: &str = "github.label";

/// Identifier of a pull request or issue: `acme/hydra#12`.
pub fn numbered_id(repository: &str, number: u64) -> String {
    format!("{repository}#{number}")
}

/// Identifier of a branch, tag, commit or label: `acme/hydra@main`.
pub fn at_id(repository: &str, name: &str) -> String {
    format!("{repository}@{name}")
}

/// Identifier of a file at a branch, tag or commit, and of a line of it from 1:
/// `acme/hydra@main:src/app.py`, `acme/hydra@main:src/app.py:12`.
pub fn file_id(repository: &str, reference: &str, path: &str, line: Option<u64>) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{repository}@{reference}:{path}{line}")
}

/// The repositories of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitHub {
    /// Repositories in order of full name.
    pub repositories: Vec<Repository>,
}

/// A repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Owner and name: `acme/hydra`.
    pub full_name: String,
    /// One line about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether only collaborators see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Whether it is read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Branch that pull requests are opened against.
    pub default_branch: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
    /// Branches in order of name.
    #[serde(default)]
    pub branches: Vec<Ref>,
    /// Tags in order of name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Ref>,
    /// Commits that a branch, a tag or a pull request reaches, children before
    /// their parents.
    #[serde(default)]
    pub commits: Vec<Commit>,
    /// Files by the tree's object id: at least the trees of every branch, tag
    /// and pull request, and of every commit that is not from the seed.
    #[serde(default)]
    pub trees: BTreeMap<String, Vec<TreeEntry>>,
    /// Pull requests in order of number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pull_requests: Vec<PullRequest>,
    /// Issues in order of number, without pull requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// Labels in order of name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
}

/// A branch or a tag.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref {
    /// Name without `refs/heads/` or `refs/tags/`.
    pub name: String,
    /// Object id of its commit (of the tagged one for an annotated tag).
    pub sha: String,
    /// For branches: whether pushes to it are restricted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Object id.
    pub sha: String,
    /// Object id of its tree.
    pub tree: String,
    /// Object ids of its parents, the first one first.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The whole message.
    pub message: String,
    /// Who wrote it.
    pub author: Signature,
    /// Who committed it.
    pub committer: Signature,
    /// Login of the account that brought it into the repository, where it is
    /// known. Author and committer are what the pusher wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pusher: Option<String>,
    /// What it changed against its first parent, in order of path. For commits
    /// of the seed it can be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// Who wrote a commit, by their own word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// Address.
    pub email: String,
    /// RFC 3339.
    pub date: String,
}

/// A file of a tree. Directories are not listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Path from the root of the repository.
    pub path: String,
    /// As git writes it: `100644`, `100755`, `120000` for a symbolic link,
    /// `160000` for a submodule.
    pub mode: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, which lies under
    /// [`BLOBS_DIR`](crate::bundle::BLOBS_DIR). Absent where the content is not
    /// in the bundle: submodules, and blobs beyond the runner's caps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A file that a commit or a pull request changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Path after the change; for removed files before it.
    pub filename: String,
    /// What happened to it.
    pub status: FileStatus,
    /// Path before it was renamed or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_filename: Option<String>,
    /// Added lines.
    #[serde(default)]
    pub additions: u64,
    /// Removed lines.
    #[serde(default)]
    pub deletions: u64,
    /// Hunks of the unified diff, without file headers. Absent for binary
    /// files, and beyond the runner's caps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// For pull requests: the whole text at the merge base. Absent where there
    /// was no such file, or it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// For pull requests: the whole text at the head. Absent where there is no
    /// such file, or it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// Its content or mode is another one.
    #[default]
    Modified,
    /// It has another path, maybe another content too.
    Renamed,
    /// It is a copy of another file.
    Copied,
}

/// Whether something is still open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is.
    #[default]
    Open,
    /// It is not; a merged pull request is closed too.
    Closed,
}

/// One side of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Name of the branch.
    #[serde(rename = "ref")]
    pub name: String,
    /// Object id of the commit: for the head the newest one, also when its
    /// branch is gone.
    pub sha: String,
    /// Repository of the branch, where it is another one (a fork).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Number within the repository.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Text, empty where there is none.
    #[serde(default)]
    pub body: String,
    /// Login of who opened it.
    pub user: String,
    /// Open or closed.
    pub state: State,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Whether it was merged.
    #[serde(default)]
    pub merged: bool,
    /// When it was merged, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// Login of who merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// Object id of the commit that the merge made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    /// What it wants to bring in.
    pub head: Side,
    /// Where it wants to bring it.
    pub base: Side,
    /// Object ids of its commits, oldest first.
    #[serde(default)]
    pub commits: Vec<String>,
    /// What it changes between merge base and head, in order of path.
    #[serde(default)]
    pub files: Vec<ChangedFile>,
    /// Names of its labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Logins of the assignees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Logins of who is asked for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_reviewers: Vec<String>,
    /// Reviews, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// Comments on the whole, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// Comments on lines of it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub review_comments: Vec<ReviewComment>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A review of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Identifier.
    pub id: u64,
    /// Login.
    pub user: String,
    /// Text, empty where there is none.
    #[serde(default)]
    pub body: String,
    /// `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED` or `PENDING`.
    pub state: String,
    /// Object id of the commit that was looked at.
    #[serde(default)]
    pub commit_id: String,
    /// RFC 3339.
    #[serde(default)]
    pub submitted_at: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A comment on an issue or pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Identifier.
    pub id: u64,
    /// Login.
    pub user: String,
    /// Text.
    pub body: String,
    /// RFC 3339.
    pub created_at: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A comment on a line of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// Identifier.
    pub id: u64,
    /// Login.
    pub user: String,
    /// Text.
    pub body: String,
    /// File.
    pub path: String,
    /// Line from 1, where it is on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Comment that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to_id: Option<u64>,
    /// RFC 3339.
    pub created_at: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// An issue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// Number within the repository.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Text, empty where there is none.
    #[serde(default)]
    pub body: String,
    /// Login of who opened it.
    pub user: String,
    /// Open or closed.
    pub state: State,
    /// Why it is closed: `completed`, `not_planned`, `duplicate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Names of its labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Logins of the assignees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Title of its milestone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Comments, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A label of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Name.
    pub name: String,
    /// Six hex digits.
    #[serde(default)]
    pub color: String,
    /// One line about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
