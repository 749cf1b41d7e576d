//! Asking the server.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::uri::{Authority, Scheme, Uri};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::message::{Sent, agreed, is_message};

/// Longest answer, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// Why the server cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("PROCTOR_MCP_URL is `{0}`, which is no address like http://mcp.proctor.test/mcp")]
    Url(String),
    #[error("the proxy `{0}` is no address like http://127.0.0.1:8080")]
    Proxy(String),
    #[error("cannot connect to {0}: {1}")]
    Connect(String, std::io::Error),
    #[error("the server did not answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request cannot be made: {0}")]
    Request(#[from] http::Error),
    #[error("the answer broke off: {0}")]
    Answer(Box<dyn std::error::Error + Send + Sync>),
    #[error("the server did not answer within {} seconds", PATIENCE.as_secs())]
    Slow,
}

/// The server, and what was agreed with it.
#[derive(Debug)]
pub(crate) struct Server {
    url: Uri,
    host: Authority,
    proxy: Option<Authority>,
    /// Version that the handshake settled on.
    version: Option<String>,
}

impl Server {
    pub(crate) fn new(url: &str, proxy: Option<&str>) -> Result<Self, Problem> {
        let wrong = || Problem::Url(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let host = uri.authority().cloned().ok_or_else(wrong)?;
        if uri.scheme() != Some(&Scheme::HTTP) {
            return Err(wrong());
        }
        let proxy = proxy.map(|proxy| {
            let uri: Option<Uri> = proxy.parse().ok();
            let authority = uri.and_then(|uri| uri.authority().cloned());
            authority.ok_or_else(|| Problem::Proxy(proxy.to_owned()))
        });
        Ok(Self {
            url: uri,
            host,
            proxy: proxy.transpose()?,
            version: None,
        })
    }

    /// Sends a message on; gives the answer, where there is to be one.
    pub(crate) async fn ask(&mut self, sent: &Sent, message: &[u8]) -> Option<Vec<u8>> {
        let posted = tokio::time::timeout(PATIENCE, self.post(sent, message)).await;
        match posted.unwrap_or(Err(Problem::Slow)) {
            Ok((StatusCode::ACCEPTED, _)) => None,
            Ok((_, body)) if is_message(&body) => {
                if sent.method.as_deref() == Some("initialize") {
                    self.version = agreed(&body);
                }
                Some(in_one_line(&body))
            }
            Ok((status, body)) => {
                let text = String::from_utf8_lossy(&body);
                sent.error(&format!("{status}: {}", text.trim()))
            }
            Err(problem) => sent.error(&problem.to_string()),
        }
    }

    async fn post(&self, sent: &Sent, message: &[u8]) -> Result<(StatusCode, Bytes), Problem> {
        // A proxy wants the whole address; a server what comes after its name.
        let target = match (&self.proxy, self.url.path_and_query()) {
            (None, Some(path)) => path.to_string(),
            _ => self.url.to_string(),
        };
        let mut request = Request::post(target)
            .header(HOST, self.host.as_str())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::copy_from_slice(message)))?;
        let headers = request.headers_mut();
        let mut add = |name: &'static str, value: Option<&String>| {
            let value = value.and_then(|value| HeaderValue::from_str(value).ok());
            headers.extend(value.map(|value| (http::HeaderName::from_static(name), value)));
        };
        if sent.version.is_some() {
            // From 2026-07-28 on, the header says again what the body says.
            add("mcp-protocol-version", sent.version.as_ref());
            add("mcp-method", sent.method.as_ref());
            add("mcp-name", sent.name.as_ref());
        } else if sent.method.as_deref() != Some("initialize") {
            add("mcp-protocol-version", self.version.as_ref());
        }
        let response = self.send(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_ANSWER)
            .collect()
            .await;
        Ok((status, body.map_err(Problem::Answer)?.to_bytes()))
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<hyper::body::Incoming>, Problem> {
        let to = self.proxy.as_ref().unwrap_or(&self.host);
        let host = to.host().trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, to.port_u16().unwrap_or(80))).await;
        let stream = stream.map_err(|error| Problem::Connect(to.to_string(), error))?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender.send_request(request).await?)
    }
}

/// The protocol has one message in a line.
fn in_one_line(body: &[u8]) -> Vec<u8> {
    // In JSON, line breaks are only ever between tokens.
    let kept = body.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    kept.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_nowhere_are_refused() {
        for url in [
            "",
            "mcp.proctor.test",
            "https://mcp.proctor.test/mcp",
            "http://",
            "/mcp",
        ] {
            assert!(Server::new(url, None).is_err(), "{url}");
        }
        assert!(Server::new("http://h/mcp", Some("nonsense /")).is_err());
        assert!(Server::new("http://h/mcp", Some("http://127.0.0.1:1")).is_ok());
    }
}
