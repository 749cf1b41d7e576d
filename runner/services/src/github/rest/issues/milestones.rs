//! Milestones of a repository.

use proctor_types::world::github as kind;
use serde_json::{Map, Value};

use crate::github::error::{Error, Result};
use crate::github::rest::call::{optional, required};
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::state::Milestone;

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/milestones",
        "issues/list-milestones",
        milestones,
    ),
    route(
        "POST",
        "/repos/*/*/milestones",
        "issues/create-milestone",
        create_milestone,
    ),
    route(
        "GET",
        "/repos/*/*/milestones/*",
        "issues/get-milestone",
        get_milestone,
    ),
    route(
        "PATCH",
        "/repos/*/*/milestones/*",
        "issues/update-milestone",
        update_milestone,
    ),
];

fn milestones(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let state = call.query("state").unwrap_or("open").to_owned();
    let fits = |it: &&Milestone| state == "all" || it.closed == (state == "closed");
    call.list(repo.milestones.iter().filter(fits).collect(), |s, it| {
        s.render().milestone(&repo, it)
    })
}

/// What a body says of the state.
fn closed(body: &Map<String, Value>) -> Result<Option<bool>> {
    match optional(body, "Milestone", "state")?.as_deref() {
        None => Ok(None),
        Some("open") => Ok(Some(false)),
        Some("closed") => Ok(Some(true)),
        Some(_) => Err(Error::field("Milestone", "state", "invalid")),
    }
}

fn create_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let title = required(&body, "Milestone", "title")?;
    let (id, now, creator) = (call.s.fresh(), call.s.time(), call.s.actor()?);
    let repo = call.s.gh.repo_mut(&full_name)?;
    if repo.milestones.iter().any(|it| it.title == title) {
        return Err(Error::field("Milestone", "title", "already_exists"));
    }
    let number = repo
        .milestones
        .iter()
        .map(|it| it.number)
        .max()
        .unwrap_or(0)
        + 1;
    let milestone = Milestone {
        id,
        number,
        title,
        description: optional(&body, "Milestone", "description")?,
        closed: closed(&body)?.unwrap_or(false),
        due_on: optional(&body, "Milestone", "due_on")?,
        creator,
        created_at: now.clone(),
        updated_at: now,
    };
    repo.milestones.push(milestone.clone());
    call.s
        .updated(kind::REPOSITORY, full_name.clone(), &["milestones"]);
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().milestone(&repo, &milestone))
}

fn get_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let number = call.number(2)?;
    let mut all = repo.milestones.iter();
    let found = all
        .find(|it| it.number == number)
        .ok_or_else(Error::not_found)?;
    Reply::ok(&call.s.render().milestone(&repo, found))
}

fn update_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let (number, now) = (call.number(2)?, call.s.time());
    let repo = call.s.gh.repo_mut(&full_name)?;
    let mut all = repo.milestones.iter_mut();
    let it = all
        .find(|it| it.number == number)
        .ok_or_else(Error::not_found)?;
    if let Some(title) = optional(&body, "Milestone", "title")? {
        it.title = title;
    }
    for (name, place) in [
        ("description", &mut it.description),
        ("due_on", &mut it.due_on),
    ] {
        if body.contains_key(name) {
            *place = optional(&body, "Milestone", name)?;
        }
    }
    if let Some(closed) = closed(&body)? {
        it.closed = closed;
    }
    it.updated_at = now;
    call.s.updated(kind::REPOSITORY, full_name, &["milestones"]);
    get_milestone(call)
}
