//! Media that comes with a call: simple, multipart and resumable uploads
//! (<https://developers.google.com/workspace/gmail/api/guides/uploads>).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method as HttpMethod, header};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::google::call::Media;
use crate::google::error::ApiError;
use crate::google::frame::{self, Incoming, Signature};
use crate::google::method::{Method, Upload};
use crate::google::{multipart, params, route};
use crate::service::{Answer, Request};
use crate::world::World;

/// Most uploads that are under way at once; the oldest gives way.
const MAX_SESSIONS: usize = 16;
/// Most bytes that all uploads under way hold together.
const MAX_HELD: u64 = 64 << 20;

/// Longest metadata of an upload, and longest address, in bytes.
const MAX_METADATA: u64 = 1 << 20;

/// Resumable uploads that are under way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uploads {
    sessions: IndexMap<String, Session>,
}

/// One resumable upload: the call it will become, and what has come of its
/// media.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    verb: String,
    path: String,
    query: String,
    metadata: String,
    mime: String,
    actor: String,
    max_bytes: u64,
    /// Length that was announced.
    total: Option<u64>,
    #[serde(with = "base64_chunks")]
    received: Vec<Bytes>,
}

impl Session {
    fn held(&self) -> u64 {
        self.received.iter().map(|chunk| chunk.len() as u64).sum()
    }
}

/// Answers a request to an upload path.
pub(crate) fn answer(world: &mut World, request: &Request, mut incoming: Incoming<'_>) -> Answer {
    let (api, method) = (incoming.route.api, incoming.route.method);
    let signature = Signature {
        operation: Some(method.id),
        actor: incoming.actor.clone(),
        short_errors: incoming.system.short_errors,
        ..Signature::of(api.name)
    };
    let Some(upload) = method.upload else {
        return signature.error(&ApiError::internal("an upload path without upload"));
    };
    // Without credentials nothing is read: the call itself says 401.
    if incoming.actor.is_none() {
        return frame::call(world, incoming);
    }
    let protocol = incoming.system.upload_type.as_deref();
    let taken = match protocol.unwrap_or(guess(&request.media_type())) {
        "resumable" => return start(world, request, &incoming, &upload, method),
        "multipart" => multipart(request, &mut incoming),
        "media" | "raw" => {
            let bytes = std::mem::take(&mut incoming.body);
            incoming.media = Some(Media {
                mime: request.media_type(),
                bytes,
            });
            Ok(())
        }
        other => Err(ApiError::bad_request(
            "badRequest",
            format!("Unknown upload type: {other}"),
        )),
    };
    match taken.and_then(|()| check(incoming.media.as_ref(), &upload)) {
        Ok(()) => frame::call(world, incoming),
        Err(error) => signature.error(&error),
    }
}

/// The upload type of a request that does not name one.
fn guess(media_type: &str) -> &'static str {
    if media_type == "multipart/related" {
        "multipart"
    } else {
        "media"
    }
}

fn multipart(request: &Request, incoming: &mut Incoming<'_>) -> Result<(), ApiError> {
    let bad = |text: String| ApiError::bad_request("badRequest", text);
    let content_type = request.header("content-type").unwrap_or_default();
    let parts = multipart::read(content_type, &incoming.body, 2)
        .map_err(|error| bad(format!("Invalid multipart request: {error}.")))?;
    let count = parts.len();
    let Ok([metadata, media]) = <[_; 2]>::try_from(parts) else {
        return Err(bad(format!(
            "Invalid multipart request with {count} mime parts."
        )));
    };
    let encoding = media
        .field("content-transfer-encoding")
        .unwrap_or_default()
        .trim();
    let bytes = if encoding.eq_ignore_ascii_case("base64") {
        let text: Vec<u8> = media
            .body
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        STANDARD.decode(text).map(Bytes::from).map_err(|_| {
            bad("Invalid multipart request: the media is not base64 as its header says.".to_owned())
        })?
    } else {
        media.body.clone()
    };
    incoming.body = metadata.body;
    incoming.media = Some(Media {
        mime: media.media_type(),
        bytes,
    });
    Ok(())
}

/// Whether a method takes this media.
fn check(media: Option<&Media>, upload: &Upload) -> Result<(), ApiError> {
    let Some(media) = media else { return Ok(()) };
    check_type(&media.mime, upload)?;
    check_size(media.bytes.len() as u64, upload.max_bytes)
}

fn check_type(mime: &str, upload: &Upload) -> Result<(), ApiError> {
    let fits = upload
        .accept
        .iter()
        .any(|accepted| match accepted.strip_suffix('*') {
            Some(prefix) => mime.starts_with(prefix),
            None => *accepted == mime,
        });
    if fits || mime.is_empty() {
        return Ok(());
    }
    let mime: String = mime.chars().take(100).collect();
    let accepted = upload.accept.join(", ");
    Err(ApiError::bad_request(
        "badContent",
        format!("Media type '{mime}' is not supported. Valid media types: [{accepted}]"),
    ))
}

