//! Memory of this process.

use std::error::Error;

/// A line of this process's memory figures in `/proc`, in bytes.
pub(crate) fn resident(name: &str) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kibibytes: u64 = kibibytes
        .ok_or("/proc/self/status has no such line")?
        .trim()
        .parse()?;
    Ok(kibibytes * 1024)
}
