//! Issues, comments, labels, assignees and milestones.

use proctor_types::journal::{Change, View};
use proctor_types::world::github::{self as kind, at_id, numbered_id};
use serde_json::{Map, Value, json};

use super::super::error::{Error, Result};
use super::super::issues::{IssueChange, Milestoned, NewIssue};
use super::super::session::Session;
use super::super::state::{Issue, Label, Milestone, Repo};
use super::call::{names, optional, required};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route("GET", "/issues", "issues/list", mine),
    route("GET", "/repos/*/*/issues", "issues/list-for-repo", list),
    route("POST", "/repos/*/*/issues", "issues/create", create),
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
    route("GET", "/repos/*/*/issues/*", "issues/get", get),
    route("PATCH", "/repos/*/*/issues/*", "issues/update", update),
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
        "/repos/*/*/issues/*/events",
        "issues/list-events",
        nothing,
    ),
    route(
        "GET",
        "/repos/*/*/issues/*/timeline",
        "issues/list-events-for-timeline",
        nothing,
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
        "GET",
        "/repos/*/*/milestones",
        "issues/list-milestones",
        milestones,
    ),
    route(
        "POST",
        "/repos/*/*/milestones",
        "issues/create-milestone",
        create_milestone,
    ),
    route(
        "GET",
        "/repos/*/*/milestones/*",
        "issues/get-milestone",
        get_milestone,
    ),
    route(
        "PATCH",
        "/repos/*/*/milestones/*",
        "issues/update-milestone",
        update_milestone,
    ),
];

fn nothing(call: &mut Call<'_>) -> Result<Reply> {
    call.repo()?.issue(call.number(2)?)?;
    Reply::ok(&json!([]))
}

fn kind_of(issue: &Issue) -> &'static str {
    if issue.pull.is_some() {
        kind::PULL_REQUEST
    } else {
        kind::ISSUE
    }
}

/// Sorts and filters as the query's `state`, `sort` and `direction` say.
pub(super) fn in_order(call: &Call<'_>, issues: &mut Vec<&Issue>) {
    match call.query("state").unwrap_or("open") {
        "closed" => issues.retain(|it| it.closed),
        "all" => {}
        _ => issues.retain(|it| !it.closed),
    }
    match call.query("sort") {
        Some("updated") => {
            issues.sort_by(|a, b| (&a.updated_at, a.number).cmp(&(&b.updated_at, b.number)));
        }
        Some("comments") => issues.sort_by_key(|it| (it.comments.len(), it.number)),
        _ => issues.sort_by(|a, b| (&a.created_at, a.number).cmp(&(&b.created_at, b.number))),
    }
    if call.query("direction") != Some("asc") {
        issues.reverse();
    }
}

fn list(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let mut found: Vec<&Issue> = repo.issues.values().map(AsRef::as_ref).collect();
    in_order(call, &mut found);
    let is = |wanted: &str, login: &str| wanted.eq_ignore_ascii_case(login);
    if let Some(wanted) = call.query("labels") {
        let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
        found.retain(|it| {
            wanted
                .iter()
                .all(|name| it.labels.iter().any(|own| is(name, own)))
        });
    }
    if let Some(login) = call.query("creator") {
        found.retain(|it| is(login, &it.user));
    }
    match call.query("assignee") {
        Some("none") => found.retain(|it| it.assignees.is_empty()),
        Some("*") => found.retain(|it| !it.assignees.is_empty()),
        Some(login) => found.retain(|it| it.assignees.iter().any(|own| is(login, own))),
        None => {}
    }
    match call.query("milestone") {
        Some("none") => found.retain(|it| it.milestone.is_none()),
        Some("*") => found.retain(|it| it.milestone.is_some()),
        Some(number) => {
            found.retain(|it| it.milestone.map(|it| it.to_string()).as_deref() == Some(number));
        }
        None => {}
    }
    if let Some(since) = call.query("since") {
        found.retain(|it| it.updated_at.as_str() >= since);
    }
    call.list(found, |s, it| {
        s.saw(
            kind_of(it),
            numbered_id(&repo.full_name(), it.number),
            View::Full,
        );
        s.render().issue(&repo, it)
    })
}

fn mine(call: &mut Call<'_>) -> Result<Reply> {
    let actor = call.s.actor()?;
    let repos: Vec<_> = call.s.gh.repositories.values().cloned().collect();
    let all = repos
        .iter()
        .flat_map(|repo| repo.issues.values().map(move |it| (repo, it)));
    let all = all
        .filter(|(_, it)| !it.closed && it.assignees.contains(&actor))
        .collect();
    call.list(all, |s, (repo, it)| {
        let mut value = s.render().issue(repo, it);
        value["repository"] = s.render().repo(repo);
        value
    })
}

