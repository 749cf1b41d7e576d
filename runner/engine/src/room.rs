//! The agent's room with its network attached: a sandbox whose every host name
//! leads to one world. The one place where sandbox, gateway and agents meet.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use proctor_agents::steps::BroughtFile;
use proctor_agents::{ExecOutput, ExecRequest, Shell, ShellError};
use proctor_sandbox::{
    CaptiveSockets, CollectCaps, GuestFile, ReadOnlyBind, Sandbox, SandboxConfig, SandboxError,
    Sink, TOOLS,
};
use proctor_services::{
    CaptiveListeners, Gateway, GatewayConfig, JournalCaps, Upstream, World, WorldHandle,
};
use proctor_types::manifest::Isolation;
use proctor_types::{JournalEntry, WorkspaceListing, WorldSnapshot};

use crate::EngineError;
use crate::host::HostConfig;
use crate::task::Task;
use crate::trial::{StageError, Tools};

/// Name of the filter program inside the room.
pub(crate) const CAPTURE: &str = "proctor-capture";

/// Name of the program inside the room that speaks MCP on standard input and
/// output, for clients that start their server.
pub(crate) const MCP: &str = "proctor-mcp";

/// Where the files are that the agent's steps file brings.
const STEPS_DIR: &str = "/opt/proctor/steps";

/// Ports besides 443, 80 and 53 on which an attempt to leave is recorded: what
/// agents try for mail, remote shells, proxies and registries. On any other the
/// kernel refuses, just as fast but without an entry in the journal.
const WATCHED_PORTS: [u16; 11] = [22, 25, 465, 587, 853, 993, 3128, 5000, 8080, 8443, 9418];

/// How much a trial's journal holds: no more than a grader can read.
fn caps() -> JournalCaps {
    JournalCaps {
        bytes: 16 << 20,
        ..JournalCaps::default()
    }
}

/// An open room.
#[derive(Debug)]
pub(crate) struct Room {
    sandbox: Sandbox,
    gateway: Gateway,
    world: WorldHandle,
    capture: Option<String>,
    /// Folder of what the agent's steps file brings, where it brings something.
    steps_dir: Option<String>,
    isolation: Isolation,
}

/// What a room is made of besides its world.
#[derive(Debug, Clone)]
pub(crate) struct RoomPlan<'a> {
    pub(crate) task: &'a Task,
    pub(crate) tools: &'a Tools,
    /// What the agent's steps file brings.
    pub(crate) brought: &'a [BroughtFile],
    pub(crate) isolation: Isolation,
    pub(crate) host: &'a HostConfig,
    /// The way to the agent's model, where it has one.
    pub(crate) upstream: Option<Arc<dyn Upstream>>,
}

/// A room that the agent has left for good: its network leads nowhere any more
/// and nothing runs in it. What is left can be read, and then probed.
#[derive(Debug)]
pub(crate) struct QuietRoom {
    pub(crate) after: WorldSnapshot,
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) bodies: BTreeMap<String, bytes::Bytes>,
    /// Files of the world's repositories by SHA-256.
    pub(crate) blobs: BTreeMap<String, bytes::Bytes>,
    sandbox: Sandbox,
}

