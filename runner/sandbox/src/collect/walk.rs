//! The walk through a workspace.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use proctor_types::WorkspaceListing;
use proctor_types::workspace::{Entry, EntryKind, SCHEMA};
use rustix::fs::{FileType, Mode, OFlags, Stat, openat2};
use rustix::io::Errno;

use super::names::{escape, first_names, fits};
use super::{CollectCaps, Sink, content};
use crate::error::CollectError;
use crate::workspace::beneath;

/// Longest path that is entered, well below what the kernel takes (`PATH_MAX`).
const LONGEST_PATH: usize = 4000;

/// A directory still to be read.
struct Unread {
    path: Vec<u8>,
    /// The workspace itself is level 1.
    level: usize,
    /// Its place in the listing; the workspace itself has none.
    entry: Option<usize>,
}

pub(super) struct Walk<'a, 'sink> {
    root: BorrowedFd<'a>,
    caps: &'a CollectCaps,
    sink: &'a mut Sink<'sink>,
    entries: Vec<Entry>,
    kept_bytes: u64,
    truncated: Option<String>,
    /// Shallow ones first.
    unread: VecDeque<Unread>,
    /// Directories that were made readable, with the mode to give back.
    changed: Vec<(Vec<u8>, Mode)>,
}

impl<'a, 'sink> Walk<'a, 'sink> {
    pub(super) fn new(
        root: BorrowedFd<'a>,
        caps: &'a CollectCaps,
        sink: &'a mut Sink<'sink>,
    ) -> Self {
        Self {
            root,
            caps,
            sink,
            entries: Vec::new(),
            kept_bytes: 0,
            truncated: None,
            unread: VecDeque::from([Unread {
                path: Vec::new(),
                level: 1,
                entry: None,
            }]),
            changed: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Result<WorkspaceListing, CollectError> {
        let walked = self.walk();
        // Innermost first: the outer ones have to be passable until then.
        for (path, mode) in self.changed.iter().rev() {
            if let Ok(dir) = self.look(path) {
                // The agent's tree again; a mode that stays too wide hurts nobody.
                let _ = rustix::fs::chmod(by_descriptor(&dir), *mode);
            }
        }
        walked?;
        self.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(WorkspaceListing {
            schema: SCHEMA.to_owned(),
            entries: self.entries,
            truncated: self.truncated,
        })
    }

    fn walk(&mut self) -> Result<(), CollectError> {
        while let Some(Unread { path, level, entry }) = self.unread.pop_front() {
            let left = self.caps.entries - self.entries.len();
            let names = match (self.read_directory(&path, left), entry) {
                (Ok(names), _) => names,
                (Err(error), None) => return Err(CollectError::Workspace(error.into())),
                (Err(error), Some(entry)) => {
                    self.entries[entry].refused = Some(refusal("cannot be read", error));
                    continue;
                }
            };
            for name in names.first {
                let below = !path.is_empty();
                let path = if below {
                    [path.as_slice(), &name].join(&b'/')
                } else {
                    name
                };
                let entry = self.entry(path, level)?;
                self.entries.push(entry);
            }
            if names.beyond > 0 {
                let (most, beyond) = (self.caps.entries, names.beyond);
                let place = if path.is_empty() {
                    ".".to_owned()
                } else {
                    escape(&path)
                };
                self.truncated = Some(format!(
                    "more than {most} entries; {beyond} more in `{place}` alone"
                ));
                return Ok(());
            }
        }
        Ok(())
    }

    fn read_directory(&mut self, path: &[u8], most: usize) -> Result<super::names::Names, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || openat2(self.root, dot(path), flags, Mode::empty(), beneath());
        let dir = match open() {
            Err(Errno::ACCESS) => {
                self.make_passable(path)?;
                openat2(self.root, dot(path), flags, Mode::empty(), beneath())?
            }
            other => other?,
        };
        // Reading the names takes one permission, looking at them another.
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&dir)?.st_mode);
        if !mode.contains(Mode::XUSR) {
            self.make_passable(path)?;
        }
        first_names(dir.as_fd(), most)
    }

    fn make_passable(&mut self, path: &[u8]) -> Result<(), Errno> {
        let dir = self.look(path)?;
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&dir)?.st_mode & 0o7777);
        rustix::fs::chmod(by_descriptor(&dir), mode | Mode::RWXU)?;
        self.changed.push((path.to_vec(), mode));
        Ok(())
    }

    /// Opens without reading: never waits for a named pipe, never wakes a
    /// device.
    fn look(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        if path.is_empty() {
            // A directory without permissions cannot be looked up from within.
            return rustix::io::fcntl_dupfd_cloexec(self.root, 3);
        }
        // The last part may be a symbolic link, which is then what is opened.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat2(self.root, path, flags, Mode::empty(), beneath())
    }

    fn entry(&mut self, path: Vec<u8>, level: usize) -> Result<Entry, CollectError> {
        let text = escape(&path);
        let looked = self
            .look(&path)
            .and_then(|fd| Ok((rustix::fs::fstat(&fd)?, fd)));
        let (stat, fd) = match looked {
            Ok(looked) => looked,
            Err(errno) => return Ok(unknown(text, refusal("cannot be looked at", errno))),
        };
        let mut entry = Entry {
            path: text,
            kind: kind(&stat),
            mode: format!("{:04o}", stat.st_mode & 0o7777),
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            sha256: None,
            target: None,
            refused: None,
        };
        let longest = self.caps.path_bytes.min(LONGEST_PATH);
        if entry.path.len() > longest {
            entry.refused = Some(format!("its path is longer than {longest} bytes"));
            return Ok(entry);
        }
        match entry.kind {
            EntryKind::File => self.file(&fd, &stat, &mut entry)?,
            EntryKind::Directory => {
                entry.bytes = 0;
                if level < self.caps.depth {
                    let entry = Some(self.entries.len());
                    self.unread.push_back(Unread {
                        path,
                        level: level + 1,
                        entry,
                    });
                } else {
                    entry.refused = Some(format!("deeper than {} levels", self.caps.depth));
                }
            }
            EntryKind::Symlink => {
                match rustix::fs::readlinkat(&fd, c"", Vec::new()) {
                    Ok(target) => entry.target = Some(escape(target.as_bytes())),
                    Err(errno) => entry.refused = Some(refusal("cannot be read", errno)),
                }
                entry
                    .refused
                    .get_or_insert_with(|| "symbolic links are not followed".to_owned());
            }
            EntryKind::Fifo | EntryKind::Socket | EntryKind::Device | EntryKind::Unknown => {
                entry.refused = Some("only regular files are kept".to_owned());
            }
        }
        Ok(entry)
    }

    fn file(&mut self, fd: &OwnedFd, stat: &Stat, entry: &mut Entry) -> Result<(), CollectError> {
        if entry.bytes > self.caps.file_bytes {
            let most = self.caps.file_bytes;
            entry.refused = Some(format!("longer than {most} bytes"));
            return Ok(());
        }
        if entry.bytes > self.caps.total_bytes - self.kept_bytes {
            let most = self.caps.total_bytes;
            entry.refused = Some(format!(
                "with it, all files would be more than {most} bytes"
            ));
            return Ok(());
        }
        if !fits(&entry.path) {
            entry.refused = Some("its name, written down, is longer than 255 bytes".to_owned());
            return Ok(());
        }
        let file = match reopen(fd, stat) {
            Ok(file) => file,
            Err(errno) => {
                entry.refused = Some(refusal("cannot be opened", errno));
                return Ok(());
            }
        };
        let content = content::stream(file, entry.bytes, &entry.path, self.sink)?;
        entry.bytes = content.bytes;
        entry.sha256 = Some(content.sha256);
        self.kept_bytes += content.bytes;
        Ok(())
    }
}

