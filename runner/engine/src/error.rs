//! What can stop a job before or between its trials.
//!
//! What goes wrong inside a trial is no error here: it is the trial's
//! [`crate::record::Outcome`] and [`crate::record::Failure`].

use std::io;
use std::path::{Path, PathBuf};

use proctor_agents::SpecError;

use crate::task::lock::LockError;

/// A job could not be run or recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A task pack is not valid.
    #[error(transparent)]
    Task(#[from] crate::task::TaskError),
    /// The lock file cannot be used, or does not fit the suite.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The seed of a task's world is not valid.
    #[error("{seed}/{error}")]
    Seed {
        /// The seed's folder.
        seed: String,
        /// What is wrong with it.
        error: proctor_services::SeedError,
        /// What to do.
        hint: String,
    },
    /// The named agent does not exist or cannot be used for the task.
    #[error("{0}")]
    Agent(String),
    /// What the operator asks for cannot be asked for.
    #[error("{message}")]
    Usage {
        /// What is wrong with it.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The solution of a task is no steps file.
    #[error(transparent)]
    Solution(#[from] proctor_agents::steps::StepsError),
    /// What the solution of a task is to bring into the room is not to be had.
    #[error("{steps}: {error}")]
    Brought {
        /// The steps file.
        steps: String,
        /// What is wrong.
        error: proctor_agents::steps::BroughtError,
    },
    /// A program that a task needs is not installed.
    #[error("{task} needs `{program}`, which is not on this machine ({looked})")]
    MissingPrerequisite {
        /// Task that needs it.
        task: String,
        /// Name of the program.
        program: String,
        /// Where it was looked for.
        looked: String,
    },
    /// What the operator wants to put into the agent's room cannot be there.
    #[error("--tool {}: {problem}", tool.display())]
    Tool {
        /// What was given.
        tool: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A task asks for something that this version cannot do.
    #[error("{file}: {what}")]
    Unsupported {
        /// The task file.
        file: String,
        /// What it asks for.
        what: &'static str,
    },
    /// A world cannot be served.
    #[error("{0}")]
    Serve(String),
    /// A grader cannot be built.
    #[error(transparent)]
    Build(#[from] proctor_grading::build::BuildError),
    /// The agent cannot be isolated on this machine.
    #[error("this machine cannot isolate an agent: {0}")]
    Isolation(String),
    /// Another runner works in the directory.
    #[error("{} is in use by another proctor (process {pid})", dir.display())]
    Busy {
        /// The job directory.
        dir: PathBuf,
        /// The other runner, as far as it said who it is.
        pid: String,
    },
    /// The directory holds something already.
    #[error("{} already holds {found}", dir.display())]
    Occupied {
        /// The directory.
        dir: PathBuf,
        /// What was found in it.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// What was to be graded is no trial.
    #[error("{0}")]
    NoTrial(String),
    /// The evidence is not what its manifest says.
    #[error("{0}")]
    Evidence(String),
    /// The grader was refused or failed.
    #[error("{message}")]
    Grader {
        /// Kind, for scripts.
        kind: String,
        /// What happened.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// What runs graders on this machine failed. Says nothing about a grader.
    #[error("{message}")]
    Host {
        /// Kind, for scripts.
        kind: String,
        /// What happened.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A file could not be read or written.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, as `cannot write`.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl EngineError {
    /// For `map_err`: what was tried on which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Task(_) => Some("docs/task-format.md describes every key and section".to_owned()),
            Self::Lock(LockError::OtherGrader { .. }) => {
                Some("with --unlocked it grades all the same, and every report says so".to_owned())
            }
            Self::Lock(LockError::Malformed { .. }) => Some(
                "mend the line; or remove the file, and `proctor lock` writes one in which every \
                 task is new"
                    .to_owned(),
            ),
            Self::Lock(_) => Some(
                "review what changed, then run `proctor lock` in the suite to record it".to_owned(),
            ),
            Self::Unsupported { .. } => {
                Some("docs/task-format.md says what this version runs".to_owned())
            }
            Self::Seed { hint, .. } => Some(hint.clone()),
            Self::Agent(_) | Self::Solution(_) | Self::Brought { .. } => {
                Some("docs/agents.md describes agents and steps files".to_owned())
            }
            Self::MissingPrerequisite { program, .. } => Some(format!(
                "install `{program}` and put it on PATH; `make demo` in Proctor's checkout \
                 installs what its own tasks need"
            )),
            Self::Tool { .. } => Some("docs/agents.md says what --tool takes".to_owned()),
            Self::Isolation(_) => Some(
                "`--isolation none` runs the agent as an ordinary process with your rights; every \
                 report made under it says so"
                    .to_owned(),
            ),
            Self::Busy { .. } => Some("wait for it, or give another --out".to_owned()),
            Self::Occupied { remedy, .. } => Some(format!("nothing was changed; {remedy}")),
            Self::NoTrial(_) => Some(
                "give the directory of a trial: it holds `evidence/` and `trial.json`; a task is \
                 graded on a folder with --workspace and --transcript"
                    .to_owned(),
            ),
            Self::Grader { hint, .. } | Self::Host { hint, .. } | Self::Usage { hint, .. } => {
                hint.clone()
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some(disk_full())
            }
            Self::Io { .. } | Self::Evidence(_) | Self::Serve(_) | Self::Build(_) => None,
        }
    }
}

/// An agent that cannot be what the operator wrote.
pub(crate) fn unusable(error: SpecError) -> EngineError {
    match error {
        SpecError::Unreadable { what, path, source } => {
            let action = match what {
                "adapter" => "cannot read the adapter",
                _ => "cannot read the steps file",
            };
            EngineError::io(action, path.as_ref())(source)
        }
        error => EngineError::Agent(chain(&error)),
    }
}

/// What to do about a full disk.
pub(crate) fn disk_full() -> String {
    "the disk is full: make room and run again".to_owned()
}

impl From<&proctor_grading::GradeError> for EngineError {
    fn from(error: &proctor_grading::GradeError) -> Self {
        use proctor_grading::Blame;
        let (kind, message) = (error.kind().to_owned(), error.to_string());
        let hint = error.hint().map(str::to_owned);
        match error.blame() {
            Blame::Evidence => Self::Evidence(message),
            Blame::Host => Self::Host {
                kind,
                message,
                hint,
            },
            Blame::Grader => Self::Grader {
                kind,
                message,
                hint,
            },
        }
    }
}

/// An error and its causes on one line, without a cause that only repeats what
/// stands before it.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use proctor_grading::Fault;

    use super::*;

    #[test]
    fn a_failure_of_the_host_is_not_told_as_the_graders() {
        let error = |fault: Fault| EngineError::from(&fault.into());
        let ours = error(Fault::Internal {
            detail: "no thread".to_owned(),
        });
        assert!(matches!(&ours, EngineError::Host { kind, .. } if kind == "internal"));
        let theirs = error(Fault::StackOverflow);
        assert!(matches!(&theirs, EngineError::Grader { hint: Some(_), .. }));
    }
}
