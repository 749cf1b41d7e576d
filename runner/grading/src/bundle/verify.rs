//! Checking a whole bundle against its manifest, all differences at once.

use std::io;
use std::os::fd::OwnedFd;

use proctor_types::bundle::MANIFEST;
use proctor_types::manifest::FileRef;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::files::describe;
use super::{Bundle, EvidenceError, EvidenceProblem};

/// How deep directories may be nested; the collector goes less deep.
const MAX_DEPTH: usize = 256;
/// After this many differences the rest is only counted.
const MAX_DIFFERENCES: usize = 1000;

/// Longest file that stays in memory once it was verified.
const KEPT_BYTES: u64 = 256 << 10;

/// What came out of comparing a bundle with its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Files that are what the manifest says.
    pub matching: u64,
    /// What differs, in order of path, as far as it is listed.
    pub differences: Vec<Difference>,
    /// Differences beyond those that are listed.
    pub unlisted: u64,
}

impl Verification {
    /// Whether nothing differs.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.unlisted == 0
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(difference);
        } else {
            self.unlisted += 1;
        }
    }
}

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// A listed file is not what the manifest says.
    #[error(transparent)]
    Listed(EvidenceError),
    /// Something is there that the manifest does not list. Graders never see
    /// it.
    #[error("{path}: {found} that the manifest does not list")]
    Extra {
        /// Path relative to the bundle; bytes that are no UTF-8 are replaced.
        path: String,
        /// What it is: `a regular file`, `a symbolic link`, ...
        found: &'static str,
    },
}

impl Difference {
    fn path(&self) -> &str {
        match self {
            Self::Listed(error) => &error.file,
            Self::Extra { path, .. } => path,
        }
    }
}

impl Bundle {
    /// Compares every file of the bundle with the manifest. The error means
    /// that the directory could not be walked.
    pub fn verify(&self) -> Result<Verification, EvidenceError> {
        let mut result = Verification::default();
        for (path, listed) in &self.0.manifest.files {
            match self.verify_file(path, listed) {
                Ok(()) => result.matching += 1,
                Err(error) => result.add(Difference::Listed(error)),
            }
        }
        self.find_extra(&mut result)?;
        result.differences.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(result)
    }

    /// Short files are kept: a grader is likely to ask for them next.
    fn verify_file(&self, path: &str, listed: &FileRef) -> Result<(), EvidenceError> {
        if listed.bytes <= KEPT_BYTES.min(self.0.limits.file_bytes) {
            self.read(path).map(drop)
        } else {
            self.scan(path, listed, &mut |_, _| {})
        }
    }

    fn is_part(&self, path: &str) -> bool {
        path == MANIFEST || self.stat(path).is_some()
    }

    /// Walks the bundle and adds what is not in the manifest.
    fn find_extra(&self, result: &mut Verification) -> Result<(), EvidenceError> {
        let root = Dir::read_from(self.0.root.fd()).map_err(|errno| walk_error("", errno))?;
        let mut open: Vec<(String, Dir)> = vec![(String::new(), root)];
        loop {
            let depth = open.len();
            let Some((prefix, directory)) = open.last_mut() else {
                return Ok(());
            };
            let Some(entry) = directory.read() else {
                open.pop();
                continue;
            };
            let prefix = prefix.clone();
            let entry = entry.map_err(|errno| walk_error(&prefix, errno))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let path = format!("{prefix}{}", name.to_string_lossy());
            let at = directory.fd().map_err(|errno| walk_error(&prefix, errno))?;
            let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|errno| walk_error(&path, errno))?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    if depth >= MAX_DEPTH {
                        let what = format!("directories are nested more than {MAX_DEPTH} deep");
                        return Err(EvidenceError::malformed(path, what));
                    }
                    let inner = subdirectory(at, name).map_err(|errno| walk_error(&path, errno))?;
                    open.push((format!("{path}/"), inner));
                }
                _ if name.to_str().is_ok() && self.is_part(&path) => {}
                kind => result.add(Difference::Extra {
                    path,
                    found: describe(kind),
                }),
            }
        }
    }
}

fn subdirectory(
    at: std::os::fd::BorrowedFd<'_>,
    name: &std::ffi::CStr,
) -> Result<Dir, rustix::io::Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd: OwnedFd = rustix::fs::openat(at, name, flags, Mode::empty())?;
    Dir::new(fd)
}

fn walk_error(path: &str, errno: rustix::io::Errno) -> EvidenceError {
    let path = if path.is_empty() { "." } else { path };
    EvidenceError::new(
        path,
        EvidenceProblem::Unreadable(io::Error::from(errno).to_string()),
    )
}
