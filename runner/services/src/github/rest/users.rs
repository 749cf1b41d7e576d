//! The interface itself, and accounts.

use proctor_types::journal::View;
use proctor_types::world::github as kind;
use serde_json::json;

use super::super::error::{Error, Result};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route("GET", "/", "meta/root", root),
    route("GET", "/meta", "meta/get", meta),
    route("GET", "/rate_limit", "rate-limit/get", rate_limit),
    route("GET", "/user", "users/get-authenticated", own),
    route(
        "GET",
        "/user/emails",
        "users/list-emails-for-authenticated-user",
        emails,
    ),
    route(
        "GET",
        "/user/orgs",
        "orgs/list-for-authenticated-user",
        orgs,
    ),
    route("GET", "/users/*", "users/get-by-username", user),
    route(
        "GET",
        "/users/*/received_events",
        "activity/list-received-events-for-user",
        nothing,
    ),
    route(
        "GET",
        "/users/*/events",
        "activity/list-events-for-authenticated-user",
        nothing,
    ),
    route(
        "GET",
        "/notifications",
        "activity/list-notifications-for-authenticated-user",
        nothing,
    ),
    route("GET", "/orgs/*", "orgs/get", org),
    route("GET", "/users/*/repos", "repos/list-for-user", repos),
    route("GET", "/orgs/*/repos", "repos/list-for-org", repos),
    route(
        "GET",
        "/user/repos",
        "repos/list-for-authenticated-user",
        own_repos,
    ),
];

fn root(call: &mut Call<'_>) -> Result<Reply> {
    let api = &call.s.urls.api;
    Reply::ok(&json!({
        "current_user_url": format!("{api}/user"),
        "code_search_url": format!("{api}/search/code?q={{query}}{{&page,per_page,sort,order}}"),
        "commit_search_url": format!("{api}/search/commits?q={{query}}{{&page,per_page,sort,order}}"),
        "issue_search_url": format!("{api}/search/issues?q={{query}}{{&page,per_page,sort,order}}"),
        "rate_limit_url": format!("{api}/rate_limit"),
        "repository_url": format!("{api}/repos/{{owner}}/{{repo}}"),
        "repository_search_url": format!("{api}/search/repositories?q={{query}}{{&page,per_page,sort,order}}"),
        "user_url": format!("{api}/users/{{user}}"),
        "user_repositories_url": format!("{api}/users/{{user}}/repos{{?type,page,per_page,sort}}"),
    }))
}

fn meta(_call: &mut Call<'_>) -> Result<Reply> {
    Reply::ok(&json!({
        "verifiable_password_authentication": false,
        "hooks": [], "web": [], "api": [], "git": [], "packages": [], "pages": [], "importer": [],
    }))
}

fn rate_limit(_call: &mut Call<'_>) -> Result<Reply> {
    let rate = json!({"limit": 5000, "used": 1, "remaining": 4999, "reset": 4_102_444_800_i64});
    Reply::ok(&json!({
        "resources": {"core": rate, "search": rate, "graphql": rate, "code_search": rate},
        "rate": rate,
    }))
}

fn own(call: &mut Call<'_>) -> Result<Reply> {
    let login = call.s.actor()?;
    let mut value = call.s.render().full_user(&login);
    value["two_factor_authentication"] = json!(true);
    value["plan"] =
        json!({"name": "free", "space": 976_562_499, "private_repos": 10_000, "collaborators": 0});
    Reply::ok(&value)
}

/// Nothing happens that nobody looks at.
fn nothing(call: &mut Call<'_>) -> Result<Reply> {
    call.s.actor()?;
    Reply::ok(&json!([]))
}

fn emails(call: &mut Call<'_>) -> Result<Reply> {
    let login = call.s.actor()?;
    let email = call.s.gh.user(&login).and_then(|user| user.email.clone());
    Reply::ok(&json!([{"email": email, "primary": true, "verified": true, "visibility": "public"}]))
}

fn orgs(call: &mut Call<'_>) -> Result<Reply> {
    call.s.actor()?;
    let all = call.s.gh.users.values().filter(|user| user.organization);
    let all: Vec<String> = all.map(|user| user.login.clone()).collect();
    call.list(all, |s, login| s.render().user(&login))
}

fn user(call: &mut Call<'_>) -> Result<Reply> {
    let user = call.s.gh.user(call.arg(0)).ok_or_else(Error::not_found)?;
    let login = user.login.clone();
    Reply::ok(&call.s.render().full_user(&login))
}

fn org(call: &mut Call<'_>) -> Result<Reply> {
    let user = call.s.gh.user(call.arg(0)).filter(|user| user.organization);
    let login = user.ok_or_else(Error::not_found)?.login.clone();
    Reply::ok(&call.s.render().full_user(&login))
}

fn repos(call: &mut Call<'_>) -> Result<Reply> {
    let owner = call.arg(0).to_owned();
    call.s.gh.user(&owner).ok_or_else(Error::not_found)?;
    listed(call, |name| name.eq_ignore_ascii_case(&owner))
}

fn own_repos(call: &mut Call<'_>) -> Result<Reply> {
    call.s.actor()?;
    listed(call, |_| true)
}

fn listed(call: &mut Call<'_>, fits: impl Fn(&str) -> bool) -> Result<Reply> {
    let all = call
        .s
        .gh
        .repositories
        .values()
        .filter(|repo| fits(&repo.owner));
    let names: Vec<String> = all.map(|repo| repo.full_name()).collect();
    let seen: Vec<_> = names
        .iter()
        .filter_map(|name| call.s.repo(name).ok())
        .collect();
    call.list(seen, |s, repo| {
        s.saw(kind::REPOSITORY, repo.full_name(), View::Summary);
        s.render().repo(&repo)
    })
}