impl Room {
    /// Opens a room as in `plan` in front of `world`, with the task's files in
    /// its workspace.
    pub(crate) async fn open(plan: RoomPlan<'_>, world: World) -> Result<Self, StageError> {
        let RoomPlan {
            task,
            isolation,
            host,
            ..
        } = plan;
        let services = GatewayConfig {
            upstream: plan.upstream.clone(),
            ..GatewayConfig::new(world.services())
        };
        let env = proctor_services::client_env(&task.info.services, &world.account);
        let world = WorldHandle::new(world, caps());
        let gateway = Gateway::new(world.clone(), services)
            .map_err(|error| StageError::ours("gateway", &error))?;
        let mut config = config(host, gateway.ca_pem());
        config.env = env;
        configure(&mut config, &plan);
        let sandbox = match isolation {
            Isolation::Sandbox => {
                config.ports = WATCHED_PORTS.to_vec();
                let (sandbox, sockets) = Sandbox::start(config).await.map_err(|e| broken(&e))?;
                gateway
                    .spawn_captive(listeners(sockets))
                    .map_err(|error| StageError::ours("gateway", &error))?;
                sandbox
            }
            Isolation::None => {
                let proxy = proxy(&gateway)?;
                config.env.extend(proctor_services::proxy_env(proxy));
                Sandbox::start_on_host(config)
                    .await
                    .map_err(|e| broken(&e))?
            }
        };
        for fixture in &task.fixtures {
            sandbox
                .workspace()
                .seed(&fixture.dest, &fixture.bytes, fixture.mode)
                .map_err(|error| StageError::ours("workspace", &error))?;
        }
        let capture = host
            .capture
            .is_some()
            .then(|| sandbox.guest_path(&format!("{TOOLS}/{CAPTURE}")));
        let steps_dir = (!plan.brought.is_empty()).then(|| sandbox.guest_path(STEPS_DIR));
        Ok(Self {
            sandbox,
            gateway,
            world,
            capture,
            steps_dir,
            isolation,
        })
    }

    /// From now on the journal's time runs.
    pub(crate) fn start_clock(&self) {
        self.world.start_clock();
    }

    /// The world as it is.
    pub(crate) fn snapshot(&self) -> WorldSnapshot {
        self.world.snapshot()
    }

    /// Ends everything that runs in the room; the room stays open.
    pub(crate) async fn kill_all(&self) -> Result<(), SandboxError> {
        self.sandbox.kill_all().await
    }

    /// Set when a fake broke: the trial is nobody's result.
    pub(crate) fn fault(&self) -> Option<StageError> {
        let fault = self.world.fault()?;
        Some(StageError {
            outcome: crate::record::Outcome::Infrastructure,
            kind: "service".to_owned(),
            message: fault.to_string(),
            hint: Some(
                "this is a fault of Proctor's; please report it with the request".to_owned(),
            ),
        })
    }

    /// Ends everything that runs in the room, and the room's network.
    pub(crate) async fn quiet(self) -> Result<QuietRoom, SandboxError> {
        self.sandbox.kill_all().await?;
        self.gateway.shutdown().await;
        let evidence = self.world.evidence();
        Ok(QuietRoom {
            after: evidence.after,
            journal: evidence.journal,
            bodies: evidence.bodies,
            blobs: evidence.blobs,
            sandbox: self.sandbox,
        })
    }

    /// How the agent is held.
    pub(crate) fn isolation(&self) -> Isolation {
        self.isolation
    }
}

impl QuietRoom {
    /// Runs a command where the agent ran, and ends everything it started.
    pub(crate) async fn probe(
        &self,
        request: proctor_sandbox::ExecRequest,
    ) -> Result<proctor_sandbox::ExecOutput, SandboxError> {
        let output = self.sandbox.exec(request).await;
        self.sandbox.kill_all().await?;
        output
    }

    /// Closes the room.
    pub(crate) async fn close(self) -> Result<(), SandboxError> {
        self.sandbox.stop().await.map(drop)
    }

    /// Reads what is in the workspace.
    pub(crate) fn collect(
        &self,
        keep: &mut Sink<'_>,
    ) -> Result<WorkspaceListing, proctor_sandbox::CollectError> {
        self.sandbox
            .workspace()
            .collect(&CollectCaps::default(), keep)
    }
}

#[async_trait]
impl Shell for Room {
    async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, ShellError> {
        let ExecRequest {
            argv,
            env,
            cwd,
            stdin,
            timeout,
            output_cap_bytes,
        } = request;
        let program = argv.first().cloned().unwrap_or_default();
        let request = proctor_sandbox::ExecRequest {
            argv,
            env,
            cwd,
            stdin,
            timeout,
            output_cap_bytes,
        };
        let output = self
            .sandbox
            .exec(request)
            .await
            .map_err(|error| match error {
                SandboxError::Exec { step, source, .. } => ShellError::CannotStart {
                    program,
                    reason: format!("{step}: {source}"),
                },
                error => ShellError::Room(Box::new(error)),
            })?;
        let cut = |bytes: u64, kept: usize| bytes.saturating_sub(kept as u64);
        Ok(ExecOutput {
            exit_code: output.status.shell_code(),
            stdout_cut_bytes: cut(output.stdout_bytes, output.stdout.len()),
            stderr_cut_bytes: cut(output.stderr_bytes, output.stderr.len()),
            stdout: output.stdout,
            stderr: output.stderr,
            timed_out: output.timed_out,
            duration: output.duration,
        })
    }

