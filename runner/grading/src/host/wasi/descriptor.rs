//! Files and directories as graders hold them.

use wasmtime::Result;
use wasmtime::component::Resource;

use super::bindings::wasi::filesystem::preopens;
use super::bindings::wasi::filesystem::types::{
    self, Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, ErrorCode,
    Filesize, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use super::fault::{Answer, FileFault};
use super::files::Node;
use super::io::{InputStream, IoError, OutputStream};
use super::scratch::NodeId;
use crate::host::state::State;

/// Most bytes of one read.
const CHUNK: u64 = 1 << 20;
/// Most bytes of all listings that are being read, each name with 64 on top.
pub(super) const LISTINGS: u64 = 64 << 20;

/// An open file or directory.
#[derive(Debug)]
pub struct Descriptor {
    node: Node,
    flags: DescriptorFlags,
}

/// A listing that is being read.
#[derive(Debug)]
pub struct Entries {
    names: std::vec::IntoIter<(String, bool)>,
    /// What it took of [`LISTINGS`].
    bytes: u64,
}

impl State {
    fn node(&self, descriptor: &Resource<Descriptor>) -> Answer<Node> {
        Ok(self.wasi.table.get(descriptor)?.node.clone())
    }

    /// The file of the scratch directory that the descriptor may write to.
    fn writable(&self, descriptor: &Resource<Descriptor>) -> Answer<NodeId> {
        let descriptor = self.wasi.table.get(descriptor)?;
        match descriptor.node {
            _ if !descriptor.flags.contains(DescriptorFlags::WRITE) => {
                Err(ErrorCode::BadDescriptor.into())
            }
            Node::Scratch(id) if self.wasi.scratch.is_directory(id) => {
                Err(ErrorCode::IsDirectory.into())
            }
            Node::Scratch(id) => Ok(id),
            _ => Err(ErrorCode::ReadOnly.into()),
        }
    }

    fn hold(&mut self, node: Node, flags: DescriptorFlags) -> Answer<Resource<Descriptor>> {
        if self.wasi.open >= super::DESCRIPTORS {
            return Err(ErrorCode::Quota.into());
        }
        let held = node.clone();
        let descriptor = self.wasi.table.push(Descriptor { node, flags })?;
        self.wasi.scratch.open(&held);
        self.wasi.open += 1;
        Ok(descriptor)
    }

    fn stat_node(&self, node: &Node) -> DescriptorStat {
        let end = Some(self.wasi.clock.end());
        DescriptorStat {
            type_: kind(self.is_directory(node)),
            link_count: 1,
            size: self.size(node),
            data_access_timestamp: end,
            data_modification_timestamp: end,
            status_change_timestamp: end,
        }
    }

    /// What a path leads to; it must be there.
    fn existing(&mut self, base: &Resource<Descriptor>, path: &str) -> Answer<Node> {
        let base = self.node(base)?;
        let walked = self.walk(&base, path)?;
        let Some(node) = walked.found else {
            self.misses_below(&walked.directory, walked.name);
            return Err(ErrorCode::NoEntry.into());
        };
        if walked.must_be_directory && !self.is_directory(&node) {
            return Err(ErrorCode::NotDirectory.into());
        }
        Ok(node)
    }

    /// The directory and name behind a path, where they can be changed.
    fn changeable<'p>(
        &mut self,
        base: &Resource<Descriptor>,
        path: &'p str,
    ) -> Answer<(NodeId, &'p str)> {
        let base = self.node(base)?;
        let walked = self.walk(&base, path)?;
        match walked.directory {
            Node::Scratch(_) if walked.name.is_empty() => Err(ErrorCode::Busy.into()),
            Node::Scratch(id) => Ok((id, walked.name)),
            _ => Err(ErrorCode::ReadOnly.into()),
        }
    }
}

fn kind(directory: bool) -> DescriptorType {
    if directory {
        DescriptorType::Directory
    } else {
        DescriptorType::RegularFile
    }
}

impl preopens::Host for State {
    fn get_directories(&mut self) -> Result<Vec<(Resource<Descriptor>, String)>> {
        let root = Descriptor {
            node: Node::Root,
            flags: DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
        };
        Ok(vec![(self.wasi.table.push(root)?, "/".to_owned())])
    }
}

impl types::Host for State {
    fn filesystem_error_code(&mut self, _: Resource<IoError>) -> Result<Option<ErrorCode>> {
        self.charge(0)?;
        Ok(Some(ErrorCode::InsufficientSpace))
    }

    fn convert_error_code(&mut self, fault: FileFault) -> Result<ErrorCode> {
        match fault {
            FileFault::Code(code) => Ok(code),
            FileFault::Stop(error) => Err(error),
        }
    }
}

