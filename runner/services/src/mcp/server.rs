//! What rmcp asks of a server: who it is, which tools it has, and to call one.

use std::sync::{Arc, OnceLock};

use http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, RequestId, ServerCapabilities, ServerConfig, ServerJsonRpcMessage,
    ServerResult, Tool as Described, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::tool::{Run, Tool, run};
use super::{NAME, tools, via};
use crate::composio;
use crate::handle::WorldHandle;
use crate::service::{Answer, Request, Service};
use crate::world::World;

/// How tools are called here, for the journal.
const CHANNEL: &str = "mcp";

/// What a model is told of the server as a whole.
const INSTRUCTIONS: &str = "Tools for the account's mail (GMAIL_), repositories (GITHUB_) and \
    workspace pages (NOTION_). Every result is {successful, error, data}; where `successful` is \
    false, `error` says what to do.";

/// One HTTP request on its way through rmcp, which the handler finds in the
/// request's extensions.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) request: Request,
    /// What the world has answered, if it was asked.
    pub(super) answer: OnceLock<Answer>,
}

/// The server of one world, as rmcp sees it.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) world: WorldHandle,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("proctor", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Described> {
        tools::all().find(|tool| tool.slug == name).map(described)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let path = &exchange_of(&context)?.request.path;
        let tools = self.world.look(|world| composio::tools_at(world, path));
        let tools = tools.into_iter().map(described).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let exchange = exchange_of(&context)?;
        let version = context.protocol_version();
        let call = Call {
            slug: params.name.into_owned(),
            arguments: params.arguments.unwrap_or_default(),
            id: context.id.clone(),
            names_type: version.is_some_and(|it| it >= ProtocolVersion::V_2026_07_28),
            result: OnceLock::new(),
        };
        let answer = self.world.answer(&call, &exchange.request);
        // Two answers to one request cannot be: it is sent through rmcp once.
        let _ = exchange.answer.set(answer);
        match call.result.into_inner() {
            Some(result) => Ok(result.into()),
            // The world was not asked: the answer says why.
            None => Err(ErrorData::internal_error("the world does not answer", None)),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method with parameters of the wrong shape comes here, too.
        if request.method == "tools/call" {
            return Err(ErrorData::invalid_params(
                "tools/call takes `name`, the tool's name, and `arguments`, an object",
                None,
            ));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            request.method,
            None,
        ))
    }
}

/// The HTTP request that a message came in.
fn exchange_of(context: &RequestContext<RoleServer>) -> Result<&Exchange, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let exchange = parts.and_then(|parts| parts.extensions.get::<Arc<Exchange>>());
    exchange
        .map(AsRef::as_ref)
        .ok_or_else(|| ErrorData::internal_error("the request is lost", None))
}

/// A tool as the protocol describes it.
fn described(tool: &'static Tool) -> Described {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.reads)
        .open_world(false);
    Described::new(tool.slug, tool.description(), Arc::clone(tool.schema()))
        .with_title(tool.title)
        .with_annotations(annotations)
}

/// One call of a tool, as something that the world answers.
struct Call {
    slug: String,
    arguments: JsonObject,
    id: RequestId,
    /// Whether results name their type (from 2026-07-28).
    names_type: bool,
    result: OnceLock<CallToolResult>,
}

impl Service for Call {
    fn name(&self) -> &'static str {
        NAME
    }

    fn owns(&self, _: &str) -> bool {
        false
    }

    fn owns_path(&self, _: &str) -> bool {
        false
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        if let Some(refusal) = super::front::refusal(world, request) {
            return refusal;
        }
        let done = match composio::tool_at(world, &request.path, &self.slug) {
            Ok(tool) => run(world, CHANNEL, tool, self.arguments.clone(), request),
            Err(problem) => Run::refused(problem),
        };
        let value = done.outcome.json();
        let mut result = if done.outcome.successful {
            CallToolResult::structured(value)
        } else {
            CallToolResult::structured_error(value)
        };
        if !self.names_type {
            result.result_type = None;
        }
        let message = ServerJsonRpcMessage::response(
            ServerResult::CallToolResult(result.clone()),
            self.id.clone(),
        );
        let body = serde_json::to_vec(&message).unwrap_or_default();
        let mut answer = Answer::new(NAME, 200).body("application/json", body);
        answer.operation = Some("tools/call");
        answer.actor = done
            .parts
            .first()
            .and_then(|(_, first)| first.actor.clone())
            .or_else(|| Some(world.account.email.clone()));
        answer.via = Some(via(CHANNEL, &self.slug));
        answer.lasting = done.lasting;
        answer.parts = done.parts;
        let _ = self.result.set(result);
        answer
    }
}
