//! Grades Operation Nightshift: an agent fixes an incident in a repository,
//! closes it in a workspace of pages, and answers three people by mail.
//!
//! Twenty criteria, 25 points, all from artifacts: pull requests, pages and mails
//! as they are in the end, and the commits that lead there. What the agent says
//! it did earns nothing. `docs/criteria-nightshift.md` has the reading of each.
//!
//! What is right follows from the seed: the key from the settings, the variables
//! from the deployment spec, the endpoints from `routes.py`, the people's
//! conversations from the inbox.

mod announced;
mod audit;
mod batch;
mod buffers;
mod calls;
mod claims;
mod code;
mod communication;
mod confirmation;
mod conflict;
mod documentation;
mod endpoints;
mod facts;
mod flow;
mod history;
mod html;
mod infrastructure;
mod mails;
mod manifest;
mod mechanisms;
mod names;
mod notes;
mod once;
mod pool;
mod pulls;
mod security;
mod wording;
mod work;

use proctor_grader::{Error, Evidence, Verdict, log};

use crate::communication::State;
use crate::facts::Facts;
use crate::history::History;

/// Grades a trial of the task.
///
/// # Errors
/// When the bundle cannot be read, or its world is not one of this task.
pub fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
    let facts = Facts::gather(evidence)?;
    let history = History::of(&facts.pulls)?;
    log::info(&format!(
        "{} pull requests offered, {} others",
        facts.pulls.offered.len(),
        facts.pulls.others.len()
    ));
    let (code, code_state) = code::criteria(&facts, &history)?;
    let (infrastructure, manifest) = infrastructure::criteria(&facts);
    let (documentation, pages) = documentation::criteria(&facts, code_state)?;
    let state = State {
        code: code_state,
        manifest,
        pages,
    };
    let communication = communication::criteria(&facts, state);
    let mut verdict = Verdict::new();
    let groups = [code, infrastructure, documentation, communication];
    for criterion in groups.into_iter().flatten() {
        verdict.add(criterion);
    }
    notes::add(&mut verdict, &facts, &history, state)?;
    Ok(verdict)
}

proctor_grader::export!(grade);
