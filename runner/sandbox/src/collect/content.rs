//! The content of one file, hashed on its way to the sink.

use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::Sink;
use crate::error::CollectError;

/// What was read.
pub(super) struct Content {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Streams at most `most` bytes of `file` to `sink`.
pub(super) fn stream(
    file: File,
    most: u64,
    path: &str,
    sink: &mut Sink<'_>,
) -> Result<Content, CollectError> {
    let mut reader = HashingReader {
        file: file.take(most),
        hasher: Sha256::new(),
        bytes: 0,
        failed: None,
    };
    let taken = sink(path, &mut reader);
    // The file's own failure, even where the sink passed it on or hid it.
    let failed = reader.failed.take().or_else(|| match &taken {
        Ok(()) => io::copy(&mut reader, &mut io::sink()).err(),
        Err(_) => None,
    });
    if let Some(source) = failed {
        return Err(CollectError::Read {
            path: path.to_owned(),
            source,
        });
    }
    taken.map_err(|source| CollectError::Sink {
        path: path.to_owned(),
        source,
    })?;
    Ok(Content {
        bytes: reader.bytes,
        sha256: hex::encode(reader.hasher.finalize()),
    })
}

struct HashingReader {
    file: io::Take<File>,
    hasher: Sha256,
    bytes: u64,
    failed: Option<io::Error>,
}

impl Read for HashingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer) {
            Ok(length) => {
                self.hasher.update(&buffer[..length]);
                self.bytes += length as u64;
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.failed = Some(io::Error::new(error.kind(), error.to_string()));
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file.rewind().unwrap();
        file
    }

    #[test]
    fn the_digest_is_of_all_that_there_is_even_if_the_sink_reads_less() {
        let whole = hex::encode(Sha256::digest(b"content"));
        let mut seen = Vec::new();
        let read = stream(file(b"content"), 100, "a", &mut |_, content| {
            content.read_to_end(&mut seen).map(drop)
        });
        assert_eq!(
            (read.unwrap().sha256, seen.as_slice()),
            (whole.clone(), &b"content"[..])
        );
        let lazy = stream(file(b"content"), 100, "a", &mut |_, _| Ok(())).unwrap();
        assert_eq!((lazy.sha256, lazy.bytes), (whole, 7));
    }

    #[test]
    fn no_more_than_the_cap_is_read_and_failures_say_whose_they_are() {
        let read = stream(file(&[0; 1000]), 10, "a", &mut |_, _| Ok(())).unwrap();
        assert_eq!(read.bytes, 10);
        let full = stream(file(b"x"), 10, "a", &mut |_, _| {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert!(matches!(full, Err(CollectError::Sink { .. })));
        // Reading a file that is open for writing only.
        let broken = File::options().write(true).open("/dev/null").unwrap();
        let read = stream(broken, 10, "a", &mut |_, content| {
            content.read_to_end(&mut Vec::new()).map(drop)
        });
        assert!(matches!(read, Err(CollectError::Read { .. })));
    }
}
