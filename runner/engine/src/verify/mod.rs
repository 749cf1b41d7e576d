//! `proctor verify`: is a suite what its lock file says?
//!
//! Everything that differs is found at once, and nothing of the suite is run:
//! packs are digested, modules are walked over, sources are hashed. Only
//! `rebuild` runs what an author wrote, in a room of its own.

mod rebuild;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use proctor_grading::ModuleLimits;
use serde::Serialize;

pub use rebuild::{RebuildOutcome, Rebuilding, Rebuilt};

use crate::EngineError;
use crate::grader;
use crate::suite::Found;
use crate::task::lock::{Difference, FILE_NAME, Lock, LockError, LockedTask};
use crate::task::{GraderSource, Suite, Task, TaskError};

/// How a suite compares with its lock file.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The lock file.
    pub lock: String,
    /// How many tasks were looked at.
    pub tasks: usize,
    /// Everything that differs or is odd: errors of the whole suite first, then
    /// in order of task.
    pub findings: Vec<Finding>,
    /// What came of building the graders again; empty where nobody asked.
    pub rebuilds: Vec<Rebuilt>,
}

/// Something that differs or is odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the suite is not what was locked.
    pub level: Level,
    /// Kind, for scripts.
    pub kind: &'static str,
    /// The task, where it is about one.
    pub task: Option<String>,
    /// The file to look at.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// What is wrong, in words.
    pub message: String,
    /// The values that differ, where it is that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The suite is not what was locked.
    Error,
    /// It is, and there is something to know.
    Warning,
}

impl Verified {
    /// Whether the suite is what its lock file says.
    pub fn fits(&self) -> bool {
        self.findings.iter().all(|one| one.level != Level::Error)
    }

    /// Whether some grader that was to be built again was not.
    pub fn is_incomplete(&self) -> bool {
        let not_rebuilt = |one: &Rebuilt| one.outcome == RebuildOutcome::NotRebuilt;
        self.rebuilds.iter().any(not_rebuilt)
    }
}

/// Compares the suite, or the one task, at `path` with its lock file. With
/// `rebuilding`, also builds its graders again.
///
/// # Errors
/// There is no task at `path`, or it cannot be read. What is wrong with a task
/// or a lock file is a finding.
pub fn verify(path: &Path, rebuilding: Option<&Rebuilding<'_>>) -> Result<Verified, EngineError> {
    let place = Place::find(path)?;
    let mut verified = Verified {
        lock: place.lock.display().to_string(),
        tasks: place.suite.tasks.len() + place.broken.len(),
        findings: Vec::new(),
        rebuilds: Vec::new(),
    };
    let (mut findings, lock) = place.compare();
    if let Some(lock) = &lock {
        for task in &place.suite.tasks {
            if let Some(locked) = lock.tasks.get(&task.info.id) {
                findings.extend(place.look(task, locked));
            }
        }
        if let Some(rebuilding) = rebuilding {
            verified.rebuilds = rebuilding.all(&place, lock);
        }
    }
    let differing = verified.rebuilds.iter().filter_map(|rebuilt| {
        let differs = rebuilt.outcome == RebuildOutcome::Differs;
        let message = format!("{}: {}", rebuilt.task, rebuilt.message);
        differs.then(|| place.at_key("rebuild", &rebuilt.task, "sha256", message))
    });
    findings.extend(differing);
    findings.sort_by(|a, b| (&a.task, a.level, a.line).cmp(&(&b.task, b.level, b.line)));
    verified.findings = findings;
    Ok(verified)
}

/// What is compared with what.
struct Place {
    suite: Suite,
    /// Tasks that cannot be loaded, and why.
    broken: Vec<(PathBuf, TaskError)>,
    /// The lock file as it is shown.
    lock: PathBuf,
    /// Its text; empty where there is none.
    text: String,
    /// Why it could not be read.
    unreadable: Option<LockError>,
    /// Whether only one task of a suite was named.
    is_single: bool,
    /// The suite's folder, absolute.
    folder: PathBuf,
}

