//! Machines on which no room can be opened, and what to do about each.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Oldest bubblewrap that can shut off nested user namespaces.
const OLDEST_BWRAP: (u32, u32) = (0, 8);

/// Why this machine does not let the runner open rooms. The text says what to
/// do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// bubblewrap is not there.
    #[error(
        "bubblewrap is not installed (looked for {}). Install it: `sudo apt-get install \
         bubblewrap` (Debian, Ubuntu), `sudo dnf install bubblewrap` (Fedora), `sudo pacman -S \
         bubblewrap` (Arch)",
        list(looked_for)
    )]
    BubblewrapMissing {
        /// Where it was looked for.
        looked_for: Vec<PathBuf>,
    },
    /// bubblewrap cannot do what is needed.
    #[error(
        "bubblewrap {found} is too old: 0.8 or newer is needed (`--disable-userns`). Upgrade the \
         package `bubblewrap`; Debian 12 and Ubuntu 24.04 have a new enough one"
    )]
    BubblewrapTooOld {
        /// Its version.
        found: String,
    },
    /// `AppArmor` takes the capabilities out of new user namespaces.
    #[error(
        "AppArmor restricts user namespaces here (kernel.apparmor_restrict_unprivileged_userns = \
         1, the default since Ubuntu 23.10). Allow them for everybody: `sudo sysctl -w \
         kernel.apparmor_restrict_unprivileged_userns=0` (to keep it, the same setting in \
         /etc/sysctl.d/60-proctor.conf). Or only for bubblewrap: write `abi <abi/4.0>, include \
         <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) {{ userns, }}` to \
         /etc/apparmor.d/bwrap, then `sudo apparmor_parser -r /etc/apparmor.d/bwrap`"
    )]
    AppArmor,
    /// The number of user namespaces is limited to none.
    #[error(
        "no user namespace may be made here (user.max_user_namespaces is {value}, or this \
         process runs in a container that used them up). Raise it: `sudo sysctl -w \
         user.max_user_namespaces=10000` (to keep it, the same setting in \
         /etc/sysctl.d/60-proctor.conf)"
    )]
    MaxUserNamespaces {
        /// What the setting says, as this process sees it.
        value: u64,
    },
    /// Debian's switch is off.
    #[error(
        "user namespaces are switched off for everybody but root \
         (kernel.unprivileged_userns_clone = 0). Switch them on: `sudo sysctl -w \
         kernel.unprivileged_userns_clone=1` (to keep it, the same setting in \
         /etc/sysctl.d/60-proctor.conf)"
    )]
    UnprivilegedUsernsClone,
    /// A container's system call filter or capability set.
    #[error(
        "this process runs in a container whose policy refuses {refused} ({error}). Start the \
         container with `docker run --security-opt seccomp=unconfined --security-opt \
         apparmor=unconfined --security-opt systempaths=unconfined` (Podman: `--security-opt \
         seccomp=unconfined --security-opt unmask=ALL`), or run Proctor on the host"
    )]
    Container {
        /// What is refused.
        refused: ProbeStep,
        /// What the system says.
        error: String,
    },
    /// The room's user does not exist for this process.
    #[error(
        "cannot become the room's user {uid}:{gid} ({error}). In a user namespace without that \
         id, choose an identity that is mapped; otherwise give the runner CAP_SETUID and \
         CAP_SETGID, or do not run it as root"
    )]
    Identity {
        /// User.
        uid: u32,
        /// Group.
        gid: u32,
        /// What the system says.
        error: String,
    },
    /// None of the known causes.
    #[error(
        "this machine refuses {refused} ({error}), for none of the reasons that Proctor knows. \
         `bwrap --unshare-all --ro-bind / / true` must work for the user that runs Proctor"
    )]
    Unknown {
        /// What is refused.
        refused: ProbeStep,
        /// What the system says.
        error: String,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

/// How far the prober came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeStep {
    /// Becoming the room's user.
    Identity,
    /// A new user namespace.
    UserNamespace,
    /// Mapping users into it.
    IdMap,
    /// Namespaces for mounts, network, processes, messages and host name.
    OtherNamespaces,
    /// A mount in them.
    Mount,
    /// The loopback interface in them.
    Network,
}

impl std::fmt::Display for ProbeStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Identity => "becoming the room's user",
            Self::UserNamespace => "new user namespaces",
            Self::IdMap => "mapping users into a new user namespace",
            Self::OtherNamespaces => "new namespaces inside a new user namespace",
            Self::Mount => "mounts inside a new user namespace",
            Self::Network => "network interfaces inside a new user namespace",
        })
    }
}

/// Settings of the host that explain a refusal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostFacts {
    max_user_namespaces: Option<u64>,
    unprivileged_userns_clone: Option<u64>,
    apparmor_restricts: Option<u64>,
    in_container: bool,
}

impl HostFacts {
    pub(crate) fn read() -> Self {
        let number = |name: &str| {
            std::fs::read_to_string(Path::new("/proc/sys").join(name))
                .ok()?
                .trim()
                .parse()
                .ok()
        };
        // Left by Docker and Podman; systemd and Kubernetes leave their own.
        let marks = [
            "/.dockerenv",
            "/run/.containerenv",
            "/run/systemd/container",
        ];
        Self {
            max_user_namespaces: number("user/max_user_namespaces"),
            unprivileged_userns_clone: number("kernel/unprivileged_userns_clone"),
            apparmor_restricts: number("kernel/apparmor_restrict_unprivileged_userns"),
            in_container: marks.iter().any(|mark| Path::new(mark).exists()) || is_filtered(),
        }
    }