fn check_size(bytes: u64, max: u64) -> Result<(), ApiError> {
    if bytes <= max {
        return Ok(());
    }
    Err(ApiError::too_large(format!(
        "Upload is too large: {bytes} bytes; this method takes at most {max}."
    )))
}

/// Begins a resumable upload: checks what can be checked before the media is
/// there, and names the address for it.
fn start(
    world: &mut World,
    request: &Request,
    incoming: &Incoming<'_>,
    upload: &Upload,
    method: &'static Method,
) -> Answer {
    let signature = Signature {
        operation: Some("google.upload.start"),
        actor: incoming.actor.clone(),
        short_errors: incoming.system.short_errors,
        ..Signature::of(incoming.route.api.name)
    };
    match open(world, request, incoming, upload, method) {
        Ok(id) => {
            let location = format!(
                "{}://{}{}?uploadType=resumable&upload_id={id}",
                request.scheme.as_str(),
                authority(request),
                request.path,
            );
            let mut answer = signature.answer(200);
            let fields = [
                ("location", location.as_str()),
                ("x-guploader-uploadid", id.as_str()),
            ];
            for (name, value) in fields {
                let value = HeaderValue::from_str(value).ok();
                answer
                    .headers
                    .extend(value.map(|value| (http::HeaderName::from_static(name), value)));
            }
            answer
        }
        Err(error) => signature.error(&error),
    }
}

fn open(
    world: &mut World,
    request: &Request,
    incoming: &Incoming<'_>,
    upload: &Upload,
    method: &'static Method,
) -> Result<String, ApiError> {
    let api = incoming.route.api;
    check_size(incoming.body.len() as u64, MAX_METADATA)?;
    check_size(
        (request.path.len() + request.query.len()) as u64,
        MAX_METADATA,
    )?;
    params::check(api.style, method, incoming.query.clone())?;
    crate::google::accept::body(api, method.request, &incoming.body)?;
    let announced = |name| request.header(name).map(str::trim);
    let mime = multipart::media_type(announced("x-upload-content-type").unwrap_or_default());
    check_type(&mime, upload)?;
    let total = announced("x-upload-content-length").and_then(|text| text.parse().ok());
    check_size(total.unwrap_or(0), upload.max_bytes)?;
    let metadata = String::from_utf8_lossy(&incoming.body).into_owned();
    let session = Session {
        verb: method.verb.as_str().to_owned(),
        path: request.path.clone(),
        query: request.query.clone(),
        metadata,
        mime,
        actor: incoming.actor.clone().unwrap_or_default(),
        max_bytes: upload.max_bytes,
        total,
        received: Vec::new(),
    };
    let World { ids, google, .. } = world;
    let google = google
        .as_mut()
        .ok_or_else(|| frame::disabled(api.title, api.name))?;
    let id = ids.base64url("google.upload", 43);
    let sessions = &mut google.uploads.sessions;
    if sessions.len() >= MAX_SESSIONS {
        sessions.shift_remove_index(0);
    }
    sessions.insert(id.clone(), session);
    Ok(id)
}

/// Host and port as a URL names them.
fn authority(request: &Request) -> String {
    match (request.scheme.as_str(), request.port) {
        ("https", 443) | ("http", 80) => request.host.clone(),
        (_, port) => format!("{}:{port}", request.host),
    }
}

/// Whether a request goes on with an upload that was begun before.
pub(crate) fn is_continuation(request: &Request) -> bool {
    let path = request
        .path
        .strip_prefix("/resumable")
        .unwrap_or(&request.path);
    path.starts_with("/upload/") && upload_id(request).is_some()
}

fn upload_id(request: &Request) -> Option<String> {
    form_urlencoded::parse(request.query.as_bytes())
        .find(|(name, _)| name == "upload_id")
        .map(|(_, value)| value.into_owned())
}

/// What a `Content-Range` says.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    /// First byte and number of bytes; `None`: a question how far it is.
    span: Option<(u64, u64)>,
    total: Option<u64>,
}

impl Range {
    /// `bytes 0-9/20`, `bytes 0-9/*`, `bytes */20`, `bytes */*`.
    fn parse(text: &str) -> Option<Self> {
        let (span, total) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
        let total = if total == "*" {
            None
        } else {
            Some(total.parse().ok()?)
        };
        let span = if span == "*" {
            None
        } else {
            let (first, last) = span.split_once('-')?;
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            Some((first, last.checked_sub(first)?.checked_add(1)?))
        };
        Some(Self { span, total })
    }
}

