//! Whether a process that grades the same bundle again and again grows:
//! 10,000 grades on two threads, and what the process holds after the first
//! 500. Prints one line of JSON. Run with
//! `cargo bench -p proctor-grading --bench growth [-- GRADES]`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is a program"
)]

use proctor_grading::{Bundle, BundleLimits, Compiler, GraderHost, HostConfig, Limits};
use serde_json::json;

#[path = "../tests/it/kit/trial.rs"]
mod trial;

/// The grader of the Google Workspace task, from the crate: cargo runs
/// benchmarks there.
const GRADER: &str = "../../tasks/gws-task-management/grader.wasm";
const THREADS: usize = 2;
const WARM: usize = 500;

fn main() {
    let Ok(wasm) = std::fs::read(GRADER) else {
        eprintln!("nothing to measure: there is no {GRADER}");
        return;
    };
    // Cargo adds arguments of its own.
    let grades = std::env::args().find_map(|argument| argument.parse().ok());
    let grades = grades.unwrap_or(10_000).max(WARM);
    let directory = tempfile::tempdir().unwrap();
    let evidence = directory.path().join("evidence");
    trial::trial().write(&evidence).unwrap();
    let host = GraderHost::new(HostConfig::new(Compiler::InProcess));
    let module = host.load(&wasm, None).unwrap();
    let bundle = Bundle::open(&evidence, BundleLimits::default()).unwrap();
    let grade_all = |times: usize| {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..times / THREADS {
                        module.grade_blocking(&bundle, &Limits::default()).unwrap();
                    }
                });
            }
        });
    };
    grade_all(WARM);
    let early = resident_kib();
    grade_all(grades - WARM);
    let end = resident_kib();
    println!(
        "{}",
        json!({"grades": grades, "warm": WARM, "warm_kib": early, "end_kib": end})
    );
}

/// Memory of this process that is in use, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap()
}
