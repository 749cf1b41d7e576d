//! Every hostile grader of `tests/hostile/graders`, each in a test of its own:
//! it comes to its own end, says so, twice in the same words, and changes
//! nothing for the honest grader after it.

mod source;
mod table;

use std::collections::BTreeSet;
use std::time::Duration;

use proctor_grading::{
    Blame, Bundle, CompileLimits, Compiler, GradeError, GradeLog, GraderHost, HostConfig, Limits,
};
use tempfile::TempDir;

use crate::kit::bundle::Builder;
use crate::kit::compiler;
use crate::kit::component::Core;

/// A hostile grader and what has to come of it.
struct Expected {
    name: &'static str,
    /// Kind of the failure, or `graded` for one that has no effect.
    kind: &'static str,
    /// What the message says, among other things.
    says: &'static str,
}

macro_rules! graders {
    ($($test:ident: $kind:ident $says:literal;)*) => {
        $(#[test]
        fn $test() {
            check(&expected(stringify!($test), stringify!($kind), $says));
        })*

        fn all() -> Vec<Expected> {
            vec![$(expected(stringify!($test), stringify!($kind), $says)),*]
        }
    };
}

fn expected(test: &str, kind: &'static str, says: &'static str) -> Expected {
    Expected {
        name: test.replace('_', "-").leak(),
        kind,
        says,
    }
}

