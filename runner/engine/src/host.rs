//! What the engine must know of the machine. The caller looks it up: this
//! crate never reads the environment.

use std::path::PathBuf;

pub use proctor_grading::CompilerCommand;
use proctor_grading::{Compiler, GraderHost};

use crate::task::LoadOptions;

/// Where things are on this machine.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// Directories in which programs are looked for, in order (PATH).
    pub search: Vec<PathBuf>,
    /// The init of the sandbox.
    pub init: PathBuf,
    /// The filter program that steps files use to take values from outputs.
    pub capture: Option<PathBuf>,
    /// The program that compiles a grader, in a process of its own.
    pub compiler: CompilerCommand,
    /// Directory of compiled graders, private to the operator.
    pub cache: PathBuf,
    /// Directory for what lives as long as a trial.
    pub scratch: PathBuf,
}

/// The grading host of this machine.
pub(crate) fn grading(host: &HostConfig) -> GraderHost {
    let compiler = Compiler::Child(host.compiler.clone());
    GraderHost::new(proctor_grading::HostConfig::new(compiler).cache(&host.cache))
}

/// What loading a task needs to know.
pub(crate) fn load_options() -> LoadOptions<'static> {
    LoadOptions {
        known_services: proctor_services::world::SERVICES,
    }
}
