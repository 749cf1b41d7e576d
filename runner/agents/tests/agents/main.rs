//! The agents against rooms of memory and of real processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod capture_limits;
mod cli;
mod command;
mod ends;
mod homes;
mod install;
mod live;
mod npm;
mod recorded;
mod rooms;
mod scripted;