/// Takes the next chunk of an upload, says how far it is, or gives it up.
pub(crate) fn proceed(world: &mut World, request: &Request, signature: Signature) -> Answer {
    let id = upload_id(request).unwrap_or_default();
    let sessions = world
        .google
        .as_mut()
        .map(|google| &mut google.uploads.sessions);
    let Some((sessions, session)) = sessions.and_then(|sessions| {
        sessions
            .get(&id)
            .cloned()
            .map(|session| (sessions, session))
    }) else {
        return signature.error(&ApiError::not_found("There is no such upload."));
    };
    let signature = Signature {
        operation: Some("google.upload.chunk"),
        actor: Some(session.actor.clone()),
        ..signature
    };
    if request.method == HttpMethod::DELETE {
        sessions.shift_remove(&id);
        // What Google answers: "client closed request".
        return Signature {
            operation: Some("google.upload.cancel"),
            ..signature
        }
        .answer(499);
    }
    if request.method != HttpMethod::PUT && request.method != HttpMethod::POST {
        return signature.error(&ApiError::not_found("An upload goes on with PUT."));
    }
    let others: u64 = sessions
        .iter()
        .filter(|(key, _)| **key != id)
        .map(|(_, it)| it.held())
        .sum();
    match grow(session, request, others) {
        Ok((session, true)) => {
            sessions.shift_remove(&id);
            complete(world, request, session, signature)
        }
        Ok((session, false)) => {
            let held = session.held();
            sessions.insert(id, session);
            incomplete(held, signature)
        }
        Err(error) => signature.error(&error),
    }
}

/// Adds a chunk. Also says whether the media is complete.
fn grow(mut session: Session, request: &Request, others: u64) -> Result<(Session, bool), ApiError> {
    let bad = |text: String| ApiError::bad_request("badRequest", text);
    let length = request.body.len() as u64;
    let range = match request.header("content-range") {
        None => Range {
            span: Some((0, length)),
            total: Some(length),
        },
        Some(text) => Range::parse(text)
            .ok_or_else(|| bad("Failed to parse Content-Range header.".to_owned()))?,
    };
    if let (Some(known), Some(said)) = (session.total, range.total)
        && known != said
    {
        return Err(bad(format!(
            "Content-Range says {said} bytes, {known} were announced."
        )));
    }
    session.total = session.total.or(range.total);
    check_size(session.total.unwrap_or(0), session.max_bytes)?;
    let held = session.held();
    match range.span {
        None if length > 0 => {
            return Err(bad(
                "Content-Range names no bytes, but some came.".to_owned()
            ));
        }
        None => {}
        Some((_, count)) if count != length => {
            return Err(bad(format!(
                "Content-Range names {count} bytes, {length} came."
            )));
        }
        // Bytes that came already may come again.
        Some((first, count)) if first <= held => {
            let known = usize::try_from(held - first).unwrap_or(usize::MAX);
            let fresh = request.body.slice(known.min(request.body.len())..);
            let end = first.saturating_add(count);
            check_size(end, session.max_bytes)?;
            if session.total.is_some_and(|total| end > total) {
                return Err(bad("Content-Range goes beyond the end.".to_owned()));
            }
            check_size(others.saturating_add(held + fresh.len() as u64), MAX_HELD)?;
            if !fresh.is_empty() {
                session.received.push(fresh);
            }
        }
        Some((first, _)) => {
            return Err(bad(format!(
                "Content-Range begins at {first}; {held} bytes are there."
            )));
        }
    }
    let complete = session.total.is_some_and(|total| session.held() >= total);
    Ok((session, complete))
}

/// 308: more is to come.
fn incomplete(held: u64, signature: Signature) -> Answer {
    let mut answer = signature.answer(308);
    if let Some(last) = held.checked_sub(1) {
        let range = HeaderValue::from_str(&format!("bytes=0-{last}")).ok();
        answer
            .headers
            .extend(range.map(|range| (header::RANGE, range)));
    }
    answer
}

/// The media is there: makes the call that the upload was for.
fn complete(
    world: &mut World,
    request: &Request,
    session: Session,
    signature: Signature,
) -> Answer {
    let call = Request {
        method: HttpMethod::from_bytes(session.verb.as_bytes()).unwrap_or(HttpMethod::POST),
        path: session.path,
        query: session.query,
        headers: HeaderMap::new(),
        body: session.metadata.into(),
        scheme: request.scheme,
        host: request.host.clone(),
        port: request.port,
    };
    let found = frame::verb(&call).map(|verb| route::find(None, verb, &call.path));
    let Some(Ok(Some(route))) = found else {
        return signature.error(&ApiError::internal("the upload's method is gone"));
    };
    match frame::incoming(world, &call, route) {
        Ok(mut incoming) => {
            let bytes = session.received.concat().into();
            incoming.media = Some(Media {
                mime: session.mime,
                bytes,
            });
            incoming.actor = Some(session.actor);
            frame::call(world, incoming)
        }
        Err(error) => signature.error(&error),
    }
}

/// Chunks as one base64 text.
mod base64_chunks {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(chunks: &[Bytes], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(chunks.concat()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Bytes>, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = STANDARD.decode(text).map_err(de::Error::custom)?;
        Ok(if bytes.is_empty() {
            Vec::new()
        } else {
            vec![bytes.into()]
        })
    }
}
