//! Refs that move, and what follows from it.

use std::sync::Arc;

use git2::{FileMode, Oid, Repository, Signature};
use proctor_types::journal::Change;
use proctor_types::world::github::{self as kind, at_id, numbered_id};

use super::error::{Error, Result};
use super::git;
use super::issues::closing_numbers;
use super::session::Session;
use super::state::{Merged, Repo};
use super::store::oid;

/// Most commits of one push that are looked at one by one.
const COMMITS_CAP: usize = 5_000;

/// A ref that moved: full name, and its object before and after.
#[derive(Debug, Clone)]
pub(crate) struct Moved {
    pub(crate) name: String,
    pub(crate) old: Option<String>,
    pub(crate) new: Option<String>,
}

/// A commit that is made of changed files.
#[derive(Default)]
pub(crate) struct FilesCommit {
    pub(crate) branch: Option<String>,
    pub(crate) message: String,
    /// Content by path; `None` removes the file.
    pub(crate) files: Vec<(String, Option<Vec<u8>>)>,
    /// Name and address, where they are not the actor's own.
    pub(crate) author: Option<Signature<'static>>,
    pub(crate) committer: Option<Signature<'static>>,
}

impl Session {
    /// Moves, makes (`old` absent) or removes (`new` absent) a ref as the API
    /// does it, under the branch's protection.
    pub(crate) fn move_ref(
        &mut self,
        full_name: &str,
        name: &str,
        new: Option<Oid>,
        force: bool,
    ) -> Result<()> {
        let full_name = self.writable(full_name)?;
        let repo = self.gh.repo_mut(&full_name)?;
        let old = repo.refs.get(name).cloned();
        guard(repo, name, old.as_deref(), new)?;
        if let (Some(new), Some(old)) = (new, old.as_deref().and_then(oid)) {
            let git = repo.objects.open()?;
            let forward = old == new || git.graph_descendant_of(new, old)?;
            let free = repo
                .protection_of(name)
                .is_none_or(|it| it.allow_force_pushes);
            if !(forward || force && free) {
                return Err(Error::new(422, "Update is not a fast forward"));
            }
        }
        self.set_ref(&full_name, name, new)
    }

    /// As [`Session::move_ref`], for what the service itself does.
    pub(crate) fn set_ref(&mut self, full_name: &str, name: &str, new: Option<Oid>) -> Result<()> {
        let repo = self.gh.repo_mut(full_name)?;
        let old = repo.refs.get(name).cloned();
        let new = new.map(|id| id.to_string());
        match &new {
            Some(new) => repo.refs.insert(name.to_owned(), new.clone()),
            None => repo.refs.remove(name),
        };
        let moved = Moved {
            name: name.to_owned(),
            old,
            new,
        };
        self.settle(full_name, &[moved])
    }

    /// Commits changed files to a branch. Gives the new commit.
    pub(crate) fn commit_files(&mut self, full_name: &str, commit: FilesCommit) -> Result<Oid> {
        let full_name = self.writable(full_name)?;
        let own = self.signature()?;
        let repo = self.gh.repo_mut(&full_name)?;
        let branch = commit.branch.unwrap_or_else(|| repo.default_branch.clone());
        let name = format!("refs/heads/{branch}");
        let tip = repo.refs.get(&name).cloned();
        let empty = repo.branches().next().is_none();
        if tip.is_none() && !empty {
            return Err(Error::new(404, format!("Branch {branch} not found")));
        }
        if let Some(problem) = repo.direct_change_refusal(&name) {
            return Err(Error::new(409, problem));
        }
        let git = repo.objects.writable()?;
        let parent = tip.as_deref().and_then(oid);
        let parent = parent.map(|id| git.find_commit(id)).transpose()?;
        let base = parent.as_ref().map(git2::Commit::tree).transpose()?;
        let mut changes = Vec::new();
        for (path, content) in &commit.files {
            let there = base
                .as_ref()
                .and_then(|tree| tree.get_path(path.as_ref()).ok());
            if there
                .as_ref()
                .is_some_and(|it| it.kind() == Some(git2::ObjectType::Tree))
            {
                return Err(Error::new(422, format!("`{path}` is a folder")));
            }
            if there.is_none() && content.is_none() {
                return Err(Error::not_found());
            }
            let mode = match there.map(|it| it.filemode()) {
                Some(0o100_755) => FileMode::BlobExecutable,
                _ => FileMode::Blob,
            };
            let content = content.as_ref();
            let blob = content.map(|bytes| git.blob(bytes)).transpose()?;
            changes.push((path.clone(), blob.map(|id| (id, mode))));
        }
        let tree = git.find_tree(git::edit_tree(&git, base.as_ref(), &changes)?)?;
        let author = commit.author.as_ref().unwrap_or(&own);
        let committer = commit.committer.as_ref().unwrap_or(author);
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        let id = git.commit(None, author, committer, &commit.message, &tree, &parents)?;
        self.set_ref(&full_name, &name, Some(id))?;
        Ok(id)
    }

