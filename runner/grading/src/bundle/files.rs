//! Opening files inside a bundle, and nowhere else.
//!
//! The walk goes from directory to directory with `O_NOFOLLOW`, so no symbolic
//! link is ever followed, wherever it stands in a path; the file itself is
//! looked at before and after it is opened, without blocking, so a named pipe
//! cannot hold the runner up.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::error::EvidenceProblem;

/// The bundle's root directory, held open.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    /// Opens the directory at `path`, which is the operator's own: links in it
    /// are followed.
    pub(super) fn open(path: &Path) -> Result<Self, EvidenceProblem> {
        rustix::fs::open(path, DIRECTORY & !OFlags::NOFOLLOW, Mode::empty())
            .map(Self)
            .map_err(|errno| match errno {
                Errno::NOENT => EvidenceProblem::Missing,
                Errno::NOTDIR => EvidenceProblem::Malformed("it is not a directory".to_owned()),
                other => unreadable(other),
            })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Opens a regular file. `path` has passed [`super::manifest::check_path`].
    /// Returns its length with it.
    pub(super) fn file(&self, path: &str) -> Result<(File, u64), EvidenceProblem> {
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut held: Option<OwnedFd> = None;
        for directory in directories.split('/').filter(|part| !part.is_empty()) {
            let at = held.as_ref().map_or_else(|| self.fd(), AsFd::as_fd);
            let next = rustix::fs::openat(at, directory, DIRECTORY, Mode::empty())
                .map_err(|errno| reason(at, directory, errno, Wanted::Directory))?;
            held = Some(next);
        }
        let at = held.as_ref().map_or_else(|| self.fd(), AsFd::as_fd);
        // Looked at first: opening a device can have effects of its own.
        match kind_at(at, name)? {
            FileType::RegularFile => {}
            other => {
                return Err(EvidenceProblem::NotRegular {
                    found: describe(other),
                });
            }
        }
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(at, name, flags, Mode::empty())
            .map_err(|errno| reason(at, name, errno, Wanted::File))?;
        let stat = rustix::fs::fstat(&fd).map_err(unreadable)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(EvidenceProblem::NotRegular {
                found: describe(kind),
            });
        }
        Ok((
            File::from(fd),
            u64::try_from(stat.st_size).unwrap_or_default(),
        ))
    }
}

/// How directories are opened.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Directory,
    File,
}

/// What stands at `name`, links not followed.
fn kind_at(at: BorrowedFd<'_>, name: &str) -> Result<FileType, EvidenceProblem> {
    match rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(FileType::from_raw_mode(stat.st_mode)),
        Err(Errno::NOENT | Errno::NOTDIR) => Err(EvidenceProblem::Missing),
        Err(other) => Err(unreadable(other)),
    }
}

/// Says why an open failed in terms of what is there.
fn reason(at: BorrowedFd<'_>, name: &str, errno: Errno, wanted: Wanted) -> EvidenceProblem {
    if errno == Errno::NOENT {
        return EvidenceProblem::Missing;
    }
    match (kind_at(at, name), wanted) {
        (Err(problem), _) => problem,
        (Ok(FileType::Directory), Wanted::Directory)
        | (Ok(FileType::RegularFile), Wanted::File) => unreadable(errno),
        // `a/b` is listed, and `a` is a file.
        (Ok(FileType::RegularFile), Wanted::Directory) => EvidenceProblem::Missing,
        (Ok(other), _) => EvidenceProblem::NotRegular {
            found: describe(other),
        },
    }
}

/// A kind of file in words.
pub(super) fn describe(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something unknown",
    }
}

fn unreadable(errno: Errno) -> EvidenceProblem {
    EvidenceProblem::Unreadable(io::Error::from(errno).to_string())
}

/// Reads a file that is `length` bytes long by the manifest and hands every
/// chunk to `sink`. Never reads more than one byte past that length, and holds
/// one chunk at a time. Returns the digest in hex.
pub(super) fn stream(
    file: &mut File,
    length: u64,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> Result<String, EvidenceProblem> {
    let mut hasher = Sha256::new();
    let mut reader = file.take(length.saturating_add(1));
    let mut chunk = vec![0; 64 << 10];
    let mut read: u64 = 0;
    loop {
        let count = match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(EvidenceProblem::Unreadable(error.to_string())),
        };
        hasher.update(&chunk[..count]);
        sink(read, &chunk[..count]);
        read += count as u64;
    }
    if read != length {
        return Err(EvidenceProblem::Length {
            expected: length,
            found: read,
        });
    }
    Ok(hex::encode(hasher.finalize()))
}

/// Reads a whole file of `length` bytes and returns it with its digest.
pub(super) fn slurp(file: &mut File, length: u64) -> Result<(Vec<u8>, String), EvidenceProblem> {
    // The length has been compared with what is on disk and with a limit, so
    // it is safe to reserve.
    let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    let limit = length.saturating_add(1);
    file.take(limit)
        .read_to_end(&mut content)
        .map_err(|error| EvidenceProblem::Unreadable(error.to_string()))?;
    if content.len() as u64 != length {
        return Err(EvidenceProblem::Length {
            expected: length,
            found: content.len() as u64,
        });
    }
    let digest = hex::encode(Sha256::digest(&content));
    Ok((content, digest))
}
