//! Compiled modules on disk.
//!
//! A compiled module is native code that the process will jump into, so it is
//! loaded only from a directory that nobody else can write to, and only when
//! it is, byte for byte, what was stored under that key. An entry is one file:
//! the code and, behind it, a record (key, digest, length). The file that was
//! checked stays open and is the file that is mapped: entries are made under
//! another name and renamed, never written to in place, so nobody but us could
//! change what was checked. Mapping it spares the two copies and the several
//! hundred page faults that made up a quarter of a short process.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW,
};
use rustix::io::Errno;

use crate::error::Fault;

/// First line of a record.
const MAGIC: &str = "proctor compiled grader 2";
/// Length of the record behind the code: four lines.
const RECORD_BYTES: usize = MAGIC.len() + 1 + KEY_BYTES + 1 + 64 + 1 + 20 + 1;
/// Two SHA-256 in hex with a `-` between them.
const KEY_BYTES: usize = 64 + 1 + 64;
/// Prefix of files being written.
const TEMPORARY: &str = "tmp-";
/// A temporary file that is this old was left by a process that died.
const TEMPORARY_AGE: Duration = Duration::from_hours(1);

/// The directory, held open.
#[derive(Debug)]
pub(super) struct ModuleCache {
    directory: OwnedFd,
    path: PathBuf,
    max_bytes: u64,
}

/// Names what was compiled, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    /// Both are SHA-256 in hex.
    pub(super) fn new(wasm_sha256: &str, compatibility: &str) -> Self {
        Self(format!("{wasm_sha256}-{compatibility}"))
    }
}

