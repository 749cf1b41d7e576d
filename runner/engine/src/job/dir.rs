//! A job's directory: one runner at a time, and nothing of an earlier job is
//! ever written over.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

use crate::error::EngineError;
use crate::events::TrialId;
use crate::evidence::{EVIDENCE_DIR, private_dir};

const LOCK: &str = "lock";
const TRIALS: &str = "trials";
const GRADERS: &str = "graders";

/// An open job directory, held by this process until it is dropped.
#[derive(Debug)]
pub struct JobDir {
    path: PathBuf,
    dir: Dir,
    /// The lock lives as long as this handle, also when we are killed.
    _lock: File,
}

/// What an earlier runner left in a job directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Trials with a record.
    pub finished: usize,
    /// Trials without one, by directory: their runner was killed.
    pub interrupted: Vec<String>,
}

impl JobDir {
    /// Creates `path` (0700) and takes hold of it.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while another runner holds it,
    /// [`EngineError::Occupied`] where it holds anything else.
    pub fn create(path: &Path) -> Result<Self, EngineError> {
        let fail = EngineError::io("cannot create the job directory", path);
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent {
            std::fs::create_dir_all(parent)
                .map_err(EngineError::io("cannot create the job directory", path))?;
        }
        make_private(path).map_err(fail)?;
        let fail = |error| EngineError::io("cannot open the job directory", path)(error);
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(fail)?;
        let lock = take_lock(&dir, path)?;
        let occupied = dir
            .entries()
            .map_err(fail)?
            .filter_map(Result::ok)
            .any(|entry| entry.file_name() != LOCK);
        if occupied {
            return Err(EngineError::Occupied {
                dir: path.to_owned(),
                found: describe(&dir),
                remedy: "give another --out, or move the directory away",
            });
        }
        for name in [TRIALS, GRADERS] {
            private_dir(&dir, name).map_err(fail)?;
        }
        Ok(Self {
            path: path.to_owned(),
            dir,
            _lock: lock,
        })
    }

    /// Creates `name` in `parent`, or `name-2` and so on where that is taken, and
    /// takes hold of it: several runners may begin within one second. Also
    /// returns the name.
    pub(crate) fn claim(parent: &Path, name: &str) -> Result<(String, Self), EngineError> {
        std::fs::create_dir_all(parent)
            .map_err(EngineError::io("cannot create the job directory", parent))?;
        let mut claimed = name.to_owned();
        let mut number = 1_u64;
        loop {
            let path = parent.join(&claimed);
            match private_builder().create(&path) {
                Ok(()) => return Ok((claimed, Self::create(&path)?)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    number += 1;
                    claimed = format!("{name}-{number}");
                }
                Err(error) => {
                    return Err(EngineError::io("cannot create the job directory", &path)(
                        error,
                    ));
                }
            }
        }
    }

    /// The directory's path as the operator gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Creates the directory of a trial and returns its path relative to the
    /// job's.
    pub(crate) fn trial(&self, id: &TrialId) -> Result<(String, Dir), EngineError> {
        let name = format!(
            "{TRIALS}/{}.{}.{}",
            id.task,
            file_name(&id.agent),
            id.attempt
        );
        let shown = self.path.join(&name);
        let fail = |error| EngineError::io("cannot create", &shown)(error);
        private_dir(&self.dir, &name).map_err(fail)?;
        let dir = self.dir.open_dir(&name).map_err(fail)?;
        Ok((name, dir))
    }

    /// Keeps a copy of a grader under its digest, so that the job can be
    /// graded again without the suite.
    pub(crate) fn keep_grader(&self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        crate::evidence::replace(&self.dir, name, bytes)
            .map_err(EngineError::io("cannot write", &self.path.join(name)))
    }
}

/// Where a job keeps the component with this digest.
pub(crate) fn component_path(sha256: &str) -> String {
    format!("{GRADERS}/{sha256}.wasm")
}

