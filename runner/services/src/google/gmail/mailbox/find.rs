//! Finding messages and threads, newest first, page by page.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Mailbox, Message};
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::LabelId;
use crate::google::gmail::query::{Candidate, Plan};

/// The last entry of a page. The next page begins after it, whatever came or
/// went in the meantime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::google::gmail) struct Cursor {
    pub(in crate::google::gmail) date_ms: i64,
    pub(in crate::google::gmail) id: MessageId,
}

impl Cursor {
    /// The cursor as a page token: decimal digits, like Gmail's.
    pub(in crate::google::gmail) fn token(self) -> String {
        // Dates before 1970 stay in order when the sign bit is turned over.
        let date = self.date_ms.cast_unsigned() ^ (1 << 63);
        ((u128::from(date) << 64) | u128::from(self.id.number())).to_string()
    }

    /// The cursor that a page token stands for.
    pub(in crate::google::gmail) fn parse(token: &str) -> Option<Self> {
        if !token.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number: u128 = token.parse().ok()?;
        let date = u64::try_from(number >> 64).ok()? ^ (1 << 63);
        let id = u64::try_from(number & u128::from(u64::MAX)).ok()?;
        Some(Self {
            date_ms: date.cast_signed(),
            id: MessageId::from_number(id),
        })
    }
}

/// A page of what was found.
#[derive(Debug)]
pub(in crate::google::gmail) struct Found<T> {
    /// Entries of the page.
    pub(in crate::google::gmail) items: Vec<T>,
    /// Entries on all pages together.
    pub(in crate::google::gmail) total: usize,
    /// Where the next page begins; `None` on the last one.
    pub(in crate::google::gmail) next: Option<Cursor>,
}

/// What messages are looked for.
#[derive(Debug)]
pub(in crate::google::gmail) struct Wanted<'a> {
    /// The query.
    pub(in crate::google::gmail) plan: &'a Plan,
    /// Labels that they must have.
    pub(in crate::google::gmail) labels: &'a [LabelId],
    /// Whether spam and trash count as anything else.
    pub(in crate::google::gmail) everywhere: bool,
    /// The page: after this entry, so many of them.
    pub(in crate::google::gmail) after: Option<Cursor>,
    /// Most entries of the page.
    pub(in crate::google::gmail) limit: usize,
}

impl Wanted<'_> {
    fn matches(&self, message: &Message) -> bool {
        let candidate = Candidate {
            mail: &message.mail,
            labels: &message.labels,
            date_ms: message.date_ms,
        };
        // Who asks for the messages of a label by its id means all of them.
        let everywhere = self.everywhere
            || self.labels.contains(&LabelId::TRASH)
            || self.labels.contains(&LabelId::SPAM);
        message.labels.has_all(self.labels) && self.plan.matches(&candidate, everywhere)
    }

    fn page<T>(&self, all: impl Iterator<Item = (Cursor, T)>) -> Found<T> {
        let mut found = Found {
            items: Vec::new(),
            total: 0,
            next: None,
        };
        let mut last = None;
        for (cursor, item) in all {
            found.total += 1;
            if self.after.is_some_and(|after| cursor >= after) {
                continue;
            }
            if found.items.len() < self.limit {
                found.items.push(item);
                last = Some(cursor);
            } else {
                found.next = last;
            }
        }
        found
    }
}

impl Mailbox {
    /// Messages that match, newest first.
    pub(in crate::google::gmail) fn find(&self, wanted: &Wanted<'_>) -> Found<&Arc<Message>> {
        let matching = self.timeline.iter().rev().filter(|it| wanted.matches(it));
        wanted.page(matching.map(|it| {
            (
                Cursor {
                    date_ms: it.date_ms,
                    id: it.id,
                },
                it,
            )
        }))
    }

