//! The compiler's process: this very program, started again by the grading
//! host with limits on its memory and time.

use std::process::ExitCode;

/// First argument of such a process. Not a verb: it is no use to people.
pub(crate) const ARGUMENT: &str = "__compile-grader";

/// Compiles a grader, if that is what this process was started for.
pub(crate) fn child() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == ARGUMENT).then(proctor_engine::grader::compiler_main)
}
