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
    let search: Vec<PathBuf> = env::var_os("PATH")
        .map(|path| {
            env::split_paths(&path)
                .filter(|dir| dir.is_absolute())
                .collect()
        })
        .unwrap_or_default();
    Ok(HostConfig {
        search,
        init: beside("proctor-init").with_context(|| {
            format!(
                "cannot find proctor-init beside {}; build or install both",
                program.display()
            )
        })?,
        capture: beside("proctor-capture"),
        cache: cache(),
        scratch: scratch(),
        compiler: CompilerCommand {
            args: vec![OsString::from(super::compile::ARGUMENT)],
            program,
        },
    })
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

/// Where compiled graders are kept. Without a home that is the scratch
/// directory: of temporary directories it is the one that is this user's own.
fn cache() -> PathBuf {
    let absolute = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map_or_else(scratch, |cache| cache.join("proctor"))
        .join("modules")
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
