//! What the tests of this crate share.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::path::PathBuf;
use std::time::Duration;

use proctor_sandbox::{CaptiveSockets, ExecOutput, ExecRequest, Exit, Sandbox, SandboxConfig};

/// Time for a command that ends by itself. Only a broken build meets it.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// The init to use: the one that was built with the tests, or a copy of it
/// where another user can reach it.
pub(crate) fn init() -> PathBuf {
    std::env::var_os("PROCTOR_TEST_INIT")
        .map_or_else(|| env!("CARGO_BIN_EXE_proctor-init").into(), PathBuf::from)
}

pub(crate) fn config() -> SandboxConfig {
    SandboxConfig::new(
        init(),
        "-----BEGIN CERTIFICATE-----\nroom\n-----END CERTIFICATE-----\n",
    )
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub(crate) async fn room() -> (Sandbox, CaptiveSockets) {
    Sandbox::start(config()).await.unwrap()
}

/// A room of which only the inside matters.
pub(crate) async fn quiet_room() -> Sandbox {
    room().await.0
}

/// Runs a line of shell to its end, whatever that is.
pub(crate) async fn sh(room: &Sandbox, line: &str) -> ExecOutput {
    room.exec(ExecRequest::shell(line).timeout(PATIENCE))
        .await
        .unwrap()
}

/// What a line of shell that succeeds prints.
pub(crate) async fn said(room: &Sandbox, line: &str) -> String {
    let output = sh(room, line).await;
    assert_eq!(
        output.status,
        Exit::Code(0),
        "{line}: {}",
        text(&output.stderr)
    );
    text(&output.stdout).trim_end().to_owned()
}

/// What a Python program that succeeds prints. It has `call(number, ...)`,
/// which makes a system call and gives the name of its error or `ok`.
pub(crate) async fn python(room: &Sandbox, program: &str) -> String {
    let mut request = ExecRequest::new(["/usr/bin/python3", "-"]).timeout(PATIENCE);
    request.stdin = Some(format!("{PRELUDE}{program}").into_bytes());
    let output = room.exec(request).await.unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status, Exit::Code(0), "{program}\n{errors}");
    text(&output.stdout).trim_end().to_owned()
}

const PRELUDE: &str = "
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def outcome(result):
    return errno.errorcode.get(ctypes.get_errno(), '?') if result == -1 else 'ok'
def call(number, *arguments):
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return outcome(libc.syscall(ctypes.c_long(number), *arguments))
def attempt(what):
    try:
        what()
        return 'ok'
    except OSError as e:
        return errno.errorcode.get(e.errno, '?')
";

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Processes of this machine whose command line holds `mark`, as `/proc` shows
/// them to the test.
pub(crate) fn processes_with(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if text(&line).contains(mark) {
            found.push(pid);
        }
    }
    found
}

/// Waits until `condition` holds; fails after a long time. For what the kernel
/// does on its own after a process is gone.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: not within a minute");
}

/// An argument that no other test uses: `sleep` takes several and adds them.
pub(crate) fn unique_nap() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("3600.{:06}{number:03}", std::process::id())
}

/// Waits until a line of shell prints `expected`; fails after a long time.
pub(crate) async fn eventually_said(room: &Sandbox, line: &str, expected: &str) {
    for _ in 0..600 {
        if said(room, line).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("`{line}` does not print {expected}");
}
