//! Attacks on the walls: what a command in a room must not reach, learn or do.
//! Each test says what would happen without the wall, and most of them show
//! that the attack works where the wall is not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use common::{init, processes_with, python, quiet_room, said, sh, text, unique_nap};
use proctor_sandbox::{GuestFile, ReadOnlyBind, Sandbox};

#[tokio::test]
async fn host_files_are_not_there() {
    let secret = tempfile::Builder::new()
        .prefix("proctor-secret")
        .tempdir()
        .unwrap();
    std::fs::write(secret.path().join("key"), "secret").unwrap();
    let room = quiet_room().await;
    for path in [
        secret.path().to_str().unwrap(),
        "/root",
        "/boot",
        "/sys",
        "/etc/shadow",
        "/var/log",
        "/srv",
    ] {
        assert_eq!(
            said(&room, &format!("test -e {path} || echo none")).await,
            "none",
            "{path}"
        );
    }
    assert_eq!(
        said(&room, "ls /home; ls -A /tmp /home/agent /workspace").await,
        "agent\n/home/agent:\n\n/tmp:\n\n/workspace:"
    );
    // Not through the kernel's own doors either.
    assert_eq!(
        said(&room, "ls /proc/1/root 2>&1 | grep -c denied").await,
        "1"
    );
    assert!(
        !sh(&room, "cat /proc/kcore /dev/mem /dev/kmsg /dev/vda")
            .await
            .status
            .success()
    );
}

#[tokio::test]
async fn nothing_of_the_system_can_be_written() {
    let room = quiet_room().await;
    for place in [
        "/",
        "/etc",
        "/usr",
        "/usr/local/bin",
        "/dev",
        "/dev/pts",
        "/run",
        "/run/proctor",
        "/opt",
        "/proc",
        "/proc/sys/kernel",
    ] {
        let line = format!("touch {place}/x 2>/dev/null && echo written || echo refused");
        assert_eq!(said(&room, &line).await, "refused", "{place}");
    }
    for file in [
        "/etc/hosts",
        "/etc/passwd",
        "/etc/resolv.conf",
        "/etc/ssl/certs/ca-certificates.crt",
        "/run/proctor/init",
        "/proc/sys/kernel/hostname",
        "/proc/sysrq-trigger",
    ] {
        let line = format!("(echo x >> {file}) 2>/dev/null && echo written || echo refused");
        assert_eq!(said(&room, &line).await, "refused", "{file}");
    }
    let moves = "mv /etc/hosts /etc/h; rm /etc/hosts; chmod 777 /etc; ln -s x /etc/y";
    sh(&room, moves).await;
    assert!(
        said(&room, "cat /etc/hosts")
            .await
            .contains("127.0.0.1 localhost task")
    );
    // Open to be read, whoever asks.
    assert_eq!(
        said(
            &room,
            "stat -c %a / /etc /etc/ssl /etc/ssl/certs /opt /run | uniq"
        )
        .await,
        "755"
    );
    // What should be writable is.
    for place in ["/workspace", "/tmp", "/var/tmp", "/dev/shm", "/home/agent"] {
        said(&room, &format!("touch {place}/x")).await;
    }
}

