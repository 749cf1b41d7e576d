//! What kind of failure an agent speaks of.

use proctor_types::manifest::FailureKind;

/// Bytes of an agent's words that a reason has.
const REASON_BYTES: usize = 2000;

/// Names that agents and APIs give to errors, whole words of them.
///
/// Measured: `authentication_failed`, `rate_limit`, `server_error`,
/// `error_max_turns` (claude 2.1), `authentication_error` (openclaw 2026.9),
/// `internal_server_error` (codex 0.171), `FatalTurnLimitedError` (gemini);
/// the rest from the documentation of the APIs and the agents.
const NAMES: &[(&str, FailureKind)] = &[
    ("authentication_failed", FailureKind::Authentication),
    ("authentication_error", FailureKind::Authentication),
    ("permission_error", FailureKind::Authentication),
    ("invalid_api_key", FailureKind::Authentication),
    ("unauthorized", FailureKind::Authentication),
    ("providerautherror", FailureKind::Authentication),
    ("oauth_org_not_allowed", FailureKind::Authentication),
    ("rate_limit", FailureKind::RateLimit),
    ("rate_limit_error", FailureKind::RateLimit),
    ("rate_limit_exceeded", FailureKind::RateLimit),
    ("insufficient_quota", FailureKind::RateLimit),
    ("usage_limit_exceeded", FailureKind::RateLimit),
    ("resource_exhausted", FailureKind::RateLimit),
    ("billing_error", FailureKind::RateLimit),
    ("server_error", FailureKind::Upstream),
    ("api_error", FailureKind::Upstream),
    ("overloaded", FailureKind::Upstream),
    ("overloaded_error", FailureKind::Upstream),
    ("server_overloaded", FailureKind::Upstream),
    ("internal_server_error", FailureKind::Upstream),
    ("response_stream_disconnected", FailureKind::Upstream),
    ("response_stream_connection_failed", FailureKind::Upstream),
    ("http_connection_failed", FailureKind::Upstream),
    ("context_window_exceeded", FailureKind::Context),
    ("context_length_exceeded", FailureKind::Context),
    ("contextoverflowerror", FailureKind::Context),
    ("request_too_large", FailureKind::Context),
    ("refusal", FailureKind::Refusal),
    ("content_filter", FailureKind::Refusal),
    ("content-filter", FailureKind::Refusal),
    ("cyber_policy", FailureKind::Refusal),
    ("error_max_budget_usd", FailureKind::Budget),
    ("error_max_turns", FailureKind::Turns),
    ("max_turns", FailureKind::Turns),
    ("fatalturnlimitederror", FailureKind::Turns),
    ("error_during_execution", FailureKind::Crash),
];

/// What stands in messages for people, in lower case; the first that is found
/// counts.
const WORDS: &[(&str, FailureKind)] = &[
    ("budget exceeded", FailureKind::Budget),
    ("budget is used up", FailureKind::Budget),
    ("prompt is too long", FailureKind::Context),
    ("context window", FailureKind::Context),
    ("context length", FailureKind::Context),
    ("maximum number of turns", FailureKind::Turns),
    ("turn limit", FailureKind::Turns),
    ("failed to authenticate", FailureKind::Authentication),
    ("authentication", FailureKind::Authentication),
    ("unauthorized", FailureKind::Authentication),
    ("api key", FailureKind::Authentication),
    ("too many requests", FailureKind::RateLimit),
    ("rate limit", FailureKind::RateLimit),
    ("quota", FailureKind::RateLimit),
    ("overloaded", FailureKind::Upstream),
    // What codex 0.171 says to a status of 500.
    ("experiencing high demand", FailureKind::Upstream),
    ("stream disconnected", FailureKind::Upstream),
    ("connection error", FailureKind::Upstream),
    ("connection refused", FailureKind::Upstream),
    ("econnrefused", FailureKind::Upstream),
    ("econnreset", FailureKind::Upstream),
    ("fetch failed", FailureKind::Upstream),
];

