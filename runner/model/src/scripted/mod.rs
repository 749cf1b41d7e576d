//! A model that answers from a steps file, in all four protocols.
//!
//! ```yaml
//! steps:
//!   - say: I will write the file.
//!     call: {shell: "echo hello > task_summary.md"}
//!   - calls:                       # several at once
//!       - {tool: gmail_search, arguments: {q: "is:unread"}}
//!       - {tool: read_file, arguments: {path: a.txt}}
//!   - say: "Done: wrote task_summary.md."
//! without_tools:                   # for requests that offer no tools
//!   - {when: "text of the request", say: '{"level": 3}'}
//! ```
//!
//! It keeps no state: which step it is follows from the conversation that comes
//! with each request. A step with calls is over when their results are there,
//! one without when its text is. After the last step it says `Done.`.
//!
//! `shell` calls the agent's own shell tool, whatever that is called and
//! whatever its arguments are; `tool` one by its name, with or without what the
//! agent puts before the names of a server's tools (`mcp__world__NAME`).
//! Agents ask without tools for titles and the like: that spends no step, and
//! is answered from `without_tools`, by an example of the schema that is asked
//! for, or by a short text.
//!
//! A reply counts 100 tokens and one more for each result of a tool in the
//! conversation, 5 read from and (Anthropic only) 7 written to the cache, and 20
//! of output, of which 3 are reasoning where the protocol says so; `usage` of a
//! step goes before that.

mod conversation;
mod example;
mod fault;
mod server;
mod tools;
mod write;

use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use proctor_types::model::Usage;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::api::{Endpoint, ModelApi, Operation};
use crate::gateway::Ready;
use conversation::{Conversation, Item};
use tools::Chosen;

pub use fault::Fault;
pub use server::{Seen, Server, ServerConfig};

/// Steps of a script, at most.
const STEPS: usize = 10_000;

/// A script.
#[derive(Debug, Clone, Default)]
pub struct Script {
    steps: Vec<Step>,
    without_tools: Vec<Rule>,
}

/// Why a file is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Not YAML, or not of this shape.
    #[error("the script cannot be read: {0}")]
    Yaml(String),
    /// A step that says and calls nothing, or calls in two ways.
    #[error("step {step} of the script: {reason}")]
    Step {
        /// Number of the step, from 1.
        step: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    steps: Vec<FileStep>,
    #[serde(default)]
    without_tools: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep {
    say: Option<String>,
    call: Option<FileCall>,
    #[serde(default)]
    calls: Vec<FileCall>,
    usage: Option<Usage>,
    stop: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCall {
    shell: Option<String>,
    tool: Option<String>,
    arguments: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default)]
    when: String,
    say: String,
}

#[derive(Debug, Clone)]
struct Step {
    say: Option<String>,
    calls: Vec<Call>,
    usage: Option<Usage>,
    stop: Option<String>,
}

#[derive(Debug, Clone)]
enum Call {
    Shell(String),
    Tool {
        name: String,
        arguments: Map<String, Value>,
    },
}

/// What the model answers, whatever the protocol.
#[derive(Debug)]
struct Turn {
    text: String,
    calls: Vec<Chosen>,
    usage: Usage,
    /// Another reason to stop than the one that follows from the calls.
    stop: Option<String>,
    model: String,
    /// Makes identifiers of this reply.
    id: String,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Arc<Self>, ScriptError> {
        let file: File =
            serde_saphyr::from_str(text).map_err(|error| ScriptError::Yaml(error.to_string()))?;
        if file.steps.len() > STEPS {
            return Err(ScriptError::Step {
                step: STEPS,
                reason: "there are too many steps",
            });
        }
        let steps = file.steps.into_iter().enumerate();
        let steps: Result<Vec<_>, _> = steps
            .map(|(index, step)| {
                Step::new(step).map_err(|reason| ScriptError::Step {
                    step: index + 1,
                    reason,
                })
            })
            .collect();
        Ok(Arc::new(Self {
            steps: steps?,
            without_tools: file.without_tools,
        }))
    }

