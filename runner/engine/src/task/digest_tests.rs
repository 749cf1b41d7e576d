use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use cap_std::ambient_authority;

use super::*;
use crate::task::testing::write;

const FILES: &[(&str, &str)] = &[
    ("task.md", "---\nid: a\n---\n"),
    ("seed/world.yaml", "clock: now\n"),
    ("seed/google/mail/a.eml", "From: a\r\n"),
    ("seed.txt", ""),
    (".hidden", "also"),
];

fn listing(dir: &Path) -> Result<Listing, TaskError> {
    Listing::of_dir(
        &Dir::open_ambient_dir(dir, ambient_authority()).unwrap(),
        "pack",
    )
}

fn digest(dir: &Path) -> String {
    listing(dir).unwrap().sha256()
}

fn pack() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), FILES);
    dir
}

#[test]
fn the_digest_is_that_of_the_documented_listing() {
    let dir = pack();
    let script = dir.path().join("solution.sh");
    fs::write(&script, "exit 0\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let canonical = listing(dir.path()).unwrap().canonical();
    let lines: Vec<&str> = canonical.lines().collect();
    assert_eq!(lines[0], "proctor.pack/1");
    let paths: Vec<&str> = lines[1..]
        .iter()
        .map(|line| line.splitn(4, ' ').last().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            ".hidden",
            "seed.txt",
            "seed/google/mail/a.eml",
            "seed/world.yaml",
            "solution.sh",
            "task.md"
        ]
    );
    assert_eq!(
        lines[2],
        "- 0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 seed.txt"
    );
    assert!(lines[5].starts_with("x 7 "));
    assert!(canonical.ends_with('\n'));
    // The listing's own digest, by another implementation.
    let mut child = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), canonical.as_bytes()).unwrap();
    let printed = child.wait_with_output().unwrap().stdout;
    assert_eq!(
        &String::from_utf8(printed).unwrap()[..64],
        digest(dir.path())
    );
}

#[test]
fn neither_the_order_of_creation_nor_times_nor_empty_folders_change_it() {
    let one = pack();
    let other = tempfile::tempdir().unwrap();
    let mut reversed = FILES.to_vec();
    reversed.reverse();
    write(other.path(), &reversed);
    let expected = digest(one.path());
    assert_eq!(digest(other.path()), expected);
    let file = fs::File::open(one.path().join("task.md")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    fs::create_dir(one.path().join("empty")).unwrap();
    fs::set_permissions(
        one.path().join("task.md"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    assert_eq!(digest(one.path()), expected);
}

/// Something done to a pack.
type Change = fn(&Path);

#[test]
fn every_byte_name_and_executable_bit_changes_it() {
    let base = digest(pack().path());
    let changes: &[(&str, Change)] = &[
        ("a byte", |dir| {
            fs::write(dir.join("seed/world.yaml"), "clock: Now\n").unwrap();
        }),
        ("a byte more", |dir| {
            fs::write(dir.join("seed.txt"), "\n").unwrap();
        }),
        ("a name", |dir| {
            fs::rename(dir.join("seed.txt"), dir.join("seeds.txt")).unwrap();
        }),
        ("a folder", |dir| {
            fs::rename(dir.join("seed.txt"), dir.join("seed/seed.txt")).unwrap();
        }),
        ("one less", |dir| {
            fs::remove_file(dir.join(".hidden")).unwrap();
        }),
        ("one more", |dir| {
            fs::write(dir.join("seed/.#a"), "").unwrap();
        }),
        ("a mode", |dir| {
            fs::set_permissions(dir.join("seed.txt"), fs::Permissions::from_mode(0o744)).unwrap();
        }),
    ];
    let mut seen = vec![base];
    for (what, change) in changes {
        let dir = pack();
        change(dir.path());
        let digest = digest(dir.path());
        assert!(!seen.contains(&digest), "{what}");
        seen.push(digest);
    }
}

#[test]
fn the_packs_own_lock_file_is_the_only_exception() {
    let dir = pack();
    let expected = digest(dir.path());
    fs::write(dir.path().join("proctor.lock"), "version = 1\n").unwrap();
    assert_eq!(digest(dir.path()), expected);
    fs::write(dir.path().join("seed/proctor.lock"), "version = 1\n").unwrap();
    assert_ne!(digest(dir.path()), expected);
}

#[test]
fn links_and_special_files_are_refused_by_name() {
    for (path, make, found) in [
        (
            "seed/link",
            (|path| symlink("/etc/passwd", path).unwrap()) as Change,
            "a symbolic link",
        ),
        (
            "link",
            |path| symlink("seed", path).unwrap(),
            "a symbolic link",
        ),
        (
            "dangling",
            |path| symlink("nowhere", path).unwrap(),
            "a symbolic link",
        ),
        (
            "pipe",
            |path| {
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    path,
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                    0,
                )
                .unwrap();
            },
            "a named pipe",
        ),
        (
            "socket",
            |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
            "a socket",
        ),
    ] {
        let dir = pack();
        make(&dir.path().join(path));
        let error = listing(dir.path()).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("pack/{path} is {found}; a task pack holds regular files and folders only")
        );
    }
}

#[test]
fn names_that_would_make_listings_ambiguous_are_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    for name in [&b"a\nb"[..], b"a\\b", b"\xff", b"a\x1b[31m"] {
        let dir = pack();
        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        let error = listing(dir.path()).unwrap_err();
        assert!(matches!(error, TaskError::FileName { .. }), "{error}");
        assert!(!error.to_string().contains(char::is_control), "{error}");
    }
}

#[test]
fn packs_without_bounds_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("d/".repeat(MAX_DEPTH + 1));
    fs::create_dir_all(deep).unwrap();
    let error = listing(dir.path()).unwrap_err().to_string();
    assert!(error.contains("nested deeper than 32"), "{error}");

    // Sparse: the size costs no disk, and is refused before it is read whole.
    let dir = pack();
    let file = fs::File::create(dir.path().join("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = listing(dir.path()).unwrap_err();
    assert!(
        matches!(&error, TaskError::TooMuch { path, .. } if path == "huge"),
        "{error}"
    );
}
