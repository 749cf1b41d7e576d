//! Init: the first process of a room.
//!
//! It is process 1 of the room's process namespace, so nothing inside can
//! signal it, and everything inside dies with it. It has one thread, is not
//! dumpable (the agent runs as the same user and must not reach its memory or
//! descriptors), and does what the runner says over its channel: start a
//! command, end everything. It reaps every orphan. When the channel closes,
//! whatever the reason, it exits.
//!
//! Without isolation the same program runs on the host as the reaper of a
//! process tree; [`tree`] is where the two differ.

mod seccomp;
mod spawn;
mod tree;

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus};

use crate::config::WORKSPACE;
use crate::error::{ExecStep, Stage};
use crate::wire::{Channel, Exit, Order, Report, Setup, SpawnPlan, read_blob};
use spawn::{Preparation, Starting, Stdio};
use tree::Domain;

/// Runs init as the first process of a room, on the inherited descriptor
/// `channel`, and returns the exit code.
pub(crate) fn run_in_room(channel: RawFd) -> i32 {
    adopt(channel).map_or(64, |channel| run(channel, Domain::Namespace))
}

/// Runs init as the reaper of a tree on the host, with the channel as standard
/// input, and returns the exit code.
pub(crate) fn run_on_host() -> i32 {
    // Out of the runner's terminal: an interrupt is for the runner.
    let _ = rustix::process::setsid();
    crate::launch::take_channel().map_or(64, |channel| run(channel, Domain::Host))
}

fn run(channel: Channel, domain: Domain) -> i32 {
    match Init::prepare(channel, domain) {
        Ok(mut init) => init.serve(),
        Err(code) => code,
    }
}

/// Takes over the channel and closes everything else that was inherited.
fn adopt(channel: RawFd) -> Option<Channel> {
    if channel <= 2 {
        return None;
    }
    close_from(3, channel);
    #[expect(unsafe_code, reason = "taking over an inherited descriptor")]
    // SAFETY: the launcher leaves this descriptor open for init alone, nothing
    // in this process has wrapped it, and `fcntl` below shows that it is open.
    let fd = unsafe { OwnedFd::from_raw_fd(channel) };
    rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC).ok()?;
    Some(Channel::from_fd(fd))
}

/// Closes all descriptors from `first` on, but for `spared`.
fn close_from(first: RawFd, spared: RawFd) {
    for (from, to) in [(first, spared - 1), (spared + 1, RawFd::MAX)] {
        if from <= to {
            #[expect(unsafe_code, reason = "close_range has no safe wrapper")]
            // SAFETY: this early nothing in the process owns any of these.
            unsafe {
                libc::syscall(libc::SYS_close_range, from, to, 0);
            }
        }
    }
}

struct Init {
    channel: Channel,
    domain: Domain,
    children: SignalFd,
    preparation: Preparation,
    /// Commands by process, with the name that the runner gave them.
    commands: HashMap<Pid, u64>,
    /// Commands that do not run yet.
    starting: Vec<(u64, Starting)>,
}

