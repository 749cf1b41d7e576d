//! The child process that compiles a grader, as the tests use it. `proctor`
//! has the same behind a verb of its own.

fn main() -> std::process::ExitCode {
    proctor_grading::compiler_main()
}
