//! Pull requests: opening, merging, reviewing.

use std::sync::Arc;

use git2::{Oid, Repository};
use proctor_types::journal::Change;
use proctor_types::world::github::{self as kind, numbered_id};

use super::error::{Error, Result};
use super::git;
use super::issues::{check_body, check_title, closing_numbers};
use super::session::Session;
use super::state::{Issue, Merged, Pull, Repo, Review, ReviewComment};
use super::store::oid;

/// What a new pull request says.
#[derive(Debug, Default)]
pub(crate) struct NewPull {
    pub(crate) title: String,
    pub(crate) body: String,
    /// `branch` or `owner:branch`.
    pub(crate) head: String,
    pub(crate) base: String,
    pub(crate) draft: bool,
    /// Full name of the head's repository, where the request names it.
    pub(crate) head_repo: Option<String>,
}

/// How a pull request is to be merged.
#[derive(Debug, Default)]
pub(crate) struct MergeOrder {
    /// `merge`, `squash` or `rebase`.
    pub(crate) method: String,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
    /// What the head must be.
    pub(crate) sha: Option<String>,
}

/// A comment on a line.
#[derive(Debug, Default)]
pub(crate) struct NewReviewComment {
    pub(crate) body: String,
    pub(crate) path: String,
    pub(crate) line: Option<u64>,
    pub(crate) side: Option<String>,
    pub(crate) in_reply_to: Option<u64>,
    pub(crate) commit_id: Option<String>,
}

/// What a pull request looks like in git.
#[derive(Debug)]
pub(crate) struct Compared {
    /// Where head and base part.
    pub(crate) fork_point: Option<Oid>,
    pub(crate) base: Oid,
    pub(crate) head: Oid,
    /// Oldest first.
    pub(crate) commits: Vec<Oid>,
}

impl Compared {
    /// Two commits and what lies between them.
    pub(crate) fn of(git: &Repository, base: Oid, head: Oid) -> Result<Self> {
        let mut commits = git::between(git, Some(base), head)?;
        commits.reverse();
        Ok(Self {
            fork_point: git::merge_base(git, base, head),
            base,
            head,
            commits,
        })
    }

    /// Differences between the fork point and the head.
    pub(crate) fn files(&self, git: &Repository) -> Result<Vec<git::FileDiff>> {
        let (old, new) = self.trees(git)?;
        git::diff(git, old.as_ref(), Some(&new))
    }

    /// The same as unified diff.
    pub(crate) fn diff_text(&self, git: &Repository) -> Result<Vec<u8>> {
        let (old, new) = self.trees(git)?;
        git::diff_text(git, old.as_ref(), Some(&new))
    }

    /// The commits as mails, as `git format-patch` writes them.
    pub(crate) fn patch_text(&self, git: &Repository) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        for id in &self.commits {
            let commit = git.find_commit(*id)?;
            if commit.parent_count() < 2 {
                let mut options = git2::EmailCreateOptions::new();
                text.extend_from_slice(git2::Email::from_commit(&commit, &mut options)?.as_slice());
            }
        }
        Ok(text)
    }

    fn trees<'g>(&self, git: &'g Repository) -> Result<(Option<git2::Tree<'g>>, git2::Tree<'g>)> {
        let old = self.fork_point.map(|id| git.find_commit(id)?.tree());
        Ok((old.transpose()?, git.find_commit(self.head)?.tree()?))
    }
}

impl Pull {
    /// A pull request's commits and differences.
    pub(crate) fn compared(&self, git: &Repository) -> Result<Compared> {
        let base = match &self.merged {
            Some(merged) => &merged.base,
            None => &self.base_sha,
        };
        let (base, head) = (oid(base), oid(&self.head_sha));
        let (Some(base), Some(head)) = (base, head) else {
            return Err(Error::not_found());
        };
        Compared::of(git, base, head)
    }
}

impl Repo {
    /// Whether a pull request can be merged, and GitHub's word for how it is.
    pub(crate) fn mergeable(
        &self,
        git: &Repository,
        issue: &Issue,
        pull: &Pull,
    ) -> (Option<bool>, &'static str) {
        if issue.closed {
            return (None, "unknown");
        }
        let tips = oid(&pull.base_sha).zip(oid(&pull.head_sha));
        let merged = tips.and_then(|(base, head)| git::merged_tree(git, base, head).ok());
        match merged.flatten() {
            None => (Some(false), "dirty"),
            Some(_) if pull.draft => (Some(true), "draft"),
            Some(_) if self.approvals_missing(pull) => (Some(true), "blocked"),
            Some(_) => (Some(true), "clean"),
        }
    }

