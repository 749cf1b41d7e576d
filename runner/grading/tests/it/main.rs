//! The grading crate from outside: bundles that lie, graders that attack, a
//! cache that was tampered with.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bundle;
mod compile;
mod fixtures;
mod grade;
mod hostile;
mod hostile_graders;
mod kit;
mod modules;
mod pool;
mod probes;
mod python;
mod verdict;
