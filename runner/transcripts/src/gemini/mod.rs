//! Gemini CLI. Measured with 0.61.0, which leaves a stream
//! (`-o stream-json`) and a session (`~/.gemini/tmp/*/chats/session-*.jsonl`).

mod session;
mod stream;

use crate::combine::combine;
use crate::error::ReadError;
use crate::json::Look;
use crate::limits::Bounds;
use crate::lines::{first_objects, whole};
use crate::transcript::{NativeFile, Transcript};

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (sessions, streams): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| is_session(file, bounds));
    combine(
        (!sessions.is_empty()).then(|| session::read(&sessions, bounds)),
        (!streams.is_empty()).then(|| stream::read(&streams, bounds)),
    )
}

fn is_session(file: &NativeFile, bounds: &Bounds) -> bool {
    let is = |fields: &crate::json::Fields| {
        fields.text("sessionId").is_some() || fields.contains_key("$set")
    };
    let first = first_objects(file, bounds);
    // Older versions write one document of many lines.
    first.iter().any(is)
        || (first.is_empty()
            && match whole(file, &bounds.aside()) {
                Ok(document) => document.is_some_and(|document| is(&document)),
                // No stream is one document; the session's reader says what is wrong.
                Err(_) => true,
            })
}
