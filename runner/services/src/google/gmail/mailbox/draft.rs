//! Drafts: messages with an identifier of their own, which stays when the
//! message is replaced.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{DateSource, Full, Mailbox, Message, SendError};
use crate::google::desk::Known;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::LabelId;
use crate::google::gmail::mime::Mail;
use crate::world::{Clock, Ids};

/// Identifier of a draft: `r` and digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::google::gmail) struct DraftId(String);

impl DraftId {
    /// The identifier that `text` may be; whether there is such a draft is
    /// another question.
    pub(in crate::google::gmail) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for DraftId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What replacing a draft's message did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::google::gmail) struct Replaced {
    /// The message that is gone.
    pub(in crate::google::gmail) old: MessageId,
    /// The message that is there now.
    pub(in crate::google::gmail) new: MessageId,
}

impl Mailbox {
    /// Drafts in order of id, with their messages.
    pub(in crate::google::gmail) fn drafts(
        &self,
    ) -> impl Iterator<Item = (&DraftId, &Arc<Message>)> {
        self.drafts
            .iter()
            .filter_map(|(id, message)| Some((id, self.get(*message)?)))
    }

    /// The message of a draft.
    pub(in crate::google::gmail) fn draft(&self, id: &DraftId) -> Option<&Arc<Message>> {
        self.drafts.get(id).and_then(|message| self.get(*message))
    }

    /// Saves a draft.
    pub(in crate::google::gmail) fn create_draft(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        source: &[u8],
        thread: Option<ThreadId>,
    ) -> Result<DraftId, Full> {
        let mail = self.draft_mail(ids, source)?;
        let thread = self.thread_for(mail.head(), thread);
        let message = self.keep_draft(ids, clock, mail, thread);
        let id = self.new_draft_id(ids);
        self.drafts.insert(id.clone(), message);
        Ok(id)
    }

    /// Replaces the message of a draft; `None`: there is no such draft. It
    /// stays in its thread unless the request names another one.
    pub(in crate::google::gmail) fn update_draft(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        id: &DraftId,
        source: &[u8],
        thread: Option<ThreadId>,
    ) -> Result<Option<Replaced>, Full> {
        let Some(old) = self.draft(id) else {
            return Ok(None);
        };
        let (old, old_thread) = (old.id, old.thread);
        let mail = self.draft_mail(ids, source)?;
        let thread = match thread {
            Some(wanted) if wanted != old_thread => self.thread_for(mail.head(), Some(wanted)),
            _ => Some(old_thread),
        };
        self.delete(old);
        let new = self.keep_draft(ids, clock, mail, thread);
        self.drafts.insert(id.clone(), new);
        Ok(Some(Replaced { old, new }))
    }

    /// Sends a draft, which is gone then; with `source` in place of what it
    /// has. `None`: there is no such draft.
    pub(in crate::google::gmail) fn send_draft(
        &mut self,
        (ids, clock): (&mut Ids, &Clock),
        known: Known<'_>,
        id: &DraftId,
        source: Option<&[u8]>,
    ) -> Result<Option<Replaced>, SendError> {
        let Some(draft) = self.draft(id) else {
            return Ok(None);
        };
        let (old, thread) = (draft.id, draft.thread);
        let mail = match source {
            Some(source) => self.prepare(ids, clock, known, source)?,
            None => self.prepare(ids, clock, known, &draft.mail.source().clone())?,
        };
        self.delete(old);
        let new = self.keep_sent(ids, clock, mail, Some(thread));
        Ok(Some(Replaced { old, new }))
    }

    /// Registers a message that is there already as a draft.
    pub(super) fn adopt_draft(&mut self, ids: &mut Ids, message: MessageId) {
        let id = self.new_draft_id(ids);
        self.drafts.insert(id, message);
    }

    /// A draft has a sender and an identifier from the start. Its date is that
    /// of its sending.
    fn draft_mail(&self, ids: &mut Ids, source: &[u8]) -> Result<Mail, Full> {
        self.check_source(source)?;
        let mail = Mail::parse(self.complete(ids, None, source));
        self.check_mail(&mail)?;
        Ok(mail)
    }

    fn keep_draft(
        &mut self,
        ids: &mut Ids,
        clock: &Clock,
        mail: Mail,
        thread: Option<ThreadId>,
    ) -> MessageId {
        let labels = [LabelId::DRAFT].into_iter().collect();
        self.keep(ids, clock, mail, thread, labels, DateSource::Received)
    }

    fn new_draft_id(&self, ids: &mut Ids) -> DraftId {
        loop {
            let id = DraftId(format!("r{}", ids.number("gmail.draft", 19)));
            if !self.drafts.contains_key(&id) {
                return id;
            }
        }
    }
}
