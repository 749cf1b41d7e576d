//! A gateway in front of a scripted server, and an agent that asks it.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use proctor_model::gateway::{
    Budget, JobConfig, JobModels, Limits, MemoryRecord, Mode, ModelGateway, TrialModels,
};
use proctor_model::scripted::{Script, Server, ServerConfig};
use proctor_model::{Body, ModelApi, ModelRoute, Secret};
use proctor_types::model::Exchange;
use serde_json::{Value, json};

/// The operator's key in these tests.
pub(crate) const KEY: &str = "sk-planted-operator-0001";
/// What the agent offers as its own.
pub(crate) const AGENTS_KEY: &str = "sk-planted-agents-own-2";

pub(crate) const SCRIPT: &str = "
steps:
  - {say: I will write the file., call: {shell: echo hello}}
  - {say: Done.}
";

/// A trial, with everything that it leaves.
pub(crate) struct Trial {
    pub(crate) server: Server,
    pub(crate) job: JobModels,
    pub(crate) gateway: ModelGateway,
    pub(crate) record: Arc<MemoryRecord>,
}

/// How a trial differs from the ordinary.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) limits: Option<Limits>,
    pub(crate) budget: Budget,
    pub(crate) job_budget: Budget,
    pub(crate) mode: Mode,
    pub(crate) key: Option<&'static str>,
    pub(crate) script: Option<&'static str>,
    pub(crate) rewrite: Option<&'static str>,
}

/// Limits that let tests of time end soon.
pub(crate) fn quick() -> Limits {
    Limits {
        first_byte: Duration::from_millis(300),
        idle: Duration::from_millis(300),
        total: Duration::from_millis(900),
        attempts: 3,
        patience: Duration::from_secs(2),
        ..Limits::default()
    }
}

pub(crate) fn model(api: ModelApi) -> &'static str {
    match api {
        ModelApi::Anthropic => "claude-sonnet-4-5",
        ModelApi::OpenaiChat | ModelApi::OpenaiResponses => "gpt-5-mini",
        ModelApi::Gemini => "gemini-2.5-flash",
    }
}

impl Trial {
    pub(crate) async fn new(setup: Setup) -> Self {
        let script = Script::parse(setup.script.unwrap_or(SCRIPT)).unwrap();
        let server = Server::start(ServerConfig {
            script,
            key: Some(KEY.to_owned()),
        });
        let server = server.await.unwrap();
        let job = JobModels::new(JobConfig {
            budget: setup.job_budget,
            limits: setup.limits.unwrap_or_default(),
            ..JobConfig::default()
        });
        let job = job.unwrap();
        let apis = [ModelApi::Anthropic, ModelApi::OpenaiChat, ModelApi::Gemini];
        let routes = apis.map(|api| {
            let key = Secret::new(setup.key.unwrap_or(KEY)).unwrap();
            let mut route = ModelRoute::new(api, vec![model(api).to_owned()], Some(key));
            if let Some(model) = setup.rewrite {
                route = route.rewriting_to(model);
            }
            route.at(&server.url()).unwrap()
        });
        let record = Arc::new(MemoryRecord::default());
        let trial = TrialModels {
            routes: routes.to_vec(),
            mode: setup.mode,
            budget: setup.budget,
        };
        let gateway = ModelGateway::new(&job, trial, record.clone()).unwrap();
        Self {
            server,
            job,
            gateway,
            record,
        }
    }

    /// Asks and reads the whole answer.
    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        Answer::read(self.gateway.respond(request).await).await
    }

    /// The only exchange there was.
    pub(crate) fn exchange(&self) -> Exchange {
        let mut all = self.record.exchanges();
        assert_eq!(all.len(), 1, "{all:#?}");
        all.remove(0)
    }
}

/// An answer, as far as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) pieces: usize,
    /// Why it broke off.
    pub(crate) error: Option<String>,
}

impl Answer {
    pub(crate) async fn read(response: Response<Body>) -> Self {
        let (parts, mut body) = response.into_parts();
        let mut answer = Self {
            status: parts.status,
            headers: parts.headers,
            body: Vec::new(),
            pieces: 0,
            error: None,
        };
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => {
                    answer.pieces += 1;
                    answer.body.extend_from_slice(frame.data_ref().unwrap());
                }
                Err(error) => {
                    answer.error = Some(error.to_string());
                    break;
                }
            }
        }
        answer
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) fn body(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed()
}

pub(crate) fn post(host: &str, path: &str, value: &Value) -> Request<Body> {
    Request::post(path)
        .header("host", host)
        .header("content-type", "application/json")
        .header("accept-encoding", "gzip, br")
        .header("authorization", format!("Bearer {AGENTS_KEY}"))
        .header("x-api-key", AGENTS_KEY)
        .header("x-goog-api-key", AGENTS_KEY)
        .body(body(value.to_string()))
        .unwrap()
}

/// A first request of an agent with a shell tool.
pub(crate) fn request(api: ModelApi, stream: bool) -> Request<Body> {
    request_for(api, model(api), stream)
}

pub(crate) fn request_for(api: ModelApi, model: &str, stream: bool) -> Request<Body> {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    let (path, value) = match api {
        ModelApi::Anthropic => (
            "/v1/messages?beta=true".to_owned(),
            json!({
                "model": model, "stream": stream, "max_tokens": 100,
                "tools": [{"name": "Bash", "input_schema": schema}],
                "messages": [{"role": "user", "content": "go"}],
            }),
        ),
        ModelApi::OpenaiChat => (
            "/v1/chat/completions".to_owned(),
            json!({
                "model": model, "stream": stream,
                "tools": [{"type": "function", "function": {"name": "bash", "parameters": schema}}],
                "messages": [{"role": "user", "content": "go"}],
            }),
        ),
        ModelApi::OpenaiResponses => (
            "/v1/responses".to_owned(),
            json!({
                "model": model, "stream": stream,
                "tools": [{"type": "function", "name": "shell", "parameters": schema}],
                "input": [{"type": "message", "role": "user", "content": "go"}],
            }),
        ),
        ModelApi::Gemini => {
            let verb = if stream {
                "streamGenerateContent"
            } else {
                "generateContent"
            };
            (
                format!("/v1beta/models/{model}:{verb}?alt=sse&key={AGENTS_KEY}"),
                json!({
                    "tools": [{"functionDeclarations": [
                        {"name": "run_shell_command", "parameters": schema},
                    ]}],
                    "contents": [{"role": "user", "parts": [{"text": "go"}]}],
                }),
            )
        }
    };
    post(api.host(), &path, &value)
}
