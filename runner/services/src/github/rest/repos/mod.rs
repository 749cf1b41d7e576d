//! Repositories: making, reading, changing and deleting them. What is in them
//! is in files of its own.

pub(crate) mod absent;
pub(crate) mod branches;
pub(crate) mod collaborators;
pub(crate) mod commits;
pub(crate) mod forks;
pub(crate) mod statuses;

use proctor_types::journal::{Change, View};
use proctor_types::world::github as kind;
use serde_json::Value;

use super::call::{optional, required};
use super::{Call, Reply, Route, route};
use crate::github::error::{Error, Result};
use crate::github::push::FilesCommit;

pub(crate) static ROUTES: &[Route] = &[
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
