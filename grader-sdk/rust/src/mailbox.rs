//! The mailbox, before and after.

use proctor_types::citation::Moment;
use proctor_types::world::{Draft, Gmail, Mail};

use crate::{Error, Evidence};

/// Kind of a message in the journal and in citations.
pub const MESSAGE: &str = "gmail.message";

/// The mailbox of a trial.
#[derive(Clone, Copy)]
pub struct Mailbox<'e> {
    evidence: &'e Evidence,
}

impl<'e> Mailbox<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self { evidence }
    }

    /// The mailbox before the agent's first request.
    pub fn before(&self) -> Result<&'e Gmail, Error> {
        self.evidence.snapshot(Moment::Before)?.gmail()
    }

    /// The mailbox after the agent stopped.
    pub fn after(&self) -> Result<&'e Gmail, Error> {
        self.evidence.snapshot(Moment::After)?.gmail()
    }

    /// A message as the agent left it.
    pub fn message(&self, id: &str) -> Result<Option<&'e Mail>, Error> {
        Ok(self.after()?.messages.iter().find(|mail| mail.id == id))
    }

    /// Messages in the inbox before the agent's first request that somebody
    /// else sent, oldest first.
    pub fn received(&self) -> Result<Vec<&'e Mail>, Error> {
        let own = self.evidence.account()?.email.to_lowercase();
        let received = |mail: &&Mail| mail.has_label("INBOX") && mail.from.to_lowercase() != own;
        Ok(self.before()?.messages.iter().filter(received).collect())
    }

    /// Messages that the agent sent, oldest first.
    pub fn sent(&self) -> Result<Vec<&'e Mail>, Error> {
        let sent = |mail: &&Mail| !mail.seeded && mail.has_label("SENT");
        Ok(self.after()?.messages.iter().filter(sent).collect())
    }

    /// Drafts that the agent left.
    pub fn drafts(&self) -> Result<&'e [Draft], Error> {
        Ok(&self.after()?.drafts)
    }
}

/// Questions to one message.
pub trait MailExt {
    /// Whether the message carries the label with this id.
    fn has_label(&self, id: &str) -> bool;

    /// First value of a header field, whatever the case of its name.
    fn header(&self, name: &str) -> Option<&str>;
}

impl MailExt for Mail {
    fn has_label(&self, id: &str) -> bool {
        self.label_ids.iter().any(|label| label == id)
    }

    fn header(&self, name: &str) -> Option<&str> {
        let field = self
            .headers
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(name))?;
        Some(&field.value)
    }
}
