//! From a request to its reply.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use proctor_types::manifest::FailureKind;
use proctor_types::model::{BudgetScope, ExchangeEnd, Usage};
use tokio::time::Instant;

use super::body;
use super::budget::{Denied, Reservation};
use super::exchange::Pending;
use super::refused::{Refused, refuse};
use super::request::{self, Checked};
use super::tail::{Origin, ReplyBody, whole};
use super::upstream::{self, Answer, ErrorAnswer, Outgoing};
use super::{Source, Trial, headers, models};
use crate::Body;
use crate::api::{Endpoint, ModelApi, Operation, Problem};
use crate::cassette::{Asked, Take};
use crate::reply::ApiError;
use crate::route::{self, ModelRoute};
use crate::tap::Tap;
use crate::transport::Connections;

/// Tokens that a reply is taken to have where the request names no bound.
const REPLY_TOKENS: u64 = 4096;
/// Most tokens that a reply is taken to have, whatever bound the request names:
/// clients name what a model can write at most, or any number, and it would keep
/// all others waiting.
const REPLY_MOST: u64 = 64_000;

/// A request that has been understood and admitted.
struct Admitted<'a> {
    route: &'a ModelRoute,
    endpoint: Endpoint,
    parts: Parts,
    checked: Checked,
    /// Parameters of the query that go on.
    query: Option<String>,
}

impl Admitted<'_> {
    /// The model that is asked in the end.
    fn model(&self) -> &str {
        let rewritten = self.route.rewrite_model.as_deref();
        rewritten.unwrap_or(&self.checked.asked)
    }
}

pub(super) async fn respond(trial: &Arc<Trial>, request: Request<Body>) -> Response<Body> {
    // Waits its turn before its body is read: bodies take memory.
    let permit = Arc::clone(&trial.in_flight).acquire_owned().await.ok();
    let (parts, body) = request.into_parts();
    let host = host_of(&parts);
    let mut pending = Pending::new(trial, &parts, &host, permit);
    let Some(route) = trial.route(&host) else {
        let message = format!("{host} is none of the trial's models");
        let api = ModelApi::OpenaiChat;
        return refuse(pending, api, Refused::of(Problem::NotFound, None, message));
    };
    let fallback = route.apis.first().copied().unwrap_or(ModelApi::OpenaiChat);
    let Some(endpoint) = Endpoint::of(&route.apis, &parts.method, parts.uri.path()) else {
        let path: String = parts.uri.path().chars().take(200).collect();
        let message = format!(
            "{} {path} is not let through: this trial has the model and nothing else of {host}",
            parts.method
        );
        return refuse(
            pending,
            fallback,
            Refused::of(Problem::NotFound, None, message),
        );
    };
    let api = endpoint.api;
    pending.edit(|it| it.api = Some(api.name().to_owned()));
    match endpoint.operation {
        Operation::ListModels | Operation::GetModel => models::answer(pending, route, &endpoint),
        Operation::Generate { .. } | Operation::CountTokens => {
            match admit(trial, route, endpoint, parts, body, &mut pending).await {
                Ok(admitted) => answer(trial, admitted, pending).await,
                Err(refused) => refuse(pending, api, refused),
            }
        }
    }
}

/// Reads, checks and reserves.
async fn admit<'a>(
    trial: &Trial,
    route: &'a ModelRoute,
    endpoint: Endpoint,
    parts: Parts,
    body: Body,
    pending: &mut Pending,
) -> Result<Admitted<'a>, Refused> {
    let limits = &trial.job.limits;
    let packed = body::read(body, limits.request_bytes, limits.request_time).await?;
    let sent = packed.len() as u64;
    let body = body::unpack(&parts.headers, packed, limits.request_bytes).await?;
    pending.complete(&body, sent);
    let checked = request::check(route, &endpoint, &body)?;
    let generates = matches!(endpoint.operation, Operation::Generate { .. });
    if generates {
        pending.counts();
    }
    pending.edit(|it| {
        it.asked = Some(checked.asked.clone());
        it.rewritten.clone_from(&route.rewrite_model);
        it.removed.clone_from(&checked.removed);
    });
    match reserve(trial, route, &checked, generates).await {
        Ok(reservations) => pending.reserved(reservations),
        Err(denied) => {
            // The trial's other requests are the agent's own doing.
            if matches!(denied, Denied::Waited(BudgetScope::Trial)) {
                pending.failure(Some(FailureKind::Budget));
            }
            return Err(denied.into());
        }
    }
    let query = parts.uri.query().and_then(kept_query);
    Ok(Admitted {
        route,
        endpoint,
        parts,
        checked,
        query,
    })
}

