//! Reading files below a folder without ever leaving it: no symbolic link is
//! followed, no FIFO is waited for, no device is opened.

use std::ffi::OsStr;
use std::io::{self, Read};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{
    Dir, DirEntry, File, FileTypeExt as _, Metadata, MetadataExt as _, OpenOptions,
    OpenOptionsExt as _,
};

use super::format::PathProblem;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Symlink,
    Fifo,
    Socket,
    Device,
    Unknown,
}

impl Kind {
    fn of(file_type: cap_std::fs::FileType) -> Self {
        if file_type.is_file() {
            Self::File
        } else if file_type.is_dir() {
            Self::Folder
        } else if file_type.is_symlink() {
            Self::Symlink
        } else if file_type.is_fifo() {
            Self::Fifo
        } else if file_type.is_socket() {
            Self::Socket
        } else if file_type.is_block_device() || file_type.is_char_device() {
            Self::Device
        } else {
            Self::Unknown
        }
    }

    /// In words, with an article.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "something that is no file",
        }
    }
}

/// What an entry of a folder is; links are not followed.
pub(super) fn kind(entry: &DirEntry) -> io::Result<Kind> {
    entry.file_type().map(Kind::of)
}

/// What `name` is in `dir`; `None` where nothing is. Links are not followed.
pub(super) fn kind_of(dir: &Dir, name: impl AsRef<OsStr>) -> io::Result<Option<Kind>> {
    match dir.symlink_metadata(name.as_ref()) {
        Ok(metadata) => Ok(Some(Kind::of(metadata.file_type()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a folder of `dir` that is no symbolic link.
pub(super) fn open_dir(dir: &Dir, name: impl AsRef<OsStr>) -> io::Result<Dir> {
    dir.open_dir_nofollow(name.as_ref())
}

/// Opens a regular file of `dir`, and says whether its owner may execute it.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for anything but a regular file, even when
/// it became one after the caller looked.
pub(super) fn open_file(dir: &Dir, name: impl AsRef<OsStr>) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    options
        .read(true)
        .follow(FollowSymlinks::No)
        .custom_flags(NONBLOCK);
    let file = dir.open_with(name.as_ref(), &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let text = format!("it is {}", Kind::of(metadata.file_type()).describe());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Ok((file, executable(&metadata)))
}

#[allow(clippy::cast_possible_wrap, reason = "a small flag")]
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

fn executable(metadata: &Metadata) -> bool {
    metadata.mode() & 0o100 != 0
}

/// Reads the regular file at `path`, part by part, and says whether its owner
/// may execute it. `expected` says in words where the file should be.
///
/// # Errors
/// The problem with the path, or [`PathProblem::Missing`] also for what the
/// operating system refuses to open.
pub(super) fn read(
    dir: &Dir,
    path: &str,
    limit: u64,
    expected: &str,
) -> Result<(Vec<u8>, bool), PathProblem> {
    let missing = || PathProblem::Missing {
        expected: format!("{expected}/{path}"),
    };
    let (parent, name) = parent(dir, path, expected)?;
    let folder = parent.as_ref().unwrap_or(dir);
    match kind_of(folder, name).map_err(|_| missing())? {
        None => return Err(missing()),
        Some(Kind::File) => {}
        Some(Kind::Symlink) => {
            return Err(PathProblem::Symlink {
                link: path.to_owned(),
            });
        }
        Some(kind) => {
            return Err(PathProblem::NotAFile {
                found: kind.describe(),
            });
        }
    }
    let (file, executable) = open_file(folder, name).map_err(|_| missing())?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| missing())?;
    if bytes.len() as u64 > limit {
        let bytes = folder
            .symlink_metadata(name)
            .map_or(limit + 1, |metadata| metadata.len());
        return Err(PathProblem::TooLarge { bytes, limit });
    }
    Ok((bytes, executable))
}

/// Opens the folder at `path`, part by part.
pub(super) fn folder(dir: &Dir, path: &str, expected: &str) -> Result<Dir, PathProblem> {
    let missing = || PathProblem::Missing {
        expected: format!("{expected}/{path}"),
    };
    let (parent, name) = parent(dir, path, expected)?;
    let above = parent.as_ref().unwrap_or(dir);
    match kind_of(above, name).map_err(|_| missing())? {
        None => Err(missing()),
        Some(Kind::Folder) => open_dir(above, name).map_err(|_| missing()),
        Some(Kind::Symlink) => Err(PathProblem::Symlink {
            link: path.to_owned(),
        }),
        Some(kind) => Err(PathProblem::NotAFolder {
            found: kind.describe(),
        }),
    }
}

/// The folder that holds the last part of `path` (`None` for `dir` itself),
/// and that part.
fn parent<'a>(
    dir: &Dir,
    path: &'a str,
    expected: &str,
) -> Result<(Option<Dir>, &'a str), PathProblem> {
    let Some((above, name)) = path.rsplit_once('/') else {
        return Ok((None, path));
    };
    let missing = || PathProblem::Missing {
        expected: format!("{expected}/{path}"),
    };
    let mut current: Option<Dir> = None;
    let mut walked = 0;
    for part in above.split('/') {
        walked += part.len();
        let here = current.as_ref().unwrap_or(dir);
        match kind_of(here, part).map_err(|_| missing())? {
            Some(Kind::Folder) => {}
            Some(Kind::Symlink) => {
                return Err(PathProblem::Symlink {
                    link: path[..walked].to_owned(),
                });
            }
            _ => return Err(missing()),
        }
        let next = open_dir(here, part).map_err(|_| missing())?;
        current = Some(next);
        walked += 1;
    }
    Ok((current, name))
}
