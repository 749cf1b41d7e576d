//! The agent's workspace, from the runner's side.
//!
//! In a room it is a memory file system that the runner reaches through one
//! descriptor only: there is no path to it on the host, and it stays readable
//! after the room has ended, until the descriptor is closed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use crate::collect::{CollectCaps, Sink, collect};
use crate::config::Identity;
use crate::error::{CollectError, SandboxError, SeedError, SeedProblem};
use proctor_types::WorkspaceListing;

/// How every path of a workspace is resolved: below its directory, through
/// nothing but directories of the same file system.
pub(crate) fn beneath() -> ResolveFlags {
    ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV
}

/// The directory that the agent works in.
#[derive(Debug)]
pub struct Workspace {
    dir: OwnedFd,
    /// Who owns what is put there, where it is not the runner itself.
    owner: Option<Identity>,
}

impl Workspace {
    pub(crate) fn new(dir: OwnedFd, owner: Option<Identity>) -> Self {
        Self { dir, owner }
    }

    /// Another handle of the same directory.
    pub fn try_clone(&self) -> Result<Self, SandboxError> {
        let dir = self
            .dir
            .try_clone()
            .map_err(SandboxError::host("cannot copy a descriptor"))?;
        Ok(Self {
            dir,
            owner: self.owner,
        })
    }

    /// Puts a new file at `path`, relative to the workspace, with permission
    /// bits `mode`, and makes its parent directories (0755).
    ///
    /// Refuses paths that leave the workspace or go through a symbolic link,
    /// and never writes over anything.
    pub fn seed(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), SeedError> {
        let _as_owner = FileOwner::assume(self.owner);
        self.write(path, bytes, mode).map_err(|problem| SeedError {
            path: path.chars().take(200).collect(),
            problem,
        })
    }

    /// Makes an empty directory (0755), and its parents, where there is none.
    pub fn seed_dir(&self, path: &str) -> Result<(), SeedError> {
        let _as_owner = FileOwner::assume(self.owner);
        check(path)
            .and_then(|()| self.directories(path).map(drop))
            .map_err(|problem| SeedError {
                path: path.chars().take(200).collect(),
                problem,
            })
    }

    fn write(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), SeedProblem> {
        check(path)?;
        let (parent, name) = match path.rsplit_once('/') {
            Some((parent, name)) => (Some(self.directories(parent)?), name),
            None => (None, path),
        };
        let parent = parent.as_ref().map_or(self.dir.as_fd(), AsFd::as_fd);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat2(parent, name, flags, Mode::from_raw_mode(0o600), beneath())?;
        let mut file = File::from(file);
        file.write_all(bytes)?;
        // Not through open(2), which takes the runner's umask off.
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o777))?;
        Ok(())
    }

    /// Opens `path` below the workspace, making what is missing.
    fn directories(&self, path: &str) -> Result<OwnedFd, SeedProblem> {
        let mut dir = None::<OwnedFd>;
        for name in path.split('/') {
            let at = dir.as_ref().map_or(self.dir.as_fd(), AsFd::as_fd);
            match rustix::fs::mkdirat(at, name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            dir = Some(openat2(at, name, flags, Mode::empty(), beneath())?);
        }
        dir.ok_or(SeedProblem::Path)
    }

    /// Lists the workspace and hands every regular file to `sink`. See
    /// [`collect`]. Blocks for as long as reading takes.
    pub fn collect(
        &self,
        caps: &CollectCaps,
        sink: &mut Sink<'_>,
    ) -> Result<WorkspaceListing, CollectError> {
        collect(self.as_fd(), caps, sink)
    }
}

impl AsFd for Workspace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

fn check(path: &str) -> Result<(), SeedProblem> {
    let good = !path.contains('\0')
        && path.len() <= 4000
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if good { Ok(()) } else { Err(SeedProblem::Path) }
}

impl From<Errno> for SeedProblem {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::EXIST => Self::Exists,
            Errno::LOOP | Errno::NOTDIR | Errno::XDEV => Self::NotADirectory,
            Errno::NOSPC | Errno::DQUOT => Self::Full,
            other => Self::Io(other.into()),
        }
    }
}

impl From<io::Error> for SeedProblem {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => Self::Io(error),
        }
    }
}

/// Makes files as another user for as long as it lives, on this thread only.
///
/// The workspace is a file system of the room's user namespace, which knows
/// root of the host only as nobody: files that root makes there would fail
/// with `EOVERFLOW`.
struct FileOwner(Option<(nix::unistd::Uid, nix::unistd::Gid)>);

impl FileOwner {
    fn assume(owner: Option<Identity>) -> Self {
        Self(owner.map(|Identity { uid, gid }| {
            // The group first: it takes root to set it.
            let group = nix::unistd::setfsgid(nix::unistd::Gid::from_raw(gid));
            (
                nix::unistd::setfsuid(nix::unistd::Uid::from_raw(uid)),
                group,
            )
        }))
    }
}

impl Drop for FileOwner {
    fn drop(&mut self) {
        if let Some((user, group)) = self.0 {
            nix::unistd::setfsuid(user);
            nix::unistd::setfsgid(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(dir: &tempfile::TempDir) -> Workspace {
        Workspace::new(File::open(dir.path()).unwrap().into(), None)
    }

    #[test]
    fn files_get_their_parents_and_their_mode() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(&dir);
        workspace.seed("a/b/run.sh", b"#!/bin/sh\n", 0o755).unwrap();
        workspace.seed("a/b/data", b"x", 0o666).unwrap();
        workspace.seed_dir("a/empty").unwrap();
        workspace.seed_dir("a/empty").unwrap();
        let mode = |path: &str| {
            std::fs::metadata(dir.path().join(path))
                .unwrap()
                .permissions()
                .mode()
                & 0o7777
        };
        assert_eq!(
            (mode("a/b/run.sh"), mode("a/b/data"), mode("a")),
            (0o755, 0o666, 0o755)
        );
        assert_eq!(
            std::fs::read(dir.path().join("a/b/run.sh")).unwrap(),
            b"#!/bin/sh\n"
        );
        assert!(dir.path().join("a/empty").is_dir());
    }

    #[test]
    fn no_path_leads_out_or_over_something() {
        let outside = tempfile::tempdir().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(&dir);
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("new"), dir.path().join("dangling"))
            .unwrap();
        workspace.seed("taken", b"", 0o644).unwrap();
        // Not even one that stays inside.
        workspace.seed_dir("real").unwrap();
        std::os::unix::fs::symlink("real", dir.path().join("inside")).unwrap();
        for path in [
            "",
            "/etc/x",
            "../x",
            "a/../../x",
            "a//b",
            "a/",
            "./a",
            "a\0b",
        ] {
            let error = workspace.seed(path, b"x", 0o644).unwrap_err();
            assert!(
                matches!(error.problem, SeedProblem::Path),
                "{path:?}: {error}"
            );
        }
        for path in ["link/x", "taken/x", "inside/x"] {
            let error = workspace.seed(path, b"x", 0o644).unwrap_err();
            assert!(
                matches!(error.problem, SeedProblem::NotADirectory),
                "{path:?}: {error}"
            );
        }
        for path in ["taken", "link", "dangling"] {
            let error = workspace.seed(path, b"x", 0o644).unwrap_err();
            assert!(
                matches!(error.problem, SeedProblem::Exists),
                "{path:?}: {error}"
            );
        }
        assert!(workspace.seed_dir("inside/x").is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        assert_eq!(
            std::fs::read_dir(dir.path().join("real")).unwrap().count(),
            0
        );
    }
}