    /// The reply to a request; without one, why the script does not fit.
    pub(crate) fn answer(
        &self,
        endpoint: &Endpoint,
        model: &str,
        body: &[u8],
    ) -> Result<Ready, String> {
        let request: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if endpoint.operation == Operation::CountTokens {
            let count = match endpoint.api {
                ModelApi::Gemini => json!({"totalTokens": 10}),
                _ => json!({"input_tokens": 10}),
            };
            return Ok(ready("application/json", [Bytes::from(count.to_string())]));
        }
        let conversation = Conversation::read(endpoint, &request);
        let turn = Turn {
            model: model.to_owned(),
            id: hex::encode(&Sha256::digest(body)[..6]),
            ..self.turn(endpoint.api, &conversation)?
        };
        let pieces = if conversation.streams {
            write::stream(endpoint.api, &turn, conversation.counts)
        } else {
            vec![Bytes::from(write::whole(endpoint.api, &turn).to_string())]
        };
        let media_type = if conversation.streams {
            "text/event-stream"
        } else {
            "application/json"
        };
        Ok(ready(media_type, pieces))
    }

    fn turn(&self, api: ModelApi, conversation: &Conversation) -> Result<Turn, String> {
        let results = conversation.results();
        let usage = Usage {
            input: 100 + results as u64,
            cache_read: 5,
            cache_write: if api == ModelApi::Anthropic { 7 } else { 0 },
            output: 20,
            reasoning: if api == ModelApi::Anthropic { 0 } else { 3 },
        };
        let turn = |text: String, calls, step: Option<&Step>| Turn {
            text,
            calls,
            usage: step.and_then(|step| step.usage).unwrap_or(usage),
            stop: step.and_then(|step| step.stop.clone()),
            model: String::new(),
            id: String::new(),
        };
        if conversation.tools.is_empty() {
            return Ok(turn(self.plain(api, conversation), Vec::new(), None));
        }
        let Some(step) = self.step(conversation) else {
            return Ok(turn("Done.".to_owned(), Vec::new(), None));
        };
        let calls: Result<Vec<_>, _> = step
            .calls
            .iter()
            .map(|call| tools::choose(call, &conversation.tools))
            .collect();
        let text = step.say.clone().unwrap_or_default();
        Ok(turn(text, calls?, Some(step)))
    }

    /// The first step that is not over.
    fn step(&self, conversation: &Conversation) -> Option<&Step> {
        let mut results = conversation.results();
        let mut said: Vec<&str> = conversation
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Said(text) => Some(text.trim()),
                Item::Result => None,
            })
            .collect();
        self.steps.iter().find(|step| {
            if !step.calls.is_empty() {
                let over = results >= step.calls.len();
                results = results.saturating_sub(step.calls.len());
                return !over;
            }
            let text = step.say.as_deref().unwrap_or_default().trim();
            match said.iter().position(|said| *said == text) {
                Some(at) => {
                    said.remove(at);
                    false
                }
                None => true,
            }
        })
    }

    fn plain(&self, api: ModelApi, conversation: &Conversation) -> String {
        let mut rules = self.without_tools.iter();
        if let Some(rule) = rules.find(|rule| conversation.text.contains(&rule.when)) {
            return rule.say.clone();
        }
        match &conversation.schema {
            Some(schema) => example::of(schema).to_string(),
            // Claude Code reads JSON here, with or without asking for it.
            None if api == ModelApi::Anthropic => r#"{"title":"Scripted"}"#.to_owned(),
            None => "Scripted".to_owned(),
        }
    }
}

impl Step {
    fn new(step: FileStep) -> Result<Self, &'static str> {
        if step.call.is_some() && !step.calls.is_empty() {
            return Err("it has both `call` and `calls`");
        }
        let calls: Result<Vec<_>, _> = step
            .calls
            .into_iter()
            .chain(step.call)
            .map(Call::new)
            .collect();
        let calls = calls?;
        let says = step
            .say
            .as_deref()
            .is_some_and(|say| !say.trim().is_empty());
        if calls.is_empty() && !says {
            return Err("it neither says nor calls anything");
        }
        Ok(Self {
            say: step.say,
            calls,
            usage: step.usage,
            stop: step.stop,
        })
    }
}

impl Call {
    fn new(call: FileCall) -> Result<Self, &'static str> {
        match (call.shell, call.tool, call.arguments) {
            (Some(command), None, None) => Ok(Self::Shell(command)),
            (None, Some(name), arguments) => Ok(Self::Tool {
                name,
                arguments: arguments.unwrap_or_default(),
            }),
            _ => Err("a call has either `shell`, or `tool` and maybe `arguments`"),
        }
    }
}

fn ready(media_type: &'static str, pieces: impl IntoIterator<Item = Bytes>) -> Ready {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ready {
        status: StatusCode::OK,
        headers,
        pieces: pieces.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
