//! Where requests to a host go.

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};

use crate::api::{COMPATIBLE_HOST, Endpoint, ModelApi};
use crate::secret::Secret;

/// One host that an agent may ask, and what becomes of it.
#[derive(Debug, Clone)]
pub struct ModelRoute {
    /// Host, in lower case, by which the agent knows the API.
    pub host: String,
    /// Protocols that are spoken there.
    pub apis: Vec<ModelApi>,
    /// Base address of the upstream. For OpenAI's protocols it is what clients
    /// call the base URL and takes the place of `/v1` where it has a path of its
    /// own (`http://127.0.0.1:8000/v1`); for the others it comes before the
    /// version.
    pub upstream: Uri,
    /// The operator's key. None for servers that want none.
    pub key: Option<Secret>,
    /// Models that may be asked for. Agents ask smaller ones for titles and
    /// summaries; those have to be listed too.
    pub models: Vec<String>,
    /// The model that every request is sent to, whatever it asks for. What was
    /// asked for is recorded.
    pub rewrite_model: Option<String>,
    /// Whether tools that run at the provider (web search, code execution,
    /// remote MCP servers) are let through. They reach the real network, which
    /// an agent in a room must not; without this they are taken out of requests,
    /// and the exchange says so. Content that the provider would fetch from an
    /// address is such a way too, and its request is refused.
    pub hosted_tools: bool,
}

/// An address that cannot be an upstream's.
#[derive(Debug, thiserror::Error)]
#[error("{address:?} is no base address of a model API: {reason}")]
pub struct BadUpstream {
    /// The address, without user information.
    pub address: String,
    /// What is wrong with it.
    pub reason: String,
}

impl ModelRoute {
    /// One protocol at its provider's own host. `models[0]` is the trial's.
    pub fn new(api: ModelApi, models: Vec<String>, key: Option<Secret>) -> Self {
        let host = api.host();
        let apis = match api {
            ModelApi::OpenaiChat | ModelApi::OpenaiResponses => {
                vec![ModelApi::OpenaiChat, ModelApi::OpenaiResponses]
            }
            other => vec![other],
        };
        Self {
            host: host.to_owned(),
            apis,
            upstream: https(host),
            key,
            models,
            rewrite_model: None,
            hosted_tools: false,
        }
    }

    /// An OpenAI-compatible server (chat completions and responses), which the
    /// agent finds at [`COMPATIBLE_HOST`].
    ///
    /// # Errors
    /// When the address cannot be an upstream's.
    pub fn compatible(
        base_url: &str,
        models: Vec<String>,
        key: Option<Secret>,
    ) -> Result<Self, BadUpstream> {
        let mut route = Self::new(ModelApi::OpenaiChat, models, key).at(base_url)?;
        COMPATIBLE_HOST.clone_into(&mut route.host);
        Ok(route)
    }

    /// The same at another upstream; the agent notices nothing.
    ///
    /// # Errors
    /// When the address cannot be an upstream's.
    pub fn at(mut self, base_url: &str) -> Result<Self, BadUpstream> {
        self.upstream = upstream(base_url)?;
        Ok(self)
    }

    /// The same, with every request sent to one model.
    #[must_use]
    pub fn rewriting_to(mut self, model: impl Into<String>) -> Self {
        self.rewrite_model = Some(model.into());
        self
    }

    /// Whether a model may be asked for.
    pub(crate) fn allows(&self, model: &str) -> bool {
        self.rewrite_model.is_some() || self.models.iter().any(|it| it == model)
    }
}

fn https(host: &'static str) -> Uri {
    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(Scheme::HTTPS);
    parts.authority = Some(Authority::from_static(host));
    parts.path_and_query = Some(PathAndQuery::from_static("/"));
    // All three parts are there and valid.
    Uri::from_parts(parts).unwrap_or_default()
}

