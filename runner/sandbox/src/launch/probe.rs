//! What this machine allows, step by step.
//!
//! Runs only when a room could not be opened. bubblewrap says what failed in
//! words; this says it in error numbers, so that the advice given is right.

use std::io;

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};

use super::{identity, receive_plan, take_channel};
use crate::unsupported::ProbeStep;
use crate::wire::Report;

/// Runs the prober and returns its exit code.
pub(crate) fn run() -> i32 {
    let Ok(channel) = take_channel() else {
        return 64;
    };
    let Ok(plan) = receive_plan(&channel) else {
        return 1;
    };
    let obstacle = probe(plan.identity)
        .err()
        .map(|(step, error)| (step, error.raw_os_error().unwrap_or(libc::EINVAL)));
    i32::from(channel.send(&Report::Probed { obstacle }, &[]).is_err())
}

fn probe(become_user: Option<(u32, u32)>) -> Result<(), (ProbeStep, io::Error)> {
    let at = |step| move |error: io::Error| (step, error);
    if let Some((uid, gid)) = become_user {
        identity::assume(uid, gid).map_err(|e| at(ProbeStep::Identity)(e.into()))?;
        // Giving up root made this process not dumpable, and its files in
        // /proc root's; bubblewrap becomes dumpable again through exec.
        nix::sys::prctl::set_dumpable(true).map_err(|e| at(ProbeStep::Identity)(e.into()))?;
    }
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|e| at(ProbeStep::UserNamespace)(e.into()))?;
    let map = |file: &str, text: String| {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(at(ProbeStep::IdMap))
    };
    map("uid_map", format!("1000 {} 1\n", uid.as_raw()))?;
    map("setgroups", "deny".to_owned())?;
    map("gid_map", format!("1000 {} 1\n", gid.as_raw()))?;
    let rest = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    unshare(rest).map_err(|e| at(ProbeStep::OtherNamespaces)(e.into()))?;
    mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )
    .and_then(|()| mount("proctor", "/tmp", "tmpfs", MountFlags::NOSUID, None))
    .map_err(|e| at(ProbeStep::Mount)(e.into()))?;
    super::net::raise_loopback().map_err(at(ProbeStep::Network))
}
