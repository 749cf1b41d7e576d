//! Pull requests, reviews and comments on lines.

use serde_json::{Value, json};

use super::{Render, node_id, put};
use crate::github::error::Result;
use crate::github::state::{Issue, Pull, Repo, Review, ReviewComment};

/// Fields of an issue that a pull request in this place does not have.
const OF_ISSUES_ONLY: &[&str] = &[
    "pull_request",
    "closed_by",
    "state_reason",
    "comments",
    "repository_url",
    "labels_url",
    "events_url",
    "timeline_url",
    "reactions",
];

impl Render<'_> {
    pub(crate) fn pull(&self, repo: &Repo, issue: &Issue, pull: &Pull) -> Value {
        let mut value = self.issue(repo, issue);
        if let Some(map) = value.as_object_mut() {
            for name in OF_ISSUES_ONLY {
                map.shift_remove(*name);
            }
        }
        put(&mut value, self.pull_addresses(repo, issue, pull));
        let merged = pull.merged.as_ref();
        let reviewers = pull.requested_reviewers.iter();
        let reviewers: Vec<Value> = reviewers.map(|login| self.user(login)).collect();
        let base = merged.map_or(&pull.base_sha, |it| &it.base);
        put(
            &mut value,
            json!({
                "merged_at": merged.map(|it| &it.at),
                "merge_commit_sha": merged.map(|it| &it.sha),
                "requested_reviewers": reviewers,
                "requested_teams": [],
                "head": self.head(repo, pull),
                "base": self.side(repo, &pull.base_ref, base),
                "auto_merge": Value::Null,
            }),
        );
        value
    }

    fn pull_url(&self, repo: &Repo, issue: &Issue) -> String {
        format!("{}/pulls/{}", self.repo_url(repo), issue.number)
    }

    fn pull_addresses(&self, repo: &Repo, issue: &Issue, pull: &Pull) -> Value {
        let repo_url = self.repo_url(repo);
        let (url, html) = (self.pull_url(repo, issue), self.issue_page(repo, issue));
        let issue_url = format!("{repo_url}/issues/{}", issue.number);
        json!({
            "url": url,
            "diff_url": format!("{html}.diff"),
            "patch_url": format!("{html}.patch"),
            "issue_url": issue_url,
            "commits_url": format!("{url}/commits"),
            "review_comments_url": format!("{url}/comments"),
            "review_comment_url": format!("{repo_url}/pulls/comments{{/number}}"),
            "comments_url": format!("{issue_url}/comments"),
            "statuses_url": format!("{repo_url}/statuses/{}", pull.head_sha),
            "_links": {
                "self": {"href": url},
                "html": {"href": html},
                "issue": {"href": issue_url},
                "comments": {"href": format!("{issue_url}/comments")},
                "review_comments": {"href": format!("{url}/comments")},
                "commits": {"href": format!("{url}/commits")},
            },
        })
    }

    /// The head's side; without a repository where that is gone.
    fn head(&self, repo: &Repo, pull: &Pull) -> Value {
        let from = match &pull.head_repo {
            Some(name) => self.gh.by_full_name(name).ok().map(AsRef::as_ref),
            None => Some(repo),
        };
        let gone = || {
            json!({
                "label": Value::Null,
                "ref": pull.head_ref,
                "sha": pull.head_sha,
                "user": Value::Null,
                "repo": Value::Null,
            })
        };
        from.map_or_else(gone, |from| self.side(from, &pull.head_ref, &pull.head_sha))
    }

    fn side(&self, repo: &Repo, name: &str, sha: &str) -> Value {
        json!({
            "label": format!("{}:{name}", repo.owner),
            "ref": name,
            "sha": sha,
            "user": self.user(&repo.owner),
            "repo": self.repo(repo),
        })
    }

    /// A pull request with what takes a look into git.
    pub(crate) fn whole_pull(&self, repo: &Repo, issue: &Issue, pull: &Pull) -> Result<Value> {
        let git = repo.objects.open()?;
        let compared = pull.compared(&git)?;
        let files = compared.files(&git)?;
        let (mergeable, state) = repo.mergeable(&git, issue, pull);
        let merged = pull.merged.as_ref();
        let merged_by = merged.map(|it| it.by.as_str());
        let additions: usize = files.iter().map(|it| it.additions).sum();
        let deletions: usize = files.iter().map(|it| it.deletions).sum();
        let mut value = self.pull(repo, issue, pull);
        put(
            &mut value,
            json!({
                "merged": merged.is_some(),
                "mergeable": mergeable,
                "rebaseable": mergeable,
                "mergeable_state": state,
                "merged_by": self.user_or_null(merged_by),
                "comments": issue.comments.len(),
                "review_comments": pull.review_comments.len(),
                "maintainer_can_modify": false,
                "commits": compared.commits.len(),
                "additions": additions,
                "deletions": deletions,
                "changed_files": files.len(),
            }),
        );
        Ok(value)
    }

    pub(crate) fn review(&self, repo: &Repo, issue: &Issue, it: &Review) -> Value {
        let (url, html) = (self.pull_url(repo, issue), self.issue_page(repo, issue));
        json!({
            "id": it.id,
            "node_id": node_id("PullRequestReview", it.id),
            "user": self.user(&it.user),
            "body": it.body,
            "state": it.state,
            "html_url": format!("{html}#pullrequestreview-{}", it.id),
            "pull_request_url": url,
            "author_association": Self::association(repo, &it.user),
            "_links": {"html": {"href": format!("{html}#pullrequestreview-{}", it.id)}, "pull_request": {"href": url}},
            "submitted_at": it.submitted_at,
            "commit_id": it.commit_id,
        })
    }

    pub(crate) fn review_comment(&self, repo: &Repo, issue: &Issue, it: &ReviewComment) -> Value {
        let url = format!("{}/pulls/comments/{}", self.repo_url(repo), it.id);
        let html = format!("{}#discussion_r{}", self.issue_page(repo, issue), it.id);
        let pull = self.pull_url(repo, issue);
        let mut value = json!({
            "url": url,
            "pull_request_review_id": it.review,
            "id": it.id,
            "node_id": node_id("PullRequestReviewComment", it.id),
            "diff_hunk": "",
            "path": it.path,
            "commit_id": it.commit_id,
            "original_commit_id": it.commit_id,
            "user": self.user(&it.user),
            "body": it.body,
            "created_at": it.created_at,
            "updated_at": it.updated_at,
            "html_url": html,
            "pull_request_url": pull,
            "author_association": Self::association(repo, &it.user),
            "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
            "line": it.line,
            "original_line": it.line,
            "side": it.side,
            "position": it.line,
            "original_position": it.line,
            "subject_type": if it.line.is_some() { "line" } else { "file" },
        });
        if let Some(answered) = it.in_reply_to {
            value["in_reply_to_id"] = json!(answered);
        }
        value
    }
}
