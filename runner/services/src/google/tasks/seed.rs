//! `google/tasks.json` of a seed.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use proctor_types::world::TaskStatus;
use serde::Deserialize;

use super::edit::day;
use super::store::{Task, TaskList, TaskStore, default_list_id, new_id};
use crate::google::time::rfc3339;
use crate::world::{Ids, SeedContext, SeedError, SeedFile};

/// Name of the default list where the seed has none.
const DEFAULT_TITLE: &str = "My Tasks";
/// Most tasks of a seed.
const MAX_TASKS: usize = 100_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedLists {
    lists: Vec<SeedList>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedList {
    id: Option<String>,
    title: String,
    #[serde(default)]
    tasks: Vec<SeedTask>,
}

/// A task; `tasks` are those below it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedTask {
    id: Option<String>,
    title: String,
    #[serde(default)]
    notes: String,
    due: Option<String>,
    status: Option<TaskStatus>,
    completed: Option<String>,
    updated: Option<String>,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    tasks: Vec<SeedTask>,
}

impl TaskStore {
    /// The lists as the seed's `tasks.json` has them, in its order; one empty
    /// default list where there is no such file.
    ///
    /// # Errors
    /// Names the file, the line or the task, and what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let file = match context.dir {
            Some(dir) => dir.optional_file("tasks.json")?,
            None => None,
        };
        let mut seeding = Seeding {
            path: file
                .as_ref()
                .map(|file| file.path.clone())
                .unwrap_or_default(),
            now: context.clock.now(),
            ids: context.ids,
            known: HashSet::new(),
            serial: 0,
        };
        let lists = match file.as_ref().map(SeedFile::json::<SeedLists>).transpose()? {
            Some(SeedLists { lists }) if !lists.is_empty() => lists,
            _ => vec![SeedList {
                id: None,
                title: DEFAULT_TITLE.to_owned(),
                tasks: Vec::new(),
            }],
        };
        seeding.store(lists)
    }
}

struct Seeding<'a> {
    path: String,
    now: Timestamp,
    ids: &'a mut Ids,
    known: HashSet<String>,
    /// Serial number that the next task gets. They count down: what stands
    /// first was, in a mailbox of flesh and blood, added last.
    serial: u64,
}

impl Seeding<'_> {
    fn problem(&self, place: &str, text: impl AsRef<str>) -> SeedError {
        SeedError::file(&self.path, format!("{place}: {}", text.as_ref()))
    }

    fn store(&mut self, lists: Vec<SeedList>) -> Result<TaskStore, SeedError> {
        let tasks = lists.iter().map(|list| count(&list.tasks)).sum::<usize>();
        if tasks > MAX_TASKS {
            return Err(self.problem("lists", format!("more than {MAX_TASKS} tasks")));
        }
        let last_list = lists.len() as u64;
        let mut store = TaskStore {
            lists: Vec::new(),
            serial: last_list + tasks as u64,
            seeded: 0,
        };
        self.serial = store.serial;
        for (n, list) in lists.into_iter().enumerate() {
            let place = format!("lists[{n}]");
            let id = match list.id {
                Some(id) => self.known_id(&place, id)?,
                None if n == 0 => default_list_id(self.ids),
                None => new_id(self.ids, "tasks.tasklist"),
            };
            let serial = n as u64 + 1;
            let title = list.title;
            let mut into = TaskList {
                id,
                title,
                updated: self.now,
                revision: 0,
                serial,
                tasks: Vec::new(),
            };
            self.tasks(&mut into, &place, None, list.tasks)?;
            store.lists.push(into);
        }
        store.end_seed().map_err(|most| {
            let text = format!("all together more than {most} MiB, which no grader can read");
            self.problem("lists", text)
        })?;
        Ok(store)
    }

    /// An identifier that the seed gives itself.
    fn known_id(&mut self, place: &str, id: String) -> Result<String, SeedError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || id.len() > 64 || !id.chars().all(plain) {
            let text = "expected an id of at most 64 letters, digits, `-` and `_`";
            return Err(self.problem(place, text));
        }
        if !self.known.insert(id.clone()) {
            return Err(self.problem(place, format!("the id `{id}` is there twice")));
        }
        Ok(id)
    }

    fn tasks(
        &mut self,
        list: &mut TaskList,
        place: &str,
        parent: Option<&str>,
        tasks: Vec<SeedTask>,
    ) -> Result<(), SeedError> {
        for (n, mut seed) in tasks.into_iter().enumerate() {
            let place = format!("{place}.tasks[{n}]");
            let below = std::mem::take(&mut seed.tasks);
            let task = self.task(&place, parent, seed)?;
            let id = task.id.clone();
            list.tasks.push(Arc::new(task));
            self.tasks(list, &place, Some(&id), below)?;
        }
        Ok(())
    }

    fn task(
        &mut self,
        place: &str,
        parent: Option<&str>,
        seed: SeedTask,
    ) -> Result<Task, SeedError> {
        let id = match seed.id {
            Some(id) => self.known_id(place, id)?,
            None => new_id(self.ids, "tasks.task"),
        };
        let due = seed.due.map(|text| self.day(place, &text)).transpose()?;
        let completed = seed
            .completed
            .map(|text| self.moment(place, "completed", &text))
            .transpose()?;
        let updated = seed
            .updated
            .map(|text| self.moment(place, "updated", &text))
            .transpose()?;
        let status = seed.status.unwrap_or(match completed {
            Some(_) => TaskStatus::Completed,
            None => TaskStatus::NeedsAction,
        });
        let done = status == TaskStatus::Completed;
        if !done && (completed.is_some() || seed.hidden) {
            let text = "only a task with status `completed` can have `completed` or `hidden`";
            return Err(self.problem(place, text));
        }
        let serial = self.serial;
        self.serial = self.serial.saturating_sub(1);
        Ok(Task {
            id,
            title: seed.title,
            notes: seed.notes,
            status,
            due,
            completed: if done {
                completed.or(Some(self.now))
            } else {
                None
            },
            parent: parent.map(str::to_owned),
            updated: updated.or(completed).unwrap_or(self.now),
            deleted: false,
            hidden: seed.hidden,
            seeded: true,
            revision: 0,
            serial,
        })
    }

    /// A day, with or without a time that does not count.
    fn day(&self, place: &str, text: &str) -> Result<Date, SeedError> {
        let read = if text.len() == 10 {
            text.parse().ok()
        } else {
            rfc3339(text).map(day)
        };
        read.ok_or_else(|| {
            self.problem(
                place,
                format!("due: expected a day like `2026-03-02`, found `{text}`"),
            )
        })
    }

    fn moment(&self, place: &str, name: &str, text: &str) -> Result<Timestamp, SeedError> {
        rfc3339(text).ok_or_else(|| {
            self.problem(
                place,
                format!("{name}: expected a moment like `2026-03-02T09:00:00Z`, found `{text}`"),
            )
        })
    }
}

fn count(tasks: &[SeedTask]) -> usize {
    tasks.iter().map(|task| 1 + count(&task.tasks)).sum()
}
