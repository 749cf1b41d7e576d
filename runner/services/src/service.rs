//! What every fake of the world is: a function from world and request to
//! answer.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use proctor_types::Touch;
use proctor_types::journal::Via;
use serde::Serialize;

use crate::world::World;

/// How a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Over TLS.
    Https,
    /// In the clear.
    Http,
}

impl Scheme {
    /// The scheme as a URL writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

/// One request, complete: the gateway has read its body.
#[derive(Debug, Clone)]
pub struct Request {
    /// HTTP method.
    pub method: Method,
    /// How it came in.
    pub scheme: Scheme,
    /// Host that was asked: lower-case, without port, without a final dot.
    /// On the plain port this is whatever the client called it (`127.0.0.1`).
    pub host: String,
    /// Port that was asked.
    pub port: u16,
    /// Path, percent-encoded as it came.
    pub path: String,
    /// Query without the `?`, as it came; empty where there is none.
    pub query: String,
    /// Header fields.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

impl Request {
    /// A header field as text; `None` where it is absent or not ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// `scheme://host`, with the port where it is not the scheme's own: what
    /// addresses in an answer begin with.
    pub fn origin(&self) -> String {
        let scheme = self.scheme.as_str();
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        match (self.scheme, self.port) {
            (Scheme::Https, 443) | (Scheme::Http, 80) => format!("{scheme}://{host}"),
            (_, port) => format!("{scheme}://{host}:{port}"),
        }
    }

    /// The token of `Authorization: Bearer TOKEN`, where it is not empty.
    pub fn bearer(&self) -> Option<&str> {
        let (scheme, token) = self.header("authorization")?.split_once(' ')?;
        let token = token.trim();
        (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
    }

    /// Media type of the body, lower-case, without parameters; empty where the
    /// request does not say.
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase()
    }
}

/// What a service answers, and what the journal has to know about it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Service as the journal names it: `gmail`, `tasks`, `oauth`, ...
    pub service: &'static str,
    /// Method in the service's own vocabulary; `None` where none matched.
    pub operation: Option<&'static str>,
    /// Identity behind the token.
    pub actor: Option<String>,
    /// The tool that was called, where the request is such a call or was made
    /// by one.
    pub via: Option<Via>,
    /// HTTP status.
    pub status: u16,
    /// Header fields. `Content-Length` and `Date` are the gateway's.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// Objects whose content the answer carries.
    pub read: Vec<Touch>,
    /// Objects that the request changed.
    pub changed: Vec<Touch>,
    /// Requests that came inside this one (a batch), with their answers. Each
    /// gets an entry of its own in the journal, after this one's.
    pub parts: Vec<(Request, Answer)>,
    /// Whether the request changed nothing, and the same request gets this
    /// answer again for as long as no other changes anything: however late it
    /// comes, and however often. Such an answer may be given without asking the
    /// service.
    pub lasting: bool,
}

impl Answer {
    /// An answer without header fields or body.
    pub fn new(service: &'static str, status: u16) -> Self {
        Self {
            service,
            operation: None,
            actor: None,
            via: None,
            status,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            read: Vec::new(),
            changed: Vec::new(),
            parts: Vec::new(),
            lasting: false,
        }
    }

    /// The same answer with a body and its media type.
    #[must_use]
    pub fn body(mut self, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.headers
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        self.body = body.into();
        self
    }

    /// The same answer, [lasting](Self::lasting).
    #[must_use]
    pub fn lasting(mut self) -> Self {
        self.lasting = true;
        self
    }

    /// The same answer with `value` as its JSON body, indented as Google does
    /// by default. A value that JSON cannot express (a map with keys that are
    /// not strings) leaves the body empty.
    #[must_use]
    pub fn json(self, value: &impl Serialize) -> Self {
        let body = serde_json::to_vec_pretty(value).unwrap_or_default();
        self.body("application/json; charset=UTF-8", body)
    }
}

/// A fake: one service of the world.
///
/// `handle` runs under the world's lock and must not wait for anything but what
/// [`Service::takes_long`] says. It is a function of the world and the request
/// alone (the world carries the clock and the source of identifiers), so that
/// the same requests give the same bytes in every run.
pub trait Service: Send + Sync {
    /// Name for people and logs.
    fn name(&self) -> &'static str;

    /// Whether requests to this host (lower-case, without port) are for this
    /// service.
    fn owns(&self, host: &str) -> bool;

    /// Whether requests with this path are for this service on the plain port,
    /// where one address serves every service.
    fn owns_path(&self, path: &str) -> bool;

    /// Whether requests with this path are messages of the Model Context
    /// Protocol: the gateway has the world's server of tools answer them, and
    /// not [`Service::handle`].
    fn speaks_mcp(&self, _path: &str) -> bool {
        false
    }

    /// Whether answering this request means waiting for another program. The
    /// gateway has such requests answered apart from all others, and the
    /// service sees to it that the wait has an end.
    fn takes_long(&self, _request: &Request) -> bool {
        false
    }

    /// Answers a request. Called with the world's clock already moved on.
    fn handle(&self, world: &mut World, request: &Request) -> Answer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_one_that_a_client_can_ask_again() {
        for (scheme, host, port, origin) in [
            (
                Scheme::Https,
                "api.github.com",
                443,
                "https://api.github.com",
            ),
            (Scheme::Http, "127.0.0.1", 80, "http://127.0.0.1"),
            (Scheme::Http, "127.0.0.1", 443, "http://127.0.0.1:443"),
            (Scheme::Http, "::1", 8080, "http://[::1]:8080"),
        ] {
            let request = Request {
                method: Method::GET,
                scheme,
                host: host.to_owned(),
                port,
                path: "/".to_owned(),
                query: String::new(),
                headers: HeaderMap::new(),
                body: Bytes::new(),
            };
            assert_eq!(request.origin(), origin);
        }
    }
}
