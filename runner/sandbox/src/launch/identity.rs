//! Becoming another user for good.

use nix::unistd::{Gid, Uid};

/// Becomes `uid` and `gid`, with no other group and no way back.
pub(crate) fn assume(uid: u32, gid: u32) -> nix::Result<()> {
    let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
    if uid.is_root() || gid.as_raw() == 0 {
        return Err(nix::Error::EPERM);
    }
    nix::unistd::setgroups(&[])?;
    nix::unistd::setresgid(gid, gid, gid)?;
    nix::unistd::setresuid(uid, uid, uid)?;
    let now = nix::unistd::getresuid()?;
    if now.real != uid || now.effective != uid || now.saved != uid {
        return Err(nix::Error::EPERM);
    }
    Ok(())
}
