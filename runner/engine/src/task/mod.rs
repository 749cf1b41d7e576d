//! Task packs: the format, loading, the digest and the lock file.
//!
//! A task pack is untrusted. Everything it names is looked for inside its own
//! folder, through handles that follow no symbolic link; everything it says is
//! checked before anything uses it; and what was loaded is what was digested.
//!
//! - [`mod@format`] reads one task file, purely.
//! - [`load`], [`load_task`] and [`load_suite`] find tasks and bring in the
//!   files that they name.
//! - [`digest`] says what the SHA-256 of a pack is.
//! - [`lock`] reads, writes and verifies `proctor.lock`.

mod confined;
mod describe;
pub mod digest;
mod error;
pub mod format;
pub mod lock;
mod pack;
mod warning;

#[cfg(test)]
mod docs_tests;
#[cfg(test)]
mod testing;

pub use self::describe::Description;
pub use self::error::TaskError;
pub use self::format::{
    FormatError, Limits, OciReference, PathProblem, Place, Probe, Problem, PythonGrader, Session,
};
pub(crate) use self::pack::is_suite;
pub use self::pack::{
    Fixture, GraderModule, GraderSource, LoadOptions, Pack, SeedDir, Suite, SystemPrompt, Task,
    load, load_suite, load_suite_partly, load_task,
};
pub use self::warning::{Warning, WarningKind};
