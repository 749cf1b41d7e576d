//! One directory per open room, so that a runner that was killed leaves a
//! trace which the next one can find, name and remove.
//!
//! A room itself dies with its runner and leaves nothing: its file systems are
//! in memory and its mounts are in its own namespace. What can be left is this
//! directory, and in it, for rooms without isolation, the agent's files.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the names of run directories start with.
const PREFIX: &str = "proctor-room-";

/// The directory of one open room: `proctor-room-PID-START-NUMBER`, where
/// START is when the runner was started, in clock ticks since boot. Removed
/// when dropped.
#[derive(Debug)]
pub(crate) struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Makes a directory that is new under `base`. Others may pass through it
    /// but not list it.
    pub(crate) fn create(base: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        std::fs::create_dir_all(base)?;
        let pid = std::process::id();
        let start = start_time(pid).ok_or(io::ErrorKind::NotFound)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{PREFIX}{pid}-{start}-{number}"));
            match std::fs::DirBuilder::new().mode(0o711).create(&path) {
                // Left by a runner of the same number and second in another
                // process namespace that shares the directory.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    // Whatever the umask took off.
                    std::fs::set_permissions(&path, Permissions::from_mode(0o711))?;
                    return Ok(Self { path });
                }
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove a run directory");
        }
    }
}

/// What a runner that is gone left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The run directory.
    pub path: PathBuf,
    /// Process number of the runner that made it.
    pub runner: u32,
    /// Whether the agent's files are in it (a room without isolation).
    pub has_files: bool,
}

/// Run directories under `base` whose runner is gone, in order of path. A base
/// that does not exist has none.
pub fn leftovers(base: &Path) -> io::Result<Vec<Leftover>> {
    let entries = match std::fs::read_dir(base) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some((runner, start)) = name.to_str().and_then(parse) else {
            continue;
        };
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A number that is used again belongs to a process of another time.
        if is_directory && start_time(runner) != Some(start) {
            let path = entry.path();
            let has_files =
                std::fs::read_dir(&path).is_ok_and(|mut inside| inside.next().is_some());
            found.push(Leftover {
                path,
                runner,
                has_files,
            });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Removes what [`leftovers`] found.
pub fn sweep(found: &[Leftover]) -> io::Result<()> {
    found.iter().try_for_each(|leftover| remove(&leftover.path))
}

fn parse(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(PREFIX)?.split('-');
    let (runner, start, _number) = (
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse::<u64>().ok()?,
    );
    parts.next().is_none().then_some((runner, start))
}

/// Removes a tree that the agent may have made unreadable. Follows no link.
fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            std::fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Gives the owner every right on every directory of the tree.
fn open_up(top: &Path) -> io::Result<()> {
    let mut open = vec![top.to_owned()];
    while let Some(dir) = open.pop() {
        std::fs::set_permissions(&dir, Permissions::from_mode(0o700))?;
        for entry in std::fs::read_dir(&dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}

/// When a process was started, in clock ticks since boot: field 22 of
/// `/proc/PID/stat`, the 20th after the name.
fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_runner_left_is_found_and_swept() {
        let base = tempfile::tempdir().unwrap();
        let alive = RunDir::create(base.path()).unwrap();
        let pid = std::process::id();
        let start = start_time(pid).unwrap();
        // The same number at another time, and a number that nobody has.
        let reused = base.path().join(format!("{PREFIX}{pid}-{}-1", start + 1));
        let dead = base.path().join(format!("{PREFIX}4194305-17-2"));
        std::fs::create_dir(&reused).unwrap();
        std::fs::create_dir_all(dead.join("workspace/locked")).unwrap();
        std::fs::write(dead.join("workspace/locked/a"), "x").unwrap();
        let locked = dead.join("workspace/locked");
        std::fs::set_permissions(locked, Permissions::from_mode(0o000)).unwrap();
        for other in ["proctor-room-x", "proctor-room-1-2-3-4", "notes"] {
            std::fs::create_dir(base.path().join(other)).unwrap();
        }

        let found = leftovers(base.path()).unwrap();
        let paths: Vec<_> = found.iter().map(|leftover| leftover.path.clone()).collect();
        let mut expected = vec![reused.clone(), dead.clone()];
        expected.sort();
        assert_eq!(paths, expected);
        assert!(
            found
                .iter()
                .all(|leftover| leftover.has_files == (leftover.path == dead))
        );

        sweep(&found).unwrap();
        sweep(&found).unwrap();
        assert!(!reused.exists() && !dead.exists() && alive.path().exists());
        assert!(base.path().join("notes").exists());
        assert!(leftovers(base.path()).unwrap().is_empty());
    }

    #[test]
    fn a_run_directory_goes_with_its_room_and_a_missing_base_is_empty() {
        let base = tempfile::tempdir().unwrap();
        let dir = RunDir::create(&base.path().join("new")).unwrap();
        let path = dir.path().to_owned();
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o711
        );
        drop(dir);
        assert!(!path.exists());
        assert!(leftovers(&base.path().join("nowhere")).unwrap().is_empty());
    }
}
