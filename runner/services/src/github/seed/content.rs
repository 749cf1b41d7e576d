//! The objects and refs that a repository begins with: its folder as the first
//! commit, its history on top. Worlds of one seed share them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use git2::{FileMode, Oid, Repository};
use serde_saphyr::Spanned;
use sha2::{Digest as _, Sha256};

use super::super::error::{Error, Result as GitResult};
use super::super::git;
use super::super::store::{Layer, Objects};
use super::desk::Desk;
use super::entries::{CommitEntry, RepoFile};
use crate::world::{SeedDir, SeedError, SeedFile};

/// Deepest folder of a tree.
const DEPTH_CAP: usize = 64;

/// A file of a seed's tree.
struct TreeFile {
    path: String,
    bytes: Vec<u8>,
    executable: bool,
}

/// What is built once for all worlds of one seed.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) refs: BTreeMap<String, String>,
    pub(super) commits: Arc<BTreeSet<String>>,
}

/// Objects of seeds that are in use, by the digest of what they are made of.
static TEMPLATES: LazyLock<Mutex<Templates>> = LazyLock::new(Mutex::default);

type Templates = BTreeMap<[u8; 32], (Weak<Layer>, Template)>;

/// Where a repository's content comes from.
pub(super) struct Source<'a> {
    pub(super) desk: &'a Desk<'a>,
    /// The file beside the folder, as it is and as it was understood.
    pub(super) yaml: Option<&'a SeedFile>,
    pub(super) file: &'a RepoFile,
    /// The folder.
    pub(super) tree: Option<SeedDir>,
    pub(super) default_branch: &'a str,
}

