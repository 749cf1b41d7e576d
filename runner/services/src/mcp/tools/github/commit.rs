//! Changing files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::content::default_branch;
use super::{Encoding, FIND_REF, repo};
use crate::mcp::caller::{Caller, segments};
use crate::mcp::tool::{Arguments, Problem};

/// Content of a file as GitHub takes it.
fn base64_of(content: String, encoding: Encoding) -> String {
    match encoding {
        Encoding::Utf8 => STANDARD.encode(content),
        Encoding::Base64 => content,
    }
}

/// Creates a file or replaces its whole content, as one commit on a branch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateOrUpdateFileContents {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Path of the file, for example `src/app.py`.
    path: String,
    /// Message of the commit.
    message: String,
    /// The file's whole new content, as plain text (or in Base64, with `encoding`).
    content: String,
    /// Branch to commit to; the default branch where nothing is said. It must exist: `GITHUB_CREATE_A_REFERENCE` makes one.
    branch: Option<String>,
    /// `sha` of the file that is replaced, from `GITHUB_GET_REPOSITORY_CONTENT` with the branch as `ref`. Not for a new file.
    sha: Option<String>,
    /// How `content` is written: `utf-8` (where nothing is said) or `base64`.
    #[serde(default)]
    encoding: Option<Encoding>,
}

impl Arguments for CreateOrUpdateFileContents {
    const SLUG: &'static str = "GITHUB_CREATE_OR_UPDATE_FILE_CONTENTS";
    const TITLE: &'static str = "Write a file";
    const READS: bool = false;
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let encoding = self.encoding.unwrap_or_default();
        let mut body = json!({
            "message": self.message,
            "content": base64_of(self.content, encoding),
        });
        if let Some(branch) = self.branch {
            body["branch"] = branch.into();
        }
        if let Some(sha) = self.sha {
            body["sha"] = sha.into();
        }
        let rest = format!("/contents/{}", segments(&self.path));
        caller.ask(repo(Method::PUT, &self.owner, &self.repo, &rest).body(body))
    }
}

/// A file to write.
#[derive(Debug, Deserialize, JsonSchema)]
struct Upsert {
    /// Path of the file, for example `src/app.py`.
    path: String,
    /// The file's whole new content, as plain text (or in Base64, with `encoding`).
    content: String,
    /// How `content` is written: `utf-8` (where nothing is said) or `base64`.
    #[serde(default)]
    encoding: Option<Encoding>,
}

/// Writes and deletes several files as one commit on a branch. Where the branch
/// does not exist it is created, from `base_branch`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CommitMultipleFiles {
    /// Account that the repository belongs to, for example `acme`.
    owner: String,
    /// Name of the repository, without the owner.
    repo: String,
    /// Branch to commit to.
    branch: String,
    /// Message of the commit.
    message: String,
    /// Files to write: `[{path, content}]`, each with its whole new content.
    #[serde(default)]
    upserts: Vec<Upsert>,
    /// Paths of files to delete.
    #[serde(default)]
    deletes: Vec<String>,
    /// Branch that a new branch starts from; the default branch where nothing is said.
    base_branch: Option<String>,
}

impl Arguments for CommitMultipleFiles {
    const SLUG: &'static str = "GITHUB_COMMIT_MULTIPLE_FILES";
    const TITLE: &'static str = "Commit several files";
    const READS: bool = false;
    const LOST: &'static str = FIND_REF;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let Self {
            owner,
            repo: name,
            branch,
            message,
            upserts,
            deletes,
            base_branch,
        } = self;
        if upserts.is_empty() && deletes.is_empty() {
            return Err(Problem::new(
                "Nothing would change: give `upserts`, `deletes` or both.",
            ));
        }
        let at = |method, rest: &str| repo(method, &owner, &name, rest);
        let branch = branch.trim_start_matches("refs/heads/").to_owned();
        let head = format!("/git/ref/heads/{}", segments(&branch));
        let there = caller.find(at(Method::GET, &head))?;
        let parent = if let Some(found) = &there {
            found.clone()
        } else {
            let base = match base_branch {
                Some(base) => base,
                None => default_branch(caller, &owner, &name)?,
            };
            let base = format!("/git/ref/heads/{}", segments(&base));
            caller.ask(at(Method::GET, &base))?
        };
        let parent = parent["object"]["sha"].clone();
        let commit = parent.as_str().unwrap_or_default();
        let commit = caller.ask(at(Method::GET, &format!("/git/commits/{commit}")))?;
        let mut entries = Vec::new();
        for file in upserts {
            let mut entry = json!({"path": file.path, "mode": "100644", "type": "blob"});
            if file.encoding == Some(Encoding::Base64) {
                let blob = json!({"content": file.content, "encoding": "base64"});
                let blob = caller.ask(at(Method::POST, "/git/blobs").body(blob))?;
                entry["sha"] = blob["sha"].clone();
            } else {
                entry["content"] = file.content.into();
            }
            entries.push(entry);
        }
        for path in deletes {
            entries.push(json!({"path": path, "mode": "100644", "type": "blob", "sha": null}));
        }
        let tree = json!({"base_tree": commit["tree"]["sha"], "tree": entries});
        let tree = caller.ask(at(Method::POST, "/git/trees").body(tree))?;
        let made = json!({"message": message, "tree": tree["sha"], "parents": [parent]});
        let made = caller.ask(at(Method::POST, "/git/commits").body(made))?;
        let moved = if there.is_some() {
            let rest = format!("/git/refs/heads/{}", segments(&branch));
            caller.ask(at(Method::PATCH, &rest).body(json!({"sha": made["sha"]})))?
        } else {
            let made = json!({"ref": format!("refs/heads/{branch}"), "sha": made["sha"]});
            caller.ask(at(Method::POST, "/git/refs").body(made))?
        };
        Ok(json!({
            "branch": branch,
            "created_branch": there.is_none(),
            "commit": made,
            "ref": moved,
        }))
    }
}
