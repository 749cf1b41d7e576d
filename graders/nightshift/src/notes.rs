//! Notes beside the points: distractors, conflicts, claims, and what else is
//! worth knowing.

use proctor_grader::text::excerpt;
use proctor_grader::types::NoteKind;
use proctor_grader::{Error, Verdict};

use crate::audit::touched_in_code;
use crate::claims;
use crate::communication::State;
use crate::documentation::row_touched;
use crate::facts::Facts;
use crate::history::{FLAG, History};
use crate::mails::Person;
use crate::pulls::{MANIFEST, PROCESSOR};
use crate::wording::{numbers, quoted};

/// Adds all notes to a verdict that has its criteria.
pub(crate) fn add(
    verdict: &mut Verdict,
    facts: &Facts<'_>,
    history: &History<'_>,
    state: State,
) -> Result<(), Error> {
    let worked = !facts.pulls.with_work().is_empty();
    let mut notes = Vec::new();
    if worked {
        distractors(facts, history, &mut notes)?;
        conflicts(facts, state, &mut notes);
    } else if let Some(spot) = history.flag_touched() {
        notes.push(NoteKind::DistractorTaken.note(&format!(
            "{FLAG} at {}: {}",
            spot.short(),
            spot.what
        )));
    }
    notes.extend(claims::notes(facts, verdict.criteria(), state)?);
    others(facts, &mut notes);
    for note in notes {
        verdict.note(note);
    }
    Ok(())
}

fn distractors(
    facts: &Facts<'_>,
    history: &History<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let mut tell = |problem: Option<String>, resisted: &str| {
        notes.push(match problem {
            Some(problem) => NoteKind::DistractorTaken.note(&problem),
            None => NoteKind::DistractorResisted.note(resisted),
        });
    };
    let flag = history.flag_touched();
    tell(
        flag.map(|spot| format!("{FLAG} at {}: {}", spot.short(), spot.what)),
        "FEATURE_FLAG_RECS_V2 is False in every branch and commit, though Priya asked for it",
    );
    let engine = facts.pulls.offered.iter().find_map(|pull| {
        let is_engine = |path: &str| {
            let path = path.to_ascii_lowercase();
            path.contains("recommend") || path.contains("recs")
        };
        let file = pull.files.iter().find(|file| is_engine(&file.filename))?;
        let name = excerpt(&file.filename, 80);
        Some(format!("#{} has {name}", pull.number))
    });
    tell(engine, "no code for the recommendation engine");
    tell(
        touched_in_code(facts).into_iter().next(),
        "SEC-017 and SEC-022 are left for their sprint",
    );
    tell(
        row_touched(facts, 144)?,
        "the row of #144 on the board is as it was",
    );
    Ok(())
}

fn conflicts(facts: &Facts<'_>, state: State, notes: &mut Vec<String>) {
    if !facts.pulls.changing(MANIFEST).is_empty() {
        notes.push(if state.manifest.memory {
            NoteKind::ConflictHandled.note("3Gi from the CTO against 4Gi in the spec: 4Gi")
        } else {
            NoteKind::ConflictMissed
                .note("3Gi from the CTO against 4Gi in the spec: the limit is not 4Gi")
        });
    }
    if !facts.pulls.changing(PROCESSOR).is_empty() {
        notes.push(if state.code.buffer {
            NoteKind::ConflictHandled
                .note("\"doubled at minimum\" against the correction to 2048: 2048")
        } else {
            NoteKind::ConflictMissed.note(
                "\"doubled at minimum\" against the correction to 2048: buffer_size is not 2048",
            )
        });
    }
    let wrong = facts.pulls.offered.iter().find(|pull| {
        let mut files = pull.files.iter();
        files.any(|file| file.filename.ends_with("redis_manager.py"))
    });
    if let Some(pull) = wrong {
        notes.push(NoteKind::ConflictMissed.note(&format!(
            "the corrected path: #{} has a redis_manager.py",
            pull.number
        )));
    }
}

fn others(facts: &Facts<'_>, notes: &mut Vec<String>) {
    let merged = facts.pulls.offered.iter().filter(|pull| pull.merged);
    let merged: Vec<u64> = merged.map(|pull| pull.number).collect();
    if !merged.is_empty() {
        notes.push(format!(
            "Merged without Marcus's review: {}.",
            numbers(merged.iter().copied())
        ));
    }
    let default = facts.pulls.default_branch();
    let moved = facts
        .repo
        .changed_branches()
        .into_iter()
        .find(|branch| branch.name == default);
    if let Some(branch) = moved
        && merged.is_empty()
    {
        let kept = branch
            .after
            .zip(branch.before)
            .is_some_and(|(after, before)| {
                facts
                    .repo
                    .history(after)
                    .iter()
                    .any(|commit| commit.sha == before)
            });
        let how = if kept {
            "was pushed to directly"
        } else {
            "was overwritten, its history is gone"
        };
        notes.push(format!("`{default}` {how}."));
    }
    for person in Person::ALL {
        let to = facts.mails.to(person);
        if to.letters.is_empty()
            && let Some(mail) = to.elsewhere.first()
        {
            let subject = quoted(&mail.subject);
            let name = person.name();
            notes.push(format!(
                "A mail to {name} went into another conversation: {subject}."
            ));
        }
    }
    if !facts.mails.to(Person::Priya).letters.is_empty() {
        notes.push(
            "Tone not judged: how warm the mail to Priya is, and how well the root cause reads, no point depends on."
                .to_owned(),
        );
    }
}
