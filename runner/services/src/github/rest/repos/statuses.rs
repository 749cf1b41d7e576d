//! Statuses that somebody gave to commits.

use std::collections::BTreeMap;

use serde_json::json;

use crate::github::error::{Error, Result};
use crate::github::rest::call::{optional, required};
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::state::Status;
use crate::github::store::oid;

pub(crate) static ROUTES: &[Route] = &[
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
        "POST",
        "/repos/*/*/statuses/*",
        "repos/create-commit-status",
        create_status,
    ),
];

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
