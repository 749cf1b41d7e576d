//! The Rust SDK for graders.
//!
//! A grader is a function from evidence to a verdict:
//!
//! ```
//! use proctor_grader::{Error, Evidence, Verdict, cite, criterion};
//!
//! fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
//!     let mut verdict = Verdict::new();
//!     let notes = evidence.workspace()?.text("notes.md")?;
//!     let written = notes.is_some_and(|text| !text.trim().is_empty());
//!     verdict.add(
//!         criterion("notes_written", "Wrote notes.md")
//!             .category("Files")
//!             .cites(written.then(|| cite::workspace("notes.md")))
//!             .graded(
//!                 f64::from(u8::from(written)),
//!                 if written { "notes.md is there." } else { "There is no notes.md." },
//!             ),
//!     );
//!     Ok(verdict)
//! }
//!
//! proctor_grader::export!(grade);
//! # fn main() {}
//! ```
//!
//! The same code runs in two places. Natively, [`Evidence::open`] reads a
//! bundle directory and [`testing::Bundle`] makes one up, so a grader is tested
//! with plain `cargo test`. Built for `wasm32-unknown-unknown`, [`export!`] makes
//! it a component whose only imports are `proctor:grader/{evidence,log,types}`.
//!
//! Two habits keep a score honest:
//!
//! - **Judge what is, not what was said.** The [journal](Evidence::journal) and
//!   the two snapshots of the world ([mailbox](Evidence::mailbox),
//!   [task lists](Evidence::task_lists)) were written by the runner. The
//!   [transcript](Evidence::transcript) and the
//!   [workspace](Evidence::workspace) were written by the agent.
//! - **An [`Error`] is never the agent's.** It makes the trial `ungraded`. What
//!   the agent failed to do is a criterion with no points and a reason.

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod component;
pub mod diff;
mod error;
mod evidence;
pub mod files;
pub mod journal;
pub mod log;
pub mod mailbox;
pub mod markdown;
#[cfg(not(target_arch = "wasm32"))]
mod native;
pub mod pages;
pub mod python;
pub mod repositories;
mod snapshot;
mod source;
pub mod task_lists;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod text;
pub mod transcript;
pub mod verdict;

pub use error::Error;
pub use evidence::Evidence;
pub use source::File;
pub use verdict::{Question, Verdict, cite, criterion};

pub use proctor_types as types;

/// Makes `fn grade(&Evidence) -> Result<Verdict, Error>` the component's
/// export. Use it once in a grader's crate.
///
/// On other targets than `wasm32` it only checks the function's type, so the
/// crate stays an ordinary library that tests can link.
#[cfg(not(target_arch = "wasm32"))]
#[macro_export]
macro_rules! export {
    ($grade:path) => {
        const _: fn(&$crate::Evidence) -> ::core::result::Result<$crate::Verdict, $crate::Error> =
            $grade;
    };
}

/// Makes `fn grade(&Evidence) -> Result<Verdict, Error>` the component's
/// export. Use it once in a grader's crate.
#[cfg(target_arch = "wasm32")]
#[macro_export]
macro_rules! export {
    ($grade:path) => {
        const _: () = {
            struct Component;
            impl $crate::component::Guest for Component {
                fn grade() -> ::core::result::Result<
                    $crate::component::ExportedVerdict,
                    $crate::component::String,
                > {
                    $crate::component::run($grade)
                }
            }
            $crate::component::export_component!(
                Component with_types_in $crate::component::bindings
            );
        };
    };
}
