//! Why a grader could not be built.

use std::path::PathBuf;

/// Why a grader could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The directory holds no crate.
    #[error("`{}` has no Cargo.toml: give the directory of a grader's crate", dir.display())]
    NoCrate {
        /// The directory.
        dir: PathBuf,
    },
    /// No toolchain on this machine can build for WebAssembly.
    #[error(
        "no Rust toolchain here can build for {target}:\n{}\nInstall the target with\n    rustup target add {target}\nor, on Debian and Ubuntu, a compiler that comes with the standard library's sources:\n    apt-get install rustc-web cargo-web rust-web-src lld",
        tried.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n"),
        target = super::TARGET
    )]
    NoToolchain {
        /// What was looked for, and what was found instead.
        tried: Vec<String>,
    },
    /// A build tool could not be started.
    #[error("`{program}` could not be run: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A build tool failed.
    #[error("`{program}` failed ({status}):\n{output}")]
    Tool {
        /// The program and its first arguments.
        program: String,
        /// Its exit status.
        status: std::process::ExitStatus,
        /// The end of what it wrote to standard error.
        output: String,
    },
    /// A build tool answered with something unexpected.
    #[error("`{program}` answered with something unexpected: {problem}")]
    Answer {
        /// The program and its first arguments.
        program: String,
        /// What was expected.
        problem: String,
    },
    /// A file of the build could not be read or written.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The module cannot be wrapped as a component.
    #[error("the module cannot be made a component: {problem}")]
    Encode {
        /// What went wrong.
        problem: String,
    },
    /// The component is none of the grader contract.
    #[error("the component is no grader: {problem}")]
    NoGrader {
        /// What is missing, and what to do.
        problem: String,
    },
    /// The component wants more than a grader may have.
    #[error(
        "the component imports {}: a grader may import only proctor:grader/evidence, log and types. Remove what needs them (clocks, randomness, files, sockets)",
        imports.join(", ")
    )]
    ForeignImports {
        /// The imports that a grader may not have.
        imports: Vec<String>,
    },
}
