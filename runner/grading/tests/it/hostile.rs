//! Graders that attack the host while they run: every one is stopped, and
//! every way of being stopped has a kind of its own.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use proctor_grading::{Blame, Bundle, BundleLimits, Fault, Limits, ModuleLimits};

use crate::kit::component::{Core, assemble};
use crate::kit::memory::{RawCriterion, RawVerdict};
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
fn an_endless_loop_runs_out_of_fuel() {
    let wasm = Core::new().first(FOREVER).build();
    assert_eq!(
        fault(&wasm, &tight()),
        Fault::OutOfFuel { limit: 50_000_000 }
    );
}

#[test]
fn an_endless_loop_in_a_start_function_runs_out_of_fuel() {
    let wasm = Core::new()
        .items(&format!("(func $begin {FOREVER}) (start $begin)"))
        .build();
    assert_eq!(
        fault(&wasm, &tight()),
        Fault::OutOfFuel { limit: 50_000_000 }
    );
}

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
    let (graded, pauses) = pauses(grader.grade(&bundle, &limits)).await;
    assert_eq!(*graded.unwrap_err().fault(), Fault::OutOfTime { limit });
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
    let (graded, pauses) = pauses(grader.grade(&bundle, &Limits::default())).await;
    assert!(graded.unwrap().grader.fuel < 100_000);
    assert!(pauses > 1, "{pauses}");
}

#[test]
fn memory_bombs_run_out_of_memory() {
    let big = "(if (i32.eq (i32.const -1) (memory.grow (i32.const 8192))) (then unreachable))";
    let small = "(loop $more
        (if (i32.eq (i32.const -1) (memory.grow (i32.const 1))) (then unreachable))
        (br $more))";
    for bomb in [big, small] {
        let wasm = Core::new().first(bomb).build();
        assert_eq!(
            fault(&wasm, &tight()),
            Fault::OutOfMemory { limit: 16 << 20 }
        );
    }
    let wasm = Core::new()
        .memory("(memory (export \"memory\") 8192)")
        .build();
    assert_eq!(
        fault(&wasm, &tight()),
        Fault::OutOfMemory { limit: 16 << 20 }
    );
}

#[test]
fn memory_is_limited_over_all_memories_together() {
    let several = "(memory (export \"memory\") 100) (memory 100) (memory 100)";
    let wasm = Core::new().memory(several).build();
    assert_eq!(
        fault(&wasm, &tight()),
        Fault::OutOfMemory { limit: 16 << 20 }
    );
}

#[test]
fn a_grader_that_copes_with_less_memory_still_grades() {
    let wasm = Core::new()
        .first("(drop (memory.grow (i32.const 8192)))")
        .build();
    assert!(grade(&wasm, &tight()).is_ok());
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let deeper = "(func $deeper (param i32) (result i32)
        (i32.add (call $deeper (i32.add (local.get 0) (i32.const 1))) (local.get 0)))";
    let wasm = Core::new()
        .items(deeper)
        .first("(drop (call $deeper (i32.const 0)))")
        .build();
    assert_eq!(fault(&wasm, &tight()), Fault::StackOverflow);
}

/// A result `err(text)` of `length` zero bytes at address 1,000,000.
fn long_error(length: u32) -> String {
    format!(
        "(i32.store8 (i32.const 0) (i32.const 1))
         (i32.store (i32.const 8) (i32.const 1000000))
         (i32.store (i32.const 12) (i32.const {length}))
         (i32.const 0)"
    )
}

#[test]
fn a_huge_string_and_a_huge_list_are_too_large_an_answer() {
    let memory = "(memory (export \"memory\") 3300)";
    let limits = Limits {
        memory_bytes: 256 << 20,
        ..tight()
    };
    let wasm = Core::new()
        .memory(memory)
        .body(&long_error(200_000_000))
        .build();
    assert_eq!(
        fault(&wasm, &limits),
        Fault::OutputTooLarge { limit: 1 << 20 }
    );

    // Ten million empty notes.
    let notes = "(i32.store (i32.const 24) (i32.const 1000000))
         (i32.store (i32.const 28) (i32.const 10000000))
         (i32.const 0)";
    let wasm = Core::new().memory(memory).body(notes).build();
    assert_eq!(
        fault(&wasm, &limits),
        Fault::OutputTooLarge { limit: 1 << 20 }
    );

    // A million criteria of zeros.
    let criteria = "(i32.store (i32.const 8) (i32.const 1000000))
         (i32.store (i32.const 12) (i32.const 1000000))
         (i32.const 0)";
    let wasm = Core::new().memory(memory).body(criteria).build();
    assert_eq!(
        fault(&wasm, &limits),
        Fault::OutputTooLarge { limit: 1 << 20 }
    );
}

