//! `proctor.lock`: what the tasks of a suite are supposed to be.
//!
//! The file stands in the folder that holds the tasks and is committed with
//! them. It has one block per task, sorted by identifier, one value per line:
//! two people who lock different tasks merge without a conflict, and two who
//! lock the same one get a conflict in just that block. The same suite always
//! gives the same bytes.
//!
//! `docs/lock.md` describes it for authors.

mod verify;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use proctor_types::verdict::ABI;
use serde::{Deserialize, Serialize};

pub use self::verify::{Admission, Difference, admit};
use super::format::{is_id, is_sha256};
use super::pack::{GraderSource, Suite, Task};

/// Name of the file.
pub const FILE_NAME: &str = "proctor.lock";
/// Version of the file's form that is written and read.
const VERSION: u32 = 1;
/// Most bytes of a lock file.
const MAX_BYTES: u64 = 16 << 20;

const PREAMBLE: &str = "\
# Written by `proctor lock`; commit it. `proctor lock --check` lists what differs
# from it, and `proctor run` refuses tasks and graders that are not those below.
";

/// The content of a lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// Tasks by identifier.
    pub tasks: BTreeMap<String, LockedTask>,
}

/// One task as it was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTask {
    /// Its folder or file, relative to the lock file.
    pub path: String,
    /// SHA-256 of the pack ([`super::digest`]).
    pub pack_sha256: String,
    /// Its grader module; absent for a task that Python or a judge grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<LockedGrader>,
    /// Versions of the tools that built the grader, by name; absent where
    /// nobody recorded them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub build: BTreeMap<String, String>,
}

/// A grader module as it was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedGrader {
    /// Its file in the pack, or its `oci://` reference.
    pub module: String,
    /// SHA-256 of the module; for a reference, of the artifact's manifest.
    pub sha256: String,
    /// Its size; absent for a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The contract that it was built for.
    pub abi: String,
}

/// The file as a whole.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    version: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, LockedTask>,
}

/// A lock file cannot be used, or does not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file is no lock file.
    #[error("{file}:{line}: {problem}; restore the file, or write a new one with `proctor lock`")]
    Malformed {
        /// The file.
        file: String,
        /// Line from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A form that this version does not know.
    #[error("{file} has version {found}; this proctor reads version {VERSION}: use a newer one")]
    Version {
        /// The file.
        file: String,
        /// The version in it.
        found: u32,
    },
    /// A grader has not been built.
    #[error("the task `{id}` cannot be locked: its grader `{module}` is not built")]
    NotBuilt {
        /// The task.
        id: String,
        /// The module.
        module: String,
    },
    /// Tasks are not what the lock file says.
    #[error("{} differs from what is there:{}", file, verify::bullets(differences))]
    Differs {
        /// The file.
        file: String,
        /// Every difference.
        differences: Vec<Difference>,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl LockError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

impl Lock {
    /// The lock file at `path`; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be read, or is no lock file.
    pub fn read(path: &Path) -> Result<Option<Self>, LockError> {
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LockError::io("read", path)(error)),
        };
        let mut text = String::new();
        file.take(MAX_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(LockError::io("read", path))?;
        let shown = path.display().to_string();
        if text.len() as u64 > MAX_BYTES {
            let problem = format!("the file has more than {} MiB", MAX_BYTES >> 20);
            return Err(LockError::Malformed {
                file: shown,
                line: 1,
                problem,
            });
        }
        Self::parse(&shown, &text).map(Some)
    }

    /// Reads the text of a lock file. `file` is its name for messages.
    ///
    /// # Errors
    /// It is no lock file of a version that is known.
    pub fn parse(file: &str, text: &str) -> Result<Self, LockError> {
        // The version first: a newer form may not have the keys of this one.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let malformed = |error: &toml::de::Error| LockError::Malformed {
            file: file.to_owned(),
            line: line_of(text, error.span().map_or(0, |span| span.start)),
            problem: error.message().trim().to_owned(),
        };
        let found: Version = toml::from_str(text).map_err(|error| malformed(&error))?;
        if found.version != VERSION {
            return Err(LockError::Version {
                file: file.to_owned(),
                found: found.version,
            });
        }
        let parsed: LockFile = toml::from_str(text).map_err(|error| malformed(&error))?;
        for (id, task) in &parsed.tasks {
            if let Some(problem) = task.problem(id) {
                let line = line_of(text, text.find(&format!("[tasks.{id}")).unwrap_or(0));
                return Err(LockError::Malformed {
                    file: file.to_owned(),
                    line,
                    problem,
                });
            }
        }
        Ok(Self {
            tasks: parsed.tasks,
        })
    }

    /// The text of the file: the same lock gives the same bytes.
    pub fn to_text(&self) -> String {
        let file = LockFile {
            version: VERSION,
            tasks: self.tasks.clone(),
        };
        // Strings, numbers and maps with string keys: nothing that TOML lacks.
        let text = toml::to_string(&file).unwrap_or_default();
        format!("{PREAMBLE}{text}")
    }

    /// Writes the file at `path` in one step: a reader sees the old file or the
    /// new one, never a part.
    ///
    /// # Errors
    /// The operating system refuses; the old file is then still there.
    pub fn write(&self, path: &Path) -> Result<(), LockError> {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = match path.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let mut file = tempfile::Builder::new()
            .prefix(".proctor.lock.")
            .permissions(fs::Permissions::from_mode(0o644))
            .tempfile_in(dir)
            .map_err(LockError::io("write in", dir))?;
        file.write_all(self.to_text().as_bytes())
            .map_err(LockError::io("write", path))?;
        file.as_file()
            .sync_all()
            .map_err(LockError::io("write", path))?;
        file.persist(path)
            .map_err(|error| LockError::io("replace", path)(error.error))?;
        // The rename itself is durable once the folder is.
        let synced = fs::File::open(dir).and_then(|dir| dir.sync_all());
        synced.map_err(LockError::io("write in", dir))
    }

    /// Locks every task of a suite as it is now. Build records are taken from
    /// `built` (by task), else kept from `previous` where the module is still
    /// the same.
    ///
    /// # Errors
    /// A grader has not been built.
    pub fn of_suite(
        suite: &Suite,
        previous: Option<&Self>,
        built: &BTreeMap<String, BTreeMap<String, String>>,
    ) -> Result<Self, LockError> {
        let mut lock = Self::default();
        for task in &suite.tasks {
            let mut locked = LockedTask::of(task)?;
            let old = previous.and_then(|lock| lock.tasks.get(&task.info.id));
            if let Some(record) = built.get(&task.info.id) {
                locked.build = record.clone();
            } else if let Some(old) = old.filter(|old| old.same_module(&locked)) {
                locked.build = old.build.clone();
            }
            lock.tasks.insert(task.info.id.clone(), locked);
        }
        Ok(lock)
    }
}

