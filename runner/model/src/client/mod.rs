//! A small client: one question to a model, one answer, not streamed.
//!
//! The judge asks with it from the host, with the operator's key; our own agent
//! asks with it from inside a room, where there is no key and the world's own
//! authority vouches for every host. It speaks Anthropic's Messages and OpenAI's
//! chat completions.
//!
//! ```no_run
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! use proctor_model::client::{ChatClient, ChatMessage, ChatRequest, ClientConfig};
//! use proctor_model::{ModelApi, Roots};
//!
//! let ca = std::fs::read("/etc/ssl/world.pem")?;
//! let mut config = ClientConfig::new(ModelApi::Anthropic);
//! config.roots = Roots::Only(ca);
//! let client = ChatClient::new(config)?;
//! let mut request = ChatRequest::new("claude-sonnet-4-5");
//! request.messages.push(ChatMessage::user("Who are you?"));
//! let reply = client.chat(&request).await?;
//! println!("{}", reply.text);
//! # Ok(()) }
//! ```

mod anthropic;
mod openai;

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use proctor_types::model::Usage;
use serde_json::Value;

use crate::api::{Endpoint, ModelApi, Operation, PLACEHOLDER_KEY};
use crate::gateway::retry;
use crate::redact::Redactor;
use crate::route;
use crate::secret::Secret;
use crate::transport::{self, Connections, Roots, TransportError};

/// Where and how a client asks.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// [`ModelApi::Anthropic`] or [`ModelApi::OpenaiChat`].
    pub api: ModelApi,
    /// Base address, as in [`crate::ModelRoute::upstream`]. None for the
    /// provider's own.
    pub base_url: Option<String>,
    /// The key. None sends [`PLACEHOLDER_KEY`], as is right in a room.
    pub key: Option<Secret>,
    /// Whose certificates are believed.
    pub roots: Roots,
    /// From the request to the end of the answer, each attempt. 5 minutes.
    pub timeout: Duration,
    /// How often it is asked altogether while the answer is 429, 503 or 529 or
    /// there is no connection. 4.
    pub attempts: u32,
    /// How long waiting between attempts may take together. 2 minutes.
    pub patience: Duration,
    /// Bytes of an answer. 32 MiB.
    pub reply_bytes: usize,
}

