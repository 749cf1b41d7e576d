//! A room: opening it, working in it, closing it.

use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::config::{Identity, SandboxConfig};
use crate::error::{SandboxError, Stage};
use crate::exec::{ExecOutput, ExecRequest, Running};
use crate::guest::{self, Paths};
use crate::host::HostRoom;
use crate::link::Link;
use crate::run::{self, Surroundings};
use crate::rundir::RunDir;
use crate::unsupported::find_bwrap;
use crate::warden::{self, Guarded, Launch, Opened};
use crate::wire::{LaunchPlan, Quota, Setup};
use crate::workspace::Workspace;

/// The listening sockets of a room's network, non-blocking, bound to 0.0.0.0.
/// Every address that something in the room connects to leads to them;
/// `getsockname` on a connection tells which one it was.
#[derive(Debug)]
pub struct CaptiveSockets {
    /// Port 443.
    pub https: TcpListener,
    /// Port 80.
    pub http: TcpListener,
    /// Port 53 over TCP.
    pub dns_tcp: TcpListener,
    /// Port 53 over UDP, with `IP_PKTINFO` on: an answer must come from the
    /// address that was asked.
    pub dns_udp: UdpSocket,
    /// The ports that the configuration asked for.
    pub extra: Vec<(u16, TcpListener)>,
}

impl CaptiveSockets {
    fn new(sockets: Vec<OwnedFd>, ports: &[u16]) -> Option<Self> {
        let mut sockets = sockets.into_iter();
        let (https, http, dns_tcp, dns_udp) = (
            sockets.next()?,
            sockets.next()?,
            sockets.next()?,
            sockets.next()?,
        );
        let extra: Vec<_> = ports
            .iter()
            .copied()
            .zip(sockets.map(TcpListener::from))
            .collect();
        (extra.len() == ports.len()).then_some(Self {
            https: https.into(),
            http: http.into(),
            dns_tcp: dns_tcp.into(),
            dns_udp: dns_udp.into(),
            extra,
        })
    }
}

/// What stands between a room and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Namespaces, a system call filter and a captive network.
    Namespaces,
    /// Nothing. Must be asked for, and said in every report.
    None,
}

/// An open room.
///
/// Dropping it closes it too, without waiting until everything in it is gone.
#[derive(Debug)]
pub struct Sandbox {
    link: Arc<Link>,
    ended: Option<oneshot::Receiver<()>>,
    workspace: Workspace,
    paths: Paths,
    env: Vec<(String, String)>,
    owner: Option<Identity>,
    isolation: Isolation,
    run_dir: Option<RunDir>,
}

/// What is left of a room that was closed.
#[derive(Debug)]
pub struct Stopped {
    /// As the agent left it.
    pub workspace: Workspace,
    /// A room on the host keeps its directory until this is dropped.
    #[expect(dead_code, reason = "held for what dropping it does")]
    run_dir: Option<RunDir>,
}

/// Says whether rooms can be opened here, by opening and closing one. Blocks
/// for some milliseconds.
pub fn probe(config: &SandboxConfig) -> Result<(), SandboxError> {
    config.validate()?;
    let bwrap = find_bwrap(config.bwrap.as_deref())?;
    crate::unsupported::check_version(&bwrap)?;
    warden::rehearse(&in_namespaces(
        config,
        bwrap.as_os_str().as_bytes(),
        owner(config),
    ))
}

/// Whom the room's processes are on the host, where not the runner's own user.
fn owner(config: &SandboxConfig) -> Option<Identity> {
    rustix::process::geteuid()
        .is_root()
        .then_some(config.identity)
}

fn pair(Identity { uid, gid }: Identity) -> (u32, u32) {
    (uid, gid)
}

fn in_namespaces(config: &SandboxConfig, bwrap: &[u8], owner: Option<Identity>) -> Launch {
    let limits = &config.limits;
    let plan = LaunchPlan {
        bwrap: bwrap.to_vec(),
        init: config.init.as_os_str().as_bytes().to_vec(),
        identity: owner.map(pair),
        hostname: config.hostname.clone(),
        binds: config
            .binds
            .iter()
            .map(|bind| {
                (
                    bind.source.as_os_str().as_bytes().to_vec(),
                    bind.target.clone(),
                )
            })
            .collect(),
        files: guest::files(config),
        ports: config.ports.clone(),
        workspace: Quota {
            bytes: limits.workspace_bytes,
            entries: limits.workspace_entries,
        },
        scratch: Quota {
            bytes: limits.scratch_bytes,
            entries: limits.scratch_entries,
        },
    };
    let mut all = common_limits(config);
    // Counted per user namespace: rooms do not take from each other.
    all.push((libc::RLIMIT_NPROC, limits.processes));
    let setup = Setup {
        limits: all,
        filtered: true,
        identity: None,
    };
    Launch {
        init: config.init.clone(),
        plan: Some(plan),
        setup,
    }
}