#[tokio::test]
async fn host_processes_are_neither_seen_nor_signalled() {
    let nap = unique_nap();
    let mut victim = std::process::Command::new("sleep")
        .arg(&nap)
        .spawn()
        .unwrap();
    let room = quiet_room().await;
    let seen = said(&room, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").await;
    assert!(!seen.contains(&nap), "{seen}");
    sh(&room, &format!("kill -9 {}; kill -9 -1", victim.id())).await;
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().unwrap();
    victim.wait().unwrap();
}

#[tokio::test]
async fn no_command_line_shows_where_the_room_is_on_the_host() {
    let dir = tempfile::Builder::new()
        .prefix("proctor-mark")
        .tempdir()
        .unwrap();
    std::fs::write(dir.path().join("tool"), "").unwrap();
    let mark = dir.path().file_name().unwrap().to_str().unwrap().to_owned();
    let mut config = common::config();
    config.binds = vec![ReadOnlyBind {
        source: dir.path().join("tool"),
        target: "/opt/proctor/tool".into(),
    }];
    config.files = vec![GuestFile {
        path: "/opt/proctor/prompt.md".into(),
        bytes: mark.clone().into_bytes(),
        executable: false,
    }];
    let (room, _sockets) = Sandbox::start(config).await.unwrap();
    let lines = said(&room, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").await;
    assert!(
        !lines.contains("bwrap") && !lines.contains(&mark),
        "{lines}"
    );
    // Nor does any process list of the host show it to other users.
    assert_eq!(processes_with(&mark), Vec::<u32>::new());
    assert_eq!(said(&room, "cat /opt/proctor/prompt.md").await, mark);
}

#[tokio::test]
async fn services_on_the_hosts_loopback_are_not_reached() {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    service.set_nonblocking(true).unwrap();
    let port = service.local_addr().unwrap().port();
    let room = quiet_room().await;
    let program = format!(
        "for host in ('127.0.0.1', '::1', '10.0.2.2', '169.254.169.254'):
             print(attempt(lambda: socket.create_connection((host, {port}), 5)))"
    );
    let outcomes = python(&room, &program).await;
    assert_eq!(
        outcomes,
        "ECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nECONNREFUSED"
    );
    assert_eq!(
        service.accept().unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}

#[tokio::test]
async fn abstract_sockets_of_the_host_are_not_reached() {
    let name = format!("proctor-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let room = quiet_room().await;
    let program = format!(
        "s = socket.socket(socket.AF_UNIX); print(attempt(lambda: s.connect('\\0{name}')))"
    );
    assert_eq!(python(&room, &program).await, "ECONNREFUSED");
}

#[tokio::test]
async fn only_ordinary_families_of_sockets_can_be_made() {
    let room = quiet_room().await;
    let program = "
def make(family, kind, protocol=0):
    # Through the system call: Python does not know all of them.
    return call(41, family, kind, protocol)
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
    print(family.name, make(family, socket.SOCK_STREAM))
print('netlink route', make(16, socket.SOCK_RAW, 0))
print('netlink upper half', make(16 | 1 << 40, socket.SOCK_RAW, 0))
others = [f for f in range(0, 50) if f not in (1, 2, 10, 16)]
print('others', {make(f, kind) for f in others for kind in (1, 2, 3, 5)})
print('others, upper half', {make(f | 1 << 40, 1) for f in (38, 40)})
print('netlink others', {make(16, 3, p) for p in range(1, 23) if p != 4})
print('pairs', make(1, 1), {call(53, f, 1, 0, 0) for f in others})
print('raw', make(2, 3, 1), make(10, 3, 58))
print('packet', attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
print('vsock', attempt(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)))
";
    assert_eq!(
        python(&room, program).await,
        "AF_UNIX ok\nAF_INET ok\nAF_INET6 ok\nnetlink route ok\nnetlink upper half ok\n\
         others {'EAFNOSUPPORT'}\nothers, upper half {'EAFNOSUPPORT'}\n\
         netlink others {'EAFNOSUPPORT'}\npairs ok {'EAFNOSUPPORT'}\nraw EPERM EPERM\n\
         packet EAFNOSUPPORT\nvsock EAFNOSUPPORT"
    );
}

/// Number, arguments, and what the filter answers. Without it none of these
/// gives that answer to an unprivileged process, which the second half shows.
const CALLS: &str = "
CALLS = {
    'ptrace': (101, 0, 0, 0, 0),
    'process_vm_readv': (310, 1, 0, 0, 0, 0, 0),
    'process_vm_writev': (311, 1, 0, 0, 0, 0, 0),
    'pidfd_getfd': (438, -1, 0, 0),
    'kcmp': (312, os.getpid(), os.getpid(), 2, 0, 0),
    'keyctl': (250, 0, -3, 0),
    'add_key': (248, 0, 0, 0, 0, 0),
    'request_key': (249, 0, 0, 0, 0),
    'io_uring_setup': (425, 0, 0),
    'io_uring_enter': (426, -1, 0, 0, 0, 0),
    'io_uring_register': (427, -1, 0, 0, 0),
    'userfaultfd': (323, 1),
    'name_to_handle_at': (303, -1, 0, 0, 0, 0),
    'memfd_secret': (447, -1),
    'open_tree_attr': (467, -1, -1, -1, -1, -1),
}
for name, arguments in CALLS.items():
    print(name, call(*arguments))
";

#[tokio::test]
async fn dangerous_system_calls_are_refused() {
    let room = quiet_room().await;
    for line in python(&room, CALLS).await.lines() {
        assert!(line.ends_with(" EPERM"), "{line}");
    }
    // The same calls by the same user without the filter.
    let base = tempfile::tempdir_in("/tmp").unwrap();
    open_to_all(base.path());
    let mut config = common::config();
    config.run_base = Some(base.path().join("run"));
    let host = Sandbox::start_on_host(config).await.unwrap();
    for line in python(&host, CALLS).await.lines() {
        assert!(!line.ends_with(" EPERM"), "{line}: this test shows nothing");
    }
}

fn open_to_all(dir: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn privileged_system_calls_are_refused_twice() {
    let room = quiet_room().await;
    // Without the filter the missing capability refuses most of these, and the
    // kernel's settings the rest.
    let program = "
CALLS = {
    'bpf': (321, 0, 0, 0), 'perf_event_open': (298, 0, 0, 0, 0, 0), 'mount': (165, 0, 0, 0, 0, 0),
    'umount2': (166, 0, 0), 'pivot_root': (155, 0, 0), 'chroot': (161, b'/'), 'setns': (308, 0, 0),
    'fsopen': (430, 0, 0), 'open_tree': (428, -100, b'/', 1), 'move_mount': (429, 0, 0, 0, 0, 0),
    'open_by_handle_at': (304, 0, 0, 0), 'init_module': (175, 0, 0, 0), 'finit_module': (313, 0, 0, 0),
    'kexec_load': (246, 0, 0, 0, 0), 'reboot': (169, 0, 0, 0, 0), 'swapon': (167, 0, 0), 'acct': (163, 0),
    'quotactl': (179, 0, 0, 0, 0), 'syslog': (103, 3, 0, 0), 'iopl': (172, 3), 'settimeofday': (164, 0, 0),
}
print({name: call(*arguments) for name, arguments in CALLS.items() if call(*arguments) != 'EPERM'})
";
    assert_eq!(python(&room, program).await, "{}");
}

#[tokio::test]
async fn no_namespace_can_be_made() {
    let room = quiet_room().await;
    let program = "
flags = {'user': 0x10000000, 'mount': 0x20000, 'pid': 0x20000000, 'net': 0x40000000,
         'ipc': 0x8000000, 'uts': 0x4000000, 'cgroup': 0x2000000, 'time': 0x80}
for name, flag in flags.items():
    # Bits above the kernel's 32 must not hide it.
    print(name, call(272, flag), call(272, flag | 1 << 33), call(56, flag | 17, 0, 0, 0, 0) if name != 'time' else '-')
print('clone3', call(435, 0, 0))
print('harmless', call(272, 0x200), call(272, 0x400))
";
    assert_eq!(
        python(&room, program).await,
        "user EPERM EPERM EPERM\nmount EPERM EPERM EPERM\npid EPERM EPERM EPERM\n\
         net EPERM EPERM EPERM\nipc EPERM EPERM EPERM\nuts EPERM EPERM EPERM\n\
         cgroup EPERM EPERM EPERM\ntime EPERM EPERM -\nclone3 ENOSYS\nharmless ok ok"
    );
    // Threads and processes can still be made.
    assert_eq!(
        python(
            &room,
            "import threading, subprocess
t = threading.Thread(target=lambda: print('thread')); t.start(); t.join()
print(subprocess.run(['echo', 'process'], capture_output=True, text=True).stdout)"
        )
        .await,
        "thread\nprocess"
    );
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn the_other_two_tables_of_system_calls_are_shut() {
    let room = quiet_room().await;
    // x32: `ptrace` has a number of its own there, `socket` the usual one.
    let program = "
for number in (0x40000000 | 521, 0x40000000 | 41, 0x40000000 | 39):
    print(call(number, 0, 0, 0, 0))
# i386, by its interrupt: ends the process whatever it asks.
import mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
pid = os.fork()
if pid == 0:
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";
    assert_eq!(python(&room, program).await, "ENOSYS\nENOSYS\nENOSYS\n-31");
}

#[tokio::test]
async fn nobody_types_into_a_terminal() {
    let room = quiet_room().await;
    let program = "
import fcntl, pty, termios
master, slave = pty.openpty()
print(attempt(lambda: fcntl.ioctl(slave, termios.TIOCSTI, b'x')))
print(attempt(lambda: fcntl.ioctl(slave, 0x541C, b'\\x03')))
print(libc.ioctl(slave, ctypes.c_ulong(0x5412 | 1 << 40), b'x'), errno.errorcode[ctypes.get_errno()])
print(attempt(lambda: open('/dev/tty', 'w')))
os.write(master, b'typed')
print(len(termios.tcgetattr(slave)))
";
    assert_eq!(
        python(&room, program).await,
        "EPERM\nEPERM\n-1 EPERM\nENXIO\n7"
    );
}

#[tokio::test]
async fn set_user_id_programs_give_nothing() {
    let room = quiet_room().await;
    let status = said(
        &room,
        "grep -E '^(Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status",
    )
    .await;
    let zero = "0000000000000000";
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(status.contains(&format!("{name}:\t{zero}")), "{status}");
    }
    assert!(
        status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"),
        "{status}"
    );
    // One of its own, and those of the system: mounted without the bit.
    let own = "cp /usr/bin/id . && chmod 6755 id && ./id -u && ./id -ru && /usr/bin/su -c id; \
               grep -E ' (/usr|/workspace|/tmp|/dev/shm|/) ' /proc/self/mountinfo | grep -vc nosuid";
    let output = sh(&room, own).await;
    assert!(
        text(&output.stdout).starts_with("1000\n1000\n"),
        "{}",
        text(&output.stdout)
    );
    assert!(
        text(&output.stdout).ends_with("0\n"),
        "{}",
        text(&output.stdout)
    );
    assert!(!text(&output.stdout).contains("uid=0"));
}

#[tokio::test]
async fn nothing_is_inherited_but_the_three_standard_descriptors() {
    // Whatever the runner has open, with or without close-on-exec.
    let file = tempfile::tempfile().unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let room = quiet_room().await;
    let program = "
import resource
# Beyond what /proc shows: ask for every number.
print([fd for fd in range(4096) if attempt(lambda: os.fstat(fd)) == 'ok'])
";
    assert_eq!(python(&room, program).await, "[0, 1, 2]");
    drop(file);
}

#[tokio::test]
async fn the_time_zone_and_the_locale_are_not_the_hosts() {
    let room = quiet_room().await;
    assert_eq!(
        said(&room, "date +%Z; locale charmap 2>/dev/null || echo UTF-8").await,
        "UTC\nUTF-8"
    );
}

#[tokio::test]
async fn init_run_by_hand_does_nothing() {
    let room = quiet_room().await;
    for arguments in [
        "", "launch", "probe", "host", "init 0", "init 99", "nonsense",
    ] {
        let output = sh(&room, &format!("/run/proctor/init {arguments}")).await;
        assert!(!output.status.success(), "{arguments}");
    }
    let by_hand = std::process::Command::new(init()).output().unwrap();
    assert_eq!(by_hand.status.code(), Some(64));
}
