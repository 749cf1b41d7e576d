//! Whole runs of the real `proctor`, by topic.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test that cannot go on says where; points are compared as they are written"
)]

mod attempts;
mod check;
mod clients;
mod faults;
mod honesty;
mod lock;
mod models;
mod new;
mod nightshift;
mod packs;
mod probes;
mod python;
mod regrade;
mod reports;
mod transcripts;
mod trial;
mod verify;
