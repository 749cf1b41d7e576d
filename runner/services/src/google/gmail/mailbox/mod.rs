//! The mailbox: messages, threads, drafts, labels, history.

mod deliver;
mod draft;
mod find;
mod history;
mod seed;
mod snapshot;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::id::{MessageId, ThreadId};
use super::label::{LabelId, LabelSet, Labels};
use super::mime::Mail;
use super::settings::{FilterRule, Identities};

pub(super) use deliver::{DateSource, Incoming, SendError};
pub(super) use draft::DraftId;
pub(super) use find::{Counts, Cursor, Wanted};
pub use history::{Change, History, Record};

/// Most bytes of all mail together. Real accounts have gigabytes; a trial that
/// needs them does something else than its task, and whatever is in a world
/// must still be readable by its grader: an agent must not be able to make
/// itself ungradable.
const STORAGE_CAP: u64 = 32 << 20;

/// A mailbox. Cloning it is cheap: the mails themselves are shared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mailbox {
    /// Messages in order of internal date, then id.
    timeline: Vec<Arc<Message>>,
    /// Internal date of each message: where to look in the timeline.
    dates: BTreeMap<MessageId, i64>,
    /// Drafts, and the message that each of them has now.
    drafts: BTreeMap<DraftId, MessageId>,
    pub(super) labels: Labels,
    pub(super) identities: Identities,
    pub(super) filters: Vec<FilterRule>,
    history: History,
    /// Bytes of all sources together.
    stored: u64,
}

/// A message of a mailbox.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Identifier.
    pub id: MessageId,
    /// Thread it belongs to.
    pub thread: ThreadId,
    /// Labels.
    pub labels: LabelSet,
    /// Internal date, milliseconds since 1970.
    pub date_ms: i64,
    /// Newest record of the history that is about it.
    pub history_id: u64,
    /// Whether it came from the seed.
    pub seeded: bool,
    /// The mail itself.
    pub mail: Arc<Mail>,
}

/// What labels a message is to get and to lose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LabelChange {
    pub(super) add: Vec<LabelId>,
    pub(super) remove: Vec<LabelId>,
}

/// There is no room for another mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The mailbox is full: it can hold {} MiB of mail.", STORAGE_CAP >> 20)]
pub(super) struct Full;

impl LabelChange {
    /// What goes with throwing something away.
    pub(super) fn trash() -> Self {
        Self {
            add: vec![LabelId::TRASH],
            remove: Vec::new(),
        }
    }

    /// What goes with taking it out of the trash.
    pub(super) fn untrash() -> Self {
        Self {
            add: Vec::new(),
            remove: vec![LabelId::TRASH],
        }
    }

    /// The labels after the change. A message lies in one place only: inbox,
    /// spam or trash.
    fn apply(&self, labels: &LabelSet) -> LabelSet {
        const PLACES: [LabelId; 3] = [LabelId::INBOX, LabelId::SPAM, LabelId::TRASH];
        let mut after = labels.clone();
        for id in &self.remove {
            after.remove(*id);
        }
        for id in &self.add {
            after.insert(*id);
            if PLACES.contains(id) {
                for other in PLACES.iter().filter(|it| *it != id) {
                    after.remove(*other);
                }
            }
        }
        after
    }
}

impl Mailbox {
    /// A mailbox without mail.
    pub fn new(email: &str, name: &str) -> Self {
        Self {
            identities: Identities::new(email, name),
            ..Self::default()
        }
    }

    /// A message.
    pub fn get(&self, id: MessageId) -> Option<&Arc<Message>> {
        self.position(id).and_then(|at| self.timeline.get(at))
    }

    /// Messages in order of internal date, oldest first, drafts included.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
        self.timeline.iter()
    }

    /// Messages of a thread, oldest first.
    pub fn thread(&self, id: ThreadId) -> impl Iterator<Item = &Arc<Message>> {
        self.timeline.iter().filter(move |it| it.thread == id)
    }

    /// The mailbox's history.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Changes the labels of a message; whether they are others now. `None`:
    /// there is no such message.
    pub(super) fn relabel(&mut self, id: MessageId, change: &LabelChange) -> Option<bool> {
        let at = self.position(id)?;
        let message = Arc::make_mut(self.timeline.get_mut(at)?);
        let after = change.apply(&message.labels);
        let (added, removed) = (after.minus(&message.labels), message.labels.minus(&after));
        let is_other = !(added.is_empty() && removed.is_empty());
        if is_other {
            message.labels = after;
            message.history_id = self
                .history
                .record(message, Change::Labels { added, removed });
        }
        Some(is_other)
    }

    /// Removes a message for good, and the draft it may be of. Whether there
    /// was one.
    pub(super) fn delete(&mut self, id: MessageId) -> bool {
        let Some(at) = self.position(id) else {
            return false;
        };
        let message = self.timeline.remove(at);
        self.dates.remove(&id);
        self.drafts.retain(|_, of| *of != id);
        self.stored = self
            .stored
            .saturating_sub(message.mail.source().len() as u64);
        self.history.record(&message, Change::Deleted);
        true
    }

    /// Removes a label of the user, from its messages too. Whether there was
    /// one.
    pub(super) fn delete_label(&mut self, label: LabelId) -> bool {
        if !self.labels.remove(label) {
            return false;
        }
        let change = LabelChange {
            add: Vec::new(),
            remove: vec![label],
        };
        let holders: Vec<MessageId> = self
            .timeline
            .iter()
            .filter(|it| it.labels.has(label))
            .map(|it| it.id)
            .collect();
        for id in holders {
            self.relabel(id, &change);
        }
        true
    }

    /// Whether there is room for `bytes` more.
    pub(super) fn check_room(&self, bytes: usize) -> Result<(), Full> {
        if self.stored.saturating_add(bytes as u64) > STORAGE_CAP {
            Err(Full)
        } else {
            Ok(())
        }
    }

    /// Puts a new message where it belongs and records that it came.
    fn add(&mut self, mut message: Message) {
        message.history_id = self.history.record(&message, Change::Added);
        self.place(message);
    }

    /// Puts a message where it belongs.
    fn place(&mut self, message: Message) {
        self.stored = self
            .stored
            .saturating_add(message.mail.source().len() as u64);
        self.dates.insert(message.id, message.date_ms);
        let key = (message.date_ms, message.id);
        let at = self
            .timeline
            .partition_point(|it| (it.date_ms, it.id) < key);
        self.timeline.insert(at, Arc::new(message));
    }

    fn position(&self, id: MessageId) -> Option<usize> {
        let date = *self.dates.get(&id)?;
        self.timeline
            .binary_search_by_key(&(date, id), |it| (it.date_ms, it.id))
            .ok()
    }

    /// `id`, or the first free one after it.
    fn free(&self, mut id: MessageId) -> MessageId {
        while self.dates.contains_key(&id) {
            id = id.next();
        }
        id
    }
}

#[cfg(test)]
mod tests;