    /// Threads of which at least one message matches, the one with the newest
    /// match first; of each its newest message.
    pub(in crate::google::gmail) fn find_threads(
        &self,
        wanted: &Wanted<'_>,
    ) -> Found<(ThreadId, &Arc<Message>)> {
        let mut newest: HashMap<ThreadId, &Arc<Message>> = HashMap::new();
        let mut order = Vec::new();
        let mut listed = std::collections::HashSet::new();
        for message in self.timeline.iter().rev() {
            newest.entry(message.thread).or_insert(message);
            if !listed.contains(&message.thread) && wanted.matches(message) {
                listed.insert(message.thread);
                order.push(Cursor {
                    date_ms: message.date_ms,
                    id: message.thread,
                });
            }
        }
        // Two threads whose matches are of one moment go by their own ids.
        order.sort_by(|a, b| b.cmp(a));
        wanted.page(order.into_iter().filter_map(|cursor| {
            let message = newest.get(&cursor.id)?;
            Some((cursor, (cursor.id, *message)))
        }))
    }

    /// Drafts whose message matches, newest first, with that message.
    pub(in crate::google::gmail) fn find_drafts(
        &self,
        wanted: &Wanted<'_>,
    ) -> Found<(&super::DraftId, &Arc<Message>)> {
        let by_message: HashMap<MessageId, &super::DraftId> = self
            .drafts
            .iter()
            .map(|(draft, message)| (*message, draft))
            .collect();
        let drafts = self
            .timeline
            .iter()
            .rev()
            .filter_map(|it| Some((*by_message.get(&it.id)?, it)));
        let matching = drafts.filter(|(_, it)| wanted.matches(it));
        wanted.page(matching.map(|(draft, it)| {
            (
                Cursor {
                    date_ms: it.date_ms,
                    id: it.id,
                },
                (draft, it),
            )
        }))
    }

    /// Newest history id of the messages of each of these threads.
    pub(in crate::google::gmail) fn thread_histories(&self, ids: &[ThreadId]) -> Vec<u64> {
        let mut newest: HashMap<ThreadId, u64> = ids.iter().map(|id| (*id, 0)).collect();
        for message in &self.timeline {
            if let Some(history) = newest.get_mut(&message.thread) {
                *history = message.history_id.max(*history);
            }
        }
        ids.iter()
            .filter_map(|id| newest.get(id).copied())
            .collect()
    }

    /// How many messages and threads carry a label, and how many of them are
    /// unread.
    pub(in crate::google::gmail) fn count(&self, label: LabelId) -> Counts {
        let mut counts = Counts::default();
        let mut threads: HashMap<ThreadId, bool> = HashMap::new();
        for message in self.timeline.iter().filter(|it| it.labels.has(label)) {
            let unread = message.labels.has(LabelId::UNREAD);
            counts.messages += 1;
            counts.unread_messages += usize::from(unread);
            *threads.entry(message.thread).or_default() |= unread;
        }
        counts.threads = threads.len();
        counts.unread_threads = threads.values().filter(|unread| **unread).count();
        counts
    }

    /// How many messages and threads there are.
    pub(in crate::google::gmail) fn totals(&self) -> (usize, usize) {
        let threads: std::collections::HashSet<ThreadId> =
            self.timeline.iter().map(|it| it.thread).collect();
        (self.timeline.len(), threads.len())
    }
}

/// How much carries a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::google::gmail) struct Counts {
    pub(in crate::google::gmail) messages: usize,
    pub(in crate::google::gmail) unread_messages: usize,
    pub(in crate::google::gmail) threads: usize,
    pub(in crate::google::gmail) unread_threads: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_the_order_of_cursors() {
        let cursor = |date_ms, id| Cursor {
            date_ms,
            id: MessageId::from_number(id),
        };
        let cursors = [
            cursor(i64::MIN, 0),
            cursor(-1, 5),
            cursor(0, 0),
            cursor(0, u64::MAX),
            cursor(i64::MAX, 1),
        ];
        assert!(cursors.is_sorted());
        for it in cursors {
            assert_eq!(Cursor::parse(&it.token()), Some(it));
        }
        for token in ["", "x", "-1", "+1", "1 ", &"9".repeat(40)] {
            assert_eq!(Cursor::parse(token), None, "{token}");
        }
    }
}
