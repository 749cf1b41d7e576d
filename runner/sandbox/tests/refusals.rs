//! Machines and configurations without rooms: what the runner says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::process::Command;

use common::{config, init, is_root, quiet_room, said};
use proctor_sandbox::{
    ConfigError, Identity, ReadOnlyBind, Sandbox, SandboxError, Stage, Unsupported, probe,
};

#[test]
fn this_machine_passes_the_probe() {
    probe(&config()).unwrap();
}

#[tokio::test]
async fn a_missing_bubblewrap_is_named_with_its_package() {
    let mut config = config();
    config.bwrap = Some("/nowhere/bwrap".into());
    for error in [
        probe(&config).unwrap_err(),
        Sandbox::start(config).await.unwrap_err(),
    ] {
        assert!(matches!(
            error,
            SandboxError::Unsupported(Unsupported::BubblewrapMissing { .. })
        ));
        assert!(
            error
                .to_string()
                .contains("sudo apt-get install bubblewrap"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn something_else_in_bubblewraps_place_is_noticed() {
    let mut config = config();
    config.bwrap = Some("/usr/bin/false".into());
    let error = Sandbox::start(config).await.unwrap_err();
    assert!(
        matches!(
            error,
            SandboxError::Unsupported(Unsupported::BubblewrapTooOld { .. })
        ),
        "{error}"
    );
}

#[tokio::test]
async fn what_bubblewrap_cannot_do_is_told_in_its_words() {
    let mut config = config();
    // A file cannot be mounted on a directory that is not there to make.
    config.binds = vec![
        ReadOnlyBind {
            source: "/etc/services".into(),
            target: "/opt/file".into(),
        },
        ReadOnlyBind {
            source: "/etc/services".into(),
            target: "/opt/file/below".into(),
        },
    ];
    match Sandbox::start(config).await.unwrap_err() {
        SandboxError::EndedEarly { said } => assert!(said.starts_with("bwrap:"), "{said}"),
        other => panic!("{other}"),
    }
    // And nothing is broken afterwards.
    assert_eq!(said(&quiet_room().await, "echo fine").await, "fine");
}

#[tokio::test]
async fn the_agent_is_never_root_of_the_host() {
    let mut config = config();
    config.identity = Identity { uid: 0, gid: 0 };
    let error = Sandbox::start(config).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::Config(ConfigError::RootIdentity)),
        "{error}"
    );
}

#[tokio::test]
async fn a_broken_init_is_an_error_and_no_hang() {
    for program in ["/usr/bin/true", "/usr/bin/cat", "/etc/passwd"] {
        let mut config = config();
        config.init = program.into();
        let error = Sandbox::start(config).await.unwrap_err();
        let told = matches!(
            error,
            SandboxError::EndedEarly { .. }
                | SandboxError::Host { .. }
                | SandboxError::Open {
                    stage: Stage::Init,
                    ..
                }
        );
        assert!(told, "{program}: {error}");
    }
}

#[test]
#[ignore = "a runner: another test starts it where no user namespace can be made"]
fn runner_without_user_namespaces() {
    let error = probe(&config()).unwrap_err();
    println!("ERROR {error}");
}

/// A room inside a room: the outer one allows no namespaces.
#[test]
fn without_user_namespaces_the_setting_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (program, init_copy) = (dir.path().join("runner"), dir.path().join("proctor-init"));
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::copy(init(), &init_copy).unwrap();
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=64555", "--regid=64555", "--clear-groups", "bwrap"]);
        command
    } else {
        Command::new("bwrap")
    };
    let output = command
        .args(["--unshare-user", "--disable-userns", "--dev-bind", "/", "/"])
        .arg(program)
        .args([
            "runner_without_user_namespaces",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env("PROCTOR_TEST_INIT", init_copy)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("ERROR no user namespace may be made here"),
        "{output:?}"
    );
    assert!(
        said.contains("sudo sysctl -w user.max_user_namespaces="),
        "{said}"
    );
}

#[tokio::test]
async fn an_identity_that_cannot_be_assumed_is_explained() {
    if !is_root() {
        return;
    }
    let mut config = config();
    // No such user can exist: the value means "unchanged".
    config.identity = Identity {
        uid: u32::MAX,
        gid: 1,
    };
    let error = Sandbox::start(config).await.unwrap_err();
    assert!(
        matches!(
            error,
            SandboxError::Unsupported(Unsupported::Identity { .. })
        ),
        "{error}"
    );
}
