//! Google's error answers.
//!
//! Every error of a Google API is one JSON object, `{"error": {"code",
//! "message", "errors": [{"message", "domain", "reason"}], "status"}}`
//! (<https://cloud.google.com/apis/design/errors>). Clients read the code, the
//! message and the reason of the first entry.

use serde_json::{Map, Value, json};

/// An error that a method answers with. Never an error of Proctor itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// HTTP status.
    pub code: u16,
    /// What went wrong, in Google's words where they are known.
    pub message: String,
    /// Word for programs in `errors[0].reason`: `notFound`, `invalid`, ...
    pub reason: &'static str,
    /// Canonical code of `google.rpc.Code`; `None` for the APIs that do not
    /// send one.
    pub status: Option<&'static str>,
    /// What only some errors have.
    rare: Box<Rare>,
}

/// What only some errors have.
#[derive(Debug, Clone, Default, PartialEq)]
struct Rare {
    /// What the error is about: kind (`parameter`, `header`) and name.
    location: Option<(&'static str, String)>,
    /// The entry in `errors` has no `domain`.
    no_domain: bool,
    /// Message of the entry in `errors`, where it differs.
    short: Option<&'static str>,
    /// `google.rpc` details.
    details: Vec<Value>,
}

impl ApiError {
    /// An error with everything that most of them have.
    pub fn new(
        code: u16,
        status: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            reason,
            status: Some(status),
            rare: Box::default(),
        }
    }

    /// 400: a value that is not of its field's type, as the newer APIs say it:
    /// `Invalid value at 'max_results' (TYPE_UINT32), "x"`.
    pub fn wrong_type(field: &str, kind: &str, value: &str) -> Self {
        let message = format!("Invalid value at '{field}' ({kind}), {value}");
        let mut error = Self::bad_request("invalid", message).violating(field);
        error.rare.no_domain = true;
        error
    }

    /// 404: what the request names does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "NOT_FOUND", "notFound", message)
    }

    /// 404 in the words of the newer APIs (Gmail among them).
    pub fn entity_not_found() -> Self {
        Self::not_found("Requested entity was not found.")
    }

    /// 400: a value that the API does not take (`invalidArgument`).
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::bad_request("invalidArgument", message)
    }

    /// 400 with another reason.
    pub fn bad_request(reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(400, "INVALID_ARGUMENT", reason, message)
    }

    /// 400: right in itself, but not in the state that the account is in.
    pub fn failed_precondition(message: impl Into<String>) -> Self {
        Self::new(400, "FAILED_PRECONDITION", "failedPrecondition", message)
    }

    /// 409: it exists already (`aborted`).
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(409, "ABORTED", "aborted", message)
    }

    /// 403: not for this account.
    pub fn forbidden(reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(403, "PERMISSION_DENIED", reason, message)
    }

    /// 412: `If-Match` named another version than the one there is.
    pub fn condition_not_met() -> Self {
        Self::new(
            412,
            "FAILED_PRECONDITION",
            "conditionNotMet",
            "Precondition Failed",
        )
        .at("header", "If-Match")
    }

    /// 413: larger than the API takes.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(413, "INVALID_ARGUMENT", "uploadTooLarge", message)
    }

    /// 401: no credentials came with the request.
    pub fn unauthenticated() -> Self {
        let mut error = Self::new(
            401,
            "UNAUTHENTICATED",
            "required",
            "Request is missing required authentication credential. Expected OAuth 2 access \
             token, login cookie or other valid authentication credential. See \
             https://developers.google.com/identity/sign-in/web/devconsole-project.",
        )
        .at("header", "Authorization");
        error.rare.short = Some("Login Required.");
        error
    }

    /// 500: something that must not happen. The text says what.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "INTERNAL", "backendError", message)
    }

    /// The same error, saying which parameter or header it is about.
    #[must_use]
    pub fn at(mut self, kind: &'static str, name: impl Into<String>) -> Self {
        self.rare.location = Some((kind, name.into()));
        self
    }

    /// The same error as the older APIs render it: without `status`.
    #[must_use]
    pub fn without_status(mut self) -> Self {
        self.status = None;
        self
    }

    /// The same error with a `google.rpc.BadRequest` detail on one field.
    #[must_use]
    pub fn violating(self, field: &str) -> Self {
        let detail = violation(field, &self.message);
        self.detail(detail)
    }

    /// The same error with a `google.rpc` detail.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Self {
        self.rare.details.push(detail);
        self
    }

    /// The same error, its entry in `errors` without `domain`.
    #[must_use]
    pub fn without_domain(mut self) -> Self {
        self.rare.no_domain = true;
        self
    }

    /// The body of the answer.
    pub fn to_json(&self) -> Value {
        let mut entry = Map::new();
        let Rare {
            location,
            no_domain,
            short,
            details,
        } = &*self.rare;
        let text = short.unwrap_or(&self.message);
        entry.insert("message".into(), text.into());
        if !no_domain {
            entry.insert("domain".into(), "global".into());
        }
        entry.insert("reason".into(), self.reason.into());
        if let Some((kind, name)) = location {
            entry.insert("location".into(), name.as_str().into());
            entry.insert("locationType".into(), (*kind).into());
        }
        let mut error = Map::new();
        error.insert("code".into(), self.code.into());
        error.insert("message".into(), self.message.as_str().into());
        error.insert("errors".into(), Value::Array(vec![Value::Object(entry)]));
        if let Some(status) = self.status {
            error.insert("status".into(), status.into());
        }
        if !details.is_empty() {
            error.insert("details".into(), Value::Array(details.clone()));
        }
        json!({ "error": error })
    }
}

/// A `google.rpc.BadRequest` detail on one field (empty: on the body).
pub(crate) fn violation(field: &str, description: &str) -> Value {
    let mut violation = Map::new();
    if !field.is_empty() {
        violation.insert("field".into(), field.into());
    }
    violation.insert("description".into(), description.into());
    json!({
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [violation],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_what_clients_read() {
        let error = ApiError::entity_not_found();
        assert_eq!(
            error.to_json(),
            json!({"error": {
                "code": 404,
                "message": "Requested entity was not found.",
                "errors": [{
                    "message": "Requested entity was not found.",
                    "domain": "global",
                    "reason": "notFound",
                }],
                "status": "NOT_FOUND",
            }})
        );
        let body = ApiError::unauthenticated().to_json();
        assert_eq!(body["error"]["errors"][0]["message"], "Login Required.");
        assert_eq!(body["error"]["errors"][0]["location"], "Authorization");
        let body = ApiError::not_found("Task not found.")
            .without_status()
            .to_json();
        assert!(body["error"].get("status").is_none());
    }

    #[test]
    fn a_wrong_type_has_no_domain_and_says_where() {
        let body = ApiError::wrong_type("max_results", "TYPE_UINT32", "\"x\"").to_json();
        let error = &body["error"];
        assert_eq!(
            error["message"],
            "Invalid value at 'max_results' (TYPE_UINT32), \"x\""
        );
        assert!(error["errors"][0].get("domain").is_none());
        assert_eq!(
            error["details"][0]["fieldViolations"][0]["field"],
            "max_results"
        );
    }
}
