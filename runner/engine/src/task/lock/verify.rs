//! Comparing tasks with a lock file.

use std::collections::BTreeSet;
use std::fmt;

use proctor_types::verdict::ABI;
use serde::Serialize;

use super::{FILE_NAME, Lock, LockError, LockedGrader, LockedTask};
use crate::task::pack::{GraderSource, Suite, Task};

/// One way in which a suite is not what its lock file says. Digests are
/// shortened when shown, and whole in the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// A task that the lock file does not have.
    NotLocked {
        /// The task.
        id: String,
    },
    /// A task that is only in the lock file.
    Gone {
        /// The task.
        id: String,
        /// Where it was.
        path: String,
    },
    /// A task that is elsewhere now.
    Moved {
        /// The task.
        id: String,
        /// Path in the lock file.
        locked: String,
        /// Path now.
        found: String,
    },
    /// Some file of the pack is another one, or has another name or mode.
    Pack {
        /// The task.
        id: String,
        /// Digest in the lock file.
        locked: String,
        /// Digest now.
        found: String,
    },
    /// Another kind of grader, or another module's name.
    Module {
        /// The task.
        id: String,
        /// In the lock file: a file, a reference, or `none`.
        locked: String,
        /// Now.
        found: String,
    },
    /// The module is not there.
    ModuleMissing {
        /// The task.
        id: String,
        /// Its file.
        module: String,
    },
    /// The module has other bytes.
    Grader {
        /// The task.
        id: String,
        /// Digest in the lock file.
        locked: String,
        /// Digest now.
        found: String,
    },
    /// The module's size does not go with its digest: the lock file was edited.
    Size {
        /// The task.
        id: String,
        /// Bytes in the lock file.
        locked: u64,
        /// Bytes now.
        found: u64,
    },
    /// The module was locked for a contract that this version does not speak.
    Abi {
        /// The task.
        id: String,
        /// Contract in the lock file.
        locked: String,
    },
}

impl Difference {
    /// The task that differs.
    pub fn task(&self) -> &str {
        match self {
            Self::NotLocked { id }
            | Self::Gone { id, .. }
            | Self::Moved { id, .. }
            | Self::Pack { id, .. }
            | Self::Module { id, .. }
            | Self::ModuleMissing { id, .. }
            | Self::Grader { id, .. }
            | Self::Size { id, .. }
            | Self::Abi { id, .. } => id,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.task())?;
        match self {
            Self::NotLocked { .. } => f.write_str("is not in the lock file"),
            Self::Gone { path, .. } => {
                write!(
                    f,
                    "is in the lock file and not in the suite (it was `{path}`)"
                )
            }
            Self::Moved { locked, found, .. } => write!(f, "was `{locked}` and is `{found}`"),
            Self::Pack { locked, found, .. } => write!(
                f,
                "some file of the pack changed (its digest was {} and is {})",
                short(locked),
                short(found)
            ),
            Self::Module { locked, found, .. } => {
                write!(f, "the grader was {locked} and is {found}")
            }
            Self::ModuleMissing { module, .. } => write!(f, "the grader `{module}` is missing"),
            Self::Grader { locked, found, .. } => write!(
                f,
                "the grader is not the locked one (its SHA-256 was {} and is {})",
                short(locked),
                short(found)
            ),
            Self::Size { locked, found, .. } => write!(
                f,
                "the grader has {found} bytes and the lock file says {locked}: somebody edited it"
            ),
            Self::Abi { locked, .. } => {
                write!(
                    f,
                    "the grader was built for `{locked}`; this proctor speaks `{ABI}`"
                )
            }
        }
    }
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

pub(super) fn bullets(differences: &[Difference]) -> String {
    differences
        .iter()
        .fold(String::new(), |text, line| format!("{text}\n  - {line}"))
}

impl Lock {
    /// Everything in which `suite` is not what this lock says, in order of
    /// task. Nothing is read again: the digests are those of the loaded tasks.
    pub fn verify(&self, suite: &Suite) -> Vec<Difference> {
        let here: BTreeSet<&str> = suite
            .tasks
            .iter()
            .map(|task| task.info.id.as_str())
            .collect();
        let gone = self
            .tasks
            .iter()
            .filter(|(id, _)| !here.contains(id.as_str()));
        let mut differences: Vec<Difference> = gone
            .map(|(id, task)| Difference::Gone {
                id: id.clone(),
                path: task.path.clone(),
            })
            .collect();
        for task in &suite.tasks {
            differences.extend(self.verify_task(task));
        }
        differences.sort_by(|a, b| a.task().cmp(b.task()));
        differences
    }

