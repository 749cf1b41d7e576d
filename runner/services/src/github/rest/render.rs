//! Objects as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::super::error::Result;
use super::super::git::{self, FileDiff};
use super::super::session::{Session, Urls};
use super::super::state::{
    Comment, GitHub, Issue, Label, Milestone, Pull, Repo, Review, ReviewComment, Status,
};

/// Identifier of an object for GraphQL: its kind and its name.
pub(crate) fn node_id(kind: &str, key: impl std::fmt::Display) -> String {
    URL_SAFE_NO_PAD.encode(format!("{kind}:{key}"))
}

/// Kind and name that an identifier stands for.
pub(crate) fn node_of(id: &str) -> Option<(String, String)> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(id).ok()?).ok()?;
    let (kind, key) = text.split_once(':')?;
    Some((kind.to_owned(), key.to_owned()))
}

/// Addresses that a repository lists, below its own.
const REPO_URLS: &[(&str, &str)] = &[
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];

/// Renders with the state and the addresses of one request.
pub(crate) struct Render<'a> {
    pub(crate) gh: &'a GitHub,
    pub(crate) urls: &'a Urls,
    pub(crate) actor: Option<&'a str>,
}

impl Session {
    pub(crate) fn render(&self) -> Render<'_> {
        Render {
            gh: &self.gh,
            urls: &self.urls,
            actor: self.actor.as_deref(),
        }
    }
}

