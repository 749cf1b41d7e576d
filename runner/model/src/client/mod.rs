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
mod types;

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};

use crate::api::{Endpoint, ModelApi, Operation, PLACEHOLDER_KEY};
use crate::gateway::retry;
use crate::redact::Redactor;
use crate::route;
use crate::secret::Secret;
use crate::transport::{self, Connections, Roots, TransportError};

pub use types::{
    ChatContent, ChatMessage, ChatReply, ChatRequest, ChatRole, OutputSchema, StopReason, ToolCall,
    ToolResult, ToolSpec,
};

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
        /// How long it asks to be left alone, where it says so.
        wait: Option<Duration>,
    },
    /// An answer that is longer than [`ClientConfig::reply_bytes`].
    #[error("the answer of {host} is longer than {limit} bytes")]
    TooLarge {
        /// The upstream.
        host: String,
        /// Bytes that are read.
        limit: usize,
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
        let body = body.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Attempt::last(ClientError::TooLarge {
                    host: self.host(),
                    limit: self.config.reply_bytes,
                })
            } else {
                unreachable(transport::chain(error.as_ref()), false)
            }
        })?;
        let raw = self.redactor.bytes(body.to_bytes());
        if parts.status.is_success() {
            return Ok(raw);
        }
        Err(self.refused(parts.status, &parts.headers, &raw))
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, raw: &[u8]) -> Attempt {
        let error = crate::reply::ApiError::read(raw);
        let wait = retry::hint(headers, raw);
        Attempt {
            again: retry::is_worth(status, &error),
            wait,
            error: ClientError::Status {
                wait,
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
