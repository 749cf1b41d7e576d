//! Rooms without walls: the same surface over a directory of the host.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use common::{config, eventually, is_root, processes_with, said, sh, text, unique_nap};
use proctor_sandbox::{
    CollectCaps, ConfigError, ExecRequest, Exit, GuestFile, Isolation, ReadOnlyBind, Sandbox,
    SandboxConfig, SandboxError,
};

struct Host {
    base: tempfile::TempDir,
    config: SandboxConfig,
}

fn host() -> Host {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(base.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = config();
    config.run_base = Some(base.path().to_owned());
    Host { base, config }
}

#[tokio::test]
async fn it_works_like_a_room_and_says_that_it_is_none() {
    let mut host = host();
    host.config.env = vec![("HTTPS_PROXY".into(), "http://127.0.0.1:9".into())];
    host.config.files = vec![GuestFile {
        path: "/opt/proctor/bin/tool".into(),
        bytes: b"#!/bin/sh\necho tool ran\n".to_vec(),
        executable: true,
    }];
    host.config.binds = vec![ReadOnlyBind {
        source: "/usr/bin/env".into(),
        target: "/opt/proctor/bin/show".into(),
    }];
    let room = Sandbox::start_on_host(host.config.clone()).await.unwrap();
    assert_eq!(room.isolation(), Isolation::None);
    room.workspace().seed("a/in", b"seeded", 0o644).unwrap();
    assert_eq!(
        said(&room, "tool; cat a/in; echo out > a/out; pwd").await,
        format!("tool ran\nseeded{}", room.guest_path("/workspace"))
    );
    let environment = said(&room, "show").await;
    let names: Vec<_> = environment
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    assert!(
        environment.contains("HTTPS_PROXY=http://127.0.0.1:9"),
        "{environment}"
    );
    assert!(!names.contains(&"CARGO_MANIFEST_DIR"), "{environment}");
    assert_eq!(
        said(&room, "cat $SSL_CERT_FILE | grep -c room; cd; pwd").await,
        format!("1\n{}", room.guest_path("/home/agent"))
    );
    if is_root() {
        assert_eq!(
            said(&room, "id -u; id -g; id -G").await,
            "64321\n64321\n64321"
        );
        assert!(
            said(&room, "cat /proc/self/status")
                .await
                .contains("CapEff:\t0000000000000000")
        );
    }
    let stopped = room.stop().await.unwrap();
    let mut kept = Vec::new();
    stopped
        .workspace
        .collect(&CollectCaps::default(), &mut |path, _| {
            kept.push(path.to_owned());
            Ok(())
        })
        .unwrap();
    assert_eq!(kept, ["a/in", "a/out"]);
    drop(stopped);
    assert_eq!(std::fs::read_dir(host.base.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn the_time_limit_ends_the_whole_tree() {
    let host = host();
    let room = Sandbox::start_on_host(host.config).await.unwrap();
    let nap = unique_nap();
    let line = format!(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep {nap} & sleep {nap}' & \
         (setsid sleep {nap} &); echo up; sleep {nap}"
    );
    let mut running = room
        .stream(ExecRequest::shell(line).timeout(Duration::from_secs(2)))
        .await
        .unwrap();
    running.next().await.unwrap();
    eventually("the tree is up", || processes_with(&nap).len() >= 4).await;
    let outcome = running.finish().await.unwrap();
    assert!(outcome.timed_out);
    assert_eq!(outcome.status, Exit::Signal(9));
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
    assert_eq!(said(&room, "echo again").await, "again");
}

#[tokio::test]
async fn stopping_ends_what_runs_in_the_background() {
    let host = host();
    let room = Sandbox::start_on_host(host.config).await.unwrap();
    let nap = unique_nap();
    sh(
        &room,
        &format!("setsid sleep {nap} >/dev/null 2>&1 & (setsid sleep {nap} >/dev/null 2>&1 &)"),
    )
    .await;
    eventually("the sleepers are up", || processes_with(&nap).len() == 2).await;
    room.stop().await.unwrap();
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
}

#[tokio::test]
async fn a_tool_that_only_root_can_reach_is_copied() {
    if !is_root() {
        return;
    }
    let closed = tempfile::tempdir().unwrap();
    std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let tool = closed.path().join("tool");
    std::fs::write(&tool, "#!/bin/sh\necho copied\n").unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o700)).unwrap();
    let mut host = host();
    host.config.binds = vec![ReadOnlyBind {
        source: tool,
        target: "/opt/proctor/bin/tool".into(),
    }];
    let room = Sandbox::start_on_host(host.config.clone()).await.unwrap();
    assert_eq!(said(&room, "tool").await, "copied");
    host.config.binds[0].source = closed.path().to_owned();
    let error = Sandbox::start_on_host(host.config).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::Config(ConfigError::OnHost(_))),
        "{error}"
    );
}

#[tokio::test]
async fn what_needs_namespaces_is_refused() {
    let Host { base, config } = host();
    for config in [
        SandboxConfig {
            run_base: None,
            ..config.clone()
        },
        SandboxConfig {
            ports: vec![8443],
            ..config.clone()
        },
    ] {
        let error = Sandbox::start_on_host(config).await.unwrap_err();
        assert!(
            matches!(error, SandboxError::Config(ConfigError::OnHost(_))),
            "{error}"
        );
    }
    if is_root() {
        std::fs::set_permissions(base.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let error = Sandbox::start_on_host(config).await.unwrap_err();
        assert!(
            text(error.to_string().as_bytes()).contains("may not enter"),
            "{error}"
        );
    }
}
