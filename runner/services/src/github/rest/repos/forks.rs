//! Forks of a repository.

use std::sync::Arc;

use crate::github::error::{Error, Result};
use crate::github::rest::call::optional;
use crate::github::rest::{Call, Reply, Route, route};

pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/repos/*/*/forks", "repos/list-forks", forks),
    route("POST", "/repos/*/*/forks", "repos/create-fork", fork),
];

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
