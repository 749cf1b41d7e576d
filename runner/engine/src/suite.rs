//! Suites of tasks: loading them, checking and writing their lock file.

use std::io;
use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::task::lock::{Difference, Lock, LockWarning};
use crate::task::{Suite, Task, TaskError};

/// Loads what an operator named: tasks and suites in any mixture.
///
/// # Errors
/// Everything that is wrong with the tasks, at once.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Task>, EngineError> {
    Ok(crate::task::load(paths, crate::host::load_options())?)
}

/// A suite or a single task, and what of it cannot be loaded.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) suite: Suite,
    /// Paths of tasks, and why each cannot be loaded.
    pub(crate) broken: Vec<(PathBuf, TaskError)>,
    /// Whether only one task of a suite was named.
    pub(crate) is_single: bool,
}

/// Finds the suite or the task at `path`.
///
/// # Errors
/// There is neither. What is wrong with a task is no error.
pub(crate) fn find(path: &Path) -> Result<Found, EngineError> {
    let options = crate::host::load_options();
    if crate::task::is_suite(path) {
        let (suite, broken) = crate::task::load_suite_partly(path, options).map_err(|error| {
            nothing(&error, "give a suite (a folder of task folders) or a task")
        })?;
        return Ok(Found {
            suite,
            broken,
            is_single: false,
        });
    }
    let (dir, tasks, broken) = match crate::task::load_task(path, options) {
        Ok(task) => (task.pack.suite_dir().to_owned(), vec![task], Vec::new()),
        Err(error @ (TaskError::NotATask { .. } | TaskError::Io { .. })) => {
            return Err(nothing(
                &error,
                "give a suite (a folder of task folders) or a task",
            ));
        }
        Err(error) => {
            let dir = path.parent().unwrap_or(Path::new(".")).to_owned();
            (dir, Vec::new(), vec![(path.to_owned(), error)])
        }
    };
    Ok(Found {
        suite: Suite { dir, tasks },
        broken,
        is_single: true,
    })
}

/// Loads the suite at `path`, which must be a whole one.
fn whole(path: &Path) -> Result<Suite, EngineError> {
    if path.exists() && !crate::task::is_suite(path) {
        return Err(EngineError::Usage {
            message: format!(
                "{} is no suite: a lock file is that of a whole folder of tasks",
                path.display()
            ),
            hint: Some("give the folder that holds the task's folder".to_owned()),
        });
    }
    crate::task::load_suite(path, crate::host::load_options()).map_err(|error| match error {
        TaskError::NotATask { .. } => nothing(&error, "give a suite: a folder of task folders"),
        TaskError::Io { ref source, .. } if source.kind() == io::ErrorKind::NotFound => {
            nothing(&error, "give a suite: a folder of task folders")
        }
        error => error.into(),
    })
}

fn nothing(error: &TaskError, remedy: &str) -> EngineError {
    EngineError::Usage {
        message: error.to_string(),
        hint: Some(remedy.to_owned()),
    }
}

/// Compares the suite with its lock file, which must be there.
///
/// # Errors
/// The suite or its lock cannot be read.
pub fn check(suite: &Path) -> Result<Vec<Difference>, EngineError> {
    let suite = whole(suite)?;
    let lock = Lock::read(&suite.lock_path())?.unwrap_or_default();
    Ok(lock.verify(&suite))
}

/// Locks the suite as it is now.
///
/// # Errors
/// The suite cannot be read, a grader has not been built, or the file cannot
/// be written.
pub fn write(suite: &Path) -> Result<Written, EngineError> {
    let suite = whole(suite)?;
    let path = suite.lock_path();
    let previous = Lock::read(&path)?;
    let (lock, mut warnings) = Lock::of_suite(&suite, previous.as_ref())?;
    lock.write(&path)?;
    warnings.extend(stale(&suite, &lock));
    Ok(Written {
        differences: previous.unwrap_or_default().verify(&suite),
        tasks: suite.tasks.len(),
        path,
        warnings,
    })
}

/// Modules that are older than their source. They are what was locked.
fn stale(suite: &Suite, lock: &Lock) -> Vec<LockWarning> {
    let found = suite.tasks.iter().filter_map(|task| {
        let id = &task.info.id;
        let record = lock.tasks.get(id)?.build.as_ref()?;
        let message = crate::grader::stale(task.pack.suite_dir(), record)?;
        Some(LockWarning {
            id: id.clone(),
            message,
        })
    });
    found.collect()
}

/// A lock file that was written.
#[derive(Debug)]
pub struct Written {
    /// Where.
    pub path: PathBuf,
    /// How many tasks are in it.
    pub tasks: usize,
    /// What the earlier file had otherwise.
    pub differences: Vec<Difference>,
    /// What is odd.
    pub warnings: Vec<LockWarning>,
}