    /// What follows when refs have moved: who brought the commits, heads of
    /// pull requests, pull requests that are merged or closed by it, issues
    /// that commits close, and the journal.
    pub(crate) fn settle(&mut self, full_name: &str, moved: &[Moved]) -> Result<()> {
        let (now, actor) = (self.time(), self.actor()?);
        let full_name = self.gh.by_full_name(full_name)?.full_name();
        let mut closing = Vec::new();
        for it in moved {
            if it.old == it.new {
                continue;
            }
            let repo = self.gh.repo_mut(&full_name)?;
            repo.pushed_at.clone_from(&now);
            repo.updated_at.clone_from(&now);
            let git = repo.objects.open()?;
            let brought = new_commits(repo, &git, it)?;
            let on_default = it.name == format!("refs/heads/{}", repo.default_branch);
            for id in &brought {
                if on_default {
                    let text = git::message(&git.find_commit(*id)?);
                    closing.extend(closing_numbers(&text, &full_name));
                }
                repo.pushers
                    .entry(id.to_string())
                    .or_insert_with(|| actor.clone());
            }
            drop(git);
            for id in brought.iter().rev().take(200) {
                let id = at_id(&full_name, &id.to_string());
                self.did(kind::COMMIT, id, Change::Created);
            }
            let change = match (&it.old, &it.new) {
                (None, _) => Change::Created,
                (_, None) => Change::Deleted,
                _ => Change::Updated,
            };
            if let Some(name) = it.name.strip_prefix("refs/heads/") {
                self.did(kind::BRANCH, at_id(&full_name, name), change);
            } else if let Some(name) = it.name.strip_prefix("refs/tags/") {
                self.did(kind::TAG, at_id(&full_name, name), change);
            }
        }
        for it in moved {
            if let Some(branch) = it.name.strip_prefix("refs/heads/") {
                self.follow(&full_name, branch)?;
            }
        }
        self.close_issues(&full_name, &closing)
    }

    /// Closes issues that a commit or a merged pull request names.
    pub(crate) fn close_issues(&mut self, full_name: &str, numbers: &[u64]) -> Result<()> {
        let (now, actor) = (self.time(), self.actor()?);
        for number in numbers {
            let Ok(issue) = self.gh.repo_mut(full_name)?.issue_mut(*number) else {
                continue;
            };
            if issue.closed || issue.pull.is_some() {
                continue;
            }
            issue.closed = true;
            issue.state_reason = Some("completed".to_owned());
            issue.closed_at = Some(now.clone());
            issue.closed_by = Some(actor.clone());
            issue.updated_at.clone_from(&now);
            self.updated(kind::ISSUE, numbered_id(full_name, *number), &["state"]);
        }
        Ok(())
    }

    /// Brings the open pull requests from and to a branch up to date.
    fn follow(&mut self, full_name: &str, branch: &str) -> Result<()> {
        let sides = self.gh.repositories.values().flat_map(|repo| {
            let base = repo.full_name();
            let issues = repo.issues.values().filter(|issue| !issue.closed);
            issues.filter_map(move |issue| {
                let pull = issue.pull.as_ref()?;
                let of_base = base.eq_ignore_ascii_case(full_name);
                let from_here = match &pull.head_repo {
                    Some(repo) => repo.eq_ignore_ascii_case(full_name),
                    None => of_base,
                };
                let head = from_here && pull.head_ref == branch;
                let to = of_base && pull.base_ref == branch;
                (head || to).then(|| (base.clone(), issue.number))
            })
        });
        for (base, number) in sides.collect::<Vec<_>>() {
            self.refresh_pull(&base, number)?;
        }
        Ok(())
    }

