//! The one place that a grader can write to: a directory in memory, with a cap
//! on its bytes and on its entries. It begins empty and ends with the grade.

use std::collections::BTreeMap;

use super::bindings::wasi::filesystem::types::ErrorCode;
use super::files::Node;

/// Number of a file or directory.
pub type NodeId = usize;
/// The directory itself.
pub(super) const TOP: NodeId = 0;
/// Files and directories at once.
const ENTRIES: usize = 10_000;
/// Longest name, in bytes.
const NAME_BYTES: usize = 255;

#[derive(Debug)]
pub(super) struct Scratch {
    inodes: Vec<Inode>,
    free: Vec<NodeId>,
    bytes_left: u64,
}

#[derive(Debug)]
struct Inode {
    kind: Kind,
    /// `None` for the top, and for what was removed.
    parent: Option<NodeId>,
    /// Descriptors and streams that hold it.
    open: usize,
}

#[derive(Debug)]
enum Kind {
    Directory(BTreeMap<String, NodeId>),
    File(Vec<u8>),
}

impl Scratch {
    pub(super) fn new(bytes: u64) -> Self {
        let top = Inode {
            kind: Kind::Directory(BTreeMap::new()),
            parent: None,
            // Nothing removes the top.
            open: 1,
        };
        Self {
            inodes: vec![top],
            free: Vec::new(),
            bytes_left: bytes,
        }
    }

