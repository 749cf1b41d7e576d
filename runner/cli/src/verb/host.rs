//! What the engine must know of this machine. The one place that reads the
//! environment.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proctor_engine::host::{CompilerCommand, HostConfig};

/// Looks around.
pub(crate) fn host() -> anyhow::Result<HostConfig> {
    let program = env::current_exe().context("cannot find out which program this is")?;
    let beside = |name: &str| companion(&program, name);
    let places = agent_places()?;
    Ok(HostConfig {
        search: places.path,
        init: beside("proctor-init").with_context(|| {
            format!(
                "cannot find proctor-init beside {}; build or install both",
                program.display()
            )
        })?,
        capture: beside("proctor-capture"),
        mcp: beside("proctor-mcp"),
        agents: places.cache,
        own: places.own,
        python: python(&program),
        cache: cache(),
        scratch: scratch(),
        compiler: CompilerCommand {
            args: vec![OsString::from(super::compile::ARGUMENT)],
            program,
        },
    })
}

/// Where agents may be installed.
#[derive(Debug, Clone)]
pub(crate) struct AgentPlaces {
    /// Where `proctor agent install` puts them.
    pub(crate) cache: PathBuf,
    /// The folders of the `PATH`.
    pub(crate) path: Vec<PathBuf>,
    /// Where this program's own companions are.
    pub(crate) own: Option<PathBuf>,
}

/// Looks where agents may be.
pub(crate) fn agent_places() -> anyhow::Result<AgentPlaces> {
    let program = env::current_exe().context("cannot find out which program this is")?;
    let own = companion(&program, "proctor-loop");
    Ok(AgentPlaces {
        cache: user_cache().unwrap_or_else(scratch).join("agents"),
        path: search(),
        own: own.and_then(|path| path.parent().map(Path::to_owned)),
    })
}

/// The folders of the `PATH`.
fn search() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .collect()
}

/// A program that is installed beside this one. Test programs stand one folder
/// below it.
fn companion(program: &Path, name: &str) -> Option<PathBuf> {
    program
        .ancestors()
        .skip(1)
        .take(2)
        .map(|dir| dir.join(name))
        .find(|path| path.is_file())
}

/// Where the Python grader may be: what the environment says, or beside this
/// program, or in the folder above (`make python` puts it there in a checkout),
/// or in the cache.
fn python(program: &Path) -> Vec<PathBuf> {
    const NAME: &str = "proctor-python.wasm";
    if let Some(path) = env::var_os("PROCTOR_PYTHON_GRADER").filter(|path| !path.is_empty()) {
        return vec![path.into()];
    }
    let beside = program.ancestors().skip(1).take(3);
    beside
        .map(Path::to_owned)
        .chain(user_cache())
        .map(|dir| dir.join(NAME))
        .collect()
}

/// Where compiled graders are kept. Without a home that is the scratch
/// directory: of temporary directories it is the one that is this user's own.
fn cache() -> PathBuf {
    user_cache().unwrap_or_else(scratch).join("modules")
}

/// The folder for what this program can make again, where the user has one.
fn user_cache() -> Option<PathBuf> {
    let absolute = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("proctor"))
}

/// Where rooms leave their traces while they are open: gone after a reboot,
/// writable by this user alone.
fn scratch() -> PathBuf {
    let base = env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_dir())
        .unwrap_or_else(env::temp_dir);
    base.join(format!("proctor-{}", user()))
}

fn user() -> String {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").map_or_else(|_| "0".to_owned(), |data| data.uid().to_string())
}