    /// Reads a pull request's two tips again.
    fn refresh_pull(&mut self, full_name: &str, number: u64) -> Result<()> {
        let (now, actor) = (self.time(), self.actor()?);
        let repo = self.gh.by_full_name(full_name)?;
        let (_, pull) = repo.pull(number)?;
        let from = match &pull.head_repo {
            Some(other) => self.gh.by_full_name(other).ok(),
            None => Some(repo),
        };
        let head = from
            .and_then(|repo| repo.branch(&pull.head_ref))
            .map(str::to_owned);
        let base = repo.branch(&pull.base_ref).map(str::to_owned);
        let other = pull.head_repo.clone();
        if let (Some(other), Some(head)) = (&other, head.as_deref().and_then(oid)) {
            self.import(other, full_name, head)?;
        }
        let repo = self.gh.repo_mut(full_name)?;
        let (issue, mut pull) = repo.pull_mut(number)?;
        let mut fields = Vec::new();
        let gone = head.is_none() || base.is_none();
        if let Some(head) = head
            && pull.head_sha != head
        {
            pull.head_sha = head;
            fields.push("head");
        }
        if let Some(base) = base {
            let (tip, head) = (oid(&base), oid(&pull.head_sha));
            let before = std::mem::replace(&mut pull.base_sha, base.clone());
            issue.pull = Some(pull.clone());
            let git = repo.objects.open()?;
            let within = match (tip, head) {
                (Some(tip), Some(head)) => tip == head || git.graph_descendant_of(tip, head)?,
                _ => false,
            };
            // A pull request whose commits came to the base some other way.
            if within && before != base {
                pull.merged = Some(Merged {
                    at: now.clone(),
                    by: actor.clone(),
                    sha: base,
                    base: before,
                });
                fields.push("merged");
            }
        }
        repo.refs
            .insert(format!("refs/pull/{number}/head"), pull.head_sha.clone());
        let issue = repo.issue_mut(number)?;
        if gone || pull.merged.is_some() {
            issue.closed = true;
            issue.closed_at = Some(now.clone());
            issue.closed_by = Some(actor);
            fields.push("state");
        }
        issue.pull = Some(pull);
        if !fields.is_empty() {
            issue.updated_at = now;
            self.updated(kind::PULL_REQUEST, numbered_id(full_name, number), &fields);
        }
        Ok(())
    }

    /// Copies a commit and all it needs from one repository to another.
    pub(crate) fn import(&mut self, from: &str, to: &str, id: Oid) -> Result<()> {
        let source = Arc::clone(self.gh.by_full_name(from)?);
        let target = self.gh.repo_mut(to)?;
        if target.objects.open()?.find_commit(id).is_ok() {
            return Ok(());
        }
        let git = source.objects.open()?;
        let mut walk = git.revwalk()?;
        walk.push(id)?;
        let mut builder = git.packbuilder()?;
        builder.set_threads(1);
        builder.insert_walk(&mut walk)?;
        let mut pack = git2::Buf::new();
        builder.write_buf(&mut pack)?;
        let own = target.objects.writable()?;
        let odb = own.odb()?;
        let mut writer = odb.packwriter()?;
        let written = std::io::Write::write_all(&mut writer, &pack);
        written.map_err(|error| Error::new(500, error.to_string()))?;
        writer.commit()?;
        Ok(())
    }
}

/// Commits that came with a moved ref and that no other ref had, newest first.
fn new_commits(repo: &Repo, git: &Repository, moved: &Moved) -> Result<Vec<Oid>> {
    let Some(new) = moved.new.as_deref().and_then(oid) else {
        return Ok(Vec::new());
    };
    let Ok(new) = git.find_object(new, None)?.peel_to_commit() else {
        return Ok(Vec::new());
    };
    let mut walk = git.revwalk()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
    walk.push(new.id())?;
    let others = repo.refs.iter().filter(|(name, _)| **name != moved.name);
    let others = others.map(|(_, id)| id).chain(&moved.old);
    for id in others.filter_map(|id| oid(id)) {
        let commit = git.find_object(id, None).and_then(|it| it.peel_to_commit());
        if let Ok(commit) = commit {
            walk.hide(commit.id())?;
        }
    }
    Ok(walk.take(COMMITS_CAP).collect::<Result<Vec<_>, _>>()?)
}

/// What speaks against moving a ref, whoever does it.
fn guard(repo: &Repo, name: &str, old: Option<&str>, new: Option<Oid>) -> Result<()> {
    let is_default = name == format!("refs/heads/{}", repo.default_branch);
    if new.is_none() && is_default {
        return Err(Error::new(422, "Cannot delete the default branch"));
    }
    if new.is_none()
        && repo
            .protection_of(name)
            .is_some_and(|it| !it.allow_deletions)
    {
        return Err(Error::new(422, "Cannot delete a protected branch"));
    }
    match repo.direct_change_refusal(name) {
        Some(problem) if old.is_some() && new.is_some() => Err(Error::new(422, problem)),
        _ => Ok(()),
    }
}

impl Repo {
    /// What a branch, by its full ref name, demands.
    pub(crate) fn protection_of(&self, name: &str) -> Option<&super::state::Protection> {
        self.protection.get(name.strip_prefix("refs/heads/")?)
    }

    /// Why commits cannot go directly to a branch.
    pub(crate) fn direct_change_refusal(&self, name: &str) -> Option<&'static str> {
        let rules = self.protection_of(name)?;
        rules
            .require_pull_request
            .then_some("Changes must be made through a pull request.")
    }
}