impl Place {
    fn find(path: &Path) -> Result<Self, EngineError> {
        let Found {
            suite,
            broken,
            is_single,
        } = crate::suite::find(path)?;
        let dir = suite.dir.clone();
        let folder = if dir.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            dir
        };
        let folder = folder
            .canonicalize()
            .map_err(EngineError::io("cannot find", &folder))?;
        let lock = suite.dir.join(FILE_NAME);
        let (text, unreadable) = match Lock::text(&lock) {
            Ok(text) => (text.unwrap_or_default(), None),
            Err(error) => (String::new(), Some(error)),
        };
        Ok(Self {
            suite,
            broken,
            lock,
            text,
            unreadable,
            is_single,
            folder,
        })
    }

    /// What the digests say, and the lock file where it can be read.
    fn compare(&self) -> (Vec<Finding>, Option<Lock>) {
        let mut findings: Vec<Finding> = Vec::new();
        for (path, error) in &self.broken {
            findings.extend(error.each().iter().map(|error| invalid(path, error)));
        }
        if let Some(error) = &self.unreadable {
            findings.push(self.whole("lock", 1, error.to_string()));
            return (findings, None);
        }
        if self.text.is_empty() {
            let message = "there is no proctor.lock: nothing says what was reviewed; `proctor lock` \
                           writes one";
            findings.push(self.whole("no_lock", 1, message.to_owned()));
            return (findings, None);
        }
        let shown = self.lock.display().to_string();
        let lock = match Lock::parse(&shown, &self.text) {
            Ok(lock) => lock,
            Err(error) => {
                let line = match &error {
                    LockError::Malformed { line, .. } => *line,
                    _ => 1,
                };
                findings.push(self.whole("lock", line as u64, error.to_string()));
                return (findings, None);
            }
        };
        let differences = if self.is_single {
            let tasks = self.suite.tasks.iter();
            tasks.flat_map(|task| lock.verify_task(task)).collect()
        } else {
            lock.verify(&self.suite)
        };
        // What cannot be loaded is broken, not gone.
        let is_broken = |locked: &str| {
            let mut paths = self.broken.iter().map(|(path, _)| path.file_name());
            paths.any(|name| name.is_some_and(|name| name == locked))
        };
        let kept = differences.into_iter().filter(
            |difference| !matches!(difference, Difference::Gone { path, .. } if is_broken(path)),
        );
        findings.extend(kept.map(|difference| self.difference(difference)));
        (findings, Some(lock))
    }

    fn difference(&self, difference: Difference) -> Finding {
        let mut finding = self.at_key(
            difference.kind(),
            difference.task(),
            difference.key(),
            difference.to_string(),
        );
        if let Difference::NotLocked { id } = &difference
            && let Some(task) = self.suite.tasks.iter().find(|task| task.info.id == *id)
        {
            task.file().clone_into(&mut finding.file);
            finding.line = Some(1);
        }
        finding.difference = Some(difference);
        finding
    }

    /// What can be said about one task without its digests.
    fn look(&self, task: &Task, locked: &LockedTask) -> Vec<Finding> {
        let mut findings = Vec::new();
        let id = &task.info.id;
        let GraderSource::Component(module) = &task.grader else {
            return findings;
        };
        if let Ok(Some(wasm)) = task.read_grader()
            && let Err(fault) = proctor_grading::inspect(&wasm, &ModuleLimits::default())
        {
            let mut finding = self.at_key("refused", id, "module", format!("{id}: {fault}"));
            finding.file = task.pack.shown(&module.path);
            finding.line = None;
            findings.push(finding);
        }
        let warning = |kind, message: String| {
            let mut finding = self.at_key(kind, id, "source_sha256", format!("{id}: {message}"));
            finding.level = Level::Warning;
            finding
        };
        let Some(build) = &locked.build else {
            let message = "nothing says how the grader was built, so nobody can build it again; \
                           `proctor grader build` and `proctor lock` record it";
            findings.push(warning("no_build_record", message.to_owned()));
            return findings;
        };
        findings.extend(
            grader::stale(&self.folder, build).map(|stale| warning("source_changed", stale)),
        );
        findings
    }

    fn at_key(&self, kind: &'static str, id: &str, key: &str, message: String) -> Finding {
        Finding {
            level: Level::Error,
            kind,
            task: Some(id.to_owned()),
            file: self.lock.display().to_string(),
            line: Some(Lock::line(&self.text, id, key) as u64),
            message,
            difference: None,
        }
    }

    fn whole(&self, kind: &'static str, line: u64, message: String) -> Finding {
        Finding {
            level: Level::Error,
            kind,
            task: None,
            file: self.lock.display().to_string(),
            line: Some(line),
            message,
            difference: None,
        }
    }
}

/// A task that cannot be loaded.
fn invalid(path: &Path, error: &TaskError) -> Finding {
    let (file, line) = match error {
        TaskError::Format(error) => (error.place.file.clone(), error.place.line),
        _ => (path.display().to_string(), None),
    };
    Finding {
        level: Level::Error,
        kind: "invalid",
        task: None,
        file,
        line,
        message: error.to_string(),
        difference: None,
    }
}
