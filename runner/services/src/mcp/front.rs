//! From the gateway's requests to rmcp, and back: whatever the protocol makes
//! of a request, the world answers it, so that it is dated and in the journal.
//!
//! The server keeps no sessions (newer versions of the protocol have none, and
//! older ones let a server do without): one request, one JSON answer, and
//! nothing that many clients could use up.

use std::sync::{Arc, OnceLock};

use http::header;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use serde::Deserialize;

use super::server::{Exchange, Server};
use super::{HOST, NAME};
use crate::composio;
use crate::handle::WorldHandle;
use crate::service::{Answer, Request, Service};
use crate::world::World;

/// Longest message, in bytes. A tool refuses long arguments in words before
/// that.
const MAX_MESSAGE: usize = 16 << 20;
/// Hosts that a request may name: the server's own, Composio's, and this
/// machine for the plain port. A web page that had its own name point here is
/// refused (DNS rebinding).
const HOSTS: [&str; 5] = [HOST, composio::HOST, "localhost", "127.0.0.1", "::1"];

/// The server of one world.
pub(crate) struct Front {
    world: WorldHandle,
    service: StreamableHttpService<Server, NeverSessionManager>,
}

impl Front {
    pub(crate) fn new(world: WorldHandle) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(HOSTS)
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_MESSAGE);
        let server = Server {
            world: world.clone(),
        };
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        Self { world, service }
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request) -> Answer {
        let exchange = Arc::new(Exchange {
            request,
            answer: OnceLock::new(),
        });
        let Some(inner) = http_request(&exchange) else {
            let told = Told::text(400, "the address cannot be read");
            return self.world.answer(&told, &exchange.request);
        };
        let response = self.service.handle(inner).await;
        if let Some(answer) = exchange.answer.get() {
            return answer.clone();
        }
        let (parts, body) = response.into_parts();
        let body = match body.collect().await {
            Ok(body) => body.to_bytes(),
            Err(never) => match never {},
        };
        let mut answer = Answer::new(NAME, parts.status.as_u16());
        for name in [header::CONTENT_TYPE, header::ALLOW] {
            let value = parts.headers.get(&name).cloned();
            answer.headers.extend(value.map(|value| (name, value)));
        }
        answer.body = body;
        answer.operation = operation(&exchange.request);
        let told = Told(answer);
        self.world.answer(&told, &exchange.request)
    }
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front").finish_non_exhaustive()
    }
}

/// The request as rmcp takes it.
fn http_request(exchange: &Arc<Exchange>) -> Option<http::Request<Full<bytes::Bytes>>> {
    let request = &exchange.request;
    let mut inner = http::Request::builder()
        .method(request.method.clone())
        .uri(&request.path)
        .body(Full::new(request.body.clone()))
        .ok()?;
    *inner.headers_mut() = request.headers.clone();
    // Over HTTP/2 the host is in the address, and over HTTP/1.0 it may be
    // nowhere.
    if !inner.headers().contains_key(header::HOST) {
        let host = request.host.parse().ok()?;
        inner.headers_mut().insert(header::HOST, host);
    }
    inner.extensions_mut().insert(Arc::clone(exchange));
    Some(inner)
}

/// Methods by their names in the journal.
const OPERATIONS: &[&str] = &[
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "server/discover",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
];

/// The method of a message, where it is one that the protocol has.
fn operation(request: &Request) -> Option<&'static str> {
    #[derive(Deserialize)]
    struct Message<'m> {
        #[serde(borrow)]
        method: std::borrow::Cow<'m, str>,
    }
    let message: Message<'_> = serde_json::from_slice(&request.body).ok()?;
    OPERATIONS
        .iter()
        .copied()
        .find(|name| *name == message.method)
}

/// The answer to a request that may not use the server: Composio's address of it
/// is one session's, and takes a key.
pub(super) fn refusal(world: &World, request: &Request) -> Option<Answer> {
    let session = composio::session_of(&request.path)?;
    composio::refusal(world, request, session)
}

/// An answer that is there already.
struct Told(Answer);

impl Told {
    fn text(status: u16, text: &str) -> Self {
        let answer = Answer::new(NAME, status);
        Self(answer.body("text/plain; charset=utf-8", text.to_owned()))
    }
}

impl Service for Told {
    fn name(&self) -> &'static str {
        NAME
    }

    fn owns(&self, _: &str) -> bool {
        false
    }

    fn owns_path(&self, _: &str) -> bool {
        false
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        if let Some(refusal) = refusal(world, request) {
            return refusal;
        }
        let mut answer = self.0.clone();
        answer.actor = Some(world.account.email.clone());
        answer.lasting = true;
        answer
    }
}