impl ModuleCache {
    /// Opens the directory, making it where it is missing. Refuses one that
    /// somebody else owns or may use.
    pub(super) fn open(path: &Path, max_bytes: u64) -> Result<Self, Fault> {
        let refused = |why: String| Fault::CacheRefused {
            detail: format!("{}: {why}", path.display()),
        };
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| refused(error.to_string()))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| {
            let link = errno == Errno::NOTDIR || errno == Errno::LOOP;
            refused(if link {
                "it is a symbolic link or no directory".to_owned()
            } else {
                errno.to_string()
            })
        })?;
        let stat = rustix::fs::fstat(&directory).map_err(|errno| refused(errno.to_string()))?;
        let us = rustix::process::geteuid().as_raw();
        if stat.st_uid != us {
            return Err(refused(format!(
                "it belongs to uid {}, not to {us}",
                stat.st_uid
            )));
        }
        let mode = stat.st_mode & 0o777;
        if mode & 0o077 != 0 {
            return Err(refused(format!(
                "its mode is {mode:04o}; others may use it"
            )));
        }
        Ok(Self {
            directory,
            path: path.to_owned(),
            max_bytes,
        })
    }

    /// Whether something is stored under a key; nothing is said about what.
    pub(super) fn has(&self, key: &Key) -> bool {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        rustix::fs::statat(&self.directory, key.0.as_str(), flags).is_ok()
    }

    /// The code that is stored under a key, or nothing where there is none
    /// that can be trusted; what cannot be trusted is removed.
    pub(super) fn load(&self, key: &Key) -> Option<Entry> {
        match self.read(key) {
            Ok(entry) => {
                // Keeps what is used from being removed first.
                let now = Timespec {
                    tv_sec: 0,
                    tv_nsec: UTIME_NOW,
                };
                let times = Timestamps {
                    last_access: now,
                    last_modification: now,
                };
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                let _ = rustix::fs::utimensat(&self.directory, key.0.as_str(), &times, flags);
                Some(entry)
            }
            Err(Unusable::Absent) => None,
            Err(Unusable::Bad(why)) => {
                tracing::warn!(
                    cache = %self.path.display(), entry = key.0, why,
                    "a compiled grader in the cache is damaged; it is compiled again"
                );
                self.remove(key);
                None
            }
        }
    }

    fn read(&self, key: &Key) -> Result<Entry, Unusable> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.directory, key.0.as_str(), flags, Mode::empty())
            .map_err(|errno| match errno {
                Errno::NOENT => Unusable::Absent,
                other => Unusable::Bad(other.to_string()),
            })?;
        let stat = rustix::fs::fstat(&fd).map_err(|errno| Unusable::Bad(errno.to_string()))?;
        check_file(&stat)?;
        let length = u64::try_from(stat.st_size).unwrap_or_default();
        if length > self.max_bytes {
            return Err(Unusable::Bad(format!("it is {length} bytes long")));
        }
        Entry::check(File::from(fd), length, key)
    }

    /// Stores code under a key: into a temporary file first, so that a reader
    /// in another process sees all of it or nothing.
    pub(super) fn store(&self, key: &Key, code: &[u8]) -> std::io::Result<()> {
        if (RECORD_BYTES + code.len()) as u64 > self.max_bytes {
            return Err(std::io::Error::other(
                "the compiled grader is larger than the cache",
            ));
        }
        // Process numbers are not unique where containers share a directory.
        let random = RandomState::new().hash_one(&key.0);
        let temporary = format!("{TEMPORARY}{}-{random:016x}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let fd = rustix::fs::openat(&self.directory, temporary.as_str(), flags, mode)?;
        let mut file = File::from(fd);
        let digest = blake3::hash(code);
        let record = record(key, &digest, code.len() as u64);
        let written = file
            .write_all(code)
            .and_then(|()| file.write_all(record.as_bytes()))
            .and_then(|()| {
                let (from, to) = (temporary.as_str(), key.0.as_str());
                Ok(rustix::fs::renameat(
                    &self.directory,
                    from,
                    &self.directory,
                    to,
                )?)
            });
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.directory, temporary.as_str(), AtFlags::empty());
        }
        written?;
        self.prune(key);
        Ok(())
    }

    /// Waits until no other process compiles for this cache: what it compiles
    /// is probably what is wanted here too. Nothing is lost where that cannot
    /// be known. The lock is on the directory itself and ends with the handle,
    /// also when its process is killed.
    pub(super) fn one_at_a_time(&self) -> Option<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let own = rustix::fs::openat(&self.directory, ".", flags, Mode::empty()).ok()?;
        rustix::fs::flock(&own, FlockOperation::LockExclusive).ok()?;
        Some(own)
    }

    /// Removes an entry.
    pub(super) fn remove(&self, key: &Key) {
        let _ = rustix::fs::unlinkat(&self.directory, key.0.as_str(), AtFlags::empty());
    }

    /// Removes what was not used for longest until the rest fits, and what
    /// dead processes left. `keep` stays.
    fn prune(&self, keep: &Key) {
        let Ok(directory) = Dir::read_from(&self.directory) else {
            return;
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut entries = Vec::new();
        for entry in directory.filter_map(Result::ok) {
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            let Ok(stat) = rustix::fs::statat(&self.directory, name, flags) else {
                continue;
            };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            let changed = u64::try_from(stat.st_mtime).unwrap_or_default();
            if name.starts_with(TEMPORARY) {
                if now.as_secs().saturating_sub(changed) > TEMPORARY_AGE.as_secs() {
                    let _ = rustix::fs::unlinkat(&self.directory, name, AtFlags::empty());
                }
            } else if name.len() == KEY_BYTES && name != keep.0 {
                let length = u64::try_from(stat.st_size).unwrap_or_default();
                entries.push((stat.st_mtime, stat.st_mtime_nsec, length, name.to_owned()));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|entry| entry.2).sum();
        for (.., length, name) in entries {
            if total <= self.max_bytes {
                break;
            }
            let _ = rustix::fs::unlinkat(&self.directory, name.as_str(), AtFlags::empty());
            total -= length;
        }
    }
}

#[derive(Debug)]
enum Unusable {
    Absent,
    Bad(String),
}

/// Code from the cache, checked against its record.
#[derive(Debug)]
pub(super) struct Entry(File);

impl Entry {
    /// Reads all of `file`, whose length is `length`, and compares it with the
    /// record at its end.
    fn check(mut file: File, length: u64, key: &Key) -> Result<Self, Unusable> {
        let Some(code_bytes) = length.checked_sub(RECORD_BYTES as u64) else {
            return Err(Unusable::Bad("it ends inside its record".to_owned()));
        };
        let unreadable = |error: std::io::Error| Unusable::Bad(error.to_string());
        let mut hasher = blake3::Hasher::new();
        hasher
            .update_reader((&mut file).take(code_bytes))
            .map_err(unreadable)?;
        file.seek(SeekFrom::Start(code_bytes)).map_err(unreadable)?;
        let mut found = [0; RECORD_BYTES];
        file.read_exact(&mut found).map_err(unreadable)?;
        // The record has one spelling for one key and one code, so comparing
        // it whole compares all its fields: an entry that was cut, changed, or
        // renamed from another key does not match.
        if found != *record(key, &hasher.finalize(), code_bytes).as_bytes() {
            return Err(Unusable::Bad(
                "its record does not match its key and content".to_owned(),
            ));
        }
        Ok(Self(file))
    }

    /// A name for the very file that was checked, whatever has become of its
    /// directory entry since; valid while the entry lives.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

/// BLAKE3 because nothing but speed is asked of it that SHA-256 would not give:
/// the digest never leaves the machine, and is taken on every load.
fn record(key: &Key, digest: &blake3::Hash, code_bytes: u64) -> String {
    format!("{MAGIC}\n{}\n{digest}\n{code_bytes:020}\n", key.0)
}

fn check_file(stat: &Stat) -> Result<(), Unusable> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Unusable::Bad("it is no regular file".to_owned()));
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Unusable::Bad(format!("it belongs to uid {}", stat.st_uid)));
    }
    if stat.st_mode & 0o022 != 0 {
        return Err(Unusable::Bad("others may write to it".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn key(byte: &str) -> Key {
        Key::new(&byte.repeat(32), &"00".repeat(32))
    }

    fn cache(max_bytes: u64) -> (tempfile::TempDir, ModuleCache) {
        let directory = tempfile::tempdir().unwrap();
        let cache = ModuleCache::open(&directory.path().join("modules"), max_bytes).unwrap();
        (directory, cache)
    }

    #[test]
    fn what_was_stored_comes_back() {
        let (directory, cache) = cache(1 << 20);
        cache.store(&key("aa"), b"code").unwrap();
        let entry = cache.load(&key("aa")).unwrap();
        let content = std::fs::read(entry.path()).unwrap();
        assert_eq!(&content[..content.len() - RECORD_BYTES], b"code");
        assert!(cache.load(&key("bb")).is_none());
        let path = directory.path().join("modules").join(&key("aa").0);
        assert_eq!(
            std::fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[test]
    fn what_was_checked_is_what_is_loaded() {
        let (directory, cache) = cache(1 << 20);
        cache.store(&key("aa"), b"code").unwrap();
        let entry = cache.load(&key("aa")).unwrap();
        let path = directory.path().join("modules").join(&key("aa").0);
        std::fs::rename(&path, directory.path().join("away")).unwrap();
        std::fs::write(&path, b"something else").unwrap();
        assert!(std::fs::read(entry.path()).unwrap().starts_with(b"code"));
    }

    #[test]
    fn every_single_flipped_bit_is_noticed_and_the_entry_goes() {
        let (directory, cache) = cache(1 << 20);
        cache.store(&key("aa"), b"code").unwrap();
        let path = directory.path().join("modules").join(&key("aa").0);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                std::fs::write(&path, bad).unwrap();
                assert!(cache.load(&key("aa")).is_none(), "byte {at}, bit {bit}");
                assert!(!path.exists());
            }
        }
    }

    #[test]
    fn truncated_swapped_linked_and_foreign_entries_are_not_loaded() {
        let (directory, cache) = cache(1 << 20);
        let at = |key: &Key| directory.path().join("modules").join(&key.0);
        cache.store(&key("aa"), b"code of a").unwrap();
        cache.store(&key("bb"), b"code of b").unwrap();
        let (a, b) = (std::fs::read(at(&key("aa"))).unwrap(), at(&key("bb")));

        std::fs::write(&b, &a).unwrap();
        assert!(
            cache.load(&key("bb")).is_none(),
            "an entry under another key"
        );

        for length in [0, 1, RECORD_BYTES - 1, RECORD_BYTES, a.len() - 1] {
            std::fs::write(at(&key("aa")), &a[..length]).unwrap();
            assert!(cache.load(&key("aa")).is_none(), "cut to {length} bytes");
        }

        cache.store(&key("aa"), b"code of a").unwrap();
        std::os::unix::fs::symlink(at(&key("aa")), &b).unwrap();
        assert!(cache.load(&key("bb")).is_none(), "a symbolic link");

        std::fs::set_permissions(at(&key("aa")), PermissionsExt::from_mode(0o666)).unwrap();
        assert!(
            cache.load(&key("aa")).is_none(),
            "an entry that others may write to"
        );
    }

    #[test]
    fn a_directory_that_others_may_use_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("modules");
        for mode in [0o755, 0o701, 0o770, 0o777] {
            let _ = std::fs::create_dir(&path);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let fault = ModuleCache::open(&path, 1 << 20).unwrap_err();
            assert_eq!(fault.kind(), "cache_refused");
            assert!(
                fault.to_string().contains(&format!("{mode:04o}")),
                "{fault}"
            );
        }
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).unwrap();
        ModuleCache::open(&path, 1 << 20).unwrap();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let fault = ModuleCache::open(&link, 1 << 20).unwrap_err();
        assert!(fault.to_string().contains("symbolic link"), "{fault}");
    }

    #[test]
    fn a_directory_of_somebody_else_is_refused() {
        // Only root can make one to try it with; `/` is somebody else's for
        // everyone else.
        let directory = tempfile::tempdir().unwrap();
        let path = if rustix::process::geteuid().is_root() {
            let path = directory.path().join("modules");
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).unwrap();
            std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
            path
        } else {
            PathBuf::from("/")
        };
        let fault = ModuleCache::open(&path, 1 << 20).unwrap_err();
        assert!(fault.to_string().contains("belongs to uid"), "{fault}");
    }

    #[test]
    fn the_least_recently_used_entries_go_when_the_cache_is_full() {
        let entry = (RECORD_BYTES + 100) as u64;
        let (directory, cache) = cache(2 * entry);
        let at = |key: &Key| directory.path().join("modules").join(&key.0);
        let old = |key: &Key, seconds| {
            let file = File::options().write(true).open(at(key)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds))
                .unwrap();
        };
        for (name, age) in [("aa", 30), ("bb", 20), ("cc", 10)] {
            cache.store(&key(name), &[7; 100]).unwrap();
            old(&key(name), age);
        }
        std::fs::write(directory.path().join("modules/tmp-1-1"), b"x").unwrap();
        let stale = File::options()
            .write(true)
            .open(directory.path().join("modules/tmp-1-1"))
            .unwrap();
        stale
            .set_modified(SystemTime::now() - Duration::from_hours(2))
            .unwrap();
        // Reading `aa` makes `bb` the least recently used one.
        assert!(cache.load(&key("aa")).is_some());
        cache.store(&key("dd"), &[7; 100]).unwrap();
        let there: Vec<bool> = ["aa", "bb", "cc", "dd"]
            .iter()
            .map(|name| at(&key(name)).exists())
            .collect();
        assert_eq!(there, [true, false, true, true]);
        assert!(!directory.path().join("modules/tmp-1-1").exists());
    }
}