/// The kind of a failure: by its HTTP status, else by one of its `names`, else
/// by what its message says.
pub(crate) fn kind(status: Option<u64>, names: &[&str], message: &str) -> Option<FailureKind> {
    // A name can be more exact than the status that came with it.
    names
        .iter()
        .find_map(|name| by_name(name))
        .or_else(|| status.and_then(by_status))
        .or_else(|| by_message(message))
}

/// An agent's words, not too many of them.
pub(crate) fn reason(message: &str) -> String {
    let message = message.trim();
    if message.is_empty() {
        "the agent reports an error, and not which".to_owned()
    } else {
        message[..message.floor_char_boundary(REASON_BYTES)].to_owned()
    }
}

fn by_name(name: &str) -> Option<FailureKind> {
    let name = name.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, kind)| *kind)
}

fn by_status(status: u64) -> Option<FailureKind> {
    match status {
        401 | 403 => Some(FailureKind::Authentication),
        413 => Some(FailureKind::Context),
        429 => Some(FailureKind::RateLimit),
        500..=599 => Some(FailureKind::Upstream),
        _ => None,
    }
}

fn by_message(message: &str) -> Option<FailureKind> {
    let end = message.floor_char_boundary(REASON_BYTES);
    let message = message[..end].to_ascii_lowercase();
    let mut words = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if let Some(kind) = words.find_map(by_name) {
        return Some(kind);
    }
    if let Some((_, kind)) = WORDS.iter().find(|(words, _)| message.contains(words)) {
        return Some(*kind);
    }
    message
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == 3)
        .find_map(|word| by_status(word.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind::{Authentication, Context, RateLimit, Turns, Upstream};

    #[test]
    fn what_agents_were_heard_to_say_is_of_the_right_kind() {
        for (message, expected) in [
            (
                "Failed to authenticate. API Error: 401 fake error",
                Some(Authentication),
            ),
            (
                "API Error: Request rejected (429) · fake error",
                Some(RateLimit),
            ),
            (
                "API Error: 500 fake error. This is a server-side issue",
                Some(Upstream),
            ),
            (
                "unexpected status 401 Unauthorized: fake error, url: http://x/v1/responses",
                Some(Authentication),
            ),
            (
                "exceeded retry limit, last status: 429 Too Many Requests",
                Some(RateLimit),
            ),
            (
                "We’re currently experiencing high demand, which may cause temporary errors.",
                Some(Upstream),
            ),
            (
                r#"[API Error: {"type":"error","error":{"type":"authentication_error","code":401}}]"#,
                Some(Authentication),
            ),
            ("401 fake error", Some(Authentication)),
            ("429 fake error", Some(RateLimit)),
            (
                "⚠️ fake/fake-model request failed (authentication failed, HTTP 401).",
                Some(Authentication),
            ),
            ("Reached maximum number of turns (1)", Some(Turns)),
            (
                "prompt is too long: 210000 tokens > 200000 maximum",
                Some(Context),
            ),
            ("State directory does not exist", None),
            ("wrote 5000 files in 14290 ms", None),
            ("", None),
        ] {
            assert_eq!(kind(None, &[], message), expected, "{message}");
        }
    }

    #[test]
    fn names_come_before_statuses_and_statuses_before_words() {
        assert_eq!(
            kind(Some(400), &["context_length_exceeded"], "401"),
            Some(Context)
        );
        assert_eq!(kind(Some(529), &["odd"], "authentication"), Some(Upstream));
        assert_eq!(kind(Some(404), &[], "the api key"), Some(Authentication));
    }

    #[test]
    fn reasons_are_cut_between_characters() {
        let reason = reason(&format!("a{}", "é".repeat(4000)));
        assert_eq!(reason.len(), 1999);
        assert!(super::reason(" ").starts_with("the agent reports an error"));
    }
}
