//! Repositories, branches, commits and what hangs on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use proctor_types::journal::{Change, View};
use proctor_types::world::github::{self as kind, at_id};
use serde_json::{Value, json};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::pulls::compare::Compared;
use super::super::push::FilesCommit;
use super::super::seed::repository::default_labels;
use super::super::session::Session;
use super::super::state::{Repo, Status};
use super::super::store::{Objects, oid};
use super::call::{optional, required};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route(
        "POST",
        "/user/repos",
        "repos/create-for-authenticated-user",
        create,
    ),
    route(
        "POST",
        "/orgs/*/repos",
        "repos/create-in-org",
        create_in_org,
    ),
    route("GET", "/repos/*/*", "repos/get", get),
    route("PATCH", "/repos/*/*", "repos/update", update),
    route("DELETE", "/repos/*/*", "repos/delete", delete),
    route(
        "GET",
        "/repos/*/*/branches",
        "repos/list-branches",
        branches,
    ),
    route("GET", "/repos/*/*/branches/**", "repos/get-branch", branch),
    route("GET", "/repos/*/*/commits", "repos/list-commits", commits),
    route(
        "GET",
        "/repos/*/*/commits/*/status",
        "repos/get-combined-status-for-ref",
        status,
    ),
    route(
        "GET",
        "/repos/*/*/commits/*/statuses",
        "repos/list-commit-statuses-for-ref",
        statuses,
    ),
    route(
        "GET",
        "/repos/*/*/commits/*/check-runs",
        "checks/list-for-ref",
        check_runs,
    ),
    route(
        "GET",
        "/repos/*/*/commits/*/check-suites",
        "checks/list-suites-for-ref",
        check_suites,
    ),
    route(
        "GET",
        "/repos/*/*/commits/*/pulls",
        "repos/list-pull-requests-associated-with-commit",
        pulls_of,
    ),
    route("GET", "/repos/*/*/commits/**", "repos/get-commit", commit),
    route(
        "POST",
        "/repos/*/*/statuses/*",
        "repos/create-commit-status",
        create_status,
    ),
    route(
        "GET",
        "/repos/*/*/compare/**",
        "repos/compare-commits",
        compare,
    ),
    route("GET", "/repos/*/*/tags", "repos/list-tags", tags),
    route("GET", "/repos/*/*/forks", "repos/list-forks", forks),
    route("POST", "/repos/*/*/forks", "repos/create-fork", fork),
    route(
        "GET",
        "/repos/*/*/collaborators",
        "repos/list-collaborators",
        collaborators,
    ),
    route(
        "GET",
        "/repos/*/*/collaborators/*",
        "repos/check-collaborator",
        collaborator,
    ),
    route(
        "GET",
        "/repos/*/*/collaborators/*/permission",
        "repos/get-collaborator-permission-level",
        permission,
    ),
    route(
        "PUT",
        "/repos/*/*/collaborators/*",
        "repos/add-collaborator",
        add_collaborator,
    ),
    route(
        "GET",
        "/repos/*/*/contributors",
        "repos/list-contributors",
        collaborators,
    ),
    route(
        "GET",
        "/repos/*/*/languages",
        "repos/list-languages",
        nothing_map,
    ),
    route(
        "GET",
        "/repos/*/*/releases",
        "repos/list-releases",
        nothing_list,
    ),
    route(
        "GET",
        "/repos/*/*/hooks",
        "repos/list-webhooks",
        nothing_list,
    ),
    route("GET", "/repos/*/*/topics", "repos/get-all-topics", topics),
    route(
        "GET",
        "/repos/*/*/actions/runs",
        "actions/list-workflow-runs-for-repo",
        runs,
    ),
    route(
        "GET",
        "/repos/*/*/actions/workflows",
        "actions/list-repo-workflows",
        workflows,
    ),
    route(
        "GET",
        "/repos/*/*/actions/workflows/*/runs",
        "actions/list-workflow-runs",
        runs,
    ),
];

fn create(call: &mut Call<'_>) -> Result<Reply> {
    let owner = call.s.actor()?;
    made(call, &owner)
}

fn create_in_org(call: &mut Call<'_>) -> Result<Reply> {
    let owner = call.s.gh.user(call.arg(0)).filter(|user| user.organization);
    let owner = owner.ok_or_else(Error::not_found)?.login.clone();
    made(call, &owner)
}

