//! A workspace that was made to hurt whoever collects it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::BTreeMap;
use std::os::fd::AsFd;

use common::{config, python, quiet_room, said, sh};
use proctor_sandbox::{CollectCaps, CollectError, Limits, Sandbox, Workspace, collect};
use proctor_types::WorkspaceListing;
use proctor_types::workspace::{Entry, EntryKind};

type Files = BTreeMap<String, Vec<u8>>;

fn take(workspace: &Workspace, caps: &CollectCaps) -> (WorkspaceListing, Files) {
    let mut files = Files::new();
    let listing = workspace
        .collect(caps, &mut |path, content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            assert!(
                files.insert(path.to_owned(), bytes).is_none(),
                "{path} twice"
            );
            Ok(())
        })
        .unwrap();
    assert!(listing.entries.is_sorted_by(|a, b| a.path < b.path));
    (listing, files)
}

fn entry<'a>(listing: &'a WorkspaceListing, path: &str) -> &'a Entry {
    listing
        .entries
        .iter()
        .find(|entry| entry.path == path)
        .unwrap_or_else(|| panic!("no {path}"))
}

#[tokio::test]
async fn seeded_files_belong_to_the_agent_and_come_back() {
    let room = quiet_room().await;
    let workspace = room.workspace();
    workspace.seed("data/in.csv", b"a,b\n", 0o644).unwrap();
    workspace
        .seed("run.sh", b"#!/bin/sh\necho ran\n", 0o755)
        .unwrap();
    assert_eq!(
        said(
            &room,
            "./run.sh; stat -c '%u %g %a %n' . data data/in.csv run.sh"
        )
        .await,
        "ran\n1000 1000 755 .\n1000 1000 755 data\n1000 1000 644 data/in.csv\n1000 1000 755 run.sh"
    );
    said(
        &room,
        "echo c,d >> data/in.csv; echo done > data/out.md; rm run.sh",
    )
    .await;
    let stopped = room.stop().await.unwrap();
    let (listing, files) = take(&stopped.workspace, &CollectCaps::default());
    let paths: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| entry.path.as_str())
        .collect();
    assert_eq!(paths, ["data", "data/in.csv", "data/out.md"]);
    assert_eq!(files["data/in.csv"], b"a,b\nc,d\n");
    let out = entry(&listing, "data/out.md");
    assert_eq!(
        (out.kind, out.mode.as_str(), out.bytes),
        (EntryKind::File, "0644", 5)
    );
    let digest = said_by_host("done\n");
    assert_eq!(out.sha256.as_deref(), Some(digest.as_str()));
    assert_eq!(listing.truncated, None);
}

/// SHA-256 of `content`, by another implementation.
fn said_by_host(content: &str) -> String {
    let output = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$0\" | sha256sum", content])
        .output()
        .unwrap();
    common::text(&output.stdout)[..64].to_owned()
}

#[tokio::test]
async fn a_link_that_the_agent_planted_does_not_redirect_a_seed() {
    let room = quiet_room().await;
    said(&room, "ln -s /tmp out; ln -s /etc/passwd notes").await;
    assert!(room.workspace().seed("out/x", b"x", 0o644).is_err());
    assert!(room.workspace().seed("notes", b"x", 0o644).is_err());
    assert_eq!(said(&room, "ls -A /tmp").await, "");
}

/// Everything that the reference lists, in one tree.
const HOSTILE: &str = r#"
    mkfifo fifo
    ln -s /etc/passwd link; ln -s ../../../../etc out; ln -s loop loop
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
    truncate -s 1T sparse
    echo secret > locked; chmod 000 locked
    mkdir closed; echo inner > closed/inner; chmod 000 closed/inner; chmod 000 closed
    echo x > suid; chmod 6755 suid
    printf 'odd' > "$(printf 'caf\351')"
    printf 'back' > 'a\xff'
    echo one > first; ln first second
    mkdir -p "$(printf 'd/%.0s' $(seq 100))"
    ln -s "$(printf 'x%.0s' $(seq 4000))" long
    echo ok > summary.md
"#;

