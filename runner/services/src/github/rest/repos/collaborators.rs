//! Who may change a repository.

use proctor_types::world::github as kind;
use serde_json::json;

use crate::github::error::{Error, Result};
use crate::github::rest::{Call, Reply, Route, route};

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/collaborators",
        "repos/list-collaborators",
        collaborators,
    ),
    route(
        "GET",
        "/repos/*/*/contributors",
        "repos/list-contributors",
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
];

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
