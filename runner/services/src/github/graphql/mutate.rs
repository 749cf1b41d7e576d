//! What mutations do. Everything happens in the same functions as for REST.

use serde_json::Value;

use super::super::error::{Error, Result};
use super::super::issues::{IssueChange, Milestoned, NewIssue};
use super::super::pulls::merge::MergeOrder;
use super::super::pulls::open::NewPull;
use super::super::session::Session;
use super::node::{Node, Out, record};
use super::resolve::{Args, text};

/// Runs a mutation.
pub(super) fn run(s: &mut Session, name: &str, args: &Args) -> Result<Out> {
    let empty = Args::new();
    let input = args
        .get("input")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let payload = match name {
        "createIssue" | "updateIssue" | "closeIssue" | "reopenIssue" => issue(s, name, input)?,
        "addComment" => add_comment(s, input)?,
        "updateIssueComment" | "deleteIssueComment" => edit_comment(s, name, input)?,
        "addLabelsToLabelable" | "removeLabelsFromLabelable" => relabel(s, name, input)?,
        "createPullRequest" => create_pull(s, input)?,
        "addPullRequestReview" => review(s, input)?,
        "createRepository" => create_repository(s, input)?,
        _ => pull(s, name, input)?,
    };
    let mut payload = payload;
    if let Node::Record(_, fields) = &mut payload {
        fields.insert("clientMutationId", Out::of(input.get("clientMutationId")));
    }
    Ok(Out::Node(payload))
}

fn maybe(input: &Args, name: &str) -> Option<String> {
    input.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn node(s: &Session, input: &Args, name: &str) -> Result<Node> {
    let id = text(input, name);
    let missing = || {
        Error::new(
            404,
            format!("Could not resolve to a node with the global id of '{id}'"),
        )
    };
    Node::find(s, id).ok_or_else(missing)
}

fn repo_of(s: &Session, input: &Args, name: &str) -> Result<String> {
    match node(s, input, name)? {
        Node::Repository(full_name) => Ok(full_name),
        _ => Err(Error::new(
            422,
            format!("{name} is not the id of a repository"),
        )),
    }
}

/// Repository and number of an issue or pull request.
fn numbered(s: &Session, input: &Args, name: &str) -> Result<(String, u64)> {
    match node(s, input, name)? {
        Node::Issue(repo, number) | Node::PullRequest(repo, number) => Ok((repo, number)),
        _ => Err(Error::new(
            422,
            format!("{name} is not the id of an issue or pull request"),
        )),
    }
}

/// Names of what a list of ids stands for: logins or labels.
fn names(s: &Session, input: &Args, field: &str) -> Result<Option<Vec<String>>> {
    let Some(Value::Array(ids)) = input.get(field) else {
        return Ok(None);
    };
    let name = |id: &Value| match Node::find(s, id.as_str().unwrap_or_default()) {
        Some(Node::User(login) | Node::Organization(login)) => Ok(login),
        Some(Node::Label(_, name)) => Ok(name),
        _ => Err(Error::new(
            404,
            format!("Could not resolve to a node with the global id of {id}"),
        )),
    };
    Ok(Some(ids.iter().map(name).collect::<Result<_>>()?))
}

fn milestone(s: &Session, input: &Args) -> Result<Option<Milestoned>> {
    match input.get("milestoneId") {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(Milestoned::Cleared)),
        Some(_) => match node(s, input, "milestoneId")? {
            Node::Milestone(_, number) => Ok(Some(Milestoned::Number(number))),
            _ => Err(Error::new(422, "milestoneId is not the id of a milestone")),
        },
    }
}

fn issue(s: &mut Session, name: &str, input: &Args) -> Result<Node> {
    let (repo, number) = if name == "createIssue" {
        let repo = repo_of(s, input, "repositoryId")?;
        let new = NewIssue {
            title: text(input, "title").to_owned(),
            body: text(input, "body").to_owned(),
            labels: names(s, input, "labelIds")?.unwrap_or_default(),
            assignees: names(s, input, "assigneeIds")?.unwrap_or_default(),
            milestone: milestone(s, input)?.and_then(Milestoned::number),
        };
        let number = s.create_issue(&repo, new)?;
        (repo, number)
    } else {
        let id = if name == "updateIssue" {
            "id"
        } else {
            "issueId"
        };
        let (repo, number) = numbered(s, input, id)?;
        let mut change = change_of(s, input)?;
        match name {
            "closeIssue" => change.closed = Some(true),
            "reopenIssue" => change.closed = Some(false),
            _ => {}
        }
        change.reason = maybe(input, "stateReason").map(|it| it.to_lowercase());
        s.update_issue(&repo, number, change)?;
        (repo, number)
    };
    Ok(record(
        "IssuePayload",
        [("issue", Out::Node(Node::Issue(repo, number)))],
    ))
}

fn change_of(s: &Session, input: &Args) -> Result<IssueChange> {
    Ok(IssueChange {
        title: maybe(input, "title"),
        body: maybe(input, "body"),
        closed: maybe(input, "state").map(|it| it != "OPEN"),
        reason: None,
        labels: names(s, input, "labelIds")?,
        assignees: names(s, input, "assigneeIds")?,
        milestone: milestone(s, input)?,
    })
}

fn add_comment(s: &mut Session, input: &Args) -> Result<Node> {
    let (repo, number) = numbered(s, input, "subjectId")?;
    let id = s.comment(&repo, number, text(input, "body"))?;
    let edge = record(
        "IssueCommentEdge",
        [
            ("node", Out::Node(Node::Comment(repo, id))),
            ("cursor", Out::of(id.to_string())),
        ],
    );
    let subject = node(s, input, "subjectId")?;
    Ok(record(
        "AddCommentPayload",
        [
            ("commentEdge", Out::Node(edge)),
            ("subject", Out::Node(subject)),
        ],
    ))
}

