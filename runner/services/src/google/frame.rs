//! From a request to an answer: what all methods have in common.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use proctor_types::journal::Touch;
use serde_json::{Value, json};

use crate::google::call::{Body, Call, Media, Read, Reply, matches_etag};
use crate::google::desk::Known;
use crate::google::error::ApiError;
use crate::google::fields::{BadMask, Mask};
use crate::google::method::{Api, Style, Verb};
use crate::google::params::{self, System};
use crate::google::route::{self, Route};
use crate::google::{Ctx, Watched, accept, apis, upload, wire};
use crate::service::{Answer, Request};
use crate::world::{Clock, World};

/// A routed request on its way to the handler.
pub(crate) struct Incoming<'a> {
    pub(crate) route: Route,
    pub(crate) system: System,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: &'a HeaderMap,
    /// Who asks; `None` where no credentials came.
    pub(crate) actor: Option<String>,
    /// JSON body as it came.
    pub(crate) body: Bytes,
    pub(crate) media: Option<Media>,
}

/// What an answer is signed with: service and method for the journal, and how
/// the API renders errors.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) service: &'static str,
    pub(crate) operation: Option<&'static str>,
    pub(crate) actor: Option<String>,
    pub(crate) short_errors: bool,
}

impl Signature {
    /// An answer that no method gives.
    pub(crate) fn of(service: &'static str) -> Self {
        Self {
            service,
            operation: None,
            actor: None,
            short_errors: false,
        }
    }

    /// An answer without body or effect.
    pub(crate) fn answer(self, status: u16) -> Answer {
        let mut answer = Answer::new(self.service, status);
        answer.operation = self.operation;
        answer.actor = self.actor;
        answer
            .headers
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("private"));
        answer.headers.insert(
            header::VARY,
            HeaderValue::from_static("Origin, X-Origin, Referer"),
        );
        answer
    }

    /// The answer that an error is. Errors are indented whatever the request
    /// says.
    pub(crate) fn error(self, error: &ApiError) -> Answer {
        let mut body = error.to_json();
        if self.short_errors
            && let Some(error) = body
                .get_mut("error")
                .and_then(|error| error.as_object_mut())
        {
            error.shift_remove("errors");
        }
        let body = wire::write(&body, true).unwrap_or_default();
        let mut answer = self.answer(error.code).body(wire::MEDIA_TYPE, body);
        if error.code == 401 {
            let realm = HeaderValue::from_static("Bearer realm=\"https://accounts.google.com/\"");
            answer.headers.insert(header::WWW_AUTHENTICATE, realm);
        }
        answer
    }
}

/// Answers a request to an API. `allowed` is the only API that is looked at,
/// where the host names one.
pub(crate) fn answer(world: &mut World, request: &Request, allowed: Option<&str>) -> Answer {
    let service = allowed
        .and_then(|name| apis().iter().find(|api| api.name == name).copied())
        .or_else(|| route::api_of_path(&request.path))
        .map_or("google", |api| api.name);
    let signature = Signature::of(service);
    if upload::is_continuation(request) {
        return upload::proceed(world, request, signature);
    }
    let found = verb(request).map(|verb| route::find(allowed, verb, &request.path));
    let route = match found {
        Some(Ok(Some(route))) => route,
        Some(Err(error)) => return signature.error(&error),
        Some(Ok(None)) | None => return signature.error(&unknown_path(request)),
    };
    let signature = Signature {
        service: route.api.name,
        ..signature
    };
    match incoming(world, request, route) {
        Ok(incoming) if incoming.route.upload => upload::answer(world, request, incoming),
        Ok(incoming) => call(world, incoming),
        Err(error) => signature.error(&error),
    }
}

/// The verb a request means: a long GET comes as POST with a header.
pub(crate) fn verb(request: &Request) -> Option<Verb> {
    let method = request.method.as_str();
    let overridden = request
        .header("x-http-method-override")
        .filter(|_| method == "POST");
    match overridden.unwrap_or(method).to_ascii_uppercase().as_str() {
        "GET" | "HEAD" => Some(Verb::Get),
        "POST" => Some(Verb::Post),
        "PUT" => Some(Verb::Put),
        "PATCH" => Some(Verb::Patch),
        "DELETE" => Some(Verb::Delete),
        _ => None,
    }
}

