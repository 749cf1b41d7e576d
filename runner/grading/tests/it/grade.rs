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

/// Traps unless `condition` holds.
fn must(condition: &str) -> String {
    format!("(if (i32.eqz {condition}) (then unreachable))")
}

/// Calls `function` with `text` as its first argument and a result at 512.
/// The text is put at 0, byte by byte.
fn ask(function: &str, text: &str, rest: &str) -> String {
    let put = |(at, byte): (usize, u8)| format!("(i32.store8 (i32.const {at}) (i32.const {byte}))");
    let put: Vec<String> = text.bytes().enumerate().map(put).collect();
    let length = text.len();
    let put = put.concat();
    format!("{put} (call {function} (i32.const 0) (i32.const {length}) {rest} (i32.const 512))")
}

fn byte_is(at: usize, value: u32) -> String {
    must(&format!(
        "(i32.eq (i32.load8_u (i32.const {at})) (i32.const {value}))"
    ))
}

fn word_is(at: usize, value: u32) -> String {
    must(&format!(
        "(i32.eq (i32.load (i32.const {at})) (i32.const {value}))"
    ))
}

#[test]
fn a_grader_sees_the_files_of_the_manifest_and_nothing_else() {
    let mut code = String::new();
    let file = "workspace/summary.md";
    // ok(list): the length is the file's, the first byte its first.
    code += &ask("$read", file, "");
    code += &(byte_is(512, 0) + &word_is(520, 22));
    code += &must("(i32.eq (i32.load8_u (i32.load (i32.const 516))) (i32.const 35))");
    code += &ask("$read_range", file, "(i64.const 2) (i32.const 100)");
    code += &(byte_is(512, 0) + &word_is(520, 20));
    code += &ask("$read_range", file, "(i64.const 1000) (i32.const 100)");
    code += &(byte_is(512, 0) + &word_is(520, 0));
    code += &(ask("$stat", file, "") + &byte_is(512, 1));
    code += &(ask("$list", "world/", "") + &word_is(516, 3));
    code += &(ask("$list", "", "") + &word_is(516, 8));
    for path in [
        "/etc/passwd",
        "../etc/passwd",
        "workspace/../task.json",
        "workspace",
        "manifest.json",
        "",
        "/proc/self/environ",
        "workspace/summary.md/",
        "./prompt.md",
        "nowhere",
    ] {
        code += &(ask("$read", path, "") + &byte_is(512, 1));
        code += &(ask("$read_range", path, "(i64.const 0) (i32.const 9)") + &byte_is(512, 1));
        code += &(ask("$stat", path, "") + &byte_is(512, 0));
    }
    code += "(call $journal (i32.const 512)) ";
    code += &byte_is(512, 0);
    code += &word_is(520, 25);
    let wasm = Core::new().with_read().with_evidence().first(&code).build();
    let (_directory, bundle) = Builder::new().open();
    let graded = grade_bundle(&wasm, &bundle, &Limits::default()).unwrap();
    // What it asked for in vain is told, once each; what was there is not.
    assert_eq!(graded.missing.len(), 10, "{:?}", graded.missing);
    assert!(graded.missing.contains(&"../etc/passwd".to_owned()));
    assert!(!graded.missing.contains(&file.to_owned()));

    // A bundle without a journal has none; that is the grader's to handle.
    let no_journal = format!("(call $journal (i32.const 512)) {}", byte_is(512, 1));
    let wasm = Core::new().with_evidence().first(&no_journal).build();
    let (_directory, bundle) = Builder::new().without("world/journal.jsonl").open();
    grade_bundle(&wasm, &bundle, &Limits::default()).unwrap();
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

#[test]
fn hundreds_of_grades_leave_nothing_behind() {
    let (_directory, bundle) = Builder::new().open();
    let grader = host().load(&busy(), None).unwrap();
    let grade = |times: usize| {
        for _ in 0..times {
            grader.grade_blocking(&bundle, &Limits::default()).unwrap();
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1));
        kib.unwrap().parse::<u64>().unwrap()
    };
    let warm = grade(200);
    let end = grade(400);
    // Forty KiB a grade: less than one stack or one page of a grader's memory.
    assert!(end < warm + (16 << 10), "{warm} KiB, then {end} KiB");
}
