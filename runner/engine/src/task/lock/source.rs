//! The digest of a grader's source: of the crate's folder and of the
//! `Cargo.lock` that it is built with.
//!
//! It is the SHA-256 of a listing like that of a pack:
//!
//! ```text
//! proctor.source/1
//! lock 9f86d0...b0f00a08
//! - 311 60303a...65fd1ce9 Cargo.toml
//! - 5230 2c26b4...66e7ae src/lib.rs
//! ```
//!
//! Folders named `target` and `.git` are left out. A symbolic link counts with
//! its target as its content and is never followed. What the crate takes from
//! elsewhere in the repository (the SDK) is not in it: that changes the digest
//! of the module, which `proctor verify --rebuild` compares.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::read::{self, Links};
use crate::task::digest::sha256;

/// First line of a listing: its version.
const HEADER: &str = "proctor.source/1";
/// The file that pins the crate's dependencies.
const LOCK: &str = "Cargo.lock";
/// What is no source.
const LEFT_OUT: [&str; 2] = ["target", ".git"];
/// Most files of a crate.
const MAX_FILES: usize = 10_000;
/// Most bytes of one file, and of all of them.
const MAX_BYTES: u64 = 256 << 20;
/// Deepest folder.
const MAX_DEPTH: usize = 32;

/// The digest of the crate in `krate`. Its `Cargo.lock` is the nearest one in
/// `krate` or above, not above `root`. Nothing is run.
///
/// # Errors
/// A file cannot be read, there is no `Cargo.lock`, or there is too much.
pub fn source_sha256(krate: &Path, root: &Path) -> io::Result<String> {
    let lock = lock_of(krate, root)?;
    let bytes = read::regular(&lock, MAX_BYTES, Links::Refuse)?;
    let mut walk = Walk::default();
    walk.folder(krate, "", 0)?;
    let mut text = format!("{HEADER}\nlock {}\n", sha256(&bytes));
    for (path, line) in &walk.files {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line} {path}");
    }
    Ok(sha256(text.as_bytes()))
}

fn lock_of(krate: &Path, root: &Path) -> io::Result<PathBuf> {
    krate
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .map(|folder| folder.join(LOCK))
        .find(|path| path.symlink_metadata().is_ok())
        .ok_or_else(|| {
            let problem = format!("there is no {LOCK} in {} or above", krate.display());
            io::Error::new(io::ErrorKind::NotFound, problem)
        })
}

#[derive(Default)]
struct Walk {
    /// Mode, size and digest by path.
    files: BTreeMap<String, String>,
    bytes: u64,
}

impl Walk {
    fn folder(&mut self, folder: &Path, above: &str, depth: usize) -> io::Result<()> {
        if depth > MAX_DEPTH {
            return Err(too_much("folders", MAX_DEPTH as u64));
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().filter(|name| !name.contains('\n'));
            let name = name.ok_or_else(|| io::Error::other("a file name is no line of UTF-8"))?;
            if LEFT_OUT.contains(&name) {
                continue;
            }
            let path = format!("{above}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folder(&entry.path(), &format!("{path}/"), depth + 1)?;
            } else {
                let line = self.line(&entry.path(), kind)?;
                self.files.insert(path, line);
            }
            if self.files.len() > MAX_FILES {
                return Err(too_much("files", MAX_FILES as u64));
            }
        }
        Ok(())
    }

    fn line(&mut self, path: &Path, kind: fs::FileType) -> io::Result<String> {
        if kind.is_symlink() {
            let target = fs::read_link(path)?;
            let target = target.as_os_str().as_encoded_bytes();
            return Ok(format!("l {} {}", target.len(), sha256(target)));
        }
        let bytes = read::regular(path, MAX_BYTES, Links::Refuse)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(too_much("bytes", MAX_BYTES));
        }
        let may_run = fs::symlink_metadata(path)?.permissions().mode() & 0o100 != 0;
        let mode = if may_run { 'x' } else { '-' };
        Ok(format!("{mode} {} {}", bytes.len(), sha256(&bytes)))
    }
}

fn too_much(what: &str, most: u64) -> io::Error {
    io::Error::other(format!("the crate has more than {most} {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(dir: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    const CRATE: [(&str, &str); 3] = [
        ("Cargo.lock", "version = 4"),
        ("mail/Cargo.toml", "[package]"),
        ("mail/src/lib.rs", "//! A grader."),
    ];

    #[test]
    fn it_depends_on_the_source_and_the_lock_and_on_nothing_else() {
        let digest = |edit: &dyn Fn(&Path)| {
            let dir = tempfile::tempdir().unwrap();
            lay_out(dir.path(), &CRATE);
            edit(dir.path());
            source_sha256(&dir.path().join("mail"), dir.path()).unwrap()
        };
        let whole = digest(&|_| {});
        let same: [&dyn Fn(&Path); 3] = [
            &|dir| lay_out(dir, &[("mail/target/debug/x", "x")]),
            &|dir| lay_out(dir, &[("mail/.git/HEAD", "x")]),
            &|dir| lay_out(dir, &[("other/src/lib.rs", "x")]),
        ];
        for edit in same {
            assert_eq!(digest(edit), whole);
        }
        let other: [&dyn Fn(&Path); 5] = [
            &|dir| lay_out(dir, &[("Cargo.lock", "version = 5")]),
            &|dir| lay_out(dir, &[("mail/src/lib.rs", "//! Another.")]),
            &|dir| lay_out(dir, &[("mail/src/more.rs", "")]),
            &|dir| std::os::unix::fs::symlink("/etc/passwd", dir.join("mail/link")).unwrap(),
            &|dir| {
                let file = dir.join("mail/src/lib.rs");
                fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
            },
        ];
        for (at, edit) in other.iter().enumerate() {
            assert_ne!(digest(edit), whole, "{at}");
        }
    }

    #[test]
    fn the_nearest_lock_counts_and_none_above_the_root() {
        let dir = tempfile::tempdir().unwrap();
        lay_out(dir.path(), &CRATE);
        let krate = dir.path().join("mail");
        let error = source_sha256(&krate, &krate).unwrap_err().to_string();
        assert!(error.contains("no Cargo.lock"), "{error}");
        let above = source_sha256(&krate, dir.path()).unwrap();
        lay_out(dir.path(), &[("mail/Cargo.lock", "own")]);
        assert_ne!(source_sha256(&krate, dir.path()).unwrap(), above);
    }

    #[test]
    fn pipes_and_links_to_devices_are_not_waited_for() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        let dir = tempfile::tempdir().unwrap();
        lay_out(dir.path(), &CRATE);
        let krate = dir.path().join("mail");
        mkfifoat(CWD, krate.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        assert!(source_sha256(&krate, dir.path()).is_err());
    }
}
