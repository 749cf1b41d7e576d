//! Fields of issues, and those that pull requests have in common with them.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, numbered_id};

use super::super::node::{Node, Out, connection};
use super::Args;
use super::account::actors;
use crate::github::error::Result;
use crate::github::rest::render::Render;
use crate::github::session::Session;
use crate::github::state::{Issue, Repo};

/// A field of an issue.
pub(super) fn field(
    s: &mut Session,
    full_name: &str,
    number: u64,
    name: &str,
    args: &Args,
) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let issue = repo.issue(number)?;
    if name == "body" {
        let id = numbered_id(&repo.full_name(), number);
        s.saw(kind::ISSUE, id, View::Full);
    }
    Ok(match name {
        "state" => Out::of(if issue.closed { "CLOSED" } else { "OPEN" }),
        "stateReason" => Out::of(issue.state_reason.as_ref().map(|it| it.to_uppercase())),
        _ => common(s, &repo, issue, name, args),
    })
}

/// Fields that issues and pull requests have in common.
pub(super) fn common(s: &Session, repo: &Repo, issue: &Issue, name: &str, args: &Args) -> Out {
    let full_name = repo.full_name();
    let list = |items: Vec<Node>| Out::Node(connection(items, args));
    let page = if issue.pull.is_some() {
        "pull"
    } else {
        "issues"
    };
    match name {
        "databaseId" => Out::of(issue.id),
        "number" => Out::of(issue.number),
        "title" => Out::of(&issue.title),
        "body" | "bodyText" => Out::of(&issue.body),
        "url" => Out::of(format!(
            "{}/{page}/{}",
            s.render().html_url(repo),
            issue.number
        )),
        "closed" => Out::of(issue.closed),
        "closedAt" => Out::of(&issue.closed_at),
        "createdAt" => Out::of(&issue.created_at),
        "updatedAt" => Out::of(&issue.updated_at),
        "locked" => Out::of(issue.locked),
        "isPinned" => Out::of(false),
        "author" => Out::maybe(Node::account(s, &issue.user)),
        "authorAssociation" => Out::of(Render::association(repo, &issue.user)),
        "viewerDidAuthor" => Out::of(s.actor.as_ref() == Some(&issue.user)),
        "repository" => Out::Node(Node::Repository(full_name)),
        "assignees" => list(actors(s, &issue.assignees)),
        "labels" => list(
            issue
                .labels
                .iter()
                .map(|it| Node::Label(full_name.clone(), it.clone()))
                .collect(),
        ),
        "milestone" => Out::maybe(issue.milestone.map(|it| Node::Milestone(full_name, it))),
        "comments" => list(
            issue
                .comments
                .iter()
                .map(|it| Node::Comment(full_name.clone(), it.id))
                .collect(),
        ),
        "projectCards" | "projectItems" => list(Vec::new()),
        "reactionGroups" => Out::List(Vec::new()),
        _ => Out::Null,
    }
}
