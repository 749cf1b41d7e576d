//! A mailbox from the seed: EML files, and `mail.yaml` for what they do not
//! say.
//!
//! ```yaml
//! labels: [Clients, Clients/Acme]
//! mails:
//!   01-planning.eml:
//!     labels: [INBOX, UNREAD, Clients/Acme]   # default: INBOX and UNREAD, or SENT
//!     thread: planning                        # mails with one word are one thread
//!     id: 18f1a2b3c4d5e6f7                    # default: from date and file name
//! send_as:
//!   - {email: ada@acme.example, name: Ada at Acme}
//! filters:
//!   - {from: news@acme.example, add_labels: [Clients/Acme], remove_labels: [INBOX]}
//! ```

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::deliver::topic;
use super::{Mailbox, Message};
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::{LabelId, LabelSet, UserLabel};
use crate::google::gmail::mime::{Additions, Mail, line_of};
use crate::google::gmail::settings::{Action, Criteria, FilterRule, SendAs};
use crate::world::{SeedContext, SeedDir, SeedError, SeedFile};

/// The file beside the mails.
const SETTINGS: &str = "mail.yaml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    labels: Vec<Spanned<String>>,
    mails: IndexMap<String, MailEntry>,
    send_as: Vec<Spanned<SendAsEntry>>,
    filters: Vec<Spanned<FilterEntry>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MailEntry {
    labels: Option<Vec<Spanned<String>>>,
    thread: Option<String>,
    id: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SendAsEntry {
    email: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    reply_to: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    default: bool,
    #[serde(default = "yes")]
    verified: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FilterEntry {
    from: String,
    to: String,
    subject: String,
    query: String,
    negated_query: String,
    has_attachment: bool,
    add_labels: Vec<String>,
    remove_labels: Vec<String>,
    forward: String,
}

fn yes() -> bool {
    true
}

/// A mail of the seed that has been read and checked.
struct Seeded {
    file: String,
    mail: Mail,
    date_ms: i64,
    labels: LabelSet,
    thread: Option<String>,
    id: Option<(MessageId, u64)>,
}

impl Mailbox {
    /// The mailbox that the seed's `mail/` folder describes; an empty one where
    /// there is none.
    ///
    /// # Errors
    /// Names the file, the line where there is one, and what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let mut mailbox = Self::new(&context.account.email, &context.account.name);
        let folder = context
            .dir
            .map(|dir| dir.folder("mail"))
            .transpose()?
            .flatten();
        let Some(folder) = folder else {
            return Ok(mailbox);
        };
        let settings_file = folder.optional_file(SETTINGS)?;
        let mut settings: Settings = match &settings_file {
            Some(file) => file.yaml()?,
            None => Settings::default(),
        };
        let seeder = Seeder {
            folder: &folder,
            settings: settings_file.as_ref(),
        };
        seeder.settings(&mut mailbox, &settings)?;
        let mut mails = seeder.mails(&mailbox, &mut settings.mails, context)?;
        // Those of one moment go by the names of their files.
        mails.sort_by(|a, b| (a.date_ms, &a.file).cmp(&(b.date_ms, &b.file)));
        seeder.place(&mut mailbox, mails, context)?;
        if !mailbox.end_seed() {
            let text = format!(
                "the texts and headers of all mails are more than {} MiB, which no grader can read",
                super::SEED_CAP >> 20
            );
            return Err(SeedError::file(folder.path_of("*.eml"), text));
        }
        Ok(mailbox)
    }
}

struct Seeder<'s> {
    folder: &'s SeedDir,
    settings: Option<&'s SeedFile>,
}

