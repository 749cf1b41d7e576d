//! Comparing tasks with a lock file.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::{BuildRecord, FILE_NAME, Lock, LockError, LockedGrader, LockedTask};
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
    /// The module names another contract than the lock file: that was edited.
    Abi {
        /// The task.
        id: String,
        /// Contract in the lock file.
        locked: String,
        /// Contract that the module names.
        found: String,
    },
    /// The task's Python block is another one.
    Python {
        /// The task.
        id: String,
        /// Digest in the lock file; `none` where it has none.
        locked: String,
        /// Digest now.
        found: String,
    },
    /// The build record is not the one beside the module: the lock file was
    /// edited.
    Build {
        /// The task.
        id: String,
        /// Record in the lock file.
        locked: Option<Box<BuildRecord>>,
        /// Record beside the module.
        found: Box<BuildRecord>,
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
            | Self::Abi { id, .. }
            | Self::Python { id, .. }
            | Self::Build { id, .. } => id,
        }
    }

    /// Kind, for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotLocked { .. } => "not_locked",
            Self::Gone { .. } => "gone",
            Self::Moved { .. } => "moved",
            Self::Pack { .. } => "pack",
            Self::Module { .. } => "module",
            Self::ModuleMissing { .. } => "module_missing",
            Self::Grader { .. } => "grader",
            Self::Size { .. } => "size",
            Self::Abi { .. } => "abi",
            Self::Python { .. } => "python",
            Self::Build { .. } => "build",
        }
    }

    /// Whether a task is new, changed or elsewhere, its grader aside.
    fn is_of_pack(&self) -> bool {
        matches!(
            self,
            Self::NotLocked { .. } | Self::Pack { .. } | Self::Moved { .. }
        )
    }

    /// The key of the lock file that it is about.
    pub fn key(&self) -> &'static str {
        match self {
            Self::NotLocked { .. } | Self::Gone { .. } => "",
            Self::Moved { .. } => "path",
            Self::Pack { .. } => "pack_sha256",
            Self::Module { .. } | Self::ModuleMissing { .. } => "module",
            // The first `sha256` of a block is the grader's.
            Self::Grader { .. } => "sha256",
            Self::Size { .. } => "bytes",
            Self::Abi { .. } => "abi",
            Self::Python { .. } | Self::Build { .. } => "source_sha256",
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
            Self::Abi { locked, found, .. } => write!(
                f,
                "the grader was built for {found} and the lock file says {locked}: somebody edited \
                 it"
            ),
            Self::Python { locked, found, .. } => write!(
                f,
                "the Python block is not the locked one (its SHA-256 was {} and is {})",
                short(locked),
                short(found)
            ),
            Self::Build { locked: None, .. } => {
                f.write_str("the lock file has no build record, and there is one beside the grader")
            }
            Self::Build { .. } => f.write_str(
                "the build record is not the one beside the grader: somebody edited the lock file",
            ),
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
        differences.extend(build(id, locked, task));
        differences
    }
}

/// Compares the build record with that beside the module, if there is one and
/// it is of the locked module. Any other is a changed file of the pack.
fn build(id: &str, locked: &LockedTask, task: &Task) -> Option<Difference> {
    let GraderSource::Component(module) = &task.grader else {
        return None;
    };
    let (found, _) = locked.record(task, module);
    let found = Box::new(found?);
    let locked = locked.build.clone().map(Box::new);
    (locked.as_ref() != Some(&found)).then(|| Difference::Build {
        id: id.to_owned(),
        locked,
        found,
    })
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
    let (locked, found) = match (locked, LockedGrader::of(task)) {
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
            found: found.sha256.clone(),
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
    if locked.source_sha256 != found.source_sha256 {
        let or_none = |digest: Option<&String>| digest.map_or("none", String::as_str).to_owned();
        differences.push(Difference::Python {
            id: id.to_owned(),
            locked: or_none(locked.source_sha256.as_ref()),
            found: or_none(found.source_sha256.as_ref()),
        });
    }
    // Another module may well be for another contract.
    if locked.abi != found.abi && locked.sha256 == found.sha256 {
        let name = |abi: Option<String>| abi.map_or("none".to_owned(), |abi| format!("`{abi}`"));
        differences.push(Difference::Abi {
            id: id.to_owned(),
            locked: name(locked.abi.clone()),
            found: name(found.abi),
        });
    }
    differences
}

/// What the lock file decides about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Where there is one, only what is in it runs.
    #[default]
    Locked,
    /// Tasks that are new or changed run too, and their reports say so; never
    /// another grader than the locked one.
    Unlocked,
    /// There is no lock yet: the author tries what is to be locked.
    Unreviewed,
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
/// suite says. Without a lock file it may run.
///
/// # Errors
/// The lock file cannot be used, or the task differs from it.
pub fn admit(task: &Task, policy: Policy) -> Result<Admission, LockError> {
    if policy == Policy::Unreviewed {
        return Ok(Admission::Unlocked);
    }
    let path = task.pack.suite_dir().join(FILE_NAME);
    let Some(lock) = Lock::read(&path)? else {
        return Ok(Admission::Unlocked);
    };
    let mut differences = lock.verify_task(task);
    if differences.is_empty() {
        return Ok(Admission::Locked);
    }
    differences.retain(|difference| match policy {
        Policy::Locked | Policy::Unreviewed => true,
        Policy::Unlocked => !difference.is_of_pack(),
    });
    if differences.is_empty() {
        return Ok(Admission::Unlocked);
    }
    Err(LockError::Differs {
        file: path.display().to_string(),
        differences,
    })
}
