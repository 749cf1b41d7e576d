//! Real clients, none of them mocked, inside the sandbox: everything they reach
//! they reach over the captive network, without proxy variables.
//!
//! The world is that of `tests/clients/office`. A table of calls is played by a
//! scripted agent in one trial; then the test looks at what each call printed,
//! at the journal, and at the world afterwards.

mod egress;
mod gws;
mod mcp;
mod notion;
mod play;
mod python;
mod tools;
mod web;

use std::fmt::Write as _;

use proctor_tests::{Desk, Trial, tool};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The task whose world the clients find.
pub(crate) const OFFICE: &str = "tests/clients/office";

/// Mails of the world. The first two are one thread.
pub(crate) mod mail {
    /// From Ada, unread, in text and HTML, `Clients/Acme`.
    pub(crate) const OFFER: &str = "19cad0000000a001";
    /// Kim's answer to it, unread.
    pub(crate) const ANSWER: &str = "19cad0000000a002";
    /// From Lee, starred, with an inline image, a PDF and a CSV file.
    pub(crate) const PLAN: &str = "19cad0000000a003";
    /// HTML alone, in the promotions.
    pub(crate) const SALE: &str = "19cad0000000a004";
    /// Sent by the account.
    pub(crate) const SENT: &str = "19cad0000000a005";
    /// A draft.
    pub(crate) const DRAFT: &str = "19cad0000000a006";
    /// In the spam.
    pub(crate) const SPAM: &str = "19cad0000000a007";
    /// In the trash.
    pub(crate) const TRASHED: &str = "19cad0000000a008";
    /// An id that no mail has.
    pub(crate) const NONE: &str = "19cad0000000afff";
}

/// Runs a trial of the office with `agent`. It must end well, and no fake may
/// have broken.
pub(crate) fn office(desk: &Desk, agent: &str, more: &[&str]) -> Trial {
    tool("bin/gws");
    let trial = desk.trial(OFFICE, agent, more);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    for entry in journal(&trial) {
        assert!(entry["status"].as_u64().unwrap() < 500, "{entry}");
    }
    trial
}

/// The journal.
pub(crate) fn journal(trial: &Trial) -> Vec<Value> {
    trial.evidence_lines("world/journal.jsonl")
}

/// The requests that reached a fake, as operation and status. Every one of them
/// must have matched a method, and nothing else may have been tried.
pub(crate) fn operations(trial: &Trial) -> Vec<(String, u64)> {
    journal(trial)
        .iter()
        .map(|entry| {
            assert_eq!(entry["kind"], "request", "{entry}");
            let operation = entry["operation"].as_str();
            let operation = operation.unwrap_or_else(|| panic!("no method matched: {entry}"));
            (operation.to_owned(), entry["status"].as_u64().unwrap())
        })
        .collect()
}

/// Entries of the journal whose method is `operation`.
pub(crate) fn entries<'j>(journal: &'j [Value], operation: &str) -> Vec<&'j Value> {
    journal
        .iter()
        .filter(|entry| entry["operation"] == operation)
        .collect()
}

/// The view in which the first object of `entry` was read.
pub(crate) fn view(entry: &Value) -> &str {
    entry["read"][0]["view"].as_str().unwrap_or("nothing read")
}

/// The mail with `id` in a snapshot.
pub(crate) fn mail_of<'w>(world: &'w Value, id: &str) -> Option<&'w Value> {
    let messages = world["gmail"]["messages"].as_array().unwrap();
    messages.iter().find(|mail| mail["id"] == id)
}

/// The mails that were not there at the start, oldest first.
pub(crate) fn new_mails(world: &Value) -> Vec<&Value> {
    let messages = world["gmail"]["messages"].as_array().unwrap();
    messages
        .iter()
        .filter(|mail| mail["seeded"] == false)
        .collect()
}

/// SHA-256 in lower-case hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// The list with `id` in a snapshot.
pub(crate) fn list_of<'w>(world: &'w Value, id: &str) -> Option<&'w Value> {
    let lists = world["tasks"]["lists"].as_array().unwrap();
    lists.iter().find(|list| list["id"] == id)
}
