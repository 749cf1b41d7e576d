//! The digest of a task pack.
//!
//! A pack is the set of its regular files: for each its path, whether it may
//! be executed, its size and the SHA-256 of its bytes. The digest is the
//! SHA-256 of a canonical listing of them:
//!
//! ```text
//! proctor.pack/1
//! - 1042 9f86d0...b0f00a08 seed/google/tasks.json
//! x 311 60303a...65fd1ce9 solution/oracle.sh
//! ```
//!
//! Lines are sorted by the bytes of the path and end with a line feed; `x`
//! means that the owner may execute the file, which is what git keeps of a
//! mode. Nothing else goes in: no times, owners, directories, or order of the
//! file system. Paths cannot contain line feeds (such packs are refused), so
//! two different packs never have the same listing.
//!
//! Every file counts, hidden ones and editor backups too: a file that the
//! runner could read but the digest did not cover could be changed unnoticed.
//! The only exception is a `proctor.lock` in the pack's own folder, which
//! would have to contain its own digest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};

use cap_std::fs::Dir;
use sha2::{Digest as _, Sha256};

use super::confined::{self, Kind};
use super::error::TaskError;
use super::format::portable;

/// First line of a listing: its version.
const HEADER: &str = "proctor.pack/1";
/// Most files of a pack.
pub const MAX_FILES: usize = 10_000;
/// Most bytes of one file.
pub const MAX_FILE_BYTES: u64 = 256 << 20;
/// Most bytes of a pack.
pub const MAX_PACK_BYTES: u64 = 1 << 30;
/// Deepest folder.
const MAX_DEPTH: usize = 32;
/// Not part of the pack.
const LOCK_FILE: &str = super::lock::FILE_NAME;

/// One file of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}

impl PackFile {
    /// A file with these bytes.
    pub fn of(bytes: &[u8], executable: bool) -> Self {
        Self {
            executable,
            bytes: bytes.len() as u64,
            sha256: sha256(bytes),
        }
    }
}

/// Every file of a pack by its path, `/` between the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    files: BTreeMap<String, PackFile>,
}

impl Listing {
    /// Lists a folder, reading every file.
    ///
    /// # Errors
    /// Anything that is no regular file or folder (symbolic links are never
    /// followed), names that are not portable, and what exceeds the caps.
    pub fn of_dir(dir: &Dir, shown: &str) -> Result<Self, TaskError> {
        let mut walk = Walk {
            shown,
            listing: Self::default(),
            bytes: 0,
        };
        walk.folder(dir, "", 0)?;
        Ok(walk.listing)
    }

    /// Lists these files.
    pub fn of_files(files: impl IntoIterator<Item = (String, PackFile)>) -> Self {
        Self {
            files: files.into_iter().collect(),
        }
    }

    /// The file at `path`.
    pub fn get(&self, path: &str) -> Option<&PackFile> {
        self.files.get(path)
    }

    /// All files in order of path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PackFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The canonical listing whose SHA-256 is the pack's digest.
    pub fn canonical(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (path, file) in &self.files {
            let mode = if file.executable { 'x' } else { '-' };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{mode} {} {} {path}", file.bytes, file.sha256);
        }
        text
    }

    /// The pack's digest: SHA-256 in lower-case hex.
    pub fn sha256(&self) -> String {
        sha256(self.canonical().as_bytes())
    }
}

/// SHA-256 of `bytes` in lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

struct Walk<'a> {
    shown: &'a str,
    listing: Listing,
    bytes: u64,
}

impl Walk<'_> {
    fn folder(&mut self, dir: &Dir, above: &str, depth: usize) -> Result<(), TaskError> {
        let shown = self.shown;
        let here = move |name: &str| format!("{shown}/{name}");
        if depth > MAX_DEPTH {
            return Err(self.too_much(above, format!("folders are nested deeper than {MAX_DEPTH}")));
        }
        let entries = dir.entries().map_err(TaskError::io("read", here(above)))?;
        for entry in entries {
            let entry = entry.map_err(TaskError::io("read", here(above)))?;
            let name = entry.file_name();
            let path = match name.to_str() {
                Some(name) => format!("{above}{name}"),
                None => format!("{above}{}", name.to_string_lossy()),
            };
            if name.to_str().is_none() || !portable(&path) {
                return Err(TaskError::FileName {
                    pack: self.shown.to_owned(),
                    path,
                });
            }
            if path == LOCK_FILE {
                continue;
            }
            match confined::kind(&entry).map_err(TaskError::io("read", here(&path)))? {
                Kind::Folder => {
                    let inner = confined::open_dir(dir, &name)
                        .map_err(TaskError::io("read", here(&path)))?;
                    self.folder(&inner, &format!("{path}/"), depth + 1)?;
                }
                Kind::File => self.file(dir, &name, path)?,
                kind => {
                    let found = kind.describe();
                    return Err(TaskError::Irregular {
                        pack: self.shown.to_owned(),
                        path,
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, dir: &Dir, name: &std::ffi::OsStr, path: String) -> Result<(), TaskError> {
        let full = format!("{}/{path}", self.shown);
        if self.listing.files.len() >= MAX_FILES {
            return Err(self.too_much(&path, format!("there are more than {MAX_FILES} files")));
        }
        let (file, executable) =
            confined::open_file(dir, name).map_err(TaskError::io("read", full.clone()))?;
        let limit = MAX_FILE_BYTES.min(MAX_PACK_BYTES - self.bytes);
        let size = file
            .metadata()
            .map_err(TaskError::io("read", full.clone()))?
            .len();
        // A file that says its size is refused unread; one that grows while it
        // is read, behind the limit.
        let (bytes, sha256) = if size > limit {
            (size, String::new())
        } else {
            hash(file, limit).map_err(TaskError::io("read", full))?
        };
        if bytes > limit {
            let what = format!(
                "the pack has more than {} MiB, or one file more than {} MiB",
                MAX_PACK_BYTES >> 20,
                MAX_FILE_BYTES >> 20
            );
            return Err(self.too_much(&path, what));
        }
        self.bytes += bytes;
        self.listing.files.insert(
            path,
            PackFile {
                executable,
                bytes,
                sha256,
            },
        );
        Ok(())
    }

    fn too_much(&self, path: &str, what: String) -> TaskError {
        TaskError::TooMuch {
            pack: self.shown.to_owned(),
            path: path.to_owned(),
            what,
        }
    }
}

/// Length and digest of a stream; stops one byte behind `limit`.
fn hash(file: impl Read, limit: u64) -> io::Result<(u64, String)> {
    let mut stream = file.take(limit + 1);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut bytes = 0;
    loop {
        let read = match stream.read(&mut buffer) {
            Ok(0) => return Ok((bytes, hex::encode(hasher.finalize()))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;
