//! Repositories made up for tests.

use std::collections::BTreeMap;

use proctor_types::world::github::{
    ChangedFile, Commit, FileStatus, PullRequest, Ref, Repository, Side, Signature, TreeEntry,
};

use super::digest;
use crate::diff;

/// A repository with the content of its files.
///
/// ```
/// use proctor_grader::testing::{Bundle, Repo};
///
/// let seed = Repo::new("acme/hydra", &[("a.py", "x = 1\n"), ("b.py", "")]);
/// let mut after = seed.clone();
/// after.commit("fix", "fix: x (#1)", &[("a.py", Some("x = 2\n")), ("b.py", None)]);
/// after.pull_request("fix", "fix: x (#1)");
/// let evidence = Bundle::new().repositories(&[seed], &[after]).evidence();
/// let repo = evidence.repositories().get("acme/hydra").unwrap();
/// assert_eq!(repo.text("fix", "a.py").unwrap().unwrap(), "x = 2\n");
/// assert!(repo.file("fix", "b.py").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// What stands in the snapshot; change what a test needs to be different.
    pub repository: Repository,
    pub(super) blobs: BTreeMap<String, Vec<u8>>,
}

impl Repo {
    /// A seeded repository with one commit of these files on its branch `main`.
    pub fn new(full_name: &str, files: &[(&str, &str)]) -> Self {
        let mut repo = Self {
            repository: Repository {
                full_name: full_name.to_owned(),
                default_branch: "main".to_owned(),
                seeded: true,
                ..Repository::default()
            },
            blobs: BTreeMap::new(),
        };
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, Some(*text)))
            .collect();
        repo.commit("main", "Initial commit", &files);
        for commit in &mut repo.repository.commits {
            commit.seeded = true;
        }
        repo
    }

    /// Commits files to a branch, those without text are removed. A branch that
    /// does not exist begins at `main`. Returns the commit's object id.
    pub fn commit(
        &mut self,
        branch: &str,
        message: &str,
        files: &[(&str, Option<&str>)],
    ) -> String {
        let parent = self.tip(branch).or_else(|| self.tip("main"));
        let mut tree: BTreeMap<String, TreeEntry> = BTreeMap::new();
        if let Some(parent) = &parent {
            let entries = self.tree(parent).iter().cloned();
            tree.extend(entries.map(|entry| (entry.path.clone(), entry)));
        }
        let before = tree.clone();
        for (path, text) in files {
            match text {
                None => {
                    tree.remove(*path);
                }
                Some(text) => {
                    let entry = self.entry(path, text);
                    tree.insert((*path).to_owned(), entry);
                }
            }
        }
        let entries: Vec<TreeEntry> = tree.values().cloned().collect();
        let tree_id = object_id(&format!("tree {entries:?}"));
        self.repository.trees.insert(tree_id.clone(), entries);
        let sha = object_id(&format!("commit {tree_id} {parent:?} {message}"));
        let commit = Commit {
            sha: sha.clone(),
            tree: tree_id,
            parents: parent.into_iter().collect(),
            message: message.to_owned(),
            author: signature(),
            committer: signature(),
            files: self.changes(&before, &tree),
            ..Commit::default()
        };
        self.repository.commits.insert(0, commit);
        let branches = &mut self.repository.branches;
        branches.retain(|one| one.name != branch);
        branches.push(Ref {
            name: branch.to_owned(),
            sha: sha.clone(),
            protected: false,
        });
        branches.sort_by(|one, other| one.name.cmp(&other.name));
        sha
    }

    /// Opens a pull request of a branch against `main`. Returns its number.
    pub fn pull_request(&mut self, branch: &str, title: &str) -> u64 {
        let (head, base) = (self.tip(branch), self.tip("main"));
        let (head, base) = (head.unwrap_or_default(), base.unwrap_or_default());
        let by_path = |sha: &str| -> BTreeMap<String, TreeEntry> {
            let entries = self.tree(sha).iter().cloned();
            entries.map(|entry| (entry.path.clone(), entry)).collect()
        };
        let files = self.changes(&by_path(&base), &by_path(&head));
        let number = self.repository.pull_requests.len() as u64 + 1;
        let side = |name: &str, sha: String| Side {
            name: name.to_owned(),
            sha,
            repo: None,
        };
        self.repository.pull_requests.push(PullRequest {
            number,
            title: title.to_owned(),
            user: "agent".to_owned(),
            commits: vec![head.clone()],
            head: side(branch, head),
            base: side("main", base),
            files,
            ..PullRequest::default()
        });
        number
    }

    fn tip(&self, branch: &str) -> Option<String> {
        let branches = self.repository.branches.iter();
        branches
            .filter(|one| one.name == branch)
            .map(|one| one.sha.clone())
            .next()
    }

    fn tree(&self, sha: &str) -> &[TreeEntry] {
        let mut commits = self.repository.commits.iter();
        let commit = commits.find(|commit| commit.sha == sha);
        let tree = commit.and_then(|commit| self.repository.trees.get(&commit.tree));
        tree.map_or(&[], Vec::as_slice)
    }

    fn entry(&mut self, path: &str, text: &str) -> TreeEntry {
        let sha256 = digest(text.as_bytes());
        self.blobs.insert(sha256.clone(), text.as_bytes().to_vec());
        TreeEntry {
            path: path.to_owned(),
            mode: "100644".to_owned(),
            bytes: text.len() as u64,
            sha256: Some(sha256),
        }
    }

    fn changes(
        &self,
        before: &BTreeMap<String, TreeEntry>,
        after: &BTreeMap<String, TreeEntry>,
    ) -> Vec<ChangedFile> {
        let paths: std::collections::BTreeSet<&String> =
            before.keys().chain(after.keys()).collect();
        let differs = paths
            .into_iter()
            .filter(|path| before.get(*path) != after.get(*path));
        differs
            .map(|path| {
                let text = |tree: &BTreeMap<String, TreeEntry>| {
                    let blob = self.blobs.get(tree.get(path)?.sha256.as_ref()?)?;
                    String::from_utf8(blob.clone()).ok()
                };
                let (old, new) = (text(before), text(after));
                let status = match (&old, &new) {
                    (None, _) => FileStatus::Added,
                    (_, None) => FileStatus::Removed,
                    _ => FileStatus::Modified,
                };
                let hunks = diff::compare(
                    old.as_deref().unwrap_or_default(),
                    new.as_deref().unwrap_or_default(),
                );
                ChangedFile {
                    filename: path.clone(),
                    status,
                    additions: hunks.iter().flat_map(diff::Hunk::added).count() as u64,
                    deletions: hunks.iter().flat_map(diff::Hunk::removed).count() as u64,
                    before: old,
                    after: new,
                    ..ChangedFile::default()
                }
            })
            .collect()
    }
}

fn object_id(text: &str) -> String {
    digest(text.as_bytes())[..40].to_owned()
}

fn signature() -> Signature {
    Signature {
        name: "Agent".to_owned(),
        email: "agent@example.com".to_owned(),
        date: "2026-01-05T09:00:00Z".to_owned(),
    }
}
