//! What a room is made of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

/// Where the agent works, inside.
pub const WORKSPACE: &str = "/workspace";
/// The agent's home, inside; fresh in every room.
pub const HOME: &str = "/home/agent";
/// Where the runner puts programs for the agent; first in its `PATH`.
pub const TOOLS: &str = "/opt/proctor/bin";
/// The trust bundle, where nearly every client looks for it by default.
pub const TRUST_BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The name server that the room's resolver asks. An ordinary unicast address
/// (of a documentation block, RFC 5737): like every other address it leads to
/// the gateway, and clients that distrust loopback resolvers accept it.
pub const NAME_SERVER: std::net::Ipv4Addr = std::net::Ipv4Addr::new(203, 0, 113, 53);

/// Most ports that a room may listen on beyond 443, 80 and 53.
const MAX_PORTS: usize = 32;
/// Most binds plus files; each costs a mount.
const MAX_MOUNTS: usize = 256;
/// Host directories that are in every room already, and what the kernel makes.
const TAKEN: [&str; 11] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sys", "/dev",
    WORKSPACE,
];
/// Directories of a room that may be filled but not replaced.
const ROOTS: [&str; 9] = [
    "/",
    "/etc",
    "/etc/ssl",
    "/tmp",
    "/home",
    HOME,
    "/run",
    "/run/proctor",
    "/var",
];

/// Everything that is needed to open a room.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// The `proctor-init` binary on the host.
    pub init: PathBuf,
    /// bubblewrap on the host; `None` looks in `/usr/bin`, `/bin` and
    /// `/usr/local/bin`.
    pub bwrap: Option<PathBuf>,
    /// Host files and directories that are visible inside, read-only.
    pub binds: Vec<ReadOnlyBind>,
    /// Files made for this room, read-only.
    pub files: Vec<GuestFile>,
    /// Variables on top of what every room has; a name that is there already
    /// is replaced.
    pub env: Vec<(String, String)>,
    /// PEM certificates that the agent trusts, instead of the host's.
    pub trust_pem: String,
    /// How much the agent may use.
    pub limits: Limits,
    /// Whom the agent is on the host, when the runner is root.
    pub identity: Identity,
    /// Host name inside: letters, digits and `-`.
    pub hostname: String,
    /// Ports to listen on besides 443, 80 and 53.
    pub ports: Vec<u16>,
    /// Directory that holds one entry per open room, so that a later run can
    /// say what a killed one left ([`crate::leftovers`]). `None` leaves no
    /// trace; [`crate::Sandbox::start_on_host`] needs it.
    pub run_base: Option<PathBuf>,
}

impl SandboxConfig {
    /// A room with default limits and nothing extra in it.
    pub fn new(init: impl Into<PathBuf>, trust_pem: impl Into<String>) -> Self {
        Self {
            init: init.into(),
            bwrap: None,
            binds: Vec::new(),
            files: Vec::new(),
            env: Vec::new(),
            trust_pem: trust_pem.into(),
            limits: Limits::default(),
            identity: Identity::default(),
            hostname: "task".to_owned(),
            ports: Vec::new(),
            run_base: None,
        }
    }

    /// Refuses what could not work or would open the room.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.limits.validate()?;
        if self.identity.uid == 0 || self.identity.gid == 0 {
            return Err(ConfigError::RootIdentity);
        }
        let host_name = !self.hostname.is_empty()
            && self.hostname.len() <= 63
            && self
                .hostname
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !host_name {
            return Err(ConfigError::HostName(self.hostname.clone()));
        }
        for (name, value) in &self.env {
            validate_variable(name, value)?;
        }
        self.validate_ports()?;
        self.validate_targets()?;
        existing(&self.init)?;
        self.binds
            .iter()
            .try_for_each(|bind| existing(&bind.source))
    }

    fn validate_ports(&self) -> Result<(), ConfigError> {
        let mut seen = BTreeSet::from([443, 80, 53]);
        for &port in &self.ports {
            if port == 0 || !seen.insert(port) {
                return Err(ConfigError::Port(port));
            }
        }
        if self.ports.len() > MAX_PORTS {
            return Err(ConfigError::TooMany {
                what: "ports",
                most: MAX_PORTS,
            });
        }
        Ok(())
    }

    fn validate_targets(&self) -> Result<(), ConfigError> {
        if self.binds.len() + self.files.len() > MAX_MOUNTS {
            return Err(ConfigError::TooMany {
                what: "binds and files",
                most: MAX_MOUNTS,
            });
        }
        let mut seen = BTreeSet::new();
        let targets = self.binds.iter().map(|b| &b.target);
        for target in targets.chain(self.files.iter().map(|f| &f.path)) {
            validate_target(target)?;
            if !seen.insert(target.as_str()) {
                return Err(ConfigError::target(target, "is given twice"));
            }
        }
        Ok(())
    }
}

fn existing(path: &Path) -> Result<(), ConfigError> {
    if !path.is_absolute() {
        return Err(ConfigError::Source {
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, "not an absolute path"),
        });
    }
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(source) => Err(ConfigError::Source {
            path: path.to_owned(),
            source,
        }),
    }
}

fn validate_target(target: &str) -> Result<(), ConfigError> {
    let refuse = |problem| Err(ConfigError::target(target, problem));
    if !target.starts_with('/') || target.contains('\0') {
        return refuse("must be absolute and without NUL");
    }
    if target.len() > 1024 {
        return refuse("is longer than 1024 bytes");
    }
    if ROOTS.contains(&target) {
        return refuse("is a directory of the room itself; name something inside it");
    }
    if target[1..]
        .split('/')
        .any(|part| matches!(part, "" | "." | ".."))
    {
        return refuse("must not have empty, `.` or `..` parts");
    }
    if TAKEN
        .iter()
        .any(|taken| Path::new(target).starts_with(taken))
    {
        return refuse("lies in a directory that comes from elsewhere; /opt is free");
    }
    Ok(())
}

