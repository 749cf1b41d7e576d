//! Writing to standard output and error. A closed pipe (`proctor ... | head`)
//! is no reason to fail.

use std::io::Write;

/// A line on standard output.
pub(crate) fn out(text: &str) {
    drop(writeln!(std::io::stdout().lock(), "{text}"));
}

/// Bytes on standard output, as they are.
pub(crate) fn raw(bytes: &[u8]) {
    drop(std::io::stdout().lock().write_all(bytes));
}

/// A line on standard error.
pub(crate) fn err(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
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