/// Reserves what the request is likely to take, of the trial first, and waits no
/// longer than a reply may take.
async fn reserve(
    trial: &Trial,
    route: &ModelRoute,
    checked: &Checked,
    generates: bool,
) -> Result<Vec<Reservation>, Denied> {
    let likely = if generates {
        likely(checked.body.len(), checked.most)
    } else {
        Usage::default()
    };
    let until = Instant::now() + trial.job.limits.total;
    let model = route.rewrite_model.as_ref().unwrap_or(&checked.asked);
    let amount = trial.job.prices.amount(model, &likely).unwrap_or(0);
    let mut reservations = Vec::with_capacity(2);
    for ledger in [&trial.ledger, &trial.job.ledger] {
        reservations.push(ledger.reserve(likely.total(), amount, until).await?);
    }
    Ok(reservations)
}

/// The tokens of a request with a body of so many bytes and of its reply.
fn likely(body: usize, most: Option<u64>) -> Usage {
    Usage {
        input: body as u64 / 4,
        output: most.unwrap_or(REPLY_TOKENS).min(REPLY_MOST),
        ..Usage::default()
    }
}

async fn answer(
    trial: &Arc<Trial>,
    admitted: Admitted<'_>,
    mut pending: Pending,
) -> Response<Body> {
    let asked = Asked {
        method: admitted.parts.method.as_str(),
        host: &admitted.route.host,
        path: admitted
            .endpoint
            .path(admitted.route.rewrite_model.as_deref()),
        query: admitted.query.as_deref(),
        body: &admitted.checked.body,
    };
    match &trial.source {
        Source::Live {
            connections,
            recorder,
        } => {
            let take = recorder
                .as_ref()
                .map(|recorder| recorder.take(&asked, &trial.redactor));
            live(trial, connections, &admitted, pending, take).await
        }
        Source::Replay(player) => match player.play(&asked) {
            Ok(reply) => {
                pending.attempt();
                pieces(trial, &admitted, pending, reply)
            }
            Err(report) => {
                let end = ExchangeEnd::CassetteMismatch {
                    report: report.clone(),
                };
                let message = format!("the cassette has no reply to this request: {report}");
                let refused = Refused::ending(Problem::Request, message, end);
                refuse(pending, admitted.endpoint.api, refused)
            }
        },
        Source::Scripted(script) => {
            match script.answer(&admitted.endpoint, &admitted.checked.asked, asked.body) {
                Ok(reply) => {
                    pending.attempt();
                    pieces(trial, &admitted, pending, reply)
                }
                Err(reason) => {
                    let end = ExchangeEnd::Script {
                        reason: reason.clone(),
                    };
                    let message = format!("the script does not fit: {reason}");
                    let refused = Refused::ending(Problem::Request, message, end);
                    refuse(pending, admitted.endpoint.api, refused)
                }
            }
        }
    }
}

/// A reply that is there already: recorded or scripted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) pieces: VecDeque<Bytes>,
}

fn pieces(
    trial: &Trial,
    admitted: &Admitted<'_>,
    mut pending: Pending,
    reply: Ready,
) -> Response<Body> {
    let Ready {
        status,
        headers,
        pieces,
    } = reply;
    if !status.is_success() {
        pending.unpaid();
        let body: Vec<u8> = pieces.iter().flatten().copied().collect();
        let error = ApiError::read(&body);
        let model = admitted.model();
        let answer = ErrorAnswer::new(status, headers, Bytes::from(body), error, model);
        return upstream_error(admitted.endpoint.api, pending, answer, None);
    }
    let tap = tap_of(&admitted.endpoint, &headers);
    begin(&mut pending, status, &headers);
    let mut body = ReplyBody::new(Origin::Pieces(pieces), tap, pending, &trial.job.limits);
    if admitted.checked.drop_usage_event {
        body = body.without_usage_event();
    }
    let passed = headers::answered(&headers, &trial.redactor);
    response(status, passed, body.boxed())
}

