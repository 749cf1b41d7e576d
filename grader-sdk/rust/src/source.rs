//! Where a bundle's bytes come from: the host's imports, a directory, or memory.

use serde::de::DeserializeOwned;

use crate::Error;

/// A file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}

/// Read access to the files of a bundle.
pub(crate) trait Source {
    /// One file, or nothing where the bundle has none of that path.
    fn stat(&self, path: &str) -> Option<File>;

    /// Files whose path starts with `prefix`, sorted.
    fn list(&self, prefix: &str) -> Vec<File>;

    /// The whole content.
    fn read(&self, path: &str) -> Result<Vec<u8>, Error>;

    /// At most `length` bytes from `offset`; fewer only at the end of the file.
    fn read_range(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error>;
}

/// How much of a file [`lines`] holds at a time.
const CHUNK: u32 = 256 * 1024;

/// The lines of a file, one after the other, without ever holding more than
/// one chunk and the current line. An agent decides how long the journal gets;
/// memory must not depend on it.
pub(crate) fn lines<'s>(source: &'s dyn Source, path: &'static str) -> Result<Lines<'s>, Error> {
    let file = source.stat(path).ok_or_else(|| Error::Missing {
        path: path.to_owned(),
    })?;
    Ok(Lines {
        source,
        path,
        size: file.bytes,
        offset: 0,
        pending: Vec::new(),
        start: 0,
        number: 0,
    })
}

/// See [`lines`].
pub(crate) struct Lines<'s> {
    source: &'s dyn Source,
    path: &'static str,
    size: u64,
    /// How much was read from the source.
    offset: u64,
    /// What was read and not yet given out, from `start`.
    pending: Vec<u8>,
    start: usize,
    number: u64,
}

impl Lines<'_> {
    /// The next line that is not blank as a document, and its number from 1.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(u64, T)>, Error> {
        let path = self.path;
        let Some((number, line)) = self.next_line()? else {
            return Ok(None);
        };
        // Valid UTF-8 as a whole is cheaper to know than string by string.
        let document = std::str::from_utf8(line)
            .map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(line).map_err(|error| error.to_string()));
        match document {
            Ok(document) => Ok(Some((number, document))),
            Err(problem) => Err(Error::malformed(path, Some(number), &problem)),
        }
    }

    fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let mut searched = self.start;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.pending[searched..]) {
                let (from, to) = (self.start, searched + length);
                self.start = to + 1;
                self.number += 1;
                if is_blank(&self.pending[from..to]) {
                    searched = self.start;
                    continue;
                }
                return Ok(Some((self.number, &self.pending[from..to])));
            }
            if self.offset >= self.size {
                let from = std::mem::replace(&mut self.start, self.pending.len());
                self.number += 1;
                let rest = &self.pending[from..];
                return Ok((!is_blank(rest)).then_some((self.number, rest)));
            }
            self.pending.drain(..self.start);
            self.start = 0;
            searched = self.pending.len();
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<(), Error> {
        let chunk = self.source.read_range(self.path, self.offset, CHUNK)?;
        if chunk.is_empty() {
            return Err(Error::Unreadable {
                path: self.path.to_owned(),
                problem: format!("it ends at byte {} of {}", self.offset, self.size),
            });
        }
        self.offset += chunk.len() as u64;
        self.pending.extend_from_slice(&chunk);
        Ok(())
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