/// Takes query, credentials and body of a request.
pub(crate) fn incoming<'a>(
    world: &World,
    request: &'a Request,
    route: Route,
) -> Result<Incoming<'a>, ApiError> {
    let (mut system, mut query) = params::parse(request.query.as_bytes())?;
    let mut body = request.body.clone();
    // A form is a query that came as a body: of a long GET, or of a client that
    // did not name JSON, which Google reads the same way.
    if !route.upload && request.media_type() == "application/x-www-form-urlencoded" {
        let (more, pairs) = params::parse(&body)?;
        query.extend(pairs);
        system = system.or(more);
        body = Bytes::new();
    }
    system.check_alt()?;
    let actor = holder(world, request.bearer().or(system.token.as_deref()));
    Ok(Incoming {
        route,
        system,
        query,
        headers: &request.headers,
        actor,
        body,
        media: None,
    })
}

/// Address of whom a token stands for; `None` where there is no token.
pub(crate) fn holder(world: &World, token: Option<&str>) -> Option<String> {
    let token = token?;
    let google = world.google.as_ref();
    let holder = google.map(|google| google.holder(token, &world.account));
    Some(holder.unwrap_or(&world.account.email).to_owned())
}

/// Runs the method.
pub(crate) fn call(world: &mut World, incoming: Incoming<'_>) -> Answer {
    let Route { api, method, .. } = incoming.route;
    let signature = Signature {
        service: api.name,
        operation: Some(method.id),
        actor: incoming.actor.clone(),
        short_errors: incoming.system.short_errors,
    };
    let if_none_match = incoming.headers.get(header::IF_NONE_MATCH).cloned();
    let actor = incoming.actor.clone();
    let answered = prepare(incoming).and_then(|call| {
        let reply = run(world, actor.as_deref().unwrap_or_default(), &call)?;
        Ok((call, reply))
    });
    match answered {
        Ok((call, reply)) => {
            let known = if_none_match.filter(|_| method.verb == Verb::Get);
            finish(&call, reply, known.as_ref(), signature)
        }
        Err(error) => signature.error(&error),
    }
}

/// Checks everything that the table knows about a call.
fn prepare(incoming: Incoming<'_>) -> Result<Call, ApiError> {
    let Incoming {
        route,
        system,
        query,
        headers,
        actor,
        body,
        media,
    } = incoming;
    let Route {
        api, method, path, ..
    } = route;
    if actor.is_none() {
        return Err(unauthenticated(api, method.id));
    }
    let query = params::check(api.style, method, query)?;
    let mask = match system.fields.as_deref() {
        Some(text) => {
            Some(mask(api, method.response, text).map_err(|bad| bad.into_error(api.style))?)
        }
        None => None,
    };
    let body = accept::body(api, method.request, &body)?;
    let if_match = headers
        .get(header::IF_MATCH)
        .and_then(|value| value.to_str().ok());
    Ok(Call {
        api,
        method,
        path,
        query,
        body,
        media,
        mask,
        pretty: !system.compact,
        if_match: if_match.map(str::to_owned),
    })
}

fn mask(api: &Api, schema: Option<&str>, text: &str) -> Result<Mask, BadMask> {
    let mask = Mask::parse(text)?;
    if let Some(schema) = schema {
        mask.check(api, schema)?;
    }
    Ok(mask)
}

fn run(world: &mut World, actor: &str, call: &Call) -> Result<Reply, ApiError> {
    let World {
        account,
        people,
        clock,
        ids,
        google,
        ..
    } = world;
    let known = Known { account, people };
    let google = google
        .as_mut()
        .ok_or_else(|| disabled(call.api.title, call.api.name))?;
    let began: &Clock = clock;
    let clock = Watched::new(clock);
    let answered = google.as_actor((known, actor), (began, ids), |google, ids, account| {
        let mut ctx = Ctx {
            account,
            known,
            clock: &clock,
            ids,
            google,
        };
        (call.method.handler)(&mut ctx, call)
    });
    let mut reply = answered.ok_or_else(ApiError::unauthenticated)??;
    reply.lasting = call.method.verb == Verb::Get && !clock.was_seen();
    Ok(reply)
}

