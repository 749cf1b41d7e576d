//! Collecting what the agent left in its workspace.
//!
//! The tree was made by somebody who may have wanted to hurt whoever reads it:
//! named pipes that never answer, links to the host's files, terabytes without
//! content, a million names, directories that forbid entry. Nothing is opened
//! before the kernel has said what it is, nothing is followed, everything has
//! a cap, and what is refused is listed with the reason.
//!
//! Directories are read level by level and in order of name, so that a cap
//! cuts off the deep and the late, whatever order the file system lists them
//! in: a heap of files in `node_modules` does not hide `summary.md`.

mod content;
mod names;
mod walk;

use std::io::{self, Read};
use std::os::fd::BorrowedFd;

use proctor_types::WorkspaceListing;

use crate::error::CollectError;
pub use names::escape;

/// How much of a workspace is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectCaps {
    /// Longest file in bytes; longer ones are listed and not kept.
    pub file_bytes: u64,
    /// Bytes of all files together; what would go beyond is listed and not
    /// kept.
    pub total_bytes: u64,
    /// Entries that are listed, directories included.
    pub entries: usize,
    /// Levels of directories that are entered, the workspace itself being the
    /// first.
    pub depth: usize,
    /// Longest path in bytes as it is written in the listing, at most 4000.
    pub path_bytes: usize,
}

impl Default for CollectCaps {
    fn default() -> Self {
        Self {
            file_bytes: 32 << 20,
            total_bytes: 256 << 20,
            entries: 20_000,
            depth: 64,
            path_bytes: 1024,
        }
    }
}

/// Receives each file that is kept: its path as in the listing, and its
/// content. What it does not read is read for the digest all the same.
pub type Sink<'a> = dyn FnMut(&str, &mut dyn Read) -> io::Result<()> + 'a;

/// Lists the tree below `dir` and hands every regular file within the caps to
/// `sink`, with its content as a stream.
///
/// Paths are written as `workspace.json` documents it: a backslash as `\\`,
/// bytes that are not UTF-8 as `\xNN`. No two files share such a path, so
/// files with odd names are kept under it; where one of its parts is then
/// longer than a file system allows (255 bytes), the file is listed and not
/// kept. The entries are sorted by path.
///
/// A file or directory that its owner may not read is made readable for the
/// moment; its listed mode is the one that it had, and has again afterwards.
/// Call this when nothing in the room runs any more: what changes under it
/// gives a listing that fits no single moment, but no worse.
pub fn collect(
    dir: BorrowedFd<'_>,
    caps: &CollectCaps,
    sink: &mut Sink<'_>,
) -> Result<WorkspaceListing, CollectError> {
    walk::Walk::new(dir, caps, sink).run()
}
