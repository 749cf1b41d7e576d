//! The tools of an MCP server.

use std::time::Duration;

use proctor_model::client::ToolSpec;
use proctor_types::manifest::FailureKind;
use proctor_types::transcript::Details;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    Implementation, JsonObject, PaginatedRequestParams, ResourceContents, Tool,
};
use rmcp::service::{RunningService, ServiceError, ServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::Value;

use super::Output;
use crate::cut;
use crate::failure::Failure;
use crate::http_client::HttpClient;

/// Longest wait for a result.
const PATIENCE: Duration = Duration::from_mins(2);
/// Longest wait for the handshake and the list of tools together.
const BEGIN: Duration = Duration::from_mins(1);
/// Most text of a result, in bytes.
const MAX_TEXT: usize = 100_000;
/// Most tools, and most pages that their list comes in.
const MAX_TOOLS: usize = 512;
/// Longest description of a tool, in bytes.
const MAX_DESCRIPTION: usize = 16 << 10;
/// Longest name that the model APIs take.
const MAX_NAME: usize = 64;

/// A server that we are connected with.
#[derive(Debug)]
pub(crate) struct Mcp {
    service: RunningService<RoleClient, ClientConfig>,
    specs: Vec<ToolSpec>,
}

impl Mcp {
    /// Connects, and asks for the tools.
    ///
    /// # Errors
    /// When the server cannot be asked, or has tools that cannot be offered to a
    /// model. Neither is the model's doing.
    pub(crate) async fn connect(url: &str, proxy: Option<&str>) -> Result<Self, Failure> {
        let begun = tokio::time::timeout(BEGIN, Self::begin(url, proxy)).await;
        let begun = begun.unwrap_or_else(|_| {
            Err(format!(
                "it did not answer within {} seconds",
                BEGIN.as_secs()
            ))
        });
        begun.map_err(|problem| {
            let reason = format!("the MCP server {url} cannot be used: {problem}");
            Failure::new(FailureKind::Upstream, reason)
        })
    }

    async fn begin(url: &str, proxy: Option<&str>) -> Result<Self, String> {
        let client = HttpClient::new(url, proxy).map_err(|error| error.to_string())?;
        let config = StreamableHttpClientTransportConfig::with_uri(url);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let who = Implementation::new("proctor-loop", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(ClientCapabilities::default(), who);
        let service = config.serve(transport).await;
        let service = service.map_err(|error| chain(&error))?;
        let mut specs: Vec<ToolSpec> = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_TOOLS {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = service.list_tools(Some(page)).await;
            let page = page.map_err(|error| chain(&error))?;
            for tool in page.tools {
                let spec = offered(tool)?;
                if specs.iter().any(|other| other.name == spec.name) {
                    return Err(format!("it has two tools {:?}", spec.name));
                }
                specs.push(spec);
            }
            if specs.len() > MAX_TOOLS {
                break;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(Self { service, specs });
            }
        }
        Err(format!(
            "it has more than {MAX_TOOLS} tools, or pages of them"
        ))
    }

    /// What the server says of itself, for the model.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.service.peer_info()?.instructions.clone()
    }

    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    pub(super) async fn call(&self, name: &str, arguments: JsonObject) -> Output {
        let call = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        match tokio::time::timeout(PATIENCE, self.service.call_tool(call)).await {
            Ok(Ok(result)) => shown(result),
            Ok(Err(ServiceError::McpError(error))) => {
                Output::error(format!("The server refuses the call: {}", error.message))
            }
            Ok(Err(error)) => {
                Output::error(format!("The server cannot be asked: {}", chain(&error)))
            }
            Err(_) => Output::error(format!(
                "The server did not answer within {} seconds. The call may have been done all \
                 the same.",
                PATIENCE.as_secs()
            )),
        }
    }
}

/// A tool as it is offered to a model.
fn offered(tool: Tool) -> Result<ToolSpec, String> {
    let fits = !tool.name.is_empty()
        && tool.name.len() <= MAX_NAME
        && tool
            .name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !fits {
        return Err(format!(
            "its tool {:?} has a name that no model can say: letters, digits, `_` and `-`, at most \
             {MAX_NAME}",
            cut::beginning(&tool.name, 100)
        ));
    }
    let description = tool.description.as_deref().unwrap_or_default();
    Ok(ToolSpec {
        name: tool.name.into_owned(),
        description: cut::middle(description, MAX_DESCRIPTION).0,
        parameters: Value::Object(tool.input_schema.as_ref().clone()),
    })
}

/// A result as the model reads it.
fn shown(result: CallToolResult) -> Output {
    let parts: Vec<String> = result.content.into_iter().map(part).collect();
    let text = match result.structured_content {
        Some(value) if parts.is_empty() => value.to_string(),
        _ => parts.join("\n"),
    };
    let (mut text, cut) = cut::middle(&text, MAX_TEXT);
    if text.is_empty() {
        text.push_str("(an empty result)");
    }
    Output {
        text,
        is_error: result.is_error == Some(true),
        details: Details {
            truncated_bytes: (cut > 0).then_some(cut),
            ..Details::default()
        },
    }
}

fn part(block: ContentBlock) -> String {
    // Base64 has three bytes in four characters.
    let bytes = |data: &str| data.len() / 4 * 3;
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => {
            format!(
                "[image, {}, some {} bytes]",
                image.mime_type,
                bytes(&image.data)
            )
        }
        ContentBlock::Audio(audio) => {
            format!(
                "[audio, {}, some {} bytes]",
                audio.mime_type,
                bytes(&audio.data)
            )
        }
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[{uri}, some {} bytes]", bytes(&blob))
            }
            _ => "[a resource of a kind that is not known]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[{}: {}]", link.name, link.uri),
        _ => "[content of a kind that is not known]".to_owned(),
    }
}

/// An error with what it comes from.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    cut::beginning(&text, 1000).to_owned()
}
