//! The captive world: fake services, the gateway in front of them, and the
//! journal of what they were asked.

pub mod google;
pub mod service;
pub mod world;

pub use service::{Answer, Request, Scheme, Service};
pub use world::{SeedError, SeedOptions, World};
