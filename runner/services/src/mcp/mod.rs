//! Tools for models: the services' fakes as the tools of Composio's catalogue,
//! offered over the Model Context Protocol and (in [`crate::composio`]) over
//! Composio's own interface.
//!
//! A tool has typed arguments, from which its schema follows ([`tool`],
//! [`tools`]), and works by making requests to the fakes ([`caller`]): these are
//! handled and listed in the journal as any other request is. [`server`] is what
//! rmcp asks, [`front`] leads the gateway's requests to rmcp and its answers
//! through the world.

mod arguments;
mod caller;
mod front;
mod schema;
mod server;
pub(crate) mod tool;
mod tools;

use std::sync::Arc;

use proctor_types::journal::Via;

pub(crate) use front::Front;
pub(crate) use tool::{Outcome, Problem, Run, Tool, Toolkit, run};

use crate::service::{Answer, Request, Service};
use crate::world::World;

/// Where the server is in every world.
pub(crate) const HOST: &str = "mcp.proctor.test";
/// Its path there.
const PATH: &str = "/mcp";
/// The service's name in the journal.
const NAME: &str = "mcp";
/// Address of the server for clients inside a world.
pub const MCP_URL: &str = "http://mcp.proctor.test/mcp";

/// The server of a world's tools.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mcp;

/// The server as a service.
pub(crate) fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(Mcp)]
}

impl Service for Mcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn owns(&self, host: &str) -> bool {
        host == HOST
    }

    fn owns_path(&self, path: &str) -> bool {
        path == PATH
    }

    fn speaks_mcp(&self, path: &str) -> bool {
        path == PATH
    }

    /// Only for what is not the server's path: that one is the gateway's.
    fn handle(&self, world: &mut World, _: &Request) -> Answer {
        let mut answer = Answer::new(NAME, 404);
        answer.actor = Some(world.account.email.clone());
        answer.body(
            "text/plain; charset=utf-8",
            format!("There is nothing here; the server is at {MCP_URL}.\n"),
        )
    }
}

/// Through which tool something was asked.
pub(crate) fn via(channel: &str, slug: &str) -> Via {
    Via {
        channel: channel.to_owned(),
        tool: slug.to_owned(),
    }
}