/// Where a job keeps the script with this digest.
pub(crate) fn script_path(sha256: &str) -> String {
    format!("{GRADERS}/{sha256}.py")
}

/// Looks at what an earlier runner left in `dir`.
pub(crate) fn found(dir: &Dir) -> Found {
    let mut found = Found::default();
    let Ok(entries) = dir.read_dir(TRIALS) else {
        return found;
    };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(trial) = entry.open_dir() else {
            continue;
        };
        if trial.is_file(crate::trial::RECORD) {
            found.finished += 1;
        } else {
            let state = if trial.is_dir(EVIDENCE_DIR) {
                "evidence frozen"
            } else {
                "not frozen"
            };
            found.interrupted.push(format!("{name} ({state})"));
        }
    }
    found.interrupted.sort();
    found
}

fn describe(dir: &Dir) -> String {
    let Found {
        finished,
        interrupted,
    } = found(dir);
    if interrupted.is_empty() && finished == 0 && !dir.exists(crate::job::PLAN) {
        return "files that are no job of Proctor's".to_owned();
    }
    let ended = if dir.is_file(crate::job::SUMMARY) {
        "a finished job"
    } else {
        "a job that was interrupted"
    };
    let mut text = format!("{ended} with {finished} finished trial(s)");
    if !interrupted.is_empty() {
        text.push_str(" and ");
        text.push_str(&interrupted.len().to_string());
        text.push_str(" interrupted: ");
        text.push_str(&interrupted.join(", "));
    }
    text
}

fn take_lock(dir: &Dir, path: &Path) -> Result<File, EngineError> {
    let fail = |error| EngineError::io("cannot lock the job directory", path)(error);
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600);
    let mut file = dir.open_with(LOCK, &options).map_err(fail)?.into_std();
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).map_err(fail)?;
            file.rewind().map_err(fail)?;
            file.write_all(std::process::id().to_string().as_bytes())
                .map_err(fail)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let known = (&file).take(20).read_to_string(&mut pid).is_ok() && !pid.is_empty();
            let pid = if known { pid } else { "unknown".to_owned() };
            Err(EngineError::Busy {
                dir: path.to_owned(),
                pid,
            })
        }
        Err(TryLockError::Error(error)) => Err(fail(error)),
    }
}

fn private_builder() -> std::fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

fn make_private(path: &Path) -> std::io::Result<()> {
    match private_builder().create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// `name` with everything that does not belong into a file name replaced.
fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_runner_is_refused_and_nothing_is_written_over() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("job");
        let held = JobDir::create(&path).unwrap();
        let busy = JobDir::create(&path).unwrap_err();
        assert!(
            matches!(&busy, EngineError::Busy { pid, .. } if *pid == std::process::id().to_string()),
            "{busy}"
        );
        drop(held);
        let occupied = JobDir::create(&path).unwrap_err();
        assert!(
            matches!(occupied, EngineError::Occupied { .. }),
            "{occupied}"
        );
    }

    #[test]
    fn jobs_that_begin_at_once_have_directories_of_their_own() {
        let temp = tempfile::tempdir().unwrap();
        let out = temp.path().join("out");
        let start = std::sync::Barrier::new(8);
        let claim = || {
            start.wait();
            JobDir::claim(&out, "job-1").unwrap()
        };
        let held: Vec<(String, JobDir)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
            let joined = threads.into_iter().map(|thread| thread.join().unwrap());
            joined.collect()
        });
        let mut names: Vec<&str> = held.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let expected = [
            "job-1", "job-1-2", "job-1-3", "job-1-4", "job-1-5", "job-1-6", "job-1-7", "job-1-8",
        ];
        assert_eq!(names, expected);
        for (name, job) in &held {
            assert_eq!(job.path(), out.join(name));
        }
    }

    #[test]
    fn a_strangers_directory_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("thesis.tex"), "x").unwrap();
        let error = JobDir::create(temp.path()).unwrap_err().to_string();
        assert!(error.contains("no job of Proctor's"), "{error}");
    }
}
