//! Suites of tasks: loading them, checking and writing their lock file.

use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::task::lock::{Difference, Lock, LockWarning};
use crate::task::{Task, load_suite};

/// Loads what an operator named: tasks and suites in any mixture.
///
/// # Errors
/// Everything that is wrong with the tasks, at once.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Task>, EngineError> {
    Ok(crate::task::load(paths, crate::host::load_options())?)
}

/// Compares the suite with its lock file, which must be there.
///
/// # Errors
/// The suite or its lock cannot be read.
pub fn check(suite: &Path) -> Result<Vec<Difference>, EngineError> {
    let suite = load_suite(suite, crate::host::load_options())?;
    let lock = Lock::read(&suite.lock_path())?.unwrap_or_default();
    Ok(lock.verify(&suite))
}

/// Locks the suite as it is now.
///
/// # Errors
/// The suite cannot be read, a grader has not been built, or the file cannot
/// be written.
pub fn write(suite: &Path) -> Result<Written, EngineError> {
    let suite = load_suite(suite, crate::host::load_options())?;
    let path = suite.lock_path();
    let previous = Lock::read(&path)?;
    let (lock, warnings) = Lock::of_suite(&suite, previous.as_ref())?;
    lock.write(&path)?;
    Ok(Written {
        differences: previous.unwrap_or_default().verify(&suite),
        tasks: suite.tasks.len(),
        path,
        warnings,
    })
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
