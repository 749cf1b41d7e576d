//! Gates that need a run: `nop` and `oracle` play the task, and what they leave
//! is graded twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proctor_grading::RUBRIC;
use proctor_types::{Status as Graded, Verdict, bundle};

use super::{CheckRequest, Gate, Row, Status, TaskRef, leak};
use crate::EngineError;
use crate::choice::{DIGEST_MISMATCH, PYTHON_MISSING};
use crate::events::EventSink;
use crate::evidence::EVIDENCE_DIR;
use crate::job::{self, JobPlan, JobRequest};
use crate::record::{Outcome, ROOM, TrialRecord, is_full};
use crate::regrade::{self, RegradeRequest, Regraded};
use crate::task::Task;
use crate::task::lock::Policy;
use crate::trial::GRADER_LOG;

/// Share of its time limit that a solution may take.
const SHARE: f64 = 0.5;
/// Largest output of a solution that is looked for in a prompt, and most of
/// them.
const OUTPUT_BYTES: u64 = 1 << 20;
const OUTPUTS: usize = 1000;

/// A trial of one agent.
struct Trial {
    record: TrialRecord,
    dir: PathBuf,
    /// Whether its folder is there after the check.
    is_kept: bool,
    /// The verdict, graded once more; `Err` says why there is none.
    again: Result<Regraded, EngineError>,
}

/// Plays the task and adds its rows to those in `rows`.
///
/// # Errors
/// What the operator asks for cannot be: that is no row of any task.
pub(super) async fn gates(
    request: &CheckRequest,
    task: &TaskRef,
    sinks: &[Arc<dyn EventSink>],
    rows: &mut Vec<Row>,
) -> Result<(), EngineError> {
    let nop = asked_rightly(play(request, task, "nop", sinks).await)?;
    let oracle = match &task.oracle {
        Some(_) => Some(asked_rightly(play(request, task, "oracle", sinks).await)?),
        None => None,
    };
    rows.push(match &nop {
        Ok(trial) => nop_row(task, trial),
        Err(error) => unplayed(Gate::Nop, error),
    });
    match &oracle {
        None => {
            rows.push(without_oracle(task));
            rows.push(Row::skipped(
                Gate::Evidence,
                "there is no solution to grade",
            ));
        }
        Some(Err(error)) => {
            rows.push(unplayed(Gate::Oracle, error));
            rows.push(Row::skipped(Gate::Evidence, "the solution was not played"));
        }
        Some(Ok(trial)) => {
            rows.push(oracle_row(trial));
            rows.push(evidence_row(trial));
            amend(task, trial, rows);
        }
    }
    let trials = [nop.ok(), oracle.and_then(Result::ok)];
    let verdicts = trials.iter().flatten();
    let verdicts = verdicts.filter(|trial| trial.record.failure.is_none());
    rows.push(repeat_row(verdicts.map(|trial| {
        let same = trial.again.as_ref().map(|again| again.same == Some(true));
        (trial.record.agent.as_str(), same)
    })));
    Ok(())
}

/// Takes out what is wrong with how the check was asked for.
fn asked_rightly<T>(played: Result<T, EngineError>) -> Result<Result<T, EngineError>, EngineError> {
    match played {
        Err(
            error @ (EngineError::Usage { .. }
            | EngineError::Tool { .. }
            | EngineError::Busy { .. }
            | EngineError::Occupied { .. }),
        ) => Err(error),
        played => Ok(played),
    }
}

