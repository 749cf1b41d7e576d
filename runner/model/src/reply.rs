//! Errors of model APIs, understood.

use proctor_types::manifest::FailureKind;
use serde_json::Value;

/// Characters of an error that are shown.
const SHOWN: usize = 300;

/// What an API says is wrong. The four protocols say it in three shapes, and
/// other servers in more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ApiError {
    /// `rate_limit_error`, `insufficient_quota`, `RESOURCE_EXHAUSTED`, ...
    kind: String,
    message: String,
}

impl ApiError {
    /// Reads the body of an answer that is an error, whatever it is.
    pub(crate) fn read(body: &[u8]) -> Self {
        let text = || Self {
            kind: String::new(),
            message: String::from_utf8_lossy(&body[..body.len().min(4 * SHOWN)]).into_owned(),
        };
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::of(&value).unwrap_or_else(text),
            Err(_) => text(),
        }
    }

    /// The same for a value: the body, or an event of a stream.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        // Google streams an array.
        let value = value.get(0).unwrap_or(value);
        let error = match value.get("error") {
            Some(error) if !error.is_null() => error,
            // Of OpenAI's responses, inside a failed response.
            _ => match value.pointer("/response/error") {
                Some(error) if !error.is_null() => error,
                _ => value,
            },
        };
        if let Value::String(message) = error {
            return Some(Self {
                kind: String::new(),
                message: message.clone(),
            });
        }
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let message = text("message").or_else(|| text("detail"))?;
        let reason = error
            .pointer("/details/0/reason")
            .and_then(Value::as_str)
            .filter(|_| text("status") == Some("INVALID_ARGUMENT"));
        let kind = reason
            .or_else(|| text("code"))
            .or_else(|| text("status"))
            .or_else(|| text("type"));
        Some(Self {
            kind: kind.unwrap_or_default().to_owned(),
            message: message.to_owned(),
        })
    }

    /// In a line, bounded and without control characters.
    pub(crate) fn describe(&self) -> String {
        let Self { kind, message } = self;
        let text = match (kind.is_empty(), message.trim().is_empty()) {
            (true, true) => "no explanation".to_owned(),
            (true, false) => message.clone(),
            (false, true) => kind.clone(),
            (false, false) => format!("{kind}: {message}"),
        };
        one_line(&text)
    }

    /// Whether asking again can help, as far as the error says.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.kind.as_str(), "insufficient_quota" | "billing_error")
            || self.message.contains("credit balance is too low")
    }

    /// What kind of failure an answer with this status is.
    pub(crate) fn failure(&self, status: u16) -> Option<FailureKind> {
        let message = self.message.to_ascii_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|it| message.contains(it));
        if matches!(status, 401 | 403) || self.kind == "API_KEY_INVALID" {
            return Some(FailureKind::Authentication);
        }
        if matches!(status, 402 | 429 | 529) || self.is_final() {
            return Some(FailureKind::RateLimit);
        }
        let context = self.kind == "context_length_exceeded"
            || says(&[
                "prompt is too long",
                "context length",
                "context window",
                "context size",
                "exceeds the maximum number of tokens",
            ]);
        if context || status == 413 {
            return Some(FailureKind::Context);
        }
        // A model that the upstream does not know is the operator's mistake.
        (status == 404 || status >= 500).then_some(FailureKind::Upstream)
    }

    /// The same for an error in the middle of a stream, which has no status.
    pub(crate) fn failure_in_stream(&self) -> FailureKind {
        let status = match self.kind.as_str() {
            "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
            "overloaded_error" => 529,
            "authentication_error" | "permission_error" | "UNAUTHENTICATED" => 401,
            _ => 500,
        };
        self.failure(status).unwrap_or(FailureKind::Upstream)
    }
}

/// Text in one line of bounded length.
pub(crate) fn one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it })
        .take(SHOWN)
        .collect();
    if line.chars().count() == SHOWN {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_all_shapes_are_read() {
        use FailureKind::{Authentication, Context, RateLimit, Upstream};
        for (status, body, shown, failure) in [
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "overloaded_error: Overloaded",
                Some(RateLimit),
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}"#,
                "invalid_request_error: prompt is too long: 200001 tokens > 200000 maximum",
                Some(Context),
            ),
            (
                401,
                r#"{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
                "invalid_api_key: no",
                Some(Authentication),
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
                "API_KEY_INVALID: API key not valid.",
                Some(Authentication),
            ),
            (
                404,
                r#"{"detail":"Not Found"}"#,
                "Not Found",
                Some(Upstream),
            ),
            (
                400,
                r#"{"error":"model is required"}"#,
                "model is required",
                None,
            ),
            (
                502,
                "<html>\nbad\u{7} gateway",
                "<html> bad  gateway",
                Some(Upstream),
            ),
            (500, "", "no explanation", Some(Upstream)),
            (500, "null", "null", Some(Upstream)),
        ] {
            let error = ApiError::read(body.as_bytes());
            assert_eq!(error.describe(), shown);
            assert_eq!(error.failure(status), failure, "{body}");
        }
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let body = "x".repeat(1 << 20);
        assert!(ApiError::read(body.as_bytes()).describe().len() < SHOWN + 10);
    }
}