#[test]
fn a_huge_argument_is_told_apart_from_a_huge_answer() {
    let wasm = Core::new()
        .with_log()
        .memory("(memory (export \"memory\") 200)")
        .first("(call $log (i32.const 1) (i32.const 0) (i32.const 12000000))")
        .build();
    assert_eq!(
        fault(&wasm, &tight()),
        Fault::HostcallBudget { limit: 1 << 20 }
    );
}

#[test]
fn a_flood_of_calls_meets_the_budget_and_a_flood_of_lines_the_quota() {
    let core = with_text(Core::new().with_read(), "workspace/summary.md");
    let flood = "(loop $more
        (call $read (i32.const 0) (i32.const 20) (i32.const 64)) (br $more))";
    let limits = Limits {
        hostcall_bytes: 100_000,
        ..tight()
    };
    assert_eq!(
        fault(&core.first(flood).build(), &limits),
        Fault::HostcallBudget { limit: 100_000 }
    );

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
fn a_panic_of_a_megabyte_is_cut_but_still_a_panic() {
    let core = Core::new()
        .with_log()
        .memory("(memory (export \"memory\") 40)")
        .first(
            "(memory.fill (i32.const 100000) (i32.const 120) (i32.const 1000000))
         (call $log (i32.const 3) (i32.const 100000) (i32.const 1000000)) unreachable",
        );
    let error = grade(&core.build(), &tight()).unwrap_err();
    assert_eq!(error.kind(), "trapped");
    let text = error.to_string();
    assert!(
        text.starts_with("xxxx") && text.len() < 10_000,
        "{} bytes",
        text.len()
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
fn breaking_the_calling_convention_is_not_a_verdict() {
    let bad_text = with_text(Core::new(), "\\ff\\fe\\fd").body(
        "(i32.store8 (i32.const 64) (i32.const 1))
         (i32.store (i32.const 72) (i32.const 0))
         (i32.store (i32.const 76) (i32.const 3))
         (i32.const 64)",
    );
    let outside = Core::new().body(
        "(i32.store8 (i32.const 64) (i32.const 1))
         (i32.store (i32.const 72) (i32.const 0xfffffff0))
         (i32.store (i32.const 76) (i32.const 100))
         (i32.const 64)",
    );
    let no_such_case = RawVerdict {
        criteria: vec![RawCriterion {
            status: 9,
            ..RawCriterion::default()
        }],
        ..RawVerdict::default()
    };
    let result_outside = Core::new().body("(i32.const -8)");
    for core in [
        bad_text,
        outside,
        Core::returning(&no_such_case),
        result_outside,
    ] {
        let found = fault(&core.build(), &tight());
        assert_eq!(found.kind(), "abi_violation", "{found}");
    }
}

#[test]
fn tables_and_instances_are_limited() {
    let table = "(table $table 1 funcref)";
    let grow = "(loop $more
        (if (i32.eq (i32.const -1) (table.grow $table (ref.null func) (i32.const 1000)))
          (then unreachable))
        (br $more))";
    let wasm = Core::new().items(table).first(grow).build();
    assert_eq!(fault(&wasm, &tight()).kind(), "too_many_resources");

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

#[test]
fn modules_that_would_bomb_the_compiler_are_refused_before_it_sees_them() {
    let small = ModuleLimits::default();
    let refused = |wasm: &[u8]| proctor_grading::inspect(wasm, &small).unwrap_err();

    let long = format!("(func {})", "(drop (i32.const 1000000))".repeat(300_000));
    let fault = refused(&Core::new().items(&long).build());
    assert!(matches!(
        fault,
        Fault::ModuleTooLarge {
            what: "the length of a function in bytes",
            ..
        }
    ));

    let many = "(func)".repeat(100_000);
    let fault = refused(&Core::new().items(&many).build());
    assert!(matches!(
        fault,
        Fault::ModuleTooLarge {
            what: "its number of functions",
            ..
        }
    ));

    let modules = format!("(component {})", "(core module)".repeat(300));
    let fault = refused(&assemble(&modules));
    assert!(matches!(
        fault,
        Fault::ModuleTooLarge {
            what: "its number of modules",
            ..
        }
    ));

    let wasm = Core::new().build();
    let tiny = ModuleLimits {
        bytes: wasm.len() - 1,
        ..small
    };
    let fault = proctor_grading::inspect(&wasm, &tiny).unwrap_err();
    assert!(
        matches!(
            fault,
            Fault::ModuleTooLarge {
                what: "the module",
                ..
            }
        ),
        "{fault}"
    );
}