    fn capture_program(&self) -> Option<&str> {
        self.capture.as_deref()
    }

    fn steps_dir(&self) -> Option<&str> {
        self.steps_dir.as_deref()
    }
}

/// Whether agents can be isolated on this machine.
pub(crate) fn probe(host: &HostConfig) -> Result<(), EngineError> {
    proctor_sandbox::probe(&config(host, ""))
        .map_err(|error| EngineError::Isolation(crate::error::chain(&error)))
}

/// Removes what killed runners left, and says what that was.
pub(crate) fn sweep(scratch: &Path) -> Vec<String> {
    let swept = proctor_sandbox::leftovers(scratch)
        .and_then(|found| proctor_sandbox::sweep(&found).map(|()| found));
    match swept {
        Ok(found) => found
            .iter()
            .map(|left| {
                format!(
                    "runner {} was killed while it held a room; removed {}",
                    left.runner,
                    left.path.display()
                )
            })
            .collect(),
        Err(error) => vec![format!("cannot remove what killed runners left: {error}")],
    }
}

/// A room of this machine with nothing in it.
pub(crate) fn config(host: &HostConfig, trust_pem: &str) -> SandboxConfig {
    let mut config = SandboxConfig::new(&host.init, trust_pem);
    config.run_base = Some(host.scratch.clone());
    config.bwrap = host
        .search
        .iter()
        .map(|dir| dir.join("bwrap"))
        .find(|path| path.is_file());
    config
}

fn configure(config: &mut SandboxConfig, plan: &RoomPlan<'_>) {
    let (task, host) = (plan.task, plan.host);
    let own = [(CAPTURE, &host.capture), (MCP, &host.mcp)];
    let own = own.into_iter().filter_map(|(name, path)| {
        // What talks to services is of no use in a world without any.
        let is_used = name != MCP || !task.info.services.is_empty();
        let path = path.as_ref().filter(|_| is_used)?;
        Some((format!("{TOOLS}/{name}"), path.clone()))
    });
    let binds = plan.tools.binds.iter().cloned().chain(own);
    config.binds = binds
        .map(|(target, source)| ReadOnlyBind { source, target })
        .collect();
    config.files = plan
        .brought
        .iter()
        .map(|file| GuestFile {
            path: format!("{STEPS_DIR}/{}", file.path),
            bytes: file.bytes.clone(),
            executable: file.executable,
        })
        .collect();
    let limits = &mut config.limits;
    limits.workspace_bytes = task
        .limits
        .workspace_bytes
        .unwrap_or(limits.workspace_bytes);
    limits.processes = task.limits.processes.unwrap_or(limits.processes);
    limits.memory_bytes = task.limits.memory_bytes.or(limits.memory_bytes);
}

fn listeners(sockets: CaptiveSockets) -> CaptiveListeners {
    CaptiveListeners {
        https: sockets.https,
        http: sockets.http,
        dns_tcp: sockets.dns_tcp,
        dns_udp: sockets.dns_udp,
        extra: sockets
            .extra
            .into_iter()
            .map(|(_, listener)| listener)
            .collect(),
    }
}

/// Without isolation the world is behind an ordinary proxy.
fn proxy(gateway: &Gateway) -> Result<SocketAddr, StageError> {
    let wrong = |error: io::Error| StageError::ours("gateway", &error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    gateway
        .spawn_proxy(listener)
        .map_err(|error| StageError::ours("gateway", &error))?;
    Ok(address)
}

fn broken(error: &SandboxError) -> StageError {
    StageError::ours("sandbox", error)
}
