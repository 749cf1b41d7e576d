//! One run from the two accounts that an agent leaves of it.

use crate::error::ReadError;
use crate::transcript::{NativeEnd, Transcript};

/// The session's messages with the stream's end. One account will do where the
/// other is not there or cannot be read.
pub(crate) fn combine(
    session: Option<Result<Transcript, ReadError>>,
    stream: Option<Result<Transcript, ReadError>>,
) -> Result<Transcript, ReadError> {
    match (session, stream) {
        (Some(Ok(session)), Some(Ok(stream))) if session.has_messages() => {
            Ok(supplement(session, stream))
        }
        (Some(Ok(session)), Some(Ok(stream))) => Ok(supplement(stream, session)),
        (Some(Ok(mut one)), Some(Err(error))) | (Some(Err(error)), Some(Ok(mut one))) => {
            one.warnings.push(error.to_string());
            Ok(one)
        }
        (Some(one), _) | (None, Some(one)) => one,
        // The caller found at least one file, and each is one or the other.
        (None, None) => Ok(Transcript::default()),
    }
}

/// `base` with what only `other` knows. The stream's result is the more
/// outspoken of two ends.
fn supplement(mut base: Transcript, other: Transcript) -> Transcript {
    base.end = match (base.end, other.end) {
        (
            Some(NativeEnd::Failed { failure: known, .. }),
            Some(NativeEnd::Failed { failure, reason }),
        ) => Some(NativeEnd::Failed {
            failure: failure.or(known),
            reason,
        }),
        (one, other) => other.or(one),
    };
    base.usage = base.usage.or(other.usage);
    base.session_id = base.session_id.or(other.session_id);
    base.version = base.version.or(other.version);
    base.final_text = other.final_text.or(base.final_text);
    base.cost_usd = other.cost_usd.or(base.cost_usd);
    base.turns = other.turns.or(base.turns);
    if base.models.is_empty() {
        base.models = other.models;
    }
    base.unknown.count += other.unknown.count;
    base.unknown.samples.extend(other.unknown.samples);
    base.warnings.extend(other.warnings);
    base
}
