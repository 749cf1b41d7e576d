//! How mail gets into a mailbox: sent, inserted, imported; and into which
//! thread.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;

use super::{Full, Mailbox, Message};
use crate::google::desk::Known;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::{LabelId, LabelSet};
use crate::google::gmail::mime::{Additions, Head, Mail, Sender, delivered};
use crate::world::{Clock, Ids};

/// Mail that a request puts into the mailbox as it is.
#[derive(Debug)]
pub(in crate::google::gmail) struct Incoming {
    /// Its source.
    pub(in crate::google::gmail) source: Bytes,
    /// Thread that it is meant for.
    pub(in crate::google::gmail) thread: Option<ThreadId>,
    /// Labels.
    pub(in crate::google::gmail) labels: LabelSet,
    /// Where its internal date comes from.
    pub(in crate::google::gmail) date: DateSource,
}

/// Where the internal date of a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::google::gmail) enum DateSource {
    /// The moment it came in.
    Received,
    /// Its `Date`; the moment it came in where it has none.
    Header,
}

/// Why a mail cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(in crate::google::gmail) enum SendError {
    /// It is addressed to nobody.
    #[error("Recipient address required")]
    NoRecipient,
    /// What stands in this field is no address.
    #[error("Invalid {0} header")]
    BadRecipient(&'static str),
    /// There is no room for the copy.
    #[error(transparent)]
    Full(#[from] Full),
}

impl Mailbox {
    /// Sends a mail. The account keeps one copy, which is also what it
    /// receives where the mail is addressed to itself: in Gmail those two are
    /// one message.
    pub(in crate::google::gmail) fn send(
        &mut self,
        (ids, clock): (&mut Ids, &Clock),
        known: Known<'_>,
        source: &[u8],
        thread: Option<ThreadId>,
    ) -> Result<MessageId, SendError> {
        let mail = self.prepare(ids, clock, known, source)?;
        let thread = self.thread_for(mail.head(), thread);
        Ok(self.keep_sent(ids, clock, mail, thread))
    }

    /// The mail as it goes out: from one of the account's identities, with
    /// date and identifier.
    pub(super) fn prepare(
        &self,
        ids: &mut Ids,
        clock: &Clock,
        known: Known<'_>,
        source: &[u8],
    ) -> Result<Mail, SendError> {
        self.check_source(source)?;
        let mail = Mail::parse(self.complete(ids, Some(clock), source));
        // One for the sender, and one for everybody of the world who gets it.
        let copies = known.addressed(mail.head(), self.identities.primary());
        self.check_mails(&mail, 1 + copies.len())?;
        check_recipients(mail.head())?;
        Ok(mail)
    }

    /// Takes a copy of a mail that somebody of this world sent to `email`, whose
    /// mailbox it is. It lies unread in the inbox.
    pub(in crate::google) fn receive(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        sent: &Mail,
        email: &str,
    ) -> MessageId {
        let mail = Mail::parse(delivered(sent.source(), email));
        let thread = self.thread_of_delivery(mail.head());
        let now = clock.now_ms();
        let low = u64::from_str_radix(&ids.hex("gmail.delivery", 8), 16).unwrap_or_default();
        let id = self.free(MessageId::at(now, low));
        self.add(Message {
            id,
            thread: thread.unwrap_or(id),
            labels: [LabelId::INBOX, LabelId::UNREAD].into_iter().collect(),
            date_ms: now,
            history_id: 0,
            seeded: false,
            mail: Arc::new(mail),
        });
        id
    }

    /// The source with everything that Gmail adds: the account's own sender
    /// where there is another one or none, an identifier, and, with a clock,
    /// the date.
    pub(super) fn complete(&self, ids: &mut Ids, clock: Option<&Clock>, source: &[u8]) -> Vec<u8> {
        let head = Head::of(source);
        let own = matches!(head.from.as_slice(), [one] if self.identities.may_send_as(&one.email));
        let default = self.identities.default_sender();
        let sender = Sender {
            name: &default.display_name,
            email: &default.email,
        };
        let message_id = head.message_id.is_none().then(|| {
            format!(
                "CA{}@mail.gmail.com",
                ids.base64url("gmail.rfc822msgid", 43)
            )
        });
        let additions = Additions {
            sender: (!own).then_some(sender),
            date_ms: clock.map(Clock::now_ms).filter(|_| !head.has_date),
            message_id: message_id.as_deref(),
        };
        additions.to(source)
    }

    pub(super) fn keep_sent(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        mail: Mail,
        thread: Option<ThreadId>,
    ) -> MessageId {
        let mut labels: LabelSet = [LabelId::SENT].into_iter().collect();
        if mail
            .head()
            .recipients()
            .any(|it| self.identities.receives(&it.email))
        {
            labels.insert(LabelId::INBOX);
            labels.insert(LabelId::UNREAD);
        }
        self.keep(ids, clock, mail, thread, labels, DateSource::Received)
    }

    /// Puts a mail into the mailbox as it is.
    pub(in crate::google::gmail) fn insert(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        incoming: Incoming,
    ) -> Result<MessageId, Full> {
        self.check_source(&incoming.source)?;
        let mail = Mail::parse(incoming.source);
        self.check_mail(&mail)?;
        let thread = self.thread_for(mail.head(), incoming.thread);
        Ok(self.keep(ids, clock, mail, thread, incoming.labels, incoming.date))
    }

    /// Adds a message that comes in now.
    pub(super) fn keep(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        mail: Mail,
        thread: Option<ThreadId>,
        labels: LabelSet,
        date: DateSource,
    ) -> MessageId {
        let now = clock.now_ms();
        let id = self.new_id(ids, now);
        let date_ms = match date {
            DateSource::Header => mail.head().date_ms.unwrap_or(now),
            DateSource::Received => now,
        };
        self.add(Message {
            id,
            thread: thread.unwrap_or(id),
            labels,
            date_ms,
            history_id: 0,
            seeded: false,
            mail: Arc::new(mail),
        });
        id
    }

    /// A free identifier for a message that comes in at `now`.
    pub(in crate::google::gmail) fn new_id(&self, ids: &mut Ids, now: i64) -> MessageId {
        let low = u64::from_str_radix(&ids.hex("gmail.message", 8), 16).unwrap_or_default();
        self.free(MessageId::at(now, low))
    }

    /// Whether a thread has messages.
    pub(in crate::google::gmail) fn has_thread(&self, id: ThreadId) -> bool {
        self.thread(id).next().is_some()
    }

    /// The thread that a mail which comes in belongs to: that of a message under
    /// the same subject which it answers, or which answers one that it answers.
    /// (What somebody wrote before the world began is in no mailbox but the
    /// account's.)
    fn thread_of_delivery(&self, head: &Head) -> Option<ThreadId> {
        let answered: HashSet<&str> = head.references.iter().map(AsRef::as_ref).collect();
        let topic = topic(&head.subject);
        let belongs = |it: &&Arc<Message>| {
            let other = it.mail.head();
            let mut known = other.message_id.iter().chain(&other.references);
            known.any(|id| answered.contains(&**id)) && self::topic(&other.subject) == topic
        };
        let mut newest = self.timeline.iter().rev();
        newest.find(belongs).map(|it| it.thread)
    }

    /// The thread that a mail belongs to: that of a message which it answers
    /// under the same subject. Where a request names a thread it must be this
    /// one; if it is not, the mail begins a new one
    /// (<https://developers.google.com/workspace/gmail/api/guides/threads>).
    pub(super) fn thread_for(&self, head: &Head, wanted: Option<ThreadId>) -> Option<ThreadId> {
        if head.references.is_empty() {
            return None;
        }
        let answered: HashSet<&str> = head.references.iter().map(AsRef::as_ref).collect();
        let topic = topic(&head.subject);
        let belongs = |it: &&Arc<Message>| {
            wanted.is_none_or(|wanted| it.thread == wanted)
                && it
                    .mail
                    .head()
                    .message_id
                    .as_deref()
                    .is_some_and(|id| answered.contains(id))
                && self::topic(&it.mail.head().subject) == topic
        };
        self.timeline.iter().rev().find(belongs).map(|it| it.thread)
    }
}

/// A subject without `Re:` and `Fwd:`, case and spacing.
pub(super) fn topic(subject: &str) -> String {
    let name = mail_parser::parsers::fields::thread::thread_name(subject);
    name.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn check_recipients(head: &Head) -> Result<(), SendError> {
    let valid = |email: &str| {
        let parts = email.rsplit_once('@');
        parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
            && !email.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    for (name, field) in [("To", &head.to), ("Cc", &head.cc), ("Bcc", &head.bcc)] {
        if field.iter().any(|it| !valid(&it.email)) {
            return Err(SendError::BadRecipient(name));
        }
    }
    if head.recipients().next().is_none() {
        Err(SendError::NoRecipient)
    } else {
        Ok(())
    }
}
