//! The runner's side of a room's channel: orders out, reports back to whoever
//! waits for them.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::error::{ExecStep, SandboxError};
use crate::wire::{Channel, Exit, Order, Report, SpawnPlan, blob};

/// How long a room has to end all its processes, or to take an order.
const PATIENCE: Duration = Duration::from_secs(10);

/// The connection to one room's init.
#[derive(Debug)]
pub(crate) struct Link {
    channel: Channel,
    /// The process whose end ends the room, where there is one.
    root: Option<OwnedFd>,
    ids: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    closed: bool,
    commands: HashMap<u64, Waiter>,
    quiet: HashMap<u64, oneshot::Sender<()>>,
}

#[derive(Debug)]
struct Waiter {
    started: Option<oneshot::Sender<Result<(), (ExecStep, i32)>>>,
    exited: oneshot::Sender<Exit>,
}

fn is_busy(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ETOOMANYREFS)
}

/// A command that init was told to start.
pub(crate) struct Command {
    pub(crate) started: oneshot::Receiver<Result<(), (ExecStep, i32)>>,
    pub(crate) exited: oneshot::Receiver<Exit>,
}

impl Link {
    pub(crate) fn new(channel: Channel, root: Option<OwnedFd>) -> Self {
        Self {
            channel,
            root,
            ids: AtomicU64::new(1),
            waiting: Mutex::default(),
        }
    }

    /// Nothing in here can panic while it holds the lock in the middle of a
    /// change, so a poisoned lock still guards a whole value.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands reports to those who wait for them until the room is gone.
    pub(crate) fn listen(&self) {
        loop {
            match self.channel.recv::<Report>() {
                Ok(Some((report, _))) => self.deliver(&report),
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(%error, "the room's init talks nonsense; destroying the room");
                    break;
                }
            }
        }
        self.close();
        let mut waiting = self.waiting();
        waiting.closed = true;
        // Dropping the senders tells the receivers.
        waiting.commands.clear();
        waiting.quiet.clear();
    }

    fn deliver(&self, report: &Report) {
        let mut waiting = self.waiting();
        // A receiver that is gone does not care any more.
        match *report {
            Report::Started { id } => {
                let waiter = waiting.commands.get_mut(&id);
                if let Some(started) = waiter.and_then(|waiter| waiter.started.take()) {
                    let _ = started.send(Ok(()));
                }
            }
            Report::NotStarted { id, step, errno } => {
                let waiter = waiting.commands.remove(&id);
                if let Some(started) = waiter.and_then(|waiter| waiter.started) {
                    let _ = started.send(Err((step, errno)));
                }
            }
            Report::Exited { id, exit } => {
                if let Some(waiter) = waiting.commands.remove(&id) {
                    let _ = waiter.exited.send(exit);
                }
            }
            Report::Quiet { id } => {
                if let Some(quiet) = waiting.quiet.remove(&id) {
                    let _ = quiet.send(());
                }
            }
            Report::Ready | Report::Bound | Report::Failed { .. } | Report::Probed { .. } => {
                tracing::warn!(?report, "unexpected report of a room");
            }
        }
    }

    /// Tells init to start a command.
    pub(crate) async fn spawn(
        &self,
        plan: &SpawnPlan,
        stdin: Option<&OwnedFd>,
        stdout: &OwnedFd,
        stderr: &OwnedFd,
    ) -> Result<Command, SandboxError> {
        let plan = blob(plan).map_err(SandboxError::host("cannot write a command down"))?;
        let (started, on_start) = oneshot::channel();
        let (exited, on_exit) = oneshot::channel();
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        {
            let mut waiting = self.waiting();
            if waiting.closed {
                return Err(SandboxError::Gone);
            }
            waiting.commands.insert(
                id,
                Waiter {
                    started: Some(started),
                    exited,
                },
            );
        }
        let mut fds = vec![plan.as_fd(), stdout.as_fd(), stderr.as_fd()];
        fds.extend(stdin.map(AsFd::as_fd));
        let sent = self.order(&Order::Spawn { id }, &fds).await;
        if sent.is_err() {
            self.waiting().commands.remove(&id);
        }
        sent.map(|()| Command {
            started: on_start,
            exited: on_exit,
        })
    }

    /// Ends every process of the room but init, and returns when they are gone.
    pub(crate) async fn kill_all(&self) -> Result<(), SandboxError> {
        let (quiet, on_quiet) = oneshot::channel();
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        {
            let mut waiting = self.waiting();
            if waiting.closed {
                return Err(SandboxError::Gone);
            }
            waiting.quiet.insert(id, quiet);
        }
        self.order(&Order::KillAll { id }, &[]).await?;
        match tokio::time::timeout(PATIENCE, on_quiet).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SandboxError::Gone),
            Err(_) => Err(self.unresponsive("ending its processes")),
        }
    }

    async fn order(&self, order: &Order, fds: &[BorrowedFd<'_>]) -> Result<(), SandboxError> {
        let sending = async {
            loop {
                match self.channel.try_send(order, fds) {
                    // Hundreds of orders are under way, or the agent, as the
                    // same user, has sent itself all the descriptors that the
                    // kernel lets a user have on their way. Neither happens to
                    // a room that works, so polling is good enough.
                    Err(error) if is_busy(&error) => {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    Err(_) => return Err(SandboxError::Gone),
                    Ok(()) => return Ok(()),
                }
            }
        };
        match tokio::time::timeout(PATIENCE, sending).await {
            Ok(sent) => sent,
            Err(_) => Err(self.unresponsive("taking orders")),
        }
    }

    fn unresponsive(&self, doing: &'static str) -> SandboxError {
        self.destroy();
        SandboxError::Unresponsive {
            seconds: PATIENCE.as_secs(),
            doing,
        }
    }

    /// Lets init see that the runner is done; it ends, and the room with it.
    pub(crate) fn close(&self) {
        self.channel.shutdown();
    }

    /// Ends the room without asking init.
    pub(crate) fn destroy(&self) {
        if let Some(root) = &self.root {
            // Fails only where it has ended.
            let _ = rustix::process::pidfd_send_signal(root, rustix::process::Signal::KILL);
        }
        self.close();
    }
}
