//! Commands in a room: what they get, what comes back, and how they end.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::time::Duration;

use common::{
    PATIENCE, eventually, processes_with, python, quiet_room, said, sh, text, unique_nap,
};
use proctor_sandbox::{ExecRequest, ExecStep, Exit, Sandbox, SandboxError, Stream};

#[tokio::test]
async fn output_status_and_input_arrive_apart() {
    let room = quiet_room().await;
    let mut request = ExecRequest::shell("cat; echo oops >&2; exit 7");
    request.stdin = Some(b"from outside".to_vec());
    let output = room.exec(request).await.unwrap();
    assert_eq!(output.status, Exit::Code(7));
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("from outside".into(), "oops\n".into())
    );
    assert!(!output.truncated && !output.timed_out);
    let killed = sh(&room, "kill -SEGV $$").await;
    assert_eq!(
        (killed.status, killed.status.shell_code()),
        (Exit::Signal(11), 139)
    );
    // Nothing on standard input reads as its end.
    assert_eq!(
        said(&room, "cat; readlink /proc/self/fd/0").await,
        "/dev/null"
    );
}

#[tokio::test]
async fn input_that_nobody_reads_does_not_hang() {
    let room = quiet_room().await;
    let mut request = ExecRequest::shell("true");
    request.stdin = Some(vec![b'x'; 4 << 20]);
    assert!(room.exec(request).await.unwrap().status.success());
}

#[tokio::test]
async fn the_environment_is_made_from_nothing() {
    let mut config = common::config();
    config.env = vec![("GOOGLE_WORKSPACE_CLI_TOKEN".into(), "token".into())];
    let (room, _sockets) = Sandbox::start(config).await.unwrap();
    let mut request = ExecRequest::new(["/usr/bin/env"]);
    request.env = vec![("STEP".into(), "2".into()), ("LANG".into(), "C".into())];
    let output = text(&room.exec(request).await.unwrap().stdout);
    let mut lines: Vec<_> = output.lines().collect();
    lines.sort_unstable();
    let bundle = "/etc/ssl/certs/ca-certificates.crt";
    let mut expected = vec![
        "GOOGLE_WORKSPACE_CLI_TOKEN=token".to_owned(),
        "HOME=/home/agent".to_owned(),
        "LANG=C".to_owned(),
        "LOGNAME=agent".to_owned(),
        "PATH=/opt/proctor/bin:/usr/local/bin:/usr/bin:/bin".to_owned(),
        "STEP=2".to_owned(),
        "TMPDIR=/tmp".to_owned(),
        "USER=agent".to_owned(),
    ];
    for name in [
        "AWS_CA_BUNDLE",
        "CARGO_HTTP_CAINFO",
        "CURL_CA_BUNDLE",
        "DENO_CERT",
        "GIT_SSL_CAINFO",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        "HTTPLIB2_CA_CERTS",
        "NODE_EXTRA_CA_CERTS",
        "PIP_CERT",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
        "npm_config_cafile",
    ] {
        expected.push(format!("{name}={bundle}"));
    }
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert!(said(&room, &format!("cat {bundle}")).await.contains("room"));
    assert_eq!(
        said(&room, "id -un; id -u; id -g; hostname; pwd; cd; pwd").await,
        "agent\n1000\n1000\ntask\n/workspace\n/home/agent"
    );
}

#[tokio::test]
async fn the_runners_umask_does_not_show() {
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let room = quiet_room().await;
    assert_eq!(
        said(&room, "umask; touch a; mkdir b; stat -c %a . a b /tmp").await,
        "0022\n755\n644\n755\n1777"
    );
    rustix::process::umask(before);
}

