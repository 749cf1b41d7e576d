//! Notion: pages, blocks, databases, comments.
//!
//! `store` holds the state as one tree; `rest` is the API over it, checked
//! by `accept`; `markdown` is what both the Markdown endpoints and seeds
//! are written in. Where Notion's reference says nothing (the order of errors,
//! colours of options, what comes first of two equal results) the behaviour is
//! this module's own.

mod accept;
mod block;
mod id;
mod markdown;
mod property;
mod rest;
mod rich;
mod seed;
mod snapshot;
mod store;

use std::sync::Arc;

pub use store::Notion;

use crate::service::{Answer, Request, Service};
use crate::world::World;

/// Host of the API.
const HOST: &str = "api.notion.com";

/// Notion's API as a service.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotionService;

/// The fakes of Notion.
pub fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(NotionService)]
}

impl Service for NotionService {
    fn name(&self) -> &'static str {
        "notion"
    }

    fn owns(&self, host: &str) -> bool {
        host == HOST
    }

    fn owns_path(&self, path: &str) -> bool {
        rest::is_path(path)
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        rest::answer(world, request)
    }
}

#[cfg(test)]
mod tests;
