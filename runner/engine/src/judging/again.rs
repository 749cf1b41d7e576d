//! Judging what was graded before, and comparing judges with people.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use proctor_grading::Bundle;
use proctor_judge::Judged;
use proctor_judge::calibrate::{Calibration, answers, calibrate as compare, read_labels};
use proctor_types::Verdict;

use super::{CALLS, GRADED, JudgeRequest, apply, is_open};
use crate::EngineError;
use crate::read::{self, Links};
use crate::record::TrialRecord;
use crate::regrade::{Place, verified};
use crate::report::{TrialReport, trial_markdown};
use crate::trial::{RECORD, VERDICT};

/// Longest verdict, record or file of labels that is read, in bytes.
const DOCUMENT_BYTES: u64 = 64 << 20;

/// What to judge, and who.
#[derive(Debug, Clone)]
pub struct RejudgeRequest {
    /// Directory of a trial.
    pub dir: PathBuf,
    /// Who judges.
    pub judge: JudgeRequest,
}

/// A verdict with what a judge made of it.
#[derive(Debug)]
pub struct Rejudged {
    /// The new verdict, as it is in `verdict.json`.
    pub verdict: Verdict,
    /// Votes and calls.
    pub judged: Judged,
    /// The trial's record, as it is in `trial.json`.
    pub record: TrialRecord,
}

/// Judges what the grader of a trial left open, from its frozen evidence. The
/// trial's directory gets the new verdict, the calls, and a new report.
///
/// # Errors
/// Where `dir` is no graded trial, its evidence is not what its manifest says,
/// or the judge cannot be asked at all. Criteria that it cannot judge stay open.
pub fn judge(request: &RejudgeRequest) -> Result<Rejudged, EngineError> {
    let place = Place::find(&request.dir)?;
    let bundle = verified(&place.evidence)?;
    let graded = graded(&place.trial)?;
    if graded.evidence_sha256 != bundle.sha256() {
        return Err(EngineError::NoTrial(format!(
            "the verdict of {} is about other evidence: grade it again",
            place.trial.display()
        )));
    }
    if !is_open(&graded) {
        return Err(EngineError::Usage {
            message: format!(
                "nothing is open in {}: its grader decided every criterion",
                place.trial.display()
            ),
            hint: None,
        });
    }
    let mut record = place.record()?;
    let dir = Dir::open_ambient_dir(&place.trial, ambient_authority())
        .map_err(EngineError::io("cannot open", &place.trial))?;
    let judge = request.judge.open()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(EngineError::io(
            "cannot start the runtime for",
            &request.dir,
        ))?;
    let models = record.models();
    let judging = apply(&judge, &bundle, graded, &models, &dir, &place.trial);
    let (verdict, judged) = runtime.block_on(judging)?;
    record.take(&verdict);
    write_report(&place.trial, &dir, &bundle, &record, &verdict)?;
    Ok(Rejudged {
        verdict,
        judged,
        record,
    })
}

/// The verdict of the grader, without what a judge made of it.
fn graded(trial: &Path) -> Result<Verdict, EngineError> {
    let of_grader = document(&trial.join(GRADED))?;
    let bytes = match of_grader {
        Some(bytes) => bytes,
        None => document(&trial.join(VERDICT))?.ok_or_else(|| {
            EngineError::NoTrial(format!("{} has no verdict to judge", trial.display()))
        })?,
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::NoTrial(format!("the verdict of {}: {error}", trial.display()))
    })
}

fn document(path: &Path) -> Result<Option<Vec<u8>>, EngineError> {
    match read::regular(path, DOCUMENT_BYTES, Links::Refuse) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io("cannot read", path)(error)),
    }
}

fn write_report(
    trial: &Path,
    dir: &Dir,
    bundle: &Bundle,
    record: &TrialRecord,
    verdict: &Verdict,
) -> Result<(), EngineError> {
    let task = bundle
        .task()
        .map_err(|error| EngineError::Evidence(error.to_string()))?;
    let evidence = dir.open_dir(crate::evidence::EVIDENCE_DIR).ok();
    let report = trial_markdown(&TrialReport {
        task,
        record,
        verdict: Some(verdict),
        evidence: evidence.as_ref(),
    });
    let write = |name: &str, bytes: &[u8]| {
        let path = trial.join(name);
        crate::evidence::replace(dir, name, bytes).map_err(EngineError::io("cannot write", &path))
    };
    write(
        &format!("eval_report_{}.md", record.attempt),
        report.as_bytes(),
    )?;
    let bytes = crate::evidence::json_bytes(record)
        .map_err(EngineError::io("cannot write", &trial.join(RECORD)))?;
    write(RECORD, &bytes)
}

/// Which judged trials to compare with what people say.
#[derive(Debug, Clone)]
pub struct CalibrateRequest {
    /// Directory of a job, or of a trial.
    pub dir: PathBuf,
    /// File of labels: JSON lines or CSV.
    pub labels: PathBuf,
}

/// Compares a judge's answers with people's labels. Nothing is asked and
/// nothing on disk is changed.
///
/// # Errors
/// Where `dir` has no judged trial, or the labels cannot be read or belong to
/// none of its criteria.
pub fn calibrate(request: &CalibrateRequest) -> Result<Calibration, EngineError> {
    let bytes = read::regular(&request.labels, DOCUMENT_BYTES, Links::Follow)
        .map_err(EngineError::io("cannot read", &request.labels))?;
    let wrong = |problem: String| EngineError::Usage {
        message: format!("{}: {problem}", request.labels.display()),
        hint: Some("docs/judge.md describes the file of labels".to_owned()),
    };
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    let labels = read_labels(&text).map_err(|error| wrong(error.to_string()))?;
    let mut given = Vec::new();
    for trial in trials(&request.dir)? {
        if !trial.join(CALLS).is_file() {
            continue;
        }
        let Some(bytes) = document(&trial.join(VERDICT))? else {
            continue;
        };
        let verdict: Verdict = serde_json::from_slice(&bytes)
            .map_err(|error| EngineError::NoTrial(format!("{}: {error}", trial.display())))?;
        let name = trial.file_name().unwrap_or_default().to_string_lossy();
        given.extend(answers(&name, &verdict.criteria));
    }
    if given.is_empty() {
        return Err(EngineError::NoTrial(format!(
            "no trial of {} has been judged",
            request.dir.display()
        )));
    }
    compare(&labels, &given).map_err(|error| wrong(error.to_string()))
}

/// The directories of a job's trials, in order; of a trial only its own.
fn trials(dir: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let inside = dir.join("trials");
    if !inside.is_dir() {
        let own = dir
            .canonicalize()
            .map_err(EngineError::io("cannot enter", dir))?;
        return Ok(vec![own]);
    }
    let entries = std::fs::read_dir(&inside).map_err(EngineError::io("cannot enter", &inside))?;
    let mut trials: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    trials.sort();
    Ok(trials)
}
