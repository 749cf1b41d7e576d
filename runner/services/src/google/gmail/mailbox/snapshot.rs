//! The mailbox as evidence.

use proctor_types::world;
use sha2::{Digest, Sha256};

use super::{Mailbox, Message};
use crate::google::gmail::label::LabelId;
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

fn mail(message: &Message) -> world::Mail {
    let mail = &message.mail;
    let head = mail.head();
    let emails = |list: &[Address]| list.iter().map(|it| it.email.to_string()).collect();
    let mut label_ids: Vec<String> = message.labels.iter().map(|id| id.to_string()).collect();
    label_ids.sort();
    let headers = mail.fields().iter().map(|field| world::Header {
        name: field.name.to_string(),
        value: field.value.to_string(),
    });
    world::Mail {
        id: message.id.to_string(),
        thread_id: message.thread.to_string(),
        label_ids,
        internal_date_ms: message.date_ms,
        seeded: message.seeded,
        bytes: mail.source().len() as u64,
        sha256: mail.sha256(),
        headers: headers.collect(),
        from: head
            .from
            .first()
            .map(|it| it.email.to_string())
            .unwrap_or_default(),
        to: emails(&head.to),
        cc: emails(&head.cc),
        bcc: emails(&head.bcc),
        subject: head.subject.to_string(),
        text: mail.text(),
        html: mail.html(),
        attachments: attachments(mail),
    }
}

fn attachments(mail: &Mail) -> Vec<world::Attachment> {
    let attachment = |part: &crate::google::gmail::mime::Part| {
        let content = mail.content(part);
        world::Attachment {
            filename: part.filename.to_string(),
            mime_type: part.mime.to_string(),
            bytes: content.len() as u64,
            sha256: hex::encode(Sha256::digest(&content)),
        }
    };
    mail.attachments().into_iter().map(attachment).collect()
}
