//! Fields of repositories and of what is directly in them: labels, milestones,
//! refs, rules of branches.

use serde_json::Value;

use super::super::node::{Node, Out, connection, record};
use super::account::actors;
use super::issues::{issue_node, issues, pull_requests, wanted};
use super::{Args, text};
use crate::github::error::{Error, Result};
use crate::github::session::Session;
use crate::github::state::Repo;

/// A field of a repository.
pub(super) fn field(s: &Session, repo: &Repo, name: &str, args: &Args) -> Result<Out> {
    let full_name = repo.full_name();
    let may = s.may_push(repo);
    Ok(match name {
        "databaseId" => Out::of(repo.id),
        "name" => Out::of(&repo.name),
        "nameWithOwner" => Out::of(full_name),
        "owner" => Out::maybe(Node::account(s, &repo.owner)),
        "description" => Out::of(&repo.description),
        "homepageUrl" => Out::of(&repo.homepage),
        "url" => Out::of(s.render().html_url(repo)),
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
        "forkCount" => {
            let all = s.gh.repositories.values();
            Out::of(
                all.filter(|it| it.fork_of.as_ref() == Some(&full_name))
                    .count(),
            )
        }
        "createdAt" => Out::of(&repo.created_at),
        "updatedAt" => Out::of(&repo.updated_at),
        "pushedAt" => Out::of(&repo.pushed_at),
        "parent" => Out::maybe(repo.fork_of.clone().map(Node::Repository)),
        "mirrorUrl"
        | "templateRepository"
        | "viewerDefaultCommitEmail"
        | "viewerPossibleCommitEmails"
        | "primaryLanguage"
        | "licenseInfo"
        | "codeOfConduct"
        | "latestRelease" => Out::Null,
        "defaultBranchRef" | "ref" | "object" | "issue" | "issueOrPullRequest" | "pullRequest"
        | "label" | "milestone" => member(repo, name, args)?,
        _ => list(s, repo, name, args),
    })
}

/// One thing in a repository.
fn member(repo: &Repo, name: &str, args: &Args) -> Result<Out> {
    let full_name = repo.full_name();
    let number = args.get("number").and_then(Value::as_u64);
    let number = number.unwrap_or_default();
    Ok(match name {
        "defaultBranchRef" => {
            let reference = format!("refs/heads/{}", repo.default_branch);
            let there = repo.reference(&reference).is_some();
            Out::maybe(there.then(|| Node::Ref(full_name, reference)))
        }
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
        "object" => {
            let wanted = args.get("oid").or_else(|| args.get("expression"));
            let wanted = wanted.and_then(Value::as_str);
            let found = repo.resolve(&repo.objects.open()?, wanted).ok();
            Out::maybe(found.map(|id| Node::Commit(full_name, id.to_string())))
        }
        "label" => {
            let found = repo.label(text(args, "name"));
            Out::maybe(found.map(|it| Node::Label(full_name, it.name.clone())))
        }
        "milestone" => {
            let there = repo.milestones.iter().any(|it| it.number == number);
            Out::maybe(there.then(|| Node::Milestone(full_name, number)))
        }
        _ => {
            let found = repo.issue(number).ok().map(|_| issue_node(repo, number));
            let found = found.filter(|it| match it {
                Node::Issue(..) => name != "pullRequest",
                _ => name != "issue",
            });
            let missing = || {
                let what = match name {
                    "issue" => "an Issue",
                    "pullRequest" => "a PullRequest",
                    _ => "an issue or pull request",
                };
                let text = format!("Could not resolve to {what} with the number of {number}.");
                Error::new(404, text)
            };
            Out::Node(found.ok_or_else(missing)?)
        }
    })
}

