//! Grading again what was frozen.

use std::io;
use std::path::{Path, PathBuf};

use proctor_grading::{Bundle, BundleLimits};
use proctor_types::{Verdict, bundle};

use crate::EngineError;
use crate::evidence::{EVIDENCE_DIR, sha256_hex};
use crate::host::HostConfig;
use crate::read::{self, Links};
use crate::record::{CriterionRecord, TrialRecord};
use crate::trial::{self, Module, NoVerdict};

/// Longest record or verdict that is read, in bytes.
const RECORD_BYTES: u64 = 64 << 20;
/// Longest module that is read, in bytes; the grading host has a limit of its
/// own below this one.
const MODULE_BYTES: u64 = 256 << 20;
/// What every bundle has: without one of them it is not all that was frozen.
const ALWAYS: [&str; 7] = [
    bundle::PROMPT,
    bundle::TASK,
    bundle::TRANSCRIPT,
    bundle::WORLD_BEFORE,
    bundle::WORLD_AFTER,
    bundle::JOURNAL,
    bundle::WORKSPACE_LISTING,
];

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
    /// What the operator should know and what stops nothing.
    pub warning: Option<String>,
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
/// Where `dir` is no trial, its evidence is not in every file what its manifest
/// says, its grader is not to be found, or the grader fails.
pub fn grade(request: &RegradeRequest) -> Result<Regraded, EngineError> {
    let place = Place::find(&request.dir)?;
    let bundle = verified(&place.evidence)?;
    let module = module(request, &place, &bundle)?;
    let (host, warning) = crate::host::grading(&request.host);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(EngineError::io(
            "cannot start the runtime for",
            &request.dir,
        ))?;
    let graded = runtime
        .block_on(trial::grade_bundle(&host, &module, &bundle))
        .map_err(|NoVerdict { error, .. }| EngineError::from(&error))?;
    let recorded = part(&place.trial.join(trial::VERDICT), RECORD_BYTES)?;
    Ok(Regraded {
        same: recorded.map(|recorded| recorded == graded.bytes),
        verdict: graded.verdict,
        bytes: graded.bytes,
        warning,
    })
}

/// Opens the bundle at `evidence` and compares all of it with its manifest.
fn verified(evidence: &Path) -> Result<Bundle, EngineError> {
    let invalid = |error: &dyn std::error::Error| EngineError::Evidence(error.to_string());
    let bundle =
        Bundle::open(evidence, BundleLimits::default()).map_err(|error| invalid(&error))?;
    let found = bundle.verify().map_err(|error| invalid(&error))?;
    let listed = &bundle.manifest().files;
    let mut differences: Vec<String> = ALWAYS
        .iter()
        .filter(|path| !listed.contains_key(**path))
        .map(|path| format!("evidence invalid: `{path}`: the manifest does not list it"))
        .collect();
    differences.extend(found.differences.iter().map(ToString::to_string));
    if found.unlisted > 0 {
        differences.push(format!("and {} more", found.unlisted));
    }
    match differences.as_slice() {
        [] => Ok(bundle),
        [one] => Err(EngineError::Evidence(one.clone())),
        several => Err(EngineError::Evidence(format!(
            "the evidence is not what its manifest says:\n  - {}",
            several.join("\n  - ")
        ))),
    }
}

/// Where the parts of a trial are.
struct Place {
    trial: PathBuf,
    evidence: PathBuf,
}

impl Place {
    fn find(dir: &Path) -> Result<Self, EngineError> {
        // Looked into first: a folder that cannot be entered is no missing one.
        std::fs::read_dir(dir).map_err(EngineError::io("cannot enter", dir))?;
        let inside = dir.join(EVIDENCE_DIR);
        if let Ok(data) = inside.symlink_metadata() {
            if !data.is_dir() {
                return Err(EngineError::Evidence(format!(
                    "{} is a link or a file; evidence is a directory of the trial's own",
                    inside.display()
                )));
            }
            return Ok(Self {
                trial: dir.to_owned(),
                evidence: inside,
            });
        }
        if dir.join(proctor_types::bundle::MANIFEST).is_file() {
            let trial = dir.join("..");
            return Ok(Self {
                trial,
                evidence: dir.to_owned(),
            });
        }
        if dir.join(crate::job::PLAN).is_file() {
            return Err(job(dir));
        }
        Err(EngineError::NoTrial(format!(
            "{} holds no frozen evidence",
            dir.display()
        )))
    }
}

/// The directory of a job was given, and one of its trials is to be.
fn job(dir: &Path) -> EngineError {
    let mut trials: Vec<String> = std::fs::read_dir(dir.join("trials"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join(EVIDENCE_DIR).is_dir())
        .map(|entry| entry.path().display().to_string())
        .collect();
    trials.sort();
    EngineError::Usage {
        message: format!("{} is a job; name one of its trials", dir.display()),
        hint: trials
            .first()
            .map(|first| format!("of {} with evidence, the first is {first}", trials.len())),
    }
}

/// Reads a file of the trial, which may come from anywhere; `None` where there
/// is none.
fn part(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, EngineError> {
    match read::regular(path, limit, Links::Refuse) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(EngineError::NoTrial(format!("{}: {error}", path.display())))
        }
        Err(error) => Err(EngineError::io("cannot read", path)(error)),
    }
}

/// The grader to use, checked against the digest in the trial's record.
fn module(request: &RegradeRequest, place: &Place, bundle: &Bundle) -> Result<Module, EngineError> {
    if let Some(path) = &request.grader {
        let wasm = read::regular(path, MODULE_BYTES, Links::Follow)
            .map_err(EngineError::io("cannot read", path))?;
        return Ok(Module::Component {
            sha256: sha256_hex(&wasm),
            wasm: wasm.into(),
        });
    }
    let missing =
        |path: &Path| EngineError::io("cannot read", path)(io::ErrorKind::NotFound.into());
    let path = place.trial.join(trial::RECORD);
    let bytes = part(&path, RECORD_BYTES)?.ok_or_else(|| missing(&path))?;
    let record: TrialRecord = serde_json::from_slice(&bytes)
        .map_err(|error| EngineError::NoTrial(format!("{}: {error}", path.display())))?;
    let Some(sha256) = record.grader_sha256 else {
        return judged(place, bundle);
    };
    if !is_sha256(&sha256) {
        let message = format!("{}: `{sha256}` is no SHA-256", path.display());
        return Err(EngineError::NoTrial(message));
    }
    // trials/NAME -> the job's directory.
    let job = place.trial.join("..").join("..");
    let path = job.join(crate::job::grader_path(&sha256));
    let wasm = part(&path, MODULE_BYTES)?.ok_or_else(|| missing(&path))?;
    Ok(Module::Component {
        sha256,
        wasm: wasm.into(),
    })
}

/// A trial without a grader is one that a judge alone decides; anything else
/// needs to be told which grader.
fn judged(place: &Place, bundle: &Bundle) -> Result<Module, EngineError> {
    use proctor_types::task::GradingType;
    let invalid = |error: &dyn std::error::Error| EngineError::Evidence(error.to_string());
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
