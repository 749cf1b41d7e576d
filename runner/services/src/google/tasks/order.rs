//! Where a task stands: positions, and moving to another place.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::store::{Task, TaskList, invalid};
use crate::google::error::ApiError;

/// Positions of hidden tasks count down from here by the moment of their
/// completion, so that the newest comes first.
const HIDDEN: u64 = 9_999_999_999_999_999_999;

/// Positions of a list's tasks, by index.
pub(super) fn positions(list: &TaskList) -> Vec<String> {
    let mut counts: HashMap<Option<&str>, u64> = HashMap::new();
    list.tasks
        .iter()
        .map(|task| {
            if task.hidden {
                return hidden_position(task);
            }
            let count = counts.entry(task.parent.as_deref()).or_default();
            let position = *count;
            if !task.deleted {
                *count += 1;
            }
            format!("{position:020}")
        })
        .collect()
}

/// Position of one task.
pub(super) fn position(list: &TaskList, task: &Task) -> String {
    if task.hidden {
        return hidden_position(task);
    }
    let before = list.tasks.iter().take_while(|other| other.id != task.id);
    let siblings =
        before.filter(|other| other.parent == task.parent && !other.hidden && !other.deleted);
    format!("{:020}", siblings.count())
}

fn hidden_position(task: &Task) -> String {
    let completed = task.completed.unwrap_or(task.updated).as_millisecond();
    format!(
        "{:020}",
        HIDDEN.saturating_sub(u64::try_from(completed).unwrap_or(0))
    )
}

/// The index at which a task comes to stand below `parent` and after
/// `previous`; without `previous` first.
pub(super) fn place(
    list: &TaskList,
    parent: Option<&str>,
    previous: Option<&str>,
) -> Result<usize, ApiError> {
    if let Some(parent) = parent {
        let task = list.task(parent).map_err(|_| invalid("parent"))?;
        if task.hidden || task.deleted {
            return Err(invalid("parent"));
        }
    }
    let is_sibling = |task: &Arc<Task>| task.parent.as_deref() == parent;
    match previous {
        None => Ok(list
            .tasks
            .iter()
            .position(is_sibling)
            .unwrap_or(list.tasks.len())),
        Some(previous) => {
            let at = list
                .position_of(previous)
                .ok_or_else(|| invalid("previous"))?;
            let usable = list
                .tasks
                .get(at)
                .is_some_and(|task| is_sibling(task) && !task.hidden && !task.deleted);
            if usable {
                Ok(at + 1)
            } else {
                Err(invalid("previous"))
            }
        }
    }
}

/// Identifiers of the tasks below one, at any depth, in their order.
pub(super) fn descendants(list: &TaskList, id: &str) -> Vec<String> {
    let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
    for task in &list.tasks {
        if let Some(parent) = &task.parent {
            children.entry(parent).or_default().push(&task.id);
        }
    }
    let mut below: HashSet<&str> = HashSet::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        for child in children.remove(id).unwrap_or_default() {
            below.insert(child);
            open.push(child);
        }
    }
    let tasks = list
        .tasks
        .iter()
        .filter(|task| below.contains(task.id.as_str()));
    tasks.map(|task| task.id.clone()).collect()
}
