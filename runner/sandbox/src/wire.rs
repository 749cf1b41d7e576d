//! What runner, launcher and init say to each other.
//!
//! One `SOCK_SEQPACKET` pair per room carries all of it: a message is one
//! packet of postcard, with descriptors attached. What may be long (plans,
//! commands) travels in a memory file, so that no packet meets the socket's
//! buffer size.

use std::io::{self, IoSlice, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::GuestFile;
use crate::error::{ExecStep, Stage};

/// Longest packet.
const PACKET: usize = 16 << 10;
/// Most descriptors with one packet: the sockets of a room with all its ports.
const MAX_FDS: usize = 48;
/// Longest memory file that is read back: all files of a room.
const MAX_BLOB: u64 = 1 << 30;

/// From the runner.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// To the launcher; attached: a [`LaunchPlan`].
    Launch,
    /// To init, once, before any other.
    Setup(Setup),
    /// To init; attached: a [`SpawnPlan`], standard output, standard error,
    /// and standard input where there is one.
    Spawn {
        /// Name of the command in reports.
        id: u64,
    },
    /// To init: end every process but itself.
    KillAll {
        /// Name of the order in the report.
        id: u64,
    },
}

/// To the runner.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Of init: the room is built; attached: the workspace, where it is of the
    /// room's making.
    Ready,
    /// Of the helper: attached are the sockets, in the order https, http, dns
    /// over tcp, dns over udp, extra ports.
    Bound,
    /// Of launcher, helper or init: it will not come to be.
    Failed {
        stage: Stage,
        subject: String,
        errno: i32,
    },
    /// Of the prober: how far it came, and why no further.
    Probed {
        obstacle: Option<(crate::unsupported::ProbeStep, i32)>,
    },
    /// Of init: the command runs.
    Started { id: u64 },
    /// Of init: the command does not run.
    NotStarted { id: u64, step: ExecStep, errno: i32 },
    /// Of init: the command ended.
    Exited { id: u64, exit: Exit },
    /// Of init: nothing but itself is left.
    Quiet { id: u64 },
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Exit {
    /// It ended itself, with this code.
    Code(i32),
    /// A signal of this number ended it.
    Signal(i32),
}

impl Exit {
    /// Whether it ended itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// The code as a shell shows it: 128 and the number of a signal.
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// What the launcher needs to build a room.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LaunchPlan {
    pub(crate) bwrap: Vec<u8>,
    pub(crate) init: Vec<u8>,
    /// Whom to become first; `None` keeps the runner's own user.
    pub(crate) identity: Option<(u32, u32)>,
    pub(crate) hostname: String,
    /// Host path and guest path.
    pub(crate) binds: Vec<(Vec<u8>, String)>,
    pub(crate) files: Vec<GuestFile>,
    pub(crate) ports: Vec<u16>,
    pub(crate) workspace: Quota,
    pub(crate) scratch: Quota,
}

/// Bounds of one memory file system.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Quota {
    pub(crate) bytes: u64,
    pub(crate) entries: u64,
}

/// How init treats every command.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// Resource numbers of `setrlimit(2)` and values for both limits.
    pub(crate) limits: Vec<(u32, u64)>,
    /// Whether commands get the system call filter.
    pub(crate) filtered: bool,
    /// Whom commands become; `None` keeps init's own user.
    pub(crate) identity: Option<(u32, u32)>,
}

/// One command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SpawnPlan {
    pub(crate) argv: Vec<Vec<u8>>,
    /// `NAME=value`.
    pub(crate) env: Vec<Vec<u8>>,
    pub(crate) cwd: Vec<u8>,
    /// Directories to look in for a program that is named without `/`.
    pub(crate) search: Vec<Vec<u8>>,
}

/// One end of a room's channel.
#[derive(Debug)]
pub(crate) struct Channel(OwnedFd);