    fn approvals_missing(&self, pull: &Pull) -> bool {
        let Some(rules) = self.protection.get(&pull.base_ref) else {
            return false;
        };
        let verdicts = standing(pull);
        let given = verdicts.iter().filter(|(_, state)| *state == "APPROVED");
        let refused = verdicts
            .iter()
            .any(|(_, state)| *state == "CHANGES_REQUESTED");
        rules.required_approvals > 0 && (refused || given.count() < rules.required_approvals)
    }
}

/// The latest verdict of each reviewer.
pub(crate) fn standing(pull: &Pull) -> Vec<(&str, &str)> {
    let mut verdicts: Vec<(&str, &str)> = Vec::new();
    for review in &pull.reviews {
        if matches!(
            review.state.as_str(),
            "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED"
        ) {
            verdicts.retain(|(user, _)| *user != review.user);
            verdicts.push((&review.user, &review.state));
        }
    }
    verdicts
}

impl Session {
    pub(crate) fn create_pull(&mut self, full_name: &str, new: NewPull) -> Result<u64> {
        let full_name = self.commentable(full_name)?;
        check_title("PullRequest", &new.title)?;
        check_body("PullRequest", &new.body)?;
        let (head_repo, head_ref) = self.head_of(&full_name, &new)?;
        let head_name = head_repo.as_deref().unwrap_or(&full_name);
        let head = self
            .gh
            .by_full_name(head_name)?
            .branch(&head_ref)
            .and_then(oid);
        let head = head.ok_or_else(|| Error::field("PullRequest", "head", "invalid"))?;
        if let Some(other) = &head_repo {
            self.import(other, &full_name, head)?;
        } else {
            self.writable(&full_name)?;
        }
        let repo = self.repo(&full_name)?;
        let base = repo.branch(&new.base).and_then(oid);
        let base = base.ok_or_else(|| Error::field("PullRequest", "base", "invalid"))?;
        let git = repo.objects.open()?;
        if git::between(&git, Some(base), head)?.is_empty() {
            let text = format!("No commits between {} and {}", new.base, head_ref);
            return Err(Error::custom("PullRequest", text));
        }
        if git::merge_base(&git, base, head).is_none() {
            let text = format!(
                "The {} branch has no history in common with {head_ref}",
                new.base
            );
            return Err(Error::custom("PullRequest", text));
        }
        let twin = repo.issues.values().any(|issue| {
            let same = |pull: &Pull| {
                pull.head_ref == head_ref
                    && pull.base_ref == new.base
                    && pull.head_repo == head_repo
            };
            !issue.closed && issue.pull.as_ref().is_some_and(same)
        });
        if twin {
            let owner = head_name.split('/').next().unwrap_or_default();
            let text = format!("A pull request already exists for {owner}:{head_ref}.");
            return Err(Error::custom("PullRequest", text));
        }
        drop((git, repo));
        let (id, now, user) = (self.fresh(), self.time(), self.actor()?);
        let repo = self.gh.repo_mut(&full_name)?;
        let number = repo.next_number();
        let pull = Pull {
            draft: new.draft,
            head_repo,
            head_ref,
            head_sha: head.to_string(),
            base_ref: new.base,
            base_sha: base.to_string(),
            ..Pull::default()
        };
        let issue = Issue {
            id,
            number,
            title: new.title,
            body: new.body,
            user,
            created_at: now.clone(),
            updated_at: now,
            pull: Some(pull),
            ..Issue::default()
        };
        repo.refs
            .insert(format!("refs/pull/{number}/head"), head.to_string());
        repo.issues.insert(number, Arc::new(issue));
        self.did(
            kind::PULL_REQUEST,
            numbered_id(&full_name, number),
            Change::Created,
        );
        Ok(number)
    }

    /// Repository (where it is another one) and branch of a new head.
    fn head_of(&self, full_name: &str, new: &NewPull) -> Result<(Option<String>, String)> {
        let invalid = || Error::field("PullRequest", "head", "invalid");
        let (owner, branch) = match new.head.split_once(':') {
            Some((owner, branch)) => (Some(owner), branch),
            None => (None, new.head.as_str()),
        };
        let base = self.gh.by_full_name(full_name)?;
        let named = match (&new.head_repo, owner) {
            (Some(name), _) => Some(self.repo(name)?.full_name()),
            (None, Some(owner)) if !owner.eq_ignore_ascii_case(&base.owner) => {
                let fork = self.gh.repositories.values().find(|repo| {
                    repo.owner.eq_ignore_ascii_case(owner)
                        && repo.fork_of.as_deref() == Some(full_name)
                });
                Some(fork.ok_or_else(invalid)?.full_name())
            }
            _ => None,
        };
        Ok((named.filter(|name| name != full_name), branch.to_owned()))
    }