async fn live(
    trial: &Arc<Trial>,
    connections: &Connections,
    admitted: &Admitted<'_>,
    mut pending: Pending,
    take: Option<Take>,
) -> Response<Body> {
    let Admitted {
        route,
        endpoint,
        parts,
        checked,
        query,
    } = admitted;
    let api = endpoint.api;
    let model = route.rewrite_model.as_deref();
    let address = match route::address(&route.upstream, endpoint, model, query.as_deref()) {
        Ok(address) => address,
        Err(error) => {
            let message = format!("the request has no address at the upstream: {error}");
            return refuse(pending, api, Refused::of(Problem::Request, None, message));
        }
    };
    let outgoing = Outgoing {
        method: parts.method.clone(),
        address,
        headers: headers::outgoing(api, route.key.as_ref(), &parts.headers),
        body: checked.body.clone(),
        model: admitted.model().to_owned(),
    };
    match upstream::ask(connections, &mut pending, &outgoing).await {
        Answer::Reply(parts, incoming) => {
            begin(&mut pending, parts.status, &parts.headers);
            let tap = tap_of(endpoint, &parts.headers);
            let from = Origin::Upstream(incoming);
            let mut body = ReplyBody::new(from, tap, pending, &trial.job.limits);
            if checked.drop_usage_event {
                body = body.without_usage_event();
            }
            let passed = headers::answered(&parts.headers, &trial.redactor);
            if let Some(mut take) = take {
                take.begins(parts.status, &passed);
                body = body.recorded(take);
            }
            response(parts.status, passed, body.boxed())
        }
        Answer::Error(error) => upstream_error(api, pending, error, take),
        Answer::None {
            problem,
            end,
            message,
            ..
        } => refuse(pending, api, Refused::ending(problem, message, end)),
    }
}

/// Passes on that the upstream says no.
fn upstream_error(
    api: ModelApi,
    mut pending: Pending,
    answer: ErrorAnswer,
    take: Option<Take>,
) -> Response<Body> {
    let status = answer.status;
    pending.failure(answer.failure);
    if answer.is_about_the_key() {
        let message = format!(
            "the operator's key was not accepted by the model's service ({status}); nothing in \
             here can change that"
        );
        let end = ExchangeEnd::Upstream {
            status: status.as_u16(),
            reason: "the operator's key was not accepted".to_owned(),
        };
        return refuse(pending, api, Refused::ending(Problem::Key, message, end));
    }
    let end = ExchangeEnd::Upstream {
        status: status.as_u16(),
        reason: answer.error.describe(),
    };
    if status.is_redirection() || status.is_informational() {
        let message = format!("the model's service answered {status}, which is not followed");
        return refuse(
            pending,
            api,
            Refused::ending(Problem::Upstream, message, end),
        );
    }
    let headers = headers::answered(&answer.headers, &pending.trial().redactor);
    if let Some(mut take) = take {
        take.begins(status, &headers);
        take.piece(&answer.body);
        take.keep();
    }
    pending.edit(|it| it.status = Some(status.as_u16()));
    pending.sends(&answer.body);
    pending.end(end);
    response(status, headers, whole(answer.body))
}

fn begin(pending: &mut Pending, status: StatusCode, headers: &HeaderMap) {
    let streamed = is_event_stream(headers);
    pending.edit(|it| {
        it.status = Some(status.as_u16());
        it.streamed = streamed;
    });
}

fn tap_of(endpoint: &Endpoint, headers: &HeaderMap) -> Tap {
    let api = endpoint.api;
    let encoding = headers.get(header::CONTENT_ENCODING);
    match encoding.map(|it| it.to_str().unwrap_or("?")) {
        Some(encoding) if !encoding.eq_ignore_ascii_case("identity") => Tap::packed(api, encoding),
        _ if endpoint.operation == Operation::CountTokens => Tap::opaque(api),
        _ => Tap::new(api, is_event_stream(headers)),
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media_type = value.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("text/event-stream")
}

pub(super) fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The host that a request names, in lower case and without its port.
fn host_of(parts: &Parts) -> String {
    let field = || parts.headers.get(header::HOST)?.to_str().ok();
    let named = parts
        .uri
        .authority()
        .map(http::uri::Authority::as_str)
        .or_else(field);
    let named = named.unwrap_or_default();
    let host = named.parse::<http::uri::Authority>();
    let host = host.as_ref().map_or("", |it| it.host());
    let host = host.strip_suffix('.').unwrap_or(host);
    host.chars()
        .take(253)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// The parameters of a query that mean something to the APIs; none of them
/// holds a key, and none leaves the count of tokens out of the reply.
fn kept_query(query: &str) -> Option<String> {
    let kept = |pair: &&str| {
        matches!(
            *pair,
            "alt=sse" | "alt=json" | "$alt=sse" | "$alt=json" | "beta=true"
        )
    };
    let kept: Vec<_> = query.split('&').filter(kept).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_request_reserves_more_than_a_reply_can_have() {
        let output = |most| likely(400, most).output;
        assert_eq!(output(Some(u64::MAX)), REPLY_MOST);
        assert_eq!(output(Some(100)), 100);
        assert_eq!(output(None), REPLY_TOKENS);
        assert_eq!(likely(400, Some(1)).total(), 101);
    }
}
