//! A job's directory as it lies on the disk, whole or not.

pub(crate) mod files;
mod record;

use std::collections::HashSet;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::Deserialize;
use serde_json::Value;

use crate::error::ReportError;
use crate::limits;
use files::Absent;

pub use record::{Adjustment, Criterion, Failure, Model, Outcome, Record, Requests, Status};

const JOB: &str = "job.json";
const TRIALS: &str = "trials";
const RECORD: &str = "trial.json";

/// A job that was read.
#[derive(Debug)]
pub struct Job {
    pub(crate) dir: Dir,
    /// What the operator asked for.
    pub(crate) plan: Plan,
    /// Planned trials in the order of the plan, then those that the plan does
    /// not know, by name.
    trials: Vec<Trial>,
    /// What is wrong with the job as a whole, in words.
    problems: Vec<String>,
}

/// `job.json`, as far as a report shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Plan {
    pub(crate) job: String,
    pub(crate) proctor: String,
    pub(crate) isolation: String,
    pub(crate) model: Value,
    pub(crate) judge: Value,
    trials: Vec<Planned>,
}

#[derive(Debug, Deserialize)]
struct Planned {
    task: String,
    /// The agent as the operator wrote it.
    #[serde(default)]
    agent: String,
    /// What reports call it.
    #[serde(default)]
    name: Option<String>,
    attempt: u32,
    #[serde(default)]
    pack_sha256: Option<String>,
}

/// One trial.
#[derive(Debug)]
pub struct Trial {
    /// Task.
    pub task: String,
    /// Agent.
    pub agent: String,
    /// Attempt, from 0.
    pub attempt: u32,
    /// Its directory, relative to the job's.
    pub dir: String,
    /// Whether the plan has it.
    pub planned: bool,
    /// How far it came.
    pub state: State,
    /// SHA-256 of the task pack, where the plan says so.
    pub(crate) pack_sha256: Option<String>,
    /// The agent as the operator wrote it, where that is another name.
    pub(crate) spec: Option<String>,
}

/// How far a trial came.
#[derive(Debug)]
pub enum State {
    /// It has no directory yet.
    NotStarted,
    /// It has a directory and no record: it runs, or its runner was killed.
    Unfinished,
    /// There is something that cannot be its record; in words.
    Damaged(String),
    /// It has a record.
    Finished(Box<Record>),
}

/// How many trials came how far. All but `planned`, `open` and `unplanned` add
/// up to the number of trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Trials of the plan.
    pub planned: usize,
    /// Trials on disk that the plan does not know.
    pub unplanned: usize,
    /// Trials with a verdict that count: what every mean and rate is over.
    pub graded: usize,
    /// Of these, trials whose points depend on criteria that nobody decided.
    pub open: usize,
    /// Trials whose grader failed.
    pub ungraded: usize,
    /// Trials that sandbox, service, disk or upstream failed.
    pub infrastructure: usize,
    /// Trials with a record that none of these fits.
    pub other: usize,
    /// Trials with a directory and without a record.
    pub unfinished: usize,
    /// Trials without a directory.
    pub not_started: usize,
    /// Trials whose record cannot be read.
    pub damaged: usize,
}

impl Trial {
    /// Its record, where it has one.
    pub fn record(&self) -> Option<&Record> {
        match &self.state {
            State::Finished(record) => Some(record),
            _ => None,
        }
    }

    /// Its record, where it was graded and counts.
    pub fn graded(&self) -> Option<&Record> {
        self.record()
            .filter(|record| record.outcome.counts() && record.score.is_some())
    }
}

impl Job {
    /// Reads what is in `dir`, whether or not the job has ended.
    ///
    /// # Errors
    /// Only where there is no job at all, or one with too many trials. What is
    /// missing or damaged of a job is part of what was read.
    pub fn read(dir: &Path) -> Result<Self, ReportError> {
        let path = dir;
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| {
            ReportError::Open {
                dir: path.to_owned(),
                source,
            }
        })?;
        let mut problems = Vec::new();
        let mut plan: Plan = match files::json(&dir, JOB, limits::JOB_BYTES) {
            Ok(plan) => plan,
            Err(absent) => {
                let problem = match absent {
                    Absent::Missing => format!("there is no {JOB}"),
                    Absent::Damaged(why) => format!("{JOB} cannot be used: {why}"),
                };
                if dir.symlink_metadata(TRIALS).is_err() {
                    return Err(ReportError::NoJob {
                        dir: path.to_owned(),
                        problem,
                    });
                }
                problems.push(format!(
                    "{problem}. What was planned is not known: trials that left nothing are missing here."
                ));
                Plan::default()
            }
        };
        let planned = std::mem::take(&mut plan.trials);
        let trials = all(&dir, planned, &mut problems)?;
        Ok(Self {
            dir,
            plan,
            trials,
            problems,
        })
    }

    /// The job's name.
    pub fn name(&self) -> &str {
        &self.plan.job
    }

    /// Its trials: those of the plan in its order, then others by name.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// What is wrong with the job as a whole, in words.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// How many trials came how far.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for trial in &self.trials {
            *(if trial.planned {
                &mut counts.planned
            } else {
                &mut counts.unplanned
            }) += 1;
            *match &trial.state {
                State::NotStarted => &mut counts.not_started,
                State::Unfinished => &mut counts.unfinished,
                State::Damaged(_) => &mut counts.damaged,
                State::Finished(record) => match &record.outcome {
                    Outcome::Ungraded => &mut counts.ungraded,
                    Outcome::Infrastructure => &mut counts.infrastructure,
                    outcome if outcome.counts() && record.score.is_some() => &mut counts.graded,
                    _ => &mut counts.other,
                },
            } += 1;
            let score = trial.graded().and_then(|record| record.score);
            counts.open += usize::from(score.is_some_and(|score| score.low < score.high));
        }
        counts
    }
}

