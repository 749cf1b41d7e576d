//! A grader that reads and writes through WASI's file system wherever it can
//! get. It says what it reached.

/// WASI, as hosts of programs know it.
#[allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated: values pass through raw pointers into this module's own memory"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../../runner/grading/wit/wasi",
        world: "proctor:wasi/imports",
        generate_all,
    });
}

use bindings::wasi::filesystem::preopens::get_directories;
use bindings::wasi::filesystem::types::{Descriptor, DescriptorFlags, OpenFlags, PathFlags};
use proctor_grader::{Error, Evidence, Verdict};

/// Where there is something to be had on most machines.
const FOREIGN: &[&str] = &[
    "/etc/passwd",
    "etc/passwd",
    "../../../../../../etc/passwd",
    "workspace/../../../etc/passwd",
    "tmp/../../etc/passwd",
    "workspace/link",
    "workspace/link/passwd",
    "proc/self/environ",
    "dev/zero",
    "sys/kernel",
    "evidence/manifest.json",
    "evidence/../../other/task.json",
    "root/.ssh/id_ed25519",
];

/// What it could change if anything there could be changed.
const GUARDED: &[&str] = &[
    "workspace/summary.md",
    "evidence/task.json",
    "fixtures/data.csv",
    "grader/grader.py",
    "new",
    "evidence/new",
];

fn open(
    root: &Descriptor,
    path: &str,
    how: OpenFlags,
    flags: DescriptorFlags,
) -> Option<Descriptor> {
    root.open_at(PathFlags::SYMLINK_FOLLOW, path, how, flags)
        .ok()
}

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let directories = get_directories();
    let [(root, name)] = directories.as_slice() else {
        return Err(Error::unfit(format!("{} directories", directories.len())));
    };
    let mut reached = Vec::new();
    for path in FOREIGN {
        let read = DescriptorFlags::READ;
        if open(root, path, OpenFlags::empty(), read).is_some()
            || root.stat_at(PathFlags::SYMLINK_FOLLOW, path).is_ok()
            || root.readlink_at(path).is_ok()
            || root.symlink_at(path, "tmp/link").is_ok()
            || root
                .link_at(PathFlags::empty(), path, root, "tmp/link")
                .is_ok()
        {
            reached.push(*path);
        }
    }
    for path in GUARDED {
        let write = DescriptorFlags::WRITE;
        let written = open(root, path, OpenFlags::CREATE, write)
            .is_some_and(|file| file.write(b"x", 0).is_ok());
        if written
            || open(root, path, OpenFlags::TRUNCATE, write).is_some()
            || root.unlink_file_at(path).is_ok()
            || root.rename_at(path, root, "tmp/taken").is_ok()
            || root.create_directory_at(path).is_ok()
        {
            reached.push(*path);
        }
    }
    let kept = open(
        root,
        "workspace/summary.md",
        OpenFlags::empty(),
        DescriptorFlags::READ,
    )
    .and_then(|file| file.read(1000, 0).ok())
    .map_or(0, |(bytes, _)| bytes.len());
    Err(Error::unfit(format!(
        "from {name}: reached {reached:?}; the summary has {kept} bytes"
    )))
}

proctor_grader::export!(grade);
