//! Issues, and what pull requests have of them: labels, milestones, comments.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Render, node_id};
use crate::github::state::{Comment, Issue, Label, Milestone, Repo};

impl Render<'_> {
    pub(crate) fn issue(&self, repo: &Repo, issue: &Issue) -> Value {
        let url = format!("{}/issues/{}", self.repo_url(repo), issue.number);
        let milestone = repo
            .milestones
            .iter()
            .find(|it| Some(it.number) == issue.milestone);
        let assignees: Vec<Value> = issue
            .assignees
            .iter()
            .map(|login| self.user(login))
            .collect();
        let kind = if issue.pull.is_some() {
            "PullRequest"
        } else {
            "Issue"
        };
        let html = self.issue_page(repo, issue);
        let mut value = json!({
            "url": url,
            "repository_url": self.repo_url(repo),
            "labels_url": format!("{url}/labels{{/name}}"),
            "comments_url": format!("{url}/comments"),
            "events_url": format!("{url}/events"),
            "html_url": html,
            "id": issue.id,
            "node_id": node_id(kind, format!("{}#{}", repo.full_name(), issue.number)),
            "number": issue.number,
            "title": issue.title,
            "user": self.user(&issue.user),
            "labels": self.labels(repo, &issue.labels),
            "state": issue.state(),
            "locked": issue.locked,
            "assignee": assignees.first(),
            "assignees": assignees,
            "milestone": milestone.map(|it| self.milestone(repo, it)),
            "comments": issue.comments.len(),
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": issue.closed_at,
            "author_association": Self::association(repo, &issue.user),
            "active_lock_reason": Value::Null,
            "body": (!issue.body.is_empty()).then_some(&issue.body),
            "closed_by": self.user_or_null(issue.closed_by.as_deref()),
            "state_reason": issue.state_reason,
            "timeline_url": format!("{url}/timeline"),
            "reactions": {"url": format!("{url}/reactions"), "total_count": 0, "+1": 0, "-1": 0, "laugh": 0, "hooray": 0, "confused": 0, "heart": 0, "rocket": 0, "eyes": 0},
        });
        if let Some(pull) = &issue.pull {
            let url = format!("{}/pulls/{}", self.repo_url(repo), issue.number);
            value["draft"] = json!(pull.draft);
            value["pull_request"] = json!({
                "url": url,
                "html_url": html,
                "diff_url": format!("{html}.diff"),
                "patch_url": format!("{html}.patch"),
                "merged_at": pull.merged.as_ref().map(|it| &it.at),
            });
        }
        value
    }

    /// Where people read an issue, or the pull request that it is part of.
    pub(super) fn issue_page(&self, repo: &Repo, issue: &Issue) -> String {
        let page = if issue.pull.is_some() {
            "pull"
        } else {
            "issues"
        };
        format!("{}/{page}/{}", self.html_url(repo), issue.number)
    }

    pub(crate) fn comment(&self, repo: &Repo, issue: &Issue, it: &Comment) -> Value {
        json!({
            "url": format!("{}/issues/comments/{}", self.repo_url(repo), it.id),
            "html_url": format!("{}#issuecomment-{}", self.issue_page(repo, issue), it.id),
            "issue_url": format!("{}/issues/{}", self.repo_url(repo), issue.number),
            "id": it.id,
            "node_id": node_id("IssueComment", format!("{}#{}", repo.full_name(), it.id)),
            "user": self.user(&it.user),
            "created_at": it.created_at,
            "updated_at": it.updated_at,
            "author_association": Self::association(repo, &it.user),
            "body": it.body,
        })
    }

    pub(crate) fn label(&self, repo: &Repo, label: &Label) -> Value {
        let url = self.repo_url(repo);
        let name = utf8_percent_encode(&label.name, NON_ALPHANUMERIC);
        json!({
            "id": label.id,
            "node_id": node_id("Label", format!("{}:{}", repo.full_name(), label.name)),
            "url": format!("{url}/labels/{name}"),
            "name": label.name,
            "color": label.color,
            "default": false,
            "description": label.description,
        })
    }

    pub(crate) fn labels(&self, repo: &Repo, names: &[String]) -> Value {
        let labels = names.iter().filter_map(|name| repo.label(name));
        Value::Array(labels.map(|label| self.label(repo, label)).collect())
    }

    pub(crate) fn milestone(&self, repo: &Repo, it: &Milestone) -> Value {
        let count = |closed: bool| {
            let mut issues = repo.issues.values();
            let ours = |issue: &Issue| issue.milestone == Some(it.number) && issue.closed == closed;
            issues.by_ref().filter(|issue| ours(issue)).count()
        };
        let url = format!("{}/milestones/{}", self.repo_url(repo), it.number);
        json!({
            "url": url,
            "html_url": format!("{}/milestone/{}", self.html_url(repo), it.number),
            "labels_url": format!("{url}/labels"),
            "id": it.id,
            "node_id": node_id("Milestone", format!("{}#{}", repo.full_name(), it.number)),
            "number": it.number,
            "title": it.title,
            "description": it.description,
            "creator": self.user(&it.creator),
            "open_issues": count(false),
            "closed_issues": count(true),
            "state": if it.closed { "closed" } else { "open" },
            "created_at": it.created_at,
            "updated_at": it.updated_at,
            "due_on": it.due_on,
            "closed_at": Value::Null,
        })
    }

    pub(crate) fn association(repo: &Repo, login: &str) -> &'static str {
        if repo.owner.eq_ignore_ascii_case(login) {
            "OWNER"
        } else if repo.collaborators.contains(login) {
            "COLLABORATOR"
        } else {
            "NONE"
        }
    }
}
