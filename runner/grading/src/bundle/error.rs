//! What can be wrong with a bundle.

use crate::text::name;

/// A file of the bundle is not what the manifest says, or not what this
/// version reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("evidence invalid: {}: {problem}", name(.file))]
pub struct EvidenceError {
    /// Path relative to the bundle; for a bundle that cannot be opened, the
    /// path that was given.
    pub file: String,
    /// What differs.
    pub problem: EvidenceProblem,
}

impl EvidenceError {
    pub(crate) fn new(file: impl Into<String>, problem: EvidenceProblem) -> Self {
        Self {
            file: file.into(),
            problem,
        }
    }

    pub(crate) fn malformed(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(file, EvidenceProblem::Malformed(what.into()))
    }
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceProblem {
    /// Nothing of that name is there.
    #[error("it is missing")]
    Missing,
    /// Something else than a regular file has that name.
    #[error("it is {found}; a bundle holds regular files, and nothing else is opened or followed")]
    NotRegular {
        /// What it is: `a symbolic link`, `a named pipe`, ...
        found: &'static str,
    },
    /// The file is longer than this version reads.
    #[error("it is {found} bytes long; the limit is {limit}")]
    TooLarge {
        /// Length in bytes.
        found: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The length is not the one in the manifest.
    #[error("it is {found} bytes long; the manifest says {expected}")]
    Length {
        /// Length in the manifest.
        expected: u64,
        /// Length on disk; where the file grew while it was read, a lower
        /// bound.
        found: u64,
    },
    /// The content is not the one in the manifest.
    #[error("its SHA-256 is {found}; the manifest says {expected}")]
    Digest {
        /// Digest in the manifest, lower-case hex.
        expected: String,
        /// Digest of what is on disk, lower-case hex.
        found: String,
    },
    /// The document has a major version that this version does not know.
    #[error("its schema is {}; this version of Proctor reads `{expected}`", name(.found))]
    Schema {
        /// The version that is read.
        expected: &'static str,
        /// The version that the document claims.
        found: String,
    },
    /// The manifest lists a path that no bundle may have.
    #[error("the manifest lists the path {}, which {problem}", name(.path))]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it, continuing "which".
        problem: &'static str,
    },
    /// The content is not what the document is made of.
    #[error("{0}")]
    Malformed(String),
    /// The operating system would not give it.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}
