//! What bubblewrap is told.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::stage::Sources;
use super::{GUEST_INIT, files};
use crate::config::{HOME, WORKSPACE};
use crate::wire::LaunchPlan;

/// Single files and directories of the host's `/etc` that programs need and
/// that say nothing about the host. Its time zone is left out: rooms are in
/// UTC, whatever machine they are on.
const ETC: [&str; 6] = [
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "mime.types",
    "protocols",
    "services",
];

/// Top-level names that are links into `/usr` on most systems.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

pub(super) struct Room<'a> {
    pub(super) plan: &'a LaunchPlan,
    pub(super) sources: &'a Sources,
    pub(super) info: RawFd,
}

/// Arguments in the form that `--args` reads: each followed by NUL.
#[derive(Default)]
struct Arguments(Vec<u8>);

impl Arguments {
    fn push(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.0.extend_from_slice(argument.as_ref().as_bytes());
        self.0.push(0);
        self
    }

    fn words(&mut self, words: &str) -> &mut Self {
        words
            .split(' ')
            .fold(self, |arguments, word| arguments.push(word))
    }
}

impl Room<'_> {
    /// The arguments; memory files that they name are added to `kept` and must
    /// stay open until bubblewrap runs.
    pub(super) fn arguments(&self, kept: &mut Vec<OwnedFd>) -> io::Result<Vec<u8>> {
        let mut arguments = Arguments::default();
        self.namespaces(&mut arguments);
        system(&mut arguments);
        self.file_systems(&mut arguments);
        arguments
            .push("--ro-bind")
            .push(&self.sources.init.path)
            .push(GUEST_INIT);
        for (source, (_, target)) in self.sources.binds.iter().zip(&self.plan.binds) {
            arguments.push("--ro-bind").push(&source.path).push(target);
        }
        for file in &self.plan.files {
            let content = files::memory(&file.bytes)?;
            arguments
                .push("--perms")
                .push(if file.executable { "0555" } else { "0444" });
            arguments
                .push("--ro-bind-data")
                .push(content.as_raw_fd().to_string())
                .push(&file.path);
            kept.push(content);
        }
        arguments.words("--remount-ro /dev --remount-ro /etc --remount-ro / --chdir /");
        Ok(arguments.0)
    }

    fn namespaces(&self, arguments: &mut Arguments) {
        arguments
            .words("--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts")
            .words("--unshare-cgroup-try --disable-userns --assert-userns-disabled")
            .words("--uid 1000 --gid 1000 --cap-drop ALL --clearenv")
            .words("--as-pid-1 --die-with-parent --new-session --hostname")
            .push(&self.plan.hostname)
            .push("--info-fd")
            .push(self.info.to_string());
    }

    fn file_systems(&self, arguments: &mut Arguments) {
        let scratch = self.plan.scratch.bytes.to_string();
        let mut memory = |place: &str, size: &str, mode: &str| {
            arguments
                .push("--perms")
                .push(mode)
                .push("--size")
                .push(size)
                .push("--tmpfs")
                .push(place);
        };
        memory("/dev/shm", &scratch, "1777");
        memory("/tmp", &scratch, "1777");
        memory("/home", &scratch, "0755");
        memory(WORKSPACE, &self.plan.workspace.bytes.to_string(), "0755");
        arguments.push("--dir").push(HOME);
        arguments.words("--dir /opt --dir /run --dir /var --symlink ../tmp /var/tmp");
    }
}

/// What comes from the host: `/usr`, the names that lead into it, and a few
/// tables.
fn system(arguments: &mut Arguments) {
    arguments.words("--ro-bind /usr /usr");
    for place in SYSTEM {
        match std::fs::symlink_metadata(place) {
            Ok(found) if found.is_symlink() => {
                if let Ok(target) = std::fs::read_link(place) {
                    arguments.push("--symlink").push(target).push(place);
                }
            }
            Ok(found) if found.is_dir() => {
                arguments.push("--ro-bind").push(place).push(place);
            }
            _ => {}
        }
    }
    // Named, because what bubblewrap makes on the way is closed to others.
    arguments.words("--proc /proc --dev /dev --tmpfs /etc --dir /etc/ssl --dir /etc/ssl/certs");
    for name in ETC {
        let place: OsString = Path::new("/etc").join(name).into();
        arguments.push("--ro-bind-try").push(&place).push(&place);
    }
    for place in ["/etc/ssl/openssl.cnf", "/etc/fonts"] {
        arguments.push("--ro-bind-try").push(place).push(place);
    }
    arguments.words("--symlink ../usr/lib/os-release /etc/os-release");
    arguments.words("--symlink certs/ca-certificates.crt /etc/ssl/cert.pem");
}