impl ClientConfig {
    /// The provider's own address, no key, and the ordinary bounds.
    pub fn new(api: ModelApi) -> Self {
        Self {
            api,
            base_url: None,
            key: None,
            roots: Roots::System,
            timeout: Duration::from_mins(5),
            attempts: 4,
            patience: Duration::from_mins(2),
            reply_bytes: 32 << 20,
        }
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The model, by the provider's name.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation so far; the last message is the user's.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The shape that the answer has to have. With Anthropic it is asked for by
    /// a tool that the model has to call, which every model knows; with OpenAI by
    /// `response_format`. The answer is [`ChatReply::json`]; the provider may
    /// get it wrong, so that it has to be checked all the same.
    pub schema: Option<OutputSchema>,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// Randomness, 0 to 1 (OpenAI: 2). Not sent when None: some models take none.
    pub temperature: Option<f64>,
}

impl ChatRequest {
    /// An empty conversation: no tools, no schema, at most 8192 tokens.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            system: None,
            messages: Vec::new(),
            tools: Vec::new(),
            schema: None,
            max_tokens: 8192,
            temperature: None,
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// The one who asks; also the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What.
    pub content: Vec<ChatContent>,
}

impl ChatMessage {
    /// A user's text.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: ChatRole::User,
            content: vec![ChatContent::Text(text.into())],
        }
    }

    /// A model's reply, to go on with: text first, then its calls.
    pub fn reply(reply: &ChatReply) -> Self {
        let mut content = Vec::new();
        if !reply.text.is_empty() {
            content.push(ChatContent::Text(reply.text.clone()));
        }
        content.extend(reply.tool_calls.iter().cloned().map(ChatContent::ToolCall));
        Self {
            role: ChatRole::Assistant,
            content,
        }
    }

    /// Results of the calls of a reply, all of which have to be there.
    pub fn results(results: Vec<ToolResult>) -> Self {
        Self {
            role: ChatRole::User,
            content: results.into_iter().map(ChatContent::ToolResult).collect(),
        }
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatContent {
    /// Text.
    Text(String),
    /// A call that the model asked for.
    ToolCall(ToolCall),
    /// What a call gave.
    ToolResult(ToolResult),
}

/// A tool, described.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments; an object's.
    pub parameters: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The provider's identifier; the result has to carry it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments. Models write arguments that are no JSON: then this is
    /// [`Value::String`] with what they wrote, which no tool takes.
    pub arguments: Value,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// [`ToolCall::id`].
    pub id: String,
    /// What the model is told.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// Name of the answer: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// JSON Schema of an object. For `strict`, each of its objects has to list
    /// all its properties as required and allow no others.
    pub schema: Value,
    /// Whether the provider is asked to hold the model to it (OpenAI).
    pub strict: bool,
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It was done.
    End,
    /// It wants tools called.
    Tools,
    /// It reached [`ChatRequest::max_tokens`]: text and JSON are incomplete.
    Length,
    /// It, or a filter of the provider's, refused.
    Refusal,
    /// Something else, in the provider's word.
    Other(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    /// Its text.
    pub text: String,
    /// For a request with a schema: the answer, where it is JSON. Not checked
    /// against the schema.
    pub json: Option<Value>,
    /// Calls of tools that it asks for.
    pub tool_calls: Vec<ToolCall>,
    /// Tokens, where the provider says.
    pub usage: Option<Usage>,
    /// Why it ends.
    pub stop: StopReason,
    /// The model that answered, as it calls itself.
    pub model: Option<String>,
    /// The body that was sent; it holds no key.
    pub sent: Bytes,
    /// The body that came, keys blanked.
    pub raw: Bytes,
    /// How often it was asked.
    pub attempts: u32,
}

/// Why there is no answer. Never shows a key.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The protocol is none of this client's.
    #[error("the client speaks anthropic and openai-chat, not {0}")]
    Api(ModelApi),
    /// The address is none.
    #[error(transparent)]
    Address(#[from] route::BadUpstream),
    /// No connections.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The request cannot be put together.
    #[error("the request cannot be put together: {0}")]
    Request(#[from] http::Error),
    /// No connection, or it broke.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable {
        /// The upstream.
        host: String,
        /// Why.
        reason: String,
    },
    /// It took too long.
    #[error("{host} did not answer within {} s", timeout.as_secs_f64())]
    Timeout {
        /// The upstream.
        host: String,
        /// [`ClientConfig::timeout`].
        timeout: Duration,
    },
    /// An answer that says no.
    #[error("{host} answered {status}: {message}")]
    Status {
        /// The upstream.
        host: String,
        /// HTTP status.
        status: u16,
        /// What it says, in short.
        message: String,
        /// What kind of failure that is.
        failure: Option<proctor_types::manifest::FailureKind>,
    },
    /// An answer that is none of the protocol's.
    #[error("{host} answered what is no reply of {api}: {reason}")]
    Invalid {
        /// The upstream.
        host: String,
        /// The protocol.
        api: ModelApi,
        /// What is wrong.
        reason: String,
        /// The body, keys blanked.
        raw: Bytes,
    },
}

/// Asks models. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct ChatClient {
    config: ClientConfig,
    address: http::Uri,
    connections: Connections,
    redactor: Redactor,
}

