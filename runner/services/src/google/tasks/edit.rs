//! What a request body changes in a task or a list.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use proctor_types::world::TaskStatus;
use serde_json::{Map, Value};

use super::store::{Task, invalid, task_len};
use crate::google::error::ApiError;
use crate::google::time::rfc3339;

/// Longest title in characters.
const MAX_TITLE: usize = 1024;
/// Longest notes in characters.
const MAX_NOTES: usize = 8192;

/// A member that can be emptied.
#[derive(Debug, Clone, Copy, Default)]
enum Member<T> {
    /// The body does not have it.
    #[default]
    Absent,
    /// It is `null`.
    Empty,
    /// It has a value.
    Value(T),
}

impl<T> Member<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Member<U> {
        match self {
            Self::Absent => Member::Absent,
            Self::Empty => Member::Empty,
            Self::Value(value) => Member::Value(f(value)),
        }
    }

    /// What holds after it was applied to `before`.
    fn after(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Absent => before,
            Self::Empty => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// A body, read; `None` where it does not have a member.
#[derive(Debug, Default)]
pub(super) struct Edit {
    title: Option<String>,
    notes: Option<String>,
    due: Member<Date>,
    status: Option<TaskStatus>,
    completed: Member<Timestamp>,
    deleted: Option<bool>,
}

impl Edit {
    /// Bytes that a task takes in a snapshot which has only what the edit says.
    pub(super) fn evidence_len(&self) -> usize {
        let title = self.title.as_deref().unwrap_or_default();
        task_len(title, self.notes.as_deref().unwrap_or_default())
    }

    /// Bytes by which a task grows in a snapshot.
    pub(super) fn growth(&self, task: &Task) -> usize {
        let title = self.title.as_ref().unwrap_or(&task.title);
        let notes = self.notes.as_ref().unwrap_or(&task.notes);
        task_len(title, notes).saturating_sub(task_len(&task.title, &task.notes))
    }
}

/// The title of a body; empty where it is `null`.
pub(super) fn title(body: &Map<String, Value>) -> Result<Option<String>, ApiError> {
    text(body, "title", MAX_TITLE)
}

fn text(
    body: &Map<String, Value>,
    name: &'static str,
    max: usize,
) -> Result<Option<String>, ApiError> {
    let Some(value) = body.get(name) else {
        return Ok(None);
    };
    let text = value.as_str().unwrap_or_default();
    if text.chars().nth(max).is_some() {
        return Err(invalid(name));
    }
    Ok(Some(text.to_owned()))
}

fn moment(body: &Map<String, Value>, name: &'static str) -> Result<Member<Timestamp>, ApiError> {
    match body.get(name) {
        None => Ok(Member::Absent),
        Some(Value::String(text)) => rfc3339(text)
            .map(Member::Value)
            .ok_or_else(|| invalid(name)),
        Some(_) => Ok(Member::Empty),
    }
}

impl Edit {
    /// Reads a body that has passed the schema.
    pub(super) fn read(body: &Map<String, Value>) -> Result<Self, ApiError> {
        let status = match body.get("status").and_then(Value::as_str) {
            None => None,
            Some("needsAction") => Some(TaskStatus::NeedsAction),
            Some("completed") => Some(TaskStatus::Completed),
            Some(_) => return Err(invalid("status")),
        };
        // Of a due date only the day is kept, the day in UTC.
        let due = moment(body, "due")?.map(day);
        Ok(Self {
            title: title(body)?,
            notes: text(body, "notes", MAX_NOTES)?,
            due,
            status,
            completed: moment(body, "completed")?,
            deleted: body.get("deleted").and_then(Value::as_bool),
        })
    }

    /// The same, for an update that replaces everything: what is absent is
    /// empty.
    pub(super) fn replacing(self) -> Self {
        Self {
            title: Some(self.title.unwrap_or_default()),
            notes: Some(self.notes.unwrap_or_default()),
            due: if let Member::Absent = self.due {
                Member::Empty
            } else {
                self.due
            },
            status: Some(self.status.unwrap_or(TaskStatus::NeedsAction)),
            completed: self.completed,
            deleted: Some(self.deleted.unwrap_or(false)),
        }
    }

    /// Applies it, and names the members that have another value now.
    pub(super) fn apply(self, task: &mut Task, now: Timestamp) -> Vec<&'static str> {
        let before = task.clone();
        let Self {
            title,
            notes,
            due,
            status,
            completed,
            deleted,
        } = self;
        task.title = title.unwrap_or_else(|| before.title.clone());
        task.notes = notes.unwrap_or_else(|| before.notes.clone());
        task.due = due.after(before.due);
        task.status = status.unwrap_or(before.status);
        task.deleted = deleted.unwrap_or(before.deleted);
        if task.is_completed() {
            let own = completed.after(None).or(before.completed);
            task.completed = own.or(Some(now));
        } else {
            // What is to be done again is neither completed nor cleared.
            task.completed = None;
            task.hidden = false;
        }
        changed(&before, task)
    }
}

/// Names of the members that differ.
fn changed(before: &Task, after: &Task) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut note = |differs: bool, name| {
        if differs {
            names.push(name);
        }
    };
    note(before.title != after.title, "title");
    note(before.notes != after.notes, "notes");
    note(before.due != after.due, "due");
    note(before.status != after.status, "status");
    note(before.completed != after.completed, "completed");
    note(before.deleted != after.deleted, "deleted");
    note(before.hidden != after.hidden, "hidden");
    names
}

/// The day of a moment, in UTC.
pub(super) fn day(moment: Timestamp) -> Date {
    moment.to_zoned_datetime(TimeZone::UTC).date()
}
