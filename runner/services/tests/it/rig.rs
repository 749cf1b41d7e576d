//! A gateway on loopback sockets, and what talks to it.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use proctor_services::{
    CaptiveListeners, Gateway, GatewayConfig, GatewayLimits, JournalCaps, Upstream, World,
    WorldHandle,
};
use proctor_types::JournalEntry;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::notes;

/// Longest that any test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Rig {
    pub(crate) world: WorldHandle,
    pub(crate) gateway: Gateway,
    pub(crate) https: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) extra: SocketAddr,
    pub(crate) plain: SocketAddr,
    pub(crate) proxy: SocketAddr,
    pub(crate) dns_tcp: SocketAddr,
    pub(crate) dns_udp: SocketAddr,
    ca: tempfile::NamedTempFile,
}

pub(crate) struct Setup {
    pub(crate) limits: GatewayLimits,
    pub(crate) caps: JournalCaps,
    pub(crate) control: bool,
    pub(crate) upstream: Option<Arc<dyn Upstream>>,
}

impl Default for Setup {
    fn default() -> Self {
        // Long enough for a slow machine; tests of a timeout shorten their own.
        let limits = GatewayLimits {
            header_timeout: PATIENCE,
            body_timeout: PATIENCE,
            handshake_timeout: PATIENCE,
            silence: PATIENCE,
            ..GatewayLimits::default()
        };
        Self {
            limits,
            caps: JournalCaps::default(),
            control: true,
            upstream: None,
        }
    }
}

pub(crate) fn world() -> World {
    World::empty("2026-03-02T09:00:00Z".parse().unwrap())
}

pub(crate) fn rig() -> Rig {
    Setup::default().build()
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

impl Setup {
    pub(crate) fn build(self) -> Rig {
        let world = WorldHandle::new(world(), self.caps);
        let config = GatewayConfig {
            control: self.control,
            upstream: self.upstream,
            limits: self.limits,
            ..GatewayConfig::new(notes::services())
        };
        let gateway = Gateway::new(world.clone(), config).unwrap();
        let [https, http, dns_tcp, extra, plain, proxy] = std::array::from_fn(|_| listener());
        let dns = UdpSocket::bind("127.0.0.1:0").unwrap();
        let dns_udp = dns.local_addr().unwrap();
        let listeners = CaptiveListeners {
            https: https.0,
            http: http.0,
            dns_tcp: dns_tcp.0,
            dns_udp: dns,
            extra: vec![extra.0],
        };
        gateway.spawn_captive(listeners).unwrap();
        gateway.spawn_plain(plain.0).unwrap();
        gateway.spawn_proxy(proxy.0).unwrap();
        let mut ca = tempfile::NamedTempFile::new().unwrap();
        ca.write_all(gateway.ca_pem().as_bytes()).unwrap();
        Rig {
            world,
            gateway,
            https: https.1,
            http: http.1,
            extra: extra.1,
            plain: plain.1,
            proxy: proxy.1,
            dns_tcp: dns_tcp.1,
            dns_udp,
            ca,
        }
    }
}

impl Rig {
    pub(crate) fn ca_path(&self) -> &str {
        self.ca.path().to_str().unwrap()
    }

    pub(crate) fn journal(&self) -> Vec<JournalEntry> {
        self.world.journal()
    }

    /// Runs curl with every host and port led to the captive sockets.
    pub(crate) async fn curl(&self, args: &[&str]) -> Output {
        let to = [
            format!("::{}:{}", self.https.ip(), self.https.port()),
            format!(":80:{}:{}", self.http.ip(), self.http.port()),
        ];
        // The first rule that fits wins: port 80, then everything else.
        let rules = ["--connect-to", &to[1], "--connect-to", &to[0]];
        let common = ["-sS", "--max-time", "30", "--cacert", self.ca_path()];
        run("curl", &[&common[..], &rules, args].concat(), &[]).await
    }

    /// A TLS connection to the captive port 443.
    pub(crate) async fn tls(&self, name: &str) -> TlsStream<TcpStream> {
        tls_over(self, TcpStream::connect(self.https).await.unwrap(), name).await
    }

    /// Waits for the journal to have `n` entries: some are listed only after
    /// the client has seen its connection close.
    pub(crate) async fn entries(&self, n: usize) -> Vec<JournalEntry> {
        within(async {
            loop {
                let journal = self.journal();
                if journal.len() >= n {
                    return journal;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }
}

pub(crate) async fn tls_over<S>(rig: &Rig, stream: S, name: &str) -> TlsStream<S>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(rig.gateway.ca_pem().as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from(name.to_owned()).unwrap();
    within(connector.connect(name, stream)).await.unwrap()
}

pub(crate) struct Output {
    pub(crate) ok: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) async fn run(program: &str, args: &[&str], env: &[(String, String)]) -> Output {
    // Nothing of the surroundings: a proxy there would be asked instead of us.
    let kept = ["PATH", "HOME"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
    let output = tokio::process::Command::new(program)
        .args(args)
        .env_clear()
        .envs(kept)
        .envs(env.iter().cloned())
        .kill_on_drop(true)
        .output();
    let output = within(output)
        .await
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    Output {
        ok: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Bounds what would otherwise hang a failing test.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("nothing happened for a long time")
}

/// Sends bytes and reads to the end of the connection.
pub(crate) async fn say(address: SocketAddr, bytes: &[u8]) -> String {
    say_over(TcpStream::connect(address).await.unwrap(), bytes).await
}

pub(crate) async fn say_over<S>(mut stream: S, bytes: &[u8]) -> String
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // The peer may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    let _ = stream.flush().await;
    to_end(&mut stream).await
}

pub(crate) async fn to_end<S: AsyncRead + Unpin>(stream: &mut S) -> String {
    let mut reply = Vec::new();
    let _ = within(stream.read_to_end(&mut reply)).await;
    String::from_utf8_lossy(&reply).into_owned()
}

/// A request that closes its connection.
pub(crate) fn get(host: &str, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").into_bytes()
}

/// A request with a body on a connection of its own.
pub(crate) fn post(host: &str, path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
