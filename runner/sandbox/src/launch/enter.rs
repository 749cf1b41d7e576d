//! The helper that listens inside a room.
//!
//! It waits until the room is built, enters its user and network namespace
//! from outside, routes every address to the loopback interface, binds the
//! ports, and hands the sockets to the runner. Done from inside, this would
//! need privileges there; done like this, nothing inside ever has any.

use std::fs::File;
use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use rustix::fs::CWD;
use rustix::mount::{FsPickFlags, fsconfig_reconfigure, fsconfig_set_string, fspick};
use rustix::net::{AddressFamily, SocketAddrV4, SocketFlags, SocketType, sockopt};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::{Failure, net};
use crate::config::WORKSPACE;
use crate::error::Stage;
use crate::wire::{Channel, LaunchPlan, Quota, Report};

/// Runs the helper and returns its exit code.
pub(super) fn run(channel: &Channel, plan: &LaunchPlan, info: OwnedFd, mounted: OwnedFd) -> i32 {
    let report = match enter(plan, info, mounted) {
        Ok(Some(sockets)) => {
            let fds: Vec<_> = sockets.iter().map(AsFd::as_fd).collect();
            return i32::from(channel.send(&Report::Bound, &fds).is_err());
        }
        // The room did not come to be; whoever knows why says so.
        Ok(None) => return 1,
        Err(failure) => failure.report(),
    };
    // Where this fails, the runner is gone.
    let _ = channel.send(&report, &[]);
    1
}

/// What bubblewrap writes to `--info-fd`.
#[derive(serde::Deserialize)]
struct Info {
    #[serde(rename = "child-pid")]
    child_pid: i32,
}

fn enter(
    plan: &LaunchPlan,
    info: OwnedFd,
    mounted: OwnedFd,
) -> Result<Option<Vec<OwnedFd>>, Failure> {
    let mut text = Vec::new();
    let read = File::from(info).take(16 << 10).read_to_end(&mut text);
    read.map_err(Failure::at(Stage::Enter, "process number"))?;
    if text.is_empty() {
        return Ok(None);
    }
    let info: Info = serde_json::from_slice(&text).map_err(|error| {
        Failure::new(
            Stage::Enter,
            format!("bubblewrap's info: {error}"),
            &io::ErrorKind::InvalidData.into(),
        )
    })?;
    // Closes when init runs: then all mounts are made and the loopback
    // interface is up.
    let mut nothing = [0];
    let waited = File::from(mounted).read(&mut nothing);
    waited.map_err(Failure::at(Stage::Enter, "end of setup"))?;

    let at = |what: &'static str| Failure::at::<io::Error>(Stage::Enter, what);
    let network = namespace(info.child_pid, "net").map_err(at("network namespace"))?;
    let mounts = namespace(info.child_pid, "mnt").map_err(at("mount namespace"))?;
    let Some(owner) = owner(&network).map_err(at("user namespace"))? else {
        return Ok(None);
    };
    let join = |fd: &OwnedFd, kind| {
        move_into_link_name_space(fd.as_fd(), Some(kind)).map_err(io::Error::from)
    };
    join(&owner, LinkNameSpaceType::User).map_err(at("user namespace"))?;
    join(&network, LinkNameSpaceType::Network).map_err(at("network namespace"))?;
    net::route_everything_here().map_err(Failure::at(Stage::Route, "local 0.0.0.0/0 dev lo"))?;
    let sockets = listen(&plan.ports)?;
    join(&mounts, LinkNameSpaceType::Mount).map_err(at("mount namespace"))?;
    for (place, quota) in [
        (WORKSPACE, plan.workspace),
        ("/tmp", plan.scratch),
        ("/home", plan.scratch),
        ("/dev/shm", plan.scratch),
    ] {
        bound_entries(place, quota).map_err(Failure::at(Stage::Entries, place))?;
    }
    Ok(Some(sockets))
}

fn namespace(pid: i32, kind: &str) -> io::Result<OwnedFd> {
    Ok(File::open(format!("/proc/{pid}/ns/{kind}"))?.into())
}

/// The user namespace that owns the room's network; `None` where it is the
/// helper's own, which means that the number belongs to another process now.
fn owner(network: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    #[expect(unsafe_code, reason = "NS_GET_USERNS has no safe wrapper")]
    // SAFETY: this request takes no argument and returns a new descriptor,
    // which is owned from here on (ioctl_ns(2)).
    let owner = unsafe {
        const NS_GET_USERNS: libc::c_ulong = 0xb701;
        let number = libc::ioctl(network.as_raw_fd(), NS_GET_USERNS as _);
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(number)
    };
    let own = rustix::fs::stat("/proc/self/ns/user")?;
    let found = rustix::fs::fstat(&owner)?;
    Ok(((own.st_dev, own.st_ino) != (found.st_dev, found.st_ino)).then_some(owner))
}

/// Listening sockets in the order of [`Report::Bound`].
fn listen(ports: &[u16]) -> Result<Vec<OwnedFd>, Failure> {
    let tcp = [443, 80, 53]
        .into_iter()
        .map(|port| (port, SocketType::STREAM));
    let udp = std::iter::once((53, SocketType::DGRAM));
    let extra = ports.iter().map(|&port| (port, SocketType::STREAM));
    tcp.chain(udp)
        .chain(extra)
        .map(|(port, kind)| bind(port, kind).map_err(Failure::at(Stage::Listen, &port.to_string())))
        .collect()
}

/// Without `SO_REUSEADDR` and `SO_REUSEPORT`: the agent could otherwise bind a
/// more specific address of the same port and take the gateway's place.
fn bind(port: u16, kind: SocketType) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::INET, kind, flags, None)?;
    if kind == SocketType::DGRAM {
        nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::Ipv4PacketInfo, &true)?;
    }
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    if kind == SocketType::STREAM {
        // Every connection that the gateway accepts inherits it.
        sockopt::set_tcp_nodelay(&socket, true)?;
        rustix::net::listen(&socket, 1024)?;
    }
    Ok(socket)
}

/// Caps the number of inodes of a memory file system. Without a cap the kernel
/// allows one per two pages of the machine's memory, empty files cost no
/// bytes of the size, and each takes about a kilobyte of the kernel's.
fn bound_entries(place: &str, quota: Quota) -> io::Result<()> {
    let picked = fspick(CWD, place, FsPickFlags::FSPICK_CLOEXEC)?;
    fsconfig_set_string(&picked, "nr_inodes", quota.entries.to_string())?;
    fsconfig_reconfigure(&picked)?;
    Ok(())
}
