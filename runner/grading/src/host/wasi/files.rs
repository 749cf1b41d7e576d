//! The tree that a grader sees: the bundle as it was checked, read-only, what
//! the host gives along, and a scratch directory. There is nothing else to be
//! found: no link, no device, no file of the machine.
//!
//! | path | what |
//! | --- | --- |
//! | `/evidence` | the bundle without its manifest |
//! | `/workspace` | the bundle's `workspace/` |
//! | `/fixtures` | the bundle's `fixtures/` |
//! | `/grader` | inputs of this grade |
//! | `/tmp` | scratch, in memory |

use std::sync::Arc;

use proctor_types::bundle::{FIXTURES_DIR, WORKSPACE_DIR};

use super::bindings::wasi::filesystem::types::ErrorCode;
use super::fault::FileFault;
use super::scratch::{self, NodeId};
use crate::bundle::Bundle;
use crate::host::state::{State, Stop};

/// Longest path, in bytes.
const PATH_BYTES: usize = 4096;
const SCRATCH: &str = "tmp";
const INPUTS: &str = "grader";
/// Directories of the root that show a part of the bundle: name, and the part.
const MOUNTS: [(&str, &str); 3] = [
    ("evidence", ""),
    ("fixtures", FIXTURES_DIR),
    ("workspace", WORKSPACE_DIR),
];

/// What is given to a grade beside the bundle, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inputs(pub(crate) Vec<(&'static str, Arc<[u8]>)>);

/// A place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// The directory that has all others.
    Root,
    /// The directory of inputs.
    Inputs,
    /// An input, by its number.
    Input(usize),
    /// A file or directory of the bundle.
    Bundle {
        /// Which of [`MOUNTS`].
        mount: usize,
        /// Path in the bundle.
        path: String,
        /// Which of the two it is.
        directory: bool,
    },
    /// A file or directory of the scratch directory.
    Scratch(NodeId),
}

impl Node {
    fn mount(mount: usize) -> Self {
        Self::Bundle {
            mount,
            path: MOUNTS[mount].1.to_owned(),
            directory: true,
        }
    }

    /// A number for each file, the same in every grade.
    pub(super) fn hash(&self) -> (u64, u64) {
        let text = match self {
            Self::Root => "/".to_owned(),
            Self::Inputs => "/grader".to_owned(),
            Self::Input(index) => format!("/grader/{index}"),
            Self::Bundle { path, .. } => format!("/evidence/{path}"),
            Self::Scratch(id) => format!("/tmp/{id}"),
        };
        // FNV-1a, from two beginnings.
        let hash = |start: u64| {
            text.bytes().fold(start, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        (hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142))
    }
}

impl State {
    pub(super) fn is_directory(&self, node: &Node) -> bool {
        match node {
            Node::Root | Node::Inputs => true,
            Node::Input(_) => false,
            Node::Bundle { directory, .. } => *directory,
            Node::Scratch(id) => self.wasi.scratch.is_directory(*id),
        }
    }

    pub(super) fn size(&self, node: &Node) -> u64 {
        match node {
            Node::Root | Node::Inputs => 0,
            Node::Input(index) => self.input(*index).len() as u64,
            Node::Bundle { path, .. } => self.bundle.stat(path).map_or(0, |file| file.bytes),
            Node::Scratch(id) => self.wasi.scratch.size(*id),
        }
    }

    fn input(&self, index: usize) -> &[u8] {
        self.wasi
            .inputs
            .0
            .get(index)
            .map_or(&[], |(_, bytes)| bytes)
    }

    /// What `name` is in a directory.
    fn child(&self, directory: &Node, name: &str) -> Result<Option<Node>, FileFault> {
        Ok(match directory {
            Node::Root => match name {
                SCRATCH => Some(Node::Scratch(scratch::TOP)),
                INPUTS => Some(Node::Inputs),
                _ => MOUNTS
                    .iter()
                    .position(|(mount, _)| *mount == name)
                    .map(Node::mount),
            },
            Node::Inputs => self
                .wasi
                .inputs
                .0
                .iter()
                .position(|(input, _)| *input == name)
                .map(Node::Input),
            Node::Bundle {
                mount,
                path,
                directory: true,
            } => {
                let path = join(path, name);
                bundle_entry(&self.bundle, &path)?.map(|directory| Node::Bundle {
                    mount: *mount,
                    path,
                    directory,
                })
            }
            Node::Scratch(id) if self.wasi.scratch.is_directory(*id) => {
                self.wasi.scratch.lookup(*id, name).map(Node::Scratch)
            }
            Node::Input(_) | Node::Bundle { .. } | Node::Scratch(_) => {
                return Err(ErrorCode::NotDirectory.into());
            }
        })
    }

    /// The directory above. The root is above itself.
    fn parent(&self, node: &Node) -> Node {
        match node {
            Node::Root | Node::Inputs => Node::Root,
            Node::Input(_) => Node::Inputs,
            Node::Bundle { mount, path, .. } if path == MOUNTS[*mount].1 => Node::Root,
            Node::Bundle { mount, path, .. } => Node::Bundle {
                mount: *mount,
                path: path
                    .rsplit_once('/')
                    .map_or("", |(parent, _)| parent)
                    .to_owned(),
                directory: true,
            },
            Node::Scratch(id) => self
                .wasi
                .scratch
                .parent(*id)
                .map_or(Node::Root, Node::Scratch),
        }
    }

