//! How long a grade takes that is a task's own Python: warm, in a fresh store
//! each time. Run with `cargo bench -p proctor-grading --bench python`.
//!
//! The evidence stays in `target/bench-evidence`, so that another Python can be
//! timed on the same.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a benchmark is a program, and criterion's macros write its main"
)]

use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use proctor_grading::python::{PythonGrader, Script};
use proctor_grading::{Bundle, BundleLimits, Compiler, GraderHost, HostConfig, Limits};

#[path = "../tests/it/kit/trial.rs"]
mod trial;

/// The allocator of `proctor`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// The Python block of the Google Workspace task.
fn script() -> Script {
    let text = std::fs::read_to_string(at("tasks/gws-task-management/task.md")).unwrap();
    let (before, rest) = text.split_once("\n```python\n").unwrap();
    let (code, _) = rest.split_once("\n```").unwrap();
    let line = before.lines().count() + 2;
    Script::new(format!("{code}\n"), "task.md", line as u64)
}

fn grade(criterion: &mut Criterion) {
    let Ok(wasm) = std::fs::read(at("target/proctor-python.wasm")) else {
        eprintln!("nothing to measure: run `make python`");
        return;
    };
    let evidence = at("target/bench-evidence");
    let _ = std::fs::remove_dir_all(&evidence);
    trial::trial().write(&evidence).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let config = HostConfig::new(Compiler::InProcess).cache(cache.path().join("modules"));
    let host = GraderHost::new(config);
    let limits = Limits::python();
    let grader = PythonGrader::load(&host, &wasm, &script()).unwrap();
    let bundle = Bundle::open(&evidence, BundleLimits::default()).unwrap();

    let mut group = criterion.benchmark_group("python");
    group.bench_function("warm", |bencher| {
        bencher.iter(|| grader.grade_blocking(&bundle, &limits).unwrap());
    });
    // What the room costs, whatever is graded in it.
    let nothing = Script::new("def grade(t, w):\n    return {'a': 1}\n", "nothing.py", 1);
    let nothing = PythonGrader::load(&host, &wasm, &nothing).unwrap();
    let empty = tempfile::tempdir().unwrap();
    trial::trial().transcript(&[]).write(empty.path()).unwrap();
    let empty = Bundle::open(empty.path(), BundleLimits::default()).unwrap();
    group.bench_function("nothing", |bencher| {
        bencher.iter(|| nothing.grade_blocking(&empty, &limits).unwrap());
    });
    group.finish();
}

criterion_group!(benches, grade);
criterion_main!(benches);
