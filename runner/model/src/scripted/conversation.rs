//! A request of any protocol as the conversation that it holds.

use serde_json::Value;

use crate::api::{Endpoint, ModelApi, Operation};

/// What a script has to know of a request.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) items: Vec<Item>,
    pub(super) tools: Vec<Tool>,
    /// The shape that the answer has to have.
    pub(super) schema: Option<Value>,
    pub(super) streams: bool,
    /// Whether a stream of chat completions is to count its tokens.
    pub(super) counts: bool,
    /// All that was said, by anybody.
    pub(super) text: String,
}

/// What happened, as far as it tells where a script is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The model said something.
    Said(String),
    /// A tool gave a result.
    Result,
}

/// A tool that the agent offers.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The group that Codex has tools of MCP servers in.
    pub(super) namespace: Option<String>,
    /// JSON Schema of its arguments.
    pub(super) schema: Value,
}

impl Conversation {
    pub(super) fn read(endpoint: &Endpoint, request: &Value) -> Self {
        let mut this = Self {
            streams: match endpoint.operation {
                Operation::Generate { stream: Some(is) } => is,
                _ => request.get("stream") == Some(&Value::Bool(true)),
            },
            counts: request.pointer("/stream_options/include_usage") == Some(&Value::Bool(true)),
            ..Self::default()
        };
        match endpoint.api {
            ModelApi::Anthropic => this.anthropic(request),
            ModelApi::OpenaiChat => this.chat(request),
            ModelApi::OpenaiResponses => this.responses(request),
            ModelApi::Gemini => this.gemini(request),
        }
        this
    }

    pub(super) fn results(&self) -> usize {
        let results = self.items.iter().filter(|item| **item == Item::Result);
        results.count()
    }

    fn say(&mut self, by_model: bool, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        if by_model && !text.is_empty() {
            self.items.push(Item::Said(text.to_owned()));
        }
    }

    fn anthropic(&mut self, request: &Value) {
        self.schema = request.pointer("/output_config/format/schema").cloned();
        for tool in list(request, "tools") {
            self.tool(tool, "input_schema");
        }
        self.parts(false, request.get("system"));
        for message in list(request, "messages") {
            let by_model = is(message, "role", "assistant");
            for part in list(message, "content") {
                if is(part, "type", "tool_result") {
                    self.items.push(Item::Result);
                }
            }
            self.parts(by_model, message.get("content"));
        }
    }

    fn chat(&mut self, request: &Value) {
        self.schema = request
            .pointer("/response_format/json_schema/schema")
            .cloned();
        for tool in list(request, "tools") {
            self.tool(tool.get("function").unwrap_or(tool), "parameters");
        }
        for message in list(request, "messages") {
            if is(message, "role", "tool") {
                self.items.push(Item::Result);
            } else {
                let by_model = is(message, "role", "assistant");
                self.parts(by_model, message.get("content"));
            }
        }
    }

    fn responses(&mut self, request: &Value) {
        self.schema = request.pointer("/text/format/schema").cloned();
        for tool in list(request, "tools") {
            if is(tool, "type", "namespace") {
                let namespace = tool.get("name").and_then(Value::as_str);
                for nested in list(tool, "tools") {
                    self.tool(nested, "parameters");
                    if let Some(last) = self.tools.last_mut() {
                        last.namespace = namespace.map(str::to_owned);
                    }
                }
            } else {
                self.tool(tool, "parameters");
            }
        }
        self.parts(false, request.get("instructions"));
        match request.get("input") {
            Some(Value::Array(items)) => {
                for item in items {
                    let kind = item
                        .get("type")
                        .and_then(Value::as_str)
                        .unwrap_or("message");
                    if kind.ends_with("call_output") {
                        self.items.push(Item::Result);
                    } else if kind == "message" {
                        self.parts(is(item, "role", "assistant"), item.get("content"));
                    }
                }
            }
            other => self.parts(false, other),
        }
    }

    fn gemini(&mut self, request: &Value) {
        let config = request.get("generationConfig").unwrap_or(&Value::Null);
        let schema = config
            .get("responseJsonSchema")
            .or_else(|| config.get("responseSchema"));
        self.schema = schema.cloned();
        for group in list(request, "tools") {
            for tool in list(group, "functionDeclarations") {
                let json = tool.get("parametersJsonSchema").is_some();
                let schema = if json {
                    "parametersJsonSchema"
                } else {
                    "parameters"
                };
                self.tool(tool, schema);
            }
        }
        let system = request.get("systemInstruction");
        self.parts(false, system.and_then(|it| it.get("parts")));
        for content in list(request, "contents") {
            for part in list(content, "parts") {
                if part.get("functionResponse").is_some() {
                    self.items.push(Item::Result);
                }
            }
            self.parts(is(content, "role", "model"), content.get("parts"));
        }
    }

    fn tool(&mut self, tool: &Value, schema: &str) {
        let name = tool.get("name").or_else(|| tool.get("type"));
        if let Some(name) = name.and_then(Value::as_str) {
            self.tools.push(Tool {
                name: name.to_owned(),
                namespace: None,
                schema: tool.get(schema).cloned().unwrap_or(Value::Null),
            });
        }
    }

    /// Text, or parts of which some are text: together one thing said.
    fn parts(&mut self, by_model: bool, content: Option<&Value>) {
        match content {
            Some(Value::String(text)) => self.say(by_model, text),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                let text = texts.collect::<Vec<_>>().join("");
                self.say(by_model, &text);
            }
            _ => {}
        }
    }
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    let value = of.get(name).and_then(Value::as_array);
    value.map_or(&[], Vec::as_slice)
}

fn is(of: &Value, name: &str, value: &str) -> bool {
    of.get(name).and_then(Value::as_str) == Some(value)
}
