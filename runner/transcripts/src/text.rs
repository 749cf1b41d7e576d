//! Plain output: what an agent prints that has no form of its own.

use proctor_types::transcript::Part;

use crate::builder::{Builder, Words};
use crate::error::ReadError;
use crate::format::Format;
use crate::limits::Bounds;
use crate::transcript::{NativeFile, Transcript};

/// All files as one message of the agent's; bytes that are no UTF-8 are
/// replaced.
pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let mut builder = Builder::new(Format::Text, bounds);
    let mut text = String::new();
    for file in files {
        builder.at(file, None);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&String::from_utf8_lossy(&file.bytes));
    }
    let text = text.trim_end();
    if !text.is_empty() {
        builder.reply(Words {
            content: vec![Part::text(text)],
            ..Words::default()
        })?;
    }
    builder.finish()
}
