//! Labels, and the account itself.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FIND_MAIL, ask, get};
use crate::mcp::caller::{Caller, segment};
use crate::mcp::tool::{Arguments, Problem};

/// Lists the labels of the mailbox, Gmail's own and the account's, with their
/// ids.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListLabels {}

impl Arguments for ListLabels {
    const SLUG: &'static str = "GMAIL_LIST_LABELS";
    const TITLE: &'static str = "List labels";
    const LOST: &'static str = "";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(get("labels"))
    }
}

/// Adds labels to a mail and takes labels off it. Taking off `UNREAD` marks it
/// as read; taking off `INBOX` archives it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddLabelToEmail {
    /// The mail's id: `messageId` of `GMAIL_FETCH_EMAILS`.
    message_id: String,
    /// Ids of labels to add, for example `STARRED`, or from `GMAIL_LIST_LABELS`.
    #[serde(default)]
    add_label_ids: Vec<String>,
    /// Ids of labels to take off, for example `UNREAD`.
    #[serde(default)]
    remove_label_ids: Vec<String>,
}

impl Arguments for AddLabelToEmail {
    const SLUG: &'static str = "GMAIL_ADD_LABEL_TO_EMAIL";
    const TITLE: &'static str = "Change labels of an email";
    const READS: bool = false;
    const LOST: &'static str = FIND_MAIL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        if self.add_label_ids.is_empty() && self.remove_label_ids.is_empty() {
            return Err(Problem::new(
                "Nothing would change: give `add_label_ids`, `remove_label_ids` or both.",
            ));
        }
        let path = format!("messages/{}/modify", segment(&self.message_id));
        caller.ask(ask(Method::POST, &path).body(json!({
            "addLabelIds": self.add_label_ids,
            "removeLabelIds": self.remove_label_ids,
        })))
    }
}

/// Tells the account's own address, and how many mails and threads it has.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetProfile {}

impl Arguments for GetProfile {
    const SLUG: &'static str = "GMAIL_GET_PROFILE";
    const TITLE: &'static str = "Get the profile";
    const LOST: &'static str = "";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        caller.ask(get("profile"))
    }
}
