//! Asking the upstream, and asking again.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Uri, response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use proctor_types::manifest::FailureKind;
use proctor_types::model::ExchangeEnd;
use tokio::time::{Instant, timeout};

use super::exchange::Pending;
use super::retry;
use crate::api::Problem;
use crate::reply::ApiError;
use crate::transport::chain;

/// Bytes of an answer that is an error.
const ERROR: usize = 1 << 20;
/// How long the body of such an answer may take.
const ERROR_TIME: Duration = Duration::from_secs(30);
/// How often connecting is tried at most: a server that is not there does not
/// come back as one that is busy does.
const CONNECTS: u32 = 3;

/// What goes out.
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) address: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// What came of it.
pub(super) enum Answer {
    /// A reply of the model begins.
    Reply(response::Parts, Incoming),
    /// The upstream says no; complete.
    Error(ErrorAnswer),
    /// There is no answer.
    None {
        problem: Problem,
        end: ExchangeEnd,
        message: String,
    },
}

/// An answer that is an error.
pub(super) struct ErrorAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// Its body, keys blanked.
    pub(super) body: Bytes,
    pub(super) error: ApiError,
}

impl ErrorAnswer {
    /// Whether the key was not taken. What providers then say shows parts of it.
    pub(super) fn is_about_the_key(&self) -> bool {
        self.error.failure(self.status.as_u16()) == Some(FailureKind::Authentication)
    }
}

/// Sends a request, and sends it again while the upstream is busy: nothing of
/// a reply has reached the agent yet.
pub(super) async fn ask(pending: &mut Pending, outgoing: &Outgoing) -> Answer {
    let limits = pending.trial().job.limits.clone();
    let began = Instant::now();
    let mut attempt = 1;
    loop {
        pending.attempt();
        let answer = once(pending, outgoing).await;
        let wait = match &answer {
            Answer::Reply(..) => return answer,
            Answer::Error(error) => {
                pending.unpaid();
                if !retry::is_worth(error.status, &error.error) {
                    return answer;
                }
                retry::hint(&error.headers, &error.body)
            }
            Answer::None { end, .. } => {
                if matches!(end, ExchangeEnd::Unreachable { .. }) {
                    pending.unpaid();
                }
                if !is_connect(end) || attempt >= CONNECTS {
                    return answer;
                }
                None
            }
        };
        let wait = wait.unwrap_or_else(|| retry::backoff(attempt));
        let left = limits.patience.saturating_sub(began.elapsed());
        if attempt >= limits.attempts || wait > left {
            return answer;
        }
        tracing::debug!(attempt, ?wait, "asking the model's service again");
        let before = Instant::now();
        tokio::time::sleep(wait).await;
        pending.waited(before.elapsed());
        attempt += 1;
    }
}

/// A connection that could not be had, not one that broke: there the upstream
/// may have begun, and would be paid twice.
fn is_connect(end: &ExchangeEnd) -> bool {
    matches!(end, ExchangeEnd::Unreachable { reason } if reason.starts_with(CONNECT))
}

const CONNECT: &str = "no connection";

async fn once(pending: &Pending, outgoing: &Outgoing) -> Answer {
    let trial = pending.trial();
    let mut request = Request::new(Full::new(outgoing.body.clone()));
    *request.method_mut() = outgoing.method.clone();
    *request.uri_mut() = outgoing.address.clone();
    *request.headers_mut() = outgoing.headers.clone();
    let first_byte = trial.job.limits.first_byte;
    let response = match timeout(first_byte, trial.job.connections.request(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            let kind = if error.is_connect() {
                CONNECT
            } else {
                "the connection broke"
            };
            let reason = trial.redactor.text(&format!("{kind}: {}", chain(&error)));
            return Answer::None {
                problem: Problem::Upstream,
                message: format!("the model's service cannot be reached: {reason}"),
                end: ExchangeEnd::Unreachable { reason },
            };
        }
        Err(_) => return late("the reply's first byte"),
    };
    let (parts, body) = response.into_parts();
    if parts.status.is_success() {
        return Answer::Reply(parts, body);
    }
    let body = timeout(ERROR_TIME, Limited::new(body, ERROR).collect()).await;
    let body = match body {
        Ok(Ok(body)) => trial.redactor.bytes(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Bytes::new(),
        Ok(Err(error)) => {
            let reason = format!("the connection broke: {}", chain(error.as_ref()));
            let reason = trial.redactor.text(&reason);
            return Answer::None {
                problem: Problem::Upstream,
                message: format!("the model's service cannot be reached: {reason}"),
                end: ExchangeEnd::Unreachable { reason },
            };
        }
        Err(_) => return late("the body of an error"),
    };
    Answer::Error(ErrorAnswer {
        status: parts.status,
        headers: parts.headers,
        error: ApiError::read(&body),
        body,
    })
}

fn late(what: &str) -> Answer {
    Answer::None {
        problem: Problem::UpstreamSlow,
        message: format!("{what} took too long"),
        end: ExchangeEnd::Timeout {
            what: what.to_owned(),
        },
    }
}