impl Seeder<'_> {
    /// A problem in `mail.yaml`.
    fn wrong(&self, line: u64, problem: impl Into<String>) -> SeedError {
        SeedError::at(self.folder.path_of(SETTINGS), line, problem)
    }

    fn settings(&self, mailbox: &mut Mailbox, settings: &Settings) -> Result<(), SeedError> {
        for name in &settings.labels {
            let made = mailbox.labels.create(UserLabel::new(name.value.as_str()));
            made.map_err(|error| {
                let problem = format!("label `{}`: {error}", name.value);
                self.wrong(name.referenced.line(), problem)
            })?;
        }
        for entry in &settings.send_as {
            let SendAsEntry {
                email,
                name,
                reply_to,
                signature,
                default,
                verified,
            } = &entry.value;
            let line = entry.referenced.line();
            if !email.contains('@') {
                return Err(self.wrong(line, format!("`{email}` is no mail address")));
            }
            let identity = SendAs {
                display_name: name.clone(),
                reply_to: reply_to.clone(),
                signature: signature.clone(),
                is_default: *default,
                verified: *verified,
                ..SendAs::new(email)
            };
            let added = mailbox.identities.add(identity);
            added.map_err(|error| self.wrong(line, format!("`{email}`: {error}")))?;
        }
        for (number, entry) in settings.filters.iter().enumerate() {
            let filter = self.filter(mailbox, &entry.value, entry.referenced.line(), number)?;
            mailbox.filters.push(filter);
        }
        Ok(())
    }

    fn filter(
        &self,
        mailbox: &Mailbox,
        entry: &FilterEntry,
        line: u64,
        number: usize,
    ) -> Result<FilterRule, SeedError> {
        let ids = |names: &[String]| {
            names
                .iter()
                .map(|name| self.label(mailbox, name, line))
                .collect::<Result<Vec<_>, _>>()
        };
        let action = Action {
            add_label_ids: ids(&entry.add_labels)?,
            remove_label_ids: ids(&entry.remove_labels)?,
            forward: entry.forward.clone(),
        };
        let criteria = Criteria {
            from: entry.from.clone(),
            to: entry.to.clone(),
            subject: entry.subject.clone(),
            query: entry.query.clone(),
            negated_query: entry.negated_query.clone(),
            has_attachment: entry.has_attachment,
        };
        if criteria == Criteria::default() {
            return Err(self.wrong(line, "expected a criterion: from, to, subject, query, ..."));
        }
        if action == Action::default() {
            let problem = "expected an action: add_labels, remove_labels or forward";
            return Err(self.wrong(line, problem));
        }
        Ok(FilterRule {
            id: format!("ANe1Bm{:026}", number + 1),
            criteria,
            action,
        })
    }

    fn label(&self, mailbox: &Mailbox, name: &str, line: u64) -> Result<LabelId, SeedError> {
        mailbox.labels.find(name).ok_or_else(|| {
            let system = LabelId::system().map(|id| id.to_string());
            let user = mailbox.labels.iter().map(|(_, label)| label.name.clone());
            let known: Vec<String> = system.chain(user).collect();
            self.wrong(
                line,
                format!("there is no label `{name}`; known: {}", known.join(", ")),
            )
        })
    }

    /// Reads the EML files, in order of their names.
    fn mails(
        &self,
        mailbox: &Mailbox,
        entries: &mut IndexMap<String, MailEntry>,
        context: &SeedContext<'_>,
    ) -> Result<Vec<Seeded>, SeedError> {
        let mut mails = Vec::new();
        let mut seen: HashMap<Box<str>, String> = HashMap::new();
        for name in self.folder.names()? {
            if name == SETTINGS {
                continue;
            }
            let path = self.folder.path_of(&name);
            if name.strip_suffix(".eml").is_none() {
                let problem =
                    format!("nothing reads this; expected `*.eml` files and `{SETTINGS}`");
                return Err(SeedError::file(path, problem));
            }
            let entry = entries.shift_remove(&name).unwrap_or_default();
            let file = self.folder.file(&name)?;
            let (mail, date_ms) = read(&file, context)?;
            let message_id = mail.head().message_id.clone().unwrap_or_default();
            if let Some(other) = seen.insert(message_id.clone(), name.clone()) {
                let line = line_of(&file.bytes, "Message-ID").unwrap_or(1);
                let problem = format!("Message-ID <{message_id}> is that of `{other}` too");
                return Err(SeedError::at(path, line, problem));
            }
            mails.push(self.seeded(mailbox, name, mail, date_ms, entry)?);
        }
        match entries.keys().next() {
            None => Ok(mails),
            Some(name) => {
                let text = self
                    .settings
                    .and_then(|file| file.text().ok())
                    .unwrap_or_default();
                let line = text.lines().position(|line| line.contains(name.as_str()));
                let line = line.map_or(1, |line| line as u64 + 1);
                Err(self.wrong(line, format!("there is no file `{name}` beside this one")))
            }
        }
    }

    fn seeded(
        &self,
        mailbox: &Mailbox,
        file: String,
        mail: Mail,
        date_ms: i64,
        entry: MailEntry,
    ) -> Result<Seeded, SeedError> {
        let own = mail
            .head()
            .from
            .iter()
            .any(|it| mailbox.identities.may_send_as(&it.email));
        let labels = match entry.labels {
            Some(names) => names
                .iter()
                .map(|name| self.label(mailbox, &name.value, name.referenced.line()))
                .collect::<Result<LabelSet, _>>()?,
            None if own => [LabelId::SENT].into_iter().collect(),
            None => [LabelId::INBOX, LabelId::UNREAD].into_iter().collect(),
        };
        let id = match entry.id {
            None => None,
            Some(id) => {
                let line = id.referenced.line();
                let parsed = id
                    .value
                    .parse()
                    .map_err(|error| self.wrong(line, format!("id `{}`: {error}", id.value)))?;
                Some((parsed, line))
            }
        };
        Ok(Seeded {
            file,
            mail,
            date_ms,
            labels,
            thread: entry.thread,
            id,
        })
    }

    /// Puts the mails into the mailbox and into threads.
    fn place(
        &self,
        mailbox: &mut Mailbox,
        mails: Vec<Seeded>,
        context: &mut SeedContext<'_>,
    ) -> Result<(), SeedError> {
        let mut given: BTreeMap<MessageId, &str> = BTreeMap::new();
        for (mail, (id, line)) in mails.iter().filter_map(|it| Some((it, it.id?))) {
            if let Some(other) = given.insert(id, &mail.file) {
                return Err(self.wrong(line, format!("id {id} is that of `{other}` too")));
            }
        }
        let given: Vec<MessageId> = given.into_keys().collect();
        let mut threads = Threads::default();
        for Seeded {
            file,
            mail,
            date_ms,
            labels,
            thread,
            id,
        } in mails
        {
            let id = id.map_or_else(
                || {
                    let low = context.ids.hex_for("gmail.message", &file, 8);
                    let low = u64::from_str_radix(&low, 16).unwrap_or_default();
                    let mut id = mailbox.free(MessageId::at(date_ms, low));
                    while given.binary_search(&id).is_ok() {
                        id = mailbox.free(id.next());
                    }
                    id
                },
                |(id, _)| id,
            );
            let thread = threads.of(&mail, thread, id);
            let is_draft = labels.has(LabelId::DRAFT);
            let mail = Arc::new(mail);
            mailbox.add(Message {
                id,
                thread,
                labels,
                date_ms,
                history_id: 0,
                seeded: true,
                mail,
            });
            if is_draft {
                mailbox.adopt_draft(context.ids, id);
            }
        }
        Ok(())
    }
}

