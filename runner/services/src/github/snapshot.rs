//! The fake as evidence, for graders to read.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use proctor_types::world::github as out;
use sha2::{Digest as _, Sha256};

use super::error::Result;
use super::git::{self, FileDiff};
use super::state::{Comment, GitHub, Issue, Pull, Repo};
use super::store::oid;

/// Content of files by SHA-256 in lower-case hex.
pub type Blobs = BTreeMap<String, Bytes>;

/// Longest file whose content is kept, and most bytes of all together.
const BLOB_CAP: usize = 8 << 20;
const BLOBS_CAP: usize = 128 << 20;
/// Most commits of one repository that are listed.
const COMMITS_CAP: usize = 20_000;

impl GitHub {
    /// The evidence, and the content of the files that it lists.
    pub fn snapshot(&self) -> (out::GitHub, Blobs) {
        let mut blobs = BlobSink::default();
        let repositories = self.repositories.values().map(|repo| {
            repository(repo, &mut blobs).unwrap_or_else(|error| {
                tracing::error!(repo = repo.full_name(), ?error, "cannot read a repository");
                plain(repo)
            })
        });
        let mut repositories: Vec<_> = repositories.collect();
        repositories.sort_by(|a, b| a.full_name.cmp(&b.full_name));
        (out::GitHub { repositories }, blobs.kept)
    }
}

/// Blobs that are kept, each hashed once.
#[derive(Default)]
struct BlobSink {
    kept: Blobs,
    bytes: usize,
    known: BTreeMap<git2::Oid, (u64, Option<String>)>,
}

impl BlobSink {
    fn keep(&mut self, git: &git2::Repository, id: git2::Oid) -> (u64, Option<String>) {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let Ok(blob) = git.find_blob(id) else {
            return (0, None);
        };
        let content = blob.content();
        let fits = content.len() <= BLOB_CAP && self.bytes + content.len() <= BLOBS_CAP;
        let digest = fits.then(|| {
            let digest = hex::encode(Sha256::digest(content));
            if !self.kept.contains_key(&digest) {
                self.bytes += content.len();
                self.kept
                    .insert(digest.clone(), Bytes::copy_from_slice(content));
            }
            digest
        });
        let facts = (content.len() as u64, digest);
        self.known.insert(id, facts.clone());
        facts
    }
}

/// What needs no objects.
fn plain(repo: &Repo) -> out::Repository {
    out::Repository {
        full_name: repo.full_name(),
        description: repo.description.clone(),
        private: repo.private,
        archived: repo.archived,
        default_branch: repo.default_branch.clone(),
        seeded: repo.seeded,
        branches: repo
            .branches()
            .map(|(name, sha)| out::Ref {
                name: name.to_owned(),
                sha: sha.to_owned(),
                protected: repo.protection.contains_key(name),
            })
            .collect(),
        issues: repo
            .issues
            .values()
            .filter(|it| it.pull.is_none())
            .map(|it| issue(repo, it))
            .collect(),
        labels: labels(repo),
        ..out::Repository::default()
    }
}

fn labels(repo: &Repo) -> Vec<out::Label> {
    let label = |it: &super::state::Label| out::Label {
        name: it.name.clone(),
        color: it.color.clone(),
        description: it.description.clone(),
    };
    let mut labels: Vec<_> = repo.labels.iter().map(label).collect();
    labels.sort_by(|a, b| a.name.cmp(&b.name));
    labels
}

fn repository(repo: &Repo, blobs: &mut BlobSink) -> Result<out::Repository> {
    let git = repo.objects.open()?;
    let mut shown = plain(repo);
    let commit_of = |sha: &str| {
        let object = git.find_object(oid(sha)?, None).ok()?;
        Some(object.peel_to_commit().ok()?.id())
    };
    let tags = repo.tags().filter_map(|(name, sha)| {
        Some(out::Ref {
            name: name.to_owned(),
            sha: commit_of(sha)?.to_string(),
            protected: false,
        })
    });
    shown.tags = tags.collect();
    let tips: BTreeSet<git2::Oid> = repo
        .refs
        .values()
        .filter_map(|sha| commit_of(sha))
        .collect();
    let mut walk = git.revwalk()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
    for tip in &tips {
        walk.push(*tip)?;
    }
    let mut trees = BTreeSet::new();
    for id in walk.take(COMMITS_CAP) {
        let id = id?;
        let seen = commit(repo, &git, id)?;
        if !seen.seeded || tips.contains(&id) {
            trees.insert(git.find_commit(id)?.tree_id());
        }
        shown.commits.push(seen);
    }
    for issue in repo.issues.values() {
        if let Some(pull) = &issue.pull {
            shown
                .pull_requests
                .push(pull_request(&git, issue, pull, &mut trees)?);
        }
    }
    for id in trees {
        let entries = git::entries(&git.find_tree(id)?, false)?;
        let files = entries.into_iter().map(|entry| {
            let (bytes, sha256) = blobs.keep(&git, entry.id);
            out::TreeEntry {
                path: entry.path,
                mode: format!("{:06o}", entry.mode),
                bytes,
                sha256,
            }
        });
        shown.trees.insert(id.to_string(), files.collect());
    }
    Ok(shown)
}

