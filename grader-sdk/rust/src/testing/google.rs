//! Mailboxes and task lists made up for tests.

use proctor_types::world::{Gmail, Header, Mail, Task, TaskList, TaskStatus, Tasks, WorldSnapshot};

use super::digest;

/// The same world with a mailbox.
pub fn with_mail(mut world: WorldSnapshot, messages: Vec<Mail>) -> WorldSnapshot {
    world.gmail = Some(Gmail {
        history_id: 1,
        labels: Vec::new(),
        messages,
        drafts: Vec::new(),
    });
    world
}

/// The same world with mail in the mailbox of somebody beside the account.
pub fn with_delivered(
    mut world: WorldSnapshot,
    address: &str,
    messages: Vec<Mail>,
) -> WorldSnapshot {
    let unseeded = |mail: Mail| Mail {
        seeded: false,
        ..mail
    };
    let mailbox = Gmail {
        history_id: 1,
        labels: Vec::new(),
        messages: messages.into_iter().map(unseeded).collect(),
        drafts: Vec::new(),
    };
    world.mailboxes.insert(address.to_lowercase(), mailbox);
    world
}

/// The same world with one task list, `list-1`.
pub fn with_tasks(mut world: WorldSnapshot, tasks: Vec<Task>) -> WorldSnapshot {
    world.tasks = Some(Tasks {
        lists: vec![TaskList {
            id: "list-1".to_owned(),
            title: "My Tasks".to_owned(),
            updated: world.clock.clone(),
            tasks,
        }],
    });
    world
}

/// A seeded, unread message in the inbox. `from` is an address, or a name and
/// an address in angle brackets.
pub fn mail(id: &str, from: &str, subject: &str, text: &str) -> Mail {
    let address = from
        .rsplit_once('<')
        .map_or(from, |(_, address)| address.trim_end_matches('>'));
    let header = |name: &str, value: &str| Header {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    Mail {
        id: id.to_owned(),
        thread_id: id.to_owned(),
        label_ids: vec!["INBOX".to_owned(), "UNREAD".to_owned()],
        internal_date_ms: 1_767_600_000_000,
        seeded: true,
        bytes: text.len() as u64,
        sha256: digest(text.as_bytes()),
        headers: vec![header("From", from), header("Subject", subject)],
        from: address.to_owned(),
        to: vec!["alex@example.com".to_owned()],
        cc: Vec::new(),
        bcc: Vec::new(),
        subject: subject.to_owned(),
        text: text.to_owned(),
        html: None,
        attachments: Vec::new(),
    }
}

/// A message that the agent sent in the thread of another, to its sender.
pub fn reply(id: &str, to: &Mail, text: &str) -> Mail {
    let mut reply = mail(
        id,
        "Alex Example <alex@example.com>",
        &format!("Re: {}", to.subject),
        text,
    );
    reply.thread_id.clone_from(&to.thread_id);
    reply.label_ids = vec!["SENT".to_owned()];
    reply.to = vec![to.from.clone()];
    reply.internal_date_ms = to.internal_date_ms + 1000;
    reply.seeded = false;
    reply
}

/// A task that did not come from the seed.
pub fn task(id: &str, title: &str, status: TaskStatus) -> Task {
    Task {
        id: id.to_owned(),
        title: title.to_owned(),
        notes: String::new(),
        status,
        due: None,
        completed: (status == TaskStatus::Completed).then(|| "2026-01-05T08:00:00Z".to_owned()),
        parent: None,
        position: "00000000000000000000".to_owned(),
        updated: "2026-01-05T08:00:00Z".to_owned(),
        deleted: false,
        hidden: false,
        seeded: false,
    }
}
