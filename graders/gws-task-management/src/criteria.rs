//! The criteria about the task list, the mail and the new tasks.

use std::collections::BTreeMap;

use proctor_grader::mailbox::MESSAGE;
use proctor_grader::task_lists::TASK;
use proctor_grader::types::{Citation, Criterion};
use proctor_grader::{cite, criterion};

use crate::actions::{Actions, BODY_LIMIT, Edit};
use crate::facts::{Created, Facts, Seeded};
use crate::relation::Item;
use crate::wording::{CITED, count, named, quoted};

const TASK_LIST: &str = "Task list";
const EMAIL: &str = "Email";
const NEW_TASKS: &str = "New tasks";

/// An accepted listing showed the tasks that were there at the start.
pub(crate) fn listed_tasks(facts: &Facts<'_>) -> Criterion {
    let listed = &facts.actions.listed;
    let (shown, missed): (Vec<&Seeded<'_>>, Vec<_>) = facts
        .seeded
        .iter()
        .partition(|seeded| listed.contains_key(seeded.id()));
    let reason = if shown.is_empty() {
        match facts.actions.refused_listing {
            Some((n, status)) => format!(
                "No listing of the tasks was accepted; the first attempt (journal entry {n}) was refused with HTTP {status}."
            ),
            None if !facts.actions.listed_untitled.is_empty() => {
                "Listings of the tasks were accepted, but no answer carried the title of a task."
                    .to_owned()
            }
            None => "No accepted request listed the tasks of the seed.".to_owned(),
        }
    } else if missed.is_empty() {
        format!("The answers of the task list showed {}.", titles(&shown))
    } else {
        format!(
            "The answers of the task list showed {}, but never {}.",
            titles(&shown),
            titles(&missed)
        )
    };
    criterion("listed_tasks", "Listed the existing tasks")
        .category(TASK_LIST)
        .cites(entries(
            shown
                .iter()
                .filter_map(|seeded| listed.get(seeded.id()).copied()),
        ))
        .cites(
            facts
                .actions
                .refused_listing
                .filter(|_| shown.is_empty())
                .map(|(n, _)| cite::journal(n)),
        )
        .share(shown.len(), facts.seeded.len(), reason)
}

/// The act of marking the completed task, after which it is completed. It is
/// completed from the start, so its state alone says nothing about the agent.
pub(crate) fn updated_completed(facts: &Facts<'_>) -> Criterion {
    let Actions { marked, edited, .. } = &facts.actions;
    let completed: Vec<&Seeded<'_>> = facts
        .seeded
        .iter()
        .filter(|seeded| seeded.was_completed)
        .collect();
    let is_done = |seeded: &&Seeded<'_>| marked.contains_key(seeded.id()) && seeded.is_completed();
    let acts = |seeded: &&Seeded<'_>| {
        let edit = edited.get(seeded.id()).map(|(n, _)| n);
        marked.get(seeded.id()).or(edit).copied()
    };
    let (points, reason) = if completed.iter().all(is_done) {
        let titles = titles(&completed);
        (
            1.0,
            format!("An accepted update marked {titles} as completed, and it is."),
        )
    } else {
        let missed = completed.iter().filter(|seeded| !is_done(seeded));
        let reasons: Vec<String> = missed
            .take(CITED)
            .map(|seeded| unmarked(facts, seeded))
            .collect();
        (0.0, reasons.join(" "))
    };
    let states = completed.iter().map(|seeded| match seeded.after {
        Some(_) => cite::after(TASK, seeded.id()),
        None => cite::before(TASK, seeded.id()),
    });
    criterion("updated_completed", "Marked the completed task as done")
        .category(TASK_LIST)
        .cites(entries(completed.iter().filter_map(acts)))
        .cites(states.take(CITED))
        .graded(points, reason)
}

