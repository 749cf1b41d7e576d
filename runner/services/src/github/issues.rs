//! Issues, their comments, labels and milestones.

use std::sync::Arc;

use proctor_types::journal::Change;
use proctor_types::world::github::{self as kind, numbered_id};

use super::error::{Error, Result};
use super::session::Session;
use super::state::{Comment, Issue};

/// Longest title in characters, and longest text in bytes.
const TITLE_CAP: usize = 256;
pub(crate) const BODY_CAP: usize = 65_536;

/// What a new issue says.
#[derive(Debug, Default)]
pub(crate) struct NewIssue {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) labels: Vec<String>,
    pub(crate) assignees: Vec<String>,
    pub(crate) milestone: Option<u64>,
}

/// What is to be another value; `None` leaves it.
#[derive(Debug, Default)]
pub(crate) struct IssueChange {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) closed: Option<bool>,
    pub(crate) reason: Option<String>,
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) assignees: Option<Vec<String>>,
    pub(crate) milestone: Option<Milestoned>,
}

/// The milestone that an issue is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Milestoned {
    /// None.
    Cleared,
    /// The one with this number.
    Number(u64),
}

impl Milestoned {
    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Self::Cleared => None,
            Self::Number(number) => Some(number),
        }
    }
}

pub(crate) fn check_title(resource: &str, title: &str) -> Result<()> {
    if title.trim().is_empty() {
        return Err(Error::field(resource, "title", "missing_field"));
    }
    if title.chars().count() > TITLE_CAP {
        let text = "title is too long (maximum is 256 characters)";
        return Err(Error::custom(resource, text));
    }
    Ok(())
}

pub(crate) fn check_body(resource: &str, body: &str) -> Result<()> {
    if body.len() > BODY_CAP {
        let text = "body is too long (maximum is 65536 characters)";
        return Err(Error::custom(resource, text));
    }
    Ok(())
}

impl Session {
    /// Opens an issue. Gives its number.
    pub(crate) fn create_issue(&mut self, full_name: &str, new: NewIssue) -> Result<u64> {
        let full_name = self.commentable(full_name)?;
        check_title("Issue", &new.title)?;
        check_body("Issue", &new.body)?;
        let milestone = self.milestone(&full_name, new.milestone)?;
        let assignees = self.logins(&new.assignees, "assignees")?;
        let labels = self.labels(&full_name, &new.labels)?;
        self.insert_issue(
            &full_name,
            Issue {
                title: new.title,
                body: new.body,
                labels,
                assignees,
                milestone,
                ..Issue::default()
            },
        )
    }

    /// Puts a new issue or pull request into a repository: the actor's, of this
    /// moment, with the next number. Gives the number.
    pub(crate) fn insert_issue(&mut self, full_name: &str, new: Issue) -> Result<u64> {
        let (id, now, user) = (self.fresh(), self.time(), self.actor()?);
        let repo = self.gh.repo_mut(full_name)?;
        let number = repo.next_number();
        let issue = Issue {
            id,
            number,
            user,
            created_at: now.clone(),
            updated_at: now,
            ..new
        };
        let kind = issue.kind();
        repo.issues.insert(number, Arc::new(issue));
        self.did(kind, numbered_id(full_name, number), Change::Created);
        Ok(number)
    }

    fn milestone(&self, full_name: &str, number: Option<u64>) -> Result<Option<u64>> {
        let repo = self.gh.by_full_name(full_name)?;
        let there = |number: u64| repo.milestones.iter().any(|it| it.number == number);
        match number {
            Some(number) if !there(number) => Err(Error::field("Issue", "milestone", "invalid")),
            number => Ok(number),
        }
    }

    /// Changes an issue, or what a pull request has of one.
    pub(crate) fn update_issue(
        &mut self,
        full_name: &str,
        number: u64,
        change: IssueChange,
    ) -> Result<()> {
        let full_name = self.commentable(full_name)?;
        let (now, actor) = (self.time(), self.actor()?);
        let repo = self.repo(&full_name)?;
        let issue = repo.issue(number)?;
        let own = issue.user == actor || self.may_push(&repo);
        if !own {
            return Err(Error::new(403, "Must have admin rights to Repository."));
        }
        if issue.merged().is_some() && change.closed == Some(false) {
            let text = "state cannot be changed. The pull request was merged.";
            return Err(Error::custom("PullRequest", text));
        }
        let is_pull = issue.pull.is_some();
        let resource = if is_pull { "PullRequest" } else { "Issue" };
        if let Some(title) = &change.title {
            check_title(resource, title)?;
        }
        check_body(resource, change.body.as_deref().unwrap_or_default())?;
        drop(repo);
        if let Some(milestone) = change.milestone {
            self.milestone(&full_name, milestone.number())?;
        }
        let labels = match &change.labels {
            Some(names) => Some(self.labels(&full_name, names)?),
            None => None,
        };
        let assignees = match &change.assignees {
            Some(names) => Some(self.logins(names, "assignees")?),
            None => None,
        };
        let issue = self.gh.repo_mut(&full_name)?.issue_mut(number)?;
        let mut fields = Vec::new();
        let mut set = |name, changed: bool| {
            if changed {
                fields.push(name);
            }
        };
        set("title", replace(&mut issue.title, change.title));
        set("body", replace(&mut issue.body, change.body));
        set("labels", replace(&mut issue.labels, labels));
        set("assignees", replace(&mut issue.assignees, assignees));
        set(
            "milestone",
            replace(
                &mut issue.milestone,
                change.milestone.map(Milestoned::number),
            ),
        );
        let state = replace(&mut issue.closed, change.closed);
        set("state", state);
        if state {
            issue.closed_at = issue.closed.then(|| now.clone());
            issue.closed_by = issue.closed.then(|| actor.clone());
        }
        if !is_pull && (state || change.reason.is_some()) {
            let usual = if issue.closed {
                "completed"
            } else {
                "reopened"
            };
            issue.state_reason = Some(change.reason.unwrap_or_else(|| usual.to_owned()));
        }
        if !fields.is_empty() {
            issue.updated_at = now;
        }
        let kind = issue.kind();
        self.updated(kind, numbered_id(&full_name, number), &fields);
        Ok(())
    }