fn edit_comment(s: &mut Session, name: &str, input: &Args) -> Result<Node> {
    let Node::Comment(repo, id) = node(s, input, "id")? else {
        return Err(Error::new(422, "id is not the id of a comment"));
    };
    if name == "deleteIssueComment" {
        s.edit_comment(&repo, id, None)?;
        return Ok(record("Payload", []));
    }
    s.edit_comment(&repo, id, Some(text(input, "body")))?;
    Ok(record(
        "UpdateIssueCommentPayload",
        [("issueComment", Out::Node(Node::Comment(repo, id)))],
    ))
}

fn relabel(s: &mut Session, name: &str, input: &Args) -> Result<Node> {
    let (repo, number) = numbered(s, input, "labelableId")?;
    let given = names(s, input, "labelIds")?.unwrap_or_default();
    s.writable(&repo)?;
    let mut labels = s.gh.by_full_name(&repo)?.issue(number)?.labels.clone();
    labels.retain(|own| !given.contains(own));
    if name == "addLabelsToLabelable" {
        labels.extend(given);
    }
    let change = IssueChange {
        labels: Some(labels),
        ..IssueChange::default()
    };
    s.update_issue(&repo, number, change)?;
    Ok(record("Payload", []))
}

fn create_pull(s: &mut Session, input: &Args) -> Result<Node> {
    let repo = repo_of(s, input, "repositoryId")?;
    let head_repo = match input.get("headRepositoryId") {
        Some(Value::String(_)) => Some(repo_of(s, input, "headRepositoryId")?),
        _ => None,
    };
    let new = NewPull {
        title: text(input, "title").to_owned(),
        body: text(input, "body").to_owned(),
        head: text(input, "headRefName").to_owned(),
        base: text(input, "baseRefName").to_owned(),
        draft: input.get("draft").and_then(Value::as_bool).unwrap_or(false),
        head_repo,
    };
    let number = s.create_pull(&repo, new)?;
    Ok(record(
        "PullRequestPayload",
        [("pullRequest", Out::Node(Node::PullRequest(repo, number)))],
    ))
}

/// The mutations of a pull request that is there.
fn pull(s: &mut Session, name: &str, input: &Args) -> Result<Node> {
    let (repo, number) = numbered(s, input, "pullRequestId")?;
    let state = |closed: bool| IssueChange {
        closed: Some(closed),
        ..IssueChange::default()
    };
    match name {
        "closePullRequest" => s.update_issue(&repo, number, state(true))?,
        "reopenPullRequest" => s.update_issue(&repo, number, state(false))?,
        "markPullRequestReadyForReview" => s.update_pull(&repo, number, None, Some(false))?,
        "convertPullRequestToDraft" => s.update_pull(&repo, number, None, Some(true))?,
        "requestReviews" => {
            let asked = names(s, input, "userIds")?.unwrap_or_default();
            if input.get("union").and_then(Value::as_bool) != Some(true) {
                let own =
                    s.gh.by_full_name(&repo)?
                        .pull(number)?
                        .1
                        .requested_reviewers
                        .clone();
                s.request_reviewers(&repo, number, &own, false)?;
            }
            s.request_reviewers(&repo, number, &asked, true)?;
        }
        "mergePullRequest" => {
            let order = MergeOrder {
                method: maybe(input, "mergeMethod")
                    .unwrap_or_default()
                    .to_lowercase(),
                title: maybe(input, "commitHeadline").filter(|it| !it.is_empty()),
                message: maybe(input, "commitBody"),
                sha: maybe(input, "expectedHeadOid"),
            };
            s.merge_pull(&repo, number, &order)?;
        }
        "updatePullRequest" => {
            let base = maybe(input, "baseRefName");
            if base.is_some() {
                s.update_pull(&repo, number, base.as_deref(), None)?;
            }
            let change = change_of(s, input)?;
            s.update_issue(&repo, number, change)?;
        }
        _ => return Err(Error::not_found()),
    }
    Ok(record(
        "PullRequestPayload",
        [("pullRequest", Out::Node(Node::PullRequest(repo, number)))],
    ))
}

fn review(s: &mut Session, input: &Args) -> Result<Node> {
    let (repo, number) = numbered(s, input, "pullRequestId")?;
    let event = maybe(input, "event").unwrap_or_else(|| "COMMENT".to_owned());
    let id = s.review(&repo, number, &event, text(input, "body"), Vec::new())?;
    let review = Node::Review(repo, number, id);
    Ok(record(
        "AddPullRequestReviewPayload",
        [("pullRequestReview", Out::Node(review))],
    ))
}

fn create_repository(s: &mut Session, input: &Args) -> Result<Node> {
    let owner = match input.get("ownerId") {
        Some(Value::String(_)) => match node(s, input, "ownerId")? {
            Node::User(login) | Node::Organization(login) => login,
            _ => return Err(Error::new(422, "ownerId is not the id of an account")),
        },
        _ => s.actor()?,
    };
    let private = text(input, "visibility") != "PUBLIC";
    let full_name = s.create_repo(
        &owner,
        text(input, "name"),
        maybe(input, "description"),
        private,
    )?;
    Ok(record(
        "RepositoryPayload",
        [("repository", Out::Node(Node::Repository(full_name)))],
    ))
}