fn commit(repo: &Repo, git: &git2::Repository, id: git2::Oid) -> Result<out::Commit> {
    let commit = git.find_commit(id)?;
    let sha = id.to_string();
    let seeded = repo.seeded_commits.contains(&sha);
    let files = if seeded {
        Vec::new()
    } else {
        let old = commit.parent(0).and_then(|parent| parent.tree()).ok();
        git::diff(git, old.as_ref(), Some(&commit.tree()?))?
    };
    let signature = |it: &git2::Signature<'_>| out::Signature {
        name: String::from_utf8_lossy(it.name_bytes()).into_owned(),
        email: String::from_utf8_lossy(it.email_bytes()).into_owned(),
        date: git::date(it),
    };
    Ok(out::Commit {
        tree: commit.tree_id().to_string(),
        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
        message: git::message(&commit),
        author: signature(&commit.author()),
        committer: signature(&commit.committer()),
        pusher: repo.pushers.get(&sha).cloned(),
        files: files.into_iter().map(changed).collect(),
        seeded,
        sha,
    })
}

fn changed(file: FileDiff) -> out::ChangedFile {
    out::ChangedFile {
        filename: file.filename,
        status: match file.status {
            "added" => out::FileStatus::Added,
            "removed" => out::FileStatus::Removed,
            "renamed" => out::FileStatus::Renamed,
            "copied" => out::FileStatus::Copied,
            _ => out::FileStatus::Modified,
        },
        previous_filename: file.previous,
        additions: file.additions as u64,
        deletions: file.deletions as u64,
        patch: file.patch,
        before: None,
        after: None,
    }
}

fn state(issue: &Issue) -> out::State {
    if issue.closed {
        out::State::Closed
    } else {
        out::State::Open
    }
}

fn comments(comments: &[Comment]) -> Vec<out::Comment> {
    let comment = |it: &Comment| out::Comment {
        id: it.id,
        user: it.user.clone(),
        body: it.body.clone(),
        created_at: it.created_at.clone(),
        seeded: it.seeded,
    };
    comments.iter().map(comment).collect()
}

fn issue(repo: &Repo, issue: &Issue) -> out::Issue {
    let milestone = repo
        .milestones
        .iter()
        .find(|it| Some(it.number) == issue.milestone);
    out::Issue {
        number: issue.number,
        title: issue.title.clone(),
        body: issue.body.clone(),
        user: issue.user.clone(),
        state: state(issue),
        state_reason: issue.state_reason.clone(),
        labels: issue.labels.clone(),
        assignees: issue.assignees.clone(),
        milestone: milestone.map(|it| it.title.clone()),
        comments: comments(&issue.comments),
        created_at: issue.created_at.clone(),
        updated_at: issue.updated_at.clone(),
        closed_at: issue.closed_at.clone(),
        seeded: issue.seeded,
    }
}

fn pull_request(
    git: &git2::Repository,
    issue: &Issue,
    pull: &Pull,
    trees: &mut BTreeSet<git2::Oid>,
) -> Result<out::PullRequest> {
    let compared = pull.compared(git)?;
    let commits = [Some(compared.head), compared.fork_point];
    for id in commits.into_iter().flatten() {
        trees.insert(git.find_commit(id)?.tree_id());
    }
    let files = compared.files(git)?.into_iter().map(|file| {
        let (old, new) = (file.old, file.new);
        let text = |id: Option<git2::Oid>| id.and_then(|id| git::text_of(git, id));
        out::ChangedFile {
            before: text(old),
            after: text(new),
            ..changed(file)
        }
    });
    let merged = pull.merged.as_ref();
    Ok(out::PullRequest {
        number: issue.number,
        title: issue.title.clone(),
        body: issue.body.clone(),
        user: issue.user.clone(),
        state: state(issue),
        draft: pull.draft,
        merged: merged.is_some(),
        merged_at: merged.map(|it| it.at.clone()),
        merged_by: merged.map(|it| it.by.clone()),
        merge_commit_sha: merged.map(|it| it.sha.clone()),
        head: out::Side {
            name: pull.head_ref.clone(),
            sha: pull.head_sha.clone(),
            repo: pull.head_repo.clone(),
        },
        base: out::Side {
            name: pull.base_ref.clone(),
            sha: compared.base.to_string(),
            repo: None,
        },
        commits: compared.commits.iter().map(ToString::to_string).collect(),
        files: files.collect(),
        labels: issue.labels.clone(),
        assignees: issue.assignees.clone(),
        requested_reviewers: pull.requested_reviewers.clone(),
        reviews: pull.reviews.iter().map(review).collect(),
        comments: comments(&issue.comments),
        review_comments: pull.review_comments.iter().map(review_comment).collect(),
        created_at: issue.created_at.clone(),
        updated_at: issue.updated_at.clone(),
        closed_at: issue.closed_at.clone(),
        seeded: issue.seeded,
    })
}

fn review(it: &super::state::Review) -> out::Review {
    out::Review {
        id: it.id,
        user: it.user.clone(),
        body: it.body.clone(),
        state: it.state.clone(),
        commit_id: it.commit_id.clone(),
        submitted_at: it.submitted_at.clone(),
        seeded: it.seeded,
    }
}

fn review_comment(it: &super::state::ReviewComment) -> out::ReviewComment {
    out::ReviewComment {
        id: it.id,
        user: it.user.clone(),
        body: it.body.clone(),
        path: it.path.clone(),
        line: it.line,
        in_reply_to_id: it.in_reply_to,
        created_at: it.created_at.clone(),
        seeded: it.seeded,
    }
}