fn made(call: &mut Call<'_>, owner: &str) -> Result<Reply> {
    let body = call.body()?;
    let name = required(&body, "Repository", "name")?;
    let description = optional(&body, "Repository", "description")?;
    let private = body
        .get("private")
        .and_then(Value::as_bool)
        .unwrap_or(false)
        || body.get("visibility").and_then(Value::as_str) == Some("private");
    let begin = body
        .get("auto_init")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let full_name = call.s.create_repo(owner, &name, description, private)?;
    if begin {
        call.s.commit_files(
            &full_name,
            FilesCommit {
                message: "Initial commit".to_owned(),
                files: vec![(
                    "README.md".to_owned(),
                    Some(format!("# {name}\n").into_bytes()),
                )],
                ..FilesCommit::default()
            },
        )?;
    }
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().whole_repo(&repo))
}

impl Session {
    /// Makes an empty repository. Gives its full name.
    pub(crate) fn create_repo(
        &mut self,
        owner: &str,
        name: &str,
        description: Option<String>,
        private: bool,
    ) -> Result<String> {
        let actor = self.actor()?;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '-' })
            .collect();
        if name.is_empty() || name.len() > 100 || name.starts_with('.') {
            return Err(Error::field("Repository", "name", "invalid"));
        }
        let full_name = format!("{owner}/{name}");
        if self.gh.by_full_name(&full_name).is_ok() {
            let text = "name already exists on this account";
            return Err(Error::custom("Repository", text));
        }
        let now = self.time();
        let objects = Objects::new().map_err(|error| Error::new(500, error.to_string()))?;
        let repo = Repo {
            id: self.fresh(),
            owner: owner.to_owned(),
            name,
            description,
            homepage: None,
            private,
            archived: false,
            default_branch: "main".to_owned(),
            seeded: false,
            fork_of: None,
            created_at: now.clone(),
            updated_at: now.clone(),
            pushed_at: now,
            objects,
            refs: BTreeMap::new(),
            protection: BTreeMap::new(),
            labels: default_labels(&mut self.ids),
            milestones: Vec::new(),
            collaborators: std::iter::once(actor).collect(),
            issues: BTreeMap::new(),
            pushers: BTreeMap::new(),
            seeded_commits: Arc::default(),
            statuses: BTreeMap::new(),
        };
        self.gh
            .repositories
            .insert(full_name.to_ascii_lowercase(), Arc::new(repo));
        self.did(kind::REPOSITORY, full_name.clone(), Change::Created);
        Ok(full_name)
    }
}

fn get(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    call.s.saw(kind::REPOSITORY, repo.full_name(), View::Full);
    Reply::ok(&call.s.render().whole_repo(&repo))
}

fn update(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let body = call.body()?;
    let repo = call.s.gh.repo_mut(&full_name)?;
    let mut fields = Vec::new();
    for (name, place) in [
        ("description", &mut repo.description),
        ("homepage", &mut repo.homepage),
    ] {
        if body.contains_key(name) {
            *place = optional(&body, "Repository", name)?;
            fields.push(name);
        }
    }
    for (name, place) in [
        ("private", &mut repo.private),
        ("archived", &mut repo.archived),
    ] {
        if let Some(value) = body.get(name).and_then(Value::as_bool) {
            *place = value;
            fields.push(name);
        }
    }
    if let Some(branch) = optional(&body, "Repository", "default_branch")? {
        if repo.branch(&branch).is_none() {
            return Err(Error::field("Repository", "default_branch", "invalid"));
        }
        repo.default_branch = branch;
        fields.push("default_branch");
    }
    call.s.updated(kind::REPOSITORY, full_name.clone(), &fields);
    let repo = call.s.repo(&full_name)?;
    Reply::ok(&call.s.render().whole_repo(&repo))
}

fn delete(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    call.s
        .gh
        .repositories
        .remove(&full_name.to_ascii_lowercase());
    call.s.did(kind::REPOSITORY, full_name, Change::Deleted);
    Reply::empty()
}

