//! The mailbox as JSON, complete: what is read back answers every request as
//! the original would have. Mails are kept by their source alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DraftId, History, Mailbox, Message, Size};
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::{LabelSet, Labels};
use crate::google::gmail::mime::Mail;
use crate::google::gmail::settings::{FilterRule, Identities};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct State {
    messages: Vec<Entry>,
    drafts: BTreeMap<DraftId, MessageId>,
    labels: Labels,
    identities: Identities,
    filters: Vec<FilterRule>,
    history: History,
    seeded: Size,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: MessageId,
    thread: ThreadId,
    labels: LabelSet,
    date_ms: i64,
    history_id: u64,
    seeded: bool,
    source_base64: String,
}

impl Serialize for Mailbox {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |it: &Arc<Message>| Entry {
            id: it.id,
            thread: it.thread,
            labels: it.labels.clone(),
            date_ms: it.date_ms,
            history_id: it.history_id,
            seeded: it.seeded,
            source_base64: STANDARD.encode(it.mail.source()),
        };
        State {
            messages: self.timeline.iter().map(entry).collect(),
            drafts: self.drafts.clone(),
            labels: self.labels.clone(),
            identities: self.identities.clone(),
            filters: self.filters.clone(),
            history: self.history.clone(),
            seeded: self.seeded,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mailbox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = serde::de::Error::custom::<String>;
        let state = State::deserialize(deserializer)?;
        let mut mailbox = Self {
            labels: state.labels,
            identities: state.identities,
            filters: state.filters,
            history: state.history,
            seeded: state.seeded,
            ..Self::default()
        };
        for entry in state.messages {
            let id = entry.id;
            let source = STANDARD
                .decode(&entry.source_base64)
                .map_err(|error| wrong(format!("source of message {id}: {error}")))?;
            if mailbox.dates.contains_key(&id) {
                return Err(wrong(format!("there are two messages {id}")));
            }
            mailbox.place(Message {
                id,
                thread: entry.thread,
                labels: entry.labels,
                date_ms: entry.date_ms,
                history_id: entry.history_id,
                seeded: entry.seeded,
                mail: Arc::new(Mail::parse(source)),
            });
        }
        let lost = state
            .drafts
            .iter()
            .find(|(_, message)| mailbox.get(**message).is_none());
        if let Some((draft, message)) = lost {
            return Err(wrong(format!(
                "draft {draft}: there is no message {message}"
            )));
        }
        mailbox.drafts = state.drafts;
        Ok(mailbox)
    }
}
