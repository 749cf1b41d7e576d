//! What the engine must know of the machine. The caller looks it up: this
//! crate never reads the environment.

use std::path::{Path, PathBuf};

pub use proctor_grading::CompilerCommand;
use proctor_grading::{Compiler, GraderHost};

use crate::EngineError;
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
    /// The program that speaks MCP on standard input and output in the room.
    pub mcp: Option<PathBuf>,
    /// Directory of agents that were installed.
    pub agents: PathBuf,
    /// Directory of the runner's own programs, where `proctor-loop` is there.
    pub own: Option<PathBuf>,
    /// The program that compiles a grader, in a process of its own.
    pub compiler: CompilerCommand,
    /// Where the Python grader may be, in order; files that are not there are
    /// passed over.
    pub python: Vec<PathBuf>,
    /// Directory of compiled graders, private to the operator.
    pub cache: PathBuf,
    /// Directory for what lives as long as a trial, private to the operator.
    pub scratch: PathBuf,
}

/// Makes sure that the scratch directory is there, is the operator's own and
/// can be written to by nobody else: it may lie in a directory where everybody
/// can create one of that name first.
pub(crate) fn private_scratch(host: &HostConfig) -> Result<&Path, EngineError> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let path = host.scratch.as_path();
    let fail = |error| EngineError::io("cannot use the scratch directory", path)(error);
    match std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o711)
        .create(path)
    {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    let data = std::fs::symlink_metadata(path).map_err(fail)?;
    let ours = rustix::process::geteuid().as_raw();
    // The agent's dedicated user passes through it, and may not list it.
    if !data.is_dir() || data.uid() != ours || data.mode() & 0o022 != 0 {
        let problem = "it belongs to somebody else or others can write to it; remove it";
        return Err(fail(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            problem,
        )));
    }
    Ok(path)
}

/// The grading host of this machine. Where its cache cannot be used it does
/// without, and the second value says so.
pub(crate) fn grading(host: &HostConfig) -> (GraderHost, Option<String>) {
    let config = || proctor_grading::HostConfig::new(Compiler::Child(host.compiler.clone()));
    // A cache in the scratch directory is as private as that is.
    let private = if host.cache.starts_with(&host.scratch) {
        private_scratch(host).map(drop).map_err(|e| e.to_string())
    } else {
        Ok(())
    };
    let cached = GraderHost::new(config().cache(&host.cache));
    match private.and_then(|()| cached.check_cache().map_err(|e| e.to_string())) {
        Ok(()) => (cached, None),
        Err(why) => {
            let warning = format!(
                "graders are compiled again each time, because their cache cannot be used: {why}; \
                 set XDG_CACHE_HOME to a directory of your own"
            );
            (GraderHost::new(config()), Some(warning))
        }
    }
}

/// What loading a task needs to know.
pub(crate) fn load_options() -> LoadOptions<'static> {
    LoadOptions {
        known_services: proctor_services::world::SERVICES,
    }
}
