//! The gateway: the only thing that an agent's network leads to.
//!
//! Whatever name an agent looks up and whatever address it connects to, the
//! connection ends here. [`captive`] looks at its first byte, [`tls`] answers
//! for every host name, [`http`] reads requests and hands them to the service
//! that owns the host; what no service owns is refused at once, in words, and
//! listed in the journal ([`egress`]). [`proxy`] is the same world behind a
//! CONNECT proxy, [`plain`] the same services on one ordinary port, with
//! [`control`] beside them for the operator.

mod body;
mod budget;
mod captive;
mod control;
mod dns;
mod egress;
mod http;
mod plain;
mod proxy;
mod tls;
mod upstream;

use std::fmt;
use std::future::Future;
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::handle::WorldHandle;
use crate::mcp::Front;
use crate::service::Service;
use budget::Budget;
use egress::Port;
use tls::Authority;

pub(crate) use egress::refusal_body;
pub use upstream::{Upstream, UpstreamAnswer, UpstreamBody};

/// How a gateway serves its world.
#[derive(Clone)]
pub struct GatewayConfig {
    /// The fakes. The first that owns a host answers for it.
    pub services: Vec<Arc<dyn Service>>,
    /// What answers for hosts that are no part of the world. The plain port
    /// leads to fakes only.
    pub upstream: Option<Arc<dyn Upstream>>,
    /// Whether the plain port also answers `/__proctor/...`, with which the
    /// world can be read, reset and replaced. Only for an operator's own use:
    /// whoever reaches the port has it. The captive sockets and the proxy never
    /// answer it.
    pub control: bool,
    /// Bounds on what a client can take.
    pub limits: GatewayLimits,
}

impl GatewayConfig {
    /// The given fakes, nothing upstream, no control endpoints, and the ordinary limits.
    pub fn new(services: Vec<Arc<dyn Service>>) -> Self {
        Self {
            services,
            upstream: None,
            control: false,
            limits: GatewayLimits::default(),
        }
    }
}

impl fmt::Debug for GatewayConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services: Vec<_> = self.services.iter().map(|service| service.name()).collect();
        f.debug_struct("GatewayConfig")
            .field("services", &services)
            .field("upstream", &self.upstream)
            .field("control", &self.control)
            .field("limits", &self.limits)
            .finish()
    }
}

/// Bounds on what the clients of one gateway can take together.
#[derive(Debug, Clone)]
pub struct GatewayLimits {
    /// Connections at once; further ones wait.
    pub connections: usize,
    /// Requests at once on one HTTP/2 connection.
    pub streams: u32,
    /// Bytes of a request's line and header fields.
    pub header_bytes: u32,
    /// Bytes of a request's body; above it the answer is 413.
    pub body_bytes: usize,
    /// Bytes of bodies that are being received or sent; while there are more,
    /// the answer is 503.
    pub in_flight_bytes: usize,
    /// From one request's end to the end of the next one's header fields. Also
    /// how long an idle connection is kept.
    pub header_timeout: Duration,
    /// From the header fields to the end of the body.
    pub body_timeout: Duration,
    /// From the connection to its first byte, and from there to the end of the
    /// TLS handshake.
    pub handshake_timeout: Duration,
    /// How long a connection to a port without a protocol is waited on for
    /// what it has to say.
    pub silence: Duration,
    /// How long a shutdown lets requests finish.
    pub drain: Duration,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            streams: 64,
            header_bytes: 64 << 10,
            body_bytes: 40 << 20,
            in_flight_bytes: 256 << 20,
            header_timeout: Duration::from_mins(1),
            body_timeout: Duration::from_mins(1),
            handshake_timeout: Duration::from_secs(10),
            silence: Duration::from_secs(1),
            drain: Duration::from_secs(2),
        }
    }
}

