//! What can be wrong with a steps file.

use super::{MAX_FILE_BYTES, MAX_STEPS};
use crate::capture::MAX_FILTER_BYTES;

/// A day. A trial is over long before.
pub(super) const MAX_TIMEOUT_SECONDS: u64 = 24 * 3600;

/// What is wrong with a steps file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{path}{}: {problem}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct StepsError {
    /// The file, as it was named to the parser.
    pub path: String,
    /// The line, from 1, where one can be told.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: StepsProblem,
}

/// What is wrong with a steps file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepsProblem {
    /// Too many bytes.
    #[error("the file has more than {MAX_FILE_BYTES} bytes, and a steps file may not")]
    TooLarge,
    /// Not text.
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// Not YAML of the right shape, in the parser's words.
    #[error("{0}; expected `steps:` with a list of steps, each with `say`, `run` or both")]
    Yaml(String),
    /// A key that means nothing here.
    #[error(
        "unknown key `{key}`{}; expected one of {}",
        nearest.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default(),
        known.join(", ")
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that is closest to it, where one is close.
        nearest: Option<String>,
        /// The keys that would do.
        known: Vec<&'static str>,
    },
    /// No steps at all.
    #[error("`steps` is empty: expected at least one step")]
    Empty,
    /// Too many steps.
    #[error("there are {0} steps, and a file may have {MAX_STEPS}")]
    TooMany(usize),
    /// A step without anything to do.
    #[error("step {step} has neither `say` nor `run`: expected one of them, or both")]
    NothingToDo {
        /// The step, from 1.
        step: usize,
    },
    /// A key that only makes sense beside a command.
    #[error("step {step} has `{key}` but no `run`: expected a command for it to apply to")]
    NoCommand {
        /// The step, from 1.
        step: usize,
        /// The key.
        key: &'static str,
    },
    /// A command of nothing but white space.
    #[error("the command of step {step} is empty: expected a shell command after `run:`")]
    EmptyCommand {
        /// The step, from 1.
        step: usize,
    },
    /// A character that no command line can hold.
    #[error("the command of step {step} has a NUL character: expected text without one")]
    Nul {
        /// The step, from 1.
        step: usize,
    },
    /// A time limit out of bounds.
    #[error(
        "`timeout_seconds` of step {step} is {seconds}: expected a whole number from 1 to \
         {MAX_TIMEOUT_SECONDS}"
    )]
    Timeout {
        /// The step, from 1.
        step: usize,
        /// The value.
        seconds: u64,
    },
    /// An exit code that no command has.
    #[error("`expect_exit` of step {step} is {code}: expected a number from 0 to 255")]
    ExitCode {
        /// The step, from 1.
        step: usize,
        /// The value.
        code: i64,
    },
    /// A variable that cannot be written in a template.
    #[error(
        "step {step} captures `{name}`: expected a name of letters, digits and `_` that does not \
         begin with a digit"
    )]
    VariableName {
        /// The step, from 1.
        step: usize,
        /// The name.
        name: String,
    },
    /// A variable that is there already.
    #[error("step {step} captures `{name}`, which is the number of the attempt: take another name")]
    TakenVariable {
        /// The step, from 1.
        step: usize,
        /// The name.
        name: &'static str,
    },
    /// A name that leads away from the steps file, or that is there twice.
    #[error(
        "`files` names `{0}`: expected files and folders beside the steps file, each once, as \
         relative paths without `.` and `..`"
    )]
    FileName(String),
    /// A filter that is empty or too long.
    #[error(
        "the filter for `{name}` in step {step} has {bytes} bytes: expected 1 to \
         {MAX_FILTER_BYTES}"
    )]
    Filter {
        /// The step, from 1.
        step: usize,
        /// The variable.
        name: String,
        /// Length of the filter.
        bytes: usize,
    },
}