impl ChatClient {
    /// A client that has not connected yet.
    ///
    /// # Errors
    /// When the protocol, the address or the certificates cannot be used.
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        if !matches!(config.api, ModelApi::Anthropic | ModelApi::OpenaiChat) {
            return Err(ClientError::Api(config.api));
        }
        let base = match &config.base_url {
            Some(base) => route::upstream(base)?,
            None => crate::ModelRoute::new(config.api, Vec::new(), None).upstream,
        };
        let endpoint = Endpoint {
            api: config.api,
            operation: Operation::Generate { stream: None },
            version: "v1",
            model: None,
        };
        Ok(Self {
            address: route::address(&base, &endpoint, None, None)?,
            connections: transport::connections(&config.roots, Duration::from_secs(20))?,
            redactor: Redactor::new(&config.key),
            config,
        })
    }

    /// Asks, and asks again while the provider is busy.
    ///
    /// # Errors
    /// When there is no answer, or none that can be read. An answer that refuses
    /// or is incomplete is an answer ([`ChatReply::stop`]).
    pub async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ClientError> {
        let body = match self.config.api {
            ModelApi::Anthropic => anthropic::request(request),
            _ => openai::request(request),
        };
        let sent = Bytes::from(body.to_string());
        let began = Instant::now();
        let mut attempt = 1;
        loop {
            let error = match self.attempt(&sent).await {
                Ok(raw) => return self.read(request, sent, raw, attempt),
                Err(error) => error,
            };
            let left = self.config.patience.saturating_sub(began.elapsed());
            let wait = error.wait.unwrap_or_else(|| retry::backoff(attempt));
            if !error.again || attempt >= self.config.attempts || wait > left {
                return Err(error.error);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, sent: &Bytes) -> Result<Bytes, Attempt> {
        let timeout = self.config.timeout;
        let answer = tokio::time::timeout(timeout, self.send(sent.clone())).await;
        answer.unwrap_or_else(|_| {
            Err(Attempt::last(ClientError::Timeout {
                host: self.host(),
                timeout,
            }))
        })
    }

    async fn send(&self, sent: Bytes) -> Result<Bytes, Attempt> {
        let mut request = Request::post(self.address.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json")
            .header(header::ACCEPT_ENCODING, "identity")
            .header(
                header::USER_AGENT,
                concat!("proctor/", env!("CARGO_PKG_VERSION")),
            )
            .body(Full::new(sent))
            .map_err(|error| Attempt::last(error.into()))?;
        authorize(
            self.config.api,
            self.config.key.as_ref(),
            request.headers_mut(),
        );
        let unreachable = |reason: String, again| Attempt {
            error: ClientError::Unreachable {
                host: self.host(),
                reason: self.redactor.text(&reason),
            },
            again,
            wait: None,
        };
        let response = self.connections.request(request).await;
        let response =
            response.map_err(|error| unreachable(transport::chain(&error), error.is_connect()))?;
        let (parts, body) = response.into_parts();
        let limited = Limited::new(body, self.config.reply_bytes);
        let body = limited.collect().await;
        let body = body.map_err(|error| unreachable(transport::chain(error.as_ref()), false))?;
        let raw = self.redactor.bytes(body.to_bytes());
        if parts.status.is_success() {
            return Ok(raw);
        }
        Err(self.refused(parts.status, &parts.headers, &raw))
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, raw: &[u8]) -> Attempt {
        let error = crate::reply::ApiError::read(raw);
        Attempt {
            again: retry::is_worth(status, &error),
            wait: retry::hint(headers, raw),
            error: ClientError::Status {
                host: self.host(),
                status: status.as_u16(),
                failure: error.failure(status.as_u16()),
                message: error.describe(),
            },
        }
    }

    fn read(
        &self,
        request: &ChatRequest,
        sent: Bytes,
        raw: Bytes,
        attempts: u32,
    ) -> Result<ChatReply, ClientError> {
        let read = match self.config.api {
            ModelApi::Anthropic => anthropic::reply(request, &raw),
            _ => openai::reply(request, &raw),
        };
        match read {
            Ok(reply) => Ok(ChatReply {
                sent,
                raw,
                attempts,
                ..reply
            }),
            Err(reason) => Err(ClientError::Invalid {
                host: self.host(),
                api: self.config.api,
                reason,
                raw,
            }),
        }
    }

    fn host(&self) -> String {
        self.address
            .authority()
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}

/// A failed attempt.
struct Attempt {
    error: ClientError,
    again: bool,
    wait: Option<Duration>,
}

impl Attempt {
    fn last(error: ClientError) -> Self {
        Self {
            error,
            again: false,
            wait: None,
        }
    }
}

/// Puts a key (or the placeholder) where a protocol has it.
pub(crate) fn authorize(api: ModelApi, key: Option<&Secret>, headers: &mut HeaderMap) {
    let (name, prefix) = match api {
        ModelApi::Anthropic => ("x-api-key", ""),
        ModelApi::OpenaiChat | ModelApi::OpenaiResponses => ("authorization", "Bearer "),
        ModelApi::Gemini => ("x-goog-api-key", ""),
    };
    let value = match key {
        Some(key) => key.header(prefix),
        None => HeaderValue::from_str(&format!("{prefix}{PLACEHOLDER_KEY}")).ok(),
    };
    if let Some(value) = value {
        headers.insert(name, value);
    }
    if api == ModelApi::Anthropic && !headers.contains_key("anthropic-version") {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
}
