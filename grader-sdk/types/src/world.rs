//! Snapshots of the world, made for reading by a grader.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub mod github;
pub mod notion;

pub use github::GitHub;
pub use notion::Notion;

/// Version of a snapshot.
pub const SCHEMA: &str = "proctor.world/1";

/// State of every service at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorldSnapshot {
    /// [`SCHEMA`].
    pub schema: String,
    /// The world's own clock, RFC 3339. It starts where the seed says and
    /// moves by one second per request, so it is the same in every run that
    /// makes the same requests.
    pub clock: String,
    /// Whose account the agent works with.
    pub account: Account,
    /// Mailbox, where the world has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gmail: Option<Gmail>,
    /// Mailboxes of people beside the account, by address in lower case: of
    /// those whom mail was delivered to. What the account sends to somebody of
    /// the world lies in `gmail` as it went out, and here as it arrived.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mailboxes: BTreeMap<String, Gmail>,
    /// Task lists, where the world has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Tasks>,
    /// Repositories, where the world has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<GitHub>,
    /// Pages and databases, where the world has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notion: Option<Notion>,
    /// Services that this version of the types does not know.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// Whose account the agent works with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Address.
    pub email: String,
    /// Name as it stands in mails.
    pub name: String,
    /// IANA time zone.
    pub time_zone: String,
}

/// A mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gmail {
    /// Newest history id.
    pub history_id: u64,
    /// Labels, system ones included, in order of id.
    pub labels: Vec<Label>,
    /// Messages in order of internal date, oldest first; drafts excluded.
    pub messages: Vec<Mail>,
    /// Drafts in order of id.
    pub drafts: Vec<Draft>,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Identifier: `INBOX`, `Label_1`, ...
    pub id: String,
    /// Name as shown.
    pub name: String,
    /// `system` or `user`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A message with its decoded text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// Identifier, 16 hex digits.
    pub id: String,
    /// Identifier of the thread.
    pub thread_id: String,
    /// Labels, sorted.
    pub label_ids: Vec<String>,
    /// Milliseconds since 1970, by the world's clock.
    pub internal_date_ms: i64,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
    /// Length of the RFC 5322 source in bytes.
    pub bytes: u64,
    /// SHA-256 of the source.
    pub sha256: String,
    /// Header fields in order, decoded.
    pub headers: Vec<Header>,
    /// Sender's address, lower-case.
    pub from: String,
    /// Addresses of `To`, lower-case.
    pub to: Vec<String>,
    /// Addresses of `Cc`, lower-case.
    pub cc: Vec<String>,
    /// Addresses of `Bcc`, lower-case.
    pub bcc: Vec<String>,
    /// Subject, decoded.
    pub subject: String,
    /// Text body, decoded; made from the HTML where there is no text part.
    pub text: String,
    /// HTML body, decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Attachments in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// A header field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Name as written.
    pub name: String,
    /// Value, decoded and unfolded.
    pub value: String,
}

/// An attachment of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// File name, empty where it has none.
    pub filename: String,
    /// Media type.
    pub mime_type: String,
    /// Length of the decoded content in bytes.
    pub bytes: u64,
    /// SHA-256 of the decoded content.
    pub sha256: String,
}

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Identifier of the draft (`r` and digits).
    pub id: String,
    /// Its message.
    pub message: Mail,
}

/// Task lists of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tasks {
    /// Lists in order; the first is `@default`.
    pub lists: Vec<TaskList>,
}

/// A task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskList {
    /// Identifier.
    pub id: String,
    /// Title.
    pub title: String,
    /// Last change, RFC 3339.
    pub updated: String,
    /// Tasks in order of position, deleted and hidden ones included.
    pub tasks: Vec<Task>,
}

/// A task of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Identifier.
    pub id: String,
    /// Title.
    pub title: String,
    /// Notes, empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// Whether it is done.
    pub status: TaskStatus,
    /// Due date, RFC 3339 at midnight UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// When it was completed, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<String>,
    /// Task above it in the hierarchy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Position among its siblings, as Google writes it.
    pub position: String,
    /// Last change, RFC 3339.
    pub updated: String,
    /// Whether it is marked as deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Whether it was cleared after completion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// Status of a task, in Google's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TaskStatus {
    /// Still to do.
    NeedsAction,
    /// Done.
    Completed,
}
