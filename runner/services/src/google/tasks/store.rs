//! The state: lists and their tasks.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use jiff::civil::Date;
use proctor_types::world::TaskStatus;
use serde::{Deserialize, Serialize};

use crate::evidence_text::clean_len;
use crate::google::error::ApiError;
use crate::world::Ids;

/// Name that stands for the first list.
pub(super) const DEFAULT: &str = "@default";

/// Task lists of an account. There is always one: the default list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskStore {
    pub(super) lists: Vec<TaskList>,
    /// Serial number of the newest list or task.
    pub(super) serial: u64,
    /// Bytes that the seed's lists have in a snapshot. They come on top of what
    /// requests can add.
    pub(super) seeded: usize,
}

/// Most bytes that requests can add to a snapshot. What is in a world must still
/// be readable by its grader: an agent must not be able to make itself
/// ungradable.
const EVIDENCE_CAP: usize = 7 << 20;
/// Most bytes of the snapshot of seeded lists.
const SEED_CAP: usize = 24 << 20;
/// Length of a new identifier.
pub(super) const ID: usize = 22;
/// What a list has in a snapshot besides its texts, at most.
const LIST: usize = 128;
/// What a task has in a snapshot besides its texts, at most.
const TASK: usize = 400;

/// A task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskList {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) updated: Timestamp,
    /// Number of changes, those of its tasks included.
    pub(super) revision: u32,
    /// Order of creation.
    pub(super) serial: u64,
    /// Shared between clones of a world, and replaced when changed.
    pub(super) tasks: Vec<Arc<Task>>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) notes: String,
    pub(super) status: TaskStatus,
    pub(super) due: Option<Date>,
    pub(super) completed: Option<Timestamp>,
    pub(super) parent: Option<String>,
    pub(super) updated: Timestamp,
    pub(super) deleted: bool,
    pub(super) hidden: bool,
    pub(super) seeded: bool,
    /// Number of changes.
    pub(super) revision: u32,
    /// Order of creation.
    pub(super) serial: u64,
}

impl Task {
    pub(super) fn is_completed(&self) -> bool {
        self.status == TaskStatus::Completed
    }

    pub(super) fn etag(&self) -> String {
        etag(self.updated, self.revision)
    }

    /// Notes that it has changed.
    pub(super) fn touch(&mut self, now: Timestamp) {
        self.updated = now;
        self.revision = self.revision.wrapping_add(1);
    }
}

impl TaskList {
    pub(super) fn etag(&self) -> String {
        etag(self.updated, self.revision)
    }

    /// Notes that it or one of its tasks has changed.
    pub(super) fn touch(&mut self, now: Timestamp) {
        self.updated = now;
        self.revision = self.revision.wrapping_add(1);
    }

    pub(super) fn position_of(&self, id: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.id == id)
    }

    pub(super) fn task(&self, id: &str) -> Result<&Arc<Task>, ApiError> {
        self.tasks
            .iter()
            .find(|task| task.id == id)
            .ok_or_else(no_task)
    }

    pub(super) fn task_mut(&mut self, id: &str) -> Result<&mut Task, ApiError> {
        let found = self.tasks.iter_mut().find(|task| task.id == id);
        found.map(Arc::make_mut).ok_or_else(no_task)
    }
}

impl TaskStore {
    /// Bytes of all lists and tasks in a snapshot, at most.
    pub(super) fn evidence_len(&self) -> usize {
        let task = |task: &Arc<Task>| task_len(&task.title, &task.notes) + task.id.len();
        let list = |list: &TaskList| {
            let tasks = list.tasks.iter().map(task);
            list_len(&list.title) + list.id.len() + tasks.sum::<usize>()
        };
        self.lists.iter().map(list).sum()
    }

    /// 403 where the snapshot has no room for this much more.
    pub(super) fn check_room(&self, bytes: usize) -> Result<(), ApiError> {
        if bytes > 0 && self.evidence_len() + bytes > self.seeded + EVIDENCE_CAP {
            return Err(full());
        }
        Ok(())
    }

    /// What is there now is the seed's. `Err`: it is more MiB than a grader can
    /// read.
    pub(super) fn end_seed(&mut self) -> Result<(), usize> {
        self.seeded = self.evidence_len();
        if self.seeded > SEED_CAP {
            return Err(SEED_CAP >> 20);
        }
        Ok(())
    }

    /// The list that `id` or `@default` names.
    pub(super) fn list(&self, id: &str) -> Result<&TaskList, ApiError> {
        let mut lists = self.lists.iter();
        let found = if id == DEFAULT {
            lists.next()
        } else {
            lists.find(|list| list.id == id)
        };
        found.ok_or_else(no_list)
    }

    /// The list that `id` or `@default` names, to be changed.
    pub(super) fn list_mut(&mut self, id: &str) -> Result<&mut TaskList, ApiError> {
        let mut lists = self.lists.iter_mut();
        let found = if id == DEFAULT {
            lists.next()
        } else {
            lists.find(|list| list.id == id)
        };
        found.ok_or_else(no_list)
    }

    pub(super) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Adds an empty list at the end.
    pub(super) fn add_list(&mut self, id: String, title: String, now: Timestamp) -> &mut TaskList {
        let serial = self.next_serial();
        let list = TaskList {
            id,
            title,
            updated: now,
            revision: 0,
            serial,
            tasks: Vec::new(),
        };
        self.lists.push(list);
        let end = self.lists.len() - 1;
        &mut self.lists[end]
    }
}

/// An entity tag: a number in quotes and base64url, as Google makes them.
fn etag(updated: Timestamp, revision: u32) -> String {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "Google's are 32 bits of a clock as well"
    )]
    let number = updated.as_millisecond().wrapping_add(revision.into()) as i32;
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(number.to_string()))
}

/// A new identifier of a list or task: base64url of 16 characters.
pub(super) fn new_id(ids: &mut Ids, kind: &str) -> String {
    URL_SAFE_NO_PAD.encode(ids.base64url(kind, 16))
}

/// An identifier of a default list: base64url of a number with two zeros.
pub(super) fn default_list_id(ids: &mut Ids) -> String {
    URL_SAFE_NO_PAD.encode(format!("{:020}:0:0", ids.number("tasks.default", 19)))
}

/// Bytes that a task has in a snapshot, at most.
pub(super) fn task_len(title: &str, notes: &str) -> usize {
    TASK + clean_len(title) + clean_len(notes)
}

/// Bytes that a list without tasks has in a snapshot, at most.
pub(super) fn list_len(title: &str) -> usize {
    LIST + clean_len(title)
}

pub(super) fn full() -> ApiError {
    ApiError::forbidden("quotaExceeded", "Quota Exceeded")
}

pub(super) fn no_list() -> ApiError {
    ApiError::not_found("Task list not found.")
}

pub(super) fn no_task() -> ApiError {
    ApiError::not_found("Task not found.")
}

/// 400 in the words of Google Tasks.
pub(super) fn invalid(name: &'static str) -> ApiError {
    ApiError::bad_request("invalid", "Invalid Value").at("parameter", name)
}