#[tokio::test]
async fn a_hostile_tree_is_listed_and_only_regular_files_are_kept() {
    let room = quiet_room().await;
    let output = sh(&room, HOSTILE).await;
    assert!(output.status.success(), "{}", common::text(&output.stderr));
    let stopped = room.stop().await.unwrap();
    let caps = CollectCaps {
        depth: 8,
        ..CollectCaps::default()
    };
    let (listing, files) = take(&stopped.workspace, &caps);

    let kept: Vec<_> = files.keys().map(String::as_str).collect();
    assert_eq!(
        kept,
        [
            r"a\\xff",
            r"caf\xe9",
            "closed/inner",
            "first",
            "locked",
            "second",
            "suid",
            "summary.md"
        ]
    );
    assert_eq!(files["locked"], b"secret\n");
    assert_eq!(files["closed/inner"], b"inner\n");
    assert_eq!(files[r"caf\xe9"], b"odd");
    for (path, kind, refused) in [
        ("fifo", EntryKind::Fifo, "regular"),
        ("sock", EntryKind::Socket, "regular"),
        ("link", EntryKind::Symlink, "not followed"),
        ("out", EntryKind::Symlink, "not followed"),
        ("loop", EntryKind::Symlink, "not followed"),
        ("sparse", EntryKind::File, "longer than 33554432 bytes"),
        (
            "d/d/d/d/d/d/d/d",
            EntryKind::Directory,
            "deeper than 8 levels",
        ),
    ] {
        let entry = entry(&listing, path);
        assert_eq!(entry.kind, kind, "{path}");
        assert!(
            entry
                .refused
                .as_ref()
                .is_some_and(|why| why.contains(refused)),
            "{entry:?}"
        );
        assert_eq!(entry.sha256, None, "{path}");
    }
    assert_eq!(
        entry(&listing, "link").target.as_deref(),
        Some("/etc/passwd")
    );
    assert_eq!(entry(&listing, "long").target.as_ref().unwrap().len(), 4000);
    assert_eq!(entry(&listing, "sparse").bytes, 1 << 40);
    for (path, mode) in [
        ("locked", "0000"),
        ("closed", "0000"),
        ("closed/inner", "0000"),
        ("suid", "6755"),
    ] {
        assert_eq!(entry(&listing, path).mode, mode, "{path}");
    }
    let hash = |path: &str| entry(&listing, path).sha256.clone();
    assert_eq!(hash("first"), hash("second"));
    // Looking changed nothing: the second look is the same.
    assert_eq!(take(&stopped.workspace, &caps), (listing, files));
}

#[tokio::test]
async fn a_workspace_that_forbids_entry_is_collected() {
    let room = quiet_room().await;
    said(&room, "echo x > a; chmod 000 .").await;
    let (listing, files) = take(room.workspace(), &CollectCaps::default());
    assert_eq!(
        (listing.entries.len(), files["a"].as_slice()),
        (1, b"x\n".as_slice())
    );
}

#[tokio::test]
async fn a_million_files_are_cut_off_and_do_not_hide_what_matters() {
    let mut config = config();
    config.limits = Limits {
        workspace_entries: 1_100_000,
        workspace_bytes: 1 << 30,
        ..Limits::default()
    };
    let (room, _sockets) = Sandbox::start(config).await.unwrap();
    let program = "
os.mkdir('heap')
d = os.open('heap', os.O_RDONLY)
for n in range(1_000_000):
    os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=d))
open('summary.md', 'w').write('found')
os.mkdir('zone'); open('zone/a', 'w').write('deep')
";
    python(&room, program).await;
    let stopped = room.stop().await.unwrap();
    let before = peak_memory();
    let caps = CollectCaps {
        entries: 1000,
        ..CollectCaps::default()
    };
    let (listing, files) = take(&stopped.workspace, &caps);
    assert_eq!(listing.entries.len(), 1000);
    let truncated = listing.truncated.as_deref().unwrap();
    assert!(
        truncated.contains("more than 1000 entries") && truncated.contains("`heap`"),
        "{truncated}"
    );
    assert_eq!(files["summary.md"], b"found");
    // The names that come first, whatever order the file system has.
    assert!(
        files.contains_key("heap/0")
            && files.contains_key("heap/1")
            && files.contains_key("heap/10")
    );
    assert!(!files.contains_key("heap/999999"));
    // All names would take more than 30 MB.
    let grown = peak_memory() - before;
    assert!(grown < 8 << 20, "{grown} bytes");
    assert_eq!(take(&stopped.workspace, &caps).0, listing);
}