#[tokio::test]
async fn programs_are_found_as_a_shell_finds_them() {
    let room = quiet_room().await;
    let found = room.exec(ExecRequest::new(["env", "true"])).await.unwrap();
    assert!(found.status.success());
    for (program, expected) in [
        ("no-such-program", std::io::ErrorKind::NotFound),
        ("/workspace/none", std::io::ErrorKind::NotFound),
        ("/etc/passwd", std::io::ErrorKind::PermissionDenied),
    ] {
        let Err(SandboxError::Exec {
            program: named,
            step,
            source,
        }) = room.exec(ExecRequest::new([program])).await
        else {
            panic!("{program} ran")
        };
        assert_eq!(
            (named.as_str(), step, source.kind()),
            (program, ExecStep::Exec, expected)
        );
    }
    let mut request = ExecRequest::new(["true"]);
    request.cwd = Some("/nowhere".into());
    let error = room.exec(request).await.unwrap_err();
    assert!(
        matches!(
            error,
            SandboxError::Exec {
                step: ExecStep::Directory,
                ..
            }
        ),
        "{error}"
    );
    for argv in [vec![], vec!["a\0b".to_owned()]] {
        let error = room.exec(ExecRequest::new(argv)).await.unwrap_err();
        assert!(matches!(error, SandboxError::Request(_)), "{error}");
    }
    // The room is none the worse for it.
    assert_eq!(said(&room, "echo still here").await, "still here");
}

