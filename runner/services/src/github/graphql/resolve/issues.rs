//! Lists of issues and pull requests: which ones are asked for, in what order.

use std::sync::Arc;

use serde_json::Value;

use super::super::node::Node;
use super::{Args, text};
use crate::github::session::Session;
use crate::github::state::{Issue, Repo};

/// The issues that a list asks for.
pub(super) fn issues(s: &Session, repo: &Repo, args: &Args) -> Vec<Node> {
    let filter = args.get("filterBy").cloned().unwrap_or_default();
    let is = |wanted: &Value, fits: &dyn Fn(&str) -> bool| match wanted.as_str() {
        None | Some("") => true,
        Some("@me") => s.actor.as_deref().is_some_and(fits),
        Some(wanted) => fits(wanted),
    };
    let by_filter = filter["labels"].as_array().cloned();
    let fits = |it: &&Arc<Issue>| {
        it.pull.is_none()
            && wanted(args, "states", if it.closed { "CLOSED" } else { "OPEN" })
            && labelled(args, it)
            && by_filter.as_ref().is_none_or(|labels| {
                labels
                    .iter()
                    .all(|name| it.labels.iter().any(|own| name == own))
            })
            && is(&filter["assignee"], &|login| {
                login == "*"
                    || it
                        .assignees
                        .iter()
                        .any(|own| own.eq_ignore_ascii_case(login))
            })
            && is(&filter["createdBy"], &|login| {
                it.user.eq_ignore_ascii_case(login)
            })
            && is(&filter["mentioned"], &|login| {
                it.body.contains(&format!("@{login}"))
            })
            && is(&filter["milestoneNumber"], &|number| {
                it.milestone.map(|it| it.to_string()).as_deref() == Some(number)
            })
    };
    let mut found: Vec<Arc<Issue>> = repo.issues.values().filter(fits).cloned().collect();
    in_order(args, &mut found);
    found
        .iter()
        .map(|it| Node::Issue(repo.full_name(), it.number))
        .collect()
}

/// The pull requests that a list asks for.
pub(super) fn pull_requests(repo: &Repo, args: &Args) -> Vec<Node> {
    let (head, base) = (text(args, "headRefName"), text(args, "baseRefName"));
    let fits = |it: &&Arc<Issue>| {
        it.pull.as_ref().is_some_and(|pull| {
            (head.is_empty() || pull.head_ref == head)
                && (base.is_empty() || pull.base_ref == base)
                && wanted(args, "states", pull_state(it))
                && labelled(args, it)
        })
    };
    let mut found: Vec<Arc<Issue>> = repo.issues.values().filter(fits).cloned().collect();
    in_order(args, &mut found);
    found
        .iter()
        .map(|it| Node::PullRequest(repo.full_name(), it.number))
        .collect()
}

/// The issue or pull request of this number.
pub(super) fn issue_node(repo: &Repo, number: u64) -> Node {
    let is_pull = repo.issue(number).is_ok_and(|it| it.pull.is_some());
    let name = repo.full_name();
    if is_pull {
        Node::PullRequest(name, number)
    } else {
        Node::Issue(name, number)
    }
}

/// GitHub's word for where a pull request stands.
pub(super) fn pull_state(issue: &Issue) -> &'static str {
    match (issue.merged(), issue.closed) {
        (Some(_), _) => "MERGED",
        (None, true) => "CLOSED",
        (None, false) => "OPEN",
    }
}

/// Whether a list of states asks for this one; an absent list asks for all.
pub(super) fn wanted(args: &Args, name: &str, state: &str) -> bool {
    let states = args.get(name).and_then(Value::as_array);
    states.is_none_or(|states| {
        states.is_empty() || states.iter().any(|it| it.as_str() == Some(state))
    })
}

fn labelled(args: &Args, issue: &Issue) -> bool {
    let labels = args.get("labels").and_then(Value::as_array);
    labels.is_none_or(|labels| {
        labels
            .iter()
            .any(|it| issue.labels.iter().any(|own| it == own))
    })
}

fn in_order(args: &Args, found: &mut [Arc<Issue>]) {
    let order = &args.get("orderBy").cloned().unwrap_or_default();
    match order["field"].as_str() {
        Some("UPDATED_AT") => {
            found.sort_by(|a, b| (&a.updated_at, a.number).cmp(&(&b.updated_at, b.number)));
        }
        Some("COMMENTS") => found.sort_by_key(|it| it.comments.len()),
        _ => found.sort_by(|a, b| (&a.created_at, a.number).cmp(&(&b.created_at, b.number))),
    }
    if order["direction"] == "DESC" {
        found.reverse();
    }
}
