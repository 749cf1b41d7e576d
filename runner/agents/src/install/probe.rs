//! Asking a program for its version.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::{Installation, is_version};
use crate::adapter::{Adapter, Version};

/// Time for a program to say its version; `OpenClaw` takes two seconds.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// The version that the program of `installation` says it has, or the one that
/// its files say. `home` is a folder for whatever it writes meanwhile; nothing
/// else of the environment is handed on.
pub async fn probe_version(
    adapter: &Adapter,
    installation: &Installation,
    home: PathBuf,
) -> Option<String> {
    if installation.version.is_some() {
        return installation.version.clone();
    }
    let (program, args) = installation.host_command.split_first()?;
    let mut child = Command::new(program)
        .args(args)
        .args(&adapter.program().version_args)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &home)
        .current_dir(&home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut said = Vec::new();
    let stdout = child.stdout.take()?;
    let read = async { stdout.take(4096).read_to_end(&mut said).await.ok() };
    tokio::time::timeout(TIME_LIMIT, read).await.ok()??;
    let text = String::from_utf8_lossy(&said);
    let (_, word) = Version::find(&text)?;
    is_version(word).then(|| word.to_owned())
}
