//! The world behind an HTTP proxy, for agents that run without a network
//! namespace.

use std::sync::Arc;

use ::http::{Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::egress::{Destination, Port};
use super::http::{self, Connection, Entrance, Refusal, Reply, Version};
use super::{Shared, captive};
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
    let connection = Connection::new(shared, Entrance::Proxy, Scheme::Http, to, None);
    http::serve(stream, Version::Http1, connection).await;
}

/// Opens a tunnel, or routes a request whose target names its host. A request
/// to the proxy itself is refused: nothing of the gateway's own is here.
pub(super) async fn respond(connection: &Connection, mut request: Request<Incoming>) -> Reply {
    let host = http::host_of_target(request.uri());
    if request.method() == Method::CONNECT
        && let (Ok(Some(host)), Some(port)) = (&host, request.uri().port_u16())
    {
        let to = Destination {
            host: host.clone(),
            port: port.into(),
        };
        if let Some(reply) = tunnel(&connection.shared, &mut request, to) {
            return reply;
        }
    }
    let scheme = match request.uri().scheme_str() {
        Some("https") => Scheme::Https,
        _ => Scheme::Http,
    };
    let port = port_of(request.uri(), scheme);
    let connect = request.method() == Method::CONNECT;
    let (parts, body) = request.into_parts();
    match host {
        Ok(Some(host)) if !connect => {
            let request = http::request_of(parts, scheme, host, port.number());
            http::route(connection, request, body, port).await
        }
        host => {
            let text = match host {
                Ok(Some(_)) => "CONNECT needs HOST:PORT, and a connection to spare",
                Ok(None) => "this is a proxy: the request's target has to name a host",
                Err(text) => text,
            };
            let to = &connection.to;
            let request = http::request_of(parts, scheme, to.host.clone(), to.port.number());
            let refusal = Refusal {
                status: 400,
                text: text.to_owned(),
            };
            http::refuse(connection, request, body, refusal).await
        }
    }
}

/// Takes the connection over once the client has its 200. `None` while all
/// connections that the gateway allows are in use.
fn tunnel(shared: &Arc<Shared>, request: &mut Request<Incoming>, to: Destination) -> Option<Reply> {
    let permit = Arc::clone(&shared.connections).try_acquire_owned().ok()?;
    let upgrade = hyper::upgrade::on(request);
    let inner = Arc::clone(shared);
    shared.spawn(async move {
        if let Ok(stream) = upgrade.await {
            let unnamed = to.host.clone();
            captive::open(inner, TokioIo::new(stream), to, &unnamed).await;
        }
        drop(permit);
    });
    let mut reply = Response::new(http::whole(bytes::Bytes::new()));
    *reply.status_mut() = StatusCode::OK;
    Some(reply)
}

fn port_of(target: &Uri, scheme: Scheme) -> Port {
    match (target.port_u16(), scheme) {
        (Some(number), _) => number.into(),
        (None, Scheme::Https) => Port::Https,
        (None, Scheme::Http) => Port::Http,
    }
}
