//! What can be wrong with a task, a suite, or the way to it.

use std::io;
use std::path::PathBuf;

use super::format::FormatError;

/// A task or a suite cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The task file, or a file that it names, is not as it should be.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Nothing at the path is a task.
    #[error(
        "{path} is no task: {found}; expected a task file (`.md`), a folder with `task.md`, or a suite of them"
    )]
    NotATask {
        /// The path.
        path: String,
        /// What was found.
        found: String,
    },
    /// Two tasks have one identifier.
    #[error("two tasks have the id `{id}`: {first} and {second}; give each an id of its own")]
    DuplicateId {
        /// The identifier.
        id: String,
        /// Task file of the one.
        first: String,
        /// Task file of the other.
        second: String,
    },
    /// A pack holds something else than files and folders.
    #[error("{pack}/{path} is {found}; a task pack holds regular files and folders only")]
    Irregular {
        /// The pack.
        pack: String,
        /// Path in it.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// A name that not every machine can have.
    #[error(
        "{pack}/{} is no portable file name; expected UTF-8 without control characters and \
         backslashes, at most 512 bytes with its folders", path.escape_debug()
    )]
    FileName {
        /// The pack.
        pack: String,
        /// Path in it; bytes that are no UTF-8 replaced.
        path: String,
    },
    /// More than the runner takes.
    #[error("{pack} is too large (at `{path}`): {what}")]
    TooMuch {
        /// The pack or suite.
        pack: String,
        /// Where the limit was met.
        path: String,
        /// Which limit.
        what: String,
    },
    /// A file of the pack is not what it was when the pack was loaded.
    #[error("{path} was changed while the task was in use; run again")]
    Changed {
        /// The file.
        path: String,
    },
    /// A file that the pack does not have.
    #[error("{path} is not in the task pack")]
    NotInPack {
        /// The file.
        path: String,
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
    /// Several tasks of a suite cannot be loaded.
    #[error("{} tasks cannot be loaded:{}", .0.len(), bullets(.0))]
    Several(Vec<TaskError>),
}

impl TaskError {
    /// For `map_err`: what was tried on which path.
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// One error for all of them; `None` where there are none.
    pub(super) fn all(mut errors: Vec<Self>) -> Option<Self> {
        if errors.len() > 1 {
            Some(Self::Several(errors))
        } else {
            errors.pop()
        }
    }

    /// The single errors, in order.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Several(errors) => errors,
            single => std::slice::from_ref(single),
        }
    }
}

fn bullets(errors: &[TaskError]) -> String {
    errors
        .iter()
        .fold(String::new(), |text, error| format!("{text}\n  - {error}"))
}