    /// Walks a path from `base`. Answers with the directory that the last name
    /// is in, that name, and what it is; the name is empty for a path that
    /// ends in `.` or `..`, and then the directory is what is meant.
    pub(super) fn walk<'p>(&mut self, base: &Node, path: &'p str) -> Result<Walked<'p>, FileFault> {
        self.charge(path.len() as u64)?;
        if path.is_empty() {
            return Err(ErrorCode::NoEntry.into());
        }
        if path.len() > PATH_BYTES {
            return Err(ErrorCode::NameTooLong.into());
        }
        if path.starts_with('/') {
            return Err(ErrorCode::NotPermitted.into());
        }
        let must_be_directory = path.ends_with('/');
        let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
        let mut at = base.clone();
        let mut depth = 0_usize;
        while let Some(part) = parts.next() {
            if !self.is_directory(&at) {
                return Err(ErrorCode::NotDirectory.into());
            }
            match part {
                "." => {}
                ".." => {
                    at = match depth.checked_sub(1) {
                        Some(less) => {
                            depth = less;
                            self.parent(&at)
                        }
                        None if at == Node::Root => Node::Root,
                        // A descriptor is for what is below it.
                        None => return Err(ErrorCode::NotPermitted.into()),
                    };
                }
                name => {
                    let found = self.child(&at, name)?;
                    if parts.peek().is_none() {
                        return Ok(Walked {
                            directory: at,
                            name,
                            found,
                            must_be_directory,
                        });
                    }
                    let Some(found) = found else {
                        let rest: Vec<&str> = parts.collect();
                        self.misses_below(&at, &join(name, &rest.join("/")));
                        return Err(ErrorCode::NoEntry.into());
                    };
                    at = found;
                    depth += 1;
                }
            }
        }
        Ok(Walked {
            found: Some(at.clone()),
            directory: at,
            name: "",
            must_be_directory,
        })
    }

    /// Remembers what a grader asked for in vain, where it is of the bundle:
    /// what an interpreter looks for elsewhere is nobody's spelling.
    pub(super) fn misses_below(&mut self, directory: &Node, rest: &str) {
        if let Node::Bundle { path, .. } = directory {
            self.misses(&join(path, rest));
        }
    }

    /// Names in a directory, in order, each with whether it is a directory.
    pub(super) fn names(&mut self, directory: &Node) -> Result<Vec<(String, bool)>, FileFault> {
        let names: Vec<(String, bool)> = match directory {
            Node::Root => {
                let fixed = [SCRATCH, INPUTS].into_iter();
                let mut names: Vec<(String, bool)> = fixed
                    .chain(MOUNTS.iter().map(|(name, _)| *name))
                    .map(|name| (name.to_owned(), true))
                    .collect();
                names.sort();
                names
            }
            Node::Inputs => {
                let inputs = self.wasi.inputs.0.iter();
                inputs
                    .map(|(name, _)| ((*name).to_owned(), false))
                    .collect()
            }
            Node::Bundle {
                path,
                directory: true,
                ..
            } => self.bundle.children(path).map_err(Stop::Evidence)?,
            Node::Scratch(id) if self.wasi.scratch.is_directory(*id) => {
                let scratch = &self.wasi.scratch;
                let names = scratch.names(*id).into_iter();
                names
                    .map(|(name, id)| (name, scratch.is_directory(id)))
                    .collect()
            }
            Node::Input(_) | Node::Bundle { .. } | Node::Scratch(_) => {
                return Err(ErrorCode::NotDirectory.into());
            }
        };
        for (name, _) in &names {
            self.charge(name.len() as u64)?;
        }
        Ok(names)
    }

    /// At most `length` bytes of a file from `offset`.
    pub(super) fn read_node(
        &mut self,
        node: &Node,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, FileFault> {
        match node {
            Node::Root | Node::Inputs => Err(ErrorCode::IsDirectory.into()),
            Node::Input(index) => {
                let bytes = scratch::slice(self.input(*index), offset, length).to_vec();
                self.charge(bytes.len() as u64)?;
                Ok(bytes)
            }
            Node::Scratch(id) => {
                let bytes = self.wasi.scratch.read(*id, offset, length)?.to_vec();
                self.charge(bytes.len() as u64)?;
                Ok(bytes)
            }
            Node::Bundle { path, .. } => {
                let Some(listed) = self.bundle.stat(path) else {
                    return Err(ErrorCode::IsDirectory.into());
                };
                let wanted = length.min(listed.bytes.saturating_sub(offset));
                self.charge(self.bundle.cost(listed, wanted))?;
                let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
                let read = self
                    .bundle
                    .read_range(path, offset, wanted)
                    .map_err(Stop::Evidence)?;
                Ok(read.unwrap_or_default())
            }
        }
    }

    /// Writes to a file of the scratch directory. The zeros between its end and
    /// `offset` are written by the host, which no fuel pays for.
    pub(super) fn write_scratch(
        &mut self,
        id: NodeId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), FileFault> {
        let gap = offset.saturating_sub(self.wasi.scratch.size(id));
        self.charge(gap.saturating_add(bytes.len() as u64))?;
        Ok(self.wasi.scratch.write(id, offset, bytes)?)
    }
}

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Walked<'p> {
    pub(super) directory: Node,
    pub(super) name: &'p str,
    pub(super) found: Option<Node>,
    /// The path ends in a slash.
    pub(super) must_be_directory: bool,
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// Whether the bundle has `path`, and whether it is a directory there.
fn bundle_entry(bundle: &Bundle, path: &str) -> Result<Option<bool>, Stop> {
    if bundle.stat(path).is_some() {
        return Ok(Some(false));
    }
    let directory = bundle.is_directory(path).map_err(Stop::Evidence)?;
    Ok(directory.then_some(true))
}
