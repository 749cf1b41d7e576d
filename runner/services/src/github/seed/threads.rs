//! Issues and pull requests of a repository.

use std::sync::Arc;

use serde_saphyr::Spanned;

use super::super::session::fresh;
use super::super::state::{Comment, Issue, Merged, Pull, Repo, Review};
use super::desk::Desk;
use super::entries::{CommentEntry, IssueEntry, PullEntry};
use super::repository::label;
use crate::world::{Ids, SeedError};

/// Adds an issue.
pub(super) fn issue(
    desk: &Desk<'_>,
    ids: &mut Ids,
    repo: &mut Repo,
    entry: &Spanned<IssueEntry>,
) -> Result<(), SeedError> {
    let mut issue = thread(desk, ids, repo, entry, &entry.value)?;
    issue.state_reason = issue.closed.then(|| "completed".to_owned());
    repo.issues.insert(issue.number, Arc::new(issue));
    Ok(())
}

/// Adds a pull request.
pub(super) fn pull(
    desk: &Desk<'_>,
    ids: &mut Ids,
    repo: &mut Repo,
    entry: &Spanned<PullEntry>,
) -> Result<(), SeedError> {
    let it = &entry.value;
    let tip = |name: &Spanned<String>| {
        let tip = repo.branch(&name.value).map(str::to_owned);
        tip.ok_or_else(|| desk.wrong(name, format!("there is no branch `{}`", name.value)))
    };
    let head_sha = tip(&it.head)?;
    let (base_ref, base_sha) = if let Some(base) = &it.base {
        (base.value.clone(), tip(base)?)
    } else {
        let tip = repo.branch(&repo.default_branch).map(str::to_owned);
        let tip = tip.ok_or_else(|| desk.wrong(entry, "the repository has no commit"))?;
        (repo.default_branch.clone(), tip)
    };
    let reviews = it.reviews.iter();
    let reviews = reviews.map(|it| review(desk, ids, it, &head_sha));
    let reviews = reviews.collect::<Result<_, _>>()?;
    let mut issue = thread(desk, ids, repo, entry, &it.as_issue())?;
    let merged = it.merged.then(|| Merged {
        at: issue.created_at.clone(),
        by: issue.user.clone(),
        sha: base_sha.clone(),
        base: base_sha.clone(),
    });
    let number = issue.number;
    repo.refs
        .insert(format!("refs/pull/{number}/head"), head_sha.clone());
    issue.pull = Some(Pull {
        draft: it.draft,
        head_ref: it.head.value.clone(),
        head_sha,
        base_ref,
        base_sha,
        merged,
        requested_reviewers: desk.logins(&it.reviewers)?,
        reviews,
        ..Pull::default()
    });
    repo.issues.insert(number, Arc::new(issue));
    Ok(())
}

/// What issues and pull requests have in common.
fn thread<T>(
    desk: &Desk<'_>,
    ids: &mut Ids,
    repo: &mut Repo,
    entry: &Spanned<T>,
    it: &IssueEntry,
) -> Result<Issue, SeedError> {
    let number = match it.number {
        Some(number) if repo.issues.contains_key(&number) || number == 0 => {
            return Err(desk.wrong(entry, format!("number {number} cannot be used here")));
        }
        Some(number) => number,
        None => repo.next_number(),
    };
    let at = desk.date(it.date.as_ref())?.to_string();
    let milestone = match &it.milestone {
        Some(title) => {
            let mut known = repo.milestones.iter();
            let found = known.find(|it| it.title == title.value);
            let found = found.ok_or_else(|| desk.wrong(title, "there is no such milestone"))?;
            Some(found.number)
        }
        None => None,
    };
    for name in &it.labels {
        if repo.label(name).is_none() {
            repo.labels.push(label(ids, name, None, None));
        }
    }
    Ok(Issue {
        id: fresh(ids),
        number,
        title: it.title.clone(),
        body: it.body.clone(),
        user: desk.login_or_own(it.author.as_ref())?,
        closed: it.closed,
        closed_at: it.closed.then(|| at.clone()),
        labels: it.labels.clone(),
        assignees: desk.logins(&it.assignees)?,
        milestone,
        comments: comments(desk, ids, &it.comments)?,
        created_at: at.clone(),
        updated_at: at,
        seeded: true,
        ..Issue::default()
    })
}

fn comments(
    desk: &Desk<'_>,
    ids: &mut Ids,
    entries: &[CommentEntry],
) -> Result<Vec<Comment>, SeedError> {
    let comment = |it: &CommentEntry| {
        let at = desk.date(it.date.as_ref())?.to_string();
        Ok(Comment {
            id: fresh(ids),
            user: desk.login(&it.author)?,
            body: it.body.clone(),
            created_at: at.clone(),
            updated_at: at,
            seeded: true,
        })
    };
    entries.iter().map(comment).collect()
}

fn review(
    desk: &Desk<'_>,
    ids: &mut Ids,
    it: &CommentEntry,
    head: &str,
) -> Result<Review, SeedError> {
    let state = it.state.as_ref();
    let state = state.map_or("COMMENTED", |state| &state.value);
    if !matches!(state, "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED") {
        let problem = "expected APPROVED, CHANGES_REQUESTED or COMMENTED";
        return Err(desk.wrong(&it.author, problem));
    }
    Ok(Review {
        id: fresh(ids),
        user: desk.login(&it.author)?,
        body: it.body.clone(),
        state: state.to_owned(),
        commit_id: head.to_owned(),
        submitted_at: desk.date(it.date.as_ref())?.to_string(),
        seeded: true,
    })
}
