//! Asking the upstream, and asking again.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Uri, response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use proctor_types::manifest::FailureKind;
use proctor_types::model::ExchangeEnd;
use tokio::time::{Instant, timeout};

use super::exchange::{Pending, failure_of};
use super::retry;
use crate::api::Problem;
use crate::redact::Redactor;
use crate::reply::ApiError;
use crate::transport::{Connections, chain};

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
    /// The model that is asked.
    pub(super) model: String,
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
        /// Whether there was a connection, so that the upstream may have begun.
        connected: bool,
    },
}

impl Answer {
    /// What it is as a failure, should it be the last.
    fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Reply(..) => None,
            Self::Error(error) => error.failure,
            Self::None { end, .. } => failure_of(end),
        }
    }
}

/// An answer that is an error.
pub(super) struct ErrorAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// Its body, keys blanked.
    pub(super) body: Bytes,
    pub(super) error: ApiError,
    /// What it is as a failure.
    pub(super) failure: Option<FailureKind>,
}

impl ErrorAnswer {
    /// `model`: the one that was asked.
    pub(super) fn new(
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
        error: ApiError,
        model: &str,
    ) -> Self {
        Self {
            status,
            headers,
            body,
            failure: error.failure_of(status.as_u16(), Some(model)),
            error,
        }
    }

    /// Whether the key was not taken. What providers then say shows parts of it.
    pub(super) fn is_about_the_key(&self) -> bool {
        self.failure == Some(FailureKind::Authentication)
    }
}

/// Sends a request, and sends it again while the upstream is busy: nothing of
/// a reply has reached the agent yet.
pub(super) async fn ask(
    connections: &Connections,
    pending: &mut Pending,
    outgoing: &Outgoing,
) -> Answer {
    let limits = pending.trial().job.limits.clone();
    let began = Instant::now();
    let mut attempt = 1;
    loop {
        pending.attempt();
        let answer = once(connections, pending, outgoing).await;
        // An agent that is gone by the time of the next answer was not served,
        // and that is not its own doing.
        pending.failure(answer.failure());
        let wait = match &answer {
            Answer::Error(error) => {
                pending.unpaid();
                if !retry::is_worth(error.status, &error.error) {
                    return answer;
                }
                retry::hint(&error.headers, &error.body)
            }
            // Where there was a connection the upstream may have begun, and would
            // be paid twice.
            Answer::Reply(..)
            | Answer::None {
                connected: true, ..
            } => return answer,
            Answer::None { .. } => {
                pending.unpaid();
                if attempt >= CONNECTS {
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

async fn once(connections: &Connections, pending: &Pending, outgoing: &Outgoing) -> Answer {
    let trial = pending.trial();
    let mut request = Request::new(Full::new(outgoing.body.clone()));
    *request.method_mut() = outgoing.method.clone();
    *request.uri_mut() = outgoing.address.clone();
    *request.headers_mut() = outgoing.headers.clone();
    let first_byte = trial.job.limits.first_byte;
    let response = match timeout(first_byte, connections.request(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            let connected = !error.is_connect();
            let kind = if connected {
                "the connection broke"
            } else {
                "no connection"
            };
            let reason = trial.redactor.text(&format!("{kind}: {}", chain(&error)));
            return Answer::None {
                problem: Problem::Upstream,
                message: format!("the model's service cannot be reached: {reason}"),
                end: ExchangeEnd::Unreachable { reason },
                connected,
            };
        }
        Err(_) => return late("the reply's first byte"),
    };
    let (parts, body) = response.into_parts();
    if parts.status.is_success() {
        return Answer::Reply(parts, body);
    }
    let (body, error) = explanation(&trial.redactor, body).await;
    Answer::Error(ErrorAnswer::new(
        parts.status,
        parts.headers,
        body,
        error,
        &outgoing.model,
    ))
}

/// The body of an answer that is an error, keys blanked, and what it says. The
/// status says no already: a body that cannot be had changes nothing of that.
async fn explanation(redactor: &Redactor, body: Incoming) -> (Bytes, ApiError) {
    let told = |what: String| (Bytes::new(), ApiError::told(what));
    match timeout(ERROR_TIME, Limited::new(body, ERROR).collect()).await {
        Ok(Ok(body)) => {
            let body = redactor.bytes(body.to_bytes());
            let error = ApiError::read(&body);
            (body, error)
        }
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            told(format!("an explanation longer than {ERROR} bytes"))
        }
        Ok(Err(error)) => {
            let reason = redactor.text(&chain(error.as_ref()));
            told(format!("an explanation that broke off: {reason}"))
        }
        Err(_) => told("an explanation that took too long".to_owned()),
    }
}

fn late(what: &str) -> Answer {
    Answer::None {
        problem: Problem::UpstreamSlow,
        message: format!("{what} took too long"),
        end: ExchangeEnd::Timeout {
            what: what.to_owned(),
        },
        connected: true,
    }
}
