//! Why files are no transcript.

use crate::format::Format;

/// Bytes of something strange that a message shows.
const SAMPLE_BYTES: usize = 160;

/// Why the files of a run could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No file was given.
    #[error("the agent left no file to read as {format}")]
    NoFiles {
        /// The form that was expected.
        format: Format,
    },
    /// A bound was met.
    #[error("{}: more than {limit} {what}", place(.file, *.line))]
    TooLarge {
        /// Name of the file.
        file: String,
        /// Its line, from 1, where the bound is one of lines or events.
        line: Option<u64>,
        /// What there is too much of, in the plural.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// Nothing in the files is of the form.
    #[error("{}: nothing of it is {format}: {problem}: \"{sample}\"", place(.file, *.line))]
    NotUnderstood {
        /// The form that was expected.
        format: Format,
        /// Name of the file.
        file: String,
        /// The first strange line, from 1, where the form has lines.
        line: Option<u64>,
        /// What is wrong with it.
        problem: String,
        /// Its beginning, escaped.
        sample: String,
    },
    /// The form is right, but nobody says anything.
    #[error("{file}: {events} {format} events, and no message among them")]
    NoMessages {
        /// The form.
        format: Format,
        /// Name of the last file.
        file: String,
        /// How many events were understood.
        events: u64,
    },
    /// A database that cannot be read.
    #[error("{file}: {problem}")]
    Database {
        /// Name of the file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// `file`, or `file:line`.
fn place(file: &str, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}

/// The beginning of `bytes` as one line that a terminal can be shown.
pub(crate) fn sample(bytes: &[u8]) -> String {
    let cut = bytes.len().min(SAMPLE_BYTES);
    let mut shown: String = String::from_utf8_lossy(&bytes[..cut])
        .chars()
        .flat_map(char::escape_debug)
        .collect();
    if cut < bytes.len() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_short_and_harmless() {
        let shown = sample(&[b"\x1b[2J\xff\xe2\x80\xae\0", [b'a'; 1000].as_slice()].concat());
        assert!(
            shown.starts_with("\\u{1b}[2J\u{fffd}\\u{202e}\\0aaa"),
            "{shown}"
        );
        assert!(shown.ends_with("aaa...") && shown.len() < 200);
    }
}