    pub(super) fn is_directory(&self, id: NodeId) -> bool {
        matches!(self.inodes[id].kind, Kind::Directory(_))
    }

    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.inodes[id].parent
    }

    pub(super) fn size(&self, id: NodeId) -> u64 {
        match &self.inodes[id].kind {
            Kind::Directory(_) => 0,
            Kind::File(content) => content.len() as u64,
        }
    }

    pub(super) fn lookup(&self, directory: NodeId, name: &str) -> Option<NodeId> {
        match &self.inodes[directory].kind {
            Kind::Directory(entries) => entries.get(name).copied(),
            Kind::File(_) => None,
        }
    }

    /// Names in a directory, in order.
    pub(super) fn names(&self, directory: NodeId) -> Vec<(String, NodeId)> {
        match &self.inodes[directory].kind {
            Kind::Directory(entries) => entries
                .iter()
                .map(|(name, id)| (name.clone(), *id))
                .collect(),
            Kind::File(_) => Vec::new(),
        }
    }

    fn entries(&mut self, directory: NodeId) -> Result<&mut BTreeMap<String, NodeId>, ErrorCode> {
        match &mut self.inodes[directory].kind {
            Kind::Directory(entries) => Ok(entries),
            Kind::File(_) => Err(ErrorCode::NotDirectory),
        }
    }

    pub(super) fn create_file(&mut self, at: NodeId, name: &str) -> Result<NodeId, ErrorCode> {
        self.create(at, name, Kind::File(Vec::new()))
    }

    pub(super) fn create_directory(&mut self, at: NodeId, name: &str) -> Result<NodeId, ErrorCode> {
        self.create(at, name, Kind::Directory(BTreeMap::new()))
    }

    fn create(&mut self, at: NodeId, name: &str, kind: Kind) -> Result<NodeId, ErrorCode> {
        if name.len() > NAME_BYTES {
            return Err(ErrorCode::NameTooLong);
        }
        if self.lookup(at, name).is_some() {
            return Err(ErrorCode::Exist);
        }
        if self.inodes.len() - self.free.len() > ENTRIES {
            return Err(ErrorCode::InsufficientSpace);
        }
        // A directory that was removed while it was open takes nothing more.
        if at != TOP && self.inodes[at].parent.is_none() {
            return Err(ErrorCode::NoEntry);
        }
        let inode = Inode {
            kind,
            parent: Some(at),
            open: 0,
        };
        let id = if let Some(id) = self.free.pop() {
            self.inodes[id] = inode;
            id
        } else {
            self.inodes.push(inode);
            self.inodes.len() - 1
        };
        self.entries(at)?.insert(name.to_owned(), id);
        Ok(id)
    }

    pub(super) fn remove_file(&mut self, at: NodeId, name: &str) -> Result<(), ErrorCode> {
        let id = self.lookup(at, name).ok_or(ErrorCode::NoEntry)?;
        if self.is_directory(id) {
            return Err(ErrorCode::IsDirectory);
        }
        self.unlink(at, name, id)
    }

    pub(super) fn remove_directory(&mut self, at: NodeId, name: &str) -> Result<(), ErrorCode> {
        let id = self.lookup(at, name).ok_or(ErrorCode::NoEntry)?;
        if !self.entries(id)?.is_empty() {
            return Err(ErrorCode::NotEmpty);
        }
        self.unlink(at, name, id)
    }

    fn unlink(&mut self, at: NodeId, name: &str, id: NodeId) -> Result<(), ErrorCode> {
        self.entries(at)?.remove(name);
        self.inodes[id].parent = None;
        self.forget_unused(id);
        Ok(())
    }

    pub(super) fn rename(
        &mut self,
        from: (NodeId, &str),
        to: (NodeId, &str),
    ) -> Result<(), ErrorCode> {
        let id = self.lookup(from.0, from.1).ok_or(ErrorCode::NoEntry)?;
        if to.1.len() > NAME_BYTES {
            return Err(ErrorCode::NameTooLong);
        }
        // Not into itself.
        let mut above = Some(to.0);
        while let Some(one) = above {
            if one == id {
                return Err(ErrorCode::Invalid);
            }
            above = self.parent(one);
        }
        self.entries(to.0)?;
        match self.lookup(to.0, to.1) {
            Some(old) if old == id => return Ok(()),
            Some(old) if self.is_directory(id) => {
                if !self.is_directory(old) {
                    return Err(ErrorCode::NotDirectory);
                }
                self.remove_directory(to.0, to.1)?;
            }
            Some(_) => self.remove_file(to.0, to.1)?,
            None => {}
        }
        self.entries(from.0)?.remove(from.1);
        self.entries(to.0)?.insert(to.1.to_owned(), id);
        self.inodes[id].parent = Some(to.0);
        Ok(())
    }

    pub(super) fn read(&self, id: NodeId, offset: u64, length: u64) -> Result<&[u8], ErrorCode> {
        match &self.inodes[id].kind {
            Kind::Directory(_) => Err(ErrorCode::IsDirectory),
            Kind::File(content) => Ok(slice(content, offset, length)),
        }
    }

    pub(super) fn write(&mut self, id: NodeId, offset: u64, bytes: &[u8]) -> Result<(), ErrorCode> {
        let end = offset
            .checked_add(bytes.len() as u64)
            .ok_or(ErrorCode::FileTooLarge)?;
        if end > self.size(id) {
            self.resize(id, end)?;
        }
        let Kind::File(content) = &mut self.inodes[id].kind else {
            return Err(ErrorCode::IsDirectory);
        };
        let from = usize::try_from(offset).map_err(|_| ErrorCode::FileTooLarge)?;
        if let Some(place) = content.get_mut(from..from + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        Ok(())
    }

    pub(super) fn resize(&mut self, id: NodeId, size: u64) -> Result<(), ErrorCode> {
        let Kind::File(content) = &mut self.inodes[id].kind else {
            return Err(ErrorCode::IsDirectory);
        };
        let old = content.len() as u64;
        let left = self
            .bytes_left
            .saturating_add(old)
            .checked_sub(size)
            .ok_or(ErrorCode::InsufficientSpace)?;
        content.resize(
            usize::try_from(size).map_err(|_| ErrorCode::FileTooLarge)?,
            0,
        );
        if size < old / 2 {
            content.shrink_to_fit();
        }
        self.bytes_left = left;
        Ok(())
    }

    /// A descriptor or stream holds the node from now on.
    pub(super) fn open(&mut self, node: &Node) {
        if let Node::Scratch(id) = node {
            self.inodes[*id].open += 1;
        }
    }

    /// A descriptor or stream has let go of the node.
    pub(super) fn close(&mut self, node: &Node) {
        if let Node::Scratch(id) = node {
            self.inodes[*id].open = self.inodes[*id].open.saturating_sub(1);
            self.forget_unused(*id);
        }
    }

    /// Frees what nobody can reach any more.
    fn forget_unused(&mut self, id: NodeId) {
        let inode = &mut self.inodes[id];
        if id == TOP || inode.open > 0 || inode.parent.is_some() {
            return;
        }
        if let Kind::File(content) = &mut inode.kind {
            self.bytes_left += content.len() as u64;
            *content = Vec::new();
        }
        self.free.push(id);
    }
}

