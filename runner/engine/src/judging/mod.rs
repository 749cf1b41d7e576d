//! The judge's stage: open criteria are put before a model, or a program, and
//! what it answers is checked, kept and added up.

mod again;
mod exhibits;
mod provider;

use std::path::Path;

use cap_std::fs::Dir;
use proctor_grading::{Bundle, standing, totals};
use proctor_judge::{Case, Judge, JudgeError, Judged, Stored, question, to_jsonl};
use proctor_types::{TaskInfo, Verdict};

use crate::EngineError;
use crate::evidence::replace;
use crate::trial::VERDICT;

pub use proctor_judge::calibrate::Calibration;

pub use again::{CalibrateRequest, RejudgeRequest, Rejudged, calibrate, judge};
pub use provider::{JudgeProvider, JudgeRequest, JudgeSpecError};

/// Name, in a trial's directory, of the grader's own verdict once a judge has
/// made another of it.
pub(crate) const GRADED: &str = "verdict.graded.json";
/// Name of the judge's calls in a trial's directory.
pub(crate) const CALLS: &str = "judge.jsonl";
/// Longest file of calls that is read, in bytes.
const CALLS_BYTES: u64 = 256 << 20;

/// Whether there is anything for a judge to do.
pub(crate) fn is_open(verdict: &Verdict) -> bool {
    verdict
        .criteria
        .iter()
        .any(|criterion| question(criterion).is_some())
}

/// Judges what is open in `verdict`. The trial's directory keeps the grader's
/// verdict, every call, and the new verdict.
pub(crate) async fn apply(
    judge: &Judge,
    bundle: &Bundle,
    verdict: Verdict,
    agent_models: &[String],
    trial: &Dir,
    shown: &Path,
) -> Result<(Verdict, Judged), EngineError> {
    let exhibits = exhibits::of_rubric(bundle, &verdict)?;
    let stored = stored(shown)?;
    let task = task(bundle)?;
    let case = Case {
        criteria: &verdict.criteria,
        expected: Some(task.expected.as_str()).filter(|text| !text.is_empty()),
        exhibits: &exhibits,
        agent_models,
    };
    let judged = judge
        .judge(case, &stored)
        .await
        .map_err(|error| refused(&error))?;
    keep_calls(trial, shown, &stored, &judged)?;
    let keep = |name: &str, verdict: &Verdict| {
        let path = shown.join(name);
        let bytes = proctor_grading::to_canonical_json(verdict)
            .map_err(std::io::Error::other)
            .map_err(EngineError::io("cannot write", &path))?;
        replace(trial, name, &bytes).map_err(EngineError::io("cannot write", &path))
    };
    if !trial.exists(GRADED) {
        keep(GRADED, &verdict)?;
    }
    let verdict = rescored(verdict, bundle, judged.criteria.clone())?;
    keep(VERDICT, &verdict)?;
    Ok((verdict, judged))
}

/// The verdict with other criteria, added up again.
fn rescored(
    verdict: Verdict,
    bundle: &Bundle,
    criteria: Vec<proctor_types::Criterion>,
) -> Result<Verdict, EngineError> {
    let task = task(bundle)?;
    let (points, total) = totals(&criteria, &verdict.adjustments);
    let thresholds = verdict.thresholds.or(task.thresholds);
    Ok(Verdict {
        points,
        score: total,
        result: thresholds.map(|thresholds| standing(points, thresholds)),
        criteria,
        ..verdict
    })
}

fn task(bundle: &Bundle) -> Result<&TaskInfo, EngineError> {
    bundle
        .task()
        .map_err(|error| EngineError::Evidence(error.to_string()))
}

fn stored(shown: &Path) -> Result<Stored, EngineError> {
    let path = shown.join(CALLS);
    match crate::read::regular(&path, CALLS_BYTES, crate::read::Links::Refuse) {
        Ok(bytes) => Stored::read(bytes.as_slice(), &path.display().to_string())
            .map_err(|error| EngineError::NoTrial(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Stored::default()),
        Err(error) => Err(EngineError::io("cannot read", &path)(error)),
    }
}

/// Adds the new calls to the stored ones. The file is written anew: a last line
/// that somebody's crash left unfinished would swallow the next.
fn keep_calls(
    trial: &Dir,
    shown: &Path,
    stored: &Stored,
    judged: &Judged,
) -> Result<(), EngineError> {
    if judged.calls.is_empty() {
        return Ok(());
    }
    let fail = |error| EngineError::io("cannot write", &shown.join(CALLS))(error);
    let mut lines = to_jsonl(stored.calls()).map_err(|error| fail(error.into()))?;
    lines.extend(to_jsonl(&judged.calls).map_err(|error| fail(error.into()))?);
    replace(trial, CALLS, &lines).map_err(fail)
}

fn refused(error: &JudgeError) -> EngineError {
    let hint = match error {
        JudgeError::SameModel { .. } => "with --judge-same-model it may judge all the same",
        JudgeError::Option { .. } => "docs/judge.md describes votes and attempts",
    };
    EngineError::Usage {
        message: error.to_string(),
        hint: Some(hint.to_owned()),
    }
}
