//! HTTP/1.1 and HTTP/2: from a connection to requests, from answers to
//! responses.

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::http::request::Parts;
use ::http::uri::Authority;
use ::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use proctor_types::journal::EntryKind;
use tokio::io::{AsyncRead, AsyncWrite};

use super::body::{self, Body};
use super::egress::{Destination, Port, no_such_service, refusal_body};
use super::upstream::{self, UpstreamBody};
use super::{Shared, plain, proxy};
use crate::journal::{Attempt, payload_of};
use crate::service::{Answer, Request, Scheme, Service};

/// What a gateway sends.
pub(super) type Reply = Response<UpstreamBody>;

/// Which protocol a connection speaks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Version {
    Http1,
    Http2,
}

/// Which way a connection came in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entrance {
    /// From an agent's network, or through a tunnel of the proxy.
    Captive,
    /// To the plain port.
    Plain,
    /// To the proxy.
    Proxy,
}

/// What the requests of one connection have in common.
pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    entrance: Entrance,
    scheme: Scheme,
    pub(super) to: Destination,
    /// Host that the TLS client named.
    sni: Option<String>,
    /// Whether a request came.
    used: AtomicBool,
}

/// A request that no service gets to see.
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) text: String,
}

impl Connection {
    pub(super) fn new(
        shared: Arc<Shared>,
        entrance: Entrance,
        scheme: Scheme,
        to: Destination,
        sni: Option<String>,
    ) -> Self {
        Self {
            shared,
            entrance,
            scheme,
            to,
            sni,
            used: AtomicBool::new(false),
        }
    }
}

/// Serves a connection to its end.
pub(super) async fn serve<S>(stream: S, version: Version, connection: Connection)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Arc::new(connection);
    let shared = Arc::clone(&connection.shared);
    let limits = &shared.limits;
    let io = TokioIo::new(stream);
    let service = service_fn({
        let connection = Arc::clone(&connection);
        move |request| {
            let connection = Arc::clone(&connection);
            async move { Ok::<_, Infallible>(respond(&connection, request).await) }
        }
    });
    let header_bytes = usize::try_from(limits.header_bytes).unwrap_or(usize::MAX);
    let end = match version {
        Version::Http1 => {
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.header_timeout)
                .max_buf_size(header_bytes.max(8192)) // hyper panics below that
                .auto_date_header(false)
                .serve_connection(io, service)
                .with_upgrades();
            drained(
                &shared,
                served,
                http1::UpgradeableConnection::graceful_shutdown,
            )
            .await
        }
        Version::Http2 => {
            let served = http2::Builder::new(Tasks(Arc::clone(&shared)))
                .timer(TokioTimer::new())
                .max_concurrent_streams(limits.streams)
                .max_header_list_size(limits.header_bytes)
                .keep_alive_interval(limits.header_timeout)
                .auto_date_header(false)
                .serve_connection(io, service);
            drained(&shared, served, http2::Connection::graceful_shutdown).await
        }
    };
    let used = connection.used.load(Ordering::Relaxed);
    let transport = connection.scheme.as_str();
    match end {
        Err(error) if error.is_parse() || !used && begun(&error) => {
            let note = format!("sent no complete, valid request: {error}");
            shared.no_http(transport, &connection.to, note);
        }
        Err(error) if !used => {
            let note = format!("connected and sent no request: {error}");
            shared.unused(transport, &connection.to, note);
        }
        Ok(()) if !used && !shared.drain.is_cancelled() => {
            shared.unused(transport, &connection.to, "connected and sent no request");
        }
        Err(error) => tracing::debug!(%error, host = connection.to.host, "connection"),
        Ok(()) => {}
    }
}

/// Whether a connection broke within a request, or waited for the rest of one.
fn begun(error: &hyper::Error) -> bool {
    error.is_incomplete_message() || error.is_timeout()
}

/// A connection that takes no further requests once the gateway drains.
async fn drained<C>(
    shared: &Shared,
    connection: C,
    finish: impl FnOnce(Pin<&mut C>),
) -> hyper::Result<()>
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut connection = pin!(connection);
    tokio::select! {
        end = connection.as_mut() => return end,
        () = shared.drain.cancelled() => finish(connection.as_mut()),
    }
    connection.await
}

/// Runs the streams of an HTTP/2 connection as tasks of the gateway.
#[derive(Clone)]
struct Tasks(Arc<Shared>);

impl<F> hyper::rt::Executor<F> for Tasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        self.0.spawn(task);
    }
}

