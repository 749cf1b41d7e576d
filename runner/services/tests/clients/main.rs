//! Real clients against a seeded world, through the proxy. The same clients are
//! run inside the sandbox by the tests of the whole.
//!
//! They are looked for among the tools of this checkout (`tools/setup.sh test`
//! puts them there) and on the `PATH`.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

mod gh;
mod git;
mod graphql;
mod gws;
mod hydra;
mod kit;
mod libraries;
mod mcp;
