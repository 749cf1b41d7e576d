//! Commits, their files and their statuses.

use serde_json::{Value, json};

use super::{Render, node_id, path_in_url};
use crate::github::git::{self, FileDiff};
use crate::github::state::{Repo, Status};

impl Render<'_> {
    /// A commit as lists show it.
    pub(crate) fn commit(&self, repo: &Repo, commit: &git2::Commit<'_>) -> Value {
        let sha = commit.id().to_string();
        let url = format!("{}/commits/{sha}", self.repo_url(repo));
        let html = format!("{}/commit/{sha}", self.html_url(repo));
        let account = |it: &git2::Signature<'_>| {
            let email = String::from_utf8_lossy(it.email_bytes()).into_owned();
            self.user_or_null(
                self.gh
                    .user_by_email(&email)
                    .map(|user| user.login.as_str()),
            )
        };
        let mut inner = self.git_commit(repo, commit);
        let parents = inner["parents"].as_array().cloned().unwrap_or_default();
        let parents: Vec<Value> = parents
            .into_iter()
            .map(|mut it| {
                let sha = it["sha"].as_str().unwrap_or_default().to_owned();
                it["url"] = json!(format!("{}/commits/{sha}", self.repo_url(repo)));
                it
            })
            .collect();
        inner["comment_count"] = json!(0);
        if let Some(map) = inner.as_object_mut() {
            for name in ["sha", "node_id", "html_url", "parents"] {
                map.shift_remove(name);
            }
        }
        json!({
            "sha": sha,
            "node_id": node_id("Commit", format!("{}@{sha}", repo.full_name())),
            "commit": inner,
            "url": url,
            "html_url": html,
            "comments_url": format!("{url}/comments"),
            "author": account(&commit.author()),
            "committer": account(&commit.committer()),
            "parents": parents,
        })
    }

    /// A commit as a git object.
    pub(crate) fn git_commit(&self, repo: &Repo, commit: &git2::Commit<'_>) -> Value {
        let sha = commit.id().to_string();
        let url = format!("{}/git/commits", self.repo_url(repo));
        let html = format!("{}/commit", self.html_url(repo));
        let parents: Vec<Value> = commit.parent_ids().map(|id| json!({
            "sha": id.to_string(), "url": format!("{url}/{id}"), "html_url": format!("{html}/{id}"),
        })).collect();
        let tree = commit.tree_id();
        json!({
            "sha": sha,
            "node_id": node_id("Commit", format!("{}@{sha}", repo.full_name())),
            "url": format!("{url}/{sha}"),
            "html_url": format!("{html}/{sha}"),
            "author": signature(&commit.author()),
            "committer": signature(&commit.committer()),
            "tree": {"sha": tree.to_string(), "url": format!("{}/git/trees/{tree}", self.repo_url(repo))},
            "message": git::message(commit),
            "parents": parents,
            "verification": {"verified": false, "reason": "unsigned", "signature": Value::Null, "payload": Value::Null, "verified_at": Value::Null},
        })
    }

    /// A changed file of a comparison, commit or pull request.
    pub(crate) fn file(&self, repo: &Repo, at: &str, it: &FileDiff) -> Value {
        let path = path_in_url(&it.filename);
        let id = it.new.or(it.old).map(|id| id.to_string());
        let mut value = json!({
            "sha": id,
            "filename": it.filename,
            "status": it.status,
            "additions": it.additions,
            "deletions": it.deletions,
            "changes": it.additions + it.deletions,
            "blob_url": format!("{}/blob/{at}/{path}", self.html_url(repo)),
            "raw_url": format!("{}/raw/{at}/{path}", self.html_url(repo)),
            "contents_url": format!("{}/contents/{path}?ref={at}", self.repo_url(repo)),
        });
        if let Some(patch) = &it.patch {
            value["patch"] = json!(patch);
        }
        if let Some(previous) = &it.previous {
            value["previous_filename"] = json!(previous);
        }
        value
    }

    pub(crate) fn status(&self, repo: &Repo, sha: &str, it: &Status) -> Value {
        json!({
            "url": format!("{}/statuses/{sha}", self.repo_url(repo)),
            "id": it.id,
            "node_id": node_id("Status", it.id),
            "state": it.state,
            "description": it.description,
            "target_url": it.target_url,
            "context": it.context,
            "created_at": it.created_at,
            "updated_at": it.created_at,
            "creator": self.user(&it.creator),
        })
    }
}

pub(crate) fn signature(it: &git2::Signature<'_>) -> Value {
    json!({
        "name": String::from_utf8_lossy(it.name_bytes()),
        "email": String::from_utf8_lossy(it.email_bytes()),
        "date": git::date(it),
    })
}
