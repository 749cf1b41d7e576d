//! `workspace.json`: every entry that the agent left in its workspace.

use serde::{Deserialize, Serialize};

/// Version of `workspace.json`.
pub const SCHEMA: &str = "proctor.workspace/1";

/// The workspace as it was found, in order of path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceListing {
    /// [`SCHEMA`].
    pub schema: String,
    /// Entries, as many as the collector's cap allows.
    pub entries: Vec<Entry>,
    /// Set when the walk ended early: which cap was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}

/// One entry of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path relative to the workspace. Bytes that are not UTF-8 are written as
    /// `\xNN`, a backslash as `\\`.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits, octal, as the agent left them.
    pub mode: String,
    /// Apparent size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, for files that were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Target of a symbolic link, in the same notation as `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why the entry is not in the bundle, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Kind of a workspace entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; never followed.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something that could not be looked at.
    Unknown,
}