impl Source<'_> {
    /// The content: what another world has already, or made anew.
    pub(super) fn content(&self) -> Result<(Objects, Template), SeedError> {
        let mut files = Vec::new();
        if let Some(tree) = &self.tree {
            collect(tree, "", 0, &mut files)?;
        }
        let digest = self.digest(&files);
        let mut templates = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
        templates.retain(|_, (layer, _)| layer.strong_count() > 0);
        let known = templates.get(&digest);
        if let Some((layer, template)) = known.and_then(|(weak, it)| Some((weak.upgrade()?, it))) {
            return Ok((Objects::on(layer), template.clone()));
        }
        let mut objects =
            Objects::new().map_err(|error| SeedError::file(&self.desk.file, error.to_string()))?;
        let template = self.build(&mut objects, &files)?;
        templates.insert(digest, (Arc::downgrade(objects.top()), template.clone()));
        Ok((objects, template))
    }

    /// Of everything that the content depends on.
    fn digest(&self, files: &[TreeFile]) -> [u8; 32] {
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        };
        let hub = self.desk.hub;
        add(self.yaml.map_or(&b""[..], |it| &it.bytes));
        add(self.desk.start.to_string().as_bytes());
        add(serde_json::to_string(&hub.users)
            .unwrap_or_default()
            .as_bytes());
        add(hub.login.as_bytes());
        for file in files {
            add(file.path.as_bytes());
            add(&[u8::from(file.executable)]);
            add(&file.bytes);
        }
        digest.finalize().into()
    }

    fn failed(&self, error: impl Into<Error>) -> SeedError {
        SeedError::file(&self.desk.file, error.into().message)
    }

    fn build(&self, objects: &mut Objects, files: &[TreeFile]) -> Result<Template, SeedError> {
        let git = objects.writable().map_err(|error| self.failed(error))?;
        let mut refs: BTreeMap<String, Oid> = BTreeMap::new();
        let mut commits = BTreeSet::new();
        if !files.is_empty() {
            let id = self.first_commit(&git, files)?;
            commits.insert(id.to_string());
            refs.insert(format!("refs/heads/{}", self.default_branch), id);
        }
        for entry in &self.file.history {
            let (branch, id) = self.next_commit(&git, &refs, entry)?;
            commits.insert(id.to_string());
            refs.insert(branch, id);
        }
        for (name, target) in &self.file.tags {
            let id = refs.get(&format!("refs/heads/{}", target.value)).copied();
            let id = id.ok_or_else(|| {
                let problem = format!("there is no branch `{}`", target.value);
                self.desk.wrong(target, problem)
            })?;
            refs.insert(format!("refs/tags/{name}"), id);
        }
        let refs = refs.into_iter();
        Ok(Template {
            refs: refs.map(|(name, id)| (name, id.to_string())).collect(),
            commits: Arc::new(commits),
        })
    }

    fn first_commit(&self, git: &Repository, files: &[TreeFile]) -> Result<Oid, SeedError> {
        let at = self.desk.date(self.file.date.as_ref())?;
        let author = self.desk.signature(self.file.author.as_ref(), at)?;
        let message = self.file.message.as_deref().unwrap_or("Initial commit");
        let mut changes = Vec::new();
        for it in files {
            let mode = if it.executable {
                FileMode::BlobExecutable
            } else {
                FileMode::Blob
            };
            let id = git.blob(&it.bytes).map_err(|error| self.failed(error))?;
            changes.push((it.path.clone(), Some((id, mode))));
        }
        commit(git, None, &changes, &author, message).map_err(|error| self.failed(error))
    }

    /// A commit of the history. Gives the full name of its branch, too.
    fn next_commit(
        &self,
        git: &Repository,
        refs: &BTreeMap<String, Oid>,
        entry: &Spanned<CommitEntry>,
    ) -> Result<(String, Oid), SeedError> {
        let (it, desk) = (&entry.value, self.desk);
        let at = desk.date(it.date.as_ref())?;
        let author = desk.signature(it.author.as_ref(), at)?;
        let name = it.branch.as_deref().unwrap_or(self.default_branch);
        let full = format!("refs/heads/{name}");
        if !git2::Reference::is_valid_name(&full) {
            return Err(desk.wrong(entry, format!("`{name}` is no name of a branch")));
        }
        let from = it.from.as_deref().unwrap_or(self.default_branch);
        let begin = refs.get(&format!("refs/heads/{from}"));
        if it.from.is_some() && begin.is_none() {
            return Err(desk.wrong(entry, format!("there is no branch `{from}` yet")));
        }
        let parent = refs.get(&full).or(begin).copied();
        let mut changes = Vec::new();
        for (path, text) in &it.files {
            if let Some(problem) = git::bad_path(path) {
                return Err(desk.wrong(entry, format!("path `{path}`: {problem}")));
            }
            let blob = text.as_ref().map(|text| git.blob(text.as_bytes()));
            let blob = blob.transpose().map_err(|error| self.failed(error))?;
            changes.push((path.clone(), blob.map(|id| (id, FileMode::Blob))));
        }
        let made = commit(git, parent, &changes, &author, &it.message);
        let id = made.map_err(|error| desk.wrong(entry, error.message))?;
        Ok((full, id))
    }
}

/// Reads the files of a tree.
fn collect(
    dir: &SeedDir,
    under: &str,
    depth: usize,
    files: &mut Vec<TreeFile>,
) -> Result<(), SeedError> {
    for (called, name) in dir.named()? {
        let path = format!("{under}{called}");
        let shown = dir.path_of(&name);
        if let Some(problem) = git::bad_path(&path) {
            return Err(SeedError::file(shown, problem));
        }
        if depth > DEPTH_CAP {
            return Err(SeedError::file(
                shown,
                format!("more than {DEPTH_CAP} folders deep"),
            ));
        }
        if dir.is_folder(&name)? {
            if let Some(folder) = dir.folder(&name)? {
                collect(&folder, &format!("{path}/"), depth + 1, files)?;
            }
        } else if let Some(file) = dir.optional_file_as_is(&name)? {
            files.push(TreeFile {
                bytes: file.bytes,
                executable: dir.is_executable(&name)?,
                path,
            });
        }
    }
    Ok(())
}

fn commit(
    git: &Repository,
    parent: Option<Oid>,
    changes: &[(String, Option<(Oid, FileMode)>)],
    author: &git2::Signature<'_>,
    message: &str,
) -> GitResult<Oid> {
    let parent = parent.map(|id| git.find_commit(id)).transpose()?;
    let base = parent.as_ref().map(git2::Commit::tree).transpose()?;
    let tree = git.find_tree(git::edit_tree(git, base.as_ref(), changes)?)?;
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    Ok(git.commit(None, author, author, message, &tree, &parents)?)
}
