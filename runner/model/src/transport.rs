//! Connections to upstreams.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// A pool of connections. It follows no redirects: an upstream cannot send a
/// key to another host.
pub(crate) type Connections = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Bytes of an error that are shown.
const SHOWN: usize = 500;

/// Whose certificates are believed.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// The operating system's.
    #[default]
    System,
    /// Only these, as PEM: in a room, the world's own authority.
    Only(Vec<u8>),
}

/// Why there are no connections to be had.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The system has no certificates.
    #[error(
        "the operating system's certificates cannot be read: {0}; install its package \
         ca-certificates"
    )]
    System(std::io::Error),
    /// The PEM text has none.
    #[error("the file of certificates is not PEM with at least one certificate: {0}")]
    Pem(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// A pool with given roots. `connect` bounds TCP connection, to all addresses of
/// a host together; looking the host's name up is not part of it, and is bounded
/// by what bounds the whole request.
///
/// It speaks HTTP/1.1 only: each request has a connection of its own. All
/// requests to a host would share one of HTTP/2, and its window: an agent that
/// does not read its reply would in time stop the replies of all other trials.
pub(crate) fn connections(roots: &Roots, connect: Duration) -> Result<Connections, TransportError> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(connect));
    tcp.set_keepalive(Some(Duration::from_secs(30)));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls(roots)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_mins(1));
    Ok(builder.build(connector))
}

fn tls(roots: &Roots) -> Result<ClientConfig, TransportError> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match roots {
        Roots::System => builder
            .with_native_roots()
            .map_err(TransportError::System)?,
        Roots::Only(pem) => builder.with_root_certificates(store(pem)?),
    };
    Ok(builder.with_no_client_auth())
}

fn store(pem: &[u8]) -> Result<RootCertStore, TransportError> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| TransportError::Pem(error.to_string()))?;
        store
            .add(certificate)
            .map_err(|error| TransportError::Pem(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(TransportError::Pem("it has none".to_owned()));
    }
    Ok(store)
}

/// An error with what it comes from, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    text.truncate(text.floor_char_boundary(SHOWN));
    text
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    use super::*;

    /// An authority that has signed nothing: P-256, valid for a century.
    const AUTHORITY: &[u8] = b"\
-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUOdadVA0gua0NVEc0TUbmEobxfFIwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGTm9ib2R5MCAXDTI2MTIwMTE0MTk0OVoYDzIxMjYxMTA3MTQx
OTQ5WjARMQ8wDQYDVQQDDAZOb2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARZ9j8XTMtAHMVOkvG4DeukZT7qMRH/VA4JXWpUZ93C9acjp1mL9u5X2VQSk8Hf
EVK45MYFzuiHfV+lFiue7gMYo1MwUTAdBgNVHQ4EFgQUI7Er+eMe7KoimlvFySu8
Kfncn7AwHwYDVR0jBBgwFoAUI7Er+eMe7KoimlvFySu8Kfncn7AwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAkxaDm84ozM08of4l5npV0HT941fi
g1TivkOHR4/n/3UCIGbpHw/6OF9Jhg9xZOK9gfuHY5NHK71IwOrukgXzC/Kg
-----END CERTIFICATE-----
";

    #[tokio::test]
    async fn no_server_is_offered_a_connection_that_requests_share() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let roots = Roots::Only(AUTHORITY.to_vec());
        let connections = connections(&roots, Duration::from_secs(20)).unwrap();
        let request = http::Request::get(format!("https://{address}/"))
            .body(Full::new(Bytes::new()))
            .unwrap();
        let client = tokio::spawn(async move { connections.request(request).await });
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 5];
        stream.read_exact(&mut head).await.unwrap();
        assert_eq!(head[0], 22, "a record of TLS's handshake");
        let length = usize::from(u16::from_be_bytes([head[3], head[4]]));
        let mut hello = vec![0; length];
        stream.read_exact(&mut hello).await.unwrap();
        drop(stream);
        assert!(client.await.unwrap().is_err());
        // The names of protocols, each after its length.
        for name in [&b"\x02h2\x08http/1.1"[..], b"\x00\x03\x02h2"] {
            assert_eq!(memchr::memmem::find(&hello, name), None);
        }
    }

    #[test]
    fn a_system_without_certificates_is_told_what_to_install() {
        let error = TransportError::System(std::io::Error::other("none found"));
        assert!(
            error
                .to_string()
                .ends_with("install its package ca-certificates")
        );
    }

    #[test]
    fn long_errors_are_cut_between_letters() {
        let error = std::io::Error::other("\u{e4}".repeat(SHOWN));
        assert_eq!(chain(&error).len(), SHOWN);
        let odd = std::io::Error::other(format!("x{}", "\u{e4}".repeat(SHOWN)));
        assert_eq!(chain(&odd).len(), SHOWN - 1);
    }
}
