//! Reviews of pull requests: asking for them, giving them, comments on lines.

use proctor_types::journal::Change;
use proctor_types::world::github::{self as kind, numbered_id};

use super::super::error::{Error, Result};
use super::super::issues::check_body;
use super::super::session::Session;
use super::super::state::{Pull, Review, ReviewComment};

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
