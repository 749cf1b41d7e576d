//! A model behind Anthropic's Messages or OpenAI's chat completions.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use proctor_model::ModelApi;
use proctor_model::client::{
    ChatClient, ChatMessage, ChatReply, ChatRequest, ClientConfig, ClientError, OutputSchema,
    StopReason,
};

use super::{Provider, Reply};
use crate::answer::ANSWER_BYTES;
use crate::ask::Ask;
use crate::failure::Failure;
use crate::text::excerpt;

/// Name of the answer in requests, as providers want one.
const ANSWER: &str = "judgement";
/// Longest reply in bytes: an answer with all its escapes, and whatever else a
/// provider tells. Longer ones are not read.
const REPLY_BYTES: usize = 16 * ANSWER_BYTES;
/// What is kept of a service's or model's own words, in bytes.
const WORDS: usize = 300;

/// A model that is asked over HTTP. With Anthropic the answer's schema is that
/// of a tool that has to be called, with OpenAI's interface it is
/// `response_format`. A server that does not know that is asked without it: the
/// rules say what is expected, and every answer is checked all the same.
#[derive(Debug)]
pub struct Model {
    kind: String,
    name: String,
    client: ChatClient,
    /// Whether the answer is the input of a tool, and not the text.
    by_tool: bool,
    /// Cleared when the server does not take schemas.
    schemas: AtomicBool,
}

impl Model {
    /// The model called `name` by its provider; `kind` is what the provider is
    /// called in reports: `anthropic`, `openai`, `openai-compatible`. Of
    /// `config` the longest reply is lowered to what an answer needs.
    pub fn new(
        kind: impl Into<String>,
        name: impl Into<String>,
        mut config: ClientConfig,
    ) -> Result<Self, ClientError> {
        config.reply_bytes = config.reply_bytes.min(REPLY_BYTES);
        // The judge asks again itself, and each call of it is stored and counted.
        config.attempts = 1;
        Ok(Self {
            kind: kind.into(),
            name: name.into(),
            by_tool: config.api == ModelApi::Anthropic,
            client: ChatClient::new(config)?,
            schemas: AtomicBool::new(true),
        })
    }

    async fn chat(&self, ask: &Ask) -> Result<ChatReply, ClientError> {
        let mut request = ChatRequest::new(self.name.as_str());
        request.system = Some(ask.system.clone());
        request.messages.push(ChatMessage::user(ask.user.as_str()));
        request.max_tokens = ask.max_tokens;
        request.temperature = ask.temperature;
        if self.schemas.load(Ordering::Relaxed) {
            request.schema = Some(OutputSchema {
                name: ANSWER.to_owned(),
                schema: ask.answer.clone(),
                strict: true,
            });
            let reply = self.client.chat(&request).await;
            if !reply.as_ref().is_err_and(is_about_the_schema) {
                return reply;
            }
            self.schemas.store(false, Ordering::Relaxed);
            request.schema = None;
        }
        self.client.chat(&request).await
    }
}

/// Whether a server said that it does not take schemas. vLLM, Ollama and
/// llama.cpp do; older and smaller servers answer 400 or 422 and name the field.
fn is_about_the_schema(error: &ClientError) -> bool {
    let ClientError::Status {
        status: 400 | 422,
        message,
        ..
    } = error
    else {
        return false;
    };
    let message = message.to_lowercase();
    ["response_format", "json_schema", "tool_choice"]
        .iter()
        .any(|field| message.contains(field))
}

fn reply(ask: &Ask, reply: ChatReply, by_tool: bool) -> Reply {
    let answer = match &reply.stop {
        StopReason::Refusal => Err(Failure::Refusal {
            reason: match reply.text.trim() {
                "" => "it gave no reason".to_owned(),
                text => excerpt(text, WORDS),
            },
        }),
        StopReason::Length => Err(Failure::Cut {
            max_tokens: ask.max_tokens,
        }),
        StopReason::Other(stop) if reply.json.is_none() && reply.text.is_empty() => {
            Err(Failure::Malformed {
                message: format!("it is empty and ends with `{}`", excerpt(stop, 60)),
            })
        }
        // What a tool was called with is the answer, whatever was said before.
        // Where the answer is the text, what stands around the JSON is wrong.
        _ => Ok(match reply.json {
            Some(input) if by_tool => input.to_string(),
            _ => reply.text,
        }),
    };
    Reply {
        body: String::from_utf8_lossy(&reply.raw).into_owned(),
        model: reply.model,
        usage: reply.usage.unwrap_or_default(),
        answer,
    }
}

fn failed(error: &ClientError) -> Reply {
    let failure = match error {
        ClientError::TooLarge { limit, .. } => Failure::TooLarge {
            limit: *limit as u64,
        },
        ClientError::Status {
            status,
            message,
            wait,
            ..
        } => Failure::Http {
            status: *status,
            message: excerpt(message, WORDS),
            wait_ms: wait.and_then(|wait| wait.as_millis().try_into().ok()),
        },
        ClientError::Timeout { timeout, .. } => Failure::Timeout {
            seconds: timeout.as_secs(),
        },
        ClientError::Invalid { reason, .. } => Failure::Malformed {
            message: excerpt(reason, WORDS),
        },
        other => Failure::Unreachable {
            message: excerpt(&other.to_string(), WORDS),
        },
    };
    let body = match error {
        ClientError::Invalid { raw, .. } => String::from_utf8_lossy(raw).into_owned(),
        _ => String::new(),
    };
    Reply {
        body,
        ..Reply::failed(failure)
    }
}

#[async_trait]
impl Provider for Model {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn model(&self) -> &str {
        &self.name
    }

    async fn ask(&self, ask: &Ask) -> Reply {
        match self.chat(ask).await {
            Ok(answered) => reply(ask, answered, self.by_tool),
            Err(error) => failed(&error),
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
