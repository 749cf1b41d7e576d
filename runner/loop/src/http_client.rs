//! MCP's streamable HTTP over hyper, in place of the second HTTP stack that
//! rmcp's own client brings. As `proctor-mcp` does, it connects for each message:
//! the server is in the same room.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::uri::{Authority, Scheme, Uri};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use tokio::net::TcpStream;

use crate::cut;

/// Longest answer, in bytes, also of one that is a stream.
const MAX_ANSWER: usize = 32 << 20;
/// The session that a server keeps, where it keeps one.
const SESSION: &str = "mcp-session-id";

/// Why the server cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("`{0}` is no address like http://mcp.proctor.test/mcp")]
    Url(String),
    #[error("the proxy `{0}` is no address like http://127.0.0.1:8080")]
    Proxy(String),
    #[error("cannot connect to {0}: {1}")]
    Connect(String, std::io::Error),
    #[error("the server did not answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request cannot be made: {0}")]
    Request(#[from] http::Error),
    #[error("the message cannot be written: {0}")]
    Message(#[from] serde_json::Error),
    #[error("the answer broke off: {0}")]
    Answer(Box<dyn std::error::Error + Send + Sync>),
}

type Failed = StreamableHttpError<HttpError>;

impl From<HttpError> for Failed {
    fn from(error: HttpError) -> Self {
        Self::Client(error)
    }
}

/// Asks one server.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    host: Authority,
    target: String,
    proxy: Option<Authority>,
}

impl HttpClient {
    pub(crate) fn new(url: &str, proxy: Option<&str>) -> Result<Self, HttpError> {
        let wrong = || HttpError::Url(cut::beginning(url, 200).to_owned());
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let host = uri.authority().cloned().ok_or_else(wrong)?;
        if uri.scheme() != Some(&Scheme::HTTP) {
            return Err(wrong());
        }
        let proxy = proxy.map(|proxy| {
            let uri: Option<Uri> = proxy.parse().ok();
            let authority = uri.and_then(|uri| uri.authority().cloned());
            authority.ok_or_else(|| HttpError::Proxy(proxy.to_owned()))
        });
        let proxy = proxy.transpose()?;
        // A proxy wants the whole address; a server what comes after its name.
        let target = match (&proxy, uri.path_and_query()) {
            (None, Some(path)) => path.to_string(),
            _ => uri.to_string(),
        };
        Ok(Self {
            host,
            target,
            proxy,
        })
    }

    async fn send(
        &self,
        method: Method,
        session: Option<&str>,
        custom: HashMap<HeaderName, HeaderValue>,
        body: Bytes,
    ) -> Result<Response<Incoming>, HttpError> {
        let mut request = Request::builder()
            .method(method)
            .uri(&self.target)
            .header(HOST, self.host.as_str())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        for (name, value) in custom {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body))?;
        let to = self.proxy.as_ref().unwrap_or(&self.host);
        let host = to.host().trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, to.port_u16().unwrap_or(80))).await;
        let stream = stream.map_err(|error| HttpError::Connect(to.to_string(), error))?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender.send_request(request).await?)
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        // Nobody sets one: the world takes everybody.
        _: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let awaited = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = serde_json::to_vec(&message).map_err(HttpError::from)?;
        let response = self.send(Method::POST, session.as_deref(), custom, body.into());
        let response = response.await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if status.is_success() && !awaited || status == StatusCode::ACCEPTED {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let text = |name: HeaderName| response.headers().get(name)?.to_str().ok();
        let session = text(HeaderName::from_static(SESSION)).map(str::to_owned);
        let kind = text(CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if status.is_success() && kind.eq_ignore_ascii_case("text/event-stream") {
            let body = Limited::new(response.into_body(), MAX_ANSWER);
            let stream = SseStream::new(body.map_err(HttpError::Answer));
            return Ok(StreamableHttpPostResponse::Sse(Box::pin(stream), session));
        }
        let body = Limited::new(response.into_body(), MAX_ANSWER)
            .collect()
            .await;
        let body = body.map_err(HttpError::Answer)?.to_bytes();
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(message) if status.is_success() || is_error(&message) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => Err(unexpected(status, &body)),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let response = self.send(Method::DELETE, Some(&session), custom, Bytes::new());
        let status = response.await?.status();
        if status.is_success() || status == StatusCode::METHOD_NOT_ALLOWED {
            return Ok(());
        }
        Err(unexpected(status, b""))
    }

    /// What a server says unasked is of no use here.
    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

fn is_error(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Error(_))
}

fn unexpected(status: StatusCode, body: &[u8]) -> Failed {
    let text = String::from_utf8_lossy(&body[..body.len().min(300)]);
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!("{status}: {}", text.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_nowhere_are_refused() {
        for url in ["", "mcp.proctor.test", "https://h/mcp", "http://", "/mcp"] {
            assert!(HttpClient::new(url, None).is_err(), "{url}");
        }
        assert!(HttpClient::new("http://h/mcp", Some("nonsense /")).is_err());
        let direct = HttpClient::new("http://h/mcp?a=b", None).unwrap();
        assert_eq!(direct.target, "/mcp?a=b");
        let through = HttpClient::new("http://h/mcp", Some("http://127.0.0.1:1")).unwrap();
        assert_eq!(through.target, "http://h/mcp");
    }
}
