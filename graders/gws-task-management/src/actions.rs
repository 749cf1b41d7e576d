//! What the agent did to the objects of the seed: one pass over the journal.

use std::collections::{BTreeMap, BTreeSet};

use proctor_grader::journal::{BodyAnswer, JournalEntryExt as _};
use proctor_grader::mailbox::MESSAGE;
use proctor_grader::task_lists::TASK;
use proctor_grader::types::journal::{EntryKind, JournalEntry, Touch, View};
use proctor_grader::{Error, Evidence};
use serde::Deserialize;

use crate::facts::Seeded;
use crate::relation::Mails;

const LIST: &str = "tasks.tasks.list";
const UPDATES: [&str; 2] = ["tasks.tasks.patch", "tasks.tasks.update"];
/// Longest body of an update that is looked at, in bytes. A whole task takes
/// a fifth of it.
pub(crate) const BODY_LIMIT: u64 = 64 * 1024;

/// The first journal entry of each kind that the criteria ask about, by the
/// identifier of the seeded object. Its size does not depend on the agent.
#[derive(Default)]
pub(crate) struct Actions {
    /// A listing showed the task with its title.
    pub(crate) listed: BTreeMap<String, u64>,
    /// A listing showed the task without its title.
    pub(crate) listed_untitled: BTreeMap<String, u64>,
    /// Any answer showed the task with its title.
    pub(crate) shown: BTreeMap<String, u64>,
    /// An update said that the task is completed.
    pub(crate) marked: BTreeMap<String, u64>,
    /// An update said something else about it, or nothing that counts.
    pub(crate) edited: BTreeMap<String, (u64, Edit)>,
    /// The mail's body was fetched.
    pub(crate) read: BTreeMap<String, u64>,
    /// Less of the mail was fetched: headers, a snippet.
    pub(crate) glimpsed: BTreeMap<String, u64>,
    /// The first listing of tasks that the service refused, and its status.
    pub(crate) refused_listing: Option<(u64, u16)>,
}

/// Why an accepted update does not say that its task is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Its body says something else.
    Other,
    /// It has no body.
    Empty,
    /// Its body is longer than [`BODY_LIMIT`].
    TooLong,
    /// The journal did not keep its body.
    NotKept,
}

impl Actions {
    pub(crate) fn from_journal(
        evidence: &Evidence,
        seeded: &[Seeded<'_>],
        mails: &Mails<'_>,
    ) -> Result<Self, Error> {
        let tasks = set(seeded.iter().map(Seeded::id));
        let items = set(mails.action_items().map(|item| item.mail.id.as_str()));
        // Tasks that are completed at this point of the journal.
        let completed = seeded.iter().filter(|seeded| seeded.was_completed);
        let mut done = set(completed.map(Seeded::id));
        let mut bodies = evidence.journal().ask_bodies(BODY_LIMIT, says_completed);
        let mut actions = Self::default();
        for entry in evidence.journal().entries()? {
            let entry = entry?;
            actions.note_answers(&entry, &tasks, &items);
            if !UPDATES.contains(&operation(&entry)) {
                continue;
            }
            for touch in entry.touches_changed(TASK) {
                let Some(id) = tasks.get(touch.id.as_str()) else {
                    continue;
                };
                let became_done = turns(touch) && {
                    let was_done = done.remove(id);
                    !was_done && done.insert(id)
                };
                let edit = match bodies.of(&entry.request)? {
                    _ if became_done => None,
                    BodyAnswer::Says(true) => None,
                    BodyAnswer::Says(false) => Some(Edit::Other),
                    BodyAnswer::Empty => Some(Edit::Empty),
                    BodyAnswer::TooLong => Some(Edit::TooLong),
                    BodyAnswer::NotKept => Some(Edit::NotKept),
                };
                match edit {
                    None => first(&mut actions.marked, &touch.id, entry.n),
                    Some(edit) => first(&mut actions.edited, &touch.id, (entry.n, edit)),
                }
            }
        }
        Ok(actions)
    }

    /// What the answer showed of tasks and mails.
    fn note_answers(
        &mut self,
        entry: &JournalEntry,
        tasks: &BTreeSet<&str>,
        items: &BTreeSet<&str>,
    ) {
        let n = entry.n;
        let is_listing = operation(entry) == LIST;
        if is_listing && entry.kind == EntryKind::Request && !entry.ok() {
            self.refused_listing.get_or_insert((n, entry.status));
        }
        let fetches = entry.fetches();
        for touch in entry.touches_read(TASK, View::Reference) {
            if !tasks.contains(touch.id.as_str()) {
                continue;
            }
            let is_titled = touch.view == Some(View::Full);
            if is_titled {
                first(&mut self.shown, &touch.id, n);
            }
            if is_listing && fetches {
                let listed = if is_titled {
                    &mut self.listed
                } else {
                    &mut self.listed_untitled
                };
                first(listed, &touch.id, n);
            }
        }
        let views = entry.touches_read(MESSAGE, View::Summary);
        for touch in views.filter(|touch| fetches && items.contains(touch.id.as_str())) {
            let seen = if touch.view == Some(View::Full) {
                &mut self.read
            } else {
                &mut self.glimpsed
            };
            first(seen, &touch.id, n);
        }
    }
}

fn operation(entry: &JournalEntry) -> &str {
    entry.operation.as_deref().unwrap_or_default()
}

/// Extended rather than collected: that would sort first, and there are few.
fn set<'a>(ids: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut set = BTreeSet::new();
    set.extend(ids);
    set
}

fn first<T>(seen: &mut BTreeMap<String, T>, id: &str, value: T) {
    if !seen.contains_key(id) {
        seen.insert(id.to_owned(), value);
    }
}

/// Whether the update changed the status of its task, of which there are two.
fn turns(touch: &Touch) -> bool {
    touch.fields.iter().any(|field| field == "status")
}

/// Whether the body of an update says that the task is completed. For a task
/// that was completed before, saying it again changes no field.
fn says_completed(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Update {
        status: Option<String>,
    }
    // A list would be read as the fields in their order.
    let update = std::str::from_utf8(body)
        .ok()
        .filter(|body| body.trim_start().starts_with('{'))
        .and_then(|body| serde_json::from_str(body).ok());
    update.is_some_and(|Update { status }| status.as_deref() == Some("completed"))
}