fn common_limits(config: &SandboxConfig) -> Vec<(u32, u64)> {
    let limits = &config.limits;
    let mut all = vec![
        (libc::RLIMIT_NOFILE, limits.open_files),
        // One byte rather than none: a core pattern that pipes to a program
        // runs it whatever the limit, except at exactly this value (core(5),
        // `do_coredump` in the kernel). No dump fits into one byte.
        (libc::RLIMIT_CORE, 1),
    ];
    all.extend(limits.memory_bytes.map(|bytes| (libc::RLIMIT_DATA, bytes)));
    all.extend(limits.file_bytes.map(|bytes| (libc::RLIMIT_FSIZE, bytes)));
    all
}

impl Sandbox {
    /// Opens a room with namespaces, a captive network and an empty workspace.
    ///
    /// Nothing runs in it yet but its init. Where the machine does not allow
    /// it, the error says what to do.
    pub async fn start(config: SandboxConfig) -> Result<(Self, CaptiveSockets), SandboxError> {
        config.validate()?;
        let owner = owner(&config);
        let bwrap = find_bwrap(config.bwrap.as_deref())?;
        let run_dir = match &config.run_base {
            Some(base) => Some(
                RunDir::create(base).map_err(SandboxError::host("cannot make a run directory"))?,
            ),
            None => None,
        };
        let launch = in_namespaces(&config, bwrap.as_os_str().as_bytes(), owner);
        let Guarded {
            link,
            opened,
            ended,
        } = warden::open(launch).await?;
        let Opened { workspace, sockets } = opened;
        let incomplete = |subject: &str| SandboxError::Open {
            stage: Stage::Init,
            subject: subject.to_owned(),
            source: std::io::ErrorKind::InvalidData.into(),
        };
        let room = |workspace| Self {
            workspace: Workspace::new(workspace, owner),
            env: guest::environment(&Paths::in_namespace(), &config.env),
            paths: Paths::in_namespace(),
            link: Arc::clone(&link),
            ended: Some(ended),
            owner,
            isolation: Isolation::Namespaces,
            run_dir,
        };
        match (workspace, CaptiveSockets::new(sockets, &config.ports)) {
            (Some(workspace), Some(sockets)) => Ok((room(workspace), sockets)),
            (workspace, _) => {
                link.close();
                Err(incomplete(if workspace.is_none() {
                    "workspace"
                } else {
                    "sockets"
                }))
            }
        }
    }

    /// Opens a room without walls: a directory on the host. The agent's
    /// processes can see and do whatever their user can.
    ///
    /// As root they still run as the configuration's identity. `run_base` must
    /// be set, and `ports` must be empty: there is no captive network. The
    /// caller says in the environment where the gateway is.
    pub async fn start_on_host(config: SandboxConfig) -> Result<Self, SandboxError> {
        config.validate()?;
        let owner = owner(&config);
        let HostRoom { dir, paths } = HostRoom::create(&config, owner)?;
        let workspace = std::fs::File::open(&paths.workspace)
            .map_err(SandboxError::host("cannot open the workspace"))?;
        let setup = Setup {
            limits: common_limits(&config),
            filtered: false,
            identity: owner.map(pair),
        };
        let launch = Launch {
            init: config.init.clone(),
            plan: None,
            setup,
        };
        let Guarded { link, ended, .. } = warden::open(launch).await?;
        Ok(Self {
            workspace: Workspace::new(workspace.into(), owner),
            env: guest::environment(&paths, &config.env),
            paths,
            link,
            ended: Some(ended),
            owner,
            isolation: Isolation::None,
            run_dir: Some(dir),
        })
    }

    /// What stands between this room and the host.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// The workspace, to put files into and to collect.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Where a command finds what is at `path` in a real room: the same path
    /// with namespaces, one in the room's directory without.
    pub fn guest_path(&self, path: &str) -> String {
        self.paths.of(path)
    }

    /// The environment that every command gets, in order of name.
    pub fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// Starts a command and returns when its program runs.
    ///
    /// Commands may run at the same time. When one runs out of time, every
    /// process of the room is killed, whoever started it.
    pub async fn stream(&self, request: ExecRequest) -> Result<Running, SandboxError> {
        let around = Surroundings {
            env: &self.env,
            workspace: &self.paths.workspace,
            owner: self.owner.map(pair),
        };
        run::start(&self.link, around, request).await
    }

    /// Runs a command to its end.
    ///
    /// Returns when the command has ended and its output is read. A process
    /// that it leaves in the background goes on; its later output is thrown
    /// away.
    pub async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, SandboxError> {
        self.stream(request).await?.collect().await
    }

    /// Kills every process of the room, and returns when they are gone. The
    /// room stays open: commands can be run again.
    pub async fn kill_all(&self) -> Result<(), SandboxError> {
        self.link.kill_all().await
    }

    /// Closes the room, and returns when everything in it is gone. The
    /// workspace stays as it is.
    pub async fn stop(mut self) -> Result<Stopped, SandboxError> {
        self.link.close();
        if let Some(ended) = self.ended.take() {
            ended.await.map_err(|_| SandboxError::Gone)?;
        }
        let workspace = self.workspace.try_clone()?;
        Ok(Stopped {
            workspace,
            run_dir: self.run_dir.take(),
        })
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.link.close();
    }
}