/// Threads of the mails so far.
#[derive(Default)]
struct Threads {
    by_name: HashMap<String, ThreadId>,
    by_message: HashMap<Box<str>, (ThreadId, String)>,
}

impl Threads {
    /// The thread of a mail: the one that the seed names, or that of a mail
    /// which it answers under the same subject, or one of its own.
    fn of(&mut self, mail: &Mail, name: Option<String>, id: MessageId) -> ThreadId {
        let head = mail.head();
        let topic = topic(&head.subject);
        let thread = if let Some(name) = name {
            *self.by_name.entry(name).or_insert(id)
        } else {
            let mut answered = head
                .references
                .iter()
                .filter_map(|it| self.by_message.get(it));
            answered
                .find(|(_, other)| *other == topic)
                .map_or(id, |(thread, _)| *thread)
        };
        if let Some(message_id) = &head.message_id {
            self.by_message.insert(message_id.clone(), (thread, topic));
        }
        thread
    }
}

/// Reads an EML file and its date. One without an identifier gets one, as it
/// would from any mail server on its way.
fn read(file: &SeedFile, context: &SeedContext<'_>) -> Result<(Mail, i64), SeedError> {
    let mail = Mail::parse(file.bytes.clone());
    let at = |field: &str, problem: String| {
        SeedError::at(
            &file.path,
            line_of(&file.bytes, field).unwrap_or(1),
            problem,
        )
    };
    let head = mail.head();
    if mail.fields().is_empty() {
        let problem =
            "expected a header field like `From: Ada <ada@example.com>` in the first line";
        return Err(at("", problem.to_owned()));
    }
    if !head.from.iter().any(|it| it.email.contains('@')) {
        let problem = "expected a sender: `From: Ada <ada@example.com>`";
        return Err(at("From", problem.to_owned()));
    }
    let Some(date_ms) = head.date_ms else {
        let problem = "expected a date: `Date: Mon, 2 Mar 2026 09:00:00 +0100`";
        return Err(at("Date", problem.to_owned()));
    };
    if head.message_id.is_some() {
        return Ok((mail, date_ms));
    }
    let id = context.ids.hex_for("gmail.rfc822msgid", &file.name, 32) + "@mail.gmail.com";
    let additions = Additions {
        message_id: Some(&id),
        ..Additions::default()
    };
    Ok((Mail::parse(additions.to(&file.bytes)), date_ms))
}
