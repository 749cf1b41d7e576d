//! Gemini CLI. Measured with the version of November 2026, which leaves a
//! stream (`-o stream-json`) and a session
//! (`~/.gemini/tmp/*/chats/session-*.jsonl`).

mod session;
mod stream;

use crate::combine::combine;
use crate::error::ReadError;
use crate::json::Look;
use crate::limits::ReadLimits;
use crate::lines::{first_objects, whole};
use crate::transcript::{NativeFile, Transcript};

pub(crate) fn read(files: &[NativeFile], limits: &ReadLimits) -> Result<Transcript, ReadError> {
    let (sessions, streams): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| is_session(file, limits));
    combine(
        (!sessions.is_empty()).then(|| session::read(&sessions, limits)),
        (!streams.is_empty()).then(|| stream::read(&streams, limits)),
    )
}

fn is_session(file: &NativeFile, limits: &ReadLimits) -> bool {
    let is = |fields: &crate::json::Fields| {
        fields.text("sessionId").is_some() || fields.contains_key("$set")
    };
    let first = first_objects(file, limits);
    // Older versions write one document of many lines.
    first.iter().any(is) || (first.is_empty() && whole(file, limits).is_some_and(|one| is(&one)))
}