fn create(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let mut assignees = names(&body, "Issue", "assignees")?.unwrap_or_default();
    assignees.extend(optional(&body, "Issue", "assignee")?);
    let title = match body.get("title") {
        Some(Value::Number(number)) => number.to_string(),
        _ => required(&body, "Issue", "title")?,
    };
    let new = NewIssue {
        title,
        body: optional(&body, "Issue", "body")?.unwrap_or_default(),
        labels: names(&body, "Issue", "labels")?.unwrap_or_default(),
        assignees,
        milestone: body.get("milestone").and_then(Value::as_u64),
    };
    let full_name = call.full_name();
    let number = call.s.create_issue(&full_name, new)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().issue(&repo, repo.issue(number)?))
}

fn get(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    call.s.saw(
        kind_of(issue),
        numbered_id(&repo.full_name(), issue.number),
        View::Full,
    );
    Reply::ok(&call.s.render().issue(&repo, issue))
}

/// What a body says about an issue, or about what a pull request has of one.
pub(super) fn change_of(body: &Map<String, Value>, resource: &str) -> Result<IssueChange> {
    let closed = match optional(body, resource, "state")?.as_deref() {
        None => None,
        Some("open") => Some(false),
        Some("closed") => Some(true),
        Some(_) => return Err(Error::field(resource, "state", "invalid")),
    };
    let reason = optional(body, resource, "state_reason")?;
    let known = ["completed", "not_planned", "reopened", "duplicate"];
    if reason.as_deref().is_some_and(|it| !known.contains(&it)) {
        return Err(Error::field(resource, "state_reason", "invalid"));
    }
    let text = match body.get("body") {
        Some(Value::Null) => Some(String::new()),
        _ => optional(body, resource, "body")?,
    };
    Ok(IssueChange {
        title: optional(body, resource, "title")?,
        body: text,
        closed,
        reason,
        labels: names(body, resource, "labels")?,
        assignees: match body.get("assignee") {
            Some(Value::String(login)) if !login.is_empty() => Some(vec![login.clone()]),
            _ => names(body, resource, "assignees")?,
        },
        milestone: body
            .get("milestone")
            .map(|it| it.as_u64().map_or(Milestoned::Cleared, Milestoned::Number)),
    })
}

fn update(call: &mut Call<'_>) -> Result<Reply> {
    let change = change_of(&call.body()?, "Issue")?;
    changed(call, change)
}

fn changed(call: &mut Call<'_>, change: IssueChange) -> Result<Reply> {
    let (full_name, number) = (call.full_name(), call.number(2)?);
    call.s.update_issue(&full_name, number, change)?;
    get(call)
}

fn comments(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let issue = repo.issue(call.number(2)?)?;
    let all: Vec<_> = issue.comments.iter().collect();
    call.list(all, |s, it| {
        s.saw(kind::COMMENT, it.id.to_string(), View::Full);
        s.render().comment(&repo, issue, it)
    })
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

fn create_comment(call: &mut Call<'_>) -> Result<Reply> {
    let text = required(&call.body()?, "IssueComment", "body")?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let id = call.s.comment(&full_name, number, &text)?;
    Reply::created(&comment_json(call.s, &full_name, id)?)
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

// Labels on issues -------------------------------------------------------------

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
    get(call)
}

// Labels of the repository -----------------------------------------------------

fn labels(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    call.list(repo.labels.iter().collect(), |s, it| {
        s.render().label(&repo, it)
    })
}

fn find_label<'r>(repo: &'r Repo, name: &str) -> Result<&'r Label> {
    repo.label(name).ok_or_else(Error::not_found)
}

fn get_label(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    Reply::ok(
        &call
            .s
            .render()
            .label(&repo, find_label(&repo, call.arg(2))?),
    )
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

fn create_label(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = required(&body, "Label", "name")?;
    let (color, description) = (color_of(&body)?, optional(&body, "Label", "description")?);
    call.s.create_label(&full_name, &name, color, description)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().label(&repo, find_label(&repo, &name)?))
}

impl Session {
    pub(crate) fn create_label(
        &mut self,
        full_name: &str,
        name: &str,
        color: Option<String>,
        description: Option<String>,
    ) -> Result<()> {
        if self.gh.by_full_name(full_name)?.label(name).is_some() {
            return Err(Error::field("Label", "name", "already_exists"));
        }
        if name.trim().is_empty() {
            return Err(Error::field("Label", "name", "missing"));
        }
        self.labels(full_name, &[name.to_owned()])?;
        let repo = self.gh.repo_mut(full_name)?;
        if let Some(label) = repo.labels.last_mut() {
            label.color = color.unwrap_or_else(|| "ededed".to_owned());
            label.description = description;
        }
        self.did(kind::LABEL, at_id(full_name, name), Change::Created);
        Ok(())
    }
}

