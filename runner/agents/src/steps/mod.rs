//! The steps file: what a scripted agent says and runs.
//!
//! ```yaml
//! steps:
//!   - say: First the open mail.
//!     run: |
//!       gws gmail users messages list --params '{"userId": "me"}'
//!     capture:
//!       first: .messages[0].id
//!   - run: |
//!       gws gmail users messages get --params '{"userId": "me", "id": "{{first}}"}'
//!     timeout_seconds: 20
//!     expect_exit: 0
//!   - say: That is all.
//! ```
//!
//! | key | meaning |
//! | --- | --- |
//! | `say` | text of the agent's message; alone, a message without a command |
//! | `run` | command line for `bash -c`, in the workspace |
//! | `timeout_seconds` | time for the command, 60 by default; after it the room kills the command and may kill all else that runs in it |
//! | `capture` | variables for later steps: name and jq filter over the command's standard output, which must be one JSON document ([`crate::capture`]) |
//! | `expect_exit` | exit code without which the agent has failed; otherwise any will do |
//!
//! `{{name}}` in a later `say`, `run` or filter stands for the captured text. The
//! substitution is **textual**: the shell reads the value as part of the
//! command line, quotes, dollar signs and all, and so does jq. Put a placeholder
//! between single quotes only where the value cannot contain one, as identifiers
//! cannot; hand anything else over in a file. `\{{name}}` stands for `{{name}}`
//! itself. Braces around anything but a plain name are left alone. `{{attempt}}`,
//! the number of the attempt, is there from the beginning.
//!
//! Beside `steps`, a file can have `files`: names of files and folders that lie
//! beside it. They are in the room, read-only, in the folder `$PROCTOR_STEPS`
//! ([`ENV_FILES`]). `$PROCTOR_ATTEMPT` ([`ENV_ATTEMPT`]) is the number of the
//! attempt.

mod error;
mod files;
mod parse;
mod template;

use std::time::Duration;

pub use error::{StepsError, StepsProblem};
pub(crate) use files::read as read_files;
pub use files::{Brought, BroughtError, BroughtFile, MAX_BROUGHT_BYTES, MAX_BROUGHT_FILES};
pub use template::{TemplateError, Variables};

/// Bytes that a steps file may have.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Steps that a file may have.
pub const MAX_STEPS: usize = 500;
/// Time of a command whose step names none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// Variable with the number of the attempt, from 0.
pub const ENV_ATTEMPT: &str = "PROCTOR_ATTEMPT";
/// Variable with the folder of the files that the steps file brings.
pub const ENV_FILES: &str = "PROCTOR_STEPS";
/// Name of the variable of templates that is the number of the attempt.
pub const ATTEMPT: &str = "attempt";

/// A steps file, parsed and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    pub(crate) list: Vec<Step>,
    pub(crate) files: Vec<String>,
    pub(crate) source: Vec<u8>,
}

impl Steps {
    /// Parses the steps file `bytes`. `path` is for messages only.
    ///
    /// # Errors
    /// With the line, what is wrong there and what was expected.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, StepsError> {
        parse::parse(path, bytes)
    }

    /// What it brings into the room: paths of files and folders, relative to the
    /// folder of the steps file.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none. A parsed file has at least one.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) say: Option<String>,
    pub(crate) command: Option<CommandStep>,
}

/// The command of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandStep {
    pub(crate) run: String,
    pub(crate) timeout: Duration,
    /// Variable and filter, in the order of the file.
    pub(crate) capture: Vec<(String, String)>,
    pub(crate) expect_exit: Option<i32>,
}