fn branch_json(s: &Session, repo: &Repo, name: &str, sha: &str) -> Value {
    let url = s.render().repo_url(repo);
    let protected = repo.protection.contains_key(name);
    json!({
        "name": name,
        "commit": {"sha": sha, "url": format!("{url}/commits/{sha}")},
        "protected": protected,
        "protection": {"enabled": protected, "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []}},
        "protection_url": format!("{url}/branches/{name}/protection"),
    })
}

fn branches(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let own = |(name, sha): (&str, &str)| (name.to_owned(), sha.to_owned());
    let all: Vec<_> = repo.branches().map(own).collect();
    call.list(all, |s, (name, sha)| {
        s.saw(
            kind::BRANCH,
            at_id(&repo.full_name(), &name),
            View::Reference,
        );
        branch_json(s, &repo, &name, &sha)
    })
}

fn branch(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let name = call.arg(2).to_owned();
    let sha = repo
        .branch(&name)
        .ok_or_else(|| Error::new(404, "Branch not found"))?;
    let git = repo.objects.open()?;
    let commit = git.find_commit(oid(sha).ok_or_else(Error::not_found)?)?;
    let mut value = branch_json(call.s, &repo, &name, sha);
    value["commit"] = call.s.render().commit(&repo, &commit);
    call.s
        .saw(kind::BRANCH, at_id(&repo.full_name(), &name), View::Full);
    Reply::ok(&value)
}

fn commits(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    if repo.branches().next().is_none() {
        return Err(Error::new(409, "Git Repository is empty."));
    }
    let git = repo.objects.open()?;
    let head = repo.resolve(&git, call.query("sha"))?;
    let mut all = git::between(&git, None, head)?;
    if let Some(path) = call
        .query("path")
        .map(|path| path.trim_matches('/').to_owned())
    {
        all.retain(|id| touches(&git, *id, &path).unwrap_or(false));
    }
    if let Some(author) = call.query("author") {
        all.retain(|id| {
            let commit = git.find_commit(*id);
            let email =
                commit.map(|it| String::from_utf8_lossy(it.author().email_bytes()).into_owned());
            let email = email.unwrap_or_default();
            let user = call.s.gh.user_by_email(&email);
            email == author || user.is_some_and(|user| user.login.eq_ignore_ascii_case(author))
        });
    }
    call.list(all, |s, id| {
        s.saw(
            kind::COMMIT,
            at_id(&repo.full_name(), &id.to_string()),
            View::Summary,
        );
        git.find_commit(id)
            .map_or(Value::Null, |it| s.render().commit(&repo, &it))
    })
}

/// Whether a commit changes a path against its first parent.
fn touches(git: &git2::Repository, id: git2::Oid, path: &str) -> Result<bool> {
    let commit = git.find_commit(id)?;
    let entry = |commit: &git2::Commit<'_>| {
        let tree = commit.tree().ok()?;
        tree.get_path(path.as_ref()).ok().map(|it| it.id())
    };
    let before = commit.parent(0).ok().and_then(|parent| entry(&parent));
    Ok(entry(&commit) != before)
}

fn commit(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let missing = |_| Error::new(422, format!("No commit found for SHA: {}", call.arg(2)));
    let id = repo.resolve(&git, Some(call.arg(2))).map_err(missing)?;
    let commit = git.find_commit(id)?;
    call.s.saw(
        kind::COMMIT,
        at_id(&repo.full_name(), &id.to_string()),
        View::Full,
    );
    let old = commit.parent(0).and_then(|parent| parent.tree()).ok();
    let new = commit.tree()?;
    if call.wants("diff") {
        let text = git::diff_text(&git, old.as_ref(), Some(&new))?;
        return Ok(Reply::raw(
            200,
            "application/vnd.github.diff; charset=utf-8",
            text,
        ));
    }
    if call.wants("patch") {
        let mut options = git2::EmailCreateOptions::new();
        let text = git2::Email::from_commit(&commit, &mut options)?
            .as_slice()
            .to_vec();
        return Ok(Reply::raw(
            200,
            "application/vnd.github.patch; charset=utf-8",
            text,
        ));
    }
    if call.wants("sha") {
        return Ok(Reply::raw(
            200,
            "application/vnd.github.sha; charset=utf-8",
            id.to_string().into_bytes(),
        ));
    }
    let files = git::diff(&git, old.as_ref(), Some(&new))?;
    let render = call.s.render();
    let mut value = render.commit(&repo, &commit);
    let (plus, minus) = totals(&files);
    value["stats"] = json!({"total": plus + minus, "additions": plus, "deletions": minus});
    let sha = id.to_string();
    value["files"] = files
        .iter()
        .map(|it| render.file(&repo, &sha, it))
        .collect();
    Reply::ok(&value)
}

fn totals(files: &[git::FileDiff]) -> (usize, usize) {
    let plus = files.iter().map(|it| it.additions).sum();
    (plus, files.iter().map(|it| it.deletions).sum())
}