/// Why a task does not count as marked.
fn unmarked(facts: &Facts<'_>, seeded: &Seeded<'_>) -> String {
    let title = quoted(seeded.title());
    let Actions { marked, edited, .. } = &facts.actions;
    if marked.contains_key(seeded.id()) {
        match seeded.after {
            None => format!("{title} was marked as completed and is deleted."),
            Some(_) => format!("{title} was marked as completed and is not in the end."),
        }
    } else if let Some((n, edit)) = edited.get(seeded.id()) {
        let why = match edit {
            Edit::Other => String::new(),
            Edit::Empty => format!(" The first one (journal entry {n}) had no body."),
            Edit::TooLong => format!(
                " The body of the first one (journal entry {n}) is longer than the {BODY_LIMIT} bytes that are looked at."
            ),
            Edit::NotKept => {
                format!(" The body of the first one (journal entry {n}) is not in the evidence.")
            }
        };
        format!("{title} was updated, but no update said that it is completed.{why}")
    } else {
        format!(
            "No accepted update marked {title} as completed. It is completed from the start, which is not the agent's doing."
        )
    }
}

/// The bodies of the mails with action items were fetched.
pub(crate) fn read_emails(facts: &Facts<'_>) -> Criterion {
    let (read, glimpsed) = (&facts.actions.read, &facts.actions.glimpsed);
    let (fetched, missed): (Vec<&Item<'_>>, Vec<_>) = facts
        .mails
        .action_items()
        .partition(|item| read.contains_key(&item.mail.id));
    let wanted = fetched.len() + missed.len();
    let total = count(wanted, "mail");
    let mut sentences = vec![format!(
        "The body of {} of {total} with action items was fetched.",
        fetched.len()
    )];
    let (looked_at, ignored): (Vec<&Item<'_>>, Vec<_>) = missed
        .iter()
        .partition(|item| glimpsed.contains_key(&item.mail.id));
    if !looked_at.is_empty() {
        sentences.push(format!(
            "Only headers or a snippet of {}.",
            subjects(&looked_at)
        ));
    }
    if !ignored.is_empty() {
        sentences.push(format!("Nothing of {}.", subjects(&ignored)));
    }
    criterion("read_emails", "Read the emails with action items")
        .category(EMAIL)
        .cites(entries(
            fetched
                .iter()
                .filter_map(|item| read.get(&item.mail.id).copied()),
        ))
        .cites(
            missed
                .iter()
                .map(|item| cite::before(MESSAGE, &item.mail.id))
                .take(CITED),
        )
        .share(fetched.len(), wanted, sentences.join(" "))
}

/// A new task for each action item. Its title or notes must have something to
/// do with some mail of the inbox; with which one is for `meaningful_titles`.
pub(crate) fn created_new_task(facts: &Facts<'_>) -> Criterion {
    let wanted = facts.mails.action_items().count();
    let (plausible, idle): (Vec<&Created<'_>>, Vec<_>) = facts
        .created
        .iter()
        .partition(|created| created.is_plausible);
    let found = plausible.len();
    let items = count(wanted, "action item");
    let mut sentences = vec![if found == 0 {
        format!("No new task for {items}.")
    } else {
        format!(
            "{} for {items}: {}.",
            count(found, "new task"),
            created_titles(&plausible)
        )
    }];
    if !idle.is_empty() {
        sentences.push(format!(
            "{} without a word of any mail of the inbox in title or notes did not count: {}.",
            count(idle.len(), "new task"),
            created_titles(&idle)
        ));
    }
    if facts.repeated > 0 {
        let repeated = count(facts.repeated, "further new task");
        sentences.push(format!(
            "{repeated} without a title of its own did not count."
        ));
    }
    if facts.unseen > 0 {
        sentences.push(format!(
            "{} were too many to look at.",
            count(facts.unseen, "new task")
        ));
    }
    criterion(
        "created_new_task",
        "Created a new task for each action item",
    )
    .category(NEW_TASKS)
    .cites(after(if found == 0 { &idle } else { &plausible }))
    .share(found, wanted, sentences.join(" "))
}

/// Each action item has a new task whose title says what it is about. A title
/// that shares a single word with its mail counts half, as does one that mixes
/// words of the mail with others.
pub(crate) fn meaningful_titles(facts: &Facts<'_>) -> Criterion {
    let mut best: BTreeMap<usize, &Created<'_>> = BTreeMap::new();
    let mut unrelated = 0;
    for created in &facts.created {
        let Some(about) = &created.about else {
            unrelated += 1;
            continue;
        };
        let is_clear =
            |created: &Created<'_>| created.about.as_ref().is_some_and(|about| about.is_clear);
        let held = best.entry(about.mail).or_insert(created);
        if !is_clear(held) && about.is_clear {
            *held = created;
        }
    }
    best.retain(|mail, _| facts.mails.get(*mail).is_action);
    let wanted = facts.mails.action_items().count();
    let halves: usize = best
        .values()
        .filter_map(|created| created.about.as_ref())
        .map(|about| 1 + usize::from(about.is_clear))
        .sum();
    let reason = titles_reason(facts, &best, unrelated);
    criterion(
        "meaningful_titles",
        "New tasks have titles derived from the emails",
    )
    .category(NEW_TASKS)
    .cites(
        best.values()
            .map(|created| cite::after(TASK, &created.listed.task.id))
            .take(CITED),
    )
    .share(halves, 2 * wanted.max(unrelated), reason)
}

fn titles_reason(
    facts: &Facts<'_>,
    best: &BTreeMap<usize, &Created<'_>>,
    unrelated: usize,
) -> String {
    if facts.created.is_empty() {
        return "There is no new task whose title could be looked at.".to_owned();
    }
    let mut sentences = Vec::new();
    for (mail, created) in best.iter().take(CITED) {
        let Some(about) = &created.about else {
            continue;
        };
        sentences.push(format!(
            "{} is {} the mail {} ({}).",
            quoted(&created.listed.task.title),
            if about.is_clear {
                "about"
            } else if about.is_mixed {
                "half about (its other words come from nowhere)"
            } else {
                "only vaguely about (one word in common counts half)"
            },
            quoted(&facts.mails.get(*mail).mail.subject),
            about
                .shared
                .iter()
                .take(6)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    let covered = |subject: &&Item<'_>| {
        best.keys()
            .any(|mail| facts.mails.get(*mail).mail.id == subject.mail.id)
    };
    let missed: Vec<&Item<'_>> = facts
        .mails
        .action_items()
        .filter(|item| !covered(item))
        .collect();
    if !missed.is_empty() {
        sentences.push(format!(
            "No new task has a title about {}.",
            subjects(&missed)
        ));
    }
    if unrelated > 0 {
        let plural = if unrelated == 1 { "is" } else { "are" };
        sentences.push(format!(
            "{} {plural} about no single mail of the inbox.",
            count(unrelated, "new title")
        ));
    }
    sentences.join(" ")
}

/// What no criterion counts and a reader of the report should know.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let done: Vec<&Seeded<'_>> = facts
        .seeded
        .iter()
        .filter(|seeded| !seeded.was_completed && seeded.is_completed())
        .collect();
    if !done.is_empty() {
        notes.push(format!(
            "Marked as completed without any sign in the seed that it was done: {}.",
            titles(&done)
        ));
    }
    let gone: Vec<&Seeded<'_>> = facts
        .seeded
        .iter()
        .filter(|seeded| seeded.after.is_none())
        .collect();
    if !gone.is_empty() {
        notes.push(format!("Deleted from the task list: {}.", titles(&gone)));
    }
    let renamed = facts.seeded.iter().filter_map(|seeded| {
        let title = &seeded.after?.task.title;
        (title != seeded.title())
            .then(|| format!("{} is now {}", quoted(seeded.title()), quoted(title)))
    });
    let renamed: Vec<String> = renamed.take(CITED).collect();
    if !renamed.is_empty() {
        notes.push(format!("Renamed: {}.", renamed.join("; ")));
    }
    notes
}

fn titles(seeded: &[&Seeded<'_>]) -> String {
    named(seeded.iter().map(|seeded| seeded.title()))
}

fn subjects(items: &[&Item<'_>]) -> String {
    named(items.iter().map(|item| item.mail.subject.as_str()))
}

fn entries(numbers: impl IntoIterator<Item = u64>) -> Vec<Citation> {
    let mut numbers: Vec<u64> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().take(CITED).map(cite::journal).collect()
}

fn created_titles(created: &[&Created<'_>]) -> String {
    named(
        created
            .iter()
            .map(|created| created.listed.task.title.as_str()),
    )
}

fn after(created: &[&Created<'_>]) -> Vec<Citation> {
    created
        .iter()
        .take(CITED)
        .map(|created| cite::after(TASK, &created.listed.task.id))
        .collect()
}
