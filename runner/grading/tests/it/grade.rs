//! Grading as it should be: the same every time, and any number of times.

use proctor_grading::{Limits, score, to_canonical_json};

use crate::kit::bundle::Builder;
use crate::kit::component::Core;
use crate::kit::{grade_bundle, host};

/// A grader that reads a file, does some arithmetic and logs.
fn busy() -> Vec<u8> {
    Core::new()
        .with_read()
        .with_log()
        .items("(data (i32.const 0) \"workspace/summary.md\")")
        .first(
            "(local $n i32) (local $x f64)
             (call $read (i32.const 0) (i32.const 20) (i32.const 64))
             (loop $more
               (local.set $x (f64.sqrt (f64.neg (f64.add (local.get $x) (f64.const 0.1)))))
               (local.set $n (i32.add (local.get $n) (i32.const 1)))
               (br_if $more (i32.lt_u (local.get $n) (i32.const 1000))))
             (call $log (i32.const 1) (i32.const 0) (i32.const 20))",
        )
        .build()
}

#[test]
fn a_hundred_grades_give_the_same_bytes_and_the_same_fuel() {
    let directory = Builder::new().write();
    let wasm = busy();
    let once = || {
        // A fresh host and a fresh bundle every other time.
        let bundle = crate::kit::bundle::open(directory.path());
        let grader = host().load(&wasm, None).unwrap();
        let grade = || {
            let result = grader.grade_blocking(&bundle, &Limits::default()).unwrap();
            assert_eq!(result.log.lines.len(), 1);
            let task = bundle.task().unwrap();
            let verdict = score(task, bundle.sha256(), result.grader, result.verdict);
            to_canonical_json(&verdict).unwrap()
        };
        [grade(), grade()]
    };
    let [first, _] = once();
    assert!(String::from_utf8_lossy(&first).contains("\"fuel\": "));
    for _ in 0..50 {
        for bytes in once() {
            assert_eq!(bytes, first);
        }
    }
}

#[test]
fn fuel_is_what_was_burned_and_a_limit_just_above_it_suffices() {
    let (_directory, bundle) = Builder::new().open();
    let wasm = busy();
    let fuel = grade_bundle(&wasm, &bundle, &Limits::default())
        .unwrap()
        .grader
        .fuel;
    assert!(fuel > 1000, "{fuel}");
    let limited = |fuel| {
        grade_bundle(
            &wasm,
            &bundle,
            &Limits {
                fuel,
                ..Limits::default()
            },
        )
    };
    assert_eq!(limited(fuel + 1).unwrap().grader.fuel, fuel);
    assert_eq!(limited(fuel / 2).unwrap_err().kind(), "out_of_fuel");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_grader_grades_many_bundles_at_once() {
    let grader = host().load(&busy(), None).unwrap();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let grader = grader.clone();
        running.spawn(async move {
            let (_directory, bundle) = Builder::new().open();
            grader
                .grade(&bundle, &Limits::default())
                .await
                .unwrap()
                .grader
                .fuel
        });
    }
    let mut fuels = running.join_all().await;
    fuels.dedup();
    assert_eq!(fuels.len(), 1);
}

#[test]
fn a_grader_outlives_its_host() {
    let (_directory, bundle) = Builder::new().open();
    let host = host();
    let grader = host.load(&busy(), None).unwrap();
    drop(host);
    assert!(grader.grade_blocking(&bundle, &Limits::default()).is_ok());
}

#[test]
fn thousands_of_grades_do_not_grow_the_process() {
    let (_directory, bundle) = Builder::new().open();
    let host = host();
    let wasm = busy();
    let grade = |times: usize| {
        for _ in 0..times {
            let grader = host.load(&wasm, None).unwrap();
            grader.grade_blocking(&bundle, &Limits::default()).unwrap();
        }
    };
    let grader = host.load(&wasm, None).unwrap();
    grade(500);
    let before = resident_kib();
    grade(3000);
    let after = resident_kib();
    drop(grader);
    assert!(
        after < before + 4096,
        "{before} KiB before, {after} KiB after"
    );
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
