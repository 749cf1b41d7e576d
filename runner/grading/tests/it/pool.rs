//! Graders that are used again: in places that others had before them.

use std::sync::Barrier;

use proctor_grading::{Compiler, GraderHost, HostConfig, Limits};

use crate::kit::bundle::Builder;
use crate::kit::component::Core;

/// A host with a cache, from which graders are loaded once more for the pool.
fn host() -> (tempfile::TempDir, GraderHost) {
    let cache = tempfile::tempdir().unwrap();
    let config = HostConfig::new(Compiler::InProcess).cache(cache.path().join("modules"));
    (cache, GraderHost::new(config))
}

/// Traps where anything is not as it was in the beginning; then changes all of
/// it: a global, a table, memory, memory that it had to ask for, and the stack.
const LEAVES_TRACES: &str = "
    (if (global.get $mark) (then unreachable))
    (if (i32.eqz (ref.is_null (table.get $marks (i32.const 7)))) (then unreachable))
    (if (i32.ne (i32.const 8) (table.size $marks)) (then unreachable))
    (if (i32.load (i32.const 512)) (then unreachable))
    (if (i32.ne (i32.const 2) (memory.size)) (then unreachable))
    (global.set $mark (i32.const 1))
    (table.set $marks (i32.const 7) (ref.func $deep))
    (drop (table.grow $marks (ref.func $deep) (i32.const 90)))
    (i32.store (i32.const 512) (i32.const 0x5ec2e7))
    (drop (memory.grow (i32.const 40)))
    (if (i32.load (i32.const 2000000)) (then unreachable))
    (memory.fill (i32.const 1900000) (i32.const 0xa5) (i32.const 200000))
    (drop (call $deep (i32.const 5000)))";

const TRACES: &str = "
    (global $mark (mut i32) (i32.const 0))
    (table $marks 8 funcref)
    (elem declare func $deep)
    (func $deep (param i32) (result i32)
      (if (result i32) (local.get 0)
        (then (i32.add (local.get 0) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
        (else (i32.const 0))))";

#[test]
fn a_grade_leaves_nothing_in_its_place() {
    let (_cache, host) = host();
    let wasm = Core::new().items(TRACES).first(LEAVES_TRACES).build();
    let grader = host.load(&wasm, None).unwrap();
    let (_directory, bundle) = Builder::new().open();
    let first = grader.grade_blocking(&bundle, &Limits::default()).unwrap();
    for _ in 0..20 {
        let again = grader.grade_blocking(&bundle, &Limits::default());
        assert_eq!(again.unwrap(), first);
    }
}

#[test]
fn one_grader_finds_nothing_of_another_in_its_place() {
    let (_cache, host) = host();
    let leaves = Core::new().items(TRACES).first(LEAVES_TRACES).build();
    // Another module of the same shape: it would see what the first has written.
    let looks = format!("{LEAVES_TRACES} (drop (i32.const 77))");
    let looks = Core::new().items(TRACES).first(&looks).build();
    let graders = [leaves, looks].map(|wasm| host.load(&wasm, None).unwrap());
    let (_directory, bundle) = Builder::new().open();
    for grader in graders.iter().cycle().take(20) {
        grader.grade_blocking(&bundle, &Limits::default()).unwrap();
    }
}

#[test]
fn more_graders_than_places_come_to_the_same_verdict() {
    const AT_ONCE: usize = 24;
    let (_cache, host) = host();
    // Long enough that they are all at it together.
    let busy = "(local.set $n (i32.const 2000000))
        (loop $more (br_if $more (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))";
    let wasm = Core::new().first(&format!("(local $n i32) {busy}")).build();
    let grader = host.load(&wasm, None).unwrap();
    let (_directory, bundle) = Builder::new().open();
    let expected = grader.grade_blocking(&bundle, &Limits::default()).unwrap();
    let start = Barrier::new(AT_ONCE);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                start.wait();
                let found = grader.grade_blocking(&bundle, &Limits::default());
                assert_eq!(found.unwrap(), expected);
            });
        }
    });
}
