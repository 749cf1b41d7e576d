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

/// Something odd on standard error: a line for people, or one JSON object.
pub(crate) fn warning(format: Format, message: &str) {
    match format {
        Format::Text => err(&format!("warning: {message}")),
        Format::Json => {
            let object = serde_json::json!({"warning": {"message": message}});
            drop(writeln!(std::io::stderr().lock(), "{object}"));
        }
    }
}

/// What is wrong with a command line. It quotes arguments, which may come from
/// anywhere: they lose their power over the terminal, and with them the colours
/// of the message.
pub(crate) fn usage(error: &clap::Error) {
    let text = error.render().to_string();
    let is_plain = *printable(&text) == *text;
    if is_plain {
        drop(error.print());
    } else {
        err(text.trim_end());
    }
}

/// Standard error for the log: a line at a time, with everything made visible
/// that a terminal would act on.
pub(crate) struct Log;

impl<'a> tracing_subscriber::fmt::MakeWriter<'a> for Log {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine(Vec::new())
    }
}

/// One line of the log; written when it is complete.
pub(crate) struct LogLine(Vec<u8>);

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        drop(write!(std::io::stderr().lock(), "{}", printable(&text)));
    }
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
