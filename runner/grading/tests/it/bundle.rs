//! Bundles that are not what they say.

use std::os::unix::fs::symlink;
use std::path::Path;

use proctor_grading::{Bundle, BundleLimits, Difference, EvidenceError, EvidenceProblem, Limits};
use serde_json::json;

use crate::kit::bundle::{Builder, open, read_manifest, sha256, write_manifest};
use crate::kit::component::Core;
use crate::kit::grade_bundle;

fn refused(directory: &Path) -> EvidenceError {
    Bundle::open(directory, BundleLimits::default()).unwrap_err()
}

/// What comes of reading one file of a bundle that was changed on disk.
fn read_after(change: impl FnOnce(&Path)) -> EvidenceProblem {
    let directory = Builder::new().write();
    change(&directory.path().join("workspace/summary.md"));
    open(directory.path())
        .read("workspace/summary.md")
        .unwrap_err()
        .problem
}

#[test]
fn an_honest_bundle_reads_as_it_was_written() {
    let (_directory, bundle) = Builder::new().open();
    let content = bundle.read("workspace/summary.md").unwrap().unwrap();
    assert_eq!(&content[..], b"# Summary\n\n- one\n- two");
    assert_eq!(bundle.read("workspace/none.md").unwrap(), None);
    assert_eq!(
        bundle.transcript().unwrap().unwrap().as_ref(),
        r#"[{"type":"message"},{"type":"message"}]"#
    );
    assert_eq!(
        bundle.journal().unwrap().unwrap().as_ref(),
        r#"[{"n":1},{"n":2},{"n":3}]"#
    );
    assert!(bundle.world_after().unwrap().unwrap().contains("\"t1\""));
    assert_eq!(bundle.task().unwrap().id, "little");
    assert!(bundle.verify().unwrap().is_clean());
}

#[test]
fn files_are_listed_by_prefix_and_the_manifest_is_none_of_them() {
    let (directory, bundle) = Builder::new().open();
    let text = std::fs::read(directory.path().join("manifest.json")).unwrap();
    assert_eq!(bundle.sha256(), sha256(&text));
    assert_eq!(bundle.read("manifest.json").unwrap(), None);
    assert_eq!(bundle.list("").count(), 8);
    assert!(bundle.list("").map(|(path, _)| path).is_sorted());
    let world: Vec<&str> = bundle.list("world/").map(|(path, _)| path).collect();
    assert_eq!(
        world,
        [
            "world/after.json",
            "world/before.json",
            "world/journal.jsonl"
        ]
    );
    assert_eq!(bundle.list("nowhere").count(), 0);
}

#[test]
fn paths_that_lead_out_of_the_bundle_are_refused() {
    for path in [
        "../escape",
        "/etc/passwd",
        "a/../../b",
        "a//b",
        "./a",
        "a/",
        "",
        "manifest.json",
    ] {
        let directory = Builder::new().write();
        let mut manifest = read_manifest(directory.path());
        manifest["files"][path] = json!({"bytes": 1, "sha256": "0".repeat(64)});
        write_manifest(directory.path(), &manifest);
        let error = refused(directory.path());
        assert!(
            matches!(error.problem, EvidenceProblem::Path { .. }),
            "{path}: {error}"
        );
        assert_eq!(error.file, "manifest.json");
    }
}

#[test]
fn a_manifest_that_says_two_things_is_refused() {
    let directory = Builder::new().write();
    let at = directory.path().join("manifest.json");
    let text = std::fs::read_to_string(&at).unwrap();
    let twice = text.replace(
        "\"files\":{",
        &format!(
            "\"files\":{{\"prompt.md\":{{\"bytes\":0,\"sha256\":\"{}\"}},",
            sha256(b"")
        ),
    );
    assert_ne!(twice, text);
    std::fs::write(&at, twice).unwrap();
    let error = refused(directory.path()).to_string();
    assert!(error.contains("`prompt.md` stands twice"), "{error}");
}