/// Reads a base address.
///
/// # Errors
/// When it is none of `http` or `https`, has no host, or carries a key, a query
/// or a fragment.
pub(crate) fn upstream(base_url: &str) -> Result<Uri, BadUpstream> {
    let shown = match base_url.rsplit_once('@') {
        Some((_, rest)) => rest,
        None => base_url,
    };
    let bad = |reason: &str| BadUpstream {
        address: shown.chars().take(200).collect(),
        reason: reason.to_owned(),
    };
    let uri: Uri = base_url
        .parse()
        .map_err(|error: http::uri::InvalidUri| bad(&error.to_string()))?;
    let Some(authority) = uri.authority() else {
        return Err(bad("it has to begin with http:// or https:// and a host"));
    };
    if authority.as_str().contains('@') {
        return Err(bad("keys do not belong into addresses"));
    }
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(bad("it has to begin with http:// or https://"));
    }
    if uri.query().is_some() {
        return Err(bad("it must not have a query"));
    }
    Ok(uri)
}

/// The address below an upstream's base for an endpoint.
pub(crate) fn address(
    base: &Uri,
    endpoint: &Endpoint,
    model: Option<&str>,
    query: Option<&str>,
) -> Result<Uri, http::Error> {
    let path = endpoint.path(model);
    let prefix = base.path().trim_end_matches('/');
    let version = format!("/{}", endpoint.version);
    let replaces = match endpoint.api {
        ModelApi::OpenaiChat | ModelApi::OpenaiResponses => !prefix.is_empty(),
        ModelApi::Anthropic | ModelApi::Gemini => prefix.ends_with(&version),
    };
    let tail = if replaces {
        path.strip_prefix(&version).unwrap_or(&path)
    } else {
        &path
    };
    let query = query.map(|it| format!("?{it}")).unwrap_or_default();
    let mut parts = base.clone().into_parts();
    parts.path_and_query = Some(format!("{prefix}{tail}{query}").parse()?);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    #[test]
    fn base_addresses_are_what_clients_of_the_api_take() {
        let chat = [ModelApi::OpenaiChat, ModelApi::OpenaiResponses];
        for (apis, base, path, expected) in [
            (
                &chat[..],
                "http://127.0.0.1:8000/v1",
                "/v1/chat/completions",
                "http://127.0.0.1:8000/v1/chat/completions",
            ),
            (
                &chat,
                "http://127.0.0.1:11434",
                "/v1/responses",
                "http://127.0.0.1:11434/v1/responses",
            ),
            (
                &chat,
                "https://models.example/api/v2/",
                "/v1/chat/completions",
                "https://models.example/api/v2/chat/completions",
            ),
            (
                &[ModelApi::Anthropic],
                "https://models.example/anthropic",
                "/v1/messages",
                "https://models.example/anthropic/v1/messages",
            ),
            (
                &[ModelApi::Anthropic],
                "https://models.example/v1",
                "/v1/messages",
                "https://models.example/v1/messages",
            ),
        ] {
            let endpoint = Endpoint::of(apis, &Method::POST, path).unwrap();
            let address = address(&upstream(base).unwrap(), &endpoint, None, None).unwrap();
            assert_eq!(address.to_string(), expected);
        }
        let endpoint = Endpoint::of(
            &[ModelApi::Gemini],
            &Method::POST,
            "/v1/models/a:generateContent",
        )
        .unwrap();
        let base = ModelRoute::new(ModelApi::Gemini, vec![], None).upstream;
        let address = address(&base, &endpoint, Some("b"), Some("alt=sse")).unwrap();
        assert_eq!(
            address.to_string(),
            "https://generativelanguage.googleapis.com/v1/models/b:generateContent?alt=sse"
        );
    }

    #[test]
    fn other_addresses_are_refused_without_their_secrets() {
        for base in [
            "",
            "localhost:8000",
            "ftp://models.example",
            "/v1",
            "http://models.example/?key=1",
            "https://user:planted@models.example/",
        ] {
            let error = upstream(base).unwrap_err().to_string();
            assert!(!error.contains("planted"), "{error}");
        }
    }
}
