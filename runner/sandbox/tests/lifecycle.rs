//! Rooms and runners that come and go: nothing is left, whoever dies first.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{
    PATIENCE, config, eventually, init, is_root, processes_with, quiet_room, said, text, unique_nap,
};
use proctor_sandbox::{
    ExecRequest, Identity, ReadOnlyBind, Sandbox, SandboxConfig, SandboxError, leftovers, sweep,
};

/// Taken by every test that opens rooms in this process, so that others can
/// say whose children are whose. Nextest gives each test its own process.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Processes whose parent is `parent`, zombies included.
fn children_of(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if let Some((_, rest)) = stat.rsplit_once(") ")
            && rest.split(' ').nth(1) == Some(parent.to_string().as_str())
        {
            found.push(entry.file_name().to_str().unwrap().parse().unwrap());
        }
    }
    found
}

fn children() -> Vec<u32> {
    children_of(std::process::id())
}

#[tokio::test]
async fn a_stopped_room_leaves_no_process_and_no_zombie() {
    let _alone = ALONE.lock().await;
    let room = quiet_room().await;
    let nap = unique_nap();
    let line = format!("setsid sleep {nap} & (setsid sleep {nap} &); echo up; wait");
    let mut running = room
        .stream(ExecRequest::shell(line).timeout(PATIENCE))
        .await
        .unwrap();
    running.next().await.unwrap();
    eventually("the sleepers are up", || processes_with(&nap).len() >= 2).await;
    // The helper that bound the sockets is gone already, and reaped.
    let bwrap = children();
    assert_eq!(bwrap.len(), 1);
    eventually("bubblewrap has one child", || {
        children_of(bwrap[0]).len() == 1
    })
    .await;
    room.stop().await.unwrap();
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
    assert_eq!(children(), Vec::<u32>::new());
}

#[tokio::test]
async fn a_dropped_room_and_an_abandoned_start_leave_nothing() {
    let _alone = ALONE.lock().await;
    let nap = unique_nap();
    let room = quiet_room().await;
    let mut running = room
        .stream(ExecRequest::shell(format!("echo up; sleep {nap}")).timeout(PATIENCE))
        .await
        .unwrap();
    running.next().await.unwrap();
    drop(room);
    eventually("the sleeper is gone", || processes_with(&nap).is_empty()).await;
    for _ in 0..10 {
        let starting = Sandbox::start(config());
        // Polled until it waits for the first time, and dropped.
        let _ = tokio::time::timeout(std::time::Duration::ZERO, starting).await;
    }
    eventually("no process is left", || children().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_rooms_at_once() {
    let _alone = ALONE.lock().await;
    let rooms: Vec<_> = (0..40)
        .map(|number| {
            tokio::spawn(async move {
                let room = quiet_room().await;
                let said = said(&room, &format!("echo {number} > n; cat n; ls | wc -l")).await;
                assert_eq!(said, format!("{number}\n1"));
                room.stop().await.unwrap();
            })
        })
        .collect();
    for room in rooms {
        room.await.unwrap();
    }
    assert_eq!(children(), Vec::<u32>::new());
}

/// The thread that opens a room may end long before the room does, as those of
/// an async runtime do.
#[test]
fn a_room_outlives_the_runtime_that_opened_it() {
    let _alone = ALONE.blocking_lock();
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let room = std::thread::spawn(move || runtime().block_on(quiet_room()))
        .join()
        .unwrap();
    let said = runtime().block_on(async { said(&room, "echo alive").await });
    assert_eq!(said, "alive");
}

#[tokio::test]
async fn when_init_dies_the_room_says_that_it_is_gone() {
    let _alone = ALONE.lock().await;
    let room = quiet_room().await;
    let running = room
        .stream(ExecRequest::shell("sleep 600").timeout(PATIENCE))
        .await
        .unwrap();
    let inits = inits();
    assert_eq!(inits.len(), 1);
    Command::new("kill")
        .args(["-9", &inits[0].to_string()])
        .status()
        .unwrap();
    assert!(matches!(running.finish().await, Err(SandboxError::Gone)));
    let error = room.exec(ExecRequest::shell("true")).await.unwrap_err();
    assert!(matches!(error, SandboxError::Gone), "{error}");
    assert!(matches!(room.kill_all().await, Err(SandboxError::Gone)));
    // What was in the workspace is still there.
    assert!(
        room.stop()
            .await
            .unwrap()
            .workspace
            .seed("x", b"", 0o644)
            .is_ok()
    );
}

/// The inits of the rooms of this process.
fn inits() -> Vec<u32> {
    let mut found = processes_with("/run/proctor/init");
    found.retain(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        text(&line).starts_with("/run/proctor/init") && is_descendant(*pid)
    });
    found
}

/// The filter refuses nested namespaces to commands; the kernel refuses them to
/// everything in the room, filtered or not.
#[tokio::test]
async fn not_even_init_can_make_a_user_namespace() {
    let _alone = ALONE.lock().await;
    if !is_root() {
        return;
    }
    let _room = quiet_room().await;
    let init = inits()[0].to_string();
    let output = Command::new("nsenter")
        .args(["--target", &init, "--user", "--preserve-credentials"])
        .args(["unshare", "--user", "true"])
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("No space left on device"), "{said}");
}

