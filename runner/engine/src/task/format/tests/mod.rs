//! The traps of the format: what the field's files look like, and what hostile
//! ones do.

mod body;
mod front_matter;
mod hostile;
mod proctor_key;

use super::{Document, FormatError};
use crate::task::testing::{CHECKS, SERVICES};

/// A task with just these lines as its front matter.
fn front(lines: &str) -> String {
    format!("---\n{lines}\n---\n\n## Prompt\n\nDo it.\n\n{CHECKS}")
}

/// Parses bytes that need not be text.
fn parse_bytes(bytes: &[u8]) -> Result<Document, FormatError> {
    super::parse("task.md", bytes, SERVICES)
}