impl Channel {
    /// The runner's end and the room's.
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (runner, room) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        Ok((Self(runner), Self(room)))
    }

    pub(crate) fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Sends one message; waits where the other end is slow.
    pub(crate) fn send(&self, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send_with(message, fds, SendFlags::NOSIGNAL)
    }

    /// Sends one message, or fails with [`io::ErrorKind::WouldBlock`].
    pub(crate) fn try_send(
        &self,
        message: &impl Serialize,
        fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.send_with(message, fds, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)
    }

    fn send_with(
        &self,
        message: &impl Serialize,
        fds: &[BorrowedFd<'_>],
        flags: SendFlags,
    ) -> io::Result<()> {
        let packet = encode(message)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if packet.len() > PACKET
            || (!fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)))
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "message too long",
            ));
        }
        loop {
            match rustix::net::sendmsg(&self.0, &[IoSlice::new(&packet)], &mut control, flags) {
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next message, or `None` when the other end is gone.
    pub(crate) fn recv<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        let mut packet = vec![0; PACKET];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut was_reset = false;
        let received = loop {
            let mut parts = [IoSliceMut::new(&mut packet)];
            let flags = RecvFlags::CMSG_CLOEXEC;
            match rustix::net::recvmsg(&self.0, &mut parts, &mut control, flags) {
                Ok(received) => break received,
                Err(rustix::io::Errno::INTR) => {}
                // The other end went away without reading everything. That is
                // told once, and before what it said last.
                Err(rustix::io::Errno::CONNRESET) if !was_reset => was_reset = true,
                Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        };
        let fds = control
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                _ => None,
            })
            .flatten()
            .collect();
        if received.bytes == 0 {
            return Ok(None);
        }
        if received
            .flags
            .intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC)
        {
            return Err(invalid("a message was cut short"));
        }
        Ok(Some((decode(&packet[..received.bytes])?, fds)))
    }

    /// Ends the conversation: both ends see that the other is gone.
    pub(crate) fn shutdown(&self) {
        // Fails only where the other end is gone already.
        let _ = rustix::net::shutdown(&self.0, rustix::net::Shutdown::Both);
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A memory file that holds `value`.
pub(crate) fn blob(value: &impl Serialize) -> io::Result<OwnedFd> {
    memory_file(&encode(value)?)
}

/// A memory file with `bytes` in it, positioned at its start.
pub(crate) fn memory_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create("proctor", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// What [`blob`] put into a memory file.
pub(crate) fn read_blob<T: DeserializeOwned>(fd: &OwnedFd) -> io::Result<T> {
    let mut file = std::fs::File::from(fd.try_clone()?);
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(MAX_BLOB).read_to_end(&mut bytes)?;
    decode(&bytes)
}

fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| invalid(&error.to_string()))
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(|error| invalid(&error.to_string()))
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("bad message between runner and room: {problem}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_descriptors_arrive_and_an_absent_peer_is_seen() {
        let (a, b) = Channel::pair().unwrap();
        let file = memory_file(b"content").unwrap();
        a.send(&Order::Spawn { id: 7 }, &[file.as_fd(), file.as_fd()])
            .unwrap();
        let (order, fds) = b.recv::<Order>().unwrap().unwrap();
        assert!(matches!(order, Order::Spawn { id: 7 }));
        assert_eq!(fds.len(), 2);
        drop(a);
        assert!(b.recv::<Order>().unwrap().is_none());
        assert!(b.send(&Report::Ready, &[]).is_err());
    }

    #[test]
    fn last_words_arrive_although_something_was_left_unread() {
        let (a, b) = Channel::pair().unwrap();
        a.send(&Order::Launch, &[]).unwrap();
        a.send(&Order::KillAll { id: 1 }, &[]).unwrap();
        b.recv::<Order>().unwrap();
        b.send(&Report::Quiet { id: 1 }, &[]).unwrap();
        drop(b);
        assert!(matches!(
            a.recv::<Report>().unwrap().unwrap().0,
            Report::Quiet { id: 1 }
        ));
        assert!(a.recv::<Report>().unwrap().is_none());
    }

    #[test]
    fn a_packet_of_nonsense_is_an_error_and_no_panic() {
        let (a, b) = Channel::pair().unwrap();
        rustix::net::send(&a, &[0xff; 64], SendFlags::empty()).unwrap();
        assert!(b.recv::<Order>().is_err());
    }

    #[test]
    fn long_plans_travel_in_memory_files() {
        let plan = SpawnPlan {
            argv: vec![vec![b'x'; 1 << 20]],
            env: vec![],
            cwd: b"/".to_vec(),
            search: vec![],
        };
        let read: SpawnPlan = read_blob(&blob(&plan).unwrap()).unwrap();
        assert_eq!(read.argv, plan.argv);
    }
}
