//! How long a grade takes: warm, with a fresh bundle, and with everything
//! fresh but the module cache. Run with
//! `cargo bench -p proctor-grading --bench grade`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a benchmark is a program, and criterion's macros write its main"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use proctor_grading::{
    Bundle, BundleLimits, Compiler, GraderHost, HostConfig, Limits, score, to_canonical_json,
};

#[path = "../tests/it/kit/trial.rs"]
mod trial;

/// The allocator of `proctor`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The grader of the Google Workspace task, from the crate: cargo runs
/// benchmarks there.
const GRADER: &str = "../../tasks/gws-task-management/grader.wasm";

fn grade(criterion: &mut Criterion) {
    let Ok(wasm) = std::fs::read(GRADER) else {
        eprintln!("nothing to measure: there is no {GRADER}");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (evidence, cache) = (
        directory.path().join("evidence"),
        directory.path().join("modules"),
    );
    trial::trial().write(&evidence).unwrap();
    // Modules are compiled before anything is measured.
    let host = || GraderHost::new(HostConfig::new(Compiler::InProcess).cache(&cache));
    let open = || Bundle::open(&evidence, BundleLimits::default()).unwrap();
    let limits = Limits::default();
    let grader = host().load(&wasm, None).unwrap();
    let bundle = open();

    let mut group = criterion.benchmark_group("grade");
    group.bench_function("warm", |bencher| {
        bencher.iter(|| grader.grade_blocking(&bundle, &limits).unwrap());
    });
    group.bench_function("fresh bundle", |bencher| {
        bencher.iter(|| grader.grade_blocking(&open(), &limits).unwrap());
    });
    group.bench_function("fresh host and bundle, to verdict.json", |bencher| {
        bencher.iter(|| {
            let (host, bundle) = (host(), open());
            let grader = host.load(&wasm, None).unwrap();
            let result = grader.grade_blocking(&bundle, &limits).unwrap();
            let task = bundle.task().unwrap();
            let verdict = score(task, bundle.sha256(), result.grader, result.verdict);
            to_canonical_json(&verdict).unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, grade);
criterion_main!(benches);
