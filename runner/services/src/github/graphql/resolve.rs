//! The value of each field.

use std::sync::Arc;

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id, numbered_id};
use serde_json::{Map, Value};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::pulls::review::standing;
use super::super::rest::render::Render;
use super::super::rest::search::Query;
use super::super::session::Session;
use super::super::state::{Issue, Pull, Repo};
use super::super::store::oid;
use super::node::{Node, Out, connection, record};

pub(super) type Args = Map<String, Value>;

pub(super) fn text<'a>(args: &'a Args, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn unresolved(what: &str, name: &str) -> Error {
    Error::new(404, format!("Could not resolve to {what} '{name}'."))
}

/// A field of the query itself.
pub(super) fn root(s: &mut Session, name: &str, args: &Args) -> Result<Out> {
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

fn issue_node(repo: &Repo, number: u64) -> Node {
    let is_pull = repo.issue(number).is_ok_and(|it| it.pull.is_some());
    let name = repo.full_name();
    if is_pull {
        Node::PullRequest(name, number)
    } else {
        Node::Issue(name, number)
    }
}

/// A field of an object.
#[allow(clippy::too_many_lines, reason = "a table of fields")]
pub(super) fn field(s: &mut Session, node: &Node, name: &str, args: &Args) -> Result<Out> {
    if name == "id" {
        return Ok(Out::of(node.id()));
    }
    match node {
        Node::Record(_, fields) => Ok(fields.get(name).cloned().unwrap_or(Out::Null)),
        Node::Repository(repo) => {
            let repo = s.repo(repo)?;
            repository(s, &repo, name, args)
        }
        Node::Issue(repo, number) => {
            let repo = s.repo(repo)?;
            let issue = repo.issue(*number)?;
            if name == "body" {
                s.saw(
                    kind::ISSUE,
                    numbered_id(&repo.full_name(), *number),
                    View::Full,
                );
            }
            match name {
                "state" => Ok(Out::of(if issue.closed { "CLOSED" } else { "OPEN" })),
                "stateReason" => Ok(Out::of(
                    issue.state_reason.as_ref().map(|it| it.to_uppercase()),
                )),
                _ => Ok(common(s, &repo, issue, name, args)),
            }
        }
        Node::PullRequest(repo, number) => {
            let repo = s.repo(repo)?;
            let (issue, pull) = repo.pull(*number)?;
            if name == "body" {
                s.saw(
                    kind::PULL_REQUEST,
                    numbered_id(&repo.full_name(), *number),
                    View::Full,
                );
            }
            pull_request(s, &repo, issue, pull, name, args)
        }
        Node::User(login) | Node::Organization(login) => account(s, login, name, args),
        Node::Label(repo, label) => {
            let repo = s.repo(repo)?;
            let label = repo.label(label).ok_or_else(Error::not_found)?;
            Ok(match name {
                "color" => Out::of(&label.color),
                "description" => Out::of(&label.description),
                "isDefault" => Out::of(false),
                "createdAt" | "updatedAt" => Out::of(&repo.created_at),
                "url" => Out::of(format!(
                    "{}/labels/{}",
                    s.render().html_url(&repo),
                    label.name
                )),
                _ => Out::of(&label.name),
            })
        }
        Node::Milestone(repo, number) => {
            let repo = s.repo(repo)?;
            let mut all = repo.milestones.iter();
            let it = all
                .find(|it| it.number == *number)
                .ok_or_else(Error::not_found)?;
            Ok(match name {
                "number" => Out::of(it.number),
                "title" => Out::of(&it.title),
                "description" => Out::of(&it.description),
                "dueOn" => Out::of(&it.due_on),
                "state" => Out::of(if it.closed { "CLOSED" } else { "OPEN" }),
                _ => Out::of(format!("{}/milestone/{number}", s.render().html_url(&repo))),
            })
        }
        Node::Comment(repo, id) => comment(s, repo, *id, name),
        Node::Review(repo, number, id) => {
            let repo = s.repo(repo)?;
            review(s, &repo, *number, *id, name)
        }
        Node::Commit(repo, sha) => {
            let repo = s.repo(repo)?;
            commit(s, &repo, sha, name, args)
        }
        Node::Ref(repo, reference) => {
            let repo = s.repo(repo)?;
            let split = reference
                .match_indices('/')
                .nth(1)
                .map_or(0, |(at, _)| at + 1);
            let (prefix, short) = reference.split_at(split);
            Ok(match name {
                "name" => Out::of(short),
                "prefix" => Out::of(prefix),
                "target" => Out::maybe(
                    repo.reference(reference)
                        .map(|sha| Node::Commit(repo.full_name(), sha.to_owned())),
                ),
                "branchProtectionRule" => Out::maybe(
                    repo.protection
                        .contains_key(short)
                        .then(|| rule(&repo, short)),
                ),
                _ => Out::Node(Node::Repository(repo.full_name())),
            })
        }
    }
}

fn rule(repo: &Repo, pattern: &str) -> Node {
    let it = repo.protection.get(pattern).cloned().unwrap_or_default();
    record(
        "BranchProtectionRule",
        [
            ("pattern", Out::of(pattern)),
            (
                "requiresApprovingReviews",
                Out::of(it.required_approvals > 0),
            ),
            (
                "requiredApprovingReviewCount",
                Out::of(it.required_approvals),
            ),
            ("allowsForcePushes", Out::of(it.allow_force_pushes)),
            ("allowsDeletions", Out::of(it.allow_deletions)),
            ("requiresStrictStatusChecks", Out::of(false)),
        ],
    )
}

fn account(s: &Session, login: &str, name: &str, args: &Args) -> Result<Out> {
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
fn actors<'a>(s: &Session, logins: impl IntoIterator<Item = &'a String>) -> Vec<Node> {
    logins
        .into_iter()
        .filter_map(|login| Node::account(s, login))
        .collect()
}

fn wanted(args: &Args, name: &str, state: &str) -> bool {
    let states = args.get(name).and_then(Value::as_array);
    states.is_none_or(|states| {
        states.is_empty() || states.iter().any(|it| it.as_str() == Some(state))
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

fn labelled(args: &Args, issue: &Issue) -> bool {
    let labels = args.get("labels").and_then(Value::as_array);
    labels.is_none_or(|labels| {
        labels
            .iter()
            .any(|it| issue.labels.iter().any(|own| it == own))
    })
}

fn issues(s: &Session, repo: &Repo, args: &Args) -> Vec<Node> {
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

fn pull_state(issue: &Issue) -> &'static str {
    match (issue.merged(), issue.closed) {
        (Some(_), _) => "MERGED",
        (None, true) => "CLOSED",
        (None, false) => "OPEN",
    }
}

fn pull_requests(repo: &Repo, args: &Args) -> Vec<Node> {
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

#[allow(clippy::too_many_lines, reason = "a table of fields")]
fn repository(s: &Session, repo: &Repo, name: &str, args: &Args) -> Result<Out> {
    let full_name = repo.full_name();
    let html = s.render().html_url(repo);
    let may = s.may_push(repo);
    let list = |items: Vec<Node>| Out::Node(connection(items, args));
    let number = args
        .get("number")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    Ok(match name {
        "databaseId" => Out::of(repo.id),
        "name" => Out::of(&repo.name),
        "nameWithOwner" => Out::of(full_name),
        "owner" => Out::maybe(Node::account(s, &repo.owner)),
        "description" => Out::of(&repo.description),
        "homepageUrl" => Out::of(&repo.homepage),
        "url" => Out::of(html),
        "resourcePath" => Out::of(format!("/{full_name}")),
        "sshUrl" => Out::of(format!("git@github.com:{full_name}.git")),
        "isPrivate" => Out::of(repo.private),
        "isFork" => Out::of(repo.fork_of.is_some()),
        "isArchived" => Out::of(repo.archived),
        "isEmpty" => Out::of(repo.branches().next().is_none()),
        "isInOrganization" => Out::of(s.gh.user(&repo.owner).is_some_and(|it| it.organization)),
        "visibility" => Out::of(if repo.private { "PRIVATE" } else { "PUBLIC" }),
        "viewerPermission" => Out::of(if may { "ADMIN" } else { "READ" }),
        "viewerCanAdminister" => Out::of(may),
        "viewerSubscription" => Out::of("UNSUBSCRIBED"),
        "viewerDefaultMergeMethod" => Out::of("MERGE"),
        "hasIssuesEnabled"
        | "mergeCommitAllowed"
        | "rebaseMergeAllowed"
        | "squashMergeAllowed"
        | "forkingAllowed"
        | "isBlankIssuesEnabled" => Out::of(true),
        "stargazerCount" | "diskUsage" => Out::of(0),
        "forkCount" => Out::of(
            s.gh.repositories
                .values()
                .filter(|it| it.fork_of.as_ref() == Some(&full_name))
                .count(),
        ),
        "createdAt" => Out::of(&repo.created_at),
        "updatedAt" => Out::of(&repo.updated_at),
        "pushedAt" => Out::of(&repo.pushed_at),
        "defaultBranchRef" => {
            let reference = format!("refs/heads/{}", repo.default_branch);
            Out::maybe(
                repo.reference(&reference)
                    .is_some()
                    .then(|| Node::Ref(full_name, reference.clone())),
            )
        }
        "parent" => Out::maybe(repo.fork_of.clone().map(Node::Repository)),
        "ref" => {
            let wanted = text(args, "qualifiedName");
            let names = [
                wanted.to_owned(),
                format!("refs/heads/{wanted}"),
                format!("refs/tags/{wanted}"),
            ];
            let found = names
                .into_iter()
                .find(|name| repo.reference(name).is_some());
            Out::maybe(found.map(|name| Node::Ref(full_name, name)))
        }
        "refs" => {
            let prefix = text(args, "refPrefix");
            let all = repo
                .refs
                .keys()
                .filter(|name| name.starts_with(prefix) && !prefix.is_empty());
            list(
                all.map(|name| Node::Ref(full_name.clone(), name.clone()))
                    .collect(),
            )
        }
        "object" => {
            let wanted = args
                .get("oid")
                .or_else(|| args.get("expression"))
                .and_then(Value::as_str);
            let found = repo.resolve(&repo.objects.open()?, wanted).ok();
            Out::maybe(found.map(|id| Node::Commit(full_name, id.to_string())))
        }
        "issue" | "issueOrPullRequest" | "pullRequest" => {
            let found = repo.issue(number).ok().map(|_| issue_node(repo, number));
            let found = found.filter(|it| match it {
                Node::Issue(..) => name != "pullRequest",
                _ => name != "issue",
            });
            let what = match name {
                "issue" => "an Issue",
                "pullRequest" => "a PullRequest",
                _ => "an issue or pull request",
            };
            let missing = || {
                Error::new(
                    404,
                    format!("Could not resolve to {what} with the number of {number}."),
                )
            };
            Out::Node(found.ok_or_else(missing)?)
        }
        "issues" => list(issues(s, repo, args)),
        "pullRequests" => list(pull_requests(repo, args)),
        "label" => Out::maybe(
            repo.label(text(args, "name"))
                .map(|it| Node::Label(full_name, it.name.clone())),
        ),
        "labels" => {
            let query = text(args, "query").to_lowercase();
            let mut all: Vec<String> = repo.labels.iter().map(|it| it.name.clone()).collect();
            all.retain(|name| name.to_lowercase().contains(&query));
            let order = args.get("orderBy").cloned().unwrap_or_default();
            if order["field"] == "NAME" {
                all.sort_by_key(|name| name.to_lowercase());
            }
            if order["direction"] == "DESC" {
                all.reverse();
            }
            list(
                all.into_iter()
                    .map(|name| Node::Label(full_name.clone(), name))
                    .collect(),
            )
        }
        "milestone" => Out::maybe(
            repo.milestones
                .iter()
                .find(|it| it.number == number)
                .map(|_| Node::Milestone(full_name, number)),
        ),
        "milestones" => {
            let fits =
                |closed: bool| wanted(args, "states", if closed { "CLOSED" } else { "OPEN" });
            let all = repo.milestones.iter().filter(|it| fits(it.closed));
            list(
                all.map(|it| Node::Milestone(full_name.clone(), it.number))
                    .collect(),
            )
        }
        "assignableUsers" | "mentionableUsers" => {
            let query = text(args, "query").to_lowercase();
            let all = repo
                .collaborators
                .iter()
                .filter(|login| login.contains(&query));
            list(actors(s, all))
        }
        "branchProtectionRules" => list(
            repo.protection
                .keys()
                .map(|name| rule(repo, name))
                .collect(),
        ),
        "issueTemplates" | "pullRequestTemplates" | "fundingLinks" | "contactLinks" => {
            Out::List(Vec::new())
        }
        "projects" | "projectsV2" | "watchers" | "languages" | "repositoryTopics" => {
            list(Vec::new())
        }
        "mirrorUrl"
        | "templateRepository"
        | "viewerDefaultCommitEmail"
        | "viewerPossibleCommitEmails"
        | "primaryLanguage"
        | "licenseInfo"
        | "codeOfConduct"
        | "latestRelease" => Out::Null,
        _ => Out::of(false),
    })
}

/// Fields that issues and pull requests have in common.
fn common(s: &Session, repo: &Repo, issue: &Issue, name: &str, args: &Args) -> Out {
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

#[allow(clippy::too_many_lines, reason = "a table of fields")]
fn pull_request(
    s: &Session,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
    name: &str,
    args: &Args,
) -> Result<Out> {
    let full_name = repo.full_name();
    let list = |items: Vec<Node>| Out::Node(connection(items, args));
    let of_git = |git: &dyn Fn(&git2::Repository) -> Result<Out>| git(&repo.objects.open()?);
    let review =
        |it: &super::super::state::Review| Node::Review(full_name.clone(), issue.number, it.id);
    Ok(match name {
        "state" => Out::of(pull_state(issue)),
        "isDraft" => Out::of(pull.draft),
        "merged" => Out::of(pull.merged.is_some()),
        "mergedAt" => Out::of(pull.merged.as_ref().map(|it| &it.at)),
        "mergedBy" => Out::maybe(pull.merged.as_ref().and_then(|it| Node::account(s, &it.by))),
        "mergeCommit" => Out::maybe(
            pull.merged
                .as_ref()
                .map(|it| Node::Commit(full_name, it.sha.clone())),
        ),
        "mergeable" => of_git(&|git| {
            Ok(Out::of(match repo.mergeable(git, issue, pull).0 {
                Some(true) => "MERGEABLE",
                Some(false) => "CONFLICTING",
                None => "UNKNOWN",
            }))
        })?,
        "mergeStateStatus" => {
            of_git(&|git| Ok(Out::of(repo.mergeable(git, issue, pull).1.to_uppercase())))?
        }
        "canBeRebased" => {
            of_git(&|git| Ok(Out::of(repo.mergeable(git, issue, pull).0 == Some(true))))?
        }
        "maintainerCanModify" | "isInMergeQueue" | "isMergeQueueEnabled" => Out::of(false),
        "isCrossRepository" => Out::of(pull.head_repo.is_some()),
        "headRefName" => Out::of(&pull.head_ref),
        "headRefOid" => Out::of(&pull.head_sha),
        "headRef" => {
            let from =
                s.gh.by_full_name(pull.head_repo.as_ref().unwrap_or(&full_name))?;
            let there = from.branch(&pull.head_ref).is_some();
            Out::maybe(
                there.then(|| Node::Ref(from.full_name(), format!("refs/heads/{}", pull.head_ref))),
            )
        }
        "headRepository" => Out::Node(Node::Repository(
            pull.head_repo.clone().unwrap_or(full_name),
        )),
        "headRepositoryOwner" => {
            let from = pull.head_repo.as_ref().unwrap_or(&full_name);
            Out::maybe(Node::account(s, from.split('/').next().unwrap_or_default()))
        }
        "baseRefName" => Out::of(&pull.base_ref),
        "baseRefOid" => Out::of(&pull.base_sha),
        "baseRef" => {
            let there = repo.branch(&pull.base_ref).is_some();
            Out::maybe(there.then(|| Node::Ref(full_name, format!("refs/heads/{}", pull.base_ref))))
        }
        "additions" | "deletions" | "changedFiles" => of_git(&|git| {
            let files = pull.compared(git)?.files(git)?;
            Ok(Out::of(match name {
                "additions" => files.iter().map(|it| it.additions).sum(),
                "deletions" => files.iter().map(|it| it.deletions).sum(),
                _ => files.len(),
            }))
        })?,
        "files" => of_git(&|git| {
            let files = pull.compared(git)?.files(git)?;
            Ok(list(
                files
                    .iter()
                    .map(|it| {
                        record(
                            "PullRequestChangedFile",
                            [
                                ("path", Out::of(&it.filename)),
                                ("additions", Out::of(it.additions)),
                                ("deletions", Out::of(it.deletions)),
                                ("changeType", Out::of(it.status.to_uppercase())),
                            ],
                        )
                    })
                    .collect(),
            ))
        })?,
        "commits" => of_git(&|git| {
            let commits = pull.compared(git)?.commits;
            Ok(list(
                commits
                    .iter()
                    .map(|id| {
                        record(
                            "PullRequestCommit",
                            [(
                                "commit",
                                Out::Node(Node::Commit(full_name.clone(), id.to_string())),
                            )],
                        )
                    })
                    .collect(),
            ))
        })?,
        "reviewDecision" => {
            let verdicts = standing(pull);
            let has = |state: &str| verdicts.iter().any(|it| it.1 == state);
            let needed = repo
                .protection
                .get(&pull.base_ref)
                .is_some_and(|it| it.required_approvals > 0);
            if has("CHANGES_REQUESTED") {
                Out::of("CHANGES_REQUESTED")
            } else if has("APPROVED") {
                Out::of("APPROVED")
            } else if needed || !pull.requested_reviewers.is_empty() {
                Out::of("REVIEW_REQUIRED")
            } else {
                Out::Null
            }
        }
        "reviewRequests" => list(
            actors(s, &pull.requested_reviewers)
                .into_iter()
                .map(|it| record("ReviewRequest", [("requestedReviewer", Out::Node(it))]))
                .collect(),
        ),
        "reviews" => list(pull.reviews.iter().map(review).collect()),
        "latestReviews" => {
            let latest = pull.reviews.iter().enumerate().filter(|(at, it)| {
                !pull
                    .reviews
                    .iter()
                    .skip(at + 1)
                    .any(|later| later.user == it.user)
            });
            list(latest.map(|(_, it)| review(it)).collect())
        }
        "closingIssuesReferences" => {
            let text = format!("{} {}", issue.title, issue.body);
            let numbers = super::super::issues::closing_numbers(&text, &full_name).into_iter();
            let there = numbers.filter(|it| repo.issue(*it).is_ok_and(|it| it.pull.is_none()));
            list(there.map(|it| Node::Issue(full_name.clone(), it)).collect())
        }
        "potentialMergeCommit" | "autoMergeRequest" => Out::Null,
        _ => common(s, repo, issue, name, args),
    })
}

fn comment(s: &mut Session, full_name: &str, id: u64, name: &str) -> Result<Out> {
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

fn review(s: &Session, repo: &Repo, number: u64, id: u64, name: &str) -> Result<Out> {
    let (issue, pull) = repo.pull(number)?;
    let mut all = pull.reviews.iter();
    let it = all.find(|it| it.id == id).ok_or_else(Error::not_found)?;
    Ok(match name {
        "databaseId" => Out::of(id),
        "body" => Out::of(&it.body),
        "state" => Out::of(&it.state),
        "url" => Out::of(format!(
            "{}/pull/{}#pullrequestreview-{id}",
            s.render().html_url(repo),
            issue.number
        )),
        "author" => Out::maybe(Node::account(s, &it.user)),
        "authorAssociation" => Out::of(Render::association(repo, &it.user)),
        "submittedAt" | "createdAt" | "updatedAt" => Out::of(&it.submitted_at),
        "includesCreatedEdit" => Out::of(false),
        "reactionGroups" => Out::List(Vec::new()),
        "commit" => Out::Node(Node::Commit(repo.full_name(), it.commit_id.clone())),
        _ => Out::Null,
    })
}

fn commit(s: &mut Session, repo: &Repo, sha: &str, name: &str, args: &Args) -> Result<Out> {
    let git = repo.objects.open()?;
    let object = git.find_object(oid(sha).ok_or_else(Error::not_found)?, None)?;
    let commit = object.peel_to_commit()?;
    let message = git::message(&commit);
    let (headline, rest) = message.split_once('\n').unwrap_or((&message, ""));
    let person = |it: &git2::Signature<'_>| {
        let email = String::from_utf8_lossy(it.email_bytes()).into_owned();
        let user =
            s.gh.user_by_email(&email)
                .map(|user| Node::User(user.login.clone()));
        record(
            "GitActor",
            [
                ("name", Out::of(String::from_utf8_lossy(it.name_bytes()))),
                ("email", Out::of(email)),
                ("date", Out::of(git::date(it))),
                ("user", Out::maybe(user)),
            ],
        )
    };
    Ok(match name {
        "oid" => Out::of(commit.id().to_string()),
        "abbreviatedOid" => Out::of(sha.get(..7)),
        "message" => {
            s.saw(kind::COMMIT, at_id(&repo.full_name(), sha), View::Summary);
            Out::of(message)
        }
        "messageHeadline" => Out::of(headline),
        "messageBody" => Out::of(rest.trim()),
        "url" => Out::of(format!("{}/commit/{sha}", s.render().html_url(repo))),
        "committedDate" => Out::of(git::date(&commit.committer())),
        "authoredDate" => Out::of(git::date(&commit.author())),
        "author" => Out::Node(person(&commit.author())),
        "committer" => Out::Node(person(&commit.committer())),
        "authors" => Out::Node(connection(vec![person(&commit.author())], args)),
        "additions" | "deletions" | "changedFiles" => {
            let old = commit.parent(0).and_then(|it| it.tree()).ok();
            let files = git::diff(&git, old.as_ref(), Some(&commit.tree()?))?;
            Out::of(match name {
                "additions" => files.iter().map(|it| it.additions).sum(),
                "deletions" => files.iter().map(|it| it.deletions).sum(),
                _ => files.len(),
            })
        }
        "history" => {
            let all = git::between(&git, None, commit.id())?;
            let all = all
                .iter()
                .map(|id| Node::Commit(repo.full_name(), id.to_string()));
            Out::Node(connection(all.collect(), args))
        }
        "statusCheckRollup" => rollup(repo, sha),
        _ => Out::Null,
    })
}

fn rollup(repo: &Repo, sha: &str) -> Out {
    let Some(statuses) = repo.statuses.get(sha) else {
        return Out::Null;
    };
    let contexts = statuses.iter().map(|it| {
        record(
            "StatusContext",
            [
                ("context", Out::of(&it.context)),
                ("state", Out::of(it.state.to_uppercase())),
                (
                    "targetUrl",
                    Out::of(it.target_url.clone().unwrap_or_default()),
                ),
                ("createdAt", Out::of(&it.created_at)),
                ("description", Out::of(&it.description)),
                ("isRequired", Out::of(false)),
            ],
        )
    });
    let contexts = connection(contexts.collect(), &Map::new());
    let has = |state: &str| statuses.iter().any(|it| it.state == state);
    let state = if has("failure") || has("error") {
        "FAILURE"
    } else if has("pending") {
        "PENDING"
    } else {
        "SUCCESS"
    };
    Out::Node(record(
        "StatusCheckRollup",
        [("state", Out::of(state)), ("contexts", Out::Node(contexts))],
    ))
}
