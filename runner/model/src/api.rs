//! The protocols of model APIs: their names, hosts, endpoints and errors.

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::json;

/// Host at which an agent in a room finds an OpenAI-compatible server. It
/// exists only there.
pub const COMPATIBLE_HOST: &str = "model.proctor.test";

pub use proctor_types::api::{ModelApi, PLACEHOLDER_KEY, UnknownApi};

/// What a request to an API asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A reply of the model; `stream` where the path says how.
    Generate { stream: Option<bool> },
    /// How many tokens a prompt has. Providers take no money for it.
    CountTokens,
    /// Which models there are.
    ListModels,
    /// What a model is.
    GetModel,
}

/// A request's path, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) api: ModelApi,
    pub(crate) operation: Operation,
    /// `v1`, `v1beta`, ...
    pub(crate) version: &'static str,
    /// The model that the path names.
    pub(crate) model: Option<String>,
}

impl Endpoint {
    /// The endpoint of one of the protocols of a host that a path leads to.
    pub(crate) fn of(apis: &[ModelApi], method: &Method, path: &str) -> Option<Self> {
        let found = apis.iter().find_map(|&api| match api {
            ModelApi::Gemini => gemini(method, path),
            _ => versioned(api, method, path),
        });
        // Clients of the OpenAI kind also ask without the version: their base
        // address has none where somebody forgot it.
        found.or_else(|| {
            let path = format!("/v1{path}");
            let mut apis = apis.iter().filter(|api| api.is_openai());
            apis.find_map(|&api| versioned(api, method, &path))
        })
    }

    /// Path below the upstream's base address, version first; built from what
    /// was understood and not from what was sent.
    pub(crate) fn path(&self, model: Option<&str>) -> String {
        let version = self.version;
        let model = model.or(self.model.as_deref()).unwrap_or_default();
        match (self.api, &self.operation) {
            (_, Operation::ListModels) => format!("/{version}/models"),
            (_, Operation::GetModel) => format!("/{version}/models/{model}"),
            (ModelApi::Gemini, Operation::Generate { stream: Some(true) }) => {
                format!("/{version}/models/{model}:streamGenerateContent")
            }
            (ModelApi::Gemini, Operation::Generate { .. }) => {
                format!("/{version}/models/{model}:generateContent")
            }
            (ModelApi::Gemini, Operation::CountTokens) => {
                format!("/{version}/models/{model}:countTokens")
            }
            (ModelApi::Anthropic, Operation::CountTokens) => {
                format!("/{version}/messages/count_tokens")
            }
            (ModelApi::Anthropic, _) => format!("/{version}/messages"),
            (ModelApi::OpenaiChat, _) => format!("/{version}/chat/completions"),
            (ModelApi::OpenaiResponses, _) => format!("/{version}/responses"),
        }
    }
}

fn versioned(api: ModelApi, method: &Method, path: &str) -> Option<Endpoint> {
    let rest = path.strip_prefix("/v1/")?;
    let (operation, model) = match (api, rest) {
        (ModelApi::Anthropic, "messages")
        | (ModelApi::OpenaiChat, "chat/completions")
        | (ModelApi::OpenaiResponses, "responses")
            if method == Method::POST =>
        {
            (Operation::Generate { stream: None }, None)
        }
        (ModelApi::Anthropic, "messages/count_tokens") if method == Method::POST => {
            (Operation::CountTokens, None)
        }
        (_, rest) if method == Method::GET => models(rest)?,
        _ => return None,
    };
    Some(Endpoint {
        api,
        operation,
        version: "v1",
        model,
    })
}

fn gemini(method: &Method, path: &str) -> Option<Endpoint> {
    let versions = ["v1beta", "v1alpha", "v1"];
    let (version, rest) = versions.into_iter().find_map(|version| {
        let rest = path.strip_prefix('/')?.strip_prefix(version)?;
        Some((version, rest.strip_prefix('/')?))
    })?;
    let (operation, model) = if method == Method::GET {
        models(rest)?
    } else if method == Method::POST {
        let (model, verb) = rest.strip_prefix("models/")?.rsplit_once(':')?;
        let operation = match verb {
            "generateContent" => Operation::Generate {
                stream: Some(false),
            },
            "streamGenerateContent" => Operation::Generate { stream: Some(true) },
            "countTokens" => Operation::CountTokens,
            _ => return None,
        };
        (operation, Some(model.to_owned()))
    } else {
        return None;
    };
    Some(Endpoint {
        api: ModelApi::Gemini,
        operation,
        version,
        model,
    })
}

fn models(rest: &str) -> Option<(Operation, Option<String>)> {
    if rest == "models" {
        return Some((Operation::ListModels, None));
    }
    let model = rest.strip_prefix("models/")?;
    Some((Operation::GetModel, Some(model.to_owned())))
}