async fn respond(connection: &Connection, request: ::http::Request<Incoming>) -> Reply {
    connection.used.store(true, Ordering::Relaxed);
    match connection.entrance {
        Entrance::Captive => captive(connection, request).await,
        Entrance::Plain => plain::respond(connection, request).await,
        Entrance::Proxy => proxy::respond(connection, request).await,
    }
}

async fn captive(connection: &Connection, request: ::http::Request<Incoming>) -> Reply {
    let (parts, body) = request.into_parts();
    let to = &connection.to;
    match host_of(&parts) {
        Ok(host) => {
            let host = host.unwrap_or_else(|| to.host.clone());
            let request = request_of(parts, connection.scheme, host, to.port.number());
            let misdirected = connection.sni.as_ref().filter(|sni| **sni != request.host);
            if let Some(sni) = misdirected {
                let text = format!(
                    "the TLS connection is to {sni}, the request to {}: open another connection",
                    request.host
                );
                return refuse(connection, request, body, Refusal { status: 421, text }).await;
            }
            route(connection, request, body, to.port).await
        }
        Err(text) => {
            let request = request_of(parts, connection.scheme, to.host.clone(), to.port.number());
            let refusal = Refusal {
                status: 400,
                text: text.to_owned(),
            };
            refuse(connection, request, body, refusal).await
        }
    }
}

/// Hands a request to the service that owns its host, or refuses it.
pub(super) async fn route(
    connection: &Connection,
    request: Request,
    body: Incoming,
    port: Port,
) -> Reply {
    let shared = &connection.shared;
    let refusal = if request.method == Method::CONNECT {
        Refusal {
            status: 405,
            text: "there is no proxy here".to_owned(),
        }
    } else {
        let served = !matches!(port, Port::Other(_));
        if let Some(upstream) = shared.upstream_of(&request.host).filter(|_| served) {
            return upstream::answer(upstream.as_ref(), request, body).await;
        }
        match shared.service_of(&request.host).filter(|_| served) {
            Some(service) => return answer(shared, service, request, body).await,
            None => Refusal {
                status: 403,
                text: no_such_service(&request.host),
            },
        }
    };
    refuse(connection, request, body, refusal).await
}

/// Reads the body and has the service answer.
pub(super) async fn answer(
    shared: &Shared,
    service: &Arc<dyn Service>,
    mut request: Request,
    body: Incoming,
) -> Reply {
    let cap = shared.limits.body_bytes;
    match body::read(shared, &request.headers, body, cap).await {
        Ok(Body { bytes, share }) => {
            request.body = bytes;
            let method = request.method.clone();
            let answer = if service.takes_long(&request) {
                let service = Arc::clone(service);
                shared.world.answer_apart(service, request).await
            } else {
                let _turn = shared.world.turn().await;
                if service.speaks_mcp(&request.path) {
                    // On the heap: every request's future would be as large.
                    Box::pin(shared.mcp.answer(request)).await
                } else {
                    shared.world.answer(service.as_ref(), &request)
                }
            };
            drop(share);
            reply_of(shared, &method, answer)
        }
        Err(error) => {
            let refusal = error.refusal(cap);
            refused(
                shared,
                &request,
                EntryKind::Request,
                service.name(),
                refusal,
            )
        }
    }
}

/// Refuses what no service owns. The body is read all the same: what an agent
/// tried to send is evidence, and clients read an answer only when they are
/// done sending.
pub(super) async fn refuse(
    connection: &Connection,
    mut request: Request,
    body: Incoming,
    mut refusal: Refusal,
) -> Reply {
    let shared = &connection.shared;
    let cap = shared.limits.body_bytes;
    let share = match body::read(shared, &request.headers, body, cap).await {
        Ok(Body { bytes, share }) => {
            request.body = bytes;
            Some(share)
        }
        Err(error) => {
            refusal.text = format!("{} ({})", refusal.text, error.refusal(cap).text);
            None
        }
    };
    let reply = refused(
        shared,
        &request,
        EntryKind::Egress,
        request.scheme.as_str(),
        refusal,
    );
    drop(share);
    reply
}