/// `VmHWM` of this process in bytes. Nextest gives every test its own process;
/// elsewhere other tests can only make it larger before.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        << 10
}

#[tokio::test]
async fn caps_on_bytes_and_paths_are_kept_exactly() {
    let room = quiet_room().await;
    let long = "n".repeat(250);
    said(&room, &format!(
        "head -c 100 /dev/zero > a; head -c 101 /dev/zero > b; head -c 100 /dev/zero > c; \
         head -c 51 /dev/zero > d; head -c 50 /dev/zero > e; mkdir -p {long}/{long}; echo x > {long}/{long}/f; \
         : > \"$(printf '\\377%.0s' $(seq 70))\""
    )).await;
    let caps = CollectCaps {
        file_bytes: 100,
        total_bytes: 250,
        path_bytes: 400,
        ..CollectCaps::default()
    };
    let (listing, files) = take(room.workspace(), &caps);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["a", "c", "e"]);
    let refused = |path: &str| entry(&listing, path).refused.clone().unwrap();
    assert_eq!(refused("b"), "longer than 100 bytes");
    assert_eq!(
        refused("d"),
        "with it, all files would be more than 250 bytes"
    );
    assert_eq!(
        refused(&format!("{long}/{long}")),
        "its path is longer than 400 bytes"
    );
    assert!(
        !listing
            .entries
            .iter()
            .any(|entry| entry.path.ends_with("/f"))
    );
    assert_eq!(
        refused(&r"\xff".repeat(70)),
        "its name, written down, is longer than 255 bytes"
    );
}

#[tokio::test]
async fn a_sink_that_is_full_ends_the_collection_with_its_error() {
    let room = quiet_room().await;
    said(&room, "echo x > a").await;
    let full = collect(
        room.workspace().as_fd(),
        &CollectCaps::default(),
        &mut |_, _| Err(std::io::Error::from(std::io::ErrorKind::StorageFull)),
    );
    match full {
        Err(CollectError::Sink { path, source }) => {
            assert_eq!(
                (path.as_str(), source.kind()),
                ("a", std::io::ErrorKind::StorageFull)
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Files change, and are swapped for links and pipes, while they are read.
#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_changes_while_it_is_read_harms_nobody() {
    let room = quiet_room().await;
    said(
        &room,
        "for i in $(seq 50); do mkdir d$i; echo x > d$i/f; done",
    )
    .await;
    let program = "
import os
print('up', flush=True)
while True:
    for i in range(1, 51):
        d = 'd%d' % i
        for step in (lambda: os.rename(d, 'e'), lambda: os.symlink('/etc', d), lambda: os.unlink(d),
                     lambda: os.mkfifo(d), lambda: os.unlink(d), lambda: os.rename('e', d),
                     lambda: os.unlink(d + '/f'), lambda: os.symlink('/etc/passwd', d + '/f'),
                     lambda: os.unlink(d + '/f'), lambda: open(d + '/f', 'w').write('x' * 5000)):
            try: step()
            except OSError: pass
";
    let request = proctor_sandbox::ExecRequest::new(["/usr/bin/python3", "-c", program]);
    let mut attacker = room
        .stream(request.timeout(common::PATIENCE))
        .await
        .unwrap();
    attacker.next().await.unwrap();
    for _ in 0..50 {
        let (listing, files) = take(room.workspace(), &CollectCaps::default());
        assert!(listing.entries.len() >= 40);
        for (path, content) in &files {
            assert!(
                content.iter().all(|byte| matches!(byte, b'x' | b'\n')),
                "{path}"
            );
        }
    }
}
