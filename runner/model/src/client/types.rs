//! Questions and answers, whatever the protocol.

use bytes::Bytes;
use proctor_types::model::Usage;
use serde_json::Value;

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
