//! Where an agent's program is on this machine, and how it gets there.
//!
//! [`find`] looks at what the operator names, at what [`npm::install`] has put
//! into the cache, and on the `PATH`, and says which part of the host's file
//! system has to be in the room for the program to run: the package, and never
//! the home that it lies in.

mod error;
mod find;
mod node;
pub mod npm;
mod probe;

use std::path::{Path, PathBuf};

pub use error::FindError;
pub use find::{Search, find};
pub use probe::probe_version;

/// Folder of the room in which installations are, one folder each.
pub const GUEST_ROOT: &str = "/opt/proctor/agents";
/// Where a Node.js of the host's, from outside of `/usr`, is in the room.
const GUEST_NODE: &str = "/opt/proctor/runtime/node";

/// An installed agent, and what a room needs to run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// How it was found.
    pub origin: Origin,
    /// The program on this machine.
    pub host_program: PathBuf,
    /// What has to be visible in the room, read-only. Empty for a program below
    /// `/usr`, which every room has.
    pub binds: Vec<Bind>,
    /// Where the installation is in the room: `{agent_dir}`.
    pub guest_dir: String,
    /// What starts it in the room: the program, or Node.js and the script.
    pub command: Vec<String>,
    /// What starts it on this machine, to ask for its version.
    pub host_command: Vec<PathBuf>,
    /// Its version, as far as files say ([`probe_version`] asks the program).
    pub version: Option<String>,
}

impl Installation {
    /// The same for a room without walls, where programs have the paths of this
    /// machine.
    #[must_use]
    pub fn on_host(mut self) -> Self {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let whole = self.binds.iter().find(|bind| bind.target == self.guest_dir);
        self.guest_dir = match (whole, self.host_program.parent()) {
            (Some(bind), _) => shown(&bind.source),
            (None, Some(parent)) => shown(parent),
            (None, None) => self.guest_dir,
        };
        self.command = self.host_command.iter().map(|part| shown(part)).collect();
        self.binds.clear();
        self
    }
}

/// A file or folder of the host that is visible in the room, read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// Absolute path on this machine, without links.
    pub source: PathBuf,
    /// Absolute path in the room.
    pub target: String,
}

/// How an installation was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The operator named it.
    Given,
    /// It was installed by Proctor.
    Cache,
    /// It is on the `PATH`.
    Path,
    /// It stands beside the runner.
    Own,
}

impl Origin {
    /// The word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Cache => "cache",
            Self::Path => "path",
            Self::Own => "own",
        }
    }
}

/// Whether `text` can be a version or a tag of an npm package, and so the name
/// of a folder: nothing that leads elsewhere.
pub(crate) fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    text.len() <= 64
        && text.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The version in the `package.json` of an npm package, where it is one.
pub(crate) fn package_version(package: &Path) -> Option<String> {
    let version = package_json(package)?.get("version")?.as_str()?.to_owned();
    is_version(&version).then_some(version)
}

/// A package's `package.json`, of not more than a megabyte.
fn package_json(package: &Path) -> Option<serde_json::Value> {
    use std::io::Read as _;
    let file = std::fs::File::open(package.join("package.json")).ok()?;
    let mut text = String::new();
    file.take(1 << 20).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether `path` is a file that may be executed.
fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