    /// The cause of a refusal, as far as the settings tell.
    pub(crate) fn explain(
        &self,
        refused: ProbeStep,
        errno: i32,
        identity: Option<(u32, u32)>,
    ) -> Unsupported {
        let error = io::Error::from_raw_os_error(errno).to_string();
        if let (ProbeStep::Identity, Some((uid, gid))) = (refused, identity) {
            return Unsupported::Identity { uid, gid, error };
        }
        if errno == libc::ENOSPC || errno == libc::EUSERS || self.max_user_namespaces == Some(0) {
            return Unsupported::MaxUserNamespaces {
                value: self.max_user_namespaces.unwrap_or(0),
            };
        }
        if self.unprivileged_userns_clone == Some(0) {
            return Unsupported::UnprivilegedUsernsClone;
        }
        if self.apparmor_restricts == Some(1) {
            return Unsupported::AppArmor;
        }
        if self.in_container {
            return Unsupported::Container { refused, error };
        }
        Unsupported::Unknown { refused, error }
    }
}

/// Whether a system call filter is loaded on this process: a container's
/// runtime does that, a login does not.
fn is_filtered() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return false;
    };
    status.lines().any(|line| {
        line.strip_prefix("Seccomp:")
            .is_some_and(|mode| mode.trim() == "2")
    })
}

/// Finds bubblewrap.
pub(crate) fn find_bwrap(given: Option<&Path>) -> Result<PathBuf, Unsupported> {
    let looked_for: Vec<PathBuf> = match given {
        Some(path) => vec![path.to_owned()],
        None => ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"]
            .map(Into::into)
            .into(),
    };
    match looked_for.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(Unsupported::BubblewrapMissing { looked_for }),
    }
}

/// Refuses a bubblewrap that is too old, by what it says of itself.
pub(crate) fn check_version(bwrap: &Path) -> Result<(), Unsupported> {
    let said = std::process::Command::new(bwrap)
        .arg("--version")
        .env_clear()
        .stdin(std::process::Stdio::null())
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    // `bubblewrap 0.8.0`
    let version = said.rsplit(' ').next().unwrap_or_default();
    let mut numbers = version
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST_BWRAP {
        let found = if said.is_empty() {
            "of unknown version".to_owned()
        } else {
            said
        };
        return Err(Unsupported::BubblewrapTooOld { found });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(facts: &HostFacts, step: ProbeStep, errno: i32) -> Unsupported {
        facts.explain(step, errno, Some((64321, 64321)))
    }

    #[test]
    fn each_cause_has_its_own_remedy() {
        let plain = HostFacts {
            max_user_namespaces: Some(90_000),
            apparmor_restricts: Some(0),
            ..HostFacts::default()
        };
        let none = HostFacts {
            max_user_namespaces: Some(0),
            ..plain.clone()
        };
        let debian = HostFacts {
            unprivileged_userns_clone: Some(0),
            ..plain.clone()
        };
        let ubuntu = HostFacts {
            apparmor_restricts: Some(1),
            ..plain.clone()
        };
        let docker = HostFacts {
            in_container: true,
            ..plain.clone()
        };
        for (facts, step, errno, remedy) in [
            (
                &none,
                ProbeStep::UserNamespace,
                libc::ENOSPC,
                "user.max_user_namespaces=",
            ),
            (
                &plain,
                ProbeStep::UserNamespace,
                libc::ENOSPC,
                "user.max_user_namespaces=",
            ),
            (
                &debian,
                ProbeStep::UserNamespace,
                libc::EPERM,
                "kernel.unprivileged_userns_clone=1",
            ),
            (
                &ubuntu,
                ProbeStep::IdMap,
                libc::EACCES,
                "apparmor_restrict_unprivileged_userns=0",
            ),
            (
                &ubuntu,
                ProbeStep::Mount,
                libc::EACCES,
                "apparmor_restrict_unprivileged_userns=0",
            ),
            (
                &docker,
                ProbeStep::UserNamespace,
                libc::EPERM,
                "seccomp=unconfined",
            ),
            (
                &plain,
                ProbeStep::Identity,
                libc::EINVAL,
                "choose an identity",
            ),
            (
                &plain,
                ProbeStep::Network,
                libc::EPERM,
                "bwrap --unshare-all",
            ),
        ] {
            let text = explain(facts, step, errno).to_string();
            assert!(text.contains(remedy), "{step:?} {errno}: {text}");
        }
    }

    #[test]
    fn a_missing_bubblewrap_names_the_package() {
        let error = find_bwrap(Some(Path::new("/nowhere/bwrap")))
            .unwrap_err()
            .to_string();
        assert!(error.contains("/nowhere/bwrap"), "{error}");
        assert!(error.contains("apt-get install bubblewrap"), "{error}");
    }

    #[test]
    fn an_old_bubblewrap_is_refused() {
        // Says nothing like a version.
        let error = check_version(Path::new("/bin/true"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("0.8 or newer"), "{error}");
    }
}
