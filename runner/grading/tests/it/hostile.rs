//! Graders that attack the host while they run, and what they leave behind. The
//! table of attacks is in [`crate::hostile_graders`]; here is what it does not
//! look at.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use proctor_grading::{Blame, Bundle, BundleLimits, Fault, Limits};

use crate::kit::component::Core;
use crate::kit::{fault, grade, host};

/// Limits under which an attack is over soon.
fn tight() -> Limits {
    Limits {
        fuel: 50_000_000,
        memory_bytes: 16 << 20,
        output_bytes: 1 << 20,
        hostcall_bytes: 64 << 20,
        log_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// A module whose data at 0..64 is `text`.
fn with_text(core: Core, text: &str) -> Core {
    core.items(&format!("(data (i32.const 0) \"{text}\")"))
}

const FOREVER: &str = "(loop $forever (br $forever))";

#[test]
fn a_loop_under_unlimited_fuel_runs_out_of_time() {
    let wasm = Core::new().first(FOREVER).build();
    let limit = Duration::from_millis(30);
    let limits = Limits {
        fuel: u64::MAX,
        time: limit,
        ..tight()
    };
    assert_eq!(fault(&wasm, &limits), Fault::OutOfTime { limit });
}

#[tokio::test]
async fn a_loop_gives_way_to_other_tasks_and_runs_out_of_time() {
    let wasm = Core::new().first(FOREVER).build();
    let grader = host().load(&wasm, None).unwrap();
    let (_directory, bundle) = crate::kit::bundle::Builder::new().open();
    let limit = Duration::from_millis(500);
    let limits = Limits {
        fuel: u64::MAX,
        time: limit,
        ..tight()
    };
    let (result, pauses) = pauses(grader.grade(&bundle, &limits)).await;
    assert_eq!(*result.unwrap_err().fault(), Fault::OutOfTime { limit });
    assert!(pauses > 1, "{pauses}");
}

/// What comes of a grade, and how often it gives way meanwhile.
async fn pauses<T>(grade: impl Future<Output = T>) -> (T, u64) {
    let mut grade = pin!(grade);
    let mut pauses = 0;
    let graded = poll_fn(|context| {
        let polled = grade.as_mut().poll(context);
        pauses += u64::from(polled.is_pending());
        polled
    });
    (graded.await, pauses)
}

#[tokio::test]
async fn calls_that_take_long_and_burn_no_fuel_give_way_too() {
    // Every range of a file that is too long to be kept is a pass over it.
    let core = with_text(Core::new().with_evidence(), "workspace/large.txt");
    let read = "(loop $more
        (call $read_range (i32.const 0) (i32.const 19) (i64.const 0) (i32.const 1) (i32.const 64))
        (global.set $left (i32.sub (global.get $left) (i32.const 1)))
        (br_if $more (global.get $left)))";
    let wasm = core
        .items("(global $left (mut i32) (i32.const 30))")
        .first(read)
        .build();
    let grader = host().load(&wasm, None).unwrap();
    let directory = crate::kit::bundle::Builder::new()
        .file("workspace/large.txt", vec![b'x'; 16 << 20])
        .write();
    let limits = BundleLimits {
        file_bytes: 1 << 20,
        ..BundleLimits::default()
    };
    let bundle = Bundle::open(directory.path(), limits).unwrap();
    let (result, pauses) = pauses(grader.grade(&bundle, &Limits::default())).await;
    assert!(result.unwrap().grader.fuel < 100_000);
    assert!(pauses > 1, "{pauses}");
}

#[test]
fn a_grader_that_copes_with_less_memory_still_grades() {
    let wasm = Core::new()
        .first("(drop (memory.grow (i32.const 8192)))")
        .build();
    assert!(grade(&wasm, &tight()).is_ok());
}

#[test]
fn a_flood_of_lines_meets_the_quota_and_its_beginning_is_kept() {
    let core = with_text(Core::new().with_log(), "spam");
    let flood = "(loop $more
        (call $log (i32.const 1) (i32.const 0) (i32.const 4)) (br $more))";
    let wasm = core.first(flood).build();
    let error = grade(&wasm, &tight()).unwrap_err();
    assert_eq!(*error.fault(), Fault::LogQuota { limit: 1 << 20 });
    assert_eq!(error.log().lines[0].message, "spam");
    assert!(error.log().dropped > 0);
}

#[test]
fn a_trap_is_told_with_the_graders_own_words_first() {
    let core = with_text(Core::new().with_log(), "panicked at src/lib.rs:7: boom");
    let panic = "(call $log (i32.const 3) (i32.const 0) (i32.const 30)) unreachable";
    let error = grade(&core.clone().first(panic).build(), &tight()).unwrap_err();
    assert_eq!(error.kind(), "trapped");
    assert_eq!(error.words(), Some("panicked at src/lib.rs:7: boom"));
    let text = error.to_string();
    assert!(
        text.starts_with("panicked at src/lib.rs:7: boom (the grader trapped: ")
            && text.ends_with(" in `grade`)"),
        "{text}"
    );
    assert!(error.fuel().is_some_and(|fuel| fuel > 0));
    assert_eq!(error.blame(), Blame::Grader);

    // What was logged at another level is no explanation.
    let aside = "(call $log (i32.const 1) (i32.const 0) (i32.const 30)) unreachable";
    let error = grade(&core.first(aside).build(), &tight()).unwrap_err();
    assert_eq!(error.words(), None);
    assert!(
        error.to_string().starts_with("the grader trapped: "),
        "{error}"
    );
}

#[test]
fn an_error_of_the_grader_is_its_own_message() {
    let core = with_text(Core::new(), "no summary to grade").body(
        "(i32.store8 (i32.const 64) (i32.const 1))
         (i32.store (i32.const 72) (i32.const 0))
         (i32.store (i32.const 76) (i32.const 19))
         (i32.const 64)",
    );
    let error = grade(&core.build(), &tight()).unwrap_err();
    assert_eq!(error.to_string(), "no summary to grade");
    assert_eq!(error.kind(), "grader_said_error");
}

#[test]
fn tables_and_instances_are_limited() {
    let wasm = Core::new().items(&"(table 1 funcref)".repeat(90)).build();
    assert_eq!(fault(&wasm, &tight()).kind(), "too_many_resources");

    let wasm = Core::new().build();
    let limits = Limits {
        instances: 1,
        ..tight()
    };
    let core = Core::new()
        .with_log()
        .first("(call $log (i32.const 0) (i32.const 0) (i32.const 0))");
    assert_eq!(fault(&core.build(), &limits).kind(), "too_many_resources");
    assert!(grade(&wasm, &tight()).is_ok());
}
