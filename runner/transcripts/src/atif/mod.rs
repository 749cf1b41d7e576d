//! ATIF, Harbor's trajectory format: read in its versions 1.0 to 1.8, written
//! in 1.7.
//!
//! What is written was validated with Harbor's own model
//! (`harbor.models.trajectories`, `harbor` 0.26.0 of `PyPI`), for every sample of
//! this crate's tests; the rules that it checks are checked in the tests here
//! too, without it.

mod read;
mod write;

pub(crate) use read::read;
pub use write::{AtifAgent, to_atif};

/// The version that is written.
const WRITTEN: &str = "ATIF-v1.7";
/// Before the number of a version.
const VERSION: &str = "ATIF-v1.";
/// The last version that is read.
const NEWEST: u32 = 8;