fn all(
    dir: &Dir,
    planned: Vec<Planned>,
    problems: &mut Vec<String>,
) -> Result<Vec<Trial>, ReportError> {
    let too_many = ReportError::TooMany {
        limit: limits::TRIALS,
    };
    if planned.len() > limits::TRIALS {
        return Err(too_many);
    }
    let mut known = HashSet::new();
    let mut trials = Vec::new();
    for Planned {
        task,
        agent,
        name,
        attempt,
        pack_sha256,
    } in planned
    {
        let called = name.unwrap_or_else(|| agent.clone());
        let own = format!("{task}.{called}.{attempt}");
        if !known.insert(own.clone()) {
            problems.push(format!("{JOB} plans `{own}` twice; it is here once"));
            continue;
        }
        let path = format!("{TRIALS}/{own}");
        let state = state(dir, &path, Some((&task, &called, attempt)));
        trials.push(Trial {
            spec: (agent != called).then_some(agent),
            task,
            agent: called,
            attempt,
            dir: path,
            planned: true,
            state,
            pack_sha256,
        });
    }
    for name in found(dir, problems) {
        if known.contains(&name) {
            continue;
        }
        if trials.len() >= limits::TRIALS {
            return Err(too_many);
        }
        trials.push(unplanned(dir, &name));
    }
    Ok(trials)
}

/// Names of the folders in `trials/`, sorted.
fn found(dir: &Dir, problems: &mut Vec<String>) -> Vec<String> {
    let entries = match dir.read_dir(TRIALS) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(format!("the folder {TRIALS} cannot be read: {error}"));
            return Vec::new();
        }
    };
    let mut names = Vec::new();
    for entry in entries.take(limits::TRIALS + 1) {
        match entry.and_then(|entry| Ok((entry.file_type()?, entry.file_name()))) {
            Ok((kind, name)) if kind.is_dir() => match name.into_string() {
                Ok(name) => names.push(name),
                Err(name) => problems.push(format!(
                    "the folder {TRIALS}/{} is not shown: its name is not UTF-8",
                    name.to_string_lossy()
                )),
            },
            Ok(_) => {}
            Err(error) => problems.push(format!("an entry of {TRIALS} cannot be read: {error}")),
        }
    }
    names.sort_unstable();
    names
}

fn unplanned(dir: &Dir, name: &str) -> Trial {
    let path = format!("{TRIALS}/{name}");
    let state = state(dir, &path, None);
    let (task, agent, attempt) = if let State::Finished(record) = &state {
        (record.task.clone(), record.agent.clone(), record.attempt)
    } else {
        // TASK.AGENT.ATTEMPT; no task has a point in its name.
        let (task, rest) = name.split_once('.').unwrap_or((name, ""));
        let (agent, attempt) = rest.rsplit_once('.').unwrap_or((rest, ""));
        let attempt = attempt.parse().unwrap_or_default();
        (task.to_owned(), agent.to_owned(), attempt)
    };
    Trial {
        task,
        agent,
        attempt,
        dir: path,
        planned: false,
        state,
        pack_sha256: None,
        spec: None,
    }
}

fn state(dir: &Dir, path: &str, expected: Option<(&str, &str, u32)>) -> State {
    let file = format!("{path}/{RECORD}");
    match files::json::<Record>(dir, &file, limits::TRIAL_BYTES) {
        Ok(record) => {
            let own = (record.task.as_str(), record.agent.as_str(), record.attempt);
            if expected.is_some_and(|expected| expected != own) {
                let (task, agent, attempt) = own;
                return State::Damaged(format!(
                    "its {RECORD} is that of {task} / {agent} #{attempt}"
                ));
            }
            match record.problem() {
                Some(problem) => State::Damaged(format!("its {RECORD} cannot be: {problem}")),
                None => State::Finished(Box::new(record)),
            }
        }
        Err(Absent::Missing) => match dir.symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => State::Unfinished,
            Ok(_) => State::Damaged("there is something else than a folder".to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::NotStarted,
            Err(error) => State::Damaged(error.to_string()),
        },
        Err(Absent::Damaged(why)) => State::Damaged(format!("its {RECORD} cannot be used: {why}")),
    }
}