impl Init {
    fn prepare(channel: Channel, domain: Domain) -> Result<Self, i32> {
        let failed = |subject: &str, errno: i32| {
            let subject = subject.to_owned();
            // The runner sees the channel close in any case.
            let _ = channel.send(
                &Report::Failed {
                    stage: Stage::Init,
                    subject,
                    errno,
                },
                &[],
            );
            1
        };
        domain
            .enter()
            .map_err(|errno| failed("process namespace", errno.raw_os_error()))?;
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGCHLD);
        let children = mask
            .thread_block()
            .and_then(|()| {
                SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
            })
            .map_err(|errno| failed("SIGCHLD", errno as i32))?;
        let workspace = match domain {
            Domain::Namespace => Some(
                rustix::fs::open(
                    WORKSPACE,
                    rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC,
                    rustix::fs::Mode::empty(),
                )
                .map_err(|errno| failed(WORKSPACE, errno.raw_os_error()))?,
            ),
            Domain::Host => None,
        };
        let attached: Vec<_> = workspace.iter().map(AsFd::as_fd).collect();
        channel.send(&Report::Ready, &attached).map_err(|_| 1)?;
        let setup = match channel.recv::<Order>() {
            Ok(Some((Order::Setup(setup), _))) => setup,
            _ => Setup::default(),
        };
        let preparation =
            Preparation::new(setup).map_err(|problem| failed(&problem, libc::EINVAL))?;
        Ok(Self {
            channel,
            domain,
            children,
            preparation,
            commands: HashMap::new(),
            starting: Vec::new(),
        })
    }

    /// Until the runner is gone.
    fn serve(&mut self) -> i32 {
        while self.turn().is_some() {}
        // The kernel ends everything in the namespace when init exits; a tree
        // on the host has to be ended by hand.
        self.domain.end(&mut || drop(self.reap()));
        0
    }

    /// Waits for something to do and does it; `None` when the runner is gone.
    fn turn(&mut self) -> Option<()> {
        let mut ready = vec![
            PollFd::new(&self.channel, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
        ];
        ready.extend(
            self.starting
                .iter()
                .map(|(_, child)| PollFd::new(child, PollFlags::IN)),
        );
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
        let ready: Vec<_> = ready.iter().map(|fd| !fd.revents().is_empty()).collect();
        // From the back, so that removing one leaves the places of the others.
        for place in (0..self.starting.len())
            .rev()
            .filter(|place| ready[place + 2])
        {
            let (id, child) = self.starting.remove(place);
            self.report_start(id, child).ok()?;
        }
        // Children before orders, so that the end of a command is reported
        // before anything that the runner asks for afterwards.
        if ready[1] {
            self.reap().ok()?;
        }
        if ready[0] { self.obey() } else { Some(()) }
    }

    /// Carries out one order; `None` when the runner is gone.
    fn obey(&mut self) -> Option<()> {
        match self.channel.recv::<Order>() {
            Ok(Some((Order::Spawn { id }, fds))) => self.spawn(id, &fds).ok(),
            Ok(Some((Order::KillAll { id }, _))) => self.kill_all(id).ok(),
            Ok(Some((Order::Launch | Order::Setup(_), _))) => Some(()),
            Ok(None) | Err(_) => None,
        }
    }

    fn spawn(&mut self, id: u64, fds: &[OwnedFd]) -> io::Result<()> {
        match self.fork(fds) {
            Ok(child) => {
                self.commands.insert(child.pid, id);
                self.starting.push((id, child));
                Ok(())
            }
            Err((step, errno)) => self
                .channel
                .send(&Report::NotStarted { id, step, errno }, &[]),
        }
    }

    fn fork(&self, fds: &[OwnedFd]) -> Result<Starting, (ExecStep, i32)> {
        let [plan, rest @ ..] = fds else {
            return Err((ExecStep::Exec, libc::EBADF));
        };
        let plan: SpawnPlan = read_blob(plan).map_err(|_| (ExecStep::Exec, libc::EINVAL))?;
        let stdio = match rest {
            [stdout, stderr] => Stdio {
                stdin: None,
                stdout,
                stderr,
            },
            [stdout, stderr, stdin] => Stdio {
                stdin: Some(stdin),
                stdout,
                stderr,
            },
            _ => return Err((ExecStep::Session, libc::EBADF)),
        };
        spawn::spawn(&self.preparation, &plan, &stdio)
    }

    fn report_start(&mut self, id: u64, child: Starting) -> io::Result<()> {
        let pid = child.pid;
        let report = match child.outcome() {
            Ok(()) => Report::Started { id },
            Err((step, errno)) => {
                self.commands.remove(&pid);
                Report::NotStarted { id, step, errno }
            }
        };
        self.channel.send(&report, &[])
    }

    fn kill_all(&mut self, id: u64) -> io::Result<()> {
        let domain = self.domain;
        domain.end(&mut || drop(self.reap()));
        self.channel.send(&Report::Quiet { id }, &[])
    }

    /// Collects children that ended; an error means that the runner is gone.
    fn reap(&mut self) -> io::Result<()> {
        while let Ok(Some(_)) = self.children.read_signal() {}
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => self.report_end(pid, status)?,
                Err(Errno::INTR) => {}
                Ok(None) | Err(_) => return Ok(()),
            }
        }
    }

    fn report_end(&mut self, pid: Pid, status: WaitStatus) -> io::Result<()> {
        if let Some(place) = self.starting.iter().position(|(_, child)| child.pid == pid) {
            let (id, child) = self.starting.remove(place);
            self.report_start(id, child)?;
        }
        let Some(id) = self.commands.remove(&pid) else {
            return Ok(());
        };
        let exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Signal(0),
        };
        self.channel.send(&Report::Exited { id, exit }, &[])
    }
}
