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
    /// An error in our own words.
    pub(crate) fn told(message: String) -> Self {
        Self {
            kind: String::new(),
            message,
        }
    }

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

    /// What kind of failure an answer with this status is, where it is not known
    /// which model was asked.
    pub(crate) fn failure(&self, status: u16) -> Option<FailureKind> {
        self.failure_of(status, None)
    }

    /// What kind of failure an answer with this status is; `asked` is the model
    /// that was asked.
    pub(crate) fn failure_of(&self, status: u16, asked: Option<&str>) -> Option<FailureKind> {
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
        let unknown = status == 404 && self.is_about_the_model(&message, asked);
        (unknown || status >= 500).then_some(FailureKind::Upstream)
    }

    /// Whether an answer that something is not there means the model: one that
    /// the upstream does not know is the operator's mistake. What else is not
    /// there, such as an earlier response, was the agent's idea. `message` is the
    /// error's in lower case.
    fn is_about_the_model(&self, message: &str, asked: Option<&str>) -> bool {
        let named = || {
            let asked = asked.map(str::to_ascii_lowercase);
            asked.is_some_and(|asked| !asked.is_empty() && message.contains(&asked))
        };
        match self.kind.as_str() {
            "model_not_found" => true,
            "not_found_error" => message.contains("model") || named(),
            // `previous_response_not_found`: its message quotes the agent.
            kind if kind.ends_with("_not_found") => false,
            _ => message.contains("model"),
        }
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
            (404, r#"{"detail":"Not Found"}"#, "Not Found", None),
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
    fn only_a_model_that_is_not_there_is_the_operators_mistake() {
        let of = |body: &str, asked| ApiError::read(body.as_bytes()).failure_of(404, asked);
        let asked = Some("Claude-Unheard-Of");
        for body in [
            r#"{"error":{"message":"no","type":"invalid_request_error","code":"model_not_found"}}"#,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
            r#"{"type":"error","error":{"type":"not_found_error","message":"claude-unheard-of"}}"#,
            r#"{"error":{"code":404,"message":"models/m is not found","status":"NOT_FOUND"}}"#,
            r#"{"error":"Model 'm' not found, try pulling it first"}"#,
        ] {
            assert_eq!(of(body, asked), Some(FailureKind::Upstream), "{body}");
        }
        for body in [
            r#"{"detail":"Not Found"}"#,
            r#"{"type":"error","error":{"type":"not_found_error","message":"Not found"}}"#,
            r#"{"error":{"message":"Response 'model' not found","code":"previous_response_not_found"}}"#,
            r#"{"error":{"message":"No tool output found for call_1","code":null}}"#,
            "",
        ] {
            assert_eq!(of(body, asked), None, "{body}");
            assert_eq!(of(body, Some("")), None, "{body}");
        }
        let unknown = r#"{"error":{"type":"not_found_error","message":"claude-unheard-of"}}"#;
        assert_eq!(of(unknown, None), None);
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let body = "x".repeat(1 << 20);
        assert!(ApiError::read(body.as_bytes()).describe().len() < SHOWN + 10);
    }
}