graders! {
    // Time.
    endless_loop: out_of_fuel "the limit is 200000000";
    endless_start: out_of_fuel "the limit is 200000000";
    endless_beside: out_of_fuel "the limit is 200000000";
    endless_tail_call: out_of_fuel "the limit is 200000000";
    endless_realloc: out_of_fuel "the limit is 200000000";
    endless_afterwards: out_of_fuel "the limit is 200000000";
    bulk_memory: out_of_fuel "the limit is 200000000";
    transcoding: out_of_time "the limit is 0.5 s";
    call_flood: hostcall_budget "the limit is 1073741824 bytes";
    sleeps: trapped "panicked at ";
    wasi_sleep: grader_said_error "slept well";
    wasi_input: hostcall_budget "the limit is 67108864 bytes";
    wasi_poll: abi_violation "the list is empty";

    // Memory and other resources.
    memory_bomb: out_of_memory "the limit is 268435456 bytes";
    memory_at_once: out_of_memory "the limit is 268435456 bytes";
    memory_declared: out_of_memory "the limit is 268435456 bytes";
    memories_together: out_of_memory "the limit is 268435456 bytes";
    many_memories: too_many_resources "memory count too high";
    table_bomb: too_many_resources "the limit is 200000";
    table_declared: module_too_large "tables begin with is 10000000";
    instance_bomb: too_many_resources "instance count too high";
    handle_bomb: too_many_resources "cannot allocate another handle";
    handles_in_call: too_many_resources "cannot allocate another handle";
    deep_recursion: stack_overflow "overflowed its stack";
    deep_frames: trapped "out of bounds memory access";
    huge_frames: stack_overflow "overflowed its stack";
    wasi_handle_bomb: too_many_resources "";
    wasi_scratch_bomb: grader_said_error "it is full";
    wasi_gap_bomb: hostcall_budget "the limit is 268435456 bytes";
    wasi_listing_bomb: grader_said_error "no more to list";
    wasi_random_bomb: hostcall_budget "";

    // What it says.
    huge_string: output_too_large "the limit is 8388608 bytes";
    long_list: output_too_large "the limit is 8388608 bytes";
    shared_text: output_too_large "the limit is 8388608 bytes";
    criteria_bomb: out_of_memory "the limit is 268435456 bytes";
    criteria_list: output_too_large "the limit is 8388608 bytes";
    adjustments_bomb: invalid_verdict "it has 10000 adjustments; at most 50 may be";
    huge_argument: hostcall_budget "the limit is 8388608 bytes";
    log_flood: log_quota "the limit is 16777216 bytes";
    wasi_stdout_flood: log_quota "the limit is 16777216 bytes";
    wasi_stderr_lines: log_quota "the limit is 16777216 bytes";
    trap: trapped "panicked at ";
    panic_megabyte: trapped "much ado much ado";
    panic_escapes: trapped "score 1.0";
    name_with_escapes: trapped "`\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{202e}`";
    trap_afterwards: trapped "unreachable";
    wasi_exit: exited "status 0";

    // Verdicts.
    nan_points: invalid_verdict "points are NaN";
    infinite_points: invalid_verdict "max is inf";
    points_above_max: invalid_verdict "points are 1.5";
    negative_max: invalid_verdict "max is -1";
    bonus: invalid_verdict "points are -100";
    nan_penalty: invalid_verdict "points are NaN";
    thresholds: invalid_verdict "`pass` is -1";
    empty_verdict: invalid_verdict "0 criteria";
    duplicate_ids: invalid_verdict "the id is taken";
    reused_id: invalid_verdict "the id is taken";
    rubrics_id: invalid_verdict "the id is taken";
    judges_category: invalid_verdict "`rubric` is the judge's";
    claims_judged: abi_violation "unexpected discriminant: 3";
    citation_to_nowhere: invalid_verdict "`journal:4000000000` points at nothing";

    // The calling convention.
    invalid_text: abi_violation "utf-8";
    invalid_log: abi_violation "utf-8";
    invalid_level: abi_violation "unexpected discriminant: 77";
    surrogates: abi_violation "unpaired surrogate";
    text_outside: abi_violation "out of bounds";
    answer_outside: abi_violation "out of bounds";
    answer_askew: abi_violation "not aligned";
    unknown_case: abi_violation "discriminant";
    realloc_outside: abi_violation "beyond end of memory";
    realloc_askew: abi_violation "not aligned";
    realloc_overlapping: grader_said_error "still here";
    realloc_calls_back: trapped "cannot leave component instance";

    // What it wants to have.
    outside_the_bundle: grader_said_error "none of 18 paths led outside";
    asks_the_system: grader_said_error "read: Unsupported, list: Unsupported, write: Unsupported, \
        link: Unsupported, run: Unsupported, connect: Unsupported, listen: Unsupported, \
        thread: Unsupported";
    asks_the_time: trapped "panicked at ";
    wasi_files: grader_said_error "from /: reached []; the summary has 22 bytes";
    wasi_surroundings: grader_said_error "([], [], None) false false (1767225601, 0)";
    wasi_sockets: hostcall_budget "the limit is 8388608 bytes";
    imports_http: forbidden_import "`wasi:http/outgoing-handler@0.2.0`";
    imports_nested: forbidden_import "`hidden`";
    import_with_escapes: forbidden_import "`wasi:http/\\u{1b}[31m\\u{7}\\u{202e}@0.2.0`";
    long_import: forbidden_import "more bytes";
    many_imports: module_too_large "its number of imports is 1001";
    values: forbidden_import "`secret`";
    squatted_type: wrong_abi "export `log` has the wrong type";
    squatted_wasi: wrong_abi "export `get-environment`";
    squatted_function: wrong_abi "export `solution`";

    // What it is.
    core_module: not_a_component "a core module";
    other_contract: wrong_abi "`proctor:grader@2.0.0`";
    other_export: wrong_abi "expected `result` found `u32`";
    twin_exports: compile_failed "export name `grade` conflicts";
    cut_in_half: compile_failed "unexpected end";
    ill_typed: compile_failed "nothing on stack";
    memory64: compile_failed "memory64";
    shared_memory: compile_failed "threads";
    atomics: compile_failed "threads";
    garbage: compile_failed "gc types";
    foreign_references: compile_failed "gc types";
    exceptions: compile_failed "exceptions";
    stack_switching: compile_failed "stack switching";
    page_size: compile_failed "custom page sizes";
    asynchronous: compile_failed "async";
    streams: compile_failed "async";
    threads: compile_failed "threading";

    // The compiler.
    huge_module: module_too_large "the module is 67108865; the limit is 67108864";
    huge_function: module_too_large "the length of a function in bytes is 29360129";
    many_functions: module_too_large "its number of functions is 100003";
    many_components: module_too_large "its number of modules is 257";
    many_types: module_too_large "its number of types is 1000006";
    doubling_instances: module_too_large "its number of instances is 1023";
    handed_components: module_too_large "components that others are handed";
    doubling_types: compile_failed "effective type size exceeds the limit";
    deep_types: compile_failed "type nesting is too deep";
    deep_declarations: compile_limits "nested too deeply for the compiler's stack";
    doubling_interfaces: compile_failed "effective type size exceeds the limit";
    sparse_tables: module_too_large "tables begin with is 1048576";
    sparse_data: compile_limits "the result is longer than";
    code_bomb: compile_limits "processor time";
    locals_bomb: compile_limits "processor time";
    jump_tables: compile_limits "processor time";
    data_outside: trapped "out of bounds memory access";
    deep_components: graded "";
    huge_data: graded "";
    custom_section: graded "";
}

