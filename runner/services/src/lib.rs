//! The captive world: fake services, gateway, journal.

pub mod google;
pub mod service;
pub mod world;