#[test]
fn a_manifest_must_be_of_a_known_version_and_whole() {
    let newer = Builder::new()
        .manifest(|m| m["schema"] = json!("proctor.evidence/2"))
        .write();
    let error = refused(newer.path());
    assert!(
        matches!(error.problem, EvidenceProblem::Schema { .. }),
        "{error}"
    );

    let no_agent = Builder::new()
        .manifest(|m| {
            m.as_object_mut().unwrap().remove("agent");
        })
        .write();
    assert!(refused(no_agent.path()).to_string().contains("agent"));

    let directory = Builder::new().write();
    let mut manifest = read_manifest(directory.path());
    manifest["files"]["prompt.md"]["sha256"] = json!("ABC");
    write_manifest(directory.path(), &manifest);
    assert!(refused(directory.path()).to_string().contains("prompt.md"));

    std::fs::write(directory.path().join("manifest.json"), "[".repeat(100_000)).unwrap();
    assert!(matches!(
        refused(directory.path()).problem,
        EvidenceProblem::Malformed(_)
    ));
    std::fs::remove_file(directory.path().join("manifest.json")).unwrap();
    assert_eq!(refused(directory.path()).problem, EvidenceProblem::Missing);
    assert_eq!(
        refused(&directory.path().join("nowhere")).problem,
        EvidenceProblem::Missing
    );
}

#[test]
fn the_manifest_itself_may_be_nothing_but_a_regular_file_of_bounded_size() {
    let directory = Builder::new().write();
    let at = directory.path().join("manifest.json");
    let elsewhere = directory.path().join("elsewhere.json");
    std::fs::rename(&at, &elsewhere).unwrap();
    symlink(&elsewhere, &at).unwrap();
    let problem = refused(directory.path()).problem;
    assert_eq!(
        problem,
        EvidenceProblem::NotRegular {
            found: "a symbolic link"
        }
    );
    std::fs::remove_file(&at).unwrap();
    make_fifo(&at);
    let problem = refused(directory.path()).problem;
    assert_eq!(
        problem,
        EvidenceProblem::NotRegular {
            found: "a named pipe"
        }
    );
    std::fs::remove_file(&at).unwrap();
    // A terabyte of nothing.
    std::fs::File::create(&at)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    assert!(matches!(
        refused(directory.path()).problem,
        EvidenceProblem::TooLarge { .. }
    ));
    let limits = BundleLimits {
        files: 3,
        ..BundleLimits::default()
    };
    let many = Builder::new().write();
    let error = Bundle::open(many.path(), limits).unwrap_err().to_string();
    assert!(error.contains("the limit is 3"), "{error}");
}

fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_file_that_changed_is_noticed_whatever_it_became() {
    let same_length = read_after(|path| std::fs::write(path, "# Summary\n\n- one\n- too").unwrap());
    assert!(matches!(same_length, EvidenceProblem::Digest { .. }));
    let longer = read_after(|path| std::fs::write(path, "x".repeat(1000)).unwrap());
    assert_eq!(
        longer,
        EvidenceProblem::Length {
            expected: 22,
            found: 1000
        }
    );
    assert_eq!(
        read_after(|path| std::fs::remove_file(path).unwrap()),
        EvidenceProblem::Missing
    );
    let link = read_after(|path| {
        std::fs::remove_file(path).unwrap();
        symlink("/etc/passwd", path).unwrap();
    });
    assert_eq!(
        link,
        EvidenceProblem::NotRegular {
            found: "a symbolic link"
        }
    );
    let pipe = read_after(|path| {
        std::fs::remove_file(path).unwrap();
        make_fifo(path);
    });
    assert_eq!(
        pipe,
        EvidenceProblem::NotRegular {
            found: "a named pipe"
        }
    );
    let directory = read_after(|path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
    assert_eq!(
        directory,
        EvidenceProblem::NotRegular {
            found: "a directory"
        }
    );
    let sparse = read_after(|path| {
        std::fs::File::create(path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
    });
    assert_eq!(
        sparse,
        EvidenceProblem::Length {
            expected: 22,
            found: 1 << 40
        }
    );
}

#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let directory = Builder::new().write();
    let outside = Builder::new().write();
    std::fs::remove_dir_all(directory.path().join("workspace")).unwrap();
    // Even to the very same content.
    symlink(
        outside.path().join("workspace"),
        directory.path().join("workspace"),
    )
    .unwrap();
    let error = open(directory.path())
        .read("workspace/summary.md")
        .unwrap_err();
    assert_eq!(
        error.problem,
        EvidenceProblem::NotRegular {
            found: "a symbolic link"
        }
    );
}

#[test]
fn changed_evidence_ends_the_grade_and_is_not_the_graders_fault() {
    let core = Core::new()
        .with_read()
        .items("(data (i32.const 0) \"workspace/summary.md\")")
        .first("(call $read (i32.const 0) (i32.const 20) (i32.const 64))");
    let directory = Builder::new().write();
    std::fs::write(directory.path().join("workspace/summary.md"), "forged").unwrap();
    let error =
        grade_bundle(&core.build(), &open(directory.path()), &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), "evidence_invalid");
    assert_eq!(error.blame(), proctor_grading::Blame::Evidence);
    assert!(
        error.to_string().contains("`workspace/summary.md`"),
        "{error}"
    );
}

