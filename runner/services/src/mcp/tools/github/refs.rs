//! Branches, commits, and what is between two of them.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FIND_REF, FIND_REPOSITORY, repo};
use crate::mcp::caller::{Caller, segments};
use crate::mcp::tool::{Arguments, Problem};

/// Lists the branches of a repository with the commit that each is at.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListBranches {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Page of the list, from 1.
    page: Option<u32>,
    /// Branches on a page, at most 100 (30 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    per_page: Option<u32>,
}

impl Arguments for ListBranches {
    const SLUG: &'static str = "GITHUB_LIST_BRANCHES";
    const TITLE: &'static str = "List branches";
    const LOST: &'static str = FIND_REPOSITORY;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let ask = repo(Method::GET, &self.owner, &self.repo, "/branches");
        let ask = ask.query("page", self.page);
        let branches = caller.ask(ask.query("per_page", self.per_page))?;
        Ok(json!({"branches": branches}))
    }
}

/// Gets the commit that a branch or tag is at.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetAReference {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// The reference: `heads/BRANCH` or `tags/TAG`, for example `heads/main`.
    #[serde(rename = "ref")]
    reference: String,
}

impl Arguments for GetAReference {
    const SLUG: &'static str = "GITHUB_GET_A_REFERENCE";
    const TITLE: &'static str = "Get a reference";
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let name = self.reference.trim_start_matches("refs/");
        let rest = format!("/git/ref/{}", segments(name));
        caller.ask(repo(Method::GET, &self.owner, &self.repo, &rest))
    }
}

/// Creates a branch or tag at a commit.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateAReference {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Full name of the new reference, for example `refs/heads/fix-buffer`.
    #[serde(rename = "ref")]
    reference: String,
    /// The commit, all 40 digits: `object.sha` of `GITHUB_GET_A_REFERENCE` for the branch to start from.
    sha: String,
}

impl Arguments for CreateAReference {
    const SLUG: &'static str = "GITHUB_CREATE_A_REFERENCE";
    const TITLE: &'static str = "Create a branch";
    const READS: bool = false;
    const LOST: &'static str = FIND_REPOSITORY;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let body = json!({"ref": self.reference, "sha": self.sha});
        caller.ask(repo(Method::POST, &self.owner, &self.repo, "/git/refs").body(body))
    }
}

/// Lists commits, newest first.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListCommits {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Branch or commit to start from; the default branch where nothing is said.
    sha: Option<String>,
    /// Only commits that changed this file or folder.
    path: Option<String>,
    /// Page of the list, from 1.
    page: Option<u32>,
    /// Commits on a page, at most 100 (30 where nothing is said).
    #[schemars(range(min = 1, max = 100))]
    per_page: Option<u32>,
}

impl Arguments for ListCommits {
    const SLUG: &'static str = "GITHUB_LIST_COMMITS";
    const TITLE: &'static str = "List commits";
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let ask = repo(Method::GET, &self.owner, &self.repo, "/commits")
            .query("sha", self.sha)
            .query("path", self.path)
            .query("page", self.page)
            .query("per_page", self.per_page);
        Ok(json!({"commits": caller.ask(ask)?}))
    }
}

/// Shows what changed from one commit to another: commits, and files with their
/// patches.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CompareTwoCommits {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Both, with three dots between them: `BASE...HEAD`, for example `main...fix-buffer`.
    basehead: String,
}

impl Arguments for CompareTwoCommits {
    const SLUG: &'static str = "GITHUB_COMPARE_TWO_COMMITS";
    const TITLE: &'static str = "Compare two commits";
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        if !self.basehead.contains("...") {
            return Err(Problem::new(
                "`basehead` needs three dots between both: `BASE...HEAD`, for example \
                 `main...fix-buffer`.",
            ));
        }
        let rest = format!("/compare/{}", segments(&self.basehead));
        caller.ask(repo(Method::GET, &self.owner, &self.repo, &rest))
    }
}
