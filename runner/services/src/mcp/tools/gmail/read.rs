//! Reading mail.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::view::{self, Show};
use super::{FIND_MAIL, FIND_THREAD, ask, get, message, thread};
use crate::mcp::caller::Caller;
use crate::mcp::tool::{Arguments, Problem};

/// Most mails of one call: each is a request of its own.
const MOST: u32 = 100;

/// Fetches mails of the account, newest first, optionally only those that match
/// a Gmail search. Each has `messageId`, `threadId`, `sender`, `to`, `subject`,
/// `messageTimestamp`, `labelIds` and (unless `verbose` is false) `messageText`,
/// the whole text. Where `nextPageToken` comes back, there are more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "these are the arguments of the catalogue"
)]
pub(super) struct FetchEmails {
    /// Gmail search, for example `from:ada@example.com is:unread` or `subject:"offer" after:2026/03/01`. Without it: every mail but spam and trash.
    query: Option<String>,
    /// Only mails with all of these labels, by id: `INBOX`, `UNREAD`, `SENT`, `STARRED`, or an id from `GMAIL_LIST_LABELS`.
    label_ids: Option<Vec<String>>,
    /// How many mails at most, from 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    max_results: u32,
    /// `nextPageToken` of the call before, to go on where it ended.
    page_token: Option<String>,
    /// Whether each mail also has its MIME structure with all header fields.
    include_payload: bool,
    /// Whether only identifiers are given. Fastest, and shows nothing else.
    ids_only: bool,
    /// Whether each mail has its whole text; if false, sender, subject and a snippet only.
    verbose: bool,
    /// Whether mails in spam and trash are found as well.
    include_spam_trash: bool,
}

impl Default for FetchEmails {
    fn default() -> Self {
        Self {
            query: None,
            label_ids: None,
            max_results: 10,
            page_token: None,
            include_payload: false,
            ids_only: false,
            verbose: true,
            include_spam_trash: false,
        }
    }
}

impl Arguments for FetchEmails {
    const SLUG: &'static str = "GMAIL_FETCH_EMAILS";
    const TITLE: &'static str = "Fetch emails";
    const LOST: &'static str = "See which labels there are with GMAIL_LIST_LABELS.";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        if !(1..=MOST).contains(&self.max_results) {
            return Err(Problem::new(format!(
                "`max_results` is {}, and must be from 1 to {MOST}. For more, call again with \
                 `page_token`.",
                self.max_results
            )));
        }
        let mut list = get("messages")
            .query("q", self.query)
            .query("maxResults", Some(self.max_results))
            .query("pageToken", self.page_token)
            .query(
                "includeSpamTrash",
                self.include_spam_trash.then_some("true"),
            );
        for label in self.label_ids.into_iter().flatten() {
            list = list.query("labelIds", Some(label));
        }
        let found = caller.ask(list)?;
        let (format, show) = match (self.include_payload, self.verbose) {
            (true, _) => ("full", Show::Payload),
            (false, true) => ("full", Show::Text),
            (false, false) => ("metadata", Show::Summary),
        };
        let mut messages = Vec::new();
        for entry in found["messages"].as_array().into_iter().flatten() {
            let id = entry["id"].as_str().unwrap_or_default();
            messages.push(if self.ids_only {
                json!({"messageId": id, "threadId": entry["threadId"]})
            } else {
                view::mail(&caller.ask(message(id, format))?, show)
            });
        }
        Ok(json!({
            "messages": messages,
            "nextPageToken": found["nextPageToken"],
            "resultSizeEstimate": found["resultSizeEstimate"],
        }))
    }
}

/// How much of a mail is shown.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// Everything.
    #[default]
    Full,
    /// Header fields, labels and a snippet.
    Metadata,
    /// Labels and a snippet.
    Minimal,
    /// The source of the mail, in base64url.
    Raw,
}

/// Fetches one mail with its whole text, header fields and attachments' names.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchMessageByMessageId {
    /// The mail's id: `messageId` of `GMAIL_FETCH_EMAILS`.
    message_id: String,
    /// How much of it: `full` (the default), `metadata`, `minimal` or `raw`.
    #[serde(default)]
    format: Option<Format>,
}

impl Arguments for FetchMessageByMessageId {
    const SLUG: &'static str = "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID";
    const TITLE: &'static str = "Fetch one email";
    const LOST: &'static str = FIND_MAIL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let (format, show) = match self.format.unwrap_or_default() {
            Format::Full => ("full", Show::Payload),
            Format::Metadata => ("metadata", Show::Summary),
            Format::Minimal => ("minimal", Show::Summary),
            Format::Raw => ("raw", Show::Summary),
        };
        let found = caller.ask(message(&self.message_id, format))?;
        Ok(view::mail(&found, show))
    }
}

/// Fetches all mails of one thread (a conversation), oldest first, each with its
/// whole text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchMessageByThreadId {
    /// The thread's id: `threadId` of any of its mails.
    thread_id: String,
}

impl Arguments for FetchMessageByThreadId {
    const SLUG: &'static str = "GMAIL_FETCH_MESSAGE_BY_THREAD_ID";
    const TITLE: &'static str = "Fetch a thread";
    const LOST: &'static str = FIND_THREAD;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let found = caller.ask(thread(&self.thread_id, "full"))?;
        let messages = found["messages"].as_array().into_iter().flatten();
        let messages: Vec<Value> = messages.map(|it| view::mail(it, Show::Text)).collect();
        Ok(json!({"threadId": found["id"], "messages": messages}))
    }
}

/// Lists threads (conversations), newest first, with a snippet of each. Fetch
/// one with `GMAIL_FETCH_MESSAGE_BY_THREAD_ID`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ListThreads {
    /// Gmail search, as for `GMAIL_FETCH_EMAILS`; a thread is found by any of its mails.
    query: Option<String>,
    /// How many threads at most, from 1 to 500 (10 where nothing is said).
    #[schemars(range(min = 1, max = 500))]
    max_results: Option<u32>,
    /// `nextPageToken` of the call before, to go on where it ended.
    page_token: Option<String>,
}

impl Arguments for ListThreads {
    const SLUG: &'static str = "GMAIL_LIST_THREADS";
    const TITLE: &'static str = "List threads";
    const LOST: &'static str = FIND_THREAD;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(
            ask(Method::GET, "threads")
                .query("q", self.query)
                .query("maxResults", Some(self.max_results.unwrap_or(10)))
                .query("pageToken", self.page_token),
        )
    }
}
