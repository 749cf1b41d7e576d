//! `task_summary.md`: held against the journal and the world.
//!
//! One point in four quarters: the file is text that names at least one task and
//! claims nothing that did not happen; it names the tasks that the agent found,
//! those that it created, and the completed one. A name counts only where the
//! evidence has the thing: titles of tasks that the agent was never shown or that
//! do not exist earn nothing, and cost the first quarter.

mod claims;
mod document;

use proctor_grader::files::Head;
use proctor_grader::types::Criterion;
use proctor_grader::{Error, Evidence, cite, criterion};

use self::claims::FalseClaim;
use self::document::{Document, Name};
use crate::facts::{Facts, Seeded};
use crate::wording::{CITED, count, named, quoted};

const PATH: &str = "task_summary.md";
/// Bytes of the summary that are read.
const READ: u32 = 64 * 1024;
/// New tasks whose titles are looked for.
const SOUGHT: usize = 200;

pub(crate) fn summary_created(evidence: &Evidence, facts: &Facts<'_>) -> Result<Criterion, Error> {
    let criterion = criterion(
        "summary_created",
        "Wrote a summary of found, created and completed tasks",
    )
    .category("Summary");
    let workspace = evidence.workspace()?;
    let Some(file) = workspace.head(PATH, READ)? else {
        let reason = match workspace.entry(PATH).map(|entry| entry.refused.as_deref()) {
            Some(refused) => format!(
                "{PATH} is no file that could be kept: {}.",
                refused.unwrap_or("it is no regular file")
            ),
            None => format!("There is no {PATH}."),
        };
        return Ok(criterion.graded(0.0, reason));
    };
    if !file.is_text() {
        let reason = format!("{PATH} is not text in UTF-8.");
        return Ok(criterion.cite(cite::workspace(PATH)).graded(0.0, reason));
    }
    let document = Document::parse(&file);
    if document.is_blank() {
        return Ok(criterion
            .cite(cite::workspace(PATH))
            .graded(0.0, format!("{PATH} is blank.")));
    }
    let summary = Summary::check(&document, facts);
    let lines = summary
        .lines
        .iter()
        .take(CITED)
        .map(|line| cite::line(PATH, *line));
    Ok(criterion
        .cite(cite::workspace(PATH))
        .cites(lines)
        .graded(summary.quarters / 4.0, summary.reason(&file)))
}

/// What the summary got right.
#[derive(Default)]
struct Summary {
    quarters: f64,
    sentences: Vec<String>,
    /// Lines that say so.
    lines: Vec<u64>,
}

impl Summary {
    fn check(document: &Document, facts: &Facts<'_>) -> Self {
        let mut summary = Self::default();
        let claim = claims::first_false(document, facts);
        if let Some(claim) = &claim {
            summary.lines.push(claim.line);
        }
        summary.check_found(document, facts);
        summary.check_created(document, facts);
        summary.check_completed(document, facts);
        summary.check_claims(claim);
        summary
    }

    /// The first quarter. Comes last: a file that names nothing says nothing.
    fn check_claims(&mut self, claim: Option<FalseClaim>) {
        match claim {
            None if self.quarters > 0.0 => self.quarters += 1.0,
            None => self.sentences.push(
                "A summary that names no task that was found, created or completed earns nothing."
                    .to_owned(),
            ),
            Some(claim) => {
                let sentence = format!("Line {} {}.", claim.line, claim.problem);
                self.sentences.insert(0, sentence);
            }
        }
    }

    fn check_found(&mut self, document: &Document, facts: &Facts<'_>) {
        let (shown, unshown): (Vec<&Seeded<'_>>, Vec<_>) = facts
            .seeded
            .iter()
            .partition(|seeded| facts.actions.shown.contains_key(seeded.id()));
        let names = self.count_names(document, "found", &titles(&shown), false);
        self.add_share(names, facts.seeded.len());
        let unshown = titles(&unshown);
        if shown.is_empty() {
            self.sentences
                .push("The agent was shown no task that it could name as found.".into());
        } else if !unshown.is_empty() {
            self.sentences
                .push(format!("The agent was never shown {}.", named(unshown)));
        }
    }

    fn check_created(&mut self, document: &Document, facts: &Facts<'_>) {
        let titles = facts
            .created
            .iter()
            .map(|created| created.listed.task.title.as_str());
        let sought: Vec<&str> = titles.take(SOUGHT).collect();
        if sought.is_empty() {
            self.sentences
                .push("No task was created that it could name.".to_owned());
        }
        let names = self.count_names(document, "created", &sought, false);
        self.add_share(names, facts.created.len());
    }

    fn check_completed(&mut self, document: &Document, facts: &Facts<'_>) {
        let completed = facts.seeded.iter().filter(|seeded| seeded.is_completed());
        let seen: Vec<&Seeded<'_>> = completed
            .filter(|seeded| facts.actions.shown.contains_key(seeded.id()))
            .collect();
        if seen.is_empty() {
            self.sentences
                .push("No completed task was seen that it could name.".to_owned());
        }
        let names = self.count_names(document, "completed", &titles(&seen), true);
        self.add_share(names, seen.len());
    }

    /// How many of the titles the summary names, with a sentence about it.
    fn count_names(
        &mut self,
        document: &Document,
        how: &str,
        titles: &[&str],
        as_completed: bool,
    ) -> usize {
        let mut missed = Vec::new();
        for title in titles {
            match document.line_naming(&Name::of(title), as_completed) {
                Some(line) if !self.lines.contains(&line) => self.lines.push(line),
                Some(_) => {}
                None => missed.push(*title),
            }
        }
        let found = titles.len() - missed.len();
        if !titles.is_empty() {
            let but = match missed.as_slice() {
                [] => String::new(),
                missed => format!(", but not {}", named(missed.iter().copied())),
            };
            let total = count(titles.len(), &format!("{how} task"));
            self.sentences
                .push(format!("It names {found} of {total}{but}."));
        }
        found
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "counts of tasks, far below 2^52"
    )]
    fn add_share(&mut self, found: usize, wanted: usize) {
        if wanted > 0 {
            self.quarters += found as f64 / wanted as f64;
        }
    }

    fn reason(&self, file: &Head) -> String {
        let first = file
            .text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        let cut = if file.complete {
            String::new()
        } else {
            format!(" Only its first {READ} bytes were read.")
        };
        format!(
            "{PATH} begins {}. {}{cut}",
            quoted(first),
            self.sentences.join(" ")
        )
    }
}

fn titles<'f>(seeded: &[&'f Seeded<'_>]) -> Vec<&'f str> {
    seeded.iter().map(|seeded| seeded.title()).collect()
}
