//! Commits: the history, one, what lies between two, and what they are part of.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id};
use serde_json::{Value, json};

use crate::github::error::{Error, Result};
use crate::github::git;
use crate::github::pulls::compare::Compared;
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::state::Pull;

pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/repos/*/*/commits", "repos/list-commits", commits),
    route(
        "GET",
        "/repos/*/*/commits/*/pulls",
        "repos/list-pull-requests-associated-with-commit",
        pulls_of,
    ),
    route("GET", "/repos/*/*/commits/**", "repos/get-commit", commit),
    route(
        "GET",
        "/repos/*/*/compare/**",
        "repos/compare-commits",
        compare,
    ),
];

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

fn pulls_of(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let id = repo.resolve(&git, Some(call.arg(2)))?;
    let has = |pull: &Pull| {
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
        return Reply::media("diff", text);
    }
    if call.wants("patch") {
        let mut options = git2::EmailCreateOptions::new();
        let text = git2::Email::from_commit(&commit, &mut options)?
            .as_slice()
            .to_vec();
        return Reply::media("patch", text);
    }
    if call.wants("sha") {
        return Reply::media("sha", id.to_string().into_bytes());
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
        return Reply::media("diff", compared.diff_text(&git)?);
    }
    if call.wants("patch") {
        return Reply::media("patch", compared.patch_text(&git)?);
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
