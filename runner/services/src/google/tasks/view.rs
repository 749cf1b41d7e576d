//! Lists and tasks as answers show them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::civil::Date;
use proctor_types::journal::{Touch, View};
use proctor_types::world::{self, TaskStatus};
use serde::Serialize;
use serde_json::Value;

use super::order;
use super::store::{Task, TaskList, TaskStore};
use crate::evidence_text::clean;
use crate::google::time::millis;

/// A task in an answer, its members in Google's order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskView<'a> {
    kind: &'static str,
    id: &'a str,
    etag: String,
    title: &'a str,
    updated: String,
    self_link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    position: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    notes: &'a str,
    status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    links: [(); 0],
    web_view_link: String,
}

impl<'a> TaskView<'a> {
    pub(super) fn new(list: &TaskList, task: &'a Task, position: String) -> Self {
        Self {
            kind: "tasks#task",
            id: &task.id,
            etag: task.etag(),
            title: &task.title,
            updated: millis(task.updated),
            self_link: format!(
                "https://www.googleapis.com/tasks/v1/lists/{}/tasks/{}",
                list.id, task.id
            ),
            parent: task.parent.as_deref(),
            position,
            notes: &task.notes,
            status: task.status,
            due: task.due.map(midnight),
            completed: task.completed.map(millis),
            deleted: task.deleted,
            hidden: task.hidden,
            links: [],
            web_view_link: format!("https://tasks.google.com/task/{}?sa=6", web_name(&task.id)),
        }
    }
}

/// A list in an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListView<'a> {
    kind: &'static str,
    id: &'a str,
    etag: String,
    title: &'a str,
    updated: String,
    self_link: String,
}

impl<'a> ListView<'a> {
    pub(super) fn new(list: &'a TaskList) -> Self {
        Self {
            kind: "tasks#taskList",
            id: &list.id,
            etag: list.etag(),
            title: &list.title,
            updated: millis(list.updated),
            self_link: format!(
                "https://www.googleapis.com/tasks/v1/users/@me/lists/{}",
                list.id
            ),
        }
    }
}

/// One page of lists or tasks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<T> {
    pub(super) kind: &'static str,
    pub(super) etag: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_page_token: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<T>,
}

fn midnight(day: Date) -> String {
    format!("{day}T00:00:00.000Z")
}

/// The name of a task in links: its identifier without base64url.
fn web_name(id: &str) -> String {
    let decoded = URL_SAFE_NO_PAD
        .decode(id)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let plain = |name: &String| {
        !name.is_empty()
            && name
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_')
    };
    decoded.filter(plain).unwrap_or_else(|| id.to_owned())
}

/// The journal's note that an answer carried a task.
pub(super) fn task_read(list: &TaskList, task: &Task) -> Touch {
    Touch::read("tasks.task", &task.id, View::Full).within(&list.id)
}

/// The journal's note that an answer carried a list.
pub(super) fn list_read(list: &TaskList) -> Touch {
    Touch::read("tasks.tasklist", &list.id, View::Full)
}

/// Members that say what a task or list is like, besides its title.
const CONTENT: [&str; 7] = [
    "notes",
    "status",
    "due",
    "completed",
    "updated",
    "deleted",
    "hidden",
];

/// How much a masked answer shows of the list or task that its request named:
/// all of it where the title is there.
pub(super) fn shown(value: &Value) -> Option<View> {
    let map = value.as_object().filter(|map| !map.is_empty())?;
    let has = |name: &&str| map.contains_key(*name);
    Some(if has(&"title") {
        View::Full
    } else if CONTENT.iter().any(has) {
        View::Summary
    } else {
        View::Reference
    })
}

/// The same for an item of a listing. Unlike there, nothing but the answer says
/// which one it is: its identifier (links have it, too) or its own words.
pub(super) fn shown_item(value: &Value) -> Option<View> {
    const NAMING: [&str; 5] = ["id", "selfLink", "webViewLink", "title", "notes"];
    let map = value.as_object()?;
    let named = NAMING.iter().any(|name| map.contains_key(*name));
    shown(value).filter(|_| named)
}

impl TaskStore {
    /// The lists as evidence.
    pub fn snapshot(&self) -> world::Tasks {
        world::Tasks {
            lists: self.lists.iter().map(list_snapshot).collect(),
        }
    }
}

fn list_snapshot(list: &TaskList) -> world::TaskList {
    let mut tasks: Vec<world::Task> = list
        .tasks
        .iter()
        .zip(order::positions(list))
        .map(|(task, position)| world::Task {
            id: task.id.clone(),
            title: clean(&task.title).into_owned(),
            notes: clean(&task.notes).into_owned(),
            status: task.status,
            due: task.due.map(midnight),
            completed: task.completed.map(millis),
            parent: task.parent.clone(),
            position,
            updated: millis(task.updated),
            deleted: task.deleted,
            hidden: task.hidden,
            seeded: task.seeded,
        })
        .collect();
    // Stable: tasks with one position (a deleted one and its successor) stay
    // in the list's own order.
    tasks.sort_by(|a, b| a.position.cmp(&b.position));
    world::TaskList {
        id: list.id.clone(),
        title: clean(&list.title).into_owned(),
        updated: millis(list.updated),
        tasks,
    }
}
