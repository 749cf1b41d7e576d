//! Finding tasks: suites, and lists of paths as an operator gives them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::load::{LoadOptions, load_task, not_a_task};
use super::{TASK_FILE, Task};
use crate::task::error::TaskError;
use crate::task::lock;
use crate::task::warning::{Warning, WarningKind};

/// Most tasks of a suite.
const MAX_TASKS: usize = 10_000;
/// Folder in which repositories of the field keep their tasks.
const TASKS: &str = "tasks";

/// A folder of tasks.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The folder that holds the tasks and `proctor.lock`, as the caller named
    /// it.
    pub dir: PathBuf,
    /// The tasks in order of identifier.
    pub tasks: Vec<Task>,
}

impl Suite {
    /// Path of the suite's lock file, whether or not it is there.
    pub fn lock_path(&self) -> PathBuf {
        self.dir.join(lock::FILE_NAME)
    }

    /// The warnings of all tasks. A key that many files of the field have is
    /// warned about once.
    pub fn warnings(&self) -> Vec<Warning> {
        merge_warnings(
            self.tasks
                .iter()
                .flat_map(|task| task.warnings.iter().cloned()),
        )
    }
}

/// Warns about each unknown key once, with the number of other files.
fn merge_warnings(all: impl IntoIterator<Item = Warning>) -> Vec<Warning> {
    let mut merged: Vec<Warning> = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for warning in all {
        if let WarningKind::UnknownKey { key, .. } = &warning.kind {
            match first.get(key).and_then(|index| merged.get_mut(*index)) {
                Some(Warning {
                    kind: WarningKind::UnknownKey { more, .. },
                    ..
                }) => {
                    *more += 1;
                    continue;
                }
                _ => {
                    first.insert(key.clone(), merged.len());
                }
            }
        }
        merged.push(warning);
    }
    merged
}

/// Loads a suite: the tasks of a folder, or of its folder `tasks/` where it
/// has no tasks itself. Tasks are the folders with a `task.md` and the files
/// `task_*.md`.
///
/// # Errors
/// Everything that is wrong with its tasks, at once.
pub fn load_suite(dir: &Path, options: LoadOptions<'_>) -> Result<Suite, TaskError> {
    let (suite, broken) = load_suite_partly(dir, options)?;
    let errors = broken.into_iter().map(|(_, error)| error).collect();
    TaskError::all(errors).map_or(Ok(suite), Err)
}

/// Loads the tasks of a suite that can be loaded; the others come with their
/// path and what is wrong with them.
///
/// # Errors
/// The folder is no suite, or cannot be read.
pub fn load_suite_partly(
    dir: &Path,
    options: LoadOptions<'_>,
) -> Result<(Suite, Vec<(PathBuf, TaskError)>), TaskError> {
    let (dir, paths) = find(dir)?;
    let mut tasks = Vec::new();
    let mut broken = Vec::new();
    for path in paths {
        match load_task(&path, options) {
            Ok(task) => tasks.push(task),
            Err(error) => broken.push((path, error)),
        }
    }
    let twice = duplicates(&tasks).into_iter();
    broken.extend(twice.map(|error| (dir.clone(), error)));
    tasks.sort_by(|a, b| a.info.id.cmp(&b.info.id));
    Ok((Suite { dir, tasks }, broken))
}

/// Loads what an operator named: tasks and suites in any mixture, in that
/// order. A task that is named twice is loaded once.
///
/// # Errors
/// Everything that is wrong with the tasks, at once.
pub fn load(paths: &[PathBuf], options: LoadOptions<'_>) -> Result<Vec<Task>, TaskError> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let loaded = if is_suite(path) {
            load_suite(path, options).map(|suite| suite.tasks)
        } else {
            load_task(path, options).map(|task| vec![task])
        };
        match loaded {
            Ok(loaded) => tasks.extend(
                loaded
                    .into_iter()
                    .filter(|task| seen.insert(task.pack.suite_dir().join(task.pack.name()))),
            ),
            Err(TaskError::Several(several)) => errors.extend(several),
            Err(error) => errors.push(error),
        }
    }
    errors.extend(duplicates(&tasks));
    TaskError::all(errors).map_or(Ok(tasks), Err)
}

/// Whether `path` is a folder that is no task itself.
pub(crate) fn is_suite(path: &Path) -> bool {
    path.is_dir() && path.join(TASK_FILE).symlink_metadata().is_err()
}

/// The folder that holds the tasks, and their paths.
fn find(dir: &Path) -> Result<(PathBuf, Vec<PathBuf>), TaskError> {
    let direct = tasks_in(dir)?;
    if !direct.is_empty() || has_lock(dir) {
        return Ok((dir.to_owned(), direct));
    }
    let below = dir.join(TASKS);
    if below.is_dir() {
        let tasks = tasks_in(&below)?;
        if !tasks.is_empty() || has_lock(&below) {
            return Ok((below, tasks));
        }
    }
    Err(not_a_task(dir, "a folder without tasks"))
}

fn has_lock(dir: &Path) -> bool {
    dir.join(lock::FILE_NAME).symlink_metadata().is_ok()
}

fn tasks_in(dir: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(TaskError::io("read", dir))? {
        let entry = entry.map_err(TaskError::io("read", dir))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(TaskError::io("read", &path))?;
        let name = entry.file_name();
        let is_task = if kind.is_file() {
            is_bare_task(&name.to_string_lossy())
        } else {
            path.join(TASK_FILE).symlink_metadata().is_ok()
                || (kind.is_symlink() && is_bare_task(&name.to_string_lossy()))
        };
        if is_task && kind.is_symlink() {
            return Err(TaskError::Irregular {
                pack: dir.display().to_string(),
                path: name.to_string_lossy().into_owned(),
                found: "a symbolic link",
            });
        }
        if is_task {
            found.push(path);
        }
        if found.len() > MAX_TASKS {
            return Err(TaskError::TooMuch {
                pack: dir.display().to_string(),
                path: name.to_string_lossy().into_owned(),
                what: format!("there are more than {MAX_TASKS} tasks"),
            });
        }
    }
    found.sort();
    Ok(found)
}

/// What the field names its task files.
fn is_bare_task(name: &str) -> bool {
    name.starts_with("task_") && Path::new(name).extension().is_some_and(|ext| ext == "md")
}

fn duplicates(tasks: &[Task]) -> Vec<TaskError> {
    let mut first: BTreeMap<&str, &Task> = BTreeMap::new();
    let mut errors = Vec::new();
    for task in tasks {
        match first.get(task.info.id.as_str()) {
            Some(other) => errors.push(TaskError::DuplicateId {
                id: task.info.id.clone(),
                first: other.file().to_owned(),
                second: task.file().to_owned(),
            }),
            None => {
                first.insert(&task.info.id, task);
            }
        }
    }
    errors
}
