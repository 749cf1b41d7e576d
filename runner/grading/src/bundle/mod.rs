//! Reading an evidence bundle without believing it.
//!
//! A bundle may come from anywhere, so every file is opened inside the
//! bundle's directory without following links, must be a regular file, and
//! must have the length and digest that the manifest gives it. What has once
//! been read and checked is kept, within a cap, so that grading a bundle again
//! does not touch the disk.

mod documents;
mod error;
mod files;
mod manifest;
mod objects;
mod resolve;
mod tree;
mod verify;

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use proctor_types::bundle::{MANIFEST, TASK};
use proctor_types::manifest::FileRef;
use proctor_types::{Manifest, TaskInfo};
use sha2::{Digest, Sha256};

use documents::Documents;
pub use error::{EvidenceError, EvidenceProblem};
use files::Root;
pub use verify::{Difference, Verification};

/// How much of a bundle is read and held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleLimits {
    /// Longest `manifest.json`, in bytes. Default 32 MiB.
    pub manifest_bytes: u64,
    /// Most files that a manifest may list. Default 200,000.
    pub files: usize,
    /// Longest file that is read in one piece (ranges of longer ones can be
    /// read), and longest transcript, journal and snapshot, in bytes. Default
    /// 64 MiB.
    pub file_bytes: u64,
    /// How many bytes of file content are kept in memory. Default 128 MiB.
    pub cache_bytes: u64,
}

impl Default for BundleLimits {
    fn default() -> Self {
        Self {
            manifest_bytes: 32 << 20,
            files: 200_000,
            file_bytes: 64 << 20,
            cache_bytes: 128 << 20,
        }
    }
}

/// An evidence bundle on disk. Cheap to clone; clones share what was read.
#[derive(Debug, Clone)]
pub struct Bundle(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: Root,
    limits: BundleLimits,
    manifest: Manifest,
    sha256: String,
    contents: Mutex<Contents>,
    documents: Documents,
    task: OnceLock<Result<TaskInfo, EvidenceError>>,
    directories: OnceLock<Result<BTreeSet<String>, EvidenceError>>,
}

/// Files that were read and checked.
#[derive(Debug, Default)]
struct Contents {
    files: HashMap<String, Arc<[u8]>>,
    bytes: u64,
    /// Line counts of cited files.
    lines: HashMap<String, u64>,
}

impl Bundle {
    /// Opens the bundle in the directory `path` and reads its manifest.
    pub fn open(path: &Path, limits: BundleLimits) -> Result<Self, EvidenceError> {
        let root = Root::open(path)
            .map_err(|problem| EvidenceError::new(path.to_string_lossy(), problem))?;
        let invalid = |problem| EvidenceError::new(MANIFEST, problem);
        let (mut file, length) = root.file(MANIFEST).map_err(invalid)?;
        if length > limits.manifest_bytes {
            let limit = limits.manifest_bytes;
            return Err(invalid(EvidenceProblem::TooLarge {
                found: length,
                limit,
            }));
        }
        let (text, sha256) = files::slurp(&mut file, length).map_err(invalid)?;
        let manifest = manifest::parse(&text, limits.files)?;
        Ok(Self(Arc::new(Inner {
            root,
            limits,
            manifest,
            sha256,
            contents: Mutex::default(),
            documents: Documents::default(),
            task: OnceLock::new(),
            directories: OnceLock::new(),
        })))
    }

    /// SHA-256 of `manifest.json`, and with it of the whole bundle.
    pub fn sha256(&self) -> &str {
        &self.0.sha256
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// The task as it stands in the bundle.
    pub fn task(&self) -> Result<&TaskInfo, EvidenceError> {
        self.0
            .task
            .get_or_init(|| self.read_task())
            .as_ref()
            .map_err(Clone::clone)
    }

    fn read_task(&self) -> Result<TaskInfo, EvidenceError> {
        let malformed =
            |error: serde_json::Error| EvidenceError::malformed(TASK, error.to_string());
        let text = self
            .read(TASK)?
            .ok_or_else(|| EvidenceError::malformed(TASK, "the manifest does not list it"))?;
        let schema: manifest::SchemaOnly = serde_json::from_slice(&text).map_err(malformed)?;
        manifest::check_schema(TASK, &schema.schema, proctor_types::task::SCHEMA)?;
        let task: TaskInfo = serde_json::from_slice(&text).map_err(malformed)?;
        if task.id != self.0.manifest.task.id {
            let (found, expected) = (&task.id, &self.0.manifest.task.id);
            let what = format!("it is about the task `{found}`, the manifest about `{expected}`");
            return Err(EvidenceError::malformed(TASK, what));
        }
        Ok(task)
    }

    /// Files whose path starts with `prefix`, in order of path. The manifest is
    /// not among them, and cannot be read as a file: it says who was tested,
    /// which is nothing that a grade may depend on.
    pub fn list<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a FileRef)> {
        let from_prefix = (Bound::Included(prefix), Bound::Unbounded);
        self.0
            .manifest
            .files
            .range::<str, _>(from_prefix)
            .take_while(move |(path, _)| path.starts_with(prefix))
            .map(|(path, file)| (path.as_str(), file))
    }