fn is_descendant(mut pid: u32) -> bool {
    while pid > 1 {
        if pid == std::process::id() {
            return true;
        }
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        pid = parent.unwrap_or(0);
    }
    false
}

/// Runs one of the tests below that are marked as runners in a process of its
/// own, with nothing of this one's environment but `env`.
fn runner(program: &Path, name: &str, env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command
        .args([name, "--exact", "--ignored", "--nocapture"])
        .env_clear();
    command
        .envs(env.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    command
}

/// Reads what a runner prints until it says that it is up.
fn await_up(child: &mut Child) {
    // Not taken: what it prints later must find somebody who listens.
    let out = BufReader::new(child.stdout.as_mut().unwrap());
    let up = out
        .lines()
        .map_while(Result::ok)
        .any(|line| line.ends_with("UP"));
    assert!(up, "the runner ended early");
}

#[tokio::test]
#[ignore = "a runner: other tests start and kill it"]
async fn runner_with_a_busy_room() {
    let nap = std::env::var("NAP").unwrap();
    let base = std::env::var("BASE").unwrap();
    let mut config = config();
    config.run_base = Some(base.into());
    let room = match std::env::var("ISOLATION").as_deref() {
        Ok("none") => Sandbox::start_on_host(config).await.unwrap(),
        _ => Sandbox::start(config).await.unwrap().0,
    };
    let line = format!(
        "trap '' TERM HUP; setsid sleep {nap} & (setsid sh -c 'sleep {nap}' &); echo x > note; echo up; sleep {nap}"
    );
    let mut running = room
        .stream(ExecRequest::shell(line).timeout(PATIENCE))
        .await
        .unwrap();
    running.next().await.unwrap();
    println!("UP");
    std::future::pending::<()>().await;
}

async fn kill_a_runner(isolation: &str, has_files: bool) {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(base.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let nap = unique_nap();
    let own = std::env::current_exe().unwrap();
    let env = [
        ("NAP", nap.as_str()),
        ("BASE", base.path().to_str().unwrap()),
        ("ISOLATION", isolation),
    ];
    let mut child = runner(&own, "runner_with_a_busy_room", &env)
        .spawn()
        .unwrap();
    await_up(&mut child);
    eventually("the sleepers are up", || processes_with(&nap).len() >= 3).await;
    assert!(
        leftovers(base.path()).unwrap().is_empty(),
        "the runner is alive"
    );

    child.kill().unwrap();
    child.wait().unwrap();
    eventually("everything died with its runner", || {
        processes_with(&nap).is_empty()
    })
    .await;
    // The next run says what it found, and puts it away.
    let found = leftovers(base.path()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].runner, found[0].has_files),
        (child.id(), has_files)
    );
    sweep(&found).unwrap();
    assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn everything_dies_with_a_killed_runner() {
    kill_a_runner("namespaces", false).await;
}

#[tokio::test]
async fn everything_dies_with_a_killed_runner_on_the_host_too() {
    kill_a_runner("none", true).await;
}

#[tokio::test]
#[ignore = "a runner: another test starts it as an unprivileged user"]
async fn runner_without_privileges() {
    assert!(!is_root());
    let (room, sockets) = Sandbox::start(config()).await.unwrap();
    room.workspace().seed("a/in", b"seeded", 0o640).unwrap();
    assert_eq!(
        said(&room, "id -u; cat a/in; stat -c %u:%g:%a a/in").await,
        "1000\nseeded1000:1000:640"
    );
    said(
        &room,
        "mkdir closed; echo x > closed/f; chmod 000 closed/f closed",
    )
    .await;
    let https = tokio::net::TcpListener::from_std(sockets.https).unwrap();
    let connect = "import socket; socket.create_connection(('198.51.100.4', 443), 5)";
    let output = room
        .exec(ExecRequest::new(["/usr/bin/python3", "-c", connect]))
        .await
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (stream, _) = https.accept().await.unwrap();
    assert_eq!(stream.local_addr().unwrap().to_string(), "198.51.100.4:443");
    said(&room, "chmod 000 .").await;
    let stopped = room.stop().await.unwrap();
    let mut kept = Vec::new();
    let listing = stopped
        .workspace
        .collect(
            &proctor_sandbox::CollectCaps::default(),
            &mut |path, content| {
                kept.push(path.to_owned());
                content.read_to_end(&mut Vec::new()).map(drop)
            },
        )
        .unwrap();
    assert_eq!(kept, ["a/in", "closed/f"]);
    assert!(
        listing.entries.iter().all(|entry| entry.refused.is_none()),
        "{listing:?}"
    );
    println!("UP");
}

/// This test's program and init where everybody can run them.
fn public_copies() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (own, copy) = (std::env::current_exe().unwrap(), dir.path().join("runner"));
    let init_copy = dir.path().join("proctor-init");
    std::fs::copy(own, &copy).unwrap();
    std::fs::copy(init(), &init_copy).unwrap();
    (dir, copy, init_copy)
}