fn unknown(path: String, refused: String) -> Entry {
    Entry {
        path,
        kind: EntryKind::Unknown,
        mode: "0000".to_owned(),
        bytes: 0,
        sha256: None,
        target: None,
        refused: Some(refused),
    }
}

fn refusal(what: &str, errno: Errno) -> String {
    format!("{what}: {}", io::Error::from(errno))
}

fn kind(stat: &Stat) -> EntryKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Symlink,
        FileType::Fifo => EntryKind::Fifo,
        FileType::Socket => EntryKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => EntryKind::Device,
        FileType::Unknown => EntryKind::Unknown,
    }
}

/// Opens for reading what `fd` stands for: the same file, whatever has its
/// name by now.
fn reopen(fd: &OwnedFd, stat: &Stat) -> Result<File, Errno> {
    let place = by_descriptor(fd);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(&place, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            let mode = Mode::from_raw_mode(stat.st_mode & 0o7777);
            rustix::fs::chmod(&place, mode | Mode::RUSR)?;
            let opened = rustix::fs::open(&place, flags, Mode::empty());
            rustix::fs::chmod(&place, mode)?;
            opened?
        }
        other => other?,
    };
    Ok(File::from(opened))
}

/// A path to what a descriptor stands for, even one that was opened without
/// the right to read.
fn by_descriptor(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

fn dot(path: &[u8]) -> &[u8] {
    if path.is_empty() { b"." } else { path }
}
