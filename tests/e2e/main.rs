//! Whole runs of the real `proctor`, by topic.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test that cannot go on says where; points are compared as they are written"
)]

mod clients;
mod faults;
mod honesty;
mod packs;
mod probes;
mod regrade;
mod trial;