    /// Changes what only pull requests have.
    pub(crate) fn update_pull(
        &mut self,
        full_name: &str,
        number: u64,
        base: Option<&str>,
        draft: Option<bool>,
    ) -> Result<()> {
        let full_name = self.commentable(full_name)?;
        let repo = self.gh.repo_mut(&full_name)?;
        let tip = base.map(|name| repo.branch(name).map(str::to_owned));
        let (issue, mut pull) = repo.pull_mut(number)?;
        let mut fields = Vec::new();
        if let (Some(base), Some(tip)) = (base, tip) {
            pull.base_sha = tip.ok_or_else(|| Error::field("PullRequest", "base", "invalid"))?;
            base.clone_into(&mut pull.base_ref);
            fields.push("base");
        }
        if let Some(draft) = draft.filter(|draft| *draft != pull.draft) {
            pull.draft = draft;
            fields.push("draft");
        }
        issue.pull = Some(pull);
        if !fields.is_empty() {
            self.updated(kind::PULL_REQUEST, numbered_id(&full_name, number), &fields);
        }
        Ok(())
    }

    /// Merges a pull request. Gives the commit that the base is at then.
    pub(crate) fn merge_pull(
        &mut self,
        full_name: &str,
        number: u64,
        order: &MergeOrder,
    ) -> Result<Oid> {
        let full_name = self.writable(full_name)?;
        let actor = self.actor()?;
        let author = self.signature()?;
        let service = git::signature("GitHub", "noreply@github.com", self.now)?;
        let repo = self.gh.repo_mut(&full_name)?;
        let git = repo.objects.writable()?;
        let (issue, pull) = repo.pull(number)?;
        if issue.closed {
            return Err(Error::new(405, "Pull Request is not mergeable"));
        }
        if order.sha.as_ref().is_some_and(|sha| *sha != pull.head_sha) {
            let text = "Head branch was modified. Review and try the merge again.";
            return Err(Error::new(409, text));
        }
        match repo.mergeable(&git, issue, pull).1 {
            "dirty" => return Err(Error::new(405, "Pull Request is not mergeable")),
            "draft" => return Err(Error::new(405, "Pull Request is still a draft")),
            "blocked" => {
                let text =
                    "At least one approving review is required by reviewers with write access.";
                return Err(Error::new(405, text));
            }
            _ => {}
        }
        let compared = pull.compared(&git)?;
        let merge = Merge {
            git: &git,
            compared: &compared,
            author: &author,
            service: &service,
        };
        let sha = match order.method.as_str() {
            "merge" | "" => {
                let owner = pull.head_repo.as_deref().unwrap_or(&full_name);
                let owner = owner.split('/').next().unwrap_or_default();
                let usual = format!(
                    "Merge pull request #{number} from {owner}/{}",
                    pull.head_ref
                );
                let title = order.title.clone().unwrap_or(usual);
                let body = order.message.clone().unwrap_or_else(|| issue.title.clone());
                merge.commit(&text_of(&title, &body), true)?
            }
            "squash" => {
                let usual = format!("{} (#{number})", issue.title);
                let title = order.title.clone().unwrap_or(usual);
                let body = match &order.message {
                    Some(body) => body.clone(),
                    None => merge.messages()?,
                };
                merge.commit(&text_of(&title, &body), false)?
            }
            "rebase" => merge.rebase()?,
            _ => return Err(Error::field("PullRequest", "merge_method", "invalid")),
        };
        let merged = Merged {
            at: self.now.to_string(),
            by: actor.clone(),
            sha: sha.to_string(),
            base: compared.base.to_string(),
        };
        let base = format!("refs/heads/{}", pull.base_ref);
        let on_default = pull.base_ref == repo.default_branch;
        let closing = closing_numbers(&format!("{} {}", issue.title, issue.body), &full_name);
        drop(git);
        let (issue, mut pull) = repo.pull_mut(number)?;
        issue.closed = true;
        issue.closed_at = Some(merged.at.clone());
        issue.closed_by = Some(actor);
        issue.updated_at.clone_from(&merged.at);
        pull.merged = Some(merged);
        issue.pull = Some(pull);
        self.updated(
            kind::PULL_REQUEST,
            numbered_id(&full_name, number),
            &["state", "merged"],
        );
        self.set_ref(&full_name, &base, Some(sha))?;
        if on_default {
            self.close_issues(&full_name, &closing)?;
        }
        Ok(sha)
    }