impl types::HostDescriptor for State {
    fn read_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
        offset: Filesize,
    ) -> Answer<Resource<InputStream>> {
        self.charge(0)?;
        let node = self.node(&descriptor)?;
        if self.is_directory(&node) {
            return Err(ErrorCode::IsDirectory.into());
        }
        let stream = InputStream::File {
            node: node.clone(),
            offset,
        };
        let stream = self.wasi.table.push(stream)?;
        self.wasi.scratch.open(&node);
        Ok(stream)
    }

    fn write_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
        offset: Filesize,
    ) -> Answer<Resource<OutputStream>> {
        self.output(&descriptor, Some(offset))
    }

    fn append_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
    ) -> Answer<Resource<OutputStream>> {
        self.output(&descriptor, None)
    }

    fn advise(
        &mut self,
        _: Resource<Descriptor>,
        _: Filesize,
        _: Filesize,
        _: Advice,
    ) -> Answer<()> {
        self.charge(0)?;
        Ok(())
    }

    fn sync_data(&mut self, _: Resource<Descriptor>) -> Answer<()> {
        self.charge(0)?;
        Ok(())
    }

    fn get_flags(&mut self, descriptor: Resource<Descriptor>) -> Answer<DescriptorFlags> {
        self.charge(0)?;
        Ok(self.wasi.table.get(&descriptor)?.flags)
    }

    fn get_type(&mut self, descriptor: Resource<Descriptor>) -> Answer<DescriptorType> {
        self.charge(0)?;
        let node = self.node(&descriptor)?;
        Ok(kind(self.is_directory(&node)))
    }

    fn set_size(&mut self, descriptor: Resource<Descriptor>, size: Filesize) -> Answer<()> {
        // Zeros are written by the host, which no fuel pays for.
        self.charge(size)?;
        let id = self.writable(&descriptor)?;
        Ok(self.wasi.scratch.resize(id, size)?)
    }

    fn set_times(
        &mut self,
        descriptor: Resource<Descriptor>,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> Answer<()> {
        self.charge(0)?;
        match self.node(&descriptor)? {
            Node::Scratch(_) => Ok(()),
            _ => Err(ErrorCode::ReadOnly.into()),
        }
    }

    fn read(
        &mut self,
        descriptor: Resource<Descriptor>,
        length: Filesize,
        offset: Filesize,
    ) -> Answer<(Vec<u8>, bool)> {
        let node = self.node(&descriptor)?;
        let bytes = self.read_node(&node, offset, length.min(CHUNK))?;
        let end = offset.saturating_add(bytes.len() as u64) >= self.size(&node);
        Ok((bytes, end))
    }

    fn write(
        &mut self,
        descriptor: Resource<Descriptor>,
        buffer: Vec<u8>,
        offset: Filesize,
    ) -> Answer<Filesize> {
        self.charge(0)?;
        let id = self.writable(&descriptor)?;
        self.write_scratch(id, offset, &buffer)?;
        Ok(buffer.len() as u64)
    }

    fn read_directory(&mut self, descriptor: Resource<Descriptor>) -> Answer<Resource<Entries>> {
        self.charge(0)?;
        let node = self.node(&descriptor)?;
        let names = self.names(&node)?;
        let bytes = names.iter().map(|(name, _)| name.len() as u64 + 64).sum();
        let left = self.wasi.listings_left.checked_sub(bytes);
        let left = left.ok_or(ErrorCode::Quota)?;
        let names = names.into_iter();
        let entries = self.wasi.table.push(Entries { names, bytes })?;
        self.wasi.listings_left = left;
        Ok(entries)
    }

    fn sync(&mut self, _: Resource<Descriptor>) -> Answer<()> {
        self.charge(0)?;
        Ok(())
    }

    fn create_directory_at(&mut self, base: Resource<Descriptor>, path: String) -> Answer<()> {
        let node = self.node(&base)?;
        let walked = self.walk(&node, &path)?;
        if walked.found.is_some() {
            return Err(ErrorCode::Exist.into());
        }
        let (at, name) = self.changeable(&base, &path)?;
        self.wasi.scratch.create_directory(at, name)?;
        Ok(())
    }

    fn stat(&mut self, descriptor: Resource<Descriptor>) -> Answer<DescriptorStat> {
        self.charge(0)?;
        let node = self.node(&descriptor)?;
        Ok(self.stat_node(&node))
    }

    fn stat_at(
        &mut self,
        base: Resource<Descriptor>,
        _: PathFlags,
        path: String,
    ) -> Answer<DescriptorStat> {
        let node = self.existing(&base, &path)?;
        Ok(self.stat_node(&node))
    }

    fn set_times_at(
        &mut self,
        base: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> Answer<()> {
        match self.existing(&base, &path)? {
            Node::Scratch(_) => Ok(()),
            _ => Err(ErrorCode::ReadOnly.into()),
        }
    }

    fn link_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        _: String,
        _: Resource<Descriptor>,
        _: String,
    ) -> Answer<()> {
        self.charge(0)?;
        Err(ErrorCode::NotPermitted.into())
    }

    fn open_at(
        &mut self,
        base: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        how: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Resource<Descriptor>> {
        let node = self.node(&base)?;
        let walked = self.walk(&node, &path)?;
        let writes = flags.contains(DescriptorFlags::WRITE) || how.contains(OpenFlags::TRUNCATE);
        let Some(found) = walked.found else {
            if !how.contains(OpenFlags::CREATE) {
                self.misses_below(&walked.directory, walked.name);
                return Err(ErrorCode::NoEntry.into());
            }
            if walked.must_be_directory || how.contains(OpenFlags::DIRECTORY) {
                return Err(ErrorCode::Invalid.into());
            }
            let Node::Scratch(at) = walked.directory else {
                return Err(ErrorCode::ReadOnly.into());
            };
            let id = self.wasi.scratch.create_file(at, walked.name)?;
            return self.hold(Node::Scratch(id), flags);
        };
        if how.contains(OpenFlags::EXCLUSIVE) && how.contains(OpenFlags::CREATE) {
            return Err(ErrorCode::Exist.into());
        }
        let directory = self.is_directory(&found);
        if !directory && (walked.must_be_directory || how.contains(OpenFlags::DIRECTORY)) {
            return Err(ErrorCode::NotDirectory.into());
        }
        if writes {
            match found {
                _ if directory => return Err(ErrorCode::IsDirectory.into()),
                Node::Scratch(id) if how.contains(OpenFlags::TRUNCATE) => {
                    self.wasi.scratch.resize(id, 0)?;
                }
                Node::Scratch(_) => {}
                _ => return Err(ErrorCode::ReadOnly.into()),
            }
        }
        self.hold(found, flags)
    }

    fn readlink_at(&mut self, base: Resource<Descriptor>, path: String) -> Answer<String> {
        self.existing(&base, &path)?;
        // Nothing here is a link.
        Err(ErrorCode::Invalid.into())
    }

    fn remove_directory_at(&mut self, base: Resource<Descriptor>, path: String) -> Answer<()> {
        let (at, name) = self.changeable(&base, &path)?;
        Ok(self.wasi.scratch.remove_directory(at, name)?)
    }

    fn rename_at(
        &mut self,
        base: Resource<Descriptor>,
        old: String,
        other: Resource<Descriptor>,
        new: String,
    ) -> Answer<()> {
        let from = self.changeable(&base, &old)?;
        let to = self.changeable(&other, &new)?;
        Ok(self.wasi.scratch.rename(from, to)?)
    }

    fn symlink_at(&mut self, _: Resource<Descriptor>, _: String, _: String) -> Answer<()> {
        self.charge(0)?;
        Err(ErrorCode::NotPermitted.into())
    }

    fn unlink_file_at(&mut self, base: Resource<Descriptor>, path: String) -> Answer<()> {
        let (at, name) = self.changeable(&base, &path)?;
        Ok(self.wasi.scratch.remove_file(at, name)?)
    }

    fn is_same_object(
        &mut self,
        one: Resource<Descriptor>,
        other: Resource<Descriptor>,
    ) -> Result<bool> {
        self.charge(0)?;
        Ok(self.wasi.table.get(&one)?.node == self.wasi.table.get(&other)?.node)
    }

    fn metadata_hash(&mut self, descriptor: Resource<Descriptor>) -> Answer<MetadataHashValue> {
        self.charge(0)?;
        let (lower, upper) = self.node(&descriptor)?.hash();
        Ok(MetadataHashValue { lower, upper })
    }

    fn metadata_hash_at(
        &mut self,
        base: Resource<Descriptor>,
        _: PathFlags,
        path: String,
    ) -> Answer<MetadataHashValue> {
        let (lower, upper) = self.existing(&base, &path)?.hash();
        Ok(MetadataHashValue { lower, upper })
    }

    fn drop(&mut self, descriptor: Resource<Descriptor>) -> Result<()> {
        let descriptor = self.wasi.table.delete(descriptor)?;
        self.wasi.scratch.close(&descriptor.node);
        self.wasi.open = self.wasi.open.saturating_sub(1);
        Ok(())
    }
}

impl State {
    fn output(
        &mut self,
        descriptor: &Resource<Descriptor>,
        offset: Option<u64>,
    ) -> Answer<Resource<OutputStream>> {
        self.charge(0)?;
        let id = self.writable(descriptor)?;
        let stream = self.wasi.table.push(OutputStream::File { id, offset })?;
        self.wasi.scratch.open(&Node::Scratch(id));
        Ok(stream)
    }
}

impl types::HostDirectoryEntryStream for State {
    fn read_directory_entry(
        &mut self,
        entries: Resource<Entries>,
    ) -> Answer<Option<DirectoryEntry>> {
        self.charge(0)?;
        let next = self.wasi.table.get_mut(&entries)?.names.next();
        Ok(next.map(|(name, directory)| DirectoryEntry {
            type_: kind(directory),
            name,
        }))
    }

    fn drop(&mut self, entries: Resource<Entries>) -> Result<()> {
        let Entries { bytes, .. } = self.wasi.table.delete(entries)?;
        self.wasi.listings_left = self.wasi.listings_left.saturating_add(bytes);
        Ok(())
    }
}
