//! Repositories, and refs of them.

use serde_json::{Value, json};

use super::{Render, node_id, put};
use crate::github::state::Repo;
use crate::github::store::oid;

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

impl Render<'_> {
    pub(crate) fn repo_url(&self, repo: &Repo) -> String {
        format!("{}/repos/{}", self.urls.api, repo.full_name())
    }

    pub(crate) fn html_url(&self, repo: &Repo) -> String {
        format!("{}/{}", self.urls.html, repo.full_name())
    }

    pub(crate) fn repo(&self, repo: &Repo) -> Value {
        let mut value = self.repo_itself(repo);
        put(&mut value, self.repo_counts(repo));
        put(&mut value, settings(repo));
        let may_push = self.actor.is_some_and(|login| {
            repo.owner.eq_ignore_ascii_case(login) || repo.collaborators.contains(login)
        });
        value["permissions"] = json!({
            "admin": may_push,
            "maintain": may_push,
            "push": may_push,
            "triage": may_push,
            "pull": true,
        });
        let url = self.repo_url(repo);
        for (name, rest) in REPO_URLS {
            value[*name] = json!(format!("{url}{rest}"));
        }
        value
    }

    fn repo_itself(&self, repo: &Repo) -> Value {
        let (name, html) = (repo.full_name(), self.html_url(repo));
        json!({
            "id": repo.id,
            "node_id": node_id("Repository", &name),
            "name": repo.name,
            "full_name": name,
            "private": repo.private,
            "visibility": if repo.private { "private" } else { "public" },
            "owner": self.user(&repo.owner),
            "html_url": html,
            "description": repo.description,
            "fork": repo.fork_of.is_some(),
            "url": self.repo_url(repo),
            "created_at": repo.created_at,
            "updated_at": repo.updated_at,
            "pushed_at": repo.pushed_at,
            "git_url": format!("{html}.git").replacen("http", "git", 1),
            "ssh_url": format!("git@github.com:{name}.git"),
            "clone_url": format!("{html}.git"),
            "svn_url": html,
            "homepage": repo.homepage,
            "default_branch": repo.default_branch,
        })
    }

    fn repo_counts(&self, repo: &Repo) -> Value {
        let open = repo.issues.values().filter(|issue| !issue.closed).count();
        let name = repo.full_name();
        let others = self.gh.repositories.values();
        let forks = others.filter(|it| it.fork_of.as_ref() == Some(&name));
        let forks = forks.count();
        json!({
            "size": 1,
            "stargazers_count": 0,
            "watchers_count": 0,
            "watchers": 0,
            "subscribers_count": 1,
            "network_count": forks,
            "forks_count": forks,
            "forks": forks,
            "open_issues_count": open,
            "open_issues": open,
        })
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

    pub(crate) fn reference(
        &self,
        repo: &Repo,
        git: &git2::Repository,
        name: &str,
        sha: &str,
    ) -> Value {
        let kind = oid(sha).and_then(|id| git.find_object(id, None).ok()?.kind());
        let kind = kind.map_or("commit", |kind| kind.str());
        let url = self.repo_url(repo);
        json!({
            "ref": name,
            "node_id": node_id("Ref", format!("{}@{name}", repo.full_name())),
            "url": format!("{url}/git/{name}"),
            "object": {"sha": sha, "type": kind, "url": format!("{url}/git/{kind}s/{sha}")},
        })
    }
}

fn settings(repo: &Repo) -> Value {
    json!({
        "language": Value::Null,
        "license": Value::Null,
        "mirror_url": Value::Null,
        "topics": [],
        "archived": repo.archived,
        "disabled": false,
        "is_template": false,
        "has_issues": true,
        "has_projects": false,
        "has_downloads": false,
        "has_wiki": false,
        "has_pages": false,
        "has_discussions": false,
        "web_commit_signoff_required": false,
        "allow_forking": true,
        "allow_squash_merge": true,
        "allow_merge_commit": true,
        "allow_rebase_merge": true,
        "allow_auto_merge": false,
        "delete_branch_on_merge": false,
    })
}
