//! GitHub's tools.

mod commit;
mod content;
mod pulls;
mod refs;

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::caller::{Ask, segment};
use crate::mcp::tool::{Arguments, Tool, Toolkit};

const fn tool<A: Arguments>() -> Tool {
    Tool::of::<A>(Toolkit::GitHub)
}

pub(super) static TOOLS: [Tool; 16] = [
    tool::<content::GetARepository>(),
    tool::<content::GetRepositoryContent>(),
    tool::<content::GetATree>(),
    tool::<refs::ListBranches>(),
    tool::<refs::GetAReference>(),
    tool::<refs::CreateAReference>(),
    tool::<commit::CreateOrUpdateFileContents>(),
    tool::<commit::CommitMultipleFiles>(),
    tool::<refs::ListCommits>(),
    tool::<refs::CompareTwoCommits>(),
    tool::<pulls::CreateAPullRequest>(),
    tool::<pulls::UpdateAPullRequest>(),
    tool::<pulls::GetAPullRequest>(),
    tool::<pulls::ListPullRequests>(),
    tool::<pulls::ListPullRequestsFiles>(),
    tool::<pulls::CreateAnIssueComment>(),
];

/// What a model does when it has the wrong name.
const FIND_REPOSITORY: &str = "Check `owner` and `repo` with GITHUB_GET_A_REPOSITORY.";
const FIND_REF: &str =
    "Check `owner`, `repo` and the ref; GITHUB_LIST_BRANCHES shows the branches.";
const FIND_PULL: &str =
    "Check `owner`, `repo` and the number; GITHUB_LIST_PULL_REQUESTS shows what there is.";

/// How a file's text is written in an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
enum Encoding {
    /// As it is.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// In Base64, for files that are no text.
    #[serde(rename = "base64")]
    Base64,
}

/// A request to a repository.
fn repo(method: Method, owner: &str, name: &str, rest: &str) -> Ask {
    let path = format!("/repos/{}/{}{rest}", segment(owner), segment(name));
    Ask::new(Toolkit::GitHub, method, path)
        .header("accept", "application/vnd.github+json")
        .header("x-github-api-version", "2022-11-28")
}
