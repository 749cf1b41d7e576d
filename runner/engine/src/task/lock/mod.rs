//! `proctor.lock`: what the tasks of a suite are supposed to be.
//!
//! The file stands in the folder that holds the tasks and is committed with
//! them. It has one block per task, sorted by identifier, one value per line:
//! two people who lock different tasks merge without a conflict, and two who
//! lock the same one get a conflict in just that block. The same suite always
//! gives the same bytes.
//!
//! `docs/lock.md` describes it for authors.

mod build;
mod locked;
mod source;
mod verify;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use proctor_grading::Fault;
use serde::{Deserialize, Serialize};

use crate::read::{self, Links};

pub(crate) use self::build::MAX_RECORD_BYTES;
pub use self::build::{BuildRecord, ModuleRecord, record_path};
pub use self::locked::{LockedGrader, LockedTask, PYTHON};
pub use self::source::source_sha256;
pub use self::verify::{Admission, Difference, Policy, admit};
use super::error::TaskError;
use super::pack::{GraderSource, Suite};

/// Name of the file.
pub const FILE_NAME: &str = "proctor.lock";
/// Version of the file's form that is written and read.
const VERSION: u32 = 1;
/// Most bytes of a lock file.
const MAX_BYTES: u64 = 16 << 20;

const PREAMBLE: &str = "\
# Written by `proctor lock`; commit it. `proctor verify` lists what differs from
# it, and `proctor run` refuses tasks and graders that are not those below.
";

/// The content of a lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// Tasks by identifier.
    pub tasks: BTreeMap<String, LockedTask>,
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
    /// A grader that no runner would run.
    #[error("the task `{id}` cannot be locked: {module}: {fault}")]
    Refused {
        /// The task.
        id: String,
        /// The module.
        module: String,
        /// Why it is refused.
        fault: Box<Fault>,
    },
    /// A file of a task cannot be read.
    #[error(transparent)]
    Task(#[from] Box<TaskError>),
    /// Tasks are not what the lock file says.
    #[error("{} differs from what is there:{}", file, verify::bullets(differences))]
    Differs {
        /// The file.
        file: String,
        /// Every difference.
        differences: Vec<Difference>,
    },
    /// The operator named a grader that is not the one that was locked.
    #[error(
        "the task `{id}` is locked, and {grader} is not the grader that it was locked with: its \
         SHA-256 is {found}"
    )]
    OtherGrader {
        /// The task.
        id: String,
        /// What was named.
        grader: String,
        /// Its digest.
        found: String,
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
        match Self::text(path)? {
            Some(text) => Self::parse(&path.display().to_string(), &text).map(Some),
            None => Ok(None),
        }
    }

    /// The text of the lock file at `path`; `None` where there is none. A link
    /// to nowhere is no missing file: it would make everything unlocked.
    ///
    /// # Errors
    /// It cannot be read, or is no text.
    pub fn text(path: &Path) -> Result<Option<String>, LockError> {
        let bytes = match read::regular(path, MAX_BYTES, Links::Follow) {
            Ok(bytes) => bytes,
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() =>
            {
                return Ok(None);
            }
            Err(error) => return Err(LockError::io("read", path)(error)),
        };
        let malformed = |error: std::string::FromUtf8Error| LockError::Malformed {
            file: path.display().to_string(),
            line: 1,
            problem: error.to_string(),
        };
        String::from_utf8(bytes).map(Some).map_err(malformed)
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

    /// Locks every task of a suite as it is now. A build record is the one
    /// beside the module, else the one of `previous` where the module is still
    /// the same. The second value says what is odd.
    ///
    /// # Errors
    /// A grader has not been built, or would be refused by every runner.
    pub fn of_suite(
        suite: &Suite,
        previous: Option<&Self>,
    ) -> Result<(Self, Vec<LockWarning>), LockError> {
        let mut lock = Self::default();
        let mut warnings = Vec::new();
        for task in &suite.tasks {
            let id = &task.info.id;
            let mut locked = LockedTask::of(task)?;
            let old = previous.and_then(|lock| lock.tasks.get(id));
            if let GraderSource::Component(module) = &task.grader {
                let (record, why_not) = locked.record(task, module);
                let kept = || {
                    old.filter(|old| old.same_module(&locked))
                        .and_then(|old| old.build.clone())
                };
                locked.build = record.or_else(kept);
                if let Some(message) = why_not.filter(|_| locked.build.is_none()) {
                    let id = id.clone();
                    warnings.push(LockWarning { id, message });
                }
            }
            lock.tasks.insert(id.clone(), locked);
        }
        Ok((lock, warnings))
    }

    /// Line, from 1, of the key `key` in the block of a task in `text`, else of
    /// the block's first line, else of the file's.
    pub fn line(text: &str, id: &str, key: &str) -> usize {
        let (block, inner) = (format!("[tasks.{id}]"), format!("[tasks.{id}."));
        let starts = |line: &str| {
            let rest = line.strip_prefix(key).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with('='))
        };
        let mut first = None;
        let mut inside = false;
        for (at, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                inside = line.trim_end() == block || line.starts_with(&inner);
                first = first.or(inside.then_some(at));
            } else if inside && starts(line) {
                return at + 1;
            }
        }
        first.map_or(1, |at| at + 1)
    }
}

/// Something odd about a task that was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockWarning {
    /// The task.
    pub id: String,
    /// What is odd, and what to do.
    pub message: String,
}

impl std::fmt::Display for LockWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.id, self.message)
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
