//! Opening a pull request, and changing what it asks for.

use proctor_types::world::github::{self as kind, numbered_id};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::issues::{check_body, check_title};
use super::super::session::Session;
use super::super::state::{Issue, Pull};
use super::super::store::oid;

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

impl Session {
    /// Opens a pull request. Gives its number.
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
        let pull = Pull {
            draft: new.draft,
            head_repo,
            head_ref,
            head_sha: head.to_string(),
            base_ref: new.base,
            base_sha: base.to_string(),
            ..Pull::default()
        };
        let number = self.insert_issue(
            &full_name,
            Issue {
                title: new.title,
                body: new.body,
                pull: Some(pull),
                ..Issue::default()
            },
        )?;
        let refs = &mut self.gh.repo_mut(&full_name)?.refs;
        refs.insert(format!("refs/pull/{number}/head"), head.to_string());
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
}
