//! The agent's room: namespaces, init, captive sockets, workspace collection.
//!
//! [`Sandbox::start`] opens a room with bubblewrap and the small program
//! `proctor-init`. Its only network is a set of listening sockets which the
//! caller gets ([`CaptiveSockets`]); its workspace is a memory file system that
//! the caller reaches through a descriptor ([`Workspace`]); commands run in it
//! one after another or side by side ([`Sandbox::exec`]), and nothing of it
//! outlives [`Sandbox::stop`], the [`Sandbox`] itself, or the runner, even one
//! that is killed.
//!
//! | what | is held by |
//! | --- | --- |
//! | host files, processes, users, network, abstract sockets | namespaces |
//! | `AF_VSOCK`, raw families, `ptrace`, keys, `io_uring`, `bpf`, nested namespaces | system call filter |
//! | init (same user as the agent) | process 1, not dumpable, one private channel |
//! | disk, memory, processes | sized memory file systems, resource limits |
//! | host uid 0 | refused; a runner that is root drops to [`Identity`] |
//! | what the workspace holds | [`collect`]: nothing followed, everything capped |
//!
//! What it does not do: memory is bounded per process and for files, not for
//! the room as a whole (the kernel is told to end the agent before the runner);
//! ports that nobody listens on refuse at once, without a trace in the journal;
//! IPv6 has no route; `/proc/self/mountinfo` shows where on the host a bind
//! comes from.
//!
//! The crate does not know what runs in a room or who answers on its sockets.

mod collect;
mod config;
mod error;
mod exec;
mod guest;
mod host;
mod init;
mod launch;
mod link;
mod output;
mod run;
mod rundir;
mod sandbox;
mod unsupported;
mod warden;
mod wire;
mod workspace;

pub use collect::{CollectCaps, Sink, collect, escape};
pub use config::{
    GuestFile, HOME, Identity, Limits, NAME_SERVER, ReadOnlyBind, SandboxConfig, TOOLS,
    TRUST_BUNDLE, WORKSPACE,
};
pub use error::{CollectError, ConfigError, ExecStep, SandboxError, SeedError, SeedProblem, Stage};
pub use exec::{Chunk, ExecOutput, ExecRequest, Outcome, Running, Stream};
pub use output::LineSplitter;
pub use rundir::{Leftover, leftovers, sweep};
pub use sandbox::{CaptiveSockets, Isolation, Sandbox, Stopped, probe};
pub use unsupported::{ProbeStep, Unsupported};
pub use wire::Exit;
pub use workspace::Workspace;

/// The body of `proctor-init`: the launcher, the helper, the prober or a
/// room's init, as its first argument says. Only the runner starts it; started
/// by hand it explains itself and exits with code 64.
pub fn init_main() -> ! {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next();
    let channel = arguments
        .next()
        .and_then(|number| number.to_str()?.parse().ok());
    let code = match (
        command.as_ref().and_then(|command| command.to_str()),
        channel,
    ) {
        (Some("launch"), None) => launch::run(),
        (Some("probe"), None) => launch::probe::run(),
        (Some("host"), None) => init::run_on_host(),
        (Some("init"), Some(channel)) => init::run_in_room(channel),
        _ => 64,
    };
    if code == 64 {
        use std::io::Write;
        // Nobody to tell that nobody can be told.
        let _ = std::io::stderr().write_all(b"proctor-init is started by Proctor's runner.\n");
    }
    std::process::exit(code)
}