pub(crate) fn validate_variable(name: &str, value: &str) -> Result<(), ConfigError> {
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return Err(ConfigError::Variable(name.to_owned()));
    }
    Ok(())
}

/// A host file or directory that is visible inside, read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnlyBind {
    /// Absolute path on the host.
    pub source: PathBuf,
    /// Absolute path inside.
    pub target: String,
}

/// A file made for this room, read-only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestFile {
    /// Absolute path inside.
    pub path: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

/// Whom the agent is on the host. Inside it is always uid and gid 1000.
///
/// Used only when the runner is root: everything of the room then belongs to
/// this user, which should own nothing else. A runner that is not root opens
/// rooms as the user it runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// User, never 0.
    pub uid: u32,
    /// Group, never 0.
    pub gid: u32,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            uid: 64321,
            gid: 64321,
        }
    }
}

/// How much the agent may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Size of the workspace in bytes.
    pub workspace_bytes: u64,
    /// Files and directories in the workspace. Bounds the kernel memory that
    /// empty files take.
    pub workspace_entries: u64,
    /// Size in bytes of each of `/tmp`, the home and `/dev/shm`.
    pub scratch_bytes: u64,
    /// Files and directories in each of them.
    pub scratch_entries: u64,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Open descriptors of one process.
    pub open_files: u64,
    /// Private writable memory of one process in bytes (`RLIMIT_DATA`, which
    /// does not count address space that is only reserved, so that Node, Go
    /// and the JVM work under it).
    pub memory_bytes: Option<u64>,
    /// Apparent size of one file in bytes.
    pub file_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workspace_bytes: 256 << 20,
            workspace_entries: 1 << 18,
            scratch_bytes: 256 << 20,
            scratch_entries: 1 << 17,
            processes: 512,
            open_files: 4096,
            memory_bytes: Some(4 << 30),
            file_bytes: None,
        }
    }
}

impl Limits {
    fn validate(&self) -> Result<(), ConfigError> {
        // bubblewrap refuses sizes beyond half of the address space.
        const MOST: u64 = 1 << 62;
        for (name, value, least) in [
            ("workspace_bytes", self.workspace_bytes, 4096),
            ("workspace_entries", self.workspace_entries, 2),
            ("scratch_bytes", self.scratch_bytes, 4096),
            ("scratch_entries", self.scratch_entries, 8),
            ("processes", self.processes, 4),
            ("open_files", self.open_files, 16),
            ("memory_bytes", self.memory_bytes.unwrap_or(MOST), 16 << 20),
            ("file_bytes", self.file_bytes.unwrap_or(MOST), 4096),
        ] {
            if value < least || value > MOST {
                return Err(ConfigError::Limit { name, value, least });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> SandboxConfig {
        SandboxConfig::new("/", "")
    }

    #[test]
    fn targets_that_would_shadow_the_room_are_refused() {
        for target in [
            "relative",
            "/",
            "/etc",
            "/home/agent",
            "/opt/../etc/passwd",
            "/opt//x",
            "/opt/x/",
            "/opt/./x",
            "/proc/sys",
            "/usr/bin/git",
            "/lib64/ld.so",
            "/dev/null",
            "/workspace/notes.md",
            "/opt/a\0b",
        ] {
            let mut config = config();
            config.files = vec![GuestFile {
                path: target.into(),
                bytes: vec![],
                executable: false,
            }];
            let error = config.validate().unwrap_err();
            assert!(
                matches!(error, ConfigError::Target { .. }),
                "{target}: {error}"
            );
        }
        for target in [
            "/opt/proctor/bin/gws",
            "/root/.local/bin/agent",
            "/etc/gitconfig",
        ] {
            let mut config = config();
            config.files = vec![GuestFile {
                path: target.into(),
                bytes: vec![],
                executable: false,
            }];
            config.validate().unwrap();
        }
    }

    #[test]
    fn the_agent_is_never_root_of_the_host() {
        for identity in [Identity { uid: 0, gid: 5 }, Identity { uid: 5, gid: 0 }] {
            let error = SandboxConfig {
                identity,
                ..config()
            }
            .validate()
            .unwrap_err();
            assert!(matches!(error, ConfigError::RootIdentity));
        }
    }

    #[test]
    fn ports_names_variables_and_sources_are_checked() {
        for ports in [vec![0], vec![443], vec![8443, 8443], (2000..2100).collect()] {
            assert!(SandboxConfig { ports, ..config() }.validate().is_err());
        }
        for hostname in ["", "a b", "a.b", &"x".repeat(64)] {
            let hostname = hostname.to_owned();
            assert!(
                SandboxConfig {
                    hostname,
                    ..config()
                }
                .validate()
                .is_err()
            );
        }
        for (name, value) in [("", "x"), ("A=B", "x"), ("A", "x\0y")] {
            let env = vec![(name.to_owned(), value.to_owned())];
            assert!(SandboxConfig { env, ..config() }.validate().is_err());
        }
        let missing = SandboxConfig::new("/nowhere/proctor-init", "")
            .validate()
            .unwrap_err();
        assert!(
            missing.to_string().contains("/nowhere/proctor-init"),
            "{missing}"
        );
        assert!(SandboxConfig::new("proctor-init", "").validate().is_err());
    }

    #[test]
    fn limits_that_cannot_work_are_refused() {
        let limits = Limits {
            processes: 1,
            ..Limits::default()
        };
        let error = SandboxConfig { limits, ..config() }.validate().unwrap_err();
        assert!(error.to_string().contains("processes"), "{error}");
    }
}
