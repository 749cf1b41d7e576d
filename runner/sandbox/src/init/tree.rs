//! Ending every process of a room, inside a namespace and without one.

use std::collections::HashMap;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitIdOptions};

/// Most rounds of killing on the host. Each round ends every process that is
/// seen; only a fork bomb that outruns `/proc` needs more than a few.
const ROUNDS: usize = 2000;

/// What init is the first process of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    /// A process namespace: init is process 1.
    Namespace,
    /// A tree of processes on the host: init adopts every orphan in it.
    Host,
}

impl Domain {
    /// Takes its place; refuses a place that it must not have.
    pub(super) fn enter(self) -> Result<(), Errno> {
        let errno = |errno: nix::Error| Errno::from_raw_os_error(errno as i32);
        match self {
            // `kill(-1)` below would otherwise reach the whole machine.
            Self::Namespace if !is_first_process() => return Err(Errno::PERM),
            Self::Namespace => {}
            Self::Host => nix::sys::prctl::set_child_subreaper(true).map_err(errno)?,
        }
        nix::sys::prctl::set_dumpable(false).map_err(errno)
    }

    /// Ends every process of the room but init, and returns when none is left.
    /// `reap` collects children that have ended.
    pub(super) fn end(self, reap: &mut dyn FnMut()) {
        match self {
            Self::Namespace => end_namespace(reap),
            Self::Host => end_tree(reap),
        }
    }
}

fn is_first_process() -> bool {
    rustix::process::getpid() == Pid::INIT
}

fn end_namespace(reap: &mut dyn FnMut()) {
    if !is_first_process() {
        return;
    }
    // The kernel signals all processes of the namespace under one lock: a
    // process that is just forking is either seen or does not come to be.
    // Fails only where there is none.
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(-1), nix::sys::signal::SIGKILL);
    // Orphans become children of init, so it has none when all are gone.
    while wait_for_any_child() {
        reap();
    }
}

/// Waits until a child ended, and leaves it to be reaped; false without any.
fn wait_for_any_child() -> bool {
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(rustix::process::WaitId::All, options) {
            Ok(_) => return true,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

fn end_tree(reap: &mut dyn FnMut()) {
    for _ in 0..ROUNDS {
        let tree = descendants(rustix::process::getpid());
        for pid in &tree {
            // Fails where it ended meanwhile.
            let _ = rustix::process::kill_process(*pid, Signal::KILL);
        }
        reap();
        if tree.is_empty() && !has_children() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn has_children() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    rustix::process::waitid(rustix::process::WaitId::All, options).is_ok()
}

/// All processes below `root`, zombies left out.
fn descendants(root: Pid) -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    for entry in entries.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        if let Some((state, parent)) = state_and_parent(pid)
            && !matches!(state, 'Z' | 'X')
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root.as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for pid in children.remove(&parent).unwrap_or_default() {
            found.extend(Pid::from_raw(pid));
            open.push(pid);
        }
    }
    found
}

/// Third and fourth field of `/proc/PID/stat`; the second, the name, is in
/// parentheses and may hold anything.
fn state_and_parent(pid: i32) -> Option<(char, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
