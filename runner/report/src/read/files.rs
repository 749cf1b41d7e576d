//! Bounded reading of files that others may have put there.

use std::io::{self, Read};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The beginning of a file.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// The bytes, at most as many as were asked for.
    pub(crate) bytes: Vec<u8>,
    /// Length of the whole file.
    pub(crate) length: u64,
}

impl Head {
    /// Whether there is more.
    pub(crate) fn is_cut(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}

/// Reads at most `limit` bytes of a regular file. Follows no symbolic link at
/// the end of `path`, waits for no writer of a pipe, reads from no device; no
/// path leads out of `dir`.
pub(crate) fn head(dir: &Dir, path: &str, limit: u64) -> io::Result<Head> {
    let mut options = OpenOptions::new();
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options
        .read(true)
        .follow(FollowSymlinks::No)
        .custom_flags(flags.bits().cast_signed());
    let file = dir.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is no regular file",
        ));
    }
    // One more byte, so that the end is found without making room again.
    let room = metadata.len().min(limit).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Head {
        length: metadata.len().max(bytes.len() as u64),
        bytes,
    })
}

/// Reads a whole file of at most `limit` bytes.
pub(crate) fn whole(dir: &Dir, path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let head = head(dir, path, limit)?;
    if head.is_cut() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!(
                "it has {} bytes, and a report reads {limit} of such a file",
                head.length
            ),
        ));
    }
    Ok(head.bytes)
}

/// A JSON document, or in words why there is none.
pub(crate) fn json<T: DeserializeOwned>(dir: &Dir, path: &str, limit: u64) -> Result<T, Absent> {
    let bytes = whole(dir, path, limit).map_err(|error| Absent::of(&error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Absent::Damaged(format!("it is not what it should be: {error}")))
}

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Absent {
    /// There is no such file.
    Missing,
    /// There is one, but it cannot be used.
    Damaged(String),
}

impl Absent {
    fn of(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            Self::Missing
        } else {
            Self::Damaged(error.to_string())
        }
    }
}

/// The lines of a file of JSON lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// One for each line that was read; where it is no JSON, the text of it.
    pub(crate) read: Vec<Result<Value, String>>,
    /// Bytes of the file behind those lines.
    pub(crate) unread: u64,
    /// Why nothing could be read, where there is a file.
    pub(crate) problem: Option<String>,
}

/// Reads the lines of `path`, as many as begin in the first `limit` bytes.
/// Nothing where there is no such file.
pub(crate) fn lines(dir: &Dir, path: &str, limit: u64) -> Lines {
    let head = match head(dir, path, limit) {
        Ok(head) => head,
        Err(error) => {
            let problem = match Absent::of(&error) {
                Absent::Missing => None,
                Absent::Damaged(problem) => Some(problem),
            };
            return Lines {
                problem,
                ..Lines::default()
            };
        }
    };
    let cut = head.is_cut();
    let mut used = head.bytes.as_slice();
    if cut {
        // The last line is not all there.
        let end = used.iter().rposition(|byte| *byte == b'\n');
        used = &used[..end.map_or(0, |end| end + 1)];
    }
    let lines = used
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice(line)
                .map_err(|_| String::from_utf8_lossy(&line[..line.len().min(4096)]).into_owned())
        })
        .collect();
    Lines {
        read: lines,
        unread: head.length - used.len() as u64,
        problem: None,
    }
}
