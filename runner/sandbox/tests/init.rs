//! Attacks on init, which runs as the same user as the agent and is the only
//! way the runner has into the room.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::time::Duration;

use common::{PATIENCE, python, quiet_room, said, sh, text};
use proctor_sandbox::{ExecRequest, Exit};

#[tokio::test]
async fn its_memory_descriptors_and_environment_are_out_of_reach() {
    let room = quiet_room().await;
    let program = "
for name in ('mem', 'environ', 'maps', 'auxv', 'syscall', 'stack', 'personality', 'io'):
    print(name, attempt(lambda: open('/proc/1/' + name).read(1)))
for name in ('fd', 'fdinfo', 'map_files', 'root', 'cwd', 'task/1/fd'):
    print(name, attempt(lambda: os.listdir('/proc/1/' + name)))
print('exe', attempt(lambda: os.readlink('/proc/1/exe')))
for name in ('oom_score_adj', 'comm', 'coredump_filter', 'clear_refs', 'timerslack_ns'):
    print('write', name, attempt(lambda: os.write(os.open('/proc/1/' + name, os.O_WRONLY), b'1')))
for name in ('net', 'mnt', 'user', 'pid'):
    print('ns', name, attempt(lambda: os.open('/proc/1/ns/' + name, os.O_RDONLY)))
";
    for line in python(&room, program).await.lines() {
        let refused = line.ends_with("EACCES") || line.ends_with("EPERM");
        assert!(refused, "{line}");
    }
    assert!(
        said(&room, "cat /proc/1/status")
            .await
            .contains("Name:\tinit")
    );
}

#[tokio::test]
async fn it_cannot_be_traced_read_or_written() {
    let room = quiet_room().await;
    let program = "
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
print(call(101, PTRACE_ATTACH, 1, 0, 0), call(101, PTRACE_SEIZE, 1, 0, 0))
class Part(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
text = ctypes.create_string_buffer(8)
local = Part(ctypes.addressof(text), 8); remote = Part(0x400000, 8)
print(call(310, 1, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
print(call(311, 1, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
pidfd = os.pidfd_open(1)
print({call(438, pidfd, fd, 0) for fd in range(64)}, call(440, pidfd, 0, 0, 21, 0))
print(call(312, os.getpid(), 1, 0, 0, 0))
";
    assert_eq!(
        python(&room, program).await,
        "EPERM EPERM\nEPERM\nEPERM\n{'EPERM'} EPERM\nEPERM"
    );
}

#[tokio::test]
async fn no_signal_stops_or_ends_it() {
    let room = quiet_room().await;
    let program = "
import signal
pidfd = os.pidfd_open(1)
for number in range(1, 65):
    attempt(lambda: os.kill(1, number))
    call(424, pidfd, number, 0, 0)
    call(129, 1, number, ctypes.create_string_buffer(128))
os.kill(1, signal.SIGSTOP)
print('sent')
";
    assert_eq!(python(&room, program).await, "sent");
    assert_eq!(said(&room, "echo answered").await, "answered");
    // Everything the agent may signal at once, itself included.
    sh(&room, "sleep 600 & sleep 600 & kill -9 -1").await;
    assert_eq!(said(&room, "echo answered").await, "answered");
}

#[tokio::test]
async fn its_limits_and_priority_cannot_be_changed() {
    let room = quiet_room().await;
    let program = "
two = ctypes.create_string_buffer(16)
RLIMIT_CPU, RLIMIT_NOFILE = 0, 7
print(call(302, 1, RLIMIT_CPU, two, 0), call(302, 1, RLIMIT_NOFILE, two, 0), call(302, 1 | 1 << 40, RLIMIT_CPU, two, 0))
print(call(203, 1, 8, ctypes.create_string_buffer(b'\\x01' * 8)))
print(call(144, 1, 5, two), call(142, 1, two), call(314, 1, two, 0))
print(call(141, 0, 1, 19), call(251, 1, 1, 3 << 13))
import resource
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (100, 100))
print('own limits', resource.getrlimit(resource.RLIMIT_NOFILE))
os.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(1)
";
    assert_eq!(
        python(&room, program).await,
        "EPERM EPERM EPERM\nEPERM\nEPERM EPERM EPERM\nEPERM EPERM\nown limits (100, 100)"
    );
}

/// A new command is an ordinary process of the same user for a moment. Init
/// must not wait for it: it would never answer again.
#[tokio::test]
async fn a_command_that_is_stopped_while_it_starts_does_not_block_it() {
    let room = quiet_room().await;
    let program = "
import signal, threading
print('up', flush=True)
while True:
    for name in os.listdir('/proc'):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            attempt(lambda: os.kill(int(name), signal.SIGSTOP))
";
    let mut attacker = ExecRequest::new(["/usr/bin/python3", "-c"]).timeout(PATIENCE);
    attacker.argv.push(format!(
        "import os\ndef attempt(what):\n    try: what()\n    except OSError: pass\n{program}"
    ));
    let mut attacker = room.stream(attacker).await.unwrap();
    assert_eq!(&attacker.next().await.unwrap().bytes[..], b"up\n");
    // Stopped before or after it became the program: either way init answers,
    // and the time limit kills it and the attacker.
    let victim = ExecRequest::shell("sleep 600").timeout(Duration::from_millis(500));
    let output = room.exec(victim).await.unwrap();
    assert!(output.timed_out);
    assert_eq!(output.status, Exit::Signal(9));
    assert_eq!(attacker.finish().await.unwrap().status, Exit::Signal(9));
    assert_eq!(said(&room, "echo answered").await, "answered");
}

#[tokio::test]
async fn it_reaps_every_orphan() {
    let room = quiet_room().await;
    sh(
        &room,
        "for i in $(seq 200); do (true & exec true) & done; wait; (sleep 0 &) ; exit 0",
    )
    .await;
    common::eventually_said(
        &room,
        "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z '; true",
        "0",
    )
    .await;
}

#[tokio::test]
async fn there_is_no_way_to_its_channel() {
    let room = quiet_room().await;
    // No socket of another process is listed, and none can be opened by name.
    let sockets = said(&room, "cat /proc/net/unix | tail -n +2 | wc -l").await;
    assert_eq!(sockets, "0", "{}", said(&room, "cat /proc/net/unix").await);
    let output = sh(&room, "ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c socket").await;
    assert_eq!(text(&output.stdout), "0\n");
}
