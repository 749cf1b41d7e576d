//! All services on one ordinary port, for tools that can be told an address.

use std::sync::Arc;

use ::http::Request;
use hyper::body::Incoming;
use tokio::net::TcpStream;

use super::egress::{Destination, Port};
use super::http::{self, Connection, Entrance, Refusal, Reply, Version};
use super::{Shared, control};
use crate::service::Scheme;

pub(super) async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let host = local.ip().to_canonical().to_string();
    let to = Destination {
        host,
        port: Port::Other(local.port()),
    };
    let connection = Connection::new(shared, Entrance::Plain, Scheme::Http, to, None);
    http::serve(stream, Version::Http1, connection).await;
}

/// Finds the service by host where the client sends one that a service owns,
/// else by path.
pub(super) async fn respond(connection: &Connection, request: Request<Incoming>) -> Reply {
    let (parts, body) = request.into_parts();
    let shared = &connection.shared;
    let to = &connection.to;
    let host = http::host_of(&parts);
    if control::owns(parts.uri.path()) {
        return control::respond(shared, parts, host, body).await;
    }
    let named = host
        .as_ref()
        .ok()
        .cloned()
        .flatten()
        .unwrap_or_else(|| to.host.clone());
    let request = http::request_of(parts, Scheme::Http, named, to.port.number());
    if let Err(text) = host {
        let refusal = Refusal {
            status: 400,
            text: text.to_owned(),
        };
        return http::refuse(connection, request, body, refusal).await;
    }
    let by_path = || {
        shared
            .services
            .iter()
            .find(|service| service.owns_path(&request.path))
    };
    if let Some(service) = shared.service_of(&request.host).or_else(by_path) {
        return http::answer(shared, service, request, body).await;
    }
    let text = format!("no service of this world answers {}", request.path);
    http::refuse(connection, request, body, Refusal { status: 404, text }).await
}
