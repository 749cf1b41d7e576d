//! The mailbox, before and after.
//!
//! ```
//! use proctor_grader::mailbox::MailExt as _;
//! use proctor_grader::testing::{self, Bundle};
//!
//! let asked = testing::mail("m1", "Priya <priya@example.com>", "API docs", "Can you?");
//! let answer = testing::reply("m2", &asked, "Done.\n\nOn Monday, Priya wrote:\n> Can you?");
//! let before = testing::with_mail(testing::world(), vec![asked.clone()]);
//! let after = testing::with_mail(testing::world(), vec![asked.clone(), answer]);
//! let evidence = Bundle::new().world(&before, &after).evidence();
//!
//! let mailbox = evidence.mailbox();
//! let replies = mailbox.replies_to(&asked).unwrap();
//! assert_eq!(replies[0].own_text(), "Done.");
//! assert!(replies[0].is_to("priya@example.com"));
//! assert_eq!(mailbox.sent_to("priya@example.com").unwrap().len(), 1);
//! ```
//!
//! Mail that the agent sends to somebody of the world also lies in that
//! person's own mailbox, as it arrived there:
//!
//! ```
//! use proctor_grader::mailbox::MailExt as _;
//! use proctor_grader::testing::{self, Bundle};
//!
//! let arrived = testing::mail("d1", "Alex <alex@example.com>", "Done", "All of it.");
//! let after = testing::with_delivered(testing::world(), "priya@example.com", vec![arrived]);
//! let evidence = Bundle::new().world(&testing::world(), &after).evidence();
//!
//! let priya = evidence.mailbox_of("priya@example.com");
//! assert_eq!(priya.delivered().unwrap()[0].own_text(), "All of it.");
//! assert!(evidence.mailbox_of("marcus@example.com").delivered().unwrap().is_empty());
//! ```

use std::collections::{BTreeMap, BTreeSet};

use proctor_types::citation::Moment;
use proctor_types::world::{Draft, Gmail, Label, Mail};

use crate::{Error, Evidence};

/// Kind of a message in the journal and in citations.
pub const MESSAGE: &str = "gmail.message";
/// Kind of a thread in the journal and in citations.
pub const THREAD: &str = "gmail.thread";
/// Kind of a draft in the journal and in citations.
pub const DRAFT: &str = "gmail.draft";
/// Kind of a label in the journal and in citations.
pub const LABEL: &str = "gmail.label";

/// The mailbox of a trial, or that of somebody else of the world.
#[derive(Clone, Copy)]
pub struct Mailbox<'e> {
    evidence: &'e Evidence,
    /// Whose it is; `None`: the account's.
    owner: Option<&'e str>,
}

