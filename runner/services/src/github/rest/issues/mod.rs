//! Issues: lists, one, opening and changing. What hangs on them is in files of
//! its own.

pub(crate) mod assignees;
pub(crate) mod comments;
pub(crate) mod labels;
pub(crate) mod milestones;

use proctor_types::journal::View;
use proctor_types::world::github::numbered_id;
use serde_json::{Map, Value, json};

use super::call::{names, optional, required};
use super::{Call, Reply, Route, route};
use crate::github::error::{Error, Result};
use crate::github::issues::{IssueChange, Milestoned, NewIssue};
use crate::github::state::Issue;

pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/issues", "issues/list", mine),
    route("GET", "/repos/*/*/issues", "issues/list-for-repo", list),
    route("POST", "/repos/*/*/issues", "issues/create", create),
    route("GET", "/repos/*/*/issues/*", "issues/get", get),
    route("PATCH", "/repos/*/*/issues/*", "issues/update", update),
    route(
        "GET",
        "/repos/*/*/issues/*/events",
        "issues/list-events",
        nothing,
    ),
    route(
        "GET",
        "/repos/*/*/issues/*/timeline",
        "issues/list-events-for-timeline",
        nothing,
    ),
];

fn mine(call: &mut Call<'_>) -> Result<Reply> {
    let actor = call.s.actor()?;
    let repos: Vec<_> = call.s.gh.repositories.values().cloned().collect();
    let all = repos
        .iter()
        .flat_map(|repo| repo.issues.values().map(move |it| (repo, it)));
    let all = all
        .filter(|(_, it)| !it.closed && it.assignees.contains(&actor))
        .collect();
    call.list(all, |s, (repo, it)| {
        let mut value = s.render().issue(repo, it);
        value["repository"] = s.render().repo(repo);
        value
    })
}

fn list(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let mut found: Vec<&Issue> = repo.issues.values().map(AsRef::as_ref).collect();
    in_order(call, &mut found);
    let is = |wanted: &str, login: &str| wanted.eq_ignore_ascii_case(login);
    if let Some(wanted) = call.query("labels") {
        let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
        found.retain(|it| {
            wanted
                .iter()
                .all(|name| it.labels.iter().any(|own| is(name, own)))
        });
    }
    if let Some(login) = call.query("creator") {
        found.retain(|it| is(login, &it.user));
    }
    match call.query("assignee") {
        Some("none") => found.retain(|it| it.assignees.is_empty()),
        Some("*") => found.retain(|it| !it.assignees.is_empty()),
        Some(login) => found.retain(|it| it.assignees.iter().any(|own| is(login, own))),
        None => {}
    }
    match call.query("milestone") {
        Some("none") => found.retain(|it| it.milestone.is_none()),
        Some("*") => found.retain(|it| it.milestone.is_some()),
        Some(number) => {
            found.retain(|it| it.milestone.map(|it| it.to_string()).as_deref() == Some(number));
        }
        None => {}
    }
    if let Some(since) = call.query("since") {
        found.retain(|it| it.updated_at.as_str() >= since);
    }
    call.list(found, |s, it| {
        s.saw(
            it.kind(),
            numbered_id(&repo.full_name(), it.number),
            View::Full,
        );
        s.render().issue(&repo, it)
    })
}

/// Sorts and filters as the query's `state`, `sort` and `direction` say.
pub(super) fn in_order(call: &Call<'_>, issues: &mut Vec<&Issue>) {
    match call.query("state").unwrap_or("open") {
        "closed" => issues.retain(|it| it.closed),
        "all" => {}
        _ => issues.retain(|it| !it.closed),
    }
    match call.query("sort") {
        Some("updated") => {
            issues.sort_by(|a, b| (&a.updated_at, a.number).cmp(&(&b.updated_at, b.number)));
        }
        Some("comments") => issues.sort_by_key(|it| (it.comments.len(), it.number)),
        _ => issues.sort_by(|a, b| (&a.created_at, a.number).cmp(&(&b.created_at, b.number))),
    }
    if call.query("direction") != Some("asc") {
        issues.reverse();
    }
}

fn create(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let mut assignees = names(&body, "Issue", "assignees")?.unwrap_or_default();
    assignees.extend(optional(&body, "Issue", "assignee")?);
    let title = match body.get("title") {
        Some(Value::Number(number)) => number.to_string(),
        _ => required(&body, "Issue", "title")?,
    };
    let new = NewIssue {
        title,
        body: optional(&body, "Issue", "body")?.unwrap_or_default(),
        labels: names(&body, "Issue", "labels")?.unwrap_or_default(),
        assignees,
        milestone: body.get("milestone").and_then(Value::as_u64),
    };
    let full_name = call.full_name();
    let number = call.s.create_issue(&full_name, new)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().issue(&repo, repo.issue(number)?))
}

fn get(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    call.s.saw(
        issue.kind(),
        numbered_id(&repo.full_name(), issue.number),
        View::Full,
    );
    Reply::ok(&call.s.render().issue(&repo, issue))
}

fn update(call: &mut Call<'_>) -> Result<Reply> {
    let change = change_of(&call.body()?, "Issue")?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    call.s.update_issue(&full_name, number, change)?;
    get(call)
}

/// What a body says about an issue, or about what a pull request has of one.
pub(super) fn change_of(body: &Map<String, Value>, resource: &str) -> Result<IssueChange> {
    let closed = match optional(body, resource, "state")?.as_deref() {
        None => None,
        Some("open") => Some(false),
        Some("closed") => Some(true),
        Some(_) => return Err(Error::field(resource, "state", "invalid")),
    };
    let reason = optional(body, resource, "state_reason")?;
    let known = ["completed", "not_planned", "reopened", "duplicate"];
    if reason.as_deref().is_some_and(|it| !known.contains(&it)) {
        return Err(Error::field(resource, "state_reason", "invalid"));
    }
    let text = match body.get("body") {
        Some(Value::Null) => Some(String::new()),
        _ => optional(body, resource, "body")?,
    };
    Ok(IssueChange {
        title: optional(body, resource, "title")?,
        body: text,
        closed,
        reason,
        labels: names(body, resource, "labels")?,
        assignees: match body.get("assignee") {
            Some(Value::String(login)) if !login.is_empty() => Some(vec![login.clone()]),
            _ => names(body, resource, "assignees")?,
        },
        milestone: body
            .get("milestone")
            .map(|it| it.as_u64().map_or(Milestoned::Cleared, Milestoned::Number)),
    })
}

fn nothing(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?.issue(call.number(2)?)?;
    Reply::ok(&json!([]))
}
