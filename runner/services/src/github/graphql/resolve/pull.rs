//! Fields of pull requests.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, numbered_id};

use super::super::node::{Node, Out, connection, record};
use super::Args;
use super::account::actors;
use super::issue::common;
use super::issues::pull_state;
use crate::github::error::Result;
use crate::github::issues::closing_numbers;
use crate::github::pulls::review::standing;
use crate::github::session::Session;
use crate::github::state::{Issue, Pull, Repo, Review};

/// A field of a pull request.
pub(super) fn field(
    s: &mut Session,
    full_name: &str,
    number: u64,
    name: &str,
    args: &Args,
) -> Result<Out> {
    let repo = s.repo(full_name)?;
    let (issue, pull) = repo.pull(number)?;
    match name {
        "body" => {
            let id = numbered_id(&repo.full_name(), number);
            s.saw(kind::PULL_REQUEST, id, View::Full);
            Ok(common(s, &repo, issue, name, args))
        }
        "mergeable" | "mergeStateStatus" | "canBeRebased" | "additions" | "deletions"
        | "changedFiles" | "files" | "commits" => of_git(&repo, issue, pull, name, args),
        "reviewDecision"
        | "reviewRequests"
        | "reviews"
        | "latestReviews"
        | "closingIssuesReferences" => Ok(of_people(s, &repo, issue, pull, name, args)),
        _ => own(s, &repo, issue, pull, name, args),
    }
}

/// What the request itself says, and where it comes from and goes to.
fn own(
    s: &Session,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
    name: &str,
    args: &Args,
) -> Result<Out> {
    let full_name = repo.full_name();
    let head_repo = pull.head_repo.as_ref().unwrap_or(&full_name);
    let merged = pull.merged.as_ref();
    let branch = |repo: &Repo, name: &str| {
        let there = repo.branch(name).is_some();
        Out::maybe(there.then(|| Node::Ref(repo.full_name(), format!("refs/heads/{name}"))))
    };
    Ok(match name {
        "state" => Out::of(pull_state(issue)),
        "isDraft" => Out::of(pull.draft),
        "merged" => Out::of(merged.is_some()),
        "mergedAt" => Out::of(merged.map(|it| &it.at)),
        "mergedBy" => Out::maybe(merged.and_then(|it| Node::account(s, &it.by))),
        "mergeCommit" => Out::maybe(merged.map(|it| Node::Commit(full_name, it.sha.clone()))),
        "maintainerCanModify" | "isInMergeQueue" | "isMergeQueueEnabled" => Out::of(false),
        "isCrossRepository" => Out::of(pull.head_repo.is_some()),
        "headRefName" => Out::of(&pull.head_ref),
        "headRefOid" => Out::of(&pull.head_sha),
        "headRef" => branch(s.gh.by_full_name(head_repo)?, &pull.head_ref),
        "headRepository" => Out::Node(Node::Repository(head_repo.clone())),
        "headRepositoryOwner" => {
            let owner = head_repo.split('/').next().unwrap_or_default();
            Out::maybe(Node::account(s, owner))
        }
        "baseRefName" => Out::of(&pull.base_ref),
        "baseRefOid" => Out::of(&pull.base_sha),
        "baseRef" => branch(repo, &pull.base_ref),
        "potentialMergeCommit" | "autoMergeRequest" => Out::Null,
        _ => common(s, repo, issue, name, args),
    })
}

/// What git has to be asked for: commits, differences, whether it merges.
fn of_git(repo: &Repo, issue: &Issue, pull: &Pull, name: &str, args: &Args) -> Result<Out> {
    let git = repo.objects.open()?;
    Ok(match name {
        "mergeable" => Out::of(match repo.mergeable(&git, issue, pull).0 {
            Some(true) => "MERGEABLE",
            Some(false) => "CONFLICTING",
            None => "UNKNOWN",
        }),
        "mergeStateStatus" => Out::of(repo.mergeable(&git, issue, pull).1.to_uppercase()),
        "canBeRebased" => Out::of(repo.mergeable(&git, issue, pull).0 == Some(true)),
        "commits" => {
            let commits = pull.compared(&git)?.commits.into_iter();
            let commit = |id: git2::Oid| {
                let commit = Node::Commit(repo.full_name(), id.to_string());
                record("PullRequestCommit", [("commit", Out::Node(commit))])
            };
            Out::Node(connection(commits.map(commit).collect(), args))
        }
        "files" => {
            let files = pull.compared(&git)?.files(&git)?;
            let files = files.iter().map(|it| {
                record(
                    "PullRequestChangedFile",
                    [
                        ("path", Out::of(&it.filename)),
                        ("additions", Out::of(it.additions)),
                        ("deletions", Out::of(it.deletions)),
                        ("changeType", Out::of(it.status.to_uppercase())),
                    ],
                )
            });
            Out::Node(connection(files.collect(), args))
        }
        _ => {
            let files = pull.compared(&git)?.files(&git)?;
            Out::of(match name {
                "additions" => files.iter().map(|it| it.additions).sum(),
                "deletions" => files.iter().map(|it| it.deletions).sum(),
                _ => files.len(),
            })
        }
    })
}

/// What people said, were asked for, and want to be closed by it.
fn of_people(s: &Session, repo: &Repo, issue: &Issue, pull: &Pull, name: &str, args: &Args) -> Out {
    let full_name = repo.full_name();
    let review = |it: &Review| Node::Review(full_name.clone(), issue.number, it.id);
    let found = match name {
        "reviewDecision" => return decision(repo, pull),
        "reviewRequests" => actors(s, &pull.requested_reviewers)
            .into_iter()
            .map(|it| record("ReviewRequest", [("requestedReviewer", Out::Node(it))]))
            .collect(),
        "reviews" => pull.reviews.iter().map(review).collect(),
        "latestReviews" => {
            let later = |at: usize| pull.reviews.iter().skip(at + 1);
            let all = pull.reviews.iter().enumerate();
            all.filter(|(at, it)| !later(*at).any(|later| later.user == it.user))
                .map(|(_, it)| review(it))
                .collect()
        }
        _ => {
            let text = format!("{} {}", issue.title, issue.body);
            let numbers = closing_numbers(&text, &full_name).into_iter();
            let there = numbers.filter(|it| repo.issue(*it).is_ok_and(|it| it.pull.is_none()));
            there.map(|it| Node::Issue(full_name.clone(), it)).collect()
        }
    };
    Out::Node(connection(found, args))
}

/// What the reviews come to.
fn decision(repo: &Repo, pull: &Pull) -> Out {
    let verdicts = standing(pull);
    let has = |state: &str| verdicts.iter().any(|it| it.1 == state);
    let rules = repo.protection.get(&pull.base_ref);
    let needed = rules.is_some_and(|it| it.required_approvals > 0);
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
