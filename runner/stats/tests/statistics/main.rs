//! The statistics from outside: against another implementation, and what holds always.

#![allow(clippy::unwrap_used)] // The helpers of tests are tests too.

mod properties;
mod reference;
mod support;