/// Turns a reply into what goes over the wire and into the journal.
fn finish(
    call: &Call,
    reply: Reply,
    if_none_match: Option<&HeaderValue>,
    signature: Signature,
) -> Answer {
    let etag = reply
        .etag
        .as_deref()
        .and_then(|etag| HeaderValue::from_str(etag).ok());
    let known = if_none_match.and_then(|value| value.to_str().ok());
    if let (Some(known), Some(etag)) = (known, reply.etag.as_deref())
        && matches_etag(known, etag)
    {
        let mut answer = signature.answer(304);
        answer.lasting = reply.lasting;
        answer.headers.extend(
            HeaderValue::from_str(etag)
                .ok()
                .map(|etag| (header::ETAG, etag)),
        );
        return answer;
    }
    let (status, body, read) = match reply.body {
        Body::Empty => (204, None, touches(reply.reads, None)),
        Body::Written(bytes) => (200, Some(bytes), touches(reply.reads, None)),
        Body::Json(mut value) => {
            if let Some(mask) = &call.mask {
                mask.apply(&mut value);
            }
            let read = touches(reply.reads, call.mask.as_ref().map(|_| &value));
            match wire::write(&value, call.pretty) {
                Ok(bytes) => (200, Some(bytes), read),
                Err(error) => {
                    let error = ApiError::internal(format!("cannot write the answer: {error}"));
                    return signature.error(&error);
                }
            }
        }
    };
    let mut answer = signature.answer(status);
    if let Some(bytes) = body {
        answer = answer.body(wire::MEDIA_TYPE, bytes);
    }
    answer.headers.extend(etag.map(|etag| (header::ETAG, etag)));
    answer.read = read;
    answer.changed = reply.changed;
    answer.lasting = reply.lasting;
    answer
}

/// The reads of an answer, given what a mask left of it.
fn touches(reads: Vec<Read>, masked: Option<&Value>) -> Vec<Touch> {
    reads
        .into_iter()
        .filter_map(|read| {
            let (Some(answer), Some((at, judge))) = (masked, read.shown) else {
                return Some(read.touch);
            };
            let view = at.look(answer).and_then(judge)?;
            Some(Touch {
                view: Some(view),
                ..read.touch
            })
        })
        .collect()
}

fn unauthenticated(api: &Api, method: &str) -> ApiError {
    let error = ApiError::unauthenticated();
    if api.style == Style::Lenient {
        return error;
    }
    error.detail(json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "CREDENTIALS_MISSING",
        "domain": "googleapis.com",
        "metadata": {"method": method, "service": format!("{}.googleapis.com", api.name)},
    }))
}

/// 403: an API that this account has not enabled.
pub(crate) fn disabled(title: &str, name: &str) -> ApiError {
    ApiError::forbidden(
        "accessNotConfigured",
        format!(
            "{title} has not been used in project 0 before or it is disabled. Enable it by visiting \
             https://console.developers.google.com/apis/api/{name}.googleapis.com/overview?project=0 \
             then retry."
        ),
    )
}

/// APIs that exist and are not served: a client hears that they are switched
/// off rather than that they do not exist.
const OTHERS: &[(&str, &str, &str)] = &[
    ("drive", "drive/v3/", "Google Drive API"),
    ("sheets", "v4/spreadsheets", "Google Sheets API"),
    ("docs", "v1/documents", "Google Docs API"),
    ("slides", "v1/presentations", "Google Slides API"),
    ("forms", "v1/forms", "Google Forms API"),
    ("chat", "v1/spaces", "Google Chat API"),
    ("keep", "v1/notes", "Google Keep API"),
    ("meet", "v2/spaces", "Google Meet API"),
];

/// Whether a host belongs to an API that exists and is not served.
pub(crate) fn is_other_host(host: &str) -> bool {
    host.strip_suffix(".googleapis.com")
        .is_some_and(|name| OTHERS.iter().any(|(it, ..)| *it == name))
}

fn unknown_path(request: &Request) -> ApiError {
    let path = request.path.trim_start_matches('/');
    let path = path.strip_prefix("upload/").unwrap_or(path);
    let host = request
        .host
        .strip_suffix(".googleapis.com")
        .unwrap_or_default();
    let other = OTHERS
        .iter()
        .find(|(name, prefix, _)| *name == host || path.starts_with(prefix));
    if let Some((name, _, title)) = other {
        return disabled(title, name);
    }
    let path: Cow<'_, str> = match request.path.char_indices().nth(200) {
        Some((end, _)) => format!("{}...", request.path.get(..end).unwrap_or_default()).into(),
        None => request.path.as_str().into(),
    };
    ApiError::not_found(format!(
        "The requested URL {path} was not found on this server for {}.",
        request.method
    ))
}
