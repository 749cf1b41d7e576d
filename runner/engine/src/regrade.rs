//! Grading again what was frozen.

use std::path::{Path, PathBuf};

use proctor_grading::{Bundle, BundleLimits};
use proctor_types::Verdict;

use crate::EngineError;
use crate::evidence::{EVIDENCE_DIR, sha256_hex};
use crate::host::HostConfig;
use crate::record::{CriterionRecord, TrialRecord};
use crate::trial::{self, Module, NoVerdict};

/// What to grade, and with what.
#[derive(Debug, Clone)]
pub struct RegradeRequest {
    /// Directory of a trial, or an evidence bundle itself.
    pub dir: PathBuf,
    /// Component to grade with; the one that the trial was graded with, or was
    /// to be graded with, where `None`.
    pub grader: Option<PathBuf>,
    /// Where things are on this machine.
    pub host: HostConfig,
}

/// A new verdict beside the recorded one.
#[derive(Debug)]
pub struct Regraded {
    /// The new verdict.
    pub verdict: Verdict,
    /// Its bytes, as `verdict.json` has them.
    pub bytes: Vec<u8>,
    /// Whether the recorded verdict has the same bytes; `None` where there is
    /// no recorded one.
    pub same: Option<bool>,
}

impl Regraded {
    /// The criteria in short.
    pub fn criteria(&self) -> Vec<CriterionRecord> {
        self.verdict
            .criteria
            .iter()
            .map(CriterionRecord::from)
            .collect()
    }
}

/// Grades the evidence of a trial again. Nothing on disk is changed.
///
/// # Errors
/// Where `dir` is no trial, its evidence is not what its manifest says, its
/// grader is not to be found, or the grader fails.
pub fn grade(request: &RegradeRequest) -> Result<Regraded, EngineError> {
    let place = Place::find(&request.dir)?;
    let module = module(request, &place)?;
    let host = crate::host::grading(&request.host);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(EngineError::io(
            "cannot start the runtime for",
            &request.dir,
        ))?;
    let graded = runtime
        .block_on(trial::grade(&host, &module, &place.evidence))
        .map_err(|NoVerdict { error, .. }| EngineError::from(&error))?;
    let recorded = std::fs::read(place.trial.join(trial::VERDICT)).ok();
    Ok(Regraded {
        same: recorded.map(|recorded| recorded == graded.bytes),
        verdict: graded.verdict,
        bytes: graded.bytes,
    })
}

/// Where the parts of a trial are.
struct Place {
    trial: PathBuf,
    evidence: PathBuf,
}

impl Place {
    fn find(dir: &Path) -> Result<Self, EngineError> {
        let inside = dir.join(EVIDENCE_DIR);
        let manifest = proctor_types::bundle::MANIFEST;
        if inside.join(manifest).is_file() {
            return Ok(Self {
                trial: dir.to_owned(),
                evidence: inside,
            });
        }
        if dir.join(manifest).is_file() {
            let trial = dir.parent().map_or_else(PathBuf::new, Path::to_owned);
            return Ok(Self {
                trial,
                evidence: dir.to_owned(),
            });
        }
        let problem = if dir.is_dir() {
            "holds no frozen evidence"
        } else {
            "is no directory"
        };
        Err(EngineError::NoTrial(format!("{} {problem}", dir.display())))
    }
}

/// The grader to use, checked against the digest in the trial's record.
fn module(request: &RegradeRequest, place: &Place) -> Result<Module, EngineError> {
    if let Some(path) = &request.grader {
        let wasm = std::fs::read(path).map_err(EngineError::io("cannot read", path))?;
        return Ok(Module::Component {
            sha256: sha256_hex(&wasm),
            wasm: wasm.into(),
        });
    }
    let path = place.trial.join(trial::RECORD);
    let bytes = std::fs::read(&path).map_err(EngineError::io("cannot read", &path))?;
    let record: TrialRecord = serde_json::from_slice(&bytes)
        .map_err(|error| EngineError::NoTrial(format!("{}: {error}", path.display())))?;
    let Some(sha256) = record.grader_sha256 else {
        return judged(place);
    };
    if !is_sha256(&sha256) {
        let message = format!("{}: `{sha256}` is no SHA-256", path.display());
        return Err(EngineError::NoTrial(message));
    }
    // trials/NAME -> the job's directory.
    let job = place.trial.join("..").join("..");
    let path = job.join(crate::job::grader_path(&sha256));
    let wasm = std::fs::read(&path).map_err(EngineError::io("cannot read the grader", &path))?;
    Ok(Module::Component {
        sha256,
        wasm: wasm.into(),
    })
}

/// A trial without a grader is one that a judge alone decides; anything else
/// needs to be told which grader.
fn judged(place: &Place) -> Result<Module, EngineError> {
    use proctor_types::task::GradingType;
    let invalid = |error: &dyn std::error::Error| EngineError::Evidence(error.to_string());
    let bundle =
        Bundle::open(&place.evidence, BundleLimits::default()).map_err(|error| invalid(&error))?;
    match bundle.task().map_err(|error| invalid(&error))?.grading_type {
        GradingType::LlmJudge => Ok(Module::Judge),
        _ => Err(EngineError::NoTrial(format!(
            "{} does not say which grader it belongs to; give one with --grader",
            place.trial.display()
        ))),
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
