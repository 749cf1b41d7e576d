//! `users.history`.

use proctor_types::journal::View;
use serde::Serialize;
use serde_json::{Value, json};

use super::{PAGE, bad_page_token, label_of, mailbox, read};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::{LabelId, LabelSet};
use crate::google::gmail::mailbox::{Change, Record};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    history_id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    id: String,
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    messages_added: Option<[Event<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages_deleted: Option<[Event<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels_added: Option<[Event<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels_removed: Option<[Event<'a>; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    message: Message<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label_ids: Option<&'a LabelSet>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    id: MessageId,
    thread_id: ThreadId,
    #[serde(skip_serializing_if = "Option::is_none")]
    label_ids: Option<&'a LabelSet>,
}

/// Kinds of events that are asked for; empty: all.
struct Kinds<'c>(Vec<&'c str>);

impl Kinds<'_> {
    fn has(&self, kind: &str) -> bool {
        self.0.is_empty() || self.0.contains(&kind)
    }

    /// What is asked for of a record; `None` where that is nothing.
    fn show<'a>(&self, record: &'a Record, label: Option<LabelId>) -> Option<Shown<'a>> {
        let labels = Some(&record.labels).filter(|it| !it.is_empty());
        let message = |labels| Message {
            id: record.message,
            thread_id: record.thread,
            label_ids: labels,
        };
        let event = |ids| {
            [Event {
                message: message(labels),
                label_ids: ids,
            }]
        };
        let mut shown = Shown {
            id: record.id.to_string(),
            messages: [message(None)],
            messages_added: None,
            messages_deleted: None,
            labels_added: None,
            labels_removed: None,
        };
        match &record.change {
            Change::Added => shown.messages_added = self.has("messageAdded").then(|| event(None)),
            Change::Deleted => {
                shown.messages_deleted = self.has("messageDeleted").then(|| event(None));
            }
            Change::Labels { added, removed } => {
                let some = |ids: &'a LabelSet, asked: bool| {
                    (asked && !ids.is_empty()).then(|| event(Some(ids)))
                };
                shown.labels_added = some(added, self.has("labelAdded"));
                shown.labels_removed = some(removed, self.has("labelRemoved"));
            }
        }
        let concerns = label.is_none_or(|label| {
            let gone =
                matches!(&record.change, Change::Labels { removed, .. } if removed.has(label));
            record.labels.has(label) || gone
        });
        let events = [
            &shown.messages_added,
            &shown.messages_deleted,
            &shown.labels_added,
            &shown.labels_removed,
        ];
        (concerns && events.into_iter().any(Option::is_some)).then_some(shown)
    }
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let label = call.query("labelId").filter(|text| !text.is_empty());
    let label = label
        .map(|text| label_of(&mailbox.labels, text))
        .transpose()?;
    let start = call
        .query("startHistoryId")
        .and_then(|text| text.parse().ok());
    let start: u64 = start.ok_or_else(|| ApiError::invalid("Invalid startHistoryId"))?;
    let from = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => start,
        Some(token) => token
            .parse()
            .ok()
            .filter(|id| *id >= start)
            .ok_or_else(bad_page_token)?,
    };
    let limit = call.int("maxResults", PAGE.0, PAGE.1)?;
    let kinds = Kinds(call.queries("historyTypes").collect());
    let history = mailbox.history();
    let records = history.since(from).ok_or_else(ApiError::entity_not_found)?;
    let mut shown = records.filter_map(|it| Some((it, kinds.show(it, label)?)));
    let page: Vec<(&Record, Shown<'_>)> = shown.by_ref().take(limit).collect();
    let last = page.last().map(|(record, _)| record.id);
    let next = last.filter(|_| shown.next().is_some());
    let (records, shown): (Vec<&Record>, Vec<Shown<'_>>) = page.into_iter().unzip();
    let newest = history.newest();
    let mut reply = call.reply(&Listing {
        history: shown,
        next_page_token: next.map(|id| id.to_string()),
        history_id: newest.to_string(),
    })?;
    let touch = read("gmail.history", &start, View::Summary);
    reply = reply.read_at(touch, At::Root, |it| {
        let records = it.get("history").and_then(Value::as_array);
        let records = records.is_some_and(|all| all.iter().any(|it| it != &json!({})));
        let newest = it.get("historyId").map(|_| View::Reference);
        records.then_some(View::Summary).or(newest)
    });
    for (at, record) in records.iter().enumerate() {
        let touch = read("gmail.message", &record.message, View::Reference);
        reply = reply.read_at(touch, At::Item("history", at), |it| {
            names_message(it).then_some(View::Reference)
        });
    }
    Ok(reply)
}

/// Whether a record says which message it is about.
fn names_message(record: &Value) -> bool {
    let items = |name: &str| record.get(name).and_then(Value::as_array);
    let direct = items("messages").into_iter().flatten();
    let events = [
        "messagesAdded",
        "messagesDeleted",
        "labelsAdded",
        "labelsRemoved",
    ];
    let of_events = events
        .into_iter()
        .filter_map(items)
        .flatten()
        .filter_map(|event| event.get("message"));
    direct
        .chain(of_events)
        .any(|message| message.get("id").is_some())
}
