//! Pull requests, and comments.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{FIND_PULL, FIND_REPOSITORY, repo};
use crate::mcp::caller::Caller;
use crate::mcp::tool::{Arguments, Problem};

/// Opens a pull request.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateAPullRequest {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Branch with the changes.
    head: String,
    /// Branch that they are for, for example `main`.
    base: String,
    /// Title of the pull request.
    title: Option<String>,
    /// Description of the pull request, in Markdown.
    body: Option<String>,
    /// Whether it is a draft (false where nothing is said).
    draft: Option<bool>,
    /// Number of an issue to turn into the pull request, in place of a title.
    issue: Option<u64>,
}

impl Arguments for CreateAPullRequest {
    const SLUG: &'static str = "GITHUB_CREATE_A_PULL_REQUEST";
    const TITLE: &'static str = "Open a pull request";
    const READS: bool = false;
    const LOST: &'static str = FIND_REPOSITORY;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        if self.title.is_none() && self.issue.is_none() {
            return Err(Problem::new(
                "The pull request has no title: give `title` (or `issue`).",
            ));
        }
        let body = with_values([
            ("head", json!(self.head)),
            ("base", json!(self.base)),
            ("title", json!(self.title)),
            ("body", json!(self.body)),
            ("draft", json!(self.draft)),
            ("issue", json!(self.issue)),
        ]);
        caller.ask(repo(Method::POST, &self.owner, &self.repo, "/pulls").body(body))
    }
}

/// Open or closed.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
}

/// Changes title, description or base of a pull request, closes or reopens it.
/// What is not given stays as it is.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateAPullRequest {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Number of the pull request.
    pull_number: u64,
    /// New title of the pull request.
    title: Option<String>,
    /// New description of the pull request, in Markdown.
    body: Option<String>,
    /// `open` or `closed`: whether it is to be open or closed.
    state: Option<State>,
    /// Branch that it is for from now on.
    base: Option<String>,
}

impl Arguments for UpdateAPullRequest {
    const SLUG: &'static str = "GITHUB_UPDATE_A_PULL_REQUEST";
    const TITLE: &'static str = "Update a pull request";
    const READS: bool = false;
    const LOST: &'static str = FIND_PULL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let body = with_values([
            ("title", json!(self.title)),
            ("body", json!(self.body)),
            ("state", json!(self.state)),
            ("base", json!(self.base)),
        ]);
        if body.as_object().is_some_and(Map::is_empty) {
            return Err(Problem::new(
                "Nothing would change: give `title`, `body`, `state` or `base`.",
            ));
        }
        let rest = format!("/pulls/{}", self.pull_number);
        caller.ask(repo(Method::PATCH, &self.owner, &self.repo, &rest).body(body))
    }
}

/// Gets a pull request: title, description, state, branches, and whether it can
/// be merged.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetAPullRequest {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Number of the pull request.
    pull_number: u64,
}

impl Arguments for GetAPullRequest {
    const SLUG: &'static str = "GITHUB_GET_A_PULL_REQUEST";
    const TITLE: &'static str = "Get a pull request";
    const LOST: &'static str = FIND_PULL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let rest = format!("/pulls/{}", self.pull_number);
        caller.ask(repo(Method::GET, &self.owner, &self.repo, &rest))
    }
}

/// Which pull requests are listed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Which {
    Open,
    Closed,
    All,
}

/// Lists pull requests, newest first.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListPullRequests {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Which ones: `open` (where nothing is said), `closed` or `all`.
    state: Option<Which>,
    /// Only those of one branch, as `OWNER:BRANCH`.
    head: Option<String>,
    /// Only those for one branch, for example `main`.
    base: Option<String>,
    /// Page of the list, from 1.
    page: Option<u32>,
    /// Pull requests on a page, at most 100 (30 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    per_page: Option<u32>,
}

impl Arguments for ListPullRequests {
    const SLUG: &'static str = "GITHUB_LIST_PULL_REQUESTS";
    const TITLE: &'static str = "List pull requests";
    const LOST: &'static str = FIND_REPOSITORY;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let state = self.state.map(|state| match state {
            Which::Open => "open",
            Which::Closed => "closed",
            Which::All => "all",
        });
        let ask = repo(Method::GET, &self.owner, &self.repo, "/pulls")
            .query("state", state)
            .query("head", self.head)
            .query("base", self.base)
            .query("page", self.page)
            .query("per_page", self.per_page);
        Ok(json!({"pull_requests": caller.ask(ask)?}))
    }
}

/// Lists the files that a pull request changes, with their patches.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListPullRequestsFiles {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Number of the pull request.
    pull_number: u64,
    /// Page of the list, from 1.
    page: Option<u32>,
    /// Files on a page, at most 100 (30 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    per_page: Option<u32>,
}

impl Arguments for ListPullRequestsFiles {
    const SLUG: &'static str = "GITHUB_LIST_PULL_REQUESTS_FILES";
    const TITLE: &'static str = "List files of a pull request";
    const LOST: &'static str = FIND_PULL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let rest = format!("/pulls/{}/files", self.pull_number);
        let ask = repo(Method::GET, &self.owner, &self.repo, &rest)
            .query("page", self.page)
            .query("per_page", self.per_page);
        Ok(json!({"files": caller.ask(ask)?}))
    }
}

/// Comments on an issue or a pull request.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateAnIssueComment {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Number of the issue or pull request.
    issue_number: u64,
    /// Text of the comment, in Markdown.
    body: String,
}

impl Arguments for CreateAnIssueComment {
    const SLUG: &'static str = "GITHUB_CREATE_AN_ISSUE_COMMENT";
    const TITLE: &'static str = "Comment on an issue";
    const READS: bool = false;
    const LOST: &'static str = FIND_PULL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let rest = format!("/issues/{}/comments", self.issue_number);
        let body = json!({"body": self.body});
        caller.ask(repo(Method::POST, &self.owner, &self.repo, &rest).body(body))
    }
}

/// An object of those members that have a value.
fn with_values<const N: usize>(members: [(&str, Value); N]) -> Value {
    let given = members.into_iter().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.to_owned(), value));
    Value::Object(given.collect())
}
