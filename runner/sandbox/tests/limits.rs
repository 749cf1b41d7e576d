//! What an agent uses up stays inside its room.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{
    PATIENCE, config, eventually, processes_with, python, quiet_room, said, sh, text, unique_nap,
};
use proctor_sandbox::{ExecRequest, Exit, Limits, Sandbox};

async fn room_with(limits: Limits) -> Sandbox {
    let mut config = config();
    config.limits = limits;
    Sandbox::start(config).await.unwrap().0
}

#[tokio::test]
async fn a_full_workspace_is_the_agents_own_problem() {
    let room = room_with(Limits {
        workspace_bytes: 1 << 20,
        ..Limits::default()
    })
    .await;
    let output = sh(&room, "head -c 5000000 /dev/zero > big; wc -c < big").await;
    assert!(
        text(&output.stderr).contains("No space left on device"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(text(&output.stdout).trim(), "1048576");
    // Other places have room of their own, and seeding says what is wrong.
    said(&room, "head -c 5000000 /dev/zero > /tmp/big").await;
    let error = room
        .workspace()
        .seed("more", &[0; 8192], 0o644)
        .unwrap_err();
    assert!(error.to_string().contains("workspace is full"), "{error}");
    said(&room, "rm big; echo ok > note").await;
}

#[tokio::test]
async fn every_place_that_can_be_written_has_a_size_and_a_number_of_files() {
    let room = room_with(Limits {
        workspace_bytes: 2 << 20,
        workspace_entries: 100,
        scratch_bytes: 1 << 20,
        scratch_entries: 50,
        ..Limits::default()
    })
    .await;
    let sizes = said(
        &room,
        "df -k --output=size,itotal,target /workspace /tmp /home /dev/shm | tail -n +2",
    )
    .await;
    let mut rows: Vec<Vec<&str>> = sizes
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    rows.sort();
    assert_eq!(
        rows,
        [
            vec!["1024", "50", "/dev/shm"],
            vec!["1024", "50", "/home"],
            vec!["1024", "50", "/tmp"],
            vec!["2048", "100", "/workspace"],
        ]
    );
    for place in ["/workspace", "/tmp", "/home/agent", "/dev/shm", "/var/tmp"] {
        let output = sh(
            &room,
            &format!("cd {place} && for i in $(seq 200); do : > $i || exit 3; done"),
        )
        .await;
        assert_eq!(
            output.status,
            Exit::Code(2),
            "{place}: {}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stderr).contains("No space left"),
            "{}",
            text(&output.stderr)
        );
    }
    // There is nowhere else to put anything.
    let mounts = said(
        &room,
        "awk '$6 ~ /^rw/ {print $5}' /proc/self/mountinfo | sort | xargs",
    )
    .await;
    let places = "/dev/full /dev/null /dev/pts /dev/random /dev/shm /dev/tty /dev/urandom /dev/zero \
                  /home /proc /tmp /workspace";
    assert_eq!(mounts, places);
}

#[tokio::test]
async fn a_fork_bomb_stays_in_its_room_and_ends_with_its_time() {
    let room = room_with(Limits {
        processes: 60,
        ..Limits::default()
    })
    .await;
    let neighbour = room_with(Limits {
        processes: 60,
        ..Limits::default()
    })
    .await;
    let nap = unique_nap();
    let bomb = format!("trap '' TERM; while :; do (setsid sleep {nap} &) 2>/dev/null; done");
    let bomb = ExecRequest::shell(bomb).timeout(std::time::Duration::from_secs(3));
    let bomb = room.stream(bomb).await.unwrap();
    // The limit is met, and not passed.
    eventually("the bomb went off", || processes_with(&nap).len() >= 50).await;
    assert!(processes_with(&nap).len() <= 60);
    // The same user in another room is not affected.
    assert_eq!(
        said(
            &neighbour,
            "for i in 1 2 3 4 5 6 7 8; do sleep 0.01 & done; wait; echo fine"
        )
        .await,
        "fine"
    );
    let outcome = bomb.finish().await.unwrap();
    assert!(
        outcome.timed_out || !outcome.status.success(),
        "{outcome:?}"
    );
    room.kill_all().await.unwrap();
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
    assert_eq!(said(&room, "echo alive").await, "alive");
}

#[tokio::test]
async fn one_process_gets_no_more_memory_than_its_limit() {
    let room = room_with(Limits {
        memory_bytes: Some(300 << 20),
        ..Limits::default()
    })
    .await;
    let program = "
def take(size):
    try:
        bytearray(size)
        return 'ok'
    except MemoryError:
        return 'refused'
print(take(100 << 20), take(400 << 20))
";
    assert_eq!(python(&room, program).await, "ok refused");
    // Address space alone is not memory: what Go, Node and the JVM reserve.
    let reserve = "
import mmap
m = mmap.mmap(-1, 64 << 30, prot=0, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
print('reserved')
";
    assert_eq!(python(&room, reserve).await, "reserved");
}

#[tokio::test]
async fn node_runs_under_the_default_limits() {
    if !std::path::Path::new("/usr/bin/node").exists() {
        return;
    }
    let room = quiet_room().await;
    let request = ExecRequest::new([
        "/usr/bin/node",
        "-e",
        "console.log([1,2,3].map(x => x*x).join())",
    ]);
    let output = room.exec(request.timeout(PATIENCE)).await.unwrap();
    assert_eq!(text(&output.stdout), "1,4,9\n", "{}", text(&output.stderr));
}

#[tokio::test]
async fn limits_are_hard_and_no_core_is_dumped() {
    let room = room_with(Limits {
        open_files: 64,
        file_bytes: Some(1 << 20),
        ..Limits::default()
    })
    .await;
    let program = "
import resource
for name in ('NPROC', 'NOFILE', 'FSIZE', 'DATA', 'CORE'):
    kind = getattr(resource, 'RLIMIT_' + name)
    soft, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (hard + 1, hard + 1))
        raised = 'raised'
    except ValueError:
        raised = 'refused'
    print(name, soft, hard, raised)
";
    assert_eq!(
        python(&room, program).await,
        "NPROC 512 512 refused\nNOFILE 64 64 refused\nFSIZE 1048576 1048576 refused\n\
         DATA 4294967296 4294967296 refused\nCORE 1 1 refused"
    );
    let output = sh(&room, "sh -c 'kill -SEGV $$'; truncate -s 2M big; ls -A").await;
    assert!(
        text(&output.stderr).contains("File size limit exceeded"),
        "{}",
        text(&output.stderr)
    );
    // The size that was refused, and no core file beside it.
    assert_eq!(text(&output.stdout), "big\n");
}

#[tokio::test]
async fn the_kernel_would_rather_end_the_agent_than_the_runner() {
    let room = quiet_room().await;
    assert_eq!(said(&room, "cat /proc/self/oom_score_adj").await, "800");
}