/// Many things in a repository. What it does not have is empty, and what is
/// left of the schema's fields says no.
fn list(s: &Session, repo: &Repo, name: &str, args: &Args) -> Out {
    let full_name = repo.full_name();
    let found: Vec<Node> = match name {
        "refs" => {
            let prefix = text(args, "refPrefix");
            let all = repo.refs.keys();
            all.filter(|name| name.starts_with(prefix) && !prefix.is_empty())
                .map(|name| Node::Ref(full_name.clone(), name.clone()))
                .collect()
        }
        "issues" => issues(s, repo, args),
        "pullRequests" => pull_requests(repo, args),
        "labels" => labels(repo, args),
        "milestones" => {
            let fits =
                |closed: bool| wanted(args, "states", if closed { "CLOSED" } else { "OPEN" });
            let all = repo.milestones.iter().filter(|it| fits(it.closed));
            all.map(|it| Node::Milestone(full_name.clone(), it.number))
                .collect()
        }
        "assignableUsers" | "mentionableUsers" => {
            let query = text(args, "query").to_lowercase();
            let all = repo.collaborators.iter();
            actors(s, all.filter(|login| login.contains(&query)))
        }
        "branchProtectionRules" => repo
            .protection
            .keys()
            .map(|name| rule(repo, name))
            .collect(),
        "issueTemplates" | "pullRequestTemplates" | "fundingLinks" | "contactLinks" => {
            return Out::List(Vec::new());
        }
        "projects" | "projectsV2" | "watchers" | "languages" | "repositoryTopics" => Vec::new(),
        _ => return Out::of(false),
    };
    Out::Node(connection(found, args))
}

fn labels(repo: &Repo, args: &Args) -> Vec<Node> {
    let query = text(args, "query").to_lowercase();
    let mut all: Vec<&str> = repo.labels.iter().map(|it| it.name.as_str()).collect();
    all.retain(|name| name.to_lowercase().contains(&query));
    let order = args.get("orderBy").unwrap_or(&Value::Null);
    if order["field"] == "NAME" {
        all.sort_by_key(|name| name.to_lowercase());
    }
    if order["direction"] == "DESC" {
        all.reverse();
    }
    let label = |name: &str| Node::Label(repo.full_name(), name.to_owned());
    all.into_iter().map(label).collect()
}

/// A field of a label.
pub(super) fn label(s: &Session, full_name: &str, label: &str, name: &str) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let label = repo.label(label).ok_or_else(Error::not_found)?;
    Ok(match name {
        "color" => Out::of(&label.color),
        "description" => Out::of(&label.description),
        "isDefault" => Out::of(false),
        "createdAt" | "updatedAt" => Out::of(&repo.created_at),
        "url" => {
            let html = s.render().html_url(&repo);
            Out::of(format!("{html}/labels/{}", label.name))
        }
        _ => Out::of(&label.name),
    })
}

/// A field of a milestone.
pub(super) fn milestone(s: &Session, full_name: &str, number: u64, name: &str) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let mut all = repo.milestones.iter();
    let it = all.find(|it| it.number == number);
    let it = it.ok_or_else(Error::not_found)?;
    Ok(match name {
        "number" => Out::of(it.number),
        "title" => Out::of(&it.title),
        "description" => Out::of(&it.description),
        "dueOn" => Out::of(&it.due_on),
        "state" => Out::of(if it.closed { "CLOSED" } else { "OPEN" }),
        _ => Out::of(format!("{}/milestone/{number}", s.render().html_url(&repo))),
    })
}

/// A field of a branch or tag.
pub(super) fn reference(s: &Session, full_name: &str, reference: &str, name: &str) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let slash = reference.match_indices('/').nth(1);
    let (prefix, short) = reference.split_at(slash.map_or(0, |(at, _)| at + 1));
    Ok(match name {
        "name" => Out::of(short),
        "prefix" => Out::of(prefix),
        "target" => {
            let target = repo.reference(reference);
            Out::maybe(target.map(|sha| Node::Commit(repo.full_name(), sha.to_owned())))
        }
        "branchProtectionRule" => {
            let there = repo.protection.contains_key(short);
            Out::maybe(there.then(|| rule(&repo, short)))
        }
        _ => Out::Node(Node::Repository(repo.full_name())),
    })
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
