//! Grading with a few lines of Python.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proctor_grading::python::{PythonGrader, Script};
use proctor_grading::{
    Bundle, Compiler, GradeError, Graded, GraderHost, HostConfig, Limits, LogLevel,
};

use crate::kit::bundle::Builder;
use crate::kit::compiler;

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

/// A host whose cache is the one of the whole test run: the component is
/// compiled once for all tests.
pub(crate) fn host() -> &'static GraderHost {
    static HOST: OnceLock<GraderHost> = OnceLock::new();
    HOST.get_or_init(|| {
        let cache = target().join("test-cache/proctor/modules");
        GraderHost::new(HostConfig::new(Compiler::Child(compiler())).cache(cache))
    })
}

pub(crate) fn component() -> Vec<u8> {
    let path = target().join("proctor-python.wasm");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{error}: run `make python`"))
}

/// A script that begins in line 10 of `task.md`.
pub(crate) fn load(source: &str) -> PythonGrader {
    let script = Script::new(source, "task.md", 10);
    PythonGrader::load(host(), &component(), &script).unwrap()
}

pub(crate) fn grade_in(
    source: &str,
    bundle: &Bundle,
    limits: &Limits,
) -> Result<Graded, GradeError> {
    load(source).grade_blocking(bundle, limits)
}

/// Grades the little bundle with a whole source.
pub(crate) fn grade(source: &str) -> Result<Graded, GradeError> {
    let (_directory, bundle) = Builder::new().open();
    grade_in(source, &bundle, &Limits::python())
}

/// Values by id.
pub(crate) fn values(graded: &Graded) -> Vec<(String, f64)> {
    let criteria = graded.verdict.criteria.iter();
    criteria
        .map(|one| (one.id.clone(), one.points.unwrap()))
        .collect()
}

/// The values that a source gives on the little bundle.
pub(crate) fn given(source: &str) -> Vec<(String, f64)> {
    match grade(source) {
        Ok(graded) => values(&graded),
        Err(error) => panic!("{error}\n{:?}", error.log().lines),
    }
}

/// The values that a body of `grade` gives.
pub(crate) fn body(body: &str) -> Vec<(String, f64)> {
    given(&function(body))
}

/// `def grade` with this body.
pub(crate) fn function(body: &str) -> String {
    let lines: Vec<String> = body.lines().map(|line| format!("    {line}")).collect();
    format!(
        "def grade(transcript, workspace_path):\n{}\n",
        lines.join("\n")
    )
}

/// Why a source gives no verdict.
pub(crate) fn refused(source: &str) -> GradeError {
    match grade(source) {
        Ok(graded) => panic!("it graded: {graded:?}"),
        Err(error) => error,
    }
}

/// What was printed, errors included.
pub(crate) fn printed(graded: &Graded) -> Vec<(LogLevel, String)> {
    let lines = graded.log.lines.iter();
    lines
        .map(|line| (line.level, line.message.clone()))
        .collect()
}

pub(crate) fn pairs(values: &[(&str, f64)]) -> Vec<(String, f64)> {
    values
        .iter()
        .map(|(id, points)| ((*id).to_owned(), *points))
        .collect()
}
