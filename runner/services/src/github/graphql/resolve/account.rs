//! Fields of users and organizations.

use serde_json::Value;

use super::super::node::{Node, Out, connection};
use super::{Args, text};
use crate::github::error::{Error, Result};
use crate::github::session::Session;

/// A field of an account.
pub(super) fn field(s: &Session, login: &str, name: &str, args: &Args) -> Result<Out> {
    let user = s.gh.user(login).ok_or_else(Error::not_found)?;
    Ok(match name {
        "databaseId" => Out::of(user.id),
        "login" => Out::of(&user.login),
        "name" => Out::of(&user.name),
        "email" => Out::of(user.email.clone().unwrap_or_default()),
        "avatarUrl" => Out::of(format!("https://avatars.githubusercontent.com/{login}")),
        "url" => Out::of(format!("{}/{login}", s.urls.html)),
        "isViewer" => Out::of(s.actor.as_deref() == Some(login)),
        "viewerCanCreateRepositories" => Out::of(true),
        "createdAt" => Out::of("2020-01-01T00:00:00Z"),
        "repositories" => {
            let privacy = text(args, "privacy");
            let fork = args.get("isFork").and_then(Value::as_bool);
            let all = s.gh.repositories.values().filter(|repo| {
                repo.owner.eq_ignore_ascii_case(login)
                    && (!repo.private || s.may_push(repo))
                    && (privacy.is_empty() || repo.private == (privacy == "PRIVATE"))
                    && fork.is_none_or(|fork| fork == repo.fork_of.is_some())
            });
            Out::Node(connection(
                all.map(|repo| Node::Repository(repo.full_name())).collect(),
                args,
            ))
        }
        "organizations" | "teams" | "projects" | "projectsV2" => {
            Out::Node(connection(Vec::new(), args))
        }
        _ => Out::Null,
    })
}

/// Actors of these logins.
pub(super) fn actors<'a>(s: &Session, logins: impl IntoIterator<Item = &'a String>) -> Vec<Node> {
    logins
        .into_iter()
        .filter_map(|login| Node::account(s, login))
        .collect()
}