#[tokio::test]
async fn a_command_larger_than_a_socket_buffer_arrives_whole() {
    let room = quiet_room().await;
    let long = "x".repeat(120_000);
    let mut request =
        ExecRequest::new(["/bin/sh", "-c", "echo ${#0} ${#1} ${#LONG}", &long, &long]);
    request.env = vec![("LONG".into(), long.clone())];
    let output = room.exec(request).await.unwrap();
    assert_eq!(text(&output.stdout), "120000 120000 120000\n");
    let error = room
        .exec(ExecRequest::new(["true", &"x".repeat(4 << 20)]))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            SandboxError::Exec {
                step: ExecStep::Exec,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn output_beyond_the_cap_is_counted_and_not_kept() {
    let room = quiet_room().await;
    let mut request = ExecRequest::shell("head -c 5000000 /dev/zero; head -c 10 /dev/zero >&2");
    request.output_cap_bytes = 1000;
    let output = room.exec(request).await.unwrap();
    assert_eq!(
        (output.stdout.len(), output.stdout_bytes),
        (1000, 5_000_000)
    );
    assert_eq!((output.stderr.len(), output.stderr_bytes), (10, 10));
    assert!(output.truncated);
    let mut exact = ExecRequest::shell("head -c 1000 /dev/zero");
    exact.output_cap_bytes = 1000;
    assert!(!room.exec(exact).await.unwrap().truncated);
}

#[tokio::test]
async fn outputs_can_be_opened_by_name_and_are_pipes() {
    let room = quiet_room().await;
    let output = sh(
        &room,
        "echo out > /dev/stdout; echo err > /dev/stderr; stat -Lc %F /dev/fd/1",
    )
    .await;
    assert_eq!(text(&output.stdout), "out\nfifo\n");
    assert_eq!(text(&output.stderr), "err\n");
}

/// Everything a process can do to survive: a session of its own, a double
/// fork, every signal ignored.
const STUBBORN: &str = "
    trap '' TERM INT HUP QUIT
    setsid sh -c \"trap '' TERM INT HUP QUIT; sleep NAP & (setsid sleep NAP &) ; wait\" &
    nohup sleep NAP &
    sleep NAP
";

#[tokio::test]
async fn the_time_limit_kills_the_whole_tree_and_the_room_goes_on() {
    let room = quiet_room().await;
    let nap = unique_nap();
    // The limit starts once all of them run.
    let mut running = room
        .stream(
            ExecRequest::shell(format!("echo up; {}", STUBBORN.replace("NAP", &nap)))
                .timeout(Duration::from_secs(2)),
        )
        .await
        .unwrap();
    assert_eq!(&running.next().await.unwrap().bytes[..], b"up\n");
    eventually("the tree is up", || processes_with(&nap).len() >= 4).await;
    let outcome = running.finish().await.unwrap();
    assert!(outcome.timed_out);
    assert_eq!(outcome.status, Exit::Signal(9));
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
    // Init and the shell that asks; no zombies either.
    assert_eq!(said(&room, "set -- /proc/[0-9]*; echo $#").await, "2");
    room.stop().await.unwrap();
}

#[tokio::test]
async fn kill_all_ends_what_earlier_steps_left_and_later_steps_run() {
    let room = quiet_room().await;
    let nap = unique_nap();
    sh(
        &room,
        &format!("setsid sleep {nap} >/dev/null 2>&1 & echo kept > note"),
    )
    .await;
    eventually("the sleeper is up", || processes_with(&nap).len() == 1).await;
    room.kill_all().await.unwrap();
    assert_eq!(processes_with(&nap), Vec::<u32>::new());
    room.kill_all().await.unwrap();
    assert_eq!(said(&room, "cat note").await, "kept");
}

#[tokio::test]
async fn a_background_process_that_holds_the_pipe_does_not_hang_the_step() {
    let room = quiet_room().await;
    let output = sh(&room, "(while sleep 0.01; do echo noise; done) & echo done").await;
    assert_eq!(output.status, Exit::Code(0));
    assert!(text(&output.stdout).contains("done\n"));
    // It was not killed by a closed pipe.
    assert_eq!(
        said(
            &room,
            "pgrep -f '[w]hile sleep 0.01' > /dev/null && echo alive"
        )
        .await,
        "alive"
    );
}

#[tokio::test]
async fn what_was_written_before_the_end_is_delivered_to_a_slow_reader() {
    let room = quiet_room().await;
    let mut running = room
        .stream(ExecRequest::shell(
            "head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2",
        ))
        .await
        .unwrap();
    eventually("the command is over", || {
        processes_with("head -c 60000").is_empty()
    })
    .await;
    let (mut out, mut err) = (0, 0);
    while let Some(chunk) = running.next().await {
        match chunk.stream {
            Stream::Stdout => out += chunk.bytes.len(),
            Stream::Stderr => err += chunk.bytes.len(),
        }
    }
    assert_eq!((out, err), (60000, 60000));
    assert!(running.finish().await.unwrap().status.success());
}

#[tokio::test]
async fn a_stream_arrives_while_the_command_runs_and_makes_it_wait() {
    let room = quiet_room().await;
    sh(&room, "mkfifo gate").await;
    let mut running = room
        .stream(ExecRequest::shell("echo first; cat gate"))
        .await
        .unwrap();
    assert_eq!(&running.next().await.unwrap().bytes[..], b"first\n");
    sh(&room, "echo second > gate").await;
    assert_eq!(&running.next().await.unwrap().bytes[..], b"second\n");
    assert!(running.next().await.is_none());
    assert!(running.finish().await.unwrap().status.success());
    // 16 chunks and a pipe are the most that is under way; the rest waits.
    let flood = ExecRequest {
        output_cap_bytes: usize::MAX,
        ..ExecRequest::shell("yes; :")
    };
    let mut running = room.stream(flood.timeout(PATIENCE)).await.unwrap();
    for _ in 0..100 {
        assert!(!running.next().await.unwrap().bytes.is_empty());
    }
    room.kill_all().await.unwrap();
    assert_eq!(running.finish().await.unwrap().status, Exit::Signal(9));
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_side_by_side() {
    let room = std::sync::Arc::new(quiet_room().await);
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let room = room.clone();
            tokio::spawn(async move {
                said(&room, &format!("echo {number} > {number}; cat {number}")).await
            })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), number.to_string());
    }
}

#[tokio::test]
async fn commands_start_with_default_signals_and_a_session_of_their_own() {
    let room = quiet_room().await;
    let status = said(&room, "grep -E '^Sig(Blk|Ign)' /proc/self/status").await;
    for line in status.lines() {
        assert!(line.ends_with("0000000000000000"), "{line}");
    }
    assert_eq!(
        python(&room, "print(os.getsid(0) == os.getpid())").await,
        "True"
    );
}

#[tokio::test]
async fn a_room_that_is_gone_says_so() {
    let room = quiet_room().await;
    let link = room
        .stream(ExecRequest::shell("sleep 600").timeout(PATIENCE))
        .await
        .unwrap();
    room.stop().await.unwrap();
    assert!(matches!(link.finish().await, Err(SandboxError::Gone)));
}
