//! The gateway, the journal and the world from outside, with real clients.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

mod attacks;
mod captive;
mod control;
mod google;
mod journal;
mod lasting;
mod limits;
mod mcp;
mod namespace;
mod notes;
mod notion;
mod proxy;
mod rig;
mod upstream;
mod worlds;
