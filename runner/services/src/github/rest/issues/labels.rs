//! Labels: those of a repository, and those on an issue.

use serde_json::{Map, Value};

use crate::github::error::{Error, Result};
use crate::github::issues::IssueChange;
use crate::github::labels::LabelChange;
use crate::github::rest::call::{names, optional, required};
use crate::github::rest::{Call, Reply, Route, route};
use crate::github::state::Label;

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/labels",
        "issues/list-labels-for-repo",
        labels,
    ),
    route(
        "POST",
        "/repos/*/*/labels",
        "issues/create-label",
        create_label,
    ),
    route("GET", "/repos/*/*/labels/*", "issues/get-label", get_label),
    route(
        "PATCH",
        "/repos/*/*/labels/*",
        "issues/update-label",
        update_label,
    ),
    route(
        "DELETE",
        "/repos/*/*/labels/*",
        "issues/delete-label",
        delete_label,
    ),
    route(
        "GET",
        "/repos/*/*/issues/*/labels",
        "issues/list-labels-on-issue",
        labels_on,
    ),
    route(
        "POST",
        "/repos/*/*/issues/*/labels",
        "issues/add-labels",
        add_labels,
    ),
    route(
        "PUT",
        "/repos/*/*/issues/*/labels",
        "issues/set-labels",
        set_labels,
    ),
    route(
        "DELETE",
        "/repos/*/*/issues/*/labels",
        "issues/remove-all-labels",
        remove_labels,
    ),
    route(
        "DELETE",
        "/repos/*/*/issues/*/labels/*",
        "issues/remove-label",
        remove_label,
    ),
];

fn labels(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    call.list(repo.labels.iter().collect(), |s, it| {
        s.render().label(&repo, it)
    })
}

fn create_label(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = required(&body, "Label", "name")?;
    let (color, description) = (color_of(&body)?, optional(&body, "Label", "description")?);
    call.s.create_label(&full_name, &name, color, description)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().label(&repo, repo.find_label(&name)?))
}

fn get_label(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    Reply::ok(&call.s.render().label(&repo, repo.find_label(call.arg(2))?))
}

fn update_label(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let called = call.arg(2).to_owned();
    let change = LabelChange {
        name: optional(&body, "Label", "new_name")?,
        color: color_of(&body)?,
        description: optional(&body, "Label", "description")?,
    };
    let name = call.s.update_label(&full_name, &called, change)?;
    let repo = call.s.repo(&full_name)?;
    Reply::ok(&call.s.render().label(&repo, repo.find_label(&name)?))
}

fn delete_label(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let name = call.arg(2).to_owned();
    call.s.delete_label(&full_name, &name)?;
    Reply::empty()
}

fn color_of(body: &Map<String, Value>) -> Result<Option<String>> {
    let color = optional(body, "Label", "color")?;
    let color = color.map(|it| it.trim_start_matches('#').to_ascii_lowercase());
    match color {
        Some(it) if it.len() != 6 || !it.bytes().all(|b| b.is_ascii_hexdigit()) => {
            Err(Error::field("Label", "color", "invalid"))
        }
        color => Ok(color),
    }
}

fn labels_on(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    let all: Vec<&Label> = issue
        .labels
        .iter()
        .filter_map(|name| repo.label(name))
        .collect();
    call.list(all, |s, it| s.render().label(&repo, it))
}

fn add_labels(call: &mut Call<'_>) -> Result<Reply> {
    let more = label_names(call)?;
    relabel(call, |own| own.into_iter().chain(more).collect())
}

fn set_labels(call: &mut Call<'_>) -> Result<Reply> {
    let all = label_names(call)?;
    relabel(call, |_| all)
}

fn remove_labels(call: &mut Call<'_>) -> Result<Reply> {
    relabel(call, |_| Vec::new())?;
    Reply::empty()
}

fn remove_label(call: &mut Call<'_>) -> Result<Reply> {
    let name = call.arg(3).to_owned();
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    if !issue
        .labels
        .iter()
        .any(|own| own.eq_ignore_ascii_case(&name))
    {
        return Err(Error::new(404, "Label does not exist"));
    }
    drop(repo);
    relabel(call, |mut own| {
        own.retain(|it| !it.eq_ignore_ascii_case(&name));
        own
    })
}

/// The names that a body of labels has: a list, or an object with one.
fn label_names(call: &Call<'_>) -> Result<Vec<String>> {
    let value = serde_json::from_slice::<Value>(&call.request.body);
    let value = value.map_err(|_| Error::new(400, "Problems parsing JSON"))?;
    let body = match value {
        Value::Array(_) => Map::from_iter([("labels".to_owned(), value)]),
        Value::Object(body) => body,
        _ => return Err(Error::field("Label", "labels", "invalid")),
    };
    Ok(names(&body, "Label", "labels")?.unwrap_or_default())
}

fn relabel(call: &mut Call<'_>, change: impl FnOnce(Vec<String>) -> Vec<String>) -> Result<Reply> {
    let (full_name, number) = (call.s.writable(&call.full_name())?, call.number(2)?);
    let own = call
        .s
        .gh
        .by_full_name(&full_name)?
        .issue(number)?
        .labels
        .clone();
    let change = IssueChange {
        labels: Some(change(own)),
        ..IssueChange::default()
    };
    call.s.update_issue(&full_name, number, change)?;
    labels_on(call)
}
