//! Making host files reachable for the room's user.
//!
//! The runner may be root and its tools may lie where only root can look
//! (`/root/.cargo/bin`). The launcher then takes a mount namespace of its own,
//! clones the mounts of exactly what the room needs, and attaches them under a
//! memory file system on `/tmp` that everybody can enter. Nothing of it is
//! visible to the host, and it is gone with the room.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    move_mount, open_tree,
};

use super::Failure;
use crate::error::Stage;
use crate::wire::LaunchPlan;

/// Directory that exists everywhere and that bubblewrap reads nothing from.
const STAGE: &str = "/tmp";

/// Where the host files of a room are for bubblewrap.
pub(super) struct Sources {
    pub(super) init: Source,
    /// In the order of the plan.
    pub(super) binds: Vec<Source>,
}

pub(super) struct Source {
    /// Where bubblewrap finds it.
    pub(super) path: PathBuf,
    /// What the runner calls it.
    named: PathBuf,
}

impl Sources {
    /// Where they are without staging.
    pub(super) fn of(plan: &LaunchPlan) -> Self {
        let source = |bytes: &[u8]| {
            let named = PathBuf::from(OsStr::from_bytes(bytes));
            Source {
                path: named.clone(),
                named,
            }
        };
        Self {
            init: source(&plan.init),
            binds: plan.binds.iter().map(|(bytes, _)| source(bytes)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.init).chain(&self.binds)
    }

    /// Refuses what the room's user may not read, while the path can be named.
    pub(super) fn readable(&self) -> Result<(), Failure> {
        let may = |source: &Source, access| {
            rustix::fs::accessat(CWD, &source.path, access, AtFlags::EACCESS)
                .map_err(Failure::at(Stage::Source, &source.named.to_string_lossy()))
        };
        self.all()
            .try_for_each(|source| may(source, Access::READ_OK))?;
        may(&self.init, Access::EXEC_OK)
    }
}

/// Makes the plan's host files reachable for `uid`, where they are not.
pub(super) fn prepare(plan: &LaunchPlan, uid: u32, gid: u32) -> Result<Sources, Failure> {
    let mut sources = Sources::of(plan);
    if sources
        .all()
        .all(|source| reachable(&source.named, uid, gid))
    {
        return Ok(sources);
    }
    let at = |path: &Path| Failure::at::<io::Error>(Stage::Staging, &path.to_string_lossy());
    nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS)
        .map_err(io::Error::from)
        .map_err(at(Path::new("mount namespace")))?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)
        .map_err(io::Error::from)
        .map_err(at(Path::new("/")))?;
    // All are opened before the stage covers what may hold some of them.
    let mut trees = Vec::new();
    for source in sources.all() {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let path = &source.named;
        trees.push(
            open_tree(CWD, path, flags)
                .map_err(io::Error::from)
                .map_err(at(path))?,
        );
    }
    mount(
        "proctor",
        STAGE,
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        c"mode=0755,size=1m",
    )
    .map_err(io::Error::from)
    .map_err(at(Path::new(STAGE)))?;
    let all = std::iter::once(&mut sources.init).chain(&mut sources.binds);
    for (number, (source, tree)) in all.zip(&trees).enumerate() {
        source.path = Path::new(STAGE).join(number.to_string());
        attach(tree, &source.path).map_err(at(&source.named))?;
    }
    Ok(sources)
}

fn attach(tree: &OwnedFd, place: &Path) -> io::Result<()> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode);
    if kind == FileType::Directory {
        rustix::fs::mkdir(place, Mode::from_raw_mode(0o755))?;
    } else {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(place, flags, Mode::from_raw_mode(0o444))?;
    }
    move_mount(
        tree,
        c"",
        CWD,
        place,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )?;
    Ok(())
}

/// Whether the user can reach and read `path`. Asks the kernel, which alone
/// knows about groups, access lists and security modules.
fn reachable(path: &Path, uid: u32, gid: u32) -> bool {
    let (uid, gid) = (
        nix::unistd::Uid::from_raw(uid),
        nix::unistd::Gid::from_raw(gid),
    );
    let group = nix::unistd::setfsgid(gid);
    let user = nix::unistd::setfsuid(uid);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = rustix::fs::open(path, flags, Mode::empty()).is_ok();
    nix::unistd::setfsuid(user);
    nix::unistd::setfsgid(group);
    opened
}
