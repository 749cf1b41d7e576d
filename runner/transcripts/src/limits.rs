//! How much is read.

use std::cell::Cell;

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
    /// JSON values of all files together, in their lines, in JSON inside of
    /// texts and in rows of databases. Each takes some 80 bytes of memory, forty
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

/// The bounds of one reading, and what is left of the one that is counted across
/// its files as they are read.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// The bounds.
    pub(crate) limits: ReadLimits,
    /// JSON values that may still be made.
    values_left: Cell<usize>,
}

/// The reading's JSON values are used up.
#[derive(Debug)]
pub(crate) struct Spent;

impl Bounds {
    /// The bounds at the beginning of a reading.
    pub(crate) fn new(limits: ReadLimits) -> Self {
        Self {
            limits,
            values_left: Cell::new(limits.values),
        }
    }

    /// The same for a look that keeps nothing: it makes no more values than are
    /// left, and none of them is missing afterwards.
    pub(crate) fn aside(&self) -> Self {
        Self {
            limits: self.limits,
            values_left: self.values_left.clone(),
        }
    }

    /// JSON values that may still be made.
    pub(crate) fn values_left(&self) -> usize {
        self.values_left.get()
    }

    /// Takes `count` values from what is left.
    pub(crate) fn take(&self, count: usize) -> Result<(), Spent> {
        let left = self.values_left.get().checked_sub(count).ok_or(Spent)?;
        self.values_left.set(left);
        Ok(())
    }

    /// What is to be told where the values are used up in `file`.
    pub(crate) fn spent(&self, file: String, line: Option<u64>) -> ReadError {
        ReadError::TooLarge {
            file,
            line,
            what: "JSON values",
            limit: self.limits.values as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_gone_and_a_look_aside_takes_nothing() {
        let bounds = Bounds::new(ReadLimits {
            values: 10,
            ..ReadLimits::default()
        });
        bounds.take(6).unwrap();
        let aside = bounds.aside();
        aside.take(4).unwrap();
        assert!(aside.take(1).is_err());
        assert_eq!(bounds.values_left(), 4);
        assert!(bounds.take(5).is_err());
        bounds.take(4).unwrap();
        assert_eq!(bounds.values_left(), 0);
    }
}
