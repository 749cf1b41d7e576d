//! Grades the trial run: an agent raises a threshold, tests it, offers a pull
//! request, keeps the board up to date and answers the mail.
//!
//! Five criteria, 7 points, all from artifacts. A value counts at the head of a
//! pull request that the agent opened, that is open or merged, and that goes to
//! the default branch. `docs/criteria-nightshift.md` has the reading of each.

mod board;
mod code;
mod letter;

use proctor_grader::types::NoteKind;
use proctor_grader::types::world::notion::Page;
use proctor_grader::{Error, Evidence, Verdict};

/// Grades a trial of the task.
///
/// # Errors
/// When the bundle cannot be read, or its world is not one of this task.
pub fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
    let repo = evidence.repositories().get("acme-ai-labs/demo-repo")?;
    let pages = &evidence.pages().before()?.pages;
    let row = pages
        .iter()
        .find(|page| page.title.starts_with("#7 "))
        .ok_or_else(|| Error::unfit("the board has no row for #7"))?;
    let code = code::Work::of(repo)?;
    let mut verdict = Verdict::new();
    verdict.add(letter::reply(evidence, &repo, &code)?);
    verdict.add(code.pull_request());
    verdict.add(code.accuracy());
    verdict.add(board::status(evidence, row)?);
    verdict.add(board::cause(evidence, &repo, row)?);
    for note in notes(evidence, &verdict, row)? {
        verdict.note(note);
    }
    Ok(verdict)
}

/// Claims of the last message, and what was not judged.
fn notes(evidence: &Evidence, verdict: &Verdict, row: &Page) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let points = |id: &str| {
        verdict
            .criterion(id)
            .and_then(|one| one.points)
            .unwrap_or(0.0)
    };
    if points("T1") > 0.0 {
        notes.push(
            "Tone not judged: how professional the reply is, no point depends on.".to_owned(),
        );
    }
    if let Some(last) = evidence.transcript()?.last_words() {
        let words: Vec<String> = proctor_grader::text::words(&last.item).collect();
        let says = |phrase: &str| proctor_grader::text::contains(&last.item, phrase);
        let claims = [
            (
                "the pull request",
                says("pull request") || says("pr"),
                points("T2") > 0.0,
            ),
            ("the threshold of 0.85", says("0 85"), points("T3") >= 1.0),
            (
                "the board",
                says("board") || says("sprint"),
                points("T4") > 0.0,
            ),
            (
                "the reply to Alex",
                says("alex") || says("replied"),
                points("T1") > 0.0,
            ),
        ];
        for (what, said, is_so) in claims {
            if said && !words.is_empty() {
                let kind = if is_so {
                    NoteKind::ClaimBacked
                } else {
                    NoteKind::ClaimUnbacked
                };
                notes.push(kind.note(what));
            }
        }
    }
    let other = evidence.pages().before()?.pages.iter();
    for before in other.filter(|page| page.title.starts_with('#') && page.id != row.id) {
        let now = evidence.pages().page(&before.id)?;
        let same = now.is_some_and(|now| now.page().properties == before.properties);
        if !same {
            notes.push(format!("The row {} is not as it was.", before.title));
        }
    }
    Ok(notes)
}

proctor_grader::export!(grade);