/// Why a gateway cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// No tokio runtime.
    #[error("a gateway needs a running tokio runtime: {0}")]
    Runtime(#[from] tokio::runtime::TryCurrentError),
    /// A certificate could not be made.
    #[error("the trial's certificate could not be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A key could not be made.
    #[error("the trial's TLS key could not be used: {0}")]
    Key(String),
    /// TLS could not be set up.
    #[error("TLS could not be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// A socket could not be used.
    #[error("a listening socket could not be handed to the runtime: {0}")]
    Socket(#[from] std::io::Error),
}

/// The listening sockets inside an agent's network namespace.
#[derive(Debug)]
pub struct CaptiveListeners {
    /// Port 443.
    pub https: TcpListener,
    /// Port 80.
    pub http: TcpListener,
    /// TCP port 53.
    pub dns_tcp: TcpListener,
    /// UDP port 53. With `IP_PKTINFO` on, answers leave from the address that
    /// was asked.
    pub dns_udp: UdpSocket,
    /// Further ports: everything there is refused and listed in the journal.
    pub extra: Vec<TcpListener>,
}

/// A gateway to one world. Dropping it ends everything it serves, at once;
/// [`Gateway::shutdown`] lets requests finish first.
pub struct Gateway {
    shared: Arc<Shared>,
    _kill_on_drop: DropGuard,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("tasks", &self.shared.tasks.len())
            .finish_non_exhaustive()
    }
}

/// What all tasks of a gateway share.
struct Shared {
    world: WorldHandle,
    mcp: Front,
    services: Vec<Arc<dyn Service>>,
    upstream: Option<Arc<dyn Upstream>>,
    control: bool,
    limits: GatewayLimits,
    authority: Authority,
    names: dns::Names,
    in_flight: Budget,
    connections: Arc<Semaphore>,
    runtime: Handle,
    tasks: TaskTracker,
    /// No new connections, no new requests.
    drain: CancellationToken,
    /// Everything ends where it stands.
    kill: CancellationToken,
}

impl Gateway {
    /// A gateway that serves nothing yet. Its tasks run on the current tokio
    /// runtime, which may hold thousands of gateways.
    ///
    /// # Errors
    /// Outside a runtime, and when the trial's authority cannot be made.
    pub fn new(world: WorldHandle, config: GatewayConfig) -> Result<Self, GatewayError> {
        let kill = CancellationToken::new();
        let shared = Shared {
            mcp: Front::new(world.clone()),
            world,
            services: config.services,
            upstream: config.upstream,
            control: config.control,
            authority: Authority::new()?,
            names: dns::Names::default(),
            in_flight: Budget::new(config.limits.in_flight_bytes),
            connections: Arc::new(Semaphore::new(config.limits.connections)),
            limits: config.limits,
            runtime: Handle::try_current()?,
            tasks: TaskTracker::new(),
            drain: CancellationToken::new(),
            kill: kill.clone(),
        };
        Ok(Self {
            shared: Arc::new(shared),
            _kill_on_drop: kill.drop_guard(),
        })
    }

    /// The certificate that clients have to trust, as PEM.
    pub fn ca_pem(&self) -> &str {
        self.shared.authority.pem()
    }

    /// The world behind the gateway.
    pub fn world(&self) -> &WorldHandle {
        &self.shared.world
    }

    /// Serves an agent's network namespace.
    ///
    /// # Errors
    /// When a socket cannot be handed to the runtime.
    pub fn spawn_captive(&self, listeners: CaptiveListeners) -> Result<(), GatewayError> {
        let CaptiveListeners {
            https,
            http,
            dns_tcp,
            dns_udp,
            extra,
        } = listeners;
        let serve = |listener, port| {
            let shared = Arc::clone(&self.shared);
            self.accept(listener, move |stream| {
                captive::serve(Arc::clone(&shared), stream, port)
            })
        };
        serve(https, Port::Https)?;
        serve(http, Port::Http)?;
        for listener in extra {
            let port = Port::Other(listener.local_addr()?.port());
            serve(listener, port)?;
        }
        let shared = Arc::clone(&self.shared);
        self.accept(dns_tcp, move |stream| {
            dns::serve_tcp(Arc::clone(&shared), stream)
        })?;
        dns_udp.set_nonblocking(true)?;
        let socket = {
            let _runtime = self.shared.runtime.enter();
            tokio::net::UdpSocket::from_std(dns_udp)?
        };
        self.shared
            .spawn_listener(dns::serve_udp(Arc::clone(&self.shared), socket));
        Ok(())
    }

