//! Reading single files that others may have put there.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

/// Whether a symbolic link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// The operator names the file.
    Follow,
    /// The file is part of what somebody else may have made.
    Refuse,
}

/// Reads a regular file of at most `limit` bytes. Waits for no writer of a
/// pipe, and reads from no device.
pub(crate) fn regular(path: &Path, limit: u64, links: Links) -> io::Result<Vec<u8>> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::LOOP if links == Links::Refuse => refused("it is a symbolic link"),
        Errno::NXIO => refused("it is no regular file"),
        other => other.into(),
    })?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(refused("it is no regular file"));
    }
    // Modules are long: room for all of one spares copying it while it grows.
    let length = u64::try_from(stat.st_size).unwrap_or_default();
    let room = length.min(limit).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    File::from(fd)
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(refused(&format!("it is longer than {limit} bytes")));
    }
    Ok(bytes)
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_devices_links_and_long_files_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        drop(std::os::unix::net::UnixListener::bind(at("socket")).unwrap());
        assert_eq!(regular(&at("file"), 5, Links::Refuse).unwrap(), b"12345");
        assert_eq!(regular(&at("link"), 5, Links::Follow).unwrap(), b"12345");
        for (name, limit, links, why) in [
            ("file", 4, Links::Follow, "longer than 4 bytes"),
            ("link", 5, Links::Refuse, "a symbolic link"),
            ("zero", 5, Links::Refuse, "a symbolic link"),
            ("zero", 5, Links::Follow, "no regular file"),
            ("pipe", 5, Links::Refuse, "no regular file"),
            ("socket", 5, Links::Refuse, "no regular file"),
            (".", 5, Links::Refuse, "no regular file"),
        ] {
            let error = regular(&at(name), limit, links).unwrap_err().to_string();
            assert!(error.contains(why), "{name}: {error}");
        }
        let missing = regular(&at("missing"), 5, Links::Refuse).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
