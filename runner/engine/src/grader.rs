//! Building graders from source, and compiling them for this machine.

use std::path::Path;

pub use proctor_grading::build::{BuildOptions, BuiltGrader};
pub use proctor_grading::compiler_main;

use crate::EngineError;

/// Compiles the grader crate in `krate` to a component.
///
/// # Errors
/// The crate does not compile, or the machine lacks the target; the error says
/// what to install.
pub fn build(krate: &Path, options: &BuildOptions) -> Result<BuiltGrader, EngineError> {
    Ok(proctor_grading::build::build_grader(krate, options)?)
}