/// What the gateway answers with instead of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// No such endpoint, no such model.
    NotFound,
    /// A body that cannot be accepted.
    Request,
    /// A body that is too long.
    Long,
    /// A body that did not come in time.
    Slow,
    /// A budget that is used up.
    Budget,
    /// The operator's key was not taken.
    Key,
    /// The upstream cannot be reached, or its answer cannot be read.
    Upstream,
    /// The upstream took too long.
    UpstreamSlow,
}

impl Problem {
    /// The status that agents do not ask again at, where asking is in vain.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Request => StatusCode::BAD_REQUEST,
            Self::Long => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Budget => StatusCode::PAYMENT_REQUIRED,
            Self::Key => StatusCode::UNAUTHORIZED,
            Self::Upstream => StatusCode::BAD_GATEWAY,
            Self::UpstreamSlow => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// `type` in Anthropic's and OpenAI's errors, `status` in Google's.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NotFound => ("not_found_error", "invalid_request_error", "NOT_FOUND"),
            Self::Request => (
                "invalid_request_error",
                "invalid_request_error",
                "INVALID_ARGUMENT",
            ),
            Self::Long => (
                "request_too_large",
                "invalid_request_error",
                "INVALID_ARGUMENT",
            ),
            Self::Slow => (
                "timeout_error",
                "invalid_request_error",
                "DEADLINE_EXCEEDED",
            ),
            Self::Budget => ("billing_error", "insufficient_quota", "FAILED_PRECONDITION"),
            Self::Key => (
                "authentication_error",
                "authentication_error",
                "UNAUTHENTICATED",
            ),
            Self::Upstream => ("api_error", "server_error", "UNAVAILABLE"),
            Self::UpstreamSlow => ("timeout_error", "server_error", "DEADLINE_EXCEEDED"),
        }
    }

    /// The error in the shape that clients of a protocol read.
    pub(crate) fn body(self, api: ModelApi, code: Option<&str>, message: &str) -> Bytes {
        let (anthropic, openai, google) = self.names();
        let body = match api {
            ModelApi::Anthropic => json!({
                "type": "error",
                "error": {"type": anthropic, "message": message},
            }),
            ModelApi::OpenaiChat | ModelApi::OpenaiResponses => json!({
                "error": {"message": message, "type": openai, "param": null, "code": code},
            }),
            ModelApi::Gemini => json!({
                "error": {"code": self.status().as_u16(), "message": message, "status": google},
            }),
        };
        Bytes::from(body.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(apis: &[ModelApi], method: &Method, path: &str) -> Option<String> {
        Endpoint::of(apis, method, path)
            .map(|it| format!("{} {:?} {}", it.api, it.operation, it.path(None)))
    }

    #[test]
    fn endpoints_are_what_apis_have_and_nothing_else() {
        use ModelApi::{Anthropic, Gemini, OpenaiChat, OpenaiResponses};
        let openai = [OpenaiChat, OpenaiResponses];
        let generate = "Generate { stream: None }";
        for (apis, path, expected) in [
            (
                &[Anthropic][..],
                "/v1/messages",
                format!("anthropic {generate} /v1/messages"),
            ),
            (
                &[Anthropic],
                "/v1/messages/count_tokens",
                "anthropic CountTokens /v1/messages/count_tokens".to_owned(),
            ),
            (
                &openai,
                "/v1/responses",
                format!("openai-responses {generate} /v1/responses"),
            ),
            (
                &openai,
                "/responses",
                format!("openai-responses {generate} /v1/responses"),
            ),
            (
                &openai,
                "/v1/chat/completions",
                format!("openai-chat {generate} /v1/chat/completions"),
            ),
            (
                &[Gemini],
                "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
                "gemini Generate { stream: Some(true) } \
                 /v1beta/models/gemini-2.5-pro:streamGenerateContent"
                    .to_owned(),
            ),
        ] {
            assert_eq!(of(apis, &Method::POST, path), Some(expected), "{path}");
        }
        for (apis, path) in [
            (&[Anthropic][..], "/v1/messages/"),
            (&[Anthropic], "/v1/messages/batches"),
            (&[Anthropic], "/v1/chat/completions"),
            (&[Anthropic], "/v1/files"),
            (&[OpenaiChat], "/v1/responses"),
            (&openai, "/v1/embeddings"),
            (&openai, "/v1/../v1/responses"),
            (&openai, "/v1/responses/resp_1"),
            (&[Gemini], "/v1beta/models/x:batchEmbedContents"),
            (&[Gemini], "/v1beta/cachedContents"),
            (&[Gemini], "/v1beta2/models/x:generateContent"),
        ] {
            assert_eq!(of(apis, &Method::POST, path), None, "{path}");
        }
        assert_eq!(of(&openai, &Method::GET, "/v1/responses"), None);
        assert_eq!(of(&openai, &Method::DELETE, "/v1/models/x"), None);
        assert!(of(&openai, &Method::GET, "/v1/models").is_some());
    }

    #[test]
    fn names_are_read_back() {
        for api in ModelApi::ALL {
            assert_eq!(api.name().parse::<ModelApi>().unwrap(), api);
        }
        assert!("openai".parse::<ModelApi>().is_err());
    }
}