async fn play(
    request: &CheckRequest,
    task: &Task,
    agent: &str,
    sinks: &[Arc<dyn EventSink>],
) -> Result<Trial, EngineError> {
    let out = request.out.join(&task.info.id).join(agent);
    let plan = JobPlan::load(JobRequest {
        paths: vec![task.pack.suite_dir().join(task.pack.name())],
        agents: vec![agent.to_owned()],
        attempts: Some(1),
        out: Some(out.clone()),
        isolation: request.isolation,
        tools: request.tools.clone(),
        grader: crate::GraderChoice::Own,
        lock: Policy::Unreviewed,
        agent_path: None,
        turns: None,
        model: None,
        judge: None,
        host: request.host.clone(),
    })?;
    let ended = Box::pin(job::run(plan, sinks.to_vec())).await?;
    let record = ended.summary.trials.into_iter().next();
    let record = record.ok_or_else(|| EngineError::NoTrial("nothing was run".to_owned()))?;
    let dir = out.join(&record.dir);
    let again = RegradeRequest {
        dir: dir.clone(),
        grader: crate::GraderChoice::Own,
        notice: |_| {},
        host: request.host.clone(),
    };
    // It has a runtime of its own, and may compile for seconds.
    let again = tokio::task::spawn_blocking(move || regrade::grade(&again))
        .await
        .map_err(|error| EngineError::NoTrial(error.to_string()))?;
    Ok(Trial {
        record,
        dir,
        is_kept: request.keeps_out,
        again,
    })
}

/// A gate that could not be looked at because of `error`.
fn unplayed(gate: Gate, error: &EngineError) -> Row {
    let status = if is_ours(error) {
        Status::Error
    } else {
        Status::Fail
    };
    let mut row = Row::new(gate, status, error.to_string());
    row.hint = error.hint();
    row
}

/// Whether an error says something about this machine, and nothing about the
/// task. The evidence is our own.
fn is_ours(error: &EngineError) -> bool {
    match error {
        EngineError::MissingPrerequisite { .. }
        | EngineError::Isolation(_)
        | EngineError::Evidence(_)
        | EngineError::Host { .. }
        | EngineError::Io { .. } => true,
        EngineError::Grader { kind, .. } => [PYTHON_MISSING, DIGEST_MISMATCH].contains(&&**kind),
        _ => false,
    }
}

/// The verdict of a trial that has one; otherwise the row that says why not.
fn verdict(gate: Gate, trial: &Trial) -> Result<&Verdict, Row> {
    let record = &trial.record;
    if let Some(failure) = &record.failure {
        let status = match record.outcome {
            Outcome::Infrastructure => Status::Error,
            _ => Status::Fail,
        };
        let reason = format!("{}: {}", record.outcome.as_str(), failure.message);
        let mut row = Row::new(gate, status, reason);
        row.hint = failure.hint.as_ref().map(|hint| in_place(hint, trial));
        return Err(row);
    }
    match &trial.again {
        Ok(again) => Ok(&again.verdict),
        Err(error) => Err(unplayed(gate, error)),
    }
}

/// A hint of a trial, with where its folder is if it has a word of the grader.
fn in_place(hint: &str, trial: &Trial) -> String {
    if !trial.dir.join(GRADER_LOG).exists() {
        hint.to_owned()
    } else if trial.is_kept {
        format!("{hint} {}", trial.dir.display())
    } else {
        format!("{hint}, which `--out DIR` keeps")
    }
}

fn nop_row(task: &Task, trial: &Trial) -> Row {
    let verdict = match verdict(Gate::Nop, trial) {
        Ok(verdict) => verdict,
        Err(row) => return row,
    };
    let (points, floor) = (verdict.points.low, task.floor);
    if (points - floor).abs() <= ROOM {
        let max = verdict.points.max;
        return Row::pass(Gate::Nop, format!("{points} of {max} points"));
    }
    let earned: Vec<String> = verdict
        .criteria
        .iter()
        .filter(|criterion| criterion.points.is_some_and(|points| points > 0.0))
        .map(|criterion| format!("`{}`: {}", criterion.id, criterion.reason))
        .collect();
    Row::fail(
        Gate::Nop,
        format!("who does nothing gets {points} points; the floor is {floor}"),
    )
    .notes(earned)
    .hint("make these criteria ask for something, or declare the points: `proctor: floor:`")
}

fn without_oracle(task: &Task) -> Row {
    if task.pack.is_bare() {
        let reason = "a bare task file has no place for a solution";
        return Row::skipped(Gate::Oracle, reason);
    }
    Row::fail(
        Gate::Oracle,
        "the task has no solution that could be played",
    )
    .hint("write the steps that solve it, and name them: `proctor: oracle: solution/steps.yaml`")
}

