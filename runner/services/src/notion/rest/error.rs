//! Notion's error answers: `{"object": "error", "status", "code", "message",
//! "request_id"}` (<https://developers.notion.com/reference/status-codes>).

use serde_json::{Value, json};

use crate::notion::id::Id;
use crate::notion::store::ADDED_CAP;

/// An error that a request is answered with. Never an error of Proctor itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
        }
    }

    /// 400: the request does not say what it has to say.
    pub(crate) fn validation(message: impl Into<String>) -> Self {
        Self::new(400, "validation_error", message)
    }

    /// 404: there is no such `kind` of thing.
    pub(crate) fn not_found(kind: &str, id: Id) -> Self {
        let message = format!(
            "Could not find {kind} with ID: {id}. Make sure the relevant pages and databases are \
             shared with your integration."
        );
        Self::new(404, "object_not_found", message)
    }

    /// 401: no token.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "unauthorized", "API token is invalid.")
    }

    /// 403: there is no room for more.
    pub(crate) fn full() -> Self {
        let message = format!(
            "The workspace is full: requests can add {} MiB to this world.",
            ADDED_CAP >> 20
        );
        Self::new(403, "restricted_resource", message)
    }

    /// 400: no such address.
    pub(crate) fn url() -> Self {
        Self::new(400, "invalid_request_url", "Invalid request URL.")
    }

    /// 400: what is in the trash cannot be edited.
    pub(crate) fn archived() -> Self {
        Self::validation(
            "Can't edit block that is archived. You must unarchive the block before editing.",
        )
    }

    /// 400: neither can what is below it.
    pub(crate) fn archived_ancestor() -> Self {
        Self::validation(
            "Can't edit page on block with an archived ancestor. You must unarchive the ancestor \
             before editing page.",
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "object": "error",
            "status": self.status,
            "code": self.code,
            "message": self.message,
        })
    }
}