    /// Brings the base's commits into the head's branch.
    pub(crate) fn update_branch(&mut self, full_name: &str, number: u64) -> Result<()> {
        let author = self.signature()?;
        let service = git::signature("GitHub", "noreply@github.com", self.now)?;
        let repo = self.repo(full_name)?;
        let (issue, pull) = repo.pull(number)?;
        let (base, head) = (oid(&pull.base_sha), oid(&pull.head_sha));
        let (Some(base), Some(head)) = (base, head) else {
            return Err(Error::not_found());
        };
        let conflict = || Error::new(422, "merge conflict between base and head");
        if issue.closed {
            return Err(conflict());
        }
        let name = pull.head_repo.clone().unwrap_or_else(|| repo.full_name());
        let text = format!("Merge branch '{}' into {}", pull.base_ref, pull.head_ref);
        let branch = format!("refs/heads/{}", pull.head_ref);
        let base_name = repo.full_name();
        drop(repo);
        let name = self.writable(&name)?;
        self.import(&base_name, &name, base)?;
        let git = self.gh.repo_mut(&name)?.objects.writable()?;
        if head == base || git.graph_descendant_of(head, base)? {
            return Err(Error::new(
                422,
                "There are no new commits on the base branch.",
            ));
        }
        let tree = git::merged_tree(&git, head, base)?.ok_or_else(conflict)?;
        let parents = [&git.find_commit(head)?, &git.find_commit(base)?];
        let id = git.commit(
            None,
            &author,
            &service,
            &text,
            &git.find_tree(tree)?,
            &parents,
        )?;
        self.set_ref(&name, &branch, Some(id))
    }

    /// Adds a review with comments on lines. Gives its number.
    pub(crate) fn review(
        &mut self,
        full_name: &str,
        number: u64,
        event: &str,
        body: &str,
        comments: Vec<NewReviewComment>,
    ) -> Result<u64> {
        let full_name = self.commentable(full_name)?;
        let (id, now, user) = (self.fresh(), self.time(), self.actor()?);
        let state = match event {
            "APPROVE" => "APPROVED",
            "REQUEST_CHANGES" => "CHANGES_REQUESTED",
            "COMMENT" => "COMMENTED",
            _ => return Err(Error::field("PullRequestReview", "event", "invalid")),
        };
        check_body("PullRequestReview", body)?;
        if body.trim().is_empty() && comments.is_empty() && state != "APPROVED" {
            return Err(Error::field("PullRequestReview", "body", "missing_field"));
        }
        let repo = self.gh.repo_mut(&full_name)?;
        let (issue, mut pull) = repo.pull_mut(number)?;
        if issue.user == user && state != "COMMENTED" {
            let what = if state == "APPROVED" {
                "approve"
            } else {
                "request changes on"
            };
            let text = format!("Can not {what} your own pull request");
            return Err(Error::custom("PullRequestReview", text));
        }
        pull.requested_reviewers.retain(|login| *login != user);
        pull.reviews.push(Review {
            id,
            user,
            body: body.to_owned(),
            state: state.to_owned(),
            commit_id: pull.head_sha.clone(),
            submitted_at: now.clone(),
            seeded: false,
        });
        issue.updated_at = now;
        issue.pull = Some(pull);
        self.did_within(
            kind::REVIEW,
            id,
            &numbered_id(&full_name, number),
            Change::Created,
        );
        for comment in comments {
            self.review_comment(&full_name, number, comment, Some(id))?;
        }
        Ok(id)
    }

