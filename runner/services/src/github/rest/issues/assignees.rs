//! Who is assigned to an issue, and who can be.

use crate::github::error::{Error, Result};
use crate::github::issues::IssueChange;
use crate::github::rest::call::names;
use crate::github::rest::{Call, Reply, Route, route};

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/assignees",
        "issues/list-assignees",
        assignees,
    ),
    route(
        "GET",
        "/repos/*/*/assignees/*",
        "issues/check-user-can-be-assigned",
        can_assign,
    ),
    route(
        "POST",
        "/repos/*/*/issues/*/assignees",
        "issues/add-assignees",
        add_assignees,
    ),
    route(
        "DELETE",
        "/repos/*/*/issues/*/assignees",
        "issues/remove-assignees",
        remove_assignees,
    ),
];

fn assignees(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    call.list(repo.collaborators.iter().collect(), |s, login| {
        s.render().user(login)
    })
}

fn can_assign(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let login = call.arg(2);
    if repo
        .collaborators
        .iter()
        .any(|it| it.eq_ignore_ascii_case(login))
    {
        Reply::empty()
    } else {
        Err(Error::not_found())
    }
}

fn add_assignees(call: &mut Call<'_>) -> Result<Reply> {
    reassign(call, |mut own, given| {
        let more: Vec<String> = given.into_iter().filter(|it| !own.contains(it)).collect();
        own.extend(more);
        own
    })?;
    let repo = call.repo()?;
    Reply::created(&call.s.render().issue(&repo, repo.issue(call.number(2)?)?))
}

fn remove_assignees(call: &mut Call<'_>) -> Result<Reply> {
    reassign(call, |mut own, given| {
        own.retain(|it| !given.contains(it));
        own
    })?;
    super::get(call)
}

fn reassign(
    call: &mut Call<'_>,
    change: impl FnOnce(Vec<String>, Vec<String>) -> Vec<String>,
) -> Result<()> {
    let given = names(&call.body()?, "Issue", "assignees")?.unwrap_or_default();
    let (full_name, number) = (call.s.writable(&call.full_name())?, call.number(2)?);
    let own = call
        .s
        .gh
        .by_full_name(&full_name)?
        .issue(number)?
        .assignees
        .clone();
    let assignees = Some(change(own, given));
    let change = IssueChange {
        assignees,
        ..IssueChange::default()
    };
    call.s.update_issue(&full_name, number, change)
}