impl Render<'_> {
    pub(crate) fn user(&self, login: &str) -> Value {
        let Urls { api, html } = self.urls;
        let user = self.gh.user(login);
        let kind = if user.is_some_and(|it| it.organization) {
            "Organization"
        } else {
            "User"
        };
        let url = format!("{api}/users/{login}");
        json!({
            "login": login,
            "id": user.map_or(0, |it| it.id),
            "node_id": node_id("User", login),
            "avatar_url": format!("https://avatars.githubusercontent.com/{login}"),
            "gravatar_id": "",
            "url": url,
            "html_url": format!("{html}/{login}"),
            "followers_url": format!("{url}/followers"),
            "following_url": format!("{url}/following{{/other_user}}"),
            "gists_url": format!("{url}/gists{{/gist_id}}"),
            "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format!("{url}/subscriptions"),
            "organizations_url": format!("{url}/orgs"),
            "repos_url": format!("{url}/repos"),
            "events_url": format!("{url}/events{{/privacy}}"),
            "received_events_url": format!("{url}/received_events"),
            "type": kind,
            "site_admin": false,
        })
    }

    pub(crate) fn user_or_null(&self, login: Option<&str>) -> Value {
        login.map_or(Value::Null, |login| self.user(login))
    }

    pub(crate) fn full_user(&self, login: &str) -> Value {
        let mut value = self.user(login);
        let user = self.gh.user(login);
        let own = |repo: &&std::sync::Arc<Repo>| repo.owner.eq_ignore_ascii_case(login);
        value["name"] = json!(user.and_then(|it| it.name.clone()));
        value["email"] = json!(user.and_then(|it| it.email.clone()));
        for name in ["company", "location", "hireable", "bio", "twitter_username"] {
            value[name] = Value::Null;
        }
        value["blog"] = json!("");
        value["public_repos"] = json!(self.gh.repositories.values().filter(own).count());
        for name in ["public_gists", "followers", "following"] {
            value[name] = json!(0);
        }
        for name in ["created_at", "updated_at"] {
            value[name] = json!("2020-01-01T00:00:00Z");
        }
        value
    }

    pub(crate) fn repo_url(&self, repo: &Repo) -> String {
        format!("{}/repos/{}", self.urls.api, repo.full_name())
    }

    pub(crate) fn html_url(&self, repo: &Repo) -> String {
        format!("{}/{}", self.urls.html, repo.full_name())
    }

    pub(crate) fn repo(&self, repo: &Repo) -> Value {
        let (url, html) = (self.repo_url(repo), self.html_url(repo));
        let may_push = self.actor.is_some_and(|login| {
            repo.owner.eq_ignore_ascii_case(login) || repo.collaborators.contains(login)
        });
        let open = repo.issues.values().filter(|issue| !issue.closed).count();
        let name = repo.full_name();
        let forks = self
            .gh
            .repositories
            .values()
            .filter(|it| it.fork_of.as_ref() == Some(&name))
            .count();
        let mut value = json!({
            "id": repo.id,
            "node_id": node_id("Repository", &name),
            "name": repo.name,
            "full_name": name,
            "private": repo.private,
            "owner": self.user(&repo.owner),
            "html_url": html,
            "description": repo.description,
            "fork": repo.fork_of.is_some(),
            "url": url,
            "created_at": repo.created_at,
            "updated_at": repo.updated_at,
            "pushed_at": repo.pushed_at,
            "git_url": format!("{html}.git").replacen("http", "git", 1),
            "ssh_url": format!("git@github.com:{name}.git"),
            "clone_url": format!("{html}.git"),
            "svn_url": html,
            "homepage": repo.homepage,
            "size": 1,
            "stargazers_count": 0,
            "watchers_count": 0,
            "language": Value::Null,
            "subscribers_count": 1,
            "network_count": forks,
        });
        merge(
            &mut value,
            json!({
                "has_issues": true,
                "has_projects": false,
                "has_downloads": false,
                "has_wiki": false,
                "has_pages": false,
                "has_discussions": false,
                "forks_count": forks,
                "mirror_url": Value::Null,
                "archived": repo.archived,
                "disabled": false,
                "open_issues_count": open,
                "license": Value::Null,
                "allow_forking": true,
                "is_template": false,
                "web_commit_signoff_required": false,
                "topics": [],
                "visibility": if repo.private { "private" } else { "public" },
                "forks": forks,
                "open_issues": open,
                "watchers": 0,
                "default_branch": repo.default_branch,
                "permissions": {"admin": may_push, "maintain": may_push, "push": may_push, "triage": may_push, "pull": true},
                "allow_squash_merge": true,
                "allow_merge_commit": true,
                "allow_rebase_merge": true,
                "allow_auto_merge": false,
                "delete_branch_on_merge": false,
            }),
        );
        for (name, rest) in REPO_URLS {
            value[*name] = json!(format!("{url}{rest}"));
        }
        value
    }

    /// A repository with the one it was forked from.
    pub(crate) fn whole_repo(&self, repo: &Repo) -> Value {
        let mut value = self.repo(repo);
        let parent = repo
            .fork_of
            .as_ref()
            .and_then(|name| self.gh.by_full_name(name).ok());
        if let Some(parent) = parent {
            value["parent"] = self.repo(parent);
            value["source"] = self.repo(parent);
        }
        value
    }

    pub(crate) fn label(&self, repo: &Repo, label: &Label) -> Value {
        let url = self.repo_url(repo);
        let name =
            percent_encoding::utf8_percent_encode(&label.name, percent_encoding::NON_ALPHANUMERIC);
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

    pub(crate) fn issue(&self, repo: &Repo, issue: &Issue) -> Value {
        let url = format!("{}/issues/{}", self.repo_url(repo), issue.number);
        let page = if issue.pull.is_some() {
            "pull"
        } else {
            "issues"
        };
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
        let html = format!("{}/{page}/{}", self.html_url(repo), issue.number);
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

    pub(crate) fn comment(&self, repo: &Repo, issue: &Issue, it: &Comment) -> Value {
        let page = if issue.pull.is_some() {
            "pull"
        } else {
            "issues"
        };
        json!({
            "url": format!("{}/issues/comments/{}", self.repo_url(repo), it.id),
            "html_url": format!("{}/{page}/{}#issuecomment-{}", self.html_url(repo), issue.number, it.id),
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

    fn side(&self, repo: &Repo, name: &str, sha: &str) -> Value {
        json!({
            "label": format!("{}:{name}", repo.owner),
            "ref": name,
            "sha": sha,
            "user": self.user(&repo.owner),
            "repo": self.repo(repo),
        })
    }

    pub(crate) fn pull(&self, repo: &Repo, issue: &Issue, pull: &Pull) -> Value {
        let mut value = self.issue(repo, issue);
        let url = format!("{}/pulls/{}", self.repo_url(repo), issue.number);
        let issue_url = value["url"].take();
        let html = value["html_url"].clone();
        let html = html.as_str().unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            for name in [
                "pull_request",
                "closed_by",
                "state_reason",
                "comments",
                "repository_url",
                "labels_url",
                "events_url",
                "timeline_url",
                "reactions",
            ] {
                map.shift_remove(name);
            }
        }
        let head_repo = match &pull.head_repo {
            Some(name) => self.gh.by_full_name(name).ok().map(AsRef::as_ref),
            None => Some(repo),
        };
        let reviewers: Vec<Value> = pull
            .requested_reviewers
            .iter()
            .map(|login| self.user(login))
            .collect();
        let merge_sha = pull.merged.as_ref().map(|it| &it.sha);
        for (name, it) in [
            ("url", json!(url)),
            ("diff_url", json!(format!("{html}.diff"))),
            ("patch_url", json!(format!("{html}.patch"))),
            ("issue_url", issue_url.clone()),
            ("merged_at", json!(pull.merged.as_ref().map(|it| &it.at))),
            ("merge_commit_sha", json!(merge_sha)),
            ("requested_reviewers", json!(reviewers)),
            ("requested_teams", json!([])),
            ("commits_url", json!(format!("{url}/commits"))),
            ("review_comments_url", json!(format!("{url}/comments"))),
            ("review_comment_url", json!(format!("{}/pulls/comments{{/number}}", self.repo_url(repo)))),
            ("comments_url", json!(format!("{}/comments", issue_url.as_str().unwrap_or_default()))),
            ("statuses_url", json!(format!("{}/statuses/{}", self.repo_url(repo), pull.head_sha))),
            ("head", head_repo.map_or_else(
                || json!({"label": Value::Null, "ref": pull.head_ref, "sha": pull.head_sha, "user": Value::Null, "repo": Value::Null}),
                |from| self.side(from, &pull.head_ref, &pull.head_sha),
            )),
            ("base", self.side(repo, &pull.base_ref, pull.merged.as_ref().map_or(&pull.base_sha, |it| &it.base))),
            ("_links", json!({
                "self": {"href": url}, "html": {"href": html}, "issue": {"href": issue_url},
                "comments": {"href": format!("{}/comments", issue_url.as_str().unwrap_or_default())},
                "review_comments": {"href": format!("{url}/comments")}, "commits": {"href": format!("{url}/commits")},
            })),
            ("auto_merge", Value::Null),
        ] {
            value[name] = it;
        }
        value
    }

    /// A pull request with what takes a look into git.
    pub(crate) fn whole_pull(&self, repo: &Repo, issue: &Issue, pull: &Pull) -> Result<Value> {
        let git = repo.objects.open()?;
        let compared = pull.compared(&git)?;
        let files = compared.files(&git)?;
        let (mergeable, state) = repo.mergeable(&git, issue, pull);
        let mut value = self.pull(repo, issue, pull);
        let merged = pull.merged.as_ref();
        for (name, it) in [
            ("merged", json!(merged.is_some())),
            ("mergeable", json!(mergeable)),
            ("rebaseable", json!(mergeable)),
            ("mergeable_state", json!(state)),
            (
                "merged_by",
                self.user_or_null(merged.map(|it| it.by.as_str())),
            ),
            ("comments", json!(issue.comments.len())),
            ("review_comments", json!(pull.review_comments.len())),
            ("maintainer_can_modify", json!(false)),
            ("commits", json!(compared.commits.len())),
            (
                "additions",
                json!(files.iter().map(|it| it.additions).sum::<usize>()),
            ),
            (
                "deletions",
                json!(files.iter().map(|it| it.deletions).sum::<usize>()),
            ),
            ("changed_files", json!(files.len())),
        ] {
            value[name] = it;
        }
        Ok(value)
    }

    pub(crate) fn review(&self, repo: &Repo, issue: &Issue, it: &Review) -> Value {
        let html = format!("{}/pull/{}", self.html_url(repo), issue.number);
        let url = format!("{}/pulls/{}", self.repo_url(repo), issue.number);
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
        let html = format!(
            "{}/pull/{}#discussion_r{}",
            self.html_url(repo),
            issue.number,
            it.id
        );
        let pull = format!("{}/pulls/{}", self.repo_url(repo), issue.number);
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

    pub(crate) fn reference(
        &self,
        repo: &Repo,
        git: &git2::Repository,
        name: &str,
        sha: &str,
    ) -> Value {
        let kind =
            super::super::store::oid(sha).and_then(|id| git.find_object(id, None).ok()?.kind());
        let kind = kind.map_or("commit", |kind| kind.str());
        let url = self.repo_url(repo);
        json!({
            "ref": name,
            "node_id": node_id("Ref", format!("{}@{name}", repo.full_name())),
            "url": format!("{url}/git/{name}"),
            "object": {"sha": sha, "type": kind, "url": format!("{url}/git/{kind}s/{sha}")},
        })
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

/// Adds the members of one object to another.
fn merge(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

pub(crate) fn signature(it: &git2::Signature<'_>) -> Value {
    json!({
        "name": String::from_utf8_lossy(it.name_bytes()),
        "email": String::from_utf8_lossy(it.email_bytes()),
        "date": git::date(it),
    })
}

/// A path of a repository as URLs carry it.
pub(crate) fn path_in_url(path: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_')
        .remove(b'~');
    percent_encoding::utf8_percent_encode(path, KEPT).to_string()
}