    /// Comments on a line of a pull request. Gives the comment's number.
    pub(crate) fn review_comment(
        &mut self,
        full_name: &str,
        number: u64,
        new: NewReviewComment,
        review: Option<u64>,
    ) -> Result<u64> {
        let full_name = self.commentable(full_name)?;
        let resource = "PullRequestReviewComment";
        if new.body.trim().is_empty() {
            return Err(Error::field(resource, "body", "missing_field"));
        }
        check_body(resource, &new.body)?;
        let repo = self.repo(&full_name)?;
        let (_, pull) = repo.pull(number)?;
        let (mut path, mut line) = (new.path, new.line);
        if let Some(answered) = new.in_reply_to {
            let mut comments = pull.review_comments.iter();
            let found = comments.find(|it| it.id == answered);
            let found = found.ok_or_else(|| Error::field(resource, "in_reply_to", "invalid"))?;
            path.clone_from(&found.path);
            line = found.line;
        } else {
            let git = repo.objects.open()?;
            let files = pull.compared(&git)?.files(&git)?;
            if !files.iter().any(|file| file.filename == path) {
                return Err(Error::field(resource, "path", "invalid"));
            }
        }
        drop(repo);
        let (id, now, user) = (self.fresh(), self.time(), self.actor()?);
        let (issue, mut pull) = self.gh.repo_mut(&full_name)?.pull_mut(number)?;
        let commit_id = new.commit_id.unwrap_or_else(|| pull.head_sha.clone());
        pull.review_comments.push(ReviewComment {
            id,
            review,
            user,
            body: new.body,
            path,
            line,
            side: new.side.unwrap_or_else(|| "RIGHT".to_owned()),
            commit_id,
            in_reply_to: new.in_reply_to,
            created_at: now.clone(),
            updated_at: now.clone(),
            seeded: false,
        });
        issue.updated_at = now;
        issue.pull = Some(pull);
        self.did_within(
            kind::COMMENT,
            id,
            &numbered_id(&full_name, number),
            Change::Created,
        );
        Ok(id)
    }

    /// Asks for reviews (`ask`), or no longer does.
    pub(crate) fn request_reviewers(
        &mut self,
        full_name: &str,
        number: u64,
        names: &[String],
        ask: bool,
    ) -> Result<()> {
        let full_name = self.writable(full_name)?;
        let names = self.logins(names, "reviewers")?;
        let (issue, mut pull) = self.gh.repo_mut(&full_name)?.pull_mut(number)?;
        if ask && names.contains(&issue.user) {
            let text = "Review cannot be requested from pull request author.";
            return Err(Error::new(422, text));
        }
        pull.requested_reviewers
            .retain(|login| !names.contains(login));
        if ask {
            pull.requested_reviewers.extend(names);
        }
        issue.pull = Some(pull);
        self.updated(
            kind::PULL_REQUEST,
            numbered_id(&full_name, number),
            &["requested_reviewers"],
        );
        Ok(())
    }
}

fn text_of(title: &str, body: &str) -> String {
    if body.is_empty() {
        title.to_owned()
    } else {
        format!("{title}\n\n{body}")
    }
}

/// A merge that is known to be without conflict.
struct Merge<'a> {
    git: &'a Repository,
    compared: &'a Compared,
    author: &'a git2::Signature<'static>,
    service: &'a git2::Signature<'static>,
}

impl Merge<'_> {
    fn commit(&self, message: &str, both_parents: bool) -> Result<Oid> {
        let Compared { base, head, .. } = *self.compared;
        let tree = git::merged_tree(self.git, base, head)?;
        let tree = tree.ok_or_else(|| Error::new(405, "Pull Request is not mergeable"))?;
        let tree = self.git.find_tree(tree)?;
        let (base, head) = (self.git.find_commit(base)?, self.git.find_commit(head)?);
        let parents = [&base, &head];
        let parents = if both_parents {
            &parents[..]
        } else {
            &parents[..1]
        };
        Ok(self
            .git
            .commit(None, self.author, self.service, message, &tree, parents)?)
    }

    /// The messages of all commits, as the text of a squashed one.
    fn messages(&self) -> Result<String> {
        let mut texts = Vec::new();
        for id in &self.compared.commits {
            texts.push(git::message(&self.git.find_commit(*id)?).trim().to_owned());
        }
        Ok(match texts.as_slice() {
            [one] => one
                .split_once('\n')
                .map(|(_, rest)| rest.trim().to_owned())
                .unwrap_or_default(),
            texts => texts
                .iter()
                .map(|text| format!("* {text}"))
                .collect::<Vec<_>>()
                .join("\n\n"),
        })
    }

    /// Every commit once more on top of the base.
    fn rebase(&self) -> Result<Oid> {
        let mut tip = self.git.find_commit(self.compared.base)?;
        for id in &self.compared.commits {
            let commit = self.git.find_commit(*id)?;
            if commit.parent_count() != 1 {
                continue;
            }
            let mut index = self.git.cherrypick_commit(&commit, &tip, 0, None)?;
            if index.has_conflicts() {
                return Err(Error::new(
                    405,
                    "This branch can't be rebased due to conflicts",
                ));
            }
            let tree = self.git.find_tree(index.write_tree_to(self.git)?)?;
            let text = git::message(&commit);
            let id =
                self.git
                    .commit(None, &commit.author(), self.service, &text, &tree, &[&tip])?;
            tip = self.git.find_commit(id)?;
        }
        Ok(tip.id())
    }
}
