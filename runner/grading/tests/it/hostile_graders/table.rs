//! The whole table: in the documentation, and in one process.

use std::process::Command;

use proctor_grading::GraderHost;

use super::{all, attempt, evidence, host, source};
use crate::kit::component::Core;

#[test]
fn the_documentation_lists_what_comes_of_each() {
    let text = std::fs::read_to_string(source::repository().join("docs/security.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let name = cells.first()?.strip_prefix("| `")?.strip_suffix('`')?;
        let kind = cells.get(3)?.trim_end_matches(" |");
        let kind = kind.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), kind.to_owned()))
    };
    let mut documented: Vec<(String, String)> = text.lines().filter_map(row).collect();
    documented.sort();
    let mut expected: Vec<(String, String)> = all()
        .iter()
        .map(|one| (one.name.to_owned(), one.kind.to_owned()))
        .collect();
    expected.sort();
    assert_eq!(documented, expected);
}

/// Memory that a process may have that runs them all one after the other, in
/// KiB: a grader's 256 MiB, its stack, and what loading a large module takes for
/// a moment.
const DATA_KIB: u64 = 512 << 10;

/// Runs the next test in a process of its own, in which the kernel keeps limits
/// on memory, files and what can be written.
#[test]
fn all_of_them_fit_into_one_small_process() {
    let limited = format!("ulimit -d {DATA_KIB}; ulimit -n 64; ulimit -c 0; exec \"$0\" \"$@\"");
    let output = Command::new("/bin/sh")
        .args(["-c", &limited])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .arg("hostile_graders::table::all_of_them_leave_nothing_behind")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "it looks at its own process, which has to have no other tests in it"]
fn all_of_them_leave_nothing_behind() {
    let (_directory, bundle) = evidence();
    let host = GraderHost::new(host());
    let honest = Core::new().build();
    // KiB in use, threads, open files.
    let mut after = Vec::new();
    for _ in 0..3 {
        for expected in all() {
            // These take the compiler's time, in a process of its own.
            if expected.kind == "compile_limits" {
                continue;
            }
            let wasm = source::component(expected.name);
            expected.meets(&attempt(&host, expected.name, &wasm, &bundle));
            let graded = attempt(&host, "honest", &honest, &bundle);
            assert_eq!(graded.kind, "graded", "after {}", expected.name);
        }
        after.push((status("VmRSS"), status("Threads"), open_files()));
    }
    let [_, (memory, threads, files), last] = after[..] else {
        unreachable!("three rounds");
    };
    assert!(last.0 < memory + (32 << 10), "it grows: {after:?}");
    assert_eq!((last.1, last.2), (threads, files));
}

/// A number of this process, as the kernel counts.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}
