//! Whether a pull request can be merged, and merging it.

use git2::{Oid, Repository};
use proctor_types::world::github::{self as kind, numbered_id};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::issues::closing_numbers;
use super::super::session::Session;
use super::super::state::{Issue, Merged, Pull, Repo};
use super::super::store::oid;
use super::compare::Compared;
use super::review::standing;

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

impl Session {
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
