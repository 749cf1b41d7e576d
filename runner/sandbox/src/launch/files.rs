//! Descriptors that bubblewrap inherits.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::FdFlags;

/// A memory file with `bytes` in it that survives exec.
pub(super) fn memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let fd = crate::wire::memory_file(bytes)?;
    rustix::io::fcntl_setfd(&fd, FdFlags::empty())?;
    Ok(fd)
}