fn compare(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (base, head) = call.arg(2).split_once("...").ok_or_else(Error::not_found)?;
    let git = repo.objects.open()?;
    // `owner:branch` of the same repository, or of a fork whose commits are here.
    let side = |name: &str| match name.split_once(':') {
        Some((owner, name)) if owner.eq_ignore_ascii_case(&repo.owner) => {
            repo.resolve(&git, Some(name))
        }
        Some((owner, name)) => {
            let fork = call.s.repo(&format!("{owner}/{}", repo.name))?;
            fork.resolve(&fork.objects.open()?, Some(name))
        }
        None => repo.resolve(&git, Some(name)),
    };
    let (base, head) = (side(base)?, side(head)?);
    let compared = Compared::of(&git, base, head)?;
    if call.wants("diff") {
        return Ok(Reply::raw(
            200,
            "application/vnd.github.diff; charset=utf-8",
            compared.diff_text(&git)?,
        ));
    }
    if call.wants("patch") {
        return Ok(Reply::raw(
            200,
            "application/vnd.github.patch; charset=utf-8",
            compared.patch_text(&git)?,
        ));
    }
    let behind = git::between(&git, Some(head), base)?.len();
    let ahead = compared.commits.len();
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let files = compared.files(&git)?;
    let render = call.s.render();
    let shown = |id: git2::Oid| {
        git.find_commit(id)
            .map_or(Value::Null, |it| render.commit(&repo, &it))
    };
    let sha = head.to_string();
    let html = format!("{}/compare/{}", render.html_url(&repo), call.arg(2));
    let value = json!({
        "url": format!("{}/compare/{}", render.repo_url(&repo), call.arg(2)),
        "html_url": html,
        "permalink_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "base_commit": shown(base),
        "merge_base_commit": compared.fork_point.map(shown),
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": compared.commits.iter().take(250).map(|id| shown(*id)).collect::<Vec<_>>(),
        "files": files.iter().take(300).map(|it| render.file(&repo, &sha, it)).collect::<Vec<_>>(),
    });
    call.s
        .saw(kind::COMMIT, at_id(&repo.full_name(), &sha), View::Full);
    Reply::ok(&value)
}

fn status(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let id = repo
        .resolve(&repo.objects.open()?, Some(call.arg(2)))?
        .to_string();
    let render = call.s.render();
    let mut latest: BTreeMap<&str, &Status> = BTreeMap::new();
    for it in repo.statuses.get(&id).into_iter().flatten() {
        latest.insert(&it.context, it);
    }
    let has = |state: &str| latest.values().any(|it| it.state == state);
    let state = if has("failure") || has("error") {
        "failure"
    } else if latest.is_empty() || has("pending") {
        "pending"
    } else {
        "success"
    };
    Reply::ok(&json!({
        "state": state,
        "statuses": latest.values().map(|it| render.status(&repo, &id, it)).collect::<Vec<_>>(),
        "sha": id,
        "total_count": latest.len(),
        "repository": render.repo(&repo),
        "commit_url": format!("{}/commits/{id}", render.repo_url(&repo)),
        "url": format!("{}/commits/{id}/status", render.repo_url(&repo)),
    }))
}

fn statuses(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let id = repo
        .resolve(&repo.objects.open()?, Some(call.arg(2)))?
        .to_string();
    let all: Vec<Status> = repo.statuses.get(&id).cloned().unwrap_or_default();
    call.list(all.into_iter().rev().collect(), |s, it| {
        s.render().status(&repo, &id, &it)
    })
}

fn create_status(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let body = call.body()?;
    let sha = call.arg(2).to_owned();
    let (id, created_at, creator) = (call.s.fresh(), call.s.time(), call.s.actor()?);
    let state = required(&body, "Status", "state")?;
    if !matches!(state.as_str(), "error" | "failure" | "pending" | "success") {
        return Err(Error::field("Status", "state", "invalid"));
    }
    let status = Status {
        id,
        state,
        context: optional(&body, "Status", "context")?.unwrap_or_else(|| "default".to_owned()),
        description: optional(&body, "Status", "description")?,
        target_url: optional(&body, "Status", "target_url")?,
        creator,
        created_at,
    };
    let repo = call.s.gh.repo_mut(&full_name)?;
    let missing = || Error::new(422, format!("No commit found for SHA: {sha}"));
    let found = oid(&sha).ok_or_else(missing)?;
    repo.objects
        .open()?
        .find_commit(found)
        .map_err(|_| missing())?;
    repo.statuses
        .entry(sha.clone())
        .or_default()
        .push(status.clone());
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().status(&repo, &sha, &status))
}

fn check_runs(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({"total_count": 0, "check_runs": []}))
}

fn check_suites(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({"total_count": 0, "check_suites": []}))
}

fn runs(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({"total_count": 0, "workflow_runs": []}))
}

fn workflows(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({"total_count": 0, "workflows": []}))
}

fn nothing_list(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!([]))
}

