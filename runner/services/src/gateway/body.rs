//! Reading request bodies, within bounds.

use ::http::HeaderMap;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::budget::Share;
use super::http::{Refusal, expects_continue};

/// A body, complete.
pub(super) struct Body {
    pub(super) bytes: Bytes,
    /// What it takes of the gateway's budget, as long as it is held.
    pub(super) share: Share,
}

/// Why there is no body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// Longer than the cap.
    TooLarge,
    /// Not complete in time.
    Slow,
    /// The client left, or framed it wrongly.
    Broken(String),
    /// Too much is on its way already.
    Busy,
}

impl BodyError {
    pub(super) fn refusal(&self, cap: usize) -> Refusal {
        let (status, text) = match self {
            Self::TooLarge => (413, format!("the body is longer than {cap} bytes")),
            Self::Slow => (408, "the body did not arrive in time".to_owned()),
            Self::Broken(error) => (400, format!("the body is broken: {error}")),
            Self::Busy => (503, "too many bytes are on their way already".to_owned()),
        };
        Refusal { status, text }
    }
}

/// Reads a body of at most `cap` bytes.
///
/// The rest of a longer one is read and thrown away, up to some length: a
/// client that is still sending when the connection closes loses the answer.
pub(super) async fn read(
    shared: &Shared,
    headers: &HeaderMap,
    mut body: Incoming,
    cap: usize,
) -> Result<Body, BodyError> {
    let deadline = Instant::now() + shared.limits.body_timeout;
    let mut share = shared.in_flight.share();
    if shared.in_flight.is_spent() {
        return Err(BodyError::Busy);
    }
    if body.size_hint().lower() > cap as u64 {
        if !expects_continue(headers) {
            discard(&mut body, cap.saturating_mul(4), deadline).await;
        }
        return Err(BodyError::TooLarge);
    }
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(data) = next(&mut body, deadline).await? {
        if joined.len() + whole.len() + data.len() > cap {
            drop((whole, joined));
            discard(&mut body, cap.saturating_mul(4), deadline).await;
            return Err(BodyError::TooLarge);
        }
        if !shared.in_flight.grow(&mut share, data.len()) {
            return Err(BodyError::Busy);
        }
        if whole.is_empty() && joined.is_empty() {
            whole = data; // most bodies come in one piece: no copy
        } else {
            joined.extend_from_slice(&std::mem::take(&mut whole));
            joined.extend_from_slice(&data);
        }
    }
    let bytes = if joined.is_empty() {
        whole
    } else {
        joined.freeze()
    };
    Ok(Body { bytes, share })
}

/// The next piece of data; trailers are skipped.
async fn next(body: &mut Incoming, deadline: Instant) -> Result<Option<Bytes>, BodyError> {
    loop {
        let frame = timeout_at(deadline, body.frame())
            .await
            .map_err(|_| BodyError::Slow)?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return Err(BodyError::Broken(error.to_string())),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

async fn discard(body: &mut Incoming, most: usize, deadline: Instant) {
    let mut seen = 0;
    while let Ok(Some(data)) = next(body, deadline).await {
        seen += data.len();
        if seen > most {
            return;
        }
    }
}