#[test]
fn an_ordinary_user_can_open_rooms() {
    if !is_root() {
        // Every other test shows it.
        return;
    }
    let (_dir, program, init) = public_copies();
    let env = [("PROCTOR_TEST_INIT", init.to_str().unwrap())];
    let mut command = runner(&program, "runner_without_privileges", &env);
    // As root, the standard library drops all other groups with this.
    let mut child = command.uid(64555).gid(64555).spawn().unwrap();
    await_up(&mut child);
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn a_root_runner_drops_to_the_rooms_identity() {
    let _alone = ALONE.lock().await;
    if !is_root() {
        return;
    }
    let nap = unique_nap();
    let mut config = config();
    config.identity = Identity {
        uid: 64777,
        gid: 64778,
    };
    let (room, _sockets) = Sandbox::start(config).await.unwrap();
    let running = room
        .stream(ExecRequest::new(["sleep", &nap]).timeout(PATIENCE))
        .await
        .unwrap();
    let pids = processes_with(&nap);
    let status = std::fs::read_to_string(format!("/proc/{}/status", pids[0])).unwrap();
    assert!(
        status.contains("Uid:\t64777\t64777\t64777\t64777"),
        "{status}"
    );
    assert!(
        status.contains("Gid:\t64778\t64778\t64778\t64778"),
        "{status}"
    );
    assert!(status.contains("Groups:\t \n"), "{status}");
    // bubblewrap and init as well: no process of the room is root.
    for pid in processes_with("/run/proctor/init")
        .into_iter()
        .filter(|pid| is_descendant(*pid))
    {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.contains("Uid:\t64777"), "{status}");
    }
    drop(running);
}

#[tokio::test]
async fn host_paths_that_only_root_can_reach_are_made_reachable() {
    let _alone = ALONE.lock().await;
    if !is_root() {
        return;
    }
    // A tool in a closed directory, like one below /root.
    let closed = tempfile::tempdir().unwrap();
    std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let tool = closed.path().join("tool");
    std::fs::write(&tool, "#!/bin/sh\necho tool ran\n").unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(closed.path().join("install")).unwrap();
    std::fs::write(closed.path().join("install/data"), "data").unwrap();
    std::fs::write(closed.path().join("other"), "not asked for").unwrap();

    let bind = |name: &str, target: &str| ReadOnlyBind {
        source: closed.path().join(name),
        target: target.into(),
    };
    let mut config = config();
    config.binds = vec![
        bind("tool", "/opt/proctor/bin/tool"),
        bind("install", "/root/agent/install"),
    ];
    let before = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let (room, _sockets) = Sandbox::start(config.clone()).await.unwrap();
    assert_eq!(
        said(&room, "tool; cat /root/agent/install/data").await,
        "tool ran\ndata"
    );
    let write = "echo x > /root/agent/install/data 2>/dev/null; echo x > /opt/proctor/bin/tool 2>/dev/null; ls /root/agent";
    assert_eq!(said(&room, write).await, "install");
    assert_eq!(
        std::fs::read_to_string("/proc/self/mountinfo").unwrap(),
        before,
        "the host's mounts"
    );
    drop(room);

    // Reached, but not readable by the room's user: said before anything runs.
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o700)).unwrap();
    let error = Sandbox::start(config).await.unwrap_err().to_string();
    assert!(
        error.contains(tool.to_str().unwrap()) && error.contains("as the room's user"),
        "{error}"
    );
}

#[tokio::test]
async fn a_run_directory_exists_as_long_as_its_room() {
    let _alone = ALONE.lock().await;
    let base = tempfile::tempdir().unwrap();
    let mut config = SandboxConfig::new(init(), "");
    config.run_base = Some(base.path().join("rooms"));
    let (room, _sockets) = Sandbox::start(config).await.unwrap();
    let count = || {
        std::fs::read_dir(base.path().join("rooms"))
            .unwrap()
            .count()
    };
    assert_eq!(count(), 1);
    assert!(leftovers(&base.path().join("rooms")).unwrap().is_empty());
    drop(room.stop().await.unwrap());
    assert_eq!(count(), 0);
}
