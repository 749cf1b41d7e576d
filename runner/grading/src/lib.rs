//! The host for grader components: limits, module cache, validation, scoring.
//!
//! ```no_run
//! use std::path::Path;
//! use proctor_grading::{
//!     Bundle, BundleLimits, Compiler, CompilerCommand, GraderHost, HostConfig, Limits, score,
//!     to_canonical_json,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A command of this program that does nothing but call `compiler_main()`.
//! let compiler = CompilerCommand {
//!     program: std::env::current_exe()?,
//!     args: vec!["internal-compile".into()],
//! };
//! let host = GraderHost::new(HostConfig::new(Compiler::Child(compiler)).cache("modules"));
//! let grader = host.load(&std::fs::read("grader.wasm")?, None)?;
//! let bundle = Bundle::open(Path::new("trial/evidence"), BundleLimits::default())?;
//! let graded = grader.grade_blocking(&bundle, &Limits::default())?;
//! let verdict = score(bundle.task()?, bundle.sha256(), graded.grader, graded.verdict);
//! std::fs::write("trial/verdict.json", to_canonical_json(&verdict)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! A grader sees the bundle and nothing else. It decides what the agent's work
//! is worth; everything that can go wrong on the way to its verdict is a
//! [`GradeError`] of a kind of its own, and none of them is a zero.

pub mod build;
mod bundle;
mod canonical;
mod error;
mod host;
mod limits;
mod log;
pub mod python;
mod score;
mod text;
mod validate;

pub use bundle::{Bundle, BundleLimits, Difference, EvidenceError, EvidenceProblem, Verification};
pub use canonical::to_canonical_json;
pub use error::{Blame, Fault, GradeError};
pub use host::{
    Compiler, CompilerCommand, Graded, Grader, GraderHost, HostConfig, ModuleInfo, compiler_main,
    inspect,
};
pub use limits::{CompileLimits, Limits, ModuleLimits, VerdictLimits};
pub use log::{GradeLog, LogLevel, LogLine};
pub use score::{score, standing, totals};
pub use validate::{RUBRIC, ValidVerdict};
