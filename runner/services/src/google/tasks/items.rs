//! `tasks.tasks.*`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use proctor_types::journal::{Change, Touch};
use proctor_types::world::TaskStatus;

use super::edit::{Edit, day};
use super::order;
use super::store::{ID, Task, TaskList, full, invalid, new_id};
use super::view::{Page, TaskView, shown, shown_item, task_read};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::time::rfc3339;

/// Tasks on a page by default.
const PAGE: usize = 20;
/// Most tasks on a page.
const MAX_PAGE: usize = 100;
/// Most tasks of a list that are not hidden.
const MAX_IN_LIST: usize = 20_000;
/// Most tasks directly below one.
const MAX_CHILDREN: usize = 2000;

/// What a listing leaves out.
struct Filter {
    completed: bool,
    hidden: bool,
    deleted: bool,
    due_min: Option<Timestamp>,
    due_max: Option<Timestamp>,
    completed_min: Option<Timestamp>,
    completed_max: Option<Timestamp>,
    updated_min: Option<Timestamp>,
}

impl Filter {
    fn read(call: &Call) -> Result<Self, ApiError> {
        let moment = |name: &'static str| match call.query(name) {
            None => Ok(None),
            Some(text) => rfc3339(text).map(Some).ok_or_else(|| invalid(name)),
        };
        Ok(Self {
            completed: call.flag_or("showCompleted", true),
            hidden: call.flag("showHidden"),
            deleted: call.flag("showDeleted"),
            due_min: moment("dueMin")?,
            due_max: moment("dueMax")?,
            completed_min: moment("completedMin")?,
            completed_max: moment("completedMax")?,
            updated_min: moment("updatedMin")?,
        })
    }

    /// Of the bounds on due dates only the day counts, and the upper one is
    /// exclusive: `dueMax=2025-10-16T23:59:59Z` leaves out what is due on the
    /// 16th (<https://github.com/taylorwilsdon/google_workspace_mcp/issues/238>).
    fn takes(&self, task: &Task) -> bool {
        let due = |fits: &dyn Fn(jiff::civil::Date) -> bool| task.due.is_some_and(fits);
        let done = |fits: &dyn Fn(Timestamp) -> bool| task.completed.is_some_and(fits);
        (self.completed || !task.is_completed())
            && (self.hidden || !task.hidden)
            && (self.deleted || !task.deleted)
            && self
                .due_min
                .is_none_or(|min| due(&|day_due| day_due >= day(min)))
            && self
                .due_max
                .is_none_or(|max| due(&|day_due| day_due < day(max)))
            && self.completed_min.is_none_or(|min| done(&|at| at >= min))
            && self.completed_max.is_none_or(|max| done(&|at| at <= max))
            && self.updated_min.is_none_or(|min| task.updated >= min)
    }
}

/// Place of a task in a listing: the last changed first, and of those the
/// newest. A page token is the place of the last task before it, so that
/// changes between two pages neither repeat nor skip others.
type Key = (i64, u64);

fn key(task: &Task) -> Key {
    (task.updated.as_millisecond(), task.serial)
}

fn token(key: Key) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}.{}", key.0, key.1))
}

fn key_of(token: &str) -> Option<Key> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let (updated, serial) = text.split_once('.')?;
    Some((updated.parse().ok()?, serial.parse().ok()?))
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let list = ctx.google.tasks.list(call.path("tasklist"))?;
    let size = call.int("maxResults", PAGE, MAX_PAGE)?;
    let filter = Filter::read(call)?;
    let after = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => None,
        Some(token) => Some(key_of(token).ok_or_else(|| invalid("pageToken"))?),
    };
    let mut found: Vec<(usize, &Task)> = list
        .tasks
        .iter()
        .map(Arc::as_ref)
        .enumerate()
        .filter(|(_, task)| filter.takes(task) && after.is_none_or(|after| key(task) < after))
        .collect();
    found.sort_unstable_by_key(|(_, task)| std::cmp::Reverse(key(task)));
    let more = found.len() > size;
    found.truncate(size);
    let mut positions = order::positions(list);
    let items = found.iter().map(|(index, task)| {
        let position = positions.get_mut(*index).map(std::mem::take);
        TaskView::new(list, task, position.unwrap_or_default())
    });
    let page = Page {
        kind: "tasks#tasks",
        etag: list.etag(),
        items: items.collect(),
        next_page_token: found
            .last()
            .filter(|_| more)
            .map(|(_, task)| token(key(task))),
    };
    let mut reply = call.reply(&page)?.etag(list.etag());
    for (n, (_, task)) in found.iter().enumerate() {
        reply = reply.read_at(task_read(list, task), At::Item("items", n), shown_item);
    }
    Ok(reply)
}

