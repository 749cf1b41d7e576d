//! The thread that opens a room and stays until it is gone.
//!
//! A room dies with the *thread* that started it (`PR_SET_PDEATHSIG`, see
//! prctl(2)), so it must be one that lives as long as the room: the threads of
//! an async runtime come and go. This one starts the launcher, waits for the
//! room, delivers what init reports, and reaps the process at the end.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags};
use tokio::sync::oneshot;

use crate::error::{SandboxError, Stage};
use crate::link::Link;
use crate::unsupported::{HostFacts, ProbeStep, Unsupported, check_version};
use crate::wire::{Channel, LaunchPlan, Order, Report, Setup, blob};

/// How long a room may take to open. It takes milliseconds; this is for
/// machines that swap.
const OPENING: Duration = Duration::from_secs(30);
/// How long a room may take to end once init was told to.
const ENDING: Duration = Duration::from_secs(10);
/// How much of bubblewrap's complaints is kept.
const COMPLAINT: usize = 8 << 10;

/// What is to be started.
pub(crate) struct Launch {
    pub(crate) init: PathBuf,
    /// `None`: on the host, without a room.
    pub(crate) plan: Option<LaunchPlan>,
    pub(crate) setup: Setup,
}

/// What an open room consists of.
pub(crate) struct Opened {
    pub(crate) workspace: Option<OwnedFd>,
    pub(crate) sockets: Vec<OwnedFd>,
}

/// A room and the news of its end.
pub(crate) struct Guarded {
    pub(crate) link: Arc<Link>,
    pub(crate) opened: Opened,
    pub(crate) ended: oneshot::Receiver<()>,
}

/// Opens a room on a thread of its own.
pub(crate) async fn open(launch: Launch) -> Result<Guarded, SandboxError> {
    let (ready, on_ready) = oneshot::channel();
    let (end, ended) = oneshot::channel();
    std::thread::Builder::new()
        .name("proctor-warden".into())
        .stack_size(256 << 10)
        .spawn(move || guard(&launch, ready, end))
        .map_err(SandboxError::host("cannot start a thread"))?;
    let (link, opened) = on_ready.await.map_err(|_| SandboxError::Gone)??;
    Ok(Guarded {
        link,
        opened,
        ended,
    })
}

type Ready = Result<(Arc<Link>, Opened), SandboxError>;

fn guard(launch: &Launch, ready: oneshot::Sender<Ready>, end: oneshot::Sender<()>) {
    let (mut process, link, opened) = match open_blocking(launch) {
        Ok(open) => open,
        Err(error) => {
            // Nobody waits any more: nothing was opened either.
            let _ = ready.send(Err(error));
            return;
        }
    };
    if ready.send(Ok((link.clone(), opened))).is_err() {
        // The caller gave up while the room opened.
        link.close();
    }
    link.listen();
    process.end();
    // Whoever dropped the room does not wait for its end.
    let _ = end.send(());
}

/// Opens a room and closes it again.
pub(crate) fn rehearse(launch: &Launch) -> Result<(), SandboxError> {
    let (mut process, link, _) = open_blocking(launch)?;
    link.close();
    process.end();
    Ok(())
}

fn open_blocking(launch: &Launch) -> Result<(Process, Arc<Link>, Opened), SandboxError> {
    let host = SandboxError::host;
    let command = if launch.plan.is_some() {
        "launch"
    } else {
        "host"
    };
    let (mut process, channel) =
        Process::start(launch, command).map_err(host("cannot start proctor-init"))?;
    let opened = match await_ready(&channel, launch.plan.is_some()) {
        Ok(opened) => opened,
        Err(early) => {
            drop(channel);
            process.end();
            return Err(explain(launch, early, process.complaint()));
        }
    };
    // On the host, the reaper must outlive what it has to end.
    let root = match launch.plan {
        Some(_) => Some(process.root().map_err(host("cannot watch a process"))?),
        None => None,
    };
    Ok((process, Arc::new(Link::new(channel, root)), opened))
}

/// Why a room did not get ready.
enum Early {
    Failed {
        stage: Stage,
        subject: String,
        errno: i32,
    },
    Closed,
    Late,
    Host(io::Error),
}

fn explain(launch: &Launch, early: Early, said: String) -> SandboxError {
    match early {
        Early::Late => SandboxError::Unresponsive {
            seconds: OPENING.as_secs(),
            doing: "getting ready",
        },
        Early::Host(source) => SandboxError::Host {
            doing: "cannot talk to a room that opens",
            source,
        },
        // The helper only sees that the room went away; bubblewrap knows why.
        Early::Failed {
            stage,
            subject,
            errno,
        } if stage != Stage::Enter || said.is_empty() => {
            let source = io::Error::from_raw_os_error(errno);
            let identity = launch.plan.as_ref().and_then(|plan| plan.identity);
            match (stage, identity) {
                (Stage::Identity, Some((uid, gid))) => Unsupported::Identity {
                    uid,
                    gid,
                    error: source.to_string(),
                }
                .into(),
                _ => SandboxError::Open {
                    stage,
                    subject,
                    source,
                },
            }
        }
        Early::Failed { .. } | Early::Closed => match unsupported(launch) {
            Some(cause) => cause.into(),
            None => SandboxError::EndedEarly { said },
        },
    }
}

