//! The task lists, before and after.

use std::collections::{BTreeMap, BTreeSet};

use proctor_types::citation::Moment;
use proctor_types::world::{Task, TaskList, TaskStatus, Tasks};

use crate::{Error, Evidence, text};

/// Kind of a list in the journal and in citations.
pub const LIST: &str = "tasks.tasklist";
/// Kind of a task in the journal and in citations.
pub const TASK: &str = "tasks.task";

/// The task lists of a trial.
#[derive(Clone, Copy)]
pub struct TaskLists<'e> {
    evidence: &'e Evidence,
}

/// A task and the list it is in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed<'e> {
    /// The list.
    pub list: &'e TaskList,
    /// The task.
    pub task: &'e Task,
}

impl Listed<'_> {
    fn says_the_same(&self, other: &Self) -> bool {
        let (one, two) = (self.task, other.task);
        self.list.id == other.list.id
            && one.title == two.title
            && one.notes == two.notes
            && one.status == two.status
            && one.due == two.due
            && one.parent == two.parent
            && one.deleted == two.deleted
    }
}

impl<'e> TaskLists<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self { evidence }
    }

    /// The lists before the agent's first request.
    pub fn before(&self) -> Result<&'e Tasks, Error> {
        self.evidence.snapshot(Moment::Before)?.tasks()
    }

    /// The lists after the agent stopped.
    pub fn after(&self) -> Result<&'e Tasks, Error> {
        self.evidence.snapshot(Moment::After)?.tasks()
    }

    /// Tasks before the agent's first request, except deleted ones.
    pub fn seeded(&self) -> Result<Vec<Listed<'e>>, Error> {
        Ok(all(self.before()?)
            .filter(|listed| !listed.task.deleted)
            .collect())
    }

    /// Tasks after the agent stopped, except deleted ones.
    pub fn remaining(&self) -> Result<Vec<Listed<'e>>, Error> {
        Ok(all(self.after()?)
            .filter(|listed| !listed.task.deleted)
            .collect())
    }

    /// Tasks that exist after the agent stopped and did not exist before.
    /// Deleted ones do not exist.
    pub fn created(&self) -> Result<Vec<Listed<'e>>, Error> {
        let known = ids(all(self.before()?));
        let created =
            |listed: &Listed<'_>| !listed.task.deleted && !known.contains(listed.task.id.as_str());
        Ok(all(self.after()?).filter(created).collect())
    }

    /// Tasks that are completed after the agent stopped and were not before.
    pub fn completed(&self) -> Result<Vec<Listed<'e>>, Error> {
        let is_done = |listed: &Listed<'_>| listed.task.status == TaskStatus::Completed;
        let done = ids(all(self.before()?).filter(is_done));
        let completed = |listed: &Listed<'_>| {
            !listed.task.deleted
                && listed.task.status == TaskStatus::Completed
                && !done.contains(listed.task.id.as_str())
        };
        Ok(all(self.after()?).filter(completed).collect())
    }

    /// Tasks that existed before and do not any more.
    pub fn deleted(&self) -> Result<Vec<Listed<'e>>, Error> {
        let left = ids(all(self.after()?).filter(|listed| !listed.task.deleted));
        let mut seeded = self.seeded()?;
        seeded.retain(|listed| !left.contains(listed.task.id.as_str()));
        Ok(seeded)
    }

    /// Tasks that existed before and are other ones now, as they were and as
    /// they are: title, notes, status, dates, list or place in the hierarchy. An
    /// order that is another one does not count.
    pub fn changed(&self) -> Result<Vec<(Listed<'e>, Listed<'e>)>, Error> {
        let after: BTreeMap<&str, Listed<'e>> = all(self.after()?)
            .map(|listed| (listed.task.id.as_str(), listed))
            .collect();
        let seeded = self.seeded()?.into_iter();
        let pairs = seeded.filter_map(|was| Some((was, *after.get(was.task.id.as_str())?)));
        Ok(pairs.filter(|(was, is)| !was.says_the_same(is)).collect())
    }

    /// The list with this title as the agent left it, whatever its case and
    /// punctuation.
    pub fn list(&self, title: &str) -> Result<Option<&'e TaskList>, Error> {
        let lists = &self.after()?.lists;
        let same = |list: &&TaskList| text::words(&list.title).eq(text::words(title));
        Ok(lists.iter().find(same))
    }

    /// A task as the agent left it. A deleted one is there, marked as deleted.
    /// It takes a look at every task: for many, take them from
    /// [`TaskLists::remaining`] at once.
    pub fn task(&self, id: &str) -> Result<Option<Listed<'e>>, Error> {
        Ok(all(self.after()?).find(|listed| listed.task.id == id))
    }

    /// Tasks after the agent stopped whose title has the same words, whatever
    /// its case and punctuation; except deleted ones.
    pub fn titled(&self, title: &str) -> Result<Vec<Listed<'e>>, Error> {
        let title: Vec<String> = text::words(title).collect();
        let same = |listed: &Listed<'_>| {
            !listed.task.deleted && text::words(&listed.task.title).eq(title.iter().cloned())
        };
        Ok(all(self.after()?).filter(same).collect())
    }
}

/// Identifiers of tasks. The set is extended rather than collected: in the order
/// in which they mostly come that is as fast, and takes no code for sorting.
fn ids<'e>(tasks: impl Iterator<Item = Listed<'e>>) -> BTreeSet<&'e str> {
    let mut ids = BTreeSet::new();
    ids.extend(tasks.map(|listed| listed.task.id.as_str()));
    ids
}

fn all(tasks: &Tasks) -> impl Iterator<Item = Listed<'_>> {
    tasks
        .lists
        .iter()
        .flat_map(|list| list.tasks.iter().map(move |task| Listed { list, task }))
}
