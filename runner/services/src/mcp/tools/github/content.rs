//! Reading repositories.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FIND_REF, FIND_REPOSITORY, repo};
use crate::mcp::caller::{Caller, segments};
use crate::mcp::tool::{Arguments, Problem};

/// Gets a repository: description, default branch, whether it is private, and
/// counts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetARepository {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
}

impl Arguments for GetARepository {
    const SLUG: &'static str = "GITHUB_GET_A_REPOSITORY";
    const TITLE: &'static str = "Get a repository";
    const LOST: &'static str = "Check `owner` and `repo`.";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(repo(Method::GET, &self.owner, &self.repo, ""))
    }
}

/// Reads a file or lists a folder of a repository. A file that is text comes as
/// text in `content` (`encoding` is then `utf-8`), with the `sha` that changing
/// it needs; any other comes in Base64.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetRepositoryContent {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Path of the file or folder, for example `src/app.py`; an empty text is the topmost folder.
    path: String,
    /// Branch, tag or commit to read from; the default branch where nothing is said.
    #[serde(rename = "ref")]
    reference: Option<String>,
}

impl Arguments for GetRepositoryContent {
    const SLUG: &'static str = "GITHUB_GET_REPOSITORY_CONTENT";
    const TITLE: &'static str = "Read a file or folder";
    const LOST: &'static str = "Check the path with GITHUB_GET_A_TREE (`recursive`), and `ref` \
                                with GITHUB_LIST_BRANCHES.";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let rest = format!("/contents/{}", segments(&self.path));
        let ask = repo(Method::GET, &self.owner, &self.repo, &rest);
        let mut found = caller.ask(ask.query("ref", self.reference))?;
        if found.is_array() {
            return Ok(json!({"entries": found}));
        }
        if found["encoding"] == "base64"
            && let Some(text) = text_of(&found["content"])
        {
            found["content"] = text.into();
            found["encoding"] = "utf-8".into();
        }
        Ok(found)
    }
}

/// Base64 with line breaks as a text, where it is one.
fn text_of(content: &Value) -> Option<String> {
    let mut encoded = content.as_str()?.to_owned();
    encoded.retain(|c| !c.is_ascii_whitespace());
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

/// Lists the files of a repository at a commit: paths, kinds and sizes, not
/// their content.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetATree {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Branch, commit or tree, for example `main`.
    tree_sha: String,
    /// Whether everything below is listed and not only the topmost folder (false where nothing is said).
    #[serde(default)]
    recursive: bool,
}

impl Arguments for GetATree {
    const SLUG: &'static str = "GITHUB_GET_A_TREE";
    const TITLE: &'static str = "List files";
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let rest = format!("/git/trees/{}", segments(&self.tree_sha));
        let ask = repo(Method::GET, &self.owner, &self.repo, &rest);
        caller.ask(ask.query("recursive", self.recursive.then_some("1")))
    }
}

/// Where a repository is not named, its default branch.
pub(super) fn default_branch(
    caller: &mut Caller<'_>,
    owner: &str,
    name: &str,
) -> Result<String, Problem> {
    let found = caller.ask(repo(Method::GET, owner, name, ""));
    let found = found.map_err(|mut problem| {
        problem.text = format!("{} {FIND_REPOSITORY}", problem.text);
        problem.status = None;
        problem
    })?;
    let branch = found["default_branch"].as_str();
    Ok(branch.unwrap_or("main").to_owned())
}
