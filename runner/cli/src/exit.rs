//! Exit codes: a public, documented type (docs/exit-codes.md is made from it).

use std::process::ExitCode;

use proctor_engine::EngineError;
use proctor_engine::grader::BuildError;
use proctor_engine::task::TaskError;
use proctor_engine::task::lock::LockError;

/// How `proctor` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It did what it was asked to do. Says nothing about an agent's score.
    Done = 0,
    /// A check found a difference.
    CheckFailed = 1,
    /// The command line is not valid.
    Usage = 2,
    /// A task pack is not valid, or needs something that is not there.
    Task = 3,
    /// A grader was refused or failed: at least one trial is `ungraded`.
    Grader = 4,
    /// A module or pack is not the one in `proctor.lock`.
    Integrity = 5,
    /// Sandbox, service or upstream failed: at least one trial is
    /// `infrastructure`.
    Infrastructure = 6,
    /// This machine cannot isolate an agent.
    Isolation = 7,
    /// The output directory is in use or holds something already.
    Busy = 8,
    /// A file could not be read or written.
    Io = 9,
    /// The evidence is not what its manifest says.
    Evidence = 10,
    /// Interrupted by the operator.
    Interrupted = 130,
}

impl Exit {
    /// Every code, in order.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Done,
        Self::CheckFailed,
        Self::Usage,
        Self::Task,
        Self::Grader,
        Self::Integrity,
        Self::Infrastructure,
        Self::Isolation,
        Self::Busy,
        Self::Io,
        Self::Evidence,
        Self::Interrupted,
    ];

    /// What the code says, in a line.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done; says nothing about an agent's score",
            Self::CheckFailed => "a check found a difference",
            Self::Usage => "the command line is not valid",
            Self::Task => "a task pack is not valid, or needs something that is not there",
            Self::Grader => "a grader was refused or failed; at least one trial is `ungraded`",
            Self::Integrity => "a module or pack is not the one in proctor.lock",
            Self::Infrastructure => {
                "sandbox, service or upstream failed; at least one trial is `infrastructure`"
            }
            Self::Isolation => "this machine cannot isolate an agent",
            Self::Busy => "the output directory is in use or holds something already",
            Self::Io => "a file could not be read or written",
            Self::Evidence => "the evidence is not what its manifest says",
            Self::Interrupted => "interrupted by the operator",
        }
    }

    /// The code for an error of the engine.
    pub(crate) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Task(error) if unreadable(error) => Self::Io,
            EngineError::Build(BuildError::NoCrate { .. }) => Self::Usage,
            EngineError::Build(BuildError::File { .. }) => Self::Io,
            EngineError::Task(_)
            | EngineError::Solution(_)
            | EngineError::Brought { .. }
            | EngineError::Seed { .. }
            | EngineError::Unsupported { .. }
            | EngineError::Build(_)
            | EngineError::Lock(LockError::NotBuilt { .. })
            | EngineError::MissingPrerequisite { .. } => Self::Task,
            EngineError::Tool { .. } | EngineError::Usage { .. } | EngineError::Agent(_) => {
                Self::Usage
            }
            EngineError::Lock(LockError::Refused { .. }) => Self::Grader,
            EngineError::Lock(_) => Self::Integrity,
            EngineError::Isolation(_) => Self::Isolation,
            EngineError::Busy { .. } | EngineError::Occupied { .. } => Self::Busy,
            EngineError::Evidence(_) | EngineError::NoTrial(_) => Self::Evidence,
            EngineError::Grader { kind, .. } if kind == "digest_mismatch" => Self::Integrity,
            EngineError::Grader { .. } => Self::Grader,
            EngineError::Host { .. } => Self::Infrastructure,
            _ => Self::Io,
        }
    }
}

/// Whether nothing is wrong with the tasks but that they cannot be read.
fn unreadable(error: &TaskError) -> bool {
    error
        .each()
        .iter()
        .all(|error| matches!(error, TaskError::Io { .. }))
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Carries an exit code that is not an error message's through `anyhow`.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.meaning())]
pub(crate) struct Ended(pub Exit);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_on_exit_codes_names_every_code() {
        let page = include_str!("../../../docs/exit-codes.md");
        for exit in Exit::ALL {
            let row = format!("| {} | {} |", exit as u8, exit.meaning());
            assert!(
                page.contains(&row),
                "docs/exit-codes.md lacks the row\n{row}"
            );
        }
        assert_eq!(
            page.lines().filter(|line| line.starts_with("| ")).count(),
            Exit::ALL.len() + 2
        );
    }
}