/// At most `length` bytes from `offset`.
pub(super) fn slice(content: &[u8], offset: u64, length: u64) -> &[u8] {
    let start = offset.min(content.len() as u64);
    let end = start.saturating_add(length).min(content.len() as u64);
    // Both fit: they are at most the length of what is in memory.
    let index = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    &content[index(start)..index(end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_capped_and_come_back() {
        let mut scratch = Scratch::new(100);
        let a = scratch.create_file(TOP, "a").unwrap();
        scratch.write(a, 10, &[1; 90]).unwrap();
        assert_eq!(scratch.read(a, 8, 4).unwrap(), [0, 0, 1, 1]);
        let b = scratch.create_file(TOP, "b").unwrap();
        assert_eq!(scratch.write(b, 0, &[1]), Err(ErrorCode::InsufficientSpace));
        assert_eq!(
            scratch.write(b, u64::MAX, &[1]),
            Err(ErrorCode::FileTooLarge)
        );
        assert_eq!(
            scratch.resize(b, u64::MAX),
            Err(ErrorCode::InsufficientSpace)
        );
        // Removed while it is open, it stays until it is closed.
        scratch.open(&Node::Scratch(a));
        scratch.remove_file(TOP, "a").unwrap();
        assert_eq!(scratch.read(a, 99, 9).unwrap(), [1]);
        assert_eq!(scratch.write(b, 0, &[1]), Err(ErrorCode::InsufficientSpace));
        scratch.close(&Node::Scratch(a));
        scratch.write(b, 0, &[1; 100]).unwrap();
    }

    #[test]
    fn entries_are_capped_and_come_back() {
        let mut scratch = Scratch::new(0);
        for n in 0..ENTRIES {
            scratch.create_file(TOP, &n.to_string()).unwrap();
        }
        assert_eq!(
            scratch.create_directory(TOP, "x"),
            Err(ErrorCode::InsufficientSpace)
        );
        scratch.remove_file(TOP, "7").unwrap();
        scratch.create_directory(TOP, "x").unwrap();
        assert_eq!(
            scratch.create_file(TOP, &"n".repeat(256)),
            Err(ErrorCode::NameTooLong)
        );
    }

    #[test]
    fn renames_replace_and_never_tie_a_knot() {
        let mut scratch = Scratch::new(100);
        let a = scratch.create_directory(TOP, "a").unwrap();
        let b = scratch.create_directory(a, "b").unwrap();
        assert_eq!(
            scratch.rename((TOP, "a"), (b, "c")),
            Err(ErrorCode::Invalid)
        );
        assert_eq!(
            scratch.rename((TOP, "a"), (a, "c")),
            Err(ErrorCode::Invalid)
        );
        let f = scratch.create_file(TOP, "f").unwrap();
        scratch.write(f, 0, b"new").unwrap();
        let old = scratch.create_file(b, "g").unwrap();
        scratch.write(old, 0, &[0; 90]).unwrap();
        scratch.rename((TOP, "f"), (b, "g")).unwrap();
        assert_eq!(scratch.lookup(b, "g"), Some(f));
        assert_eq!(scratch.bytes_left, 97);
        assert_eq!(
            scratch.rename((b, "g"), (TOP, "a")),
            Err(ErrorCode::IsDirectory)
        );
        assert_eq!(
            scratch.rename((TOP, "a"), (b, "g")),
            Err(ErrorCode::Invalid)
        );
        assert_eq!(scratch.remove_directory(TOP, "a"), Err(ErrorCode::NotEmpty));
        scratch.rename((b, "g"), (b, "g")).unwrap();
        // A directory that is gone takes nothing more.
        scratch.open(&Node::Scratch(b));
        scratch.remove_file(b, "g").unwrap();
        scratch.remove_directory(a, "b").unwrap();
        assert_eq!(scratch.create_file(b, "late"), Err(ErrorCode::NoEntry));
    }
}