    /// Length and digest of a file, where the manifest lists one of that path.
    pub fn stat(&self, path: &str) -> Option<&FileRef> {
        self.0.manifest.files.get(path)
    }

    /// Content of a file, or nothing where the manifest does not list it.
    /// Files over the limit are an [`EvidenceProblem::TooLarge`].
    pub fn read(&self, path: &str) -> Result<Option<Arc<[u8]>>, EvidenceError> {
        let Some(listed) = self.stat(path) else {
            return Ok(None);
        };
        if let Some(content) = self.contents().files.get(path) {
            return Ok(Some(Arc::clone(content)));
        }
        let limit = self.0.limits.file_bytes;
        if listed.bytes > limit {
            let problem = EvidenceProblem::TooLarge {
                found: listed.bytes,
                limit,
            };
            return Err(EvidenceError::new(path, problem));
        }
        let content = self.load(path, listed)?;
        self.keep(path, &content);
        Ok(Some(content))
    }

    /// At most `length` bytes of a file from `offset`, or nothing where the
    /// manifest does not list it. The whole file is checked: for one that is
    /// too long to be kept this costs a pass over it.
    pub fn read_range(
        &self,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Option<Vec<u8>>, EvidenceError> {
        let Some(listed) = self.stat(path) else {
            return Ok(None);
        };
        let start = offset.min(listed.bytes);
        let end = start.saturating_add(u64::from(length)).min(listed.bytes);
        if listed.bytes <= self.0.limits.file_bytes {
            let content = self.read(path)?;
            // Both fit: they are at most the length of what is in memory.
            let range = to_usize(start)..to_usize(end);
            return Ok(content.and_then(|content| content.get(range).map(<[u8]>::to_vec)));
        }
        let mut picked = Vec::new();
        let mut pick = |at: u64, chunk: &[u8]| {
            let from = start.clamp(at, at + chunk.len() as u64) - at;
            let to = end.clamp(at, at + chunk.len() as u64) - at;
            picked.extend_from_slice(&chunk[to_usize(from)..to_usize(to)]);
        };
        self.scan(path, listed, &mut pick)?;
        Ok(Some(picked))
    }

    /// How many bytes have to be looked at to answer a read of this file.
    pub(crate) fn cost(&self, listed: &FileRef, wanted: u64) -> u64 {
        if listed.bytes > self.0.limits.file_bytes {
            listed.bytes
        } else {
            wanted
        }
    }

    fn load(&self, path: &str, listed: &FileRef) -> Result<Arc<[u8]>, EvidenceError> {
        let invalid = |problem| EvidenceError::new(path, problem);
        let mut file = self.open_listed(path, listed)?;
        let (content, found) = files::slurp(&mut file, listed.bytes).map_err(invalid)?;
        check_digest(path, listed, found)?;
        Ok(content.into())
    }

    /// Reads a whole file in chunks and checks its digest.
    fn scan(
        &self,
        path: &str,
        listed: &FileRef,
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<(), EvidenceError> {
        let invalid = |problem| EvidenceError::new(path, problem);
        let mut file = self.open_listed(path, listed)?;
        let found = files::stream(&mut file, listed.bytes, sink).map_err(invalid)?;
        check_digest(path, listed, found)
    }

    fn open_listed(&self, path: &str, listed: &FileRef) -> Result<std::fs::File, EvidenceError> {
        let invalid = |problem| EvidenceError::new(path, problem);
        let (file, found) = self.0.root.file(path).map_err(invalid)?;
        let expected = listed.bytes;
        if found != expected {
            return Err(invalid(EvidenceProblem::Length { expected, found }));
        }
        Ok(file)
    }

    fn keep(&self, path: &str, content: &Arc<[u8]>) {
        let bytes = content.len() as u64;
        if bytes > self.0.limits.cache_bytes {
            return;
        }
        let mut contents = self.contents();
        if contents.bytes + bytes > self.0.limits.cache_bytes {
            contents.files.clear();
            contents.bytes = 0;
        }
        if contents
            .files
            .insert(path.to_owned(), Arc::clone(content))
            .is_none()
        {
            contents.bytes += bytes;
        }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        // What is behind the lock is a cache that is whole after every step.
        self.0
            .contents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_digest(path: &str, listed: &FileRef, found: String) -> Result<(), EvidenceError> {
    if found == listed.sha256 {
        return Ok(());
    }
    let expected = listed.sha256.clone();
    Err(EvidenceError::new(
        path,
        EvidenceProblem::Digest { expected, found },
    ))
}

fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// SHA-256 of some bytes in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
