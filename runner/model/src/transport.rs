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
    #[error("the operating system's certificates cannot be read: {0}")]
    System(std::io::Error),
    /// The PEM text has none.
    #[error("the file of certificates is not PEM with at least one certificate: {0}")]
    Pem(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// A pool with given roots; `connect` bounds name look-up and TCP connection.
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
        .enable_http2()
        .wrap_connector(tcp);
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_mins(1))
        .http2_keep_alive_interval(Duration::from_secs(30))
        .http2_keep_alive_timeout(Duration::from_secs(30))
        .http2_adaptive_window(true);
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
    if text.len() > 500 {
        let end = (0..=500).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
    }
    text
}