fn oracle_row(trial: &Trial) -> Row {
    let verdict = match verdict(Gate::Oracle, trial) {
        Ok(verdict) => verdict,
        Err(row) => return row,
    };
    let mut wrong: Vec<String> = Vec::new();
    if let Some(end) = &trial.record.agent_end {
        wrong.push(format!("the solution did not come to its end: {end}"));
    }
    let (mut full, mut open) = (0_usize, 0_usize);
    for criterion in verdict.criteria.iter().filter(|one| one.category != RUBRIC) {
        let id = &criterion.id;
        match (criterion.status, criterion.points) {
            (Graded::Open, _) => open += 1,
            (_, Some(points)) if is_full(points, criterion.max) => full += 1,
            (_, Some(points)) => wrong.push(format!(
                "`{id}`: {points} of {} points: {}",
                criterion.max, criterion.reason
            )),
            (_, None) => wrong.push(format!("`{id}`: nobody could decide: {}", criterion.reason)),
        }
    }
    for one in &verdict.adjustments {
        wrong.push(format!("`{}` costs points: {}", one.id, one.reason));
    }
    let rubric = verdict
        .criteria
        .iter()
        .filter(|one| one.category == RUBRIC)
        .count();
    let mut notes = Vec::new();
    if open + rubric > 0 {
        notes.push(format!(
            "{} criteria are a judge's and were not looked at",
            open + rubric
        ));
    }
    if wrong.is_empty() {
        return Row::pass(Gate::Oracle, format!("full marks in {full} criteria")).notes(notes);
    }
    notes.extend(wrong);
    Row::fail(Gate::Oracle, "the solution does not get full marks")
        .notes(notes)
        .hint("mend the solution or the grader; one of them is wrong")
}

fn evidence_row(trial: &Trial) -> Row {
    let again = match &trial.again {
        Ok(again) if trial.record.failure.is_none() => again,
        _ => return Row::skipped(Gate::Evidence, "the solution was not graded"),
    };
    if again.missing.is_empty() {
        return Row::pass(Gate::Evidence, "whatever it asked for was there");
    }
    let notes = again
        .missing
        .iter()
        .map(|path| format!("`{path}` is not in the evidence"));
    let reason = "it asked for files that are not there although the task is solved; a name may be \
                  misspelt";
    Row::pass(Gate::Evidence, reason).notes(notes.collect())
}

/// From every agent whose trial has a verdict: whether grading once more gave
/// the same bytes, or why it gave none.
fn repeat_row<'a>(verdicts: impl Iterator<Item = (&'a str, Result<bool, &'a EngineError>)>) -> Row {
    let (mut same, mut other) = (0_usize, Vec::new());
    let mut unknown = None;
    for (agent, again) in verdicts {
        match again {
            Ok(true) => same += 1,
            Ok(false) => other.push(format!(
                "the evidence of `{agent}` gives another verdict now"
            )),
            Err(error) if is_ours(error) => unknown = Some(unplayed(Gate::Repeat, error)),
            Err(error) => other.push(format!("the evidence of `{agent}`: {error}")),
        }
    }
    if !other.is_empty() {
        return Row::fail(Gate::Repeat, other.join("\n"))
            .hint("look for time, randomness and the order of hash maps in the grader");
    }
    if let Some(row) = unknown {
        return row;
    }
    match same {
        0 => Row::skipped(Gate::Repeat, "there is no verdict to compare"),
        1 => Row::pass(Gate::Repeat, "one verdict, twice"),
        _ => Row::pass(Gate::Repeat, format!("{same} verdicts, each twice")),
    }
}

/// What the solution's run says about gates that were looked at before.
fn amend(task: &Task, trial: &Trial, rows: &mut [Row]) {
    let found = leak::in_outputs(task, &outputs(task, &trial.dir));
    for row in rows {
        if row.gate == Gate::Prompt && !found.is_empty() {
            let earlier = (row.status == Status::Fail).then(|| row.reason.clone());
            let all: Vec<String> = earlier.into_iter().chain(found.iter().cloned()).collect();
            *row = leak::row(&all);
        }
        if row.gate == Gate::Timeout && row.status == Status::Pass {
            let took = trial.record.seconds.get("run").copied();
            *row = in_time(task.info.timeout_seconds, took.unwrap_or_default());
        }
    }
}

