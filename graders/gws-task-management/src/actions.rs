//! What the agent did to the objects of the seed: one pass over the journal.

use std::collections::BTreeMap;

use proctor_grader::journal::JournalEntryExt as _;
use proctor_grader::mailbox::MESSAGE;
use proctor_grader::task_lists::TASK;
use proctor_grader::types::journal::{EntryKind, JournalEntry, Touch, View};
use proctor_grader::{Error, Evidence};

use crate::facts::Seeded;
use crate::relation::Mails;

const LIST: &str = "tasks.tasks.list";
const UPDATES: [&str; 2] = ["tasks.tasks.patch", "tasks.tasks.update"];

/// The first journal entry of each kind that the criteria ask about, by the
/// identifier of the seeded object. Its size does not depend on the agent.
#[derive(Default)]
pub(crate) struct Actions {
    /// A listing showed the task.
    pub(crate) listed: BTreeMap<String, u64>,
    /// Any answer showed the task, or any accepted request changed it.
    pub(crate) shown: BTreeMap<String, u64>,
    /// An update said that the task is completed.
    pub(crate) marked: BTreeMap<String, u64>,
    /// An update said something else about it.
    pub(crate) edited: BTreeMap<String, u64>,
    /// The mail's body was fetched.
    pub(crate) read: BTreeMap<String, u64>,
    /// Less of the mail was fetched: headers, a snippet.
    pub(crate) glimpsed: BTreeMap<String, u64>,
    /// The first listing of tasks that the service refused, and its status.
    pub(crate) refused_listing: Option<(u64, u16)>,
}

impl Actions {
    pub(crate) fn from_journal(
        evidence: &Evidence,
        seeded: &[Seeded<'_>],
        mails: &Mails<'_>,
    ) -> Result<Self, Error> {
        let is_task = |touch: &&Touch| seeded.iter().any(|seeded| seeded.id() == touch.id);
        let is_mail = |touch: &&Touch| mails.action_items().any(|item| item.mail.id == touch.id);
        let mut actions = Self::default();
        for entry in evidence.journal().entries()? {
            let entry = entry?;
            let first = |seen: &mut BTreeMap<String, u64>, id: &str| {
                if !seen.contains_key(id) {
                    seen.insert(id.to_owned(), entry.n);
                }
            };
            let operation = entry.operation.as_deref().unwrap_or_default();
            if operation == LIST && entry.kind == EntryKind::Request && !entry.ok() {
                actions
                    .refused_listing
                    .get_or_insert((entry.n, entry.status));
            }
            for touch in entry.touches_read(TASK, View::Summary).filter(is_task) {
                first(&mut actions.shown, &touch.id);
                if operation == LIST {
                    first(&mut actions.listed, &touch.id);
                }
            }
            for touch in entry.touches_changed(TASK).filter(is_task) {
                first(&mut actions.shown, &touch.id);
                if UPDATES.contains(&operation) {
                    let marks = says_completed(evidence, &entry, touch)?;
                    first(
                        if marks {
                            &mut actions.marked
                        } else {
                            &mut actions.edited
                        },
                        &touch.id,
                    );
                }
            }
            for touch in entry.touches_read(MESSAGE, View::Summary).filter(is_mail) {
                let full = touch.view == Some(View::Full);
                first(
                    if full {
                        &mut actions.read
                    } else {
                        &mut actions.glimpsed
                    },
                    &touch.id,
                );
            }
        }
        Ok(actions)
    }
}

/// Whether an accepted update said that the task is completed. Its body says
/// so; where the journal did not keep the body, the changed fields do. For a
/// task that was completed before, saying it again changes no field.
fn says_completed(evidence: &Evidence, entry: &JournalEntry, touch: &Touch) -> Result<bool, Error> {
    let body = evidence.journal().body(&entry.request)?;
    let body = body.and_then(|body| serde_json::from_slice::<serde_json::Value>(&body).ok());
    Ok(match body {
        Some(body) => body["status"] == "completed",
        None => touch.fields.is_empty() || touch.fields.iter().any(|field| field == "status"),
    })
}
