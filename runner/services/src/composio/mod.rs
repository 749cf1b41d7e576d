//! Composio's own interface (`backend.composio.dev`), as far as its clients use
//! it to give an agent tools: sessions, the tools of one, executing them.
//!
//! The tools are those of [`crate::mcp`]. Every account is connected from the
//! beginning, and nothing is asked of the user.

mod meta;
mod rest;
mod search;
mod sessions;
mod tools;

use std::sync::Arc;

use http::Method;
use serde_json::json;

pub(crate) use sessions::Sessions;

use crate::mcp::{Problem, Tool, tool};
use crate::service::{Answer, Request, Service};
use crate::world::World;

/// Host of the interface.
pub(crate) const HOST: &str = "backend.composio.dev";
/// The service's name in the journal.
const NAME: &str = "composio";
/// How tools are called here, for the journal.
const CHANNEL: &str = "composio";

/// The fake.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Composio;

/// The fake as a service.
pub(crate) fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(Composio)]
}

impl Service for Composio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn owns(&self, host: &str) -> bool {
        host == HOST
    }

    fn owns_path(&self, path: &str) -> bool {
        rest::path_of(path).is_some() || session_of(path).is_some()
    }

    fn speaks_mcp(&self, path: &str) -> bool {
        session_of(path).is_some()
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        let mut answer = if key_of(request).is_none() {
            Refusal::key().answer()
        } else {
            rest::answer(world, request).unwrap_or_else(|refusal| refusal.answer())
        };
        answer.operation = rest::operation(&request.method, &request.path);
        let named = answer
            .parts
            .first()
            .and_then(|(_, first)| first.actor.clone());
        answer.actor = Some(named.unwrap_or_else(|| world.account.email.clone()));
        answer.lasting |= request.method == Method::GET;
        answer
    }
}

/// The session whose MCP server a path is: `/tool_router/ID/mcp`.
pub(crate) fn session_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/tool_router/")?;
    let id = rest.strip_suffix("/mcp")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// The answer to a request that may not use the MCP server of a session.
pub(crate) fn refusal(world: &World, request: &Request, session: &str) -> Option<Answer> {
    let refusal = if key_of(request).is_none() && request.bearer().is_none() {
        Refusal::key()
    } else if world.composio.get(session).is_none() {
        Refusal::session(session)
    } else {
        return None;
    };
    Some(refusal.answer())
}

/// The session whose MCP server a path is, where there is such a session.
fn session_at<'w>(world: &'w World, path: &str) -> Option<&'w sessions::Session> {
    session_of(path).and_then(|id| world.composio.get(id))
}

/// The tools of an MCP server: at the address of a session those that it may
/// use, elsewhere all that the world has.
pub(crate) fn tools_at(world: &World, path: &str) -> Vec<&'static Tool> {
    match session_at(world, path) {
        Some(session) => session.tools(world),
        None => tool::offered(world).collect(),
    }
}

/// Of those, the one with this name.
pub(crate) fn tool_at(world: &World, path: &str, slug: &str) -> Result<&'static Tool, Problem> {
    match session_at(world, path) {
        Some(session) => {
            let tool = session.tool(world, slug);
            tool.map_err(|refusal| Problem::new(refusal.text()))
        }
        None => tool::find(world, slug),
    }
}

/// The key of a request: any that is not empty is the account's.
fn key_of(request: &Request) -> Option<&str> {
    ["x-api-key", "x-user-api-key"]
        .into_iter()
        .find_map(|name| request.header(name).map(str::trim))
        .filter(|key| !key.is_empty())
}

/// A refusal: `{"error": {"message", "slug", "status", "code", ...}}`.
#[derive(Debug)]
struct Refusal {
    status: u16,
    slug: &'static str,
    message: String,
    fix: String,
}

impl Refusal {
    fn new(status: u16, slug: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            slug,
            message: message.into(),
            fix: String::new(),
        }
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }

    fn key() -> Self {
        Self::new(401, "HTTP_Unauthorized", "No API key was sent.")
            .fix("Send any key in the x-api-key header.")
    }

    fn session(id: &str) -> Self {
        let shown: String = id.chars().take(80).collect();
        Self::new(
            404,
            "ToolRouterV2_SessionNotFound",
            format!("There is no session {shown}."),
        )
        .fix("Create one with POST /api/v3.1/tool_router/session.")
    }

    fn body(what: impl Into<String>) -> Self {
        Self::new(400, "HTTP_BadRequest", what)
    }

    /// What is wrong and what to do about it, for a model.
    fn text(&self) -> String {
        format!("{} {}", self.message, self.fix).trim().to_owned()
    }

    fn answer(&self) -> Answer {
        let body = json!({"error": {
            "message": self.message,
            "code": u32::from(self.status) * 10,
            "slug": self.slug,
            "status": self.status,
            "suggested_fix": self.fix,
        }});
        json_answer(self.status, &body)
    }
}

impl From<Problem> for Refusal {
    /// A tool that is not there.
    fn from(problem: Problem) -> Self {
        Self::new(404, "Tool_ToolNotFound", problem.text)
    }
}

fn json_answer(status: u16, body: &serde_json::Value) -> Answer {
    let body = serde_json::to_vec(body).unwrap_or_default();
    Answer::new(NAME, status).body("application/json; charset=utf-8", body)
}