impl<'e> Mailbox<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self {
            evidence,
            owner: None,
        }
    }

    pub(crate) fn of(evidence: &'e Evidence, owner: &'e str) -> Self {
        Self {
            evidence,
            owner: Some(owner),
        }
    }

    /// The mailbox before the agent's first request.
    pub fn before(&self) -> Result<&'e Gmail, Error> {
        self.at(Moment::Before)
    }

    /// The mailbox after the agent stopped.
    pub fn after(&self) -> Result<&'e Gmail, Error> {
        self.at(Moment::After)
    }

    fn at(&self, moment: Moment) -> Result<&'e Gmail, Error> {
        let snapshot = self.evidence.snapshot(moment)?;
        let own = &snapshot.account()?.email;
        match self.owner {
            Some(owner) if !owner.eq_ignore_ascii_case(own) => snapshot.mailbox_of(owner),
            _ => snapshot.gmail(),
        }
    }

    /// Whose mailbox it is.
    fn address(&self) -> Result<&'e str, Error> {
        match self.owner {
            Some(owner) => Ok(owner),
            None => Ok(&self.evidence.account()?.email),
        }
    }

    /// A message as the agent left it.
    pub fn message(&self, id: &str) -> Result<Option<&'e Mail>, Error> {
        Ok(self.after()?.messages.iter().find(|mail| mail.id == id))
    }

    /// Messages in the inbox before the agent's first request that somebody
    /// else sent, oldest first.
    pub fn received(&self) -> Result<Vec<&'e Mail>, Error> {
        let own = self.address()?;
        let received =
            |mail: &&Mail| mail.has_label("INBOX") && !mail.from.eq_ignore_ascii_case(own);
        Ok(self.before()?.messages.iter().filter(received).collect())
    }

    /// Messages that came in while the agent worked, oldest first.
    pub fn delivered(&self) -> Result<Vec<&'e Mail>, Error> {
        let came_in = |mail: &&Mail| !mail.seeded && !mail.has_label("SENT");
        Ok(self.after()?.messages.iter().filter(came_in).collect())
    }

    /// Messages that the agent sent, oldest first.
    pub fn sent(&self) -> Result<Vec<&'e Mail>, Error> {
        let sent = |mail: &&Mail| !mail.seeded && mail.has_label("SENT");
        Ok(self.after()?.messages.iter().filter(sent).collect())
    }

    /// Messages that the agent sent to an address, as `To`, `Cc` or `Bcc`.
    pub fn sent_to(&self, address: &str) -> Result<Vec<&'e Mail>, Error> {
        let mut sent = self.sent()?;
        sent.retain(|mail| mail.is_to(address));
        Ok(sent)
    }

    /// Messages of a thread as the agent left it, oldest first.
    pub fn thread(&self, id: &str) -> Result<Vec<&'e Mail>, Error> {
        let inside = |mail: &&Mail| mail.thread_id == id;
        Ok(self.after()?.messages.iter().filter(inside).collect())
    }

    /// Messages that the agent sent in the thread of a message, or that name it
    /// in `In-Reply-To`, oldest first.
    pub fn replies_to(&self, mail: &Mail) -> Result<Vec<&'e Mail>, Error> {
        let id = mail.header("Message-ID");
        let mut sent = self.sent()?;
        sent.retain(|reply| {
            reply.thread_id == mail.thread_id || (id.is_some() && reply.header("In-Reply-To") == id)
        });
        Ok(sent)
    }

    /// Drafts that the agent left, seeded ones included.
    pub fn drafts(&self) -> Result<&'e [Draft], Error> {
        Ok(&self.after()?.drafts)
    }

    /// Drafts that the agent made and did not send.
    pub fn new_drafts(&self) -> Result<Vec<&'e Draft>, Error> {
        let known: BTreeSet<&str> = ids(self.before()?.drafts.iter().map(|draft| &draft.id));
        let is_new = |draft: &&Draft| !known.contains(draft.id.as_str());
        Ok(self.after()?.drafts.iter().filter(is_new).collect())
    }

    /// The label with this name as the agent left it, whatever its case. Where
    /// there is none of that name, the one with this id.
    pub fn label(&self, name: &str) -> Result<Option<&'e Label>, Error> {
        let labels = &self.after()?.labels;
        let named = |label: &&Label| label.name.to_lowercase() == name.to_lowercase();
        let by_name = labels.iter().find(named);
        Ok(by_name.or_else(|| labels.iter().find(|label| label.id == name)))
    }

    /// Messages with a [label](Self::label) as the agent left them, oldest
    /// first.
    pub fn labelled(&self, name: &str) -> Result<Vec<&'e Mail>, Error> {
        let Some(label) = self.label(name)? else {
            return Ok(Vec::new());
        };
        let has = |mail: &&Mail| mail.has_label(&label.id);
        Ok(self.after()?.messages.iter().filter(has).collect())
    }

    /// Messages that were there before and whose labels are others now: read,
    /// archived, starred, thrown away.
    pub fn relabelled(&self) -> Result<Vec<Relabelled<'e>>, Error> {
        let after: BTreeMap<&str, &Mail> = by_id(self.after()?);
        let mut changed = Vec::new();
        for before in &self.before()?.messages {
            let Some(mail) = after.get(before.id.as_str()) else {
                continue;
            };
            let missing = |of: &Mail, label: &&String| !of.has_label(label);
            let added = mail.label_ids.iter().filter(|label| missing(before, label));
            let removed = before.label_ids.iter().filter(|label| missing(mail, label));
            let change = Relabelled {
                mail,
                added: added.map(String::as_str).collect(),
                removed: removed.map(String::as_str).collect(),
            };
            if !change.added.is_empty() || !change.removed.is_empty() {
                changed.push(change);
            }
        }
        Ok(changed)
    }

    /// Messages that the agent moved to the trash.
    pub fn trashed(&self) -> Result<Vec<&'e Mail>, Error> {
        let mut changed = self.relabelled()?;
        changed.retain(|change| change.added.contains(&"TRASH"));
        Ok(changed.into_iter().map(|change| change.mail).collect())
    }

    /// Messages that were there before and are gone for good.
    pub fn deleted(&self) -> Result<Vec<&'e Mail>, Error> {
        let after = by_id(self.after()?);
        let gone = |mail: &&Mail| !after.contains_key(mail.id.as_str());
        Ok(self.before()?.messages.iter().filter(gone).collect())
    }
}