/// Lists a refusal in the journal and puts it into words for the client.
fn refused(
    shared: &Shared,
    request: &Request,
    kind: EntryKind,
    service: &str,
    refusal: Refusal,
) -> Reply {
    let Refusal { status, text } = refusal;
    let (media_type, body) = refusal_body(&request.headers, status, &text);
    shared.world.refused(Attempt {
        kind,
        service,
        host: &request.host,
        port: request.port,
        method: request.method.as_str(),
        path: &request.path,
        query: &request.query,
        status,
        request: payload_of(request, shared.world.body_cap()),
        body: request.body.clone(),
        answered: body.len(),
        note: text,
    });
    let mut answer = Answer::new("", status).body(media_type, body);
    if let Some(date) = shared.world.http_date() {
        answer.headers.insert(header::DATE, date);
    }
    reply_of(shared, &request.method, answer)
}

/// An answer as hyper sends it.
pub(super) fn reply_of(shared: &Shared, method: &Method, answer: Answer) -> Reply {
    let status = StatusCode::from_u16(answer.status)
        .ok()
        .filter(|it| !it.is_informational());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut headers = answer.headers;
    let bodiless = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let body = if bodiless {
        Bytes::new()
    } else if method == Method::HEAD {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(answer.body.len()));
        Bytes::new()
    } else {
        shared.in_flight.tie(answer.body)
    };
    let mut reply = Response::new(whole(body));
    *reply.status_mut() = status;
    *reply.headers_mut() = headers;
    reply
}

/// A body that is there already.
pub(super) fn whole(body: Bytes) -> UpstreamBody {
    Full::new(body).map_err(|never| match never {}).boxed()
}

/// A request as services see it, still without its body.
pub(super) fn request_of(parts: Parts, scheme: Scheme, host: String, port: u16) -> Request {
    Request {
        method: parts.method,
        scheme,
        host,
        port,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: Bytes::new(),
    }
}

/// The host that a request is for: of its target where that names one, else of
/// its `Host` field (RFC 9112, section 3.3). `None` for HTTP/1.0 without one.
pub(super) fn host_of(parts: &Parts) -> Result<Option<String>, &'static str> {
    let of_target = host_of_target(&parts.uri)?;
    let mut fields = parts.headers.get_all(header::HOST).iter();
    let field = fields.next();
    if fields.next().is_some() {
        return Err("the request has more than one Host field");
    }
    if of_target.is_some() {
        return Ok(of_target);
    }
    let Some(field) = field else {
        let needed = parts.version != ::http::Version::HTTP_10;
        return if needed {
            Err("the request has no Host field")
        } else {
            Ok(None)
        };
    };
    let text = field.to_str().map_err(|_| "the Host field is not ASCII")?;
    let authority: Authority = text.parse().map_err(|_| "the Host field names no host")?;
    normal(&authority).map(Some)
}

/// The host that a request's target names, where it names one.
pub(super) fn host_of_target(target: &Uri) -> Result<Option<String>, &'static str> {
    target.authority().map(normal).transpose()
}

/// A host in lower case, without port, brackets or final dot.
fn normal(authority: &Authority) -> Result<String, &'static str> {
    if authority.as_str().contains('@') {
        return Err("the host must not have user information");
    }
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    if host.is_empty() {
        Err("the host is empty")
    } else {
        Ok(host)
    }
}

/// Whether a client waits for `100 Continue` before it sends its body.
pub(super) fn expects_continue(headers: &HeaderMap) -> bool {
    let value = headers.get(header::EXPECT);
    value.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(
        target: &str,
        fields: &[&str],
        version: ::http::Version,
    ) -> Result<Option<String>, &'static str> {
        let mut request = ::http::Request::builder().uri(target).version(version);
        for field in fields {
            request = request.header("host", *field);
        }
        host_of(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn the_host_is_told_as_http_says() {
        let v11 = ::http::Version::HTTP_11;
        for (target, fields, expected) in [
            ("/", &["Gmail.GoogleAPIs.com"][..], "gmail.googleapis.com"),
            ("/", &["example.com.:8443"], "example.com"),
            ("/", &["[2001:DB8::1]:443"], "2001:db8::1"),
            ("http://One.example/x", &["two.example"], "one.example"),
        ] {
            assert_eq!(
                host(target, fields, v11),
                Ok(Some(expected.to_owned())),
                "{fields:?}"
            );
        }
        assert_eq!(host("/", &[], ::http::Version::HTTP_10), Ok(None));
    }

    #[test]
    fn a_host_in_doubt_is_an_error() {
        let v11 = ::http::Version::HTTP_11;
        for fields in [
            &[][..],
            &["a.example", "b.example"],
            &["a.example", "a.example"],
            &["user@a.example"],
            &["a.example/path"],
            &["a b"],
            &[""],
            &["."],
        ] {
            assert!(host("/", fields, v11).is_err(), "{fields:?}");
        }
    }
}