/// Whether a solution that took `took` seconds leaves an agent time to think
/// within `limit` seconds.
fn in_time(limit: u64, took: f64) -> Row {
    // Limits are at most a day.
    #[allow(clippy::cast_precision_loss, reason = "seconds of a day")]
    let share = took / limit as f64;
    let reason = format!("{limit} s; the solution took {took:.1} s");
    if share <= SHARE {
        return Row::pass(Gate::Timeout, reason);
    }
    Row::fail(Gate::Timeout, format!("{reason}, more than half of it"))
        .hint("an agent has to think besides: give it more time")
}

/// What the solution left in the workspace that was not there before.
fn outputs(task: &Task, dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let workspace = dir.join(EVIDENCE_DIR).join(bundle::WORKSPACE_DIR);
    let mut found = BTreeMap::new();
    let mut folders = vec![(workspace, String::new())];
    while let Some((folder, above)) = folders.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = format!("{above}{name}");
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
            } else if data.is_file()
                && data.len() <= OUTPUT_BYTES
                && found.len() < OUTPUTS
                && let Ok(bytes) = fs::read(entry.path())
                && !task.fixtures.iter().any(|one| *one.bytes == *bytes)
            {
                found.insert(path, bytes);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_may_take_half_of_the_time() {
        for (took, status) in [
            (0.0, Status::Pass),
            (30.0, Status::Pass),
            (30.1, Status::Fail),
            (61.0, Status::Fail),
        ] {
            let row = in_time(60, took);
            assert_eq!((row.gate, row.status), (Gate::Timeout, status), "{took}");
            let expected = format!("60 s; the solution took {took:.1} s");
            assert!(row.reason.starts_with(&expected), "{row:?}");
            let is_failed = status == Status::Fail;
            assert_eq!(row.reason.ends_with("more than half of it"), is_failed);
            assert_eq!(row.hint.is_some(), is_failed);
        }
    }

    #[test]
    fn a_grader_that_gives_another_verdict_fails() {
        let ours = EngineError::Evidence("damaged".to_owned());
        let its = EngineError::Grader {
            kind: "trapped".to_owned(),
            message: "it panicked".to_owned(),
            hint: None,
        };
        let row = |verdicts: &[(&'static str, Result<bool, &EngineError>)]| {
            let row = repeat_row(verdicts.iter().copied());
            assert_eq!(row.gate, Gate::Repeat);
            (row.status, row.reason, row.hint)
        };
        assert_eq!(row(&[]).0, Status::Skipped);
        assert_eq!(row(&[("nop", Ok(true))]).1, "one verdict, twice");
        let both = row(&[("nop", Ok(true)), ("oracle", Ok(true))]);
        assert_eq!(both.0, Status::Pass);
        assert_eq!(both.1, "2 verdicts, each twice");

        let (status, reason, hint) = row(&[("nop", Ok(true)), ("oracle", Ok(false))]);
        assert_eq!(status, Status::Fail);
        assert_eq!(reason, "the evidence of `oracle` gives another verdict now");
        assert!(hint.unwrap().contains("randomness"));
        // A grader that fails the second time has not given its verdict again.
        let (status, reason, _) = row(&[("nop", Ok(true)), ("oracle", Err(&its))]);
        assert_eq!(status, Status::Fail);
        assert!(reason.contains("the evidence of `oracle`: "), "{reason}");
        assert!(reason.contains("it panicked"), "{reason}");
        // What this machine could not do says nothing about the grader, and
        // hides nothing of what it did.
        assert_eq!(
            row(&[("nop", Ok(true)), ("oracle", Err(&ours))]).0,
            Status::Error
        );
        assert_eq!(
            row(&[("nop", Ok(false)), ("oracle", Err(&ours))]).0,
            Status::Fail
        );
    }
}
