//! The history: what happened to which message, in order.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Message;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::LabelSet;

/// Records that are kept. Gmail keeps about a week; what is older answers 404.
const KEPT: usize = 50_000;
/// Labels that all kept records name together: a message can have thousands.
const KEPT_LABELS: usize = 500_000;
/// History id of an empty mailbox.
const FIRST: u64 = 1_000;

/// What happened to the messages of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Oldest id that records can be asked for from.
    floor: u64,
    newest: u64,
    records: VecDeque<Arc<Record>>,
    /// Labels that the records name.
    labels: usize,
}

/// One thing that happened to one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Identifier; later records have greater ones.
    pub id: u64,
    /// The message.
    pub message: MessageId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its labels afterwards; those it had, where it was deleted.
    pub labels: LabelSet,
    /// What happened.
    pub change: Change,
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// It came in, was sent, or was saved as a draft.
    Added,
    /// It is gone for good.
    Deleted,
    /// Its labels changed.
    Labels {
        /// Labels it has now.
        added: LabelSet,
        /// Labels it had.
        removed: LabelSet,
    },
}

impl Default for History {
    fn default() -> Self {
        Self {
            floor: FIRST,
            newest: FIRST,
            records: VecDeque::new(),
            labels: 0,
        }
    }
}

impl Record {
    /// How many labels it names.
    fn named(&self) -> usize {
        let of_change = match &self.change {
            Change::Added | Change::Deleted => 0,
            Change::Labels { added, removed } => added.iter().count() + removed.iter().count(),
        };
        self.labels.iter().count() + of_change
    }
}

impl History {
    /// Newest id.
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// Records after `start`, oldest first; `None` where `start` is older than
    /// what is kept, or was never given.
    pub fn since(&self, start: u64) -> Option<impl Iterator<Item = &Record>> {
        if !(self.floor..=self.newest).contains(&start) {
            return None;
        }
        let from = self.records.partition_point(|record| record.id <= start);
        Some(self.records.range(from..).map(Arc::as_ref))
    }

    /// Adds a record about `message` and returns its id.
    pub(in crate::google::gmail) fn record(&mut self, message: &Message, change: Change) -> u64 {
        self.newest += step(self.newest);
        let record = Record {
            id: self.newest,
            message: message.id,
            thread: message.thread,
            labels: message.labels.clone(),
            change,
        };
        self.labels += record.named();
        self.records.push_back(Arc::new(record));
        while self.records.len() > KEPT || self.labels > KEPT_LABELS {
            let Some(record) = self.records.pop_front() else {
                break;
            };
            self.floor = record.id;
            self.labels = self.labels.saturating_sub(record.named());
        }
        self.newest
    }
}

/// Distance to the next id: ids grow, but clients must not count on how much.
fn step(id: u64) -> u64 {
    1 + (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60)
}
