//! Writing to standard output and error. A closed pipe (`proctor ... | head`)
//! is no reason to fail; a result that could not be written is.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use proctor_engine::printable;

use crate::reporter::Format;

/// Why standard output does not have all that was written to it.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// A line for people on standard output.
pub(crate) fn out(text: &str) {
    exact(&printable(text));
}

/// A line for programs on standard output, as it is.
pub(crate) fn exact(line: &str) {
    raw(format!("{line}\n").as_bytes());
}

/// Bytes on standard output, as they are.
pub(crate) fn raw(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    check(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// Remembers that a write to standard output failed.
pub(crate) fn check(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first failure is the one to tell.
        drop(LOST.set(error));
    }
}

/// Why standard output does not have all that was written to it, where it does
/// not.
pub(crate) fn lost() -> Option<&'static std::io::Error> {
    LOST.get()
}

/// A line for people on standard error.
pub(crate) fn err(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{}", printable(text)));
}

/// An error on standard error: lines for people, or one JSON object.
pub(crate) fn error(format: Format, code: u8, message: &str, hint: Option<&str>) {
    match format {
        Format::Text => {
            err(&format!("error: {message}"));
            if let Some(hint) = hint {
                err(&format!("hint: {hint}"));
            }
        }
        Format::Json => {
            let object = serde_json::json!({
                "error": {"code": code, "message": message, "hint": hint}
            });
            drop(writeln!(std::io::stderr().lock(), "{object}"));
        }
    }
}

/// An error and its causes on one line, without a cause that only repeats what
/// stands before it.
pub(crate) fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}