fn update_label(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = find_label(call.s.gh.by_full_name(&full_name)?, call.arg(2))?
        .name
        .clone();
    let new = optional(&body, "Label", "new_name")?;
    let (color, description) = (color_of(&body)?, optional(&body, "Label", "description")?);
    let repo = call.s.gh.repo_mut(&full_name)?;
    if let Some(new) = new.as_ref().filter(|new| !new.eq_ignore_ascii_case(&name))
        && repo.label(new).is_some()
    {
        return Err(Error::field("Label", "name", "already_exists"));
    }
    let now_called = new.unwrap_or_else(|| name.clone());
    for label in repo.labels.iter_mut().filter(|it| it.name == name) {
        label.name.clone_from(&now_called);
        label.color = color.clone().unwrap_or_else(|| label.color.clone());
        label.description = description.clone().or_else(|| label.description.clone());
    }
    if now_called != name {
        for issue in repo
            .issues
            .values_mut()
            .filter(|it| it.labels.contains(&name))
        {
            let issue = std::sync::Arc::make_mut(issue);
            for own in issue.labels.iter_mut().filter(|own| **own == name) {
                own.clone_from(&now_called);
            }
        }
    }
    call.s
        .did(kind::LABEL, at_id(&full_name, &name), Change::Updated);
    let repo = call.s.repo(&full_name)?;
    Reply::ok(
        &call
            .s
            .render()
            .label(&repo, find_label(&repo, &now_called)?),
    )
}

fn delete_label(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let name = call.arg(2).to_owned();
    call.s.delete_label(&full_name, &name)?;
    Reply::empty()
}

impl Session {
    pub(crate) fn delete_label(&mut self, full_name: &str, name: &str) -> Result<()> {
        let name = find_label(self.gh.by_full_name(full_name)?, name)?
            .name
            .clone();
        let repo = self.gh.repo_mut(full_name)?;
        repo.labels.retain(|it| it.name != name);
        for issue in repo
            .issues
            .values_mut()
            .filter(|it| it.labels.contains(&name))
        {
            std::sync::Arc::make_mut(issue)
                .labels
                .retain(|own| *own != name);
        }
        self.did(kind::LABEL, at_id(full_name, &name), Change::Deleted);
        Ok(())
    }
}

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

// Milestones -------------------------------------------------------------------

fn milestones(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let state = call.query("state").unwrap_or("open").to_owned();
    let fits = |it: &&Milestone| state == "all" || it.closed == (state == "closed");
    call.list(repo.milestones.iter().filter(fits).collect(), |s, it| {
        s.render().milestone(&repo, it)
    })
}

fn get_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let number = call.number(2)?;
    let mut all = repo.milestones.iter();
    let found = all
        .find(|it| it.number == number)
        .ok_or_else(Error::not_found)?;
    Reply::ok(&call.s.render().milestone(&repo, found))
}

fn create_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let title = required(&body, "Milestone", "title")?;
    let (id, now, creator) = (call.s.fresh(), call.s.time(), call.s.actor()?);
    let repo = call.s.gh.repo_mut(&full_name)?;
    if repo.milestones.iter().any(|it| it.title == title) {
        return Err(Error::field("Milestone", "title", "already_exists"));
    }
    let number = repo
        .milestones
        .iter()
        .map(|it| it.number)
        .max()
        .unwrap_or(0)
        + 1;
    let milestone = Milestone {
        id,
        number,
        title,
        description: optional(&body, "Milestone", "description")?,
        closed: optional(&body, "Milestone", "state")?.as_deref() == Some("closed"),
        due_on: optional(&body, "Milestone", "due_on")?,
        creator,
        created_at: now.clone(),
        updated_at: now,
    };
    repo.milestones.push(milestone.clone());
    call.s
        .updated(kind::REPOSITORY, full_name.clone(), &["milestones"]);
    let repo = call.s.repo(&full_name)?;
    Reply::created(&call.s.render().milestone(&repo, &milestone))
}

fn update_milestone(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let (number, now) = (call.number(2)?, call.s.time());
    let repo = call.s.gh.repo_mut(&full_name)?;
    let mut all = repo.milestones.iter_mut();
    let it = all
        .find(|it| it.number == number)
        .ok_or_else(Error::not_found)?;
    if let Some(title) = optional(&body, "Milestone", "title")? {
        it.title = title;
    }
    for (name, place) in [
        ("description", &mut it.description),
        ("due_on", &mut it.due_on),
    ] {
        if body.contains_key(name) {
            *place = optional(&body, "Milestone", name)?;
        }
    }
    if let Some(state) = optional(&body, "Milestone", "state")? {
        it.closed = state == "closed";
    }
    it.updated_at = now;
    call.s.updated(kind::REPOSITORY, full_name, &["milestones"]);
    get_milestone(call)
}