/// Whether the machine is the reason that a room did not open.
fn unsupported(launch: &Launch) -> Option<Unsupported> {
    use std::os::unix::ffi::OsStrExt;
    let plan = launch.plan.as_ref()?;
    let bwrap = std::ffi::OsStr::from_bytes(&plan.bwrap);
    if let Err(error) = check_version(bwrap.as_ref()) {
        return Some(error);
    }
    let (step, errno) = probe(launch).ok()??;
    Some(HostFacts::read().explain(step, errno, plan.identity))
}

/// Goes through what a room needs; the first obstacle, if there is one.
fn probe(launch: &Launch) -> io::Result<Option<(ProbeStep, i32)>> {
    let (mut process, channel) = Process::start(launch, "probe")?;
    let obstacle = match next_report(&channel, Instant::now() + OPENING) {
        Ok((Report::Probed { obstacle }, _)) => Ok(obstacle),
        _ => Err(io::ErrorKind::InvalidData.into()),
    };
    drop(channel);
    process.end();
    obstacle
}

fn await_ready(channel: &Channel, in_room: bool) -> Result<Opened, Early> {
    let deadline = Instant::now() + OPENING;
    let (mut ready, mut sockets) = (None, (!in_room).then(Vec::new));
    while ready.is_none() || sockets.is_none() {
        match next_report(channel, deadline)? {
            (Report::Ready, mut fds) => ready = Some(fds.pop()),
            (Report::Bound, fds) => sockets = Some(fds),
            (
                Report::Failed {
                    stage,
                    subject,
                    errno,
                },
                _,
            ) => {
                return Err(Early::Failed {
                    stage,
                    subject,
                    errno,
                });
            }
            (report, _) => tracing::warn!(?report, "unexpected report of a room"),
        }
    }
    Ok(Opened {
        workspace: ready.flatten(),
        sockets: sockets.unwrap_or_default(),
    })
}

fn next_report(channel: &Channel, deadline: Instant) -> Result<(Report, Vec<OwnedFd>), Early> {
    if !readable(channel, deadline).map_err(Early::Host)? {
        return Err(Early::Late);
    }
    match channel.recv::<Report>() {
        Ok(Some(message)) => Ok(message),
        Ok(None) => Err(Early::Closed),
        Err(error) => Err(Early::Host(error)),
    }
}

/// A started `proctor-init`, whatever it has become since.
struct Process {
    child: Child,
    stderr: Option<ChildStderr>,
    ended: bool,
}

impl Process {
    fn start(launch: &Launch, command: &str) -> io::Result<(Self, Channel)> {
        let (runner, room) = Channel::pair()?;
        let mut child = Command::new(&launch.init)
            .arg(command)
            .env_clear()
            .stdin(Stdio::from(room.into_fd()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child.stderr.take();
        let process = Self {
            child,
            stderr,
            ended: false,
        };
        // Where these fail, the process has ended, which is seen next.
        if let Some(plan) = &launch.plan {
            use std::os::fd::AsFd;
            let _ = runner.send(&Order::Launch, &[blob(plan)?.as_fd()]);
        }
        let _ = runner.send(&Order::Setup(launch.setup.clone()), &[]);
        Ok((process, runner))
    }

    /// A descriptor of the process that survives the reuse of its number.
    fn root(&self) -> io::Result<OwnedFd> {
        let number = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let pid = number.ok_or(io::ErrorKind::InvalidData)?;
        Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?)
    }

    /// Waits for the end of the process and of everything under it, first
    /// patiently, and reaps it.
    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        // bubblewrap ends when init has, and init when its namespace is empty.
        let patient = self
            .root()
            .and_then(|root| readable(root, Instant::now() + ENDING));
        if !matches!(patient, Ok(true)) {
            tracing::warn!(
                pid = self.child.id(),
                "a room does not end by itself; killing it"
            );
            // Fails only where it has ended.
            let _ = self.child.kill();
        }
        if let Err(error) = self.child.wait() {
            tracing::error!(%error, "cannot reap a room");
        }
    }

    /// What was said on standard error, after the end.
    fn complaint(&mut self) -> String {
        let mut said = Vec::new();
        if let Some(stderr) = self.stderr.take() {
            // A helper may still hold the other end: take what is there.
            let _ = rustix::io::ioctl_fionbio(&stderr, true);
            let _ = stderr.take(COMPLAINT as u64).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).trim_end().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits until there is something to read or to be told; false when late.
fn readable(fd: impl std::os::fd::AsFd, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
