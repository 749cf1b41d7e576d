//! `tasks.tasks.move`: to another place, parent or list.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use proctor_types::journal::{Change, Touch};

use super::items::{one, reference};
use super::order;
use super::store::{Task, TaskList, TaskStore, invalid};
use crate::google::Ctx;
use crate::google::call::{Call, Reply};
use crate::google::error::ApiError;

pub(super) fn run(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let now = ctx.clock.now();
    let store = &mut ctx.google.tasks;
    let id = call.path("task");
    let from = store.list(call.path("tasklist"))?;
    let task = from.task(id)?;
    call.check_match(&task.etag())?;
    let (parent, previous) = (reference(call, "parent"), reference(call, "previous"));
    // Hidden tasks are not nested and come first; deleted ones stay where
    // they are.
    if task.deleted || task.hidden && (parent.is_some() || previous.is_some()) {
        return Err(invalid("task"));
    }
    let to = match reference(call, "destinationTasklist") {
        Some(name) => store
            .list(name)
            .map_err(|_| invalid("destinationTasklist"))?,
        None => from,
    };
    let (from, to) = (from.id.clone(), to.id.clone());
    let before = (
        task.parent.clone(),
        order::position(store.list(&from)?, task),
    );
    if from == to {
        within(store.list_mut(&from)?, id, parent, previous, now)?;
    } else {
        across(store, (&from, &to), id, (parent, previous), now)?;
    }
    let list = store.list(&to)?;
    let task = list.task(id)?;
    let after = (task.parent.clone(), order::position(list, task));
    let fields = [
        (from != to).then_some("tasklist"),
        (before.0 != after.0).then_some("parent"),
        (before.1 != after.1).then_some("position"),
    ];
    let moved = Touch::changed("tasks.task", id, Change::Moved).within(&list.id);
    Ok(one(call, list, id)?.changed(moved.fields(fields.into_iter().flatten())))
}

/// Moves a task inside its list.
fn within(
    list: &mut TaskList,
    id: &str,
    parent: Option<&str>,
    previous: Option<&str>,
    now: Timestamp,
) -> Result<(), ApiError> {
    // Not below itself, and not after itself.
    let below = parent.is_some_and(|parent| {
        parent == id || order::descendants(list, id).iter().any(|it| it == parent)
    });
    if below {
        return Err(invalid("parent"));
    }
    if previous == Some(id) {
        return Err(invalid("previous"));
    }
    // Checked while everything is in place, looked up again without the task.
    order::place(list, parent, previous)?;
    let Some(at) = list.position_of(id) else {
        return Ok(());
    };
    let mut task = list.tasks.remove(at);
    let index = order::place(list, parent, previous)?;
    put(&mut task, parent, now);
    list.tasks.insert(index, task);
    list.touch(now);
    Ok(())
}

/// Moves a task, and what is below it, to another list.
fn across(
    store: &mut TaskStore,
    (from, to): (&str, &str),
    id: &str,
    (parent, previous): (Option<&str>, Option<&str>),
    now: Timestamp,
) -> Result<(), ApiError> {
    let index = order::place(store.list(to)?, parent, previous)?;
    let source = store.list_mut(from)?;
    let mut names: HashSet<String> = order::descendants(source, id).into_iter().collect();
    names.insert(id.to_owned());
    let (mut moving, staying): (Vec<Arc<Task>>, Vec<Arc<Task>>) = source
        .tasks
        .drain(..)
        .partition(|task| names.contains(&task.id));
    source.tasks = staying;
    source.touch(now);
    // The task itself goes to its place, the others behind everything: their
    // order below it stays.
    let target = store.list_mut(to)?;
    if let Some(at) = moving.iter().position(|task| task.id == id) {
        let mut task = moving.remove(at);
        put(&mut task, parent, now);
        target.tasks.insert(index, task);
    }
    target.tasks.append(&mut moving);
    target.touch(now);
    Ok(())
}

fn put(task: &mut Arc<Task>, parent: Option<&str>, now: Timestamp) {
    let task = Arc::make_mut(task);
    task.parent = parent.map(str::to_owned);
    task.touch(now);
}
