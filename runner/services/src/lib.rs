//! The captive world: fake services, the gateway in front of them, and the
//! journal of what they were asked.
//!
//! A [`World`] is the state of every fake of one trial, made from the task's
//! seed folder. A [`WorldHandle`] puts it to use: requests are answered one at
//! a time, and each is listed in the journal. A [`Gateway`] leads clients to
//! it: an agent's whole network ([`Gateway::spawn_captive`]), a proxy
//! ([`Gateway::spawn_proxy`]) or one plain port ([`Gateway::spawn_plain`]).
//!
//! A fake is a [`Service`]: a function from world and request to answer.
//! Nothing is shared between worlds, so one process holds thousands of them.
//!
//! ```no_run
//! # use proctor_services::*;
//! # async fn example(seed: cap_std::fs::Dir) -> Result<(), Box<dyn std::error::Error>> {
//! let world = World::seed(&seed, &SeedOptions { services: vec!["google".into()], ..SeedOptions::default() })?;
//! let config = GatewayConfig::new(world.services());
//! let handle = WorldHandle::new(world, JournalCaps::default());
//! let gateway = Gateway::new(handle.clone(), config)?;
//! gateway.spawn_plain(std::net::TcpListener::bind("127.0.0.1:8080")?)?;
//! // ... a client does its work ...
//! gateway.shutdown().await;
//! let evidence = handle.evidence();
//! # Ok(())
//! # }
//! ```

mod composio;
mod env;
mod evidence_text;
mod gateway;
pub mod github;
pub mod google;
mod handle;
mod journal;
mod journal_entry;
mod mcp;
mod memo;
pub mod notion;
mod redact;
pub mod service;
pub mod world;

pub use env::{client_env, config_env, proxy_env, trust_env};
pub use gateway::{
    CaptiveListeners, Gateway, GatewayConfig, GatewayError, GatewayLimits, Upstream,
    UpstreamAnswer, UpstreamBody,
};
pub use handle::{Evidence, Fault, WorldHandle};
pub use journal::{JournalCaps, WhenFull};
pub use mcp::MCP_URL;
pub use service::{Answer, Request, Scheme, Service};
pub use world::{SeedError, SeedOptions, World};
