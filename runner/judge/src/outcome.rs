//! What the votes make of a criterion.

use std::fmt::Write as _;

use proctor_types::Citation;
use proctor_types::verdict::{Criterion, Question, Status};

use crate::ballot::Cast;
use crate::failure::Failure;
use crate::judge::Judgement;
use crate::vote::{Tally, Vote, tally};

/// Points are rounded to a billionth, as in the score.
const PRECISION: f64 = 1e9;

/// The criterion with the outcome of the votes on it.
pub(crate) fn of(
    criterion: &Criterion,
    question: &Question,
    casts: &[Cast],
    judge: &str,
) -> (Criterion, Judgement) {
    let votes: Vec<Vote> = casts
        .iter()
        .filter_map(|cast| cast.result.clone().ok())
        .collect();
    let failures: Vec<Failure> = casts
        .iter()
        .filter_map(|cast| cast.result.clone().err())
        .collect();
    let scores: Vec<f64> = votes.iter().map(|vote| vote.score).collect();
    // A median over the few that answered is no median of what was asked.
    let tally = tally(&scores).filter(|_| votes.len() * 2 > casts.len());
    let judged = match &tally {
        Some(tally) => judged(criterion, question, &votes, &failures, tally, judge),
        None => open(criterion, casts, &failures),
    };
    let judgement = Judgement {
        criterion: criterion.id.clone(),
        judge: judge.to_owned(),
        votes,
        failures,
        median: tally.map(|tally| tally.median),
        spread: tally.map(|tally| tally.spread),
    };
    (judged, judgement)
}

fn judged(
    criterion: &Criterion,
    question: &Question,
    votes: &[Vote],
    failures: &[Failure],
    tally: &Tally,
    judge: &str,
) -> Criterion {
    let speaker = &votes[tally.speaker];
    let mut reason = speaker.reason.clone();
    if votes.len() + failures.len() == 1 {
        let (level, levels) = (speaker.level, question.levels.len());
        _ = write!(reason, "\n(Level {level} of {levels}, by {judge}.)");
    } else {
        let scores: Vec<String> = votes.iter().map(|vote| vote.score.to_string()).collect();
        _ = write!(
            reason,
            "\n(Median {} of the votes {} by {judge}; spread {}.",
            round(tally.median),
            scores.join(", "),
            round(tally.spread)
        );
        if let Some(failure) = failures.first() {
            let (missing, all) = (failures.len(), votes.len() + failures.len());
            _ = write!(
                reason,
                " {missing} of {all} votes not taken: {}.",
                sentence(failure)
            );
        }
        reason.push(')');
    }
    Criterion {
        status: Status::Judged,
        points: Some(round(tally.median * criterion.max)),
        reason,
        citations: citations(&speaker.quotes.iter().map(|quote| &quote.citation)),
        ..criterion.clone()
    }
}

/// Each citation once, in order.
fn citations<'a>(all: &(impl Iterator<Item = &'a Citation> + Clone)) -> Vec<Citation> {
    let mut citations = Vec::new();
    for citation in all.clone() {
        if !citations.contains(citation) {
            citations.push(citation.clone());
        }
    }
    citations
}

fn open(criterion: &Criterion, casts: &[Cast], failures: &[Failure]) -> Criterion {
    let calls: usize = casts.iter().map(|cast| cast.calls.len()).sum();
    let mut reason = match failures.first() {
        Some(failure) => format!("Not judged: {}.", sentence(failure)),
        None => "Not judged: there was no vote.".to_owned(),
    };
    if casts.len() > 1 {
        let (failed, all) = (failures.len(), casts.len());
        _ = write!(reason, " {failed} of {all} votes were not taken.");
    }
    if calls > 1 {
        _ = write!(reason, " It was asked {calls} times.");
    }
    Criterion {
        status: Status::Open,
        points: None,
        reason,
        // Those of an earlier judge are about an earlier answer.
        citations: match criterion.status {
            Status::Judged => Vec::new(),
            _ => criterion.citations.clone(),
        },
        ..criterion.clone()
    }
}

/// A failure without a full stop of its own: some end with another's words.
fn sentence(failure: &Failure) -> String {
    failure.to_string().trim_end_matches('.').to_owned()
}

fn round(value: f64) -> f64 {
    (value * PRECISION).round() / PRECISION
}