impl LockedTask {
    /// The task as it is now, without a build record. The grader counts as
    /// built for the contract of this version; whether it was is for the host
    /// to find out when it loads the module.
    ///
    /// # Errors
    /// Its grader has not been built.
    pub fn of(task: &Task) -> Result<Self, LockError> {
        let grader = match &task.grader {
            GraderSource::Component(module) => {
                let file = module.file.as_ref().ok_or_else(|| LockError::NotBuilt {
                    id: task.info.id.clone(),
                    module: task.pack.shown(&module.path),
                })?;
                Some(LockedGrader {
                    module: module.path.clone(),
                    sha256: file.sha256.clone(),
                    bytes: Some(file.bytes),
                    abi: ABI.to_owned(),
                })
            }
            GraderSource::Oci(reference) => Some(LockedGrader {
                module: reference.to_string(),
                sha256: reference.sha256.clone(),
                bytes: None,
                abi: ABI.to_owned(),
            }),
            GraderSource::Python | GraderSource::None => None,
        };
        Ok(Self {
            path: task.pack.name().to_owned(),
            pack_sha256: task.pack_sha256.clone(),
            grader,
            build: BTreeMap::new(),
        })
    }

    fn same_module(&self, other: &Self) -> bool {
        let sha256 = |task: &Self| task.grader.as_ref().map(|grader| grader.sha256.clone());
        sha256(self).is_some() && sha256(self) == sha256(other)
    }

    /// What is wrong with a block that TOML accepts.
    fn problem(&self, id: &str) -> Option<String> {
        let digest = "64 lower-case hex digits";
        if !is_id(id) {
            return Some(format!("`{}` is no task id", super::format::excerpt(id)));
        }
        if !is_sha256(&self.pack_sha256) {
            return Some(format!(
                "`pack_sha256` of `{id}` is no digest; expected {digest}"
            ));
        }
        match &self.grader {
            Some(grader) if !is_sha256(&grader.sha256) => Some(format!(
                "the grader's `sha256` of `{id}` is no digest; expected {digest}"
            )),
            _ => None,
        }
    }
}

/// Line of a place in `text`, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
}
