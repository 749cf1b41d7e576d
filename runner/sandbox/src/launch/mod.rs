//! From the runner's process to a room.
//!
//! The runner starts `proctor-init launch` with one end of the room's channel
//! as standard input. The launcher has one thread and none of the runner's
//! memory, so it can do in plain code what is not possible between fork and
//! exec of a large program: as root, make host files reachable and become the
//! room's user; fork the helper that will listen inside; become bubblewrap.
//! bubblewrap starts `proctor-init init` as the room's first process.
//!
//! ```text
//! runner ─ spawn ─> launch ─ exec ─> bwrap ─ clone ─> setup ─ exec ─> init (1)
//!                     └ fork ─> helper ─ setns ─> sockets to the runner
//! ```

mod bwrap;
mod enter;
mod files;
pub(crate) mod identity;
mod net;
pub(crate) mod probe;
mod stage;

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::unistd::ForkResult;
use rustix::io::FdFlags;

use crate::error::Stage;
use crate::wire::{Channel, LaunchPlan, Order, Report, read_blob};

/// Where init is inside.
pub(crate) const GUEST_INIT: &str = "/run/proctor/init";

/// A step that failed, with what, and why.
#[derive(Debug)]
pub(crate) struct Failure {
    stage: Stage,
    subject: String,
    errno: i32,
}

impl Failure {
    pub(crate) fn new(stage: Stage, subject: impl Into<String>, error: &io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
        Self {
            stage,
            subject: subject.into(),
            errno,
        }
    }

    /// For `map_err`.
    pub(crate) fn at<E: Into<io::Error>>(
        stage: Stage,
        subject: &str,
    ) -> impl FnOnce(E) -> Self + use<E> {
        let subject = subject.to_owned();
        move |error| Self::new(stage, subject, &error.into())
    }

    fn report(self) -> Report {
        Report::Failed {
            stage: self.stage,
            subject: self.subject,
            errno: self.errno,
        }
    }
}

/// Runs the launcher; returns an exit code only where it failed.
pub(crate) fn run() -> i32 {
    let Ok(channel) = take_channel() else {
        return 64;
    };
    let Err(failure) = launch(&channel);
    // Where this fails too, the runner sees the channel close.
    let _ = channel.send(&failure.report(), &[]);
    1
}

/// Moves the channel from standard input to a place above standard error, and
/// puts nothing in its stead.
pub(crate) fn take_channel() -> io::Result<Channel> {
    let channel = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let null = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(Channel::from_fd(channel))
}

/// Receives the runner's first order, with its plan.
pub(crate) fn receive_plan(channel: &Channel) -> Result<LaunchPlan, Failure> {
    let failed = |error: io::Error| Failure::new(Stage::Plan, "order", &error);
    match channel.recv::<Order>().map_err(failed)? {
        Some((Order::Launch, fds)) if fds.len() == 1 => read_blob(&fds[0]).map_err(failed),
        _ => Err(failed(io::ErrorKind::InvalidData.into())),
    }
}

fn launch(channel: &Channel) -> Result<std::convert::Infallible, Failure> {
    // Out of the runner's terminal: an interrupt is for the runner, which
    // decides what becomes of its rooms. Fails only for a leader of a group,
    // which is what this is for.
    let _ = rustix::process::setsid();
    // Dies with the runner until bubblewrap, which sees to it itself.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::SIGKILL);
    let plan = receive_plan(channel)?;
    prefer_for_oom();
    let sources = match plan.identity {
        Some((uid, gid)) => {
            let sources = stage::prepare(&plan, uid, gid)?;
            identity::assume(uid, gid)
                .map_err(Failure::at(Stage::Identity, &format!("{uid}:{gid}")))?;
            sources
        }
        None if rustix::process::geteuid().is_root() => {
            let refused = io::Error::from_raw_os_error(libc::EPERM);
            return Err(Failure::new(Stage::Identity, "0:0", &refused));
        }
        None => stage::Sources::of(&plan),
    };
    sources.readable()?;
    let pipe = || {
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(Failure::at(Stage::Bubblewrap, "pipe"))
    };
    let (info, info_end) = pipe()?;
    let (mounted, mounted_end) = pipe()?;
    #[expect(unsafe_code, reason = "the helper must outlive the exec of bubblewrap")]
    // SAFETY: the launcher has one thread, so the child may do anything.
    let forked = unsafe { nix::unistd::fork() };
    match forked.map_err(Failure::at(Stage::Enter, "fork"))? {
        ForkResult::Child => {
            drop((info_end, mounted_end));
            std::process::exit(enter::run(channel, &plan, info, mounted));
        }
        ForkResult::Parent { .. } => {
            drop((info, mounted));
            become_bwrap(channel, &plan, &sources, &info_end, &mounted_end)
        }
    }
}

/// Whatever the agent does to the machine's memory, the kernel ends something
/// of the room before the runner. Without the right to do so, it stays as is.
fn prefer_for_oom() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "800");
}

fn become_bwrap(
    channel: &Channel,
    plan: &LaunchPlan,
    sources: &stage::Sources,
    info: &OwnedFd,
    mounted: &OwnedFd,
) -> Result<std::convert::Infallible, Failure> {
    let name = String::from_utf8_lossy(&plan.bwrap);
    let at = || Failure::at::<io::Error>(Stage::Bubblewrap, &name);
    let room = bwrap::Room {
        plan,
        sources,
        info: info.as_raw_fd(),
    };
    let mut kept = Vec::new();
    let arguments = room.arguments(&mut kept).map_err(at())?;
    let arguments = files::memory(&arguments).map_err(at())?;
    let channel_number = channel.as_fd().as_raw_fd();
    // `mounted` is only held: it closes when init has taken over, or when
    // everything before it has died.
    for fd in [channel.as_fd(), info.as_fd(), mounted.as_fd()] {
        rustix::io::fcntl_setfd(fd, FdFlags::empty())
            .map_err(io::Error::from)
            .map_err(at())?;
    }
    let error = Command::new(OsStr::from_bytes(&plan.bwrap))
        // Through a descriptor, so that no process list shows host paths.
        .arg("--args")
        .arg(arguments.as_raw_fd().to_string())
        .args(["--", GUEST_INIT, "init", &channel_number.to_string()])
        .env_clear()
        .exec();
    Err(at()(error))
}
