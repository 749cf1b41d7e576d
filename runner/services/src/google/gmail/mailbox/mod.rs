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
use crate::google::desk::Desk;

pub(super) use deliver::{DateSource, Incoming, SendError};
pub(super) use draft::DraftId;
pub(super) use find::{Counts, Cursor, Wanted};
pub use history::{Change, History, Record};

/// Most bytes of mail that requests can add. Real accounts have gigabytes; a
/// trial that needs them does something else than its task.
const SOURCES_CAP: u64 = 32 << 20;
/// Most bytes that requests can add to the snapshot. Whatever is in a world must
/// still be readable by its grader: an agent must not be able to make itself
/// ungradable.
const EVIDENCE_CAP: u64 = 12 << 20;
/// Most bytes of the snapshot of a seeded mailbox.
const SEED_CAP: u64 = 24 << 20;

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
    /// What all messages take.
    stored: Size,
    /// What those of the seed took. It comes on top of what requests can add.
    seeded: Size,
    /// What requests have added to the mailboxes of others. It counts here
    /// while a request is answered: there is one cap for all of a world.
    elsewhere: Size,
}

/// What messages take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    /// Bytes of their sources.
    sources: u64,
    /// Bytes of what the snapshot says of them.
    evidence: u64,
}

impl Size {
    fn of(message: &Message) -> Self {
        Self {
            sources: message.mail.source().len() as u64,
            evidence: snapshot::mail_len(&message.mail) + snapshot::labels_len(&message.labels),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            sources: self.sources.saturating_add(other.sources),
            evidence: self.evidence.saturating_add(other.evidence),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            sources: self.sources.saturating_sub(other.sources),
            evidence: self.evidence.saturating_sub(other.evidence),
        }
    }
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
#[error(
    "The mailbox is full: it can take {} MiB of mail and {} MiB of text.",
    SOURCES_CAP >> 20,
    EVIDENCE_CAP >> 20
)]
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
            let other = Size {
                sources: 0,
                evidence: snapshot::labels_len(&after),
            };
            let before = Size {
                sources: 0,
                evidence: snapshot::labels_len(&message.labels),
            };
            self.stored = self.stored.minus(before).plus(other);
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
        self.stored = self.stored.minus(Size::of(&message));
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

    /// Whether there is room for a source, before any work is put into it.
    fn check_source(&self, source: &[u8]) -> Result<(), Full> {
        self.check(Size {
            sources: source.len() as u64,
            evidence: 0,
        })
    }

    /// Whether there is room for a mail.
    fn check_mail(&self, mail: &Mail) -> Result<(), Full> {
        self.check_mails(mail, 1)
    }

    /// Whether there is room for a mail and copies of it, `count` in all.
    fn check_mails(&self, mail: &Mail, count: usize) -> Result<(), Full> {
        let count = count as u64;
        self.check(Size {
            sources: (mail.source().len() as u64).saturating_mul(count),
            evidence: snapshot::mail_len(mail).saturating_mul(count),
        })
    }

    /// Counts what requests have added to these mailboxes beside this one.
    pub(in crate::google) fn set_elsewhere<'d>(
        &mut self,
        desks: impl IntoIterator<Item = &'d Desk>,
    ) {
        let added = desks.into_iter().map(|it| it.gmail.added());
        self.elsewhere = added.fold(Size::default(), Size::plus);
    }

    fn added(&self) -> Size {
        self.stored.minus(self.seeded)
    }

    /// Whether there is room for what these messages will say of their labels.
    /// Gmail's own labels never need any.
    pub(super) fn check_labels(&self, ids: &[MessageId], change: &LabelChange) -> Result<(), Full> {
        let growth = |message: &Arc<Message>| {
            let after = snapshot::labels_len(&change.apply(&message.labels));
            after.saturating_sub(snapshot::labels_len(&message.labels))
        };
        let growths = ids.iter().filter_map(|id| self.get(*id)).map(growth);
        match growths.sum::<u64>() {
            0 => Ok(()),
            evidence => self.check(Size {
                sources: 0,
                evidence,
            }),
        }
    }

    /// Whether there is room for this much more.
    fn check(&self, more: Size) -> Result<(), Full> {
        let added = self.added().plus(self.elsewhere).plus(more);
        if added.sources > SOURCES_CAP || added.evidence > EVIDENCE_CAP {
            Err(Full)
        } else {
            Ok(())
        }
    }

    /// What is there now is the seed's. `false`: it is more than a grader can
    /// read.
    fn end_seed(&mut self) -> bool {
        self.seeded = self.stored;
        self.seeded.evidence <= SEED_CAP
    }

    /// Puts a new message where it belongs and records that it came.
    fn add(&mut self, mut message: Message) {
        message.history_id = self.history.record(&message, Change::Added);
        self.place(message);
    }

    /// Puts a message where it belongs.
    fn place(&mut self, message: Message) {
        self.stored = self.stored.plus(Size::of(&message));
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
