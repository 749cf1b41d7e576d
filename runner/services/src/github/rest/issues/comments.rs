//! Comments on issues and pull requests.

use proctor_types::journal::View;
use proctor_types::world::github as kind;
use serde_json::Value;

use crate::github::error::{Error, Result};
use crate::github::rest::call::required;
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::session::Session;

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/issues/*/comments",
        "issues/list-comments",
        comments,
    ),
    route(
        "POST",
        "/repos/*/*/issues/*/comments",
        "issues/create-comment",
        create_comment,
    ),
    route(
        "GET",
        "/repos/*/*/issues/comments",
        "issues/list-comments-for-repo",
        all_comments,
    ),
    route(
        "GET",
        "/repos/*/*/issues/comments/*",
        "issues/get-comment",
        get_comment,
    ),
    route(
        "PATCH",
        "/repos/*/*/issues/comments/*",
        "issues/update-comment",
        update_comment,
    ),
    route(
        "DELETE",
        "/repos/*/*/issues/comments/*",
        "issues/delete-comment",
        delete_comment,
    ),
];

fn comments(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    let all: Vec<_> = issue.comments.iter().collect();
    call.list(all, |s, it| {
        s.saw(kind::COMMENT, it.id.to_string(), View::Full);
        s.render().comment(&repo, issue, it)
    })
}

fn create_comment(call: &mut Call<'_>) -> Result<Reply> {
    let text = required(&call.body()?, "IssueComment", "body")?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let id = call.s.comment(&full_name, number, &text)?;
    Reply::created(&comment_json(call.s, &full_name, id)?)
}

fn all_comments(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let all = repo
        .issues
        .values()
        .flat_map(|issue| issue.comments.iter().map(move |it| (issue, it)));
    call.list(all.collect(), |s, (issue, it)| {
        s.saw(kind::COMMENT, it.id.to_string(), View::Full);
        s.render().comment(&repo, issue, it)
    })
}

fn get_comment(call: &mut Call<'_>) -> Result<Reply> {
    let id = call.number(2)?;
    let full_name = call.full_name();
    let value = comment_json(call.s, &full_name, id)?;
    call.s.saw(kind::COMMENT, id.to_string(), View::Full);
    Reply::ok(&value)
}

fn update_comment(call: &mut Call<'_>) -> Result<Reply> {
    let text = required(&call.body()?, "IssueComment", "body")?;
    let (full_name, id) = (call.full_name(), call.number(2)?);
    call.s.edit_comment(&full_name, id, Some(&text))?;
    Reply::ok(&comment_json(call.s, &full_name, id)?)
}

fn delete_comment(call: &mut Call<'_>) -> Result<Reply> {
    let (full_name, id) = (call.full_name(), call.number(2)?);
    call.s.edit_comment(&full_name, id, None)?;
    Reply::empty()
}

fn comment_json(s: &mut Session, full_name: &str, id: u64) -> Result<Value> {
    let repo = s.repo(full_name)?;
    let issue = repo.issue(s.comment_place(full_name, id)?)?;
    let mut comments = issue.comments.iter();
    let comment = comments
        .find(|it| it.id == id)
        .ok_or_else(Error::not_found)?;
    Ok(s.render().comment(&repo, issue, comment))
}