/// A message whose labels are others now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relabelled<'e> {
    /// The message as the agent left it.
    pub mail: &'e Mail,
    /// Ids of labels that it did not have.
    pub added: Vec<&'e str>,
    /// Ids of labels that it does not have any more.
    pub removed: Vec<&'e str>,
}

fn by_id(mailbox: &Gmail) -> BTreeMap<&str, &Mail> {
    mailbox
        .messages
        .iter()
        .map(|mail| (mail.id.as_str(), mail))
        .collect()
}

fn ids<'a>(ids: impl Iterator<Item = &'a String>) -> BTreeSet<&'a str> {
    ids.map(String::as_str).collect()
}

/// Questions to one message.
pub trait MailExt {
    /// Whether the message carries the label with this id.
    fn has_label(&self, id: &str) -> bool;

    /// First value of a header field, whatever the case of its name.
    fn header(&self, name: &str) -> Option<&str>;

    /// Whether it went to the address, as `To`, `Cc` or `Bcc`.
    fn is_to(&self, address: &str) -> bool;

    /// What its writer added: the text up to what is quoted of earlier messages
    /// or forwarded, without quoted lines and without white space at its ends.
    fn own_text(&self) -> String;
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

    fn is_to(&self, address: &str) -> bool {
        let all = self.to.iter().chain(&self.cc).chain(&self.bcc);
        all.into_iter().any(|one| one.eq_ignore_ascii_case(address))
    }

    fn own_text(&self) -> String {
        let mut own = String::new();
        let lines: Vec<&str> = self.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let trimmed = line.trim();
            if introduces_quote(trimmed, lines.get(index + 1).map_or("", |next| next.trim())) {
                break;
            }
            if !trimmed.starts_with('>') {
                own.push_str(line);
                own.push('\n');
            }
        }
        own.trim().to_owned()
    }
}

/// Whether a line says that another message follows: "On ..., ... wrote:", which
/// may be broken into two lines, or a line of dashes with a name.
fn introduces_quote(line: &str, next: &str) -> bool {
    let wrote = |line: &str| line.ends_with("wrote:");
    let on = line.starts_with("On ") && (wrote(line) || (wrote(next) && !next.starts_with("On ")));
    let dashes = line
        .strip_prefix("---")
        .is_some_and(|rest| rest.ends_with("---"));
    let title = line.trim_matches(|char: char| char == '-' || char == ' ');
    on || (dashes
        && matches!(
            title,
            "Original Message" | "Forwarded message" | "Forwarded Message"
        ))
}
