//! Grades `gws-task-management`: an agent looks after a task list, going by
//! what is in the inbox.
//!
//! Six criteria of one point each, all from artifacts. The journal says what
//! the agent was shown and which updates were accepted; the difference of the
//! two snapshots says which tasks it created; `task_summary.md` is held against
//! both. Nothing the agent printed or claimed earns a point.
//!
//! Which mails carry action items follows from the seed: those that somebody
//! else sent and that lay unread in the inbox when the agent began.

mod actions;
mod criteria;
mod facts;
mod ordinary;
mod relation;
mod summary;
mod wording;

use proctor_grader::{Error, Evidence, Verdict, log};

use crate::facts::Facts;

/// Grades a trial of the task.
///
/// # Errors
/// When the bundle cannot be read, or its world is not one of this task: no
/// task that was completed from the start, or no mail with an action item.
pub fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
    let facts = Facts::gather(evidence)?;
    log::info(&format!(
        "{} action items in the inbox, {} new tasks with different titles",
        facts.mails.action_items().count(),
        facts.created.len()
    ));
    let mut verdict = Verdict::new();
    verdict.add(criteria::listed_tasks(&facts));
    verdict.add(criteria::updated_completed(&facts));
    verdict.add(criteria::read_emails(&facts));
    verdict.add(criteria::created_new_task(&facts));
    verdict.add(criteria::meaningful_titles(&facts));
    verdict.add(summary::summary_created(evidence, &facts)?);
    for note in criteria::notes(&facts) {
        verdict.note(note);
    }
    Ok(verdict)
}

proctor_grader::export!(grade);
