//! Fields of the query itself: where a query begins.

use proctor_types::journal::View;
use proctor_types::world::github as kind;
use serde_json::Value;

use super::super::node::{Node, Out, connection, record};
use super::issues::issue_node;
use super::{Args, text};
use crate::github::error::{Error, Result};
use crate::github::rest::search::Query;
use crate::github::session::Session;

/// A field of the query itself.
pub(in crate::github::graphql) fn field(s: &mut Session, name: &str, args: &Args) -> Result<Out> {
    match name {
        "viewer" => Ok(Out::Node(Node::User(s.actor()?))),
        "user" | "organization" | "repositoryOwner" => {
            let login = text(args, "login");
            let found = Node::account(s, login).filter(|it| match it {
                Node::Organization(_) => name != "user",
                _ => name != "organization",
            });
            let what = if name == "organization" {
                "an Organization"
            } else {
                "a User"
            };
            let missing = || unresolved(&format!("{what} with the login of"), login);
            Ok(Out::Node(found.ok_or_else(missing)?))
        }
        "repository" => {
            let full_name = format!("{}/{}", text(args, "owner"), text(args, "name"));
            let repo = s.repo(&full_name);
            let missing = |_| unresolved("a Repository with the name", &full_name);
            let full_name = repo.map_err(missing)?.full_name();
            s.saw(kind::REPOSITORY, full_name.clone(), View::Summary);
            Ok(Out::Node(Node::Repository(full_name)))
        }
        "node" => {
            let id = text(args, "id");
            let found = Node::find(s, id);
            Ok(Out::Node(found.ok_or_else(|| {
                unresolved("a node with the global id of", id)
            })?))
        }
        "nodes" => {
            let ids = args
                .get("ids")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let found = ids.filter_map(|id| Node::find(s, id.as_str()?)).collect();
            Ok(Out::List(found))
        }
        "search" => Ok(Out::Node(connection(search(s, args), args))),
        "rateLimit" => Ok(Out::Node(record(
            "RateLimit",
            [
                ("limit", Out::of(5000)),
                ("cost", Out::of(1)),
                ("remaining", Out::of(4999)),
                ("used", Out::of(1)),
                ("resetAt", Out::of("2100-01-01T00:00:00Z")),
            ],
        ))),
        _ => Err(Error::not_found()),
    }
}

fn search(s: &mut Session, args: &Args) -> Vec<Node> {
    let words = text(args, "query");
    let query = Query::parse(words);
    match text(args, "type") {
        "ISSUE" => {
            let found = s.search_issues(&query);
            found
                .iter()
                .map(|(repo, number)| issue_node(repo, *number))
                .collect()
        }
        "REPOSITORY" => {
            let all =
                s.gh.repositories
                    .values()
                    .filter(|repo| !repo.private || s.may_push(repo));
            let found = all.filter(|repo| query.names(repo));
            found
                .map(|repo| Node::Repository(repo.full_name()))
                .collect()
        }
        "USER" => {
            let all = s.gh.users.values().filter(|it| !it.organization);
            let found = all.filter(|it| it.login.contains(&words.to_lowercase()));
            found.map(|it| Node::User(it.login.clone())).collect()
        }
        _ => Vec::new(),
    }
}

fn unresolved(what: &str, name: &str) -> Error {
    Error::new(404, format!("Could not resolve to {what} '{name}'."))
}
