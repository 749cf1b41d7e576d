//! The journal: what the captive world was asked, and what it answered.

use serde::{Deserialize, Serialize};

/// What an entry of the journal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A request that a service of the world answered (with whatever status).
    Request,
    /// An attempt to reach something that is neither a fake nor an allowed
    /// upstream. It was refused at once; that it was tried is evidence.
    Egress,
    /// The last entry of a journal that met a cap: its note says what is not
    /// listed. Nothing was asked or answered here.
    Truncated,
}

/// One request. Entries are numbered from 1 in the order in which the world
/// took them, and never change afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Number of the entry, from 1, without gaps.
    pub n: u64,
    /// Microseconds since the agent was started. A clock field: it differs
    /// between otherwise identical runs.
    pub t_us: u64,
    /// Request or refused egress.
    pub kind: EntryKind,
    /// Service that answered: `gmail`, `tasks`, `people`, `calendar`,
    /// `discovery`, `oauth`, ...; for egress the transport (`https`, `http`,
    /// `tls`, `tcp`).
    pub service: String,
    /// Name of the method in the service's own vocabulary, for example
    /// `gmail.users.messages.list`. Absent where no method matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Who asked: the identity behind the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Host name (or address) that was asked, without port.
    pub host: String,
    /// Port of the original destination.
    pub port: u16,
    /// HTTP method; empty where the attempt never became HTTP.
    pub method: String,
    /// Path of the request, percent-encoded as it came.
    pub path: String,
    /// Query string without the `?`, with secrets (`access_token`, `key`)
    /// replaced by `REDACTED`.
    pub query: String,
    /// HTTP status of the answer; 0 where the attempt never became HTTP.
    pub status: u16,
    /// Objects whose content the answer carried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Touch>,
    /// Objects that the request created, updated, moved or deleted. Listed
    /// only when the request was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Touch>,
    /// What came in.
    pub request: Payload,
    /// What went out.
    pub response: Payload,
    /// Number of the entry this one was part of (a batch request, a call of a
    /// tool).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<u64>,
    /// The tool that was called, for the call and for every request it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// Plain words for people: why something was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl JournalEntry {
    /// Whether the service accepted the request (2xx).
    pub fn ok(&self) -> bool {
        self.kind == EntryKind::Request && (200..300).contains(&self.status)
    }

    /// Whether the request was accepted and `operation` is its method.
    pub fn did(&self, operation: &str) -> bool {
        self.ok() && self.operation.as_deref() == Some(operation)
    }
}

/// How a request came about that no client made itself: a model called a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Via {
    /// How the tool was called: `mcp` or `composio`.
    pub channel: String,
    /// The tool's name as the caller gave it: `GMAIL_SEND_EMAIL`.
    pub tool: String,
}

/// One object that a request read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Touch {
    /// Kind of object: `gmail.message`, `gmail.draft`, `tasks.task`,
    /// `tasks.tasklist`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Identifier inside its service.
    pub id: String,
    /// Identifier of what holds it, where ids are only unique within it
    /// (a task's list).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// For reads: how much of the object the answer carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// For changes: what happened to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// For updates: names of the fields whose value is now another one. An
    /// accepted update that changed nothing has an empty list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

impl Touch {
    /// A read of `view` of the object.
    pub fn read(kind: impl Into<String>, id: impl Into<String>, view: View) -> Self {
        Self {
            kind: kind.into(),
            id: id.into(),
            parent: None,
            view: Some(view),
            change: None,
            fields: Vec::new(),
        }
    }

    /// A change of the object.
    pub fn changed(kind: impl Into<String>, id: impl Into<String>, change: Change) -> Self {
        Self {
            kind: kind.into(),
            id: id.into(),
            parent: None,
            view: None,
            change: Some(change),
            fields: Vec::new(),
        }
    }

    /// The same touch, with the object that holds this one.
    #[must_use]
    pub fn within(mut self, parent: impl Into<String>) -> Self {
        self.parent = Some(parent.into());
        self
    }

    /// The same touch, with the names of the fields that have a new value.
    #[must_use]
    pub fn fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.fields = fields.into_iter().map(Into::into).collect();
        self
    }
}

/// How much of an object an answer carried, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Its identifier.
    Reference,
    /// A line about it: a snippet, headers, metadata.
    Summary,
    /// All its content: for a mail, the body.
    Full,
}

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It did not exist before.
    Created,
    /// An update was accepted, whether or not a value became another one.
    Updated,
    /// It is elsewhere in its order or hierarchy.
    Moved,
    /// It is gone, or marked as deleted.
    Deleted,
}

/// Size and digest of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 in lower-case hex; absent for an empty body and for bodies
    /// longer than the journal's cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether the body itself is kept under `world/bodies/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}