#[test]
fn documents_of_the_wrong_shape_are_told_by_line() {
    let cases = [
        ("transcript.jsonl", "{}\nnot json\n", "line 2"),
        (
            "transcript.jsonl",
            "{}\n[]\n",
            "line 2: it is not a JSON object",
        ),
        ("transcript.jsonl", "{}\n\n{}\n", "line 2"),
        ("transcript.jsonl", "{} {}\n", "line 1"),
        (
            "world/journal.jsonl",
            "{\"n\":1}\n{\"n\":3}\n",
            "its number is 3; expected 2",
        ),
        (
            "world/journal.jsonl",
            "{\"n\":1}\n{\"n\":1}\n",
            "its number is 1; expected 2",
        ),
        ("world/journal.jsonl", "{}\n", "line 1: missing field `n`"),
    ];
    for (file, content, expected) in cases {
        let (_directory, bundle) = Builder::new().file(file, content).open();
        let error = bundle.transcript().and(bundle.journal()).unwrap_err();
        assert_eq!(error.file, file);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let (_directory, bundle) = Builder::new()
        .file("transcript.jsonl", b"{}\xff\n".as_slice())
        .open();
    assert!(
        bundle
            .transcript()
            .unwrap_err()
            .to_string()
            .contains("UTF-8 from byte 2")
    );
    let (_directory, bundle) = Builder::new().file("transcript.jsonl", "").open();
    assert_eq!(bundle.transcript().unwrap().unwrap().as_ref(), "[]");
    let (_directory, bundle) = Builder::new().without("transcript.jsonl").open();
    assert_eq!(bundle.transcript().unwrap(), None);
    let newer = r#"{"schema": "proctor.world/2"}"#;
    let (_directory, bundle) = Builder::new().file("world/after.json", newer).open();
    assert!(matches!(
        bundle.world_after().unwrap_err().problem,
        EvidenceProblem::Schema { .. }
    ));
    let (_directory, bundle) = Builder::new()
        .manifest(|m| m["task"]["id"] = json!("other"))
        .open();
    assert!(bundle.task().unwrap_err().to_string().contains("`other`"));
}

#[test]
fn a_long_file_is_read_in_ranges_and_still_checked_whole() {
    let content: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    let directory = Builder::new()
        .file("workspace/big.bin", content.clone())
        .write();
    let limits = BundleLimits {
        file_bytes: 100_000,
        ..BundleLimits::default()
    };
    let bundle = Bundle::open(directory.path(), limits).unwrap();
    let error = bundle.read("workspace/big.bin").unwrap_err();
    assert!(matches!(
        error.problem,
        EvidenceProblem::TooLarge { limit: 100_000, .. }
    ));
    let range = |offset, length| bundle.read_range("workspace/big.bin", offset, length);
    for (offset, length) in [
        (0, 10),
        (65_530, 12),
        (799_990, 100),
        (0, 800_000),
        (900_000, 5),
    ] {
        let start = usize::try_from(offset).unwrap().min(content.len());
        let end = (start + length as usize).min(content.len());
        assert_eq!(range(offset, length).unwrap().unwrap(), content[start..end]);
    }
    assert_eq!(range(u64::MAX, u32::MAX).unwrap().unwrap(), b"");
    let short = bundle
        .read_range("workspace/summary.md", 2, 7)
        .unwrap()
        .unwrap();
    assert_eq!(short, b"Summary");
    assert_eq!(bundle.read_range("workspace/none", 0, 1).unwrap(), None);

    // The last byte is changed, and the first ten are asked for.
    let mut forged = content;
    *forged.last_mut().unwrap() ^= 1;
    std::fs::write(directory.path().join("workspace/big.bin"), forged).unwrap();
    let error = bundle.read_range("workspace/big.bin", 0, 10).unwrap_err();
    assert!(matches!(error.problem, EvidenceProblem::Digest { .. }));
}

#[test]
fn reading_more_than_the_cache_holds_works_and_checks_each_time() {
    let directory = Builder::new()
        .file("workspace/a", vec![b'a'; 600])
        .file("workspace/b", vec![b'b'; 600])
        .file("workspace/c", vec![b'c'; 2000])
        .write();
    let limits = BundleLimits {
        cache_bytes: 1000,
        ..BundleLimits::default()
    };
    let bundle = Bundle::open(directory.path(), limits).unwrap();
    for path in [
        "workspace/a",
        "workspace/b",
        "workspace/a",
        "workspace/c",
        "workspace/c",
    ] {
        assert!(bundle.read(path).unwrap().is_some());
    }
    std::fs::write(directory.path().join("workspace/c"), vec![b'x'; 2000]).unwrap();
    assert!(
        bundle.read("workspace/c").is_err(),
        "it was too large to be kept"
    );
    std::fs::write(directory.path().join("workspace/a"), vec![b'x'; 600]).unwrap();
    assert!(
        bundle.read("workspace/a").is_ok(),
        "it was read and checked before"
    );
}

#[test]
fn verify_lists_every_difference_at_once() {
    let directory = Builder::new().write();
    let at = |path: &str| directory.path().join(path);
    std::fs::write(at("prompt.md"), "Do that").unwrap();
    std::fs::remove_file(at("world/after.json")).unwrap();
    std::fs::write(at("verdict.json"), "{}").unwrap();
    std::fs::create_dir(at("workspace/sub")).unwrap();
    symlink("/etc/passwd", at("workspace/sub/link")).unwrap();
    make_fifo(&at("workspace/pipe"));
    let odd: &std::ffi::OsStr =
        std::os::unix::ffi::OsStrExt::from_bytes(b"workspace/\xff".as_slice());
    std::fs::write(directory.path().join(odd), "x").unwrap();
    let bundle = open(directory.path());
    let verification = bundle.verify().unwrap();
    assert!(!verification.is_clean());
    assert_eq!(verification.matching, 6);
    let differences: Vec<String> = verification
        .differences
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        differences,
        [
            "evidence invalid: `prompt.md`: it is 7 bytes long; the manifest says 7".replace(
                "it is 7 bytes long; the manifest says 7",
                &format!(
                    "its SHA-256 is {}; the manifest says {}",
                    sha256(b"Do that"),
                    sha256(b"Do it.\n")
                )
            ),
            "verdict.json: a regular file that the manifest does not list".to_owned(),
            "workspace/pipe: a named pipe that the manifest does not list".to_owned(),
            "workspace/sub/link: a symbolic link that the manifest does not list".to_owned(),
            "workspace/\u{fffd}: a regular file that the manifest does not list".to_owned(),
            "evidence invalid: `world/after.json`: it is missing".to_owned(),
        ]
    );
    assert!(matches!(
        verification.differences[1],
        Difference::Extra { .. }
    ));
    // Graders never see what is not listed.
    assert_eq!(bundle.read("verdict.json").unwrap(), None);
}
