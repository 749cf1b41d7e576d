//! The captive world: fake services, gateway, journal.
