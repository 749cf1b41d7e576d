//! Fields of what people say: comments and reviews.

use proctor_types::journal::View;
use proctor_types::world::github as kind;

use super::super::node::{Node, Out};
use crate::github::error::{Error, Result};
use crate::github::rest::render::Render;
use crate::github::session::Session;

/// A field of a comment on an issue or pull request.
pub(super) fn comment(s: &mut Session, full_name: &str, id: u64, name: &str) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let issue = repo.issue(s.comment_place(full_name, id)?)?;
    let mut all = issue.comments.iter();
    let it = all.find(|it| it.id == id).ok_or_else(Error::not_found)?;
    if name == "body" {
        s.saw(kind::COMMENT, id.to_string(), View::Full);
    }
    let page = if issue.pull.is_some() {
        "pull"
    } else {
        "issues"
    };
    Ok(match name {
        "databaseId" => Out::of(id),
        "body" => Out::of(&it.body),
        "url" => Out::of(format!(
            "{}/{page}/{}#issuecomment-{id}",
            s.render().html_url(&repo),
            issue.number
        )),
        "author" => Out::maybe(Node::account(s, &it.user)),
        "authorAssociation" => Out::of(Render::association(&repo, &it.user)),
        "createdAt" | "publishedAt" => Out::of(&it.created_at),
        "updatedAt" => Out::of(&it.updated_at),
        "viewerDidAuthor" => Out::of(s.actor.as_ref() == Some(&it.user)),
        "includesCreatedEdit" => Out::of(it.created_at != it.updated_at),
        "isMinimized" => Out::of(false),
        "reactionGroups" => Out::List(Vec::new()),
        _ => Out::Null,
    })
}

/// A field of a review.
pub(super) fn review(
    s: &Session,
    full_name: &str,
    number: u64,
    id: u64,
    name: &str,
) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let (issue, pull) = repo.pull(number)?;
    let mut all = pull.reviews.iter();
    let it = all.find(|it| it.id == id).ok_or_else(Error::not_found)?;
    Ok(match name {
        "databaseId" => Out::of(id),
        "body" => Out::of(&it.body),
        "state" => Out::of(&it.state),
        "url" => Out::of(format!(
            "{}/pull/{}#pullrequestreview-{id}",
            s.render().html_url(&repo),
            issue.number
        )),
        "author" => Out::maybe(Node::account(s, &it.user)),
        "authorAssociation" => Out::of(Render::association(&repo, &it.user)),
        "submittedAt" | "createdAt" | "updatedAt" => Out::of(&it.submitted_at),
        "includesCreatedEdit" => Out::of(false),
        "reactionGroups" => Out::List(Vec::new()),
        "commit" => Out::Node(Node::Commit(repo.full_name(), it.commit_id.clone())),
        _ => Out::Null,
    })
}
