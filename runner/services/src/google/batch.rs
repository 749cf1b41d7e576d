//! Several requests in one (`multipart/mixed`, one `application/http` part
//! each): <https://developers.google.com/workspace/gmail/api/guides/batch>.

use std::fmt::Write as _;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use crate::google::error::ApiError;
use crate::google::frame::{self, Signature};
use crate::google::multipart::{self, Part};
use crate::service::{Answer, Request};
use crate::world::World;

/// Most calls in one batch (what Gmail documents).
const MAX_CALLS: usize = 100;

/// Whether this is the path of a batch endpoint.
pub(crate) fn is_batch(path: &str) -> bool {
    path == "/batch" || path.starts_with("/batch/")
}

/// Answers a batch. `allowed` is the only API that its calls reach, where the
/// host names one; the path can name one as well (`/batch/gmail/v1`).
pub(crate) fn answer(world: &mut World, request: &Request, allowed: Option<&str>) -> Answer {
    let named = request
        .path
        .split('/')
        .nth(2)
        .filter(|name| !name.is_empty());
    let allowed = allowed.or(named);
    let service = crate::google::apis()
        .iter()
        .find(|api| Some(api.name) == allowed);
    let signature = Signature {
        operation: Some("google.batch"),
        actor: frame::holder(world, request.bearer()),
        ..Signature::of(service.map_or("google", |api| api.name))
    };
    let parts = match read(request) {
        Ok(parts) => parts,
        Err(error) => return signature.error(&error),
    };
    let boundary = format!("batch_{}", world.ids.base64url("google.batch", 32));
    let mut body = Vec::new();
    let mut inner = Vec::with_capacity(parts.len());
    for part in &parts {
        let (call, answer) = match call(part, request) {
            Ok(call) => {
                let answer = run(world, &call, allowed);
                (call, answer)
            }
            Err(error) => {
                let signature = Signature {
                    operation: None,
                    ..signature.clone()
                };
                (nothing(request), signature.error(&error))
            }
        };
        write(&mut body, &boundary, part.field("content-id"), &answer);
        inner.push((call, answer));
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    let mut answer = signature.answer(200);
    let media_type = HeaderValue::from_str(&format!("multipart/mixed; boundary={boundary}")).ok();
    answer
        .headers
        .extend(media_type.map(|value| (header::CONTENT_TYPE, value)));
    answer.body = body.into();
    answer.parts = inner;
    answer
}

fn read(request: &Request) -> Result<Vec<Part>, ApiError> {
    let bad = |text: String| ApiError::bad_request("badRequest", text);
    if request.method != Method::POST {
        return Err(ApiError::not_found("A batch is sent with POST."));
    }
    let content_type = request.header("content-type").unwrap_or_default();
    if multipart::media_type(content_type) != "multipart/mixed" {
        return Err(bad(
            "Failed to parse batch request: expected Content-Type multipart/mixed.".to_owned(),
        ));
    }
    let parts = multipart::read(content_type, &request.body, MAX_CALLS)
        .map_err(|error| bad(format!("Failed to parse batch request: {error}.")))?;
    if parts.is_empty() {
        return Err(bad(
            "Failed to parse batch request: it has no parts.".to_owned()
        ));
    }
    Ok(parts)
}

/// The request that a part is.
fn call(part: &Part, outer: &Request) -> Result<Request, ApiError> {
    let bad = |text: &str| {
        ApiError::bad_request("badRequest", format!("Failed to parse batch part: {text}."))
    };
    if part.media_type() != "application/http" {
        return Err(bad("expected Content-Type application/http"));
    }
    let end = memchr::memchr(b'\n', &part.body).unwrap_or(part.body.len());
    let line = part
        .body
        .get(..end)
        .and_then(|line| std::str::from_utf8(line).ok());
    let mut words = line.unwrap_or_default().split_ascii_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(bad("expected a request line"));
    };
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| bad("unknown HTTP method"))?;
    // A whole address is allowed; where it leads is the batch's matter.
    let target = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => target,
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (mut headers, body) = head(&part.body.slice((end + 1).min(part.body.len())..))
        .ok_or_else(|| bad("its header fields cannot be read"))?;
    // Credentials of the batch are those of its calls, unless they have their own.
    if !headers.contains_key(header::AUTHORIZATION) {
        let own = outer.headers.get(header::AUTHORIZATION).cloned();
        headers.extend(own.map(|value| (header::AUTHORIZATION, value)));
    }
    Ok(Request {
        method,
        scheme: outer.scheme,
        host: outer.host.clone(),
        port: outer.port,
        path: if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        },
        query: query.to_owned(),
        headers,
        body,
    })
}

/// Header fields and body of a call. Either may be missing.
fn head(rest: &Bytes) -> Option<(HeaderMap, Bytes)> {
    let (fields, body) = multipart::head(rest)?;
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        headers.append(name, HeaderValue::from_str(&value).ok()?);
    }
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|it| it.to_str().ok()?.parse().ok());
    let length = length.unwrap_or(usize::MAX).min(body.len());
    Some((headers, body.slice(..length)))
}

fn run(world: &mut World, call: &Request, allowed: Option<&str>) -> Answer {
    let path = call.path.strip_prefix("/resumable").unwrap_or(&call.path);
    if is_batch(path) || path.starts_with("/upload/") {
        let error = ApiError::bad_request(
            "badRequest",
            "Batches and media uploads cannot be part of a batch.",
        );
        return Signature::of("google").error(&error);
    }
    let mut answer = frame::answer(world, call, allowed);
    if call.method == Method::HEAD {
        answer.body = Bytes::new();
        answer.read.clear();
    }
    answer
}

/// What stands in the journal for a part that is no request.
fn nothing(outer: &Request) -> Request {
    Request {
        method: Method::GET,
        scheme: outer.scheme,
        host: outer.host.clone(),
        port: outer.port,
        path: String::new(),
        query: String::new(),
        headers: HeaderMap::new(),
        body: Bytes::new(),
    }
}

/// Adds one answer to the body of the batch's.
fn write(body: &mut Vec<u8>, boundary: &str, content_id: Option<&str>, answer: &Answer) {
    let mut head = format!("--{boundary}\r\nContent-Type: application/http\r\n");
    if let Some(id) = content_id {
        // `<x>` is answered by `<response-x>`.
        let (open, id) = id.strip_prefix('<').map_or(("", id), |id| ("<", id));
        let _ = write!(head, "Content-ID: {open}response-{id}\r\n");
    }
    let reason = StatusCode::from_u16(answer.status)
        .ok()
        .and_then(|it| it.canonical_reason());
    let _ = write!(
        head,
        "\r\nHTTP/1.1 {} {}\r\n",
        answer.status,
        reason.unwrap_or_default()
    );
    for (name, value) in &answer.headers {
        if let Ok(value) = value.to_str() {
            let _ = write!(head, "{name}: {value}\r\n");
        }
    }
    let _ = write!(head, "Content-Length: {}\r\n\r\n", answer.body.len());
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(&answer.body);
    body.extend_from_slice(b"\r\n");
}