/// The answer that one task is.
pub(super) fn one(call: &Call, list: &TaskList, id: &str) -> Result<Reply, ApiError> {
    let task = list.task(id)?;
    let view = TaskView::new(list, task, order::position(list, task));
    let reply = call.reply(&view)?.etag(task.etag());
    Ok(reply.read_at(task_read(list, task), At::Root, shown))
}

fn changed(list: &TaskList, id: &str, change: Change) -> Touch {
    Touch::changed("tasks.task", id, change).within(&list.id)
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    one(
        call,
        ctx.google.tasks.list(call.path("tasklist"))?,
        call.path("task"),
    )
}

/// A task's identifier in the query; an empty one is none.
pub(super) fn reference<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.query(name).filter(|id| !id.is_empty())
}

pub(super) fn insert(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let edit = Edit::read(call.body())?;
    let store = &mut ctx.google.tasks;
    let list = store.list(call.path("tasklist"))?;
    let (parent, previous) = (reference(call, "parent"), reference(call, "previous"));
    let index = order::place(list, parent, previous)?;
    store.check_room(edit.evidence_len() + ID)?;
    if list.tasks.iter().filter(|task| !task.hidden).count() >= MAX_IN_LIST
        || parent.is_some_and(|parent| children(list, parent) >= MAX_CHILDREN)
    {
        return Err(full());
    }
    let (now, serial) = (ctx.clock.now(), store.next_serial());
    let mut task = Task {
        id: new_id(ctx.ids, "tasks.task"),
        title: String::new(),
        notes: String::new(),
        status: TaskStatus::NeedsAction,
        due: None,
        completed: None,
        parent: parent.map(str::to_owned),
        updated: now,
        deleted: false,
        hidden: false,
        seeded: false,
        revision: 0,
        serial,
    };
    edit.apply(&mut task, now);
    task.deleted = false;
    let id = task.id.clone();
    let list = store.list_mut(call.path("tasklist"))?;
    list.tasks.insert(index, Arc::new(task));
    list.touch(now);
    Ok(one(call, list, &id)?.changed(changed(list, &id, Change::Created)))
}

fn children(list: &TaskList, parent: &str) -> usize {
    list.tasks
        .iter()
        .filter(|task| task.parent.as_deref() == Some(parent))
        .count()
}

pub(super) fn update(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let edit = Edit::read(call.body())?.replacing();
    // Unknown lists and tasks come before what the body lacks.
    ctx.google
        .tasks
        .list(call.path("tasklist"))?
        .task(call.path("task"))?;
    match call.text("id") {
        None => return Err(ApiError::bad_request("required", "Missing task ID")),
        Some(id) if id != call.path("task") => return Err(invalid("id")),
        Some(_) => {}
    }
    change(ctx, call, edit)
}

pub(super) fn patch(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let edit = Edit::read(call.body())?;
    change(ctx, call, edit)
}

fn change(ctx: &mut Ctx<'_>, call: &Call, edit: Edit) -> Result<Reply, ApiError> {
    let now = ctx.clock.now();
    let id = call.path("task");
    let before = ctx.google.tasks.list(call.path("tasklist"))?.task(id)?;
    call.check_match(&before.etag())?;
    ctx.google.tasks.check_room(edit.growth(before))?;
    let list = ctx.google.tasks.list_mut(call.path("tasklist"))?;
    let task = list.task_mut(id)?;
    let fields = edit.apply(task, now);
    task.touch(now);
    list.touch(now);
    Ok(one(call, list, id)?.changed(changed(list, id, Change::Updated).fields(fields)))
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let now = ctx.clock.now();
    let list = ctx.google.tasks.list_mut(call.path("tasklist"))?;
    let id = call.path("task");
    call.check_match(&list.task(id)?.etag())?;
    // What is below goes with it.
    let mut gone = vec![id.to_owned()];
    gone.extend(order::descendants(list, id));
    let mut reply = Reply::empty();
    for id in gone {
        let task = list.task_mut(&id)?;
        if !task.deleted {
            task.deleted = true;
            task.touch(now);
            reply = reply.changed(changed(list, &id, Change::Deleted));
        }
    }
    list.touch(now);
    Ok(reply)
}

pub(super) fn clear(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let now = ctx.clock.now();
    let list = ctx.google.tasks.list_mut(call.path("tasklist"))?;
    let done = list
        .tasks
        .iter()
        .filter(|task| task.is_completed() && !task.hidden && !task.deleted);
    let done: Vec<String> = done.map(|task| task.id.clone()).collect();
    let mut reply = Reply::empty();
    for id in done {
        let task = list.task_mut(&id)?;
        task.hidden = true;
        task.touch(now);
        reply = reply.changed(changed(list, &id, Change::Updated).fields(["hidden"]));
    }
    list.touch(now);
    Ok(reply)
}
