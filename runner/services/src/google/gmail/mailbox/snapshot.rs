//! The mailbox as evidence.

use proctor_types::world;
use sha2::{Digest, Sha256};

use super::{Mailbox, Message};
use crate::evidence_text::{clean, clean_len, json_len};
use crate::google::gmail::label::{LabelId, LabelSet};
use crate::google::gmail::mime::{Address, Mail};

impl Mailbox {
    /// The mailbox, made for reading by a grader.
    pub fn snapshot(&self) -> world::Gmail {
        let system = LabelId::system().map(|id| label(id, self.labels.name(id), "system"));
        let user = self
            .labels
            .iter()
            .map(|(id, it)| label(id, &it.name, "user"));
        let mut labels: Vec<world::Label> = system.chain(user).collect();
        labels.sort_by(|a, b| a.id.cmp(&b.id));
        let drafts: Vec<world::Draft> = self
            .drafts()
            .map(|(id, it)| world::Draft {
                id: id.to_string(),
                message: mail(it),
            })
            .collect();
        let of_drafts: std::collections::HashSet<_> = self.drafts.values().collect();
        let messages = self
            .timeline
            .iter()
            .filter(|it| !of_drafts.contains(&it.id));
        world::Gmail {
            history_id: self.history.newest(),
            labels,
            messages: messages.map(|it| mail(it)).collect(),
            drafts,
        }
    }
}

fn label(id: LabelId, name: &str, kind: &str) -> world::Label {
    world::Label {
        id: id.to_string(),
        name: name.to_owned(),
        kind: kind.to_owned(),
    }
}

/// What a message takes besides its mail's own words: identifiers, numbers, a
/// digest, every label of Gmail's, and a draft around it.
const MESSAGE: u64 = 640;
/// What a label of the user takes in a message: `"Label_4294967039",`.
const LABEL: u64 = 19;
/// What an attachment takes besides name and media type.
const ATTACHMENT: u64 = 160;

/// Most bytes that a snapshot has of a message with this mail, labels of the
/// user excluded.
pub(super) fn mail_len(mail: &Mail) -> u64 {
    mail.evidence_len(|mail| {
        let files = mail
            .attachments()
            .into_iter()
            .map(|part| ATTACHMENT + (clean_len(&part.filename) + clean_len(&part.mime)) as u64);
        let words = json_len(&words(mail)).saturating_add(files.sum());
        words.saturating_add(MESSAGE)
    })
}

/// Most bytes that a snapshot has of the labels of the user on a message.
pub(super) fn labels_len(labels: &LabelSet) -> u64 {
    let own = labels.iter().filter(|id| !id.is_system()).count();
    LABEL * own as u64
}

fn mail(message: &Message) -> world::Mail {
    let mail = &message.mail;
    let mut label_ids: Vec<String> = message.labels.iter().map(|id| id.to_string()).collect();
    label_ids.sort();
    world::Mail {
        id: message.id.to_string(),
        thread_id: message.thread.to_string(),
        label_ids,
        internal_date_ms: message.date_ms,
        seeded: message.seeded,
        bytes: mail.source().len() as u64,
        sha256: mail.sha256(),
        attachments: attachments(mail),
        ..words(mail)
    }
}

/// What a mail says: nothing that is its message's, and no attachments.
fn words(mail: &Mail) -> world::Mail {
    let head = mail.head();
    let emails = |list: &[Address]| list.iter().map(|it| cleaned(&it.email)).collect();
    let headers = mail.fields().iter().map(|field| world::Header {
        name: cleaned(&field.name),
        value: cleaned(&field.value),
    });
    let from = head.from.first().map(|it| cleaned(&it.email));
    world::Mail {
        id: String::new(),
        thread_id: String::new(),
        label_ids: Vec::new(),
        internal_date_ms: 0,
        seeded: false,
        bytes: 0,
        sha256: String::new(),
        headers: headers.collect(),
        from: from.unwrap_or_default(),
        to: emails(&head.to),
        cc: emails(&head.cc),
        bcc: emails(&head.bcc),
        subject: cleaned(&head.subject),
        text: cleaned(&mail.text()),
        html: mail.html().map(|html| cleaned(&html)),
        attachments: Vec::new(),
    }
}

fn cleaned(text: &str) -> String {
    clean(text).into_owned()
}

fn attachments(mail: &Mail) -> Vec<world::Attachment> {
    let attachment = |part: &crate::google::gmail::mime::Part| {
        let content = mail.content(part);
        world::Attachment {
            filename: cleaned(&part.filename),
            mime_type: cleaned(&part.mime),
            bytes: content.len() as u64,
            sha256: hex::encode(Sha256::digest(&content)),
        }
    };
    mail.attachments().into_iter().map(attachment).collect()
}