    /// Serves all services on one port in the clear, told apart by path (or by
    /// `Host`, where a client sends a service's own).
    ///
    /// # Errors
    /// When the socket cannot be handed to the runtime.
    pub fn spawn_plain(&self, listener: TcpListener) -> Result<(), GatewayError> {
        let shared = Arc::clone(&self.shared);
        self.accept(listener, move |stream| {
            plain::serve(Arc::clone(&shared), stream)
        })
    }

    /// Serves an HTTP proxy in front of the world: CONNECT with interception of
    /// TLS, and absolute-form requests in the clear.
    ///
    /// # Errors
    /// When the socket cannot be handed to the runtime.
    pub fn spawn_proxy(&self, listener: TcpListener) -> Result<(), GatewayError> {
        let shared = Arc::clone(&self.shared);
        self.accept(listener, move |stream| {
            proxy::serve(Arc::clone(&shared), stream)
        })
    }

    /// Takes no new requests, lets those that are being answered finish for
    /// [`GatewayLimits::drain`], then ends everything. Returns when no task of
    /// the gateway is left.
    pub async fn shutdown(self) {
        let shared = &self.shared;
        shared.drain.cancel();
        shared.tasks.close();
        if tokio::time::timeout(shared.limits.drain, shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::debug!(
                tasks = shared.tasks.len(),
                "ending connections that are still open"
            );
            shared.kill.cancel();
            shared.tasks.wait().await;
        }
    }

    /// Accepts connections until the gateway drains.
    fn accept<F>(
        &self,
        listener: TcpListener,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Result<(), GatewayError>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        listener.set_nonblocking(true)?;
        let listener = {
            let _runtime = self.shared.runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let shared = Arc::clone(&self.shared);
        self.shared.spawn_listener(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        // Answers are small and written whole: waiting to fill
                        // a segment only adds the peer's delayed ACK to each.
                        if let Err(error) = stream.set_nodelay(true) {
                            tracing::debug!(%error, "TCP_NODELAY");
                        }
                        let connections = Arc::clone(&shared.connections);
                        let Ok(permit) = connections.acquire_owned().await else {
                            return;
                        };
                        let connection = serve(stream);
                        shared.spawn(async move {
                            connection.await;
                            drop(permit);
                        });
                    }
                    // Out of descriptors, or the peer is gone already. The
                    // pause keeps the former from becoming a busy loop.
                    Err(error) => {
                        tracing::warn!(%error, "accept");
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }
            }
        });
        Ok(())
    }
}

impl Shared {
    /// The service that owns a host.
    fn service_of(&self, host: &str) -> Option<&Arc<dyn Service>> {
        self.services.iter().find(|service| service.owns(host))
    }

    /// What answers for a host that is no part of the world.
    fn upstream_of(&self, host: &str) -> Option<Arc<dyn Upstream>> {
        self.upstream
            .as_ref()
            .filter(|it| it.owns(host))
            .map(Arc::clone)
    }

    /// Runs a task that a drain waits for and a kill ends.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let kill = self.kill.clone();
        self.tasks.spawn_on(
            async move {
                tokio::select! {
                    biased;
                    () = kill.cancelled() => {}
                    () = task => {}
                }
            },
            &self.runtime,
        );
    }

    /// Runs a task that a drain ends.
    fn spawn_listener(&self, task: impl Future<Output = ()> + Send + 'static) {
        let drain = self.drain.clone();
        self.spawn(async move {
            tokio::select! {
                biased;
                () = drain.cancelled() => {}
                () = task => {}
            }
        });
    }
}
