//! What the tests are made with.

pub(crate) mod bundle;
pub(crate) mod component;
pub(crate) mod memory;
pub(crate) mod trial;

use std::path::PathBuf;

use proctor_grading::{
    Bundle, Compiler, CompilerCommand, Fault, GradeError, Graded, Grader, GraderHost, HostConfig,
    Limits,
};

/// A host that compiles in this process.
pub(crate) fn host() -> GraderHost {
    GraderHost::new(HostConfig::new(Compiler::InProcess))
}

/// The child process that compiles.
pub(crate) fn compiler() -> CompilerCommand {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(std::path::Path::parent).unwrap();
    let program: PathBuf = target.join("examples/compiler");
    assert!(
        program.exists(),
        "missing {}: run `cargo build -p proctor-grading --example compiler`",
        program.display()
    );
    CompilerCommand {
        program,
        args: Vec::new(),
    }
}

pub(crate) fn load(wasm: &[u8]) -> Result<Grader, GradeError> {
    host().load(wasm, None)
}

/// Grades the little bundle with a component.
pub(crate) fn grade(wasm: &[u8], limits: &Limits) -> Result<Graded, GradeError> {
    let (_directory, bundle) = bundle::Builder::new().open();
    grade_bundle(wasm, &bundle, limits)
}

pub(crate) fn grade_bundle(
    wasm: &[u8],
    bundle: &Bundle,
    limits: &Limits,
) -> Result<Graded, GradeError> {
    load(wasm)?.grade_blocking(bundle, limits)
}

/// The fault of a component that does not come to a verdict.
pub(crate) fn fault(wasm: &[u8], limits: &Limits) -> Fault {
    match grade(wasm, limits) {
        Ok(graded) => panic!("it graded: {graded:?}"),
        Err(error) => error.fault().clone(),
    }
}
