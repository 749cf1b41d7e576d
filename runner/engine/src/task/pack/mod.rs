//! A task with everything that a trial needs of it.

mod fixtures;
mod load;
mod suite;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use proctor_types::TaskInfo;

pub use self::load::{LoadOptions, load_task};
pub(crate) use self::suite::is_suite;
pub use self::suite::{Suite, load, load_suite, load_suite_partly};
use super::confined;
use super::digest::{Listing, PackFile};
use super::error::TaskError;
use super::format::{
    FormatError, Limits, OciReference, PathProblem, Place, Probe, Problem, PythonGrader, Session,
};
use super::warning::Warning;

/// Name of the task file in a pack's folder.
const TASK_FILE: &str = "task.md";

/// A task, loaded and checked.
#[derive(Debug, Clone)]
pub struct Task {
    /// What graders and reports may know about it.
    pub info: TaskInfo,
    /// The prompt, without blank lines around it.
    pub prompt: String,
    /// Prompts of a task with several sessions, in order; empty otherwise.
    pub sessions: Vec<Session>,
    /// The system prompt.
    pub system_prompt: Option<SystemPrompt>,
    /// "Expected Behavior"; may be empty.
    pub expected_behavior: String,
    /// "Additional Notes"; may be empty.
    pub notes: String,
    /// The Python block of "Automated Checks". It is there for readers even
    /// when a module grades.
    pub python: Option<PythonGrader>,
    /// Files to put into the workspace, in the order of the task.
    pub fixtures: Vec<Fixture>,
    /// The seed of the world.
    pub seed: Option<SeedDir>,
    /// What grades.
    pub grader: GraderSource,
    /// Limits of the agent's sandbox.
    pub limits: Limits,
    /// Commands to run in the agent's sandbox after it stopped.
    pub probes: Vec<Probe>,
    /// The oracle's steps file, a path in the pack ([`Pack::read`]).
    pub oracle: Option<String>,
    /// Points that an agent gets which does nothing.
    pub floor: f64,
    /// How many attempts a job makes unless the operator says otherwise.
    pub attempts: Option<u32>,
    /// Hosts that the agent may reach for real, besides the model API.
    pub network_allow: Vec<String>,
    /// What has to be installed, as `KIND:NAME`.
    pub prerequisites: Vec<String>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// SHA-256 of the pack, lower-case hex ([`super::digest`]).
    pub pack_sha256: String,
    /// The files themselves.
    pub pack: Pack,
}

/// A system prompt and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Its file, a path in the pack.
    pub path: String,
    /// The text as it stands in the file.
    pub text: String,
}

/// A file to put into the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// Path in the workspace, relative, without `.` and `..`.
    pub dest: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Permission bits: 0o644, or 0o755 for what may be executed.
    pub mode: u32,
}

/// The folder of a world's seed.
#[derive(Debug, Clone)]
pub struct SeedDir {
    /// Its path in the pack.
    pub path: String,
    /// A handle that does not lead out of it. When the pack was digested it
    /// held no symbolic links.
    pub dir: Arc<Dir>,
}

/// What grades a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraderSource {
    /// A module in the pack.
    Component(GraderModule),
    /// A module in a registry.
    Oci(OciReference),
    /// The Python block, in the Python grader component.
    Python,
    /// Nothing: the task is graded by a judge alone.
    None,
}

/// A grader module in the pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraderModule {
    /// Its path in the pack.
    pub path: String,
    /// Line of the task file that names it.
    pub line: u64,
    /// Size and digest; `None` while it has not been built.
    pub file: Option<PackFile>,
}

impl Task {
    /// The task file, for messages.
    pub fn file(&self) -> &str {
        &self.pack.file
    }

    /// The bytes of the grader module, checked against its digest; `None` for
    /// a task that is not graded by a module of its pack.
    ///
    /// # Errors
    /// The module has not been built, or was changed since it was digested.
    pub fn read_grader(&self) -> Result<Option<Vec<u8>>, TaskError> {
        let GraderSource::Component(module) = &self.grader else {
            return Ok(None);
        };
        if module.file.is_none() {
            let place = Place {
                file: self.pack.file.clone(),
                line: Some(module.line),
            };
            let problem = Problem::Path {
                key: "proctor.grader".to_owned(),
                path: module.path.clone(),
                problem: PathProblem::Missing {
                    expected: format!("{} (build it first)", self.pack.shown(&module.path)),
                },
            };
            return Err(FormatError { place, problem }.into());
        }
        self.pack.read(&module.path).map(Some)
    }
}

/// The files of a task.
#[derive(Debug, Clone)]
pub struct Pack {
    /// The folder; `None` for a task that is one bare file.
    dir: Option<Arc<Dir>>,
    /// The folder (or the bare file's folder) as the caller named it.
    folder: PathBuf,
    /// The task file as the caller named it.
    file: String,
    /// The folder of the suite, absolute.
    suite: PathBuf,
    /// The pack's name in the folder of the suite.
    name: String,
    listing: Arc<Listing>,
}

impl Pack {
    /// Every file with its size and digest.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// The folder that holds the pack, absolute: where `proctor.lock` is.
    pub fn suite_dir(&self) -> &Path {
        &self.suite
    }

    /// The pack's name in that folder: `gws-task-management`, or
    /// `task_01_calendar.md` for a bare file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the task is one bare file.
    pub fn is_bare(&self) -> bool {
        self.dir.is_none()
    }

    /// The bytes of a file, checked against the digest.
    ///
    /// # Errors
    /// The pack has no such file, or it was changed since it was digested.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, TaskError> {
        let not_there = || TaskError::NotInPack {
            path: self.shown(path),
        };
        let known = self.listing.get(path).ok_or_else(not_there)?;
        let dir = self.dir.as_ref().ok_or_else(not_there)?;
        let changed = || TaskError::Changed {
            path: self.shown(path),
        };
        let (bytes, executable) =
            confined::read(dir, path, known.bytes, "").map_err(|_| changed())?;
        if PackFile::of(&bytes, executable) == *known {
            Ok(bytes)
        } else {
            Err(changed())
        }
    }

    /// A path of the pack as a person would write it.
    pub fn shown(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}
