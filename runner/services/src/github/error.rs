//! What goes wrong, as GitHub says it.

use serde_json::{Value, json};

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Error {
    pub(crate) status: u16,
    pub(crate) message: String,
    /// Details of a 422.
    pub(crate) errors: Vec<Value>,
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            errors: Vec::new(),
        }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub(crate) fn unauthenticated() -> Self {
        Self::new(401, "Requires authentication")
    }

    pub(crate) fn bad_credentials() -> Self {
        Self::new(401, "Bad credentials")
    }

    /// 422 for one field. `code` is `missing`, `missing_field`, `invalid`,
    /// `already_exists` or `unprocessable`.
    pub(crate) fn field(resource: &str, field: &str, code: &str) -> Self {
        Self {
            status: 422,
            message: "Validation Failed".to_owned(),
            errors: vec![json!({"resource": resource, "field": field, "code": code})],
        }
    }

    /// 422 in the service's own words.
    pub(crate) fn custom(resource: &str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self {
            status: 422,
            message: "Validation Failed".to_owned(),
            errors: vec![json!({"resource": resource, "code": "custom", "message": message})],
        }
    }

    /// The error's body.
    pub(crate) fn json(&self) -> Value {
        let mut body = json!({"message": self.message});
        if !self.errors.is_empty() {
            body["errors"] = json!(self.errors);
        }
        body["documentation_url"] = json!("https://docs.github.com/rest");
        body["status"] = json!(self.status.to_string());
        body
    }

    /// The error in one line, as GraphQL and push reports carry it.
    pub(crate) fn line(&self) -> String {
        let details: Vec<String> = self.errors.iter().map(detail).collect();
        if details.is_empty() {
            self.message.clone()
        } else {
            details.join(", ")
        }
    }
}

fn detail(error: &Value) -> String {
    let text = |name: &str| error[name].as_str().unwrap_or_default();
    match text("message") {
        "" => format!("{} {} {}", text("resource"), text("field"), text("code")),
        message => message.to_owned(),
    }
}

impl From<git2::Error> for Error {
    fn from(error: git2::Error) -> Self {
        match error.code() {
            git2::ErrorCode::NotFound => Self::not_found(),
            _ => Self::new(422, error.message()),
        }
    }
}