fn nothing_map(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({}))
}

fn topics(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?;
    Reply::ok(&json!({"names": []}))
}

fn pulls_of(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let id = repo.resolve(&git, Some(call.arg(2)))?;
    let has = |pull: &super::super::state::Pull| {
        let compared = pull.compared(&git);
        compared.is_ok_and(|it| it.commits.contains(&id))
    };
    let all = repo
        .issues
        .values()
        .filter(|it| it.pull.as_ref().is_some_and(has));
    let all: Vec<u64> = all.map(|it| it.number).collect();
    call.list(all, |s, number| match repo.pull(number) {
        Ok((issue, pull)) => s.render().pull(&repo, issue, pull),
        Err(_) => Value::Null,
    })
}

fn tags(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let own = |(name, sha): (&str, &str)| (name.to_owned(), sha.to_owned());
    let all: Vec<_> = repo.tags().map(own).collect();
    let git = repo.objects.open()?;
    call.list(all, |s, (name, sha)| {
        let url = s.render().repo_url(&repo);
        let commit = repo.resolve(&git, Some(&format!("refs/tags/{name}")));
        let sha = commit.map_or(sha, |id| id.to_string());
        json!({
            "name": name,
            "zipball_url": format!("{url}/zipball/refs/tags/{name}"),
            "tarball_url": format!("{url}/tarball/refs/tags/{name}"),
            "commit": {"sha": sha, "url": format!("{url}/commits/{sha}")},
            "node_id": super::render::node_id("Ref", format!("{}@refs/tags/{name}", repo.full_name())),
        })
    })
}

fn forks(call: &mut Call<'_>) -> Result<Reply> {
    let name = call.repo()?.full_name();
    let all = call
        .s
        .gh
        .repositories
        .values()
        .filter(|it| it.fork_of.as_ref() == Some(&name));
    let all: Vec<_> = all.map(Arc::clone).collect();
    call.list(all, |s, repo| s.render().repo(&repo))
}

fn fork(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let body = call.body()?;
    let owner = match optional(&body, "Fork", "organization")? {
        Some(name) => name,
        None => call.s.actor()?,
    };
    let name = optional(&body, "Fork", "name")?.unwrap_or_else(|| repo.name.clone());
    let full_name = format!("{owner}/{name}");
    if full_name.eq_ignore_ascii_case(&repo.full_name()) {
        return Err(Error::new(403, "You cannot fork a repository onto itself."));
    }
    if call.s.gh.by_full_name(&full_name).is_err() {
        call.s
            .create_repo(&owner, &name, repo.description.clone(), repo.private)?;
        let fork = call.s.gh.repo_mut(&full_name)?;
        fork.objects = repo.objects.clone();
        fork.refs = repo.refs.clone();
        fork.refs.retain(|name, _| !name.starts_with("refs/pull/"));
        fork.default_branch.clone_from(&repo.default_branch);
        fork.seeded_commits = Arc::clone(&repo.seeded_commits);
        fork.fork_of = Some(repo.full_name());
    }
    let fork = call.s.repo(&full_name)?;
    Ok(Reply::json(202, &call.s.render().whole_repo(&fork)))
}

fn collaborators(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let all: Vec<String> = repo.collaborators.iter().cloned().collect();
    call.list(all, |s, login| {
        let mut value = s.render().user(&login);
        value["permissions"] =
            json!({"pull": true, "triage": true, "push": true, "maintain": true, "admin": true});
        value["role_name"] = json!("admin");
        value["contributions"] = json!(1);
        value
    })
}

fn collaborator(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let login = call.arg(2);
    let is = |it: &String| it.eq_ignore_ascii_case(login);
    if repo.owner.eq_ignore_ascii_case(login) || repo.collaborators.iter().any(is) {
        Reply::empty()
    } else {
        Err(Error::not_found())
    }
}

fn permission(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let user = call.s.gh.user(call.arg(2)).ok_or_else(Error::not_found)?;
    let may = repo.owner == user.login || repo.collaborators.contains(&user.login);
    let level = if may { "admin" } else { "read" };
    Reply::ok(
        &json!({"permission": level, "role_name": level, "user": call.s.render().user(&user.login)}),
    )
}

fn add_collaborator(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let login = call
        .s
        .gh
        .user(call.arg(2))
        .ok_or_else(Error::not_found)?
        .login
        .clone();
    call.s.gh.repo_mut(&full_name)?.collaborators.insert(login);
    call.s
        .updated(kind::REPOSITORY, full_name, &["collaborators"]);
    Reply::empty()
}