/// The limits that users get, except that what would never end gets less of
/// what it spends.
fn limits_of(name: &str) -> Limits {
    let mut limits = Limits::default();
    if name.starts_with("endless-") || name == "bulk-memory" {
        limits.fuel = 200_000_000;
    }
    if name == "transcoding" {
        limits.time = Duration::from_millis(500);
    }
    match name {
        "wasi-input" => limits.hostcall_bytes = 64 << 20,
        "wasi-gap-bomb" => limits.hostcall_bytes = 256 << 20,
        _ => {}
    }
    limits
}

/// What the hostile graders get to see.
fn evidence() -> (TempDir, Bundle) {
    let large = "a line of a large file\n".repeat(200_000);
    Builder::new().file("workspace/large.txt", large).open()
}

/// A host as users have it, except that a grader which keeps the compiler busy
/// is given up earlier.
fn host() -> HostConfig {
    HostConfig {
        compile: CompileLimits {
            cpu_seconds: 3,
            ..CompileLimits::default()
        },
        ..HostConfig::new(Compiler::Child(compiler()))
    }
}

/// What came of a grader, for comparison.
#[derive(Debug, PartialEq)]
struct Outcome {
    kind: &'static str,
    message: String,
    words: Option<String>,
    log: GradeLog,
    fuel: Option<u64>,
}

fn attempt(host: &GraderHost, name: &str, wasm: &[u8], bundle: &Bundle) -> Outcome {
    let graded = host
        .load(wasm, None)
        .and_then(|grader| grader.grade_blocking(bundle, &limits_of(name)));
    match graded {
        Ok(graded) => Outcome {
            kind: "graded",
            message: String::new(),
            words: None,
            log: graded.log,
            fuel: Some(graded.grader.fuel),
        },
        Err(error) => failed(&error),
    }
}

fn failed(error: &GradeError) -> Outcome {
    assert_eq!(error.blame(), Blame::Grader, "{error}");
    Outcome {
        kind: error.kind(),
        message: error.to_string(),
        words: error.words().map(str::to_owned),
        log: error.log().clone(),
        fuel: error.fuel(),
    }
}

impl Expected {
    fn meets(&self, found: &Outcome) {
        let Self { name, kind, says } = self;
        let message = &found.message;
        assert_eq!(found.kind, *kind, "{name}: {message}");
        assert!(message.contains(says), "{name}: {message}");
        if let Some(words) = &found.words {
            let start: String = words.chars().take(100).collect();
            assert!(message.starts_with(&start), "{name}: its words come first");
        }
        assert!(message.len() < 10_000, "{name}: {} bytes", message.len());
        let lines = found.log.lines.iter().map(|line| line.message.as_str());
        for text in lines.chain([message.as_str()]) {
            assert!(!text.contains(is_unsafe), "{name}: {text:?}");
        }
    }
}

fn is_unsafe(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
        || ('\u{202a}'..='\u{202e}').contains(&character)
        || ('\u{2066}'..='\u{2069}').contains(&character)
}

fn check(expected: &Expected) {
    let wasm = source::component(expected.name);
    let (_directory, bundle) = evidence();
    let cache = source::repository().join("target/test-cache/hostile");
    let host = GraderHost::new(host().cache(cache));
    let honest = Core::new().build();
    // What stays loaded runs in the pool from the second time on.
    let _loaded = [&honest, &wasm].map(|wasm| host.load(wasm, None));
    let before = attempt(&host, "honest", &honest, &bundle);
    assert_eq!(before.kind, "graded", "{}", before.message);

    let found = attempt(&host, expected.name, &wasm, &bundle);
    expected.meets(&found);
    // Where the clock decides, nothing but the decision is the same.
    if expected.kind != "out_of_time" {
        let again = attempt(&host, expected.name, &wasm, &bundle);
        assert_eq!(found, again, "in the pool it was another");
    }
    assert_eq!(before, attempt(&host, "honest", &honest, &bundle));
}

#[test]
fn every_hostile_grader_is_tried() {
    let tried: BTreeSet<String> = all().iter().map(|one| one.name.to_owned()).collect();
    assert_eq!(source::names(), tried);
}
