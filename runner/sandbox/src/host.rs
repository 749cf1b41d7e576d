//! A room without walls, for `--isolation none`: a directory on the host, a
//! process that adopts and ends everything, and nothing that keeps the agent
//! from the rest of the machine.
//!
//! The paths of a real room are mapped into the directory, so that the same
//! binds, files and seeds work; commands are told the real paths through their
//! environment and [`crate::Sandbox::guest_path`].

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use crate::config::{Identity, SandboxConfig};
use crate::error::{ConfigError, SandboxError};
use crate::guest::{self, Paths};
use crate::rundir::RunDir;

/// The directory of a room on the host.
pub(crate) struct HostRoom {
    pub(crate) dir: RunDir,
    pub(crate) paths: Paths,
}

impl HostRoom {
    /// Makes the directory and everything in it.
    pub(crate) fn create(
        config: &SandboxConfig,
        owner: Option<Identity>,
    ) -> Result<Self, SandboxError> {
        let base = config.run_base.as_deref().ok_or_else(|| {
            ConfigError::OnHost("the room needs a directory: set `run_base`".to_owned())
        })?;
        if !config.ports.is_empty() {
            let problem = "there is no network of its own to listen in: `ports` must be empty";
            return Err(ConfigError::OnHost(problem.to_owned()).into());
        }
        let dir =
            RunDir::create(base).map_err(SandboxError::host("cannot make a run directory"))?;
        passable(dir.path(), owner)?;
        let place = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let paths = Paths {
            workspace: place("workspace"),
            home: place("home"),
            tmp: place("tmp"),
            root: place("root"),
        };
        let failed = SandboxError::host;
        for place in [&paths.workspace, &paths.home, &paths.tmp] {
            own_directory(Path::new(place), owner).map_err(failed("cannot make a directory"))?;
        }
        for file in guest::files(config) {
            let place = PathBuf::from(paths.of(&file.path));
            let mode = if file.executable { 0o555 } else { 0o444 };
            put(&place, &file.bytes, mode).map_err(failed("cannot write a file of the room"))?;
        }
        for bind in &config.binds {
            let place = PathBuf::from(paths.of(&bind.target));
            lay(&bind.source, &place, owner)?;
        }
        Ok(Self { dir, paths })
    }
}

fn own_directory(place: &Path, owner: Option<Identity>) -> io::Result<()> {
    std::fs::create_dir(place)?;
    std::fs::set_permissions(place, Permissions::from_mode(0o700))?;
    match owner {
        Some(Identity { uid, gid }) => chown(place, Some(uid), Some(gid)),
        None => Ok(()),
    }
}

fn put(place: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    make_parents(place)?;
    std::fs::write(place, bytes)?;
    std::fs::set_permissions(place, Permissions::from_mode(mode))
}

/// Makes the directories above `place` that are missing, for everybody to
/// enter, whatever the runner's umask.
fn make_parents(place: &Path) -> io::Result<()> {
    let missing: Vec<_> = place
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.exists())
        .collect();
    missing.into_iter().rev().try_for_each(|dir| {
        std::fs::create_dir(dir)?;
        std::fs::set_permissions(dir, Permissions::from_mode(0o755))
    })
}

/// Makes `source` visible at `place`: by a link where the agent can follow it,
/// otherwise by a copy.
fn lay(source: &Path, place: &Path, owner: Option<Identity>) -> Result<(), SandboxError> {
    let failed = SandboxError::host;
    make_parents(place).map_err(failed("cannot make a directory"))?;
    if reachable(source, owner) {
        return symlink(source, place).map_err(failed("cannot make a link"));
    }
    if source.is_dir() {
        let problem = format!(
            "the directory {} cannot be shown to the agent, who may not enter it; move it to \
             where everybody may",
            source.display()
        );
        return Err(ConfigError::OnHost(problem).into());
    }
    std::fs::copy(source, place).map_err(failed("cannot copy a file into the room"))?;
    let mode = std::fs::metadata(place).map_or(0o444, |found| found.permissions().mode());
    // Read and run by everybody, written by nobody.
    let mode = if mode & 0o111 == 0 { 0o444 } else { 0o555 };
    std::fs::set_permissions(place, Permissions::from_mode(mode))
        .map_err(failed("cannot copy a file into the room"))
}

/// Whether everybody may pass every directory above `path` and read it. Used
/// only where the agent becomes somebody else.
fn reachable(path: &Path, owner: Option<Identity>) -> bool {
    owner.is_none()
        || (everybody(path, 0o004) && path.ancestors().skip(1).all(|dir| everybody(dir, 0o001)))
}

fn everybody(path: &Path, bit: u32) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & bit != 0)
}

fn passable(dir: &Path, owner: Option<Identity>) -> Result<(), SandboxError> {
    let closed = dir
        .ancestors()
        .skip(1)
        .find(|above| !everybody(above, 0o001));
    match (owner, closed) {
        (Some(Identity { uid, .. }), Some(above)) => Err(ConfigError::OnHost(format!(
            "the agent runs as user {uid}, who may not enter {}; choose another `run_base`",
            above.display()
        ))
        .into()),
        _ => Ok(()),
    }
}