    /// Everything in which one task is not what this lock says.
    pub fn verify_task(&self, task: &Task) -> Vec<Difference> {
        let id = &task.info.id;
        let Some(locked) = self.tasks.get(id) else {
            return vec![Difference::NotLocked { id: id.clone() }];
        };
        let mut differences = Vec::new();
        if locked.path != task.pack.name() {
            differences.push(Difference::Moved {
                id: id.clone(),
                locked: locked.path.clone(),
                found: task.pack.name().to_owned(),
            });
        }
        if locked.pack_sha256 != task.pack_sha256 {
            differences.push(Difference::Pack {
                id: id.clone(),
                locked: locked.pack_sha256.clone(),
                found: task.pack_sha256.clone(),
            });
        }
        differences.extend(grader(id, locked.grader.as_ref(), task));
        differences
    }
}

fn grader(id: &str, locked: Option<&LockedGrader>, task: &Task) -> Vec<Difference> {
    if let GraderSource::Component(module) = &task.grader
        && module.file.is_none()
    {
        return vec![Difference::ModuleMissing {
            id: id.to_owned(),
            module: module.path.clone(),
        }];
    }
    // A module that is there can always be locked.
    let found = LockedTask::of(task).ok().and_then(|task| task.grader);
    let (locked, found) = match (locked, found) {
        (None, None) => return Vec::new(),
        (Some(locked), Some(found)) if locked.module == found.module => (locked, found),
        (locked, found) => {
            let name = |grader: Option<&LockedGrader>| {
                grader.map_or("none".to_owned(), |grader| format!("`{}`", grader.module))
            };
            return vec![Difference::Module {
                id: id.to_owned(),
                locked: name(locked),
                found: name(found.as_ref()),
            }];
        }
    };
    let mut differences = Vec::new();
    if locked.sha256 != found.sha256 {
        differences.push(Difference::Grader {
            id: id.to_owned(),
            locked: locked.sha256.clone(),
            found: found.sha256,
        });
    } else if let (Some(locked), Some(found)) = (locked.bytes, found.bytes)
        && locked != found
    {
        differences.push(Difference::Size {
            id: id.to_owned(),
            locked,
            found,
        });
    }
    if locked.abi != ABI {
        differences.push(Difference::Abi {
            id: id.to_owned(),
            locked: locked.abi.clone(),
        });
    }
    differences
}

/// On what grounds a task may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is what its lock file says.
    Locked,
    /// There is no lock file beside it, or the operator allowed what is not
    /// locked.
    Unlocked,
}

/// Decides whether a task may run: it has to be what the lock file of its
/// suite says. Without a lock file it may run. `allow_unlocked` admits a task
/// that the file does not have and one whose pack or path changed, but never a
/// grader that is not the locked one.
///
/// # Errors
/// The lock file cannot be used, or the task differs from it.
pub fn admit(task: &Task, allow_unlocked: bool) -> Result<Admission, LockError> {
    let path = task.pack.suite_dir().join(FILE_NAME);
    let Some(lock) = Lock::read(&path)? else {
        return Ok(Admission::Unlocked);
    };
    let mut differences = lock.verify_task(task);
    if differences.is_empty() {
        return Ok(Admission::Locked);
    }
    if allow_unlocked {
        differences.retain(|difference| {
            !matches!(
                difference,
                Difference::NotLocked { .. } | Difference::Pack { .. } | Difference::Moved { .. }
            )
        });
        if differences.is_empty() {
            return Ok(Admission::Unlocked);
        }
    }
    Err(LockError::Differs {
        file: path.display().to_string(),
        differences,
    })
}
