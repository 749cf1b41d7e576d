//! Readers of what agents leave behind: sessions and streams as canonical
//! transcripts.
//!
//! Every agent writes its own form. [`read`] turns the files of one run, as
//! they are, into the events of `transcript.jsonl` and what can be said of the
//! run as a whole: tokens, models, cost, how it ended by its own account. The
//! files come from inside a sandbox: everything is bounded ([`ReadLimits`]),
//! nothing in them is run, and what is not understood is kept and counted, or
//! refused with a sample of it. A transcript without a word in it is never the
//! answer.
//!
//! An agent often leaves two accounts: what it printed (a stream, which ends
//! with a result) and its session file (which has the prompt, times and final
//! token counts). Give both where both are there: the messages are the
//! session's, the end is the stream's.
//!
//! Nothing here opens a file of the agent's, but that a database is copied
//! into a private temporary folder, where `SQLite` can read it.

mod atif;
mod builder;
mod calls;
mod canonical;
mod claude_code;
mod codex;
mod combine;
mod cut;
mod error;
mod failure;
mod format;
mod gemini;
mod json;
mod limits;
mod lines;
mod openclaw;
mod opencode;
mod pi;
mod sqlite;
mod text;
mod transcript;
mod usage;

pub use atif::{AtifAgent, to_atif};
pub use error::ReadError;
pub use format::{Format, UnknownFormat};
pub use limits::ReadLimits;
pub use transcript::{NativeEnd, NativeFile, Transcript, Unknown};

use limits::Bounds;

/// Reads the files that a run of an agent left behind.
///
/// The order of `files` is that of the conversation where there are several of
/// one kind. A `-wal` file beside a database belongs to it.
pub fn read(
    format: Format,
    files: &[NativeFile],
    limits: &ReadLimits,
) -> Result<Transcript, ReadError> {
    limits.admit(format, files)?;
    let bounds = &Bounds::new(*limits);
    match format {
        Format::ClaudeCode => claude_code::read(files, bounds),
        Format::Codex => codex::read(files, bounds),
        Format::Gemini => gemini::read(files, bounds),
        Format::Opencode => opencode::read(files, bounds),
        Format::Openclaw => openclaw::read(files, bounds),
        Format::Pi => pi::read(files, bounds),
        Format::Canonical => canonical::read(files, bounds),
        Format::Text => text::read(files, bounds),
        Format::Atif => atif::read(files, bounds),
    }
}
