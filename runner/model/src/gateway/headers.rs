//! Which header fields pass. Lists of what passes and not of what does not: a
//! field may speak to a proxy before the upstream, carry a key of the agent's or
//! tell the agent whose account it uses.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::api::ModelApi;
use crate::client::authorize;
use crate::redact::Redactor;
use crate::secret::Secret;

/// Fields of a request that the APIs read, or that say which client asks.
const ASKED: &[&str] = &[
    "accept",
    "content-type",
    "user-agent",
    "originator",
    "session_id",
    "conversation_id",
    "version",
    "x-client-request-id",
    "x-goog-api-client",
    "x-app",
    "openai-beta",
];
const ASKED_PREFIXES: &[&str] = &["anthropic-", "x-stainless-"];

/// Fields of a reply that clients read.
const ANSWERED: &[&str] = &[
    "content-type",
    "content-encoding",
    "cache-control",
    "date",
    "request-id",
    "x-request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "openai-processing-ms",
    "openai-version",
    "openai-model",
];
const ANSWERED_PREFIXES: &[&str] = &["x-ratelimit-", "anthropic-ratelimit-"];

fn passes(name: &HeaderName, exact: &[&str], prefixes: &[&str]) -> bool {
    let name = name.as_str();
    exact.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// The fields of a request that goes out.
pub(super) fn outgoing(api: ModelApi, key: Option<&Secret>, asked: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    for (name, value) in asked {
        if passes(name, ASKED, ASKED_PREFIXES) {
            headers.append(name, value.clone());
        }
    }
    // Packed replies could not be looked at in passing.
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    authorize(api, key, &mut headers);
    headers
}

/// The fields of a reply that the agent gets, but none with a key in it. Its
/// length is the body's.
pub(super) fn answered(upstream: &HeaderMap, redactor: &Redactor) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    for (name, value) in upstream {
        if passes(name, ANSWERED, ANSWERED_PREFIXES) && !redactor.finds(value.as_bytes()) {
            headers.append(name, value.clone());
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_keys_go_nowhere_and_the_operators_only_out() {
        let mut asked = HeaderMap::new();
        for name in [
            "authorization",
            "x-api-key",
            "x-goog-api-key",
            "api-key",
            "cookie",
            "proxy-authorization",
            "openai-organization",
            "x-forwarded-for",
            "connection",
            "content-length",
            "content-encoding",
            "host",
        ] {
            asked.insert(name, HeaderValue::from_static("agents-own"));
        }
        asked.insert("anthropic-beta", HeaderValue::from_static("b"));
        let key = Secret::new("sk-planted-0001").unwrap();
        for (api, name) in [
            (ModelApi::Anthropic, "x-api-key"),
            (ModelApi::OpenaiChat, "authorization"),
            (ModelApi::Gemini, "x-goog-api-key"),
        ] {
            let sent = outgoing(api, Some(&key), &asked);
            let own = sent.values().filter(|it| *it == "agents-own").count();
            assert_eq!(own, 0, "{sent:?}");
            assert!(sent[name].to_str().unwrap().ends_with("sk-planted-0001"));
            assert!(sent[name].is_sensitive());
            assert_eq!(sent["accept-encoding"], "identity");
            assert_eq!(sent["anthropic-beta"], "b");
        }
        let without = outgoing(ModelApi::OpenaiChat, None, &asked);
        assert_eq!(without["authorization"], "Bearer proctor-no-key");
    }

    #[test]
    fn a_field_of_the_reply_with_a_key_in_it_does_not_pass() {
        let key = Secret::new("sk-planted-0001").unwrap();
        let mut upstream = HeaderMap::new();
        let with_key = HeaderValue::from_static("for Bearer sk-planted-0001");
        upstream.insert("x-request-id", with_key);
        upstream.insert("request-id", HeaderValue::from_static("req_1"));
        upstream.insert("set-cookie", HeaderValue::from_static("a=b"));
        let passed = answered(&upstream, &Redactor::new([&key]));
        assert_eq!(passed.len(), 1, "{passed:?}");
        assert_eq!(passed["request-id"], "req_1");
    }
}
