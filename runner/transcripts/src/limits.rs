//! How much is read.

use crate::error::ReadError;
use crate::format::Format;
use crate::transcript::NativeFile;

/// Bounds of a reading. What exceeds one is refused ([`ReadError::TooLarge`]),
/// but for texts, which are cut, and lines nested too deeply, which are kept as
/// strange ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Files.
    pub files: usize,
    /// Bytes of all files together, and of what compressed rows of a database
    /// grow to.
    pub bytes: u64,
    /// Bytes of a line.
    pub line_bytes: usize,
    /// Events of the transcript.
    pub events: usize,
    /// Nesting of a line's JSON, at most 120.
    pub depth: usize,
    /// JSON values in one file: each takes some 80 bytes of memory, a hundred
    /// times what its shortest text takes.
    pub values: usize,
    /// Bytes of one text: of a message, a result, a string among a call's
    /// arguments.
    pub text_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            files: 64,
            bytes: 64 << 20,
            line_bytes: 16 << 20,
            events: 100_000,
            depth: 100,
            values: 2_000_000,
            text_bytes: 1 << 20,
        }
    }
}

impl ReadLimits {
    /// Whether the files are few and small enough to begin.
    pub(crate) fn admit(&self, format: Format, files: &[NativeFile]) -> Result<(), ReadError> {
        if files.is_empty() {
            return Err(ReadError::NoFiles { format });
        }
        if files.len() > self.files {
            return Err(ReadError::TooLarge {
                file: files[self.files].shown(),
                line: None,
                what: "files",
                limit: self.files as u64,
            });
        }
        let mut bytes = 0_u64;
        for file in files {
            bytes = bytes.saturating_add(file.bytes.len() as u64);
            if bytes > self.bytes {
                return Err(ReadError::TooLarge {
                    file: file.shown(),
                    line: None,
                    what: "bytes of native files",
                    limit: self.bytes,
                });
            }
        }
        Ok(())
    }
}
