//! Connections from inside an agent's network namespace, and from tunnels of
//! the proxy: what they speak is told by their first bytes.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use rustls::server::Acceptor;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use super::Shared;
use super::egress::{Destination, Port, shown};
use super::http::{self, Connection, Entrance, Version};
use crate::service::Scheme;

/// First byte of a TLS record that holds a handshake (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 0x16;
/// How requests begin.
const METHODS: &[&[u8]] = &[
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"PATCH ",
    b"DELETE ",
    b"OPTIONS ",
    b"CONNECT ",
    b"TRACE ",
];

/// Serves a connection to a captive socket. The socket's own address is where
/// the client wanted to go: every address leads to it.
pub(super) async fn serve(shared: Arc<Shared>, stream: TcpStream, port: Port) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let host = shared.names.name_of(local.ip());
    let address = local.ip().to_canonical().to_string();
    open(shared, stream, Destination { host, port }, &address).await;
}

/// Serves a connection to `to`. A TLS client that names no host is shown a
/// certificate for `unnamed`.
pub(super) async fn open<S>(shared: Arc<Shared>, stream: S, to: Destination, unnamed: &str)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut stream = BufReader::new(stream);
    let wait = match to.port {
        Port::Https | Port::Http => shared.limits.handshake_timeout,
        Port::Other(_) => shared.limits.silence,
    };
    let first = tokio::select! {
        () = shared.drain.cancelled() => return,
        first = timeout(wait, stream.fill_buf()) => first,
    };
    let bytes = match first {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            return shared.unused("tcp", &to, format!("the connection broke: {error}"));
        }
        Err(_) => return shared.no_http("tcp", &to, "connected and said nothing"),
    };
    let http = METHODS.iter().any(|method| bytes.starts_with(method));
    match (bytes.first(), to.port) {
        (None, _) => shared.unused("tcp", &to, "connected and left without a word"),
        (Some(&TLS_HANDSHAKE), Port::Https | Port::Other(_)) => {
            tls(shared, stream, to, unnamed).await;
        }
        (Some(_), Port::Http | Port::Other(_)) if http => {
            let connection = Connection::new(shared, Entrance::Captive, Scheme::Http, to, None);
            http::serve(stream, Version::Http1, connection).await;
        }
        (Some(_), _) => {
            let note = format!(
                "spoke neither TLS nor HTTP as this port would: {}",
                shown(bytes)
            );
            shared.no_http("tcp", &to, note);
        }
    }
}

/// Serves a TLS client: any name it asks for has a certificate, so that also a
/// refusal reaches it as readable HTTP.
async fn tls<S>(shared: Arc<Shared>, stream: S, mut to: Destination, unnamed: &str)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut sni = None;
    let shaken = tokio::select! {
        () = shared.drain.cancelled() => return,
        shaken = timeout(
            shared.limits.handshake_timeout,
            handshake(&shared, stream, unnamed, &mut sni),
        ) => shaken,
    };
    if let Some(name) = &sni {
        to.host.clone_from(name);
    }
    let stream = match shaken {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            let note = format!("the TLS handshake failed: {error}");
            return match error.kind() {
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
                    shared.unused("tls", &to, note);
                }
                _ => shared.no_http("tls", &to, note),
            };
        }
        Err(_) => return shared.no_http("tls", &to, "the TLS handshake was not finished in time"),
    };
    let version = match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => Version::Http2,
        _ => Version::Http1,
    };
    let connection = Connection::new(shared, Entrance::Captive, Scheme::Https, to, sni);
    http::serve(stream, version, connection).await;
}

async fn handshake<S>(
    shared: &Shared,
    stream: S,
    unnamed: &str,
    sni: &mut Option<String>,
) -> io::Result<TlsStream<S>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let hello = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
    *sni = hello
        .client_hello()
        .server_name()
        .map(str::to_ascii_lowercase);
    let config = shared
        .authority
        .config_for(sni.as_deref().unwrap_or(unnamed))
        .map_err(io::Error::other)?;
    hello.into_stream(config).await
}
