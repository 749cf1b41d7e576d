//! Branches and tags.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id};
use serde_json::{Value, json};

use crate::github::error::{Error, Result};
use crate::github::rest::render::node_id;
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::session::Session;
use crate::github::state::Repo;
use crate::github::store::oid;

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/branches",
        "repos/list-branches",
        branches,
    ),
    route("GET", "/repos/*/*/branches/**", "repos/get-branch", branch),
    route("GET", "/repos/*/*/tags", "repos/list-tags", tags),
];

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
            "node_id": node_id("Ref", format!("{}@refs/tags/{name}", repo.full_name())),
        })
    })
}