    pub(crate) fn comment(&mut self, full_name: &str, number: u64, body: &str) -> Result<u64> {
        let full_name = self.commentable(full_name)?;
        if body.trim().is_empty() {
            return Err(Error::field("IssueComment", "body", "missing_field"));
        }
        check_body("IssueComment", body)?;
        let (id, now, user) = (self.fresh(), self.time(), self.actor()?);
        let issue = self.gh.repo_mut(&full_name)?.issue_mut(number)?;
        issue.comments.push(Comment {
            id,
            user,
            body: body.to_owned(),
            created_at: now.clone(),
            updated_at: now.clone(),
            seeded: false,
        });
        issue.updated_at = now;
        self.did_within(
            kind::COMMENT,
            id,
            &numbered_id(&full_name, number),
            Change::Created,
        );
        Ok(id)
    }

    pub(crate) fn did_within(&mut self, kind: &str, id: u64, parent: &str, change: Change) {
        let touch = proctor_types::journal::Touch::changed(kind, id.to_string(), change);
        self.changed.push(touch.within(parent));
    }

    /// The number of the issue that has a comment.
    pub(crate) fn comment_place(&self, full_name: &str, id: u64) -> Result<u64> {
        let repo = self.gh.by_full_name(full_name)?;
        let has = |issue: &Issue| issue.comments.iter().any(|it| it.id == id);
        let mut issues = repo.issues.values();
        let found = issues.find(|issue| has(issue));
        Ok(found.ok_or_else(Error::not_found)?.number)
    }

    /// Gives a comment another text, or removes it (`None`).
    pub(crate) fn edit_comment(
        &mut self,
        full_name: &str,
        id: u64,
        body: Option<&str>,
    ) -> Result<()> {
        let full_name = self.commentable(full_name)?;
        let number = self.comment_place(&full_name, id)?;
        check_body("IssueComment", body.unwrap_or_default())?;
        let (now, actor) = (self.time(), self.actor()?);
        let may = self.may_push(self.gh.by_full_name(&full_name)?);
        let issue = self.gh.repo_mut(&full_name)?.issue_mut(number)?;
        let Some(comment) = issue.comments.iter_mut().find(|it| it.id == id) else {
            return Err(Error::not_found());
        };
        if comment.user != actor && !may {
            return Err(Error::new(403, "Must have admin rights to Repository."));
        }
        let parent = numbered_id(&full_name, number);
        let change = if let Some(body) = body {
            body.clone_into(&mut comment.body);
            comment.updated_at = now;
            Change::Updated
        } else {
            issue.comments.retain(|it| it.id != id);
            Change::Deleted
        };
        self.did_within(kind::COMMENT, id, &parent, change);
        Ok(())
    }
}

/// Puts a new value in place where there is one; tells whether it is another.
pub(crate) fn replace<T: PartialEq>(place: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) if *place != value => {
            *place = value;
            true
        }
        _ => false,
    }
}

/// Issues that a text closes: `fixes #3`, `Closes: #4`, `resolved acme/x#5`.
pub(crate) fn closing_numbers(text: &str, full_name: &str) -> Vec<u64> {
    const WORDS: &[&str] = &[
        "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
    ];
    let mut found = Vec::new();
    let mut after_keyword = false;
    for word in text.split_whitespace() {
        if after_keyword
            && let Some((repository, number)) = word.split_once('#')
            && (repository.is_empty() || repository.eq_ignore_ascii_case(full_name))
        {
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            found.extend(digits.parse::<u64>());
        }
        let bare = word
            .trim_start_matches(['(', '*', '_', '-'])
            .trim_end_matches(':');
        after_keyword = WORDS.iter().any(|it| bare.eq_ignore_ascii_case(it));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::closing_numbers;

    #[test]
    fn keywords_close_what_directly_follows_them() {
        let text = "Fixes #3, closes: #4\n\n(resolves acme/x#5) mentions #6, fixes b/y#7. fix 8";
        assert_eq!(closing_numbers(text, "Acme/X"), [3, 4, 5]);
        assert!(closing_numbers("prefix #1 unfixed #2 fixes#3", "a/b").is_empty());
    }
}
