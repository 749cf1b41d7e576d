//! Claims in the summary that the evidence contradicts.
//!
//! Two kinds are looked for, because the journal and the world settle them: a
//! task of the seed that the agent was never shown, and a new task that does
//! not exist. Anything less certain is left to a judge.

use super::document::{Document, Line, Name, Topic};
use crate::facts::Facts;
use crate::wording::quoted;

/// A claim that did not happen.
pub(crate) struct FalseClaim {
    pub(crate) line: u64,
    /// Continues "Line 3 ...".
    pub(crate) problem: String,
}

/// The first claim of the summary that the evidence contradicts.
pub(crate) fn first_false(document: &Document, facts: &Facts<'_>) -> Option<FalseClaim> {
    never_shown(document, facts).or_else(|| never_created(document, facts))
}

/// A task of the seed that no answer of the world ever showed. Its title can
/// only be known from somewhere else.
fn never_shown(document: &Document, facts: &Facts<'_>) -> Option<FalseClaim> {
    let unshown = facts
        .seeded
        .iter()
        .filter(|seeded| !facts.actions.shown.contains_key(seeded.id()));
    unshown
        .filter_map(|seeded| {
            let line = document.line_naming(&Name::of(seeded.title()), false)?;
            let title = quoted(seeded.title());
            Some(FalseClaim {
                line,
                problem: format!("names {title}, which the agent was never shown"),
            })
        })
        .min_by_key(|claim| claim.line)
}

/// A line that says of a task that it was created, where there is none.
fn never_created(document: &Document, facts: &Facts<'_>) -> Option<FalseClaim> {
    let sought = facts.created.iter().take(super::SOUGHT);
    let mut naming = vec![false; document.lines.len()];
    for created in sought {
        for line in document.lines_naming(&Name::of(&created.listed.task.title)) {
            naming[line] = true;
        }
    }
    document
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_heading && !line.denies())
        .find_map(|(index, line)| {
            let is_listed = line.topic == Topic::Created && line.is_item;
            if !is_listed && !line.says_created() {
                return None;
            }
            let problem = if facts.created.is_empty() {
                if !is_listed && !speaks_of_tasks(line, facts) {
                    return None;
                }
                "says that a task was created, but there is no new task".to_owned()
            } else {
                if naming[index] {
                    return None;
                }
                let subject = untreated_mail(line, facts)?;
                format!(
                    "says that a task was created for {}, but there is none",
                    quoted(subject)
                )
            };
            Some(FalseClaim {
                line: line.number,
                problem,
            })
        })
}

/// Whether a sentence with "created" is about tasks: it says so, counts
/// something, or is about one of the mails.
fn speaks_of_tasks(line: &Line, facts: &Facts<'_>) -> bool {
    let counts = line.words.windows(2).any(|pair| {
        matches!(pair[0].as_str(), "created" | "added" | "inserted")
            && pair[1]
                .parse::<u16>()
                .is_ok_and(|number| number > 0 && number < 1000)
    });
    let says_so = line
        .words
        .iter()
        .any(|word| matches!(word.as_str(), "task" | "tasks"));
    counts || says_so || facts.mails.about(&line.words.join(" ")).is_some()
}

/// Subject of the mail that the line is about, where no new task is about it.
fn untreated_mail<'f>(line: &Line, facts: &'f Facts<'_>) -> Option<&'f str> {
    let mail = facts.mails.about(&line.words.join(" "))?.mail;
    let mut created = facts
        .created
        .iter()
        .filter_map(|created| created.about.as_ref());
    if created.any(|about| about.mail == mail) {
        return None;
    }
    let item = facts.mails.get(mail);
    item.is_action.then_some(item.mail.subject.as_str())
}
