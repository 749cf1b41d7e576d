//! Grading again what was frozen.

use std::io;
use std::path::{Path, PathBuf};

use proctor_grading::python::Script;
use proctor_grading::{Bundle, BundleLimits};
use proctor_types::verdict::GraderKind;
use proctor_types::{Verdict, bundle};

use crate::EngineError;
use crate::choice::{DIGEST_MISMATCH, GraderChoice, MODULE_BYTES, SCRIPT_BYTES};
use crate::evidence::{EVIDENCE_DIR, sha256_hex};
use crate::host::HostConfig;
use crate::job::{component_path, script_path};
use crate::judging::GRADED;
use crate::read::{self, Links};
use crate::record::{CriterionRecord, TrialRecord};
use crate::trial::{self, Module, NoVerdict};

/// Longest record or verdict that is read, in bytes.
const RECORD_BYTES: u64 = 64 << 20;
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
    /// Grader to grade with; its own is the one that the trial was graded
    /// with, or was to be graded with.
    pub grader: GraderChoice,
    /// Is told what takes its time.
    pub notice: fn(&str),
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
    /// What the grader asked for and the bundle does not have.
    pub missing: Vec<String>,
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
    if let Some(wait) = module.wait(&host) {
        (request.notice)(wait);
    }
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
    // Where a judge made another verdict of it, the grader's own is kept.
    let recorded = match part(&place.trial.join(GRADED), RECORD_BYTES)? {
        Some(graded) => Some(graded),
        None => part(&place.trial.join(trial::VERDICT), RECORD_BYTES)?,
    };
    Ok(Regraded {
        same: recorded.map(|recorded| recorded == graded.bytes),
        verdict: graded.verdict,
        bytes: graded.bytes,
        warning,
        missing: graded.missing,
    })
}

/// Opens the bundle at `evidence` and compares all of it with its manifest.
pub(crate) fn verified(evidence: &Path) -> Result<Bundle, EngineError> {
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
pub(crate) struct Place {
    pub(crate) trial: PathBuf,
    pub(crate) evidence: PathBuf,
}

impl Place {
    pub(crate) fn find(dir: &Path) -> Result<Self, EngineError> {
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

/// The grader to use, checked against the digests in the trial's record.
fn module(request: &RegradeRequest, place: &Place, bundle: &Bundle) -> Result<Module, EngineError> {
    if let GraderChoice::File(path) = &request.grader {
        return crate::choice::from_file(path, &request.host);
    }
    let record = place.record()?;
    let python = match &request.grader {
        GraderChoice::Python => true,
        GraderChoice::Wasm => false,
        _ => record.grader == GraderKind::Python,
    };
    if python {
        return place.python(request, &record);
    }
    let recorded = match request.grader {
        GraderChoice::Wasm => record.graders.component,
        _ => record.grader_sha256,
    };
    match recorded {
        Some(sha256) => place.component(sha256),
        None if request.grader == GraderChoice::Wasm => Err(place.lacks("component")),
        None => judged(place, bundle),
    }
}

impl Place {
    pub(crate) fn record(&self) -> Result<TrialRecord, EngineError> {
        let path = self.trial.join(trial::RECORD);
        let bytes = part(&path, RECORD_BYTES)?.ok_or_else(|| missing(&path))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| EngineError::NoTrial(format!("{}: {error}", path.display())))
    }

    /// A file of the job's directory, under the digest that it must have.
    fn kept(&self, name: &str, sha256: &str, limit: u64) -> Result<Vec<u8>, EngineError> {
        if !is_sha256(sha256) {
            let path = self.trial.join(trial::RECORD);
            let message = format!("{}: `{sha256}` is no SHA-256", path.display());
            return Err(EngineError::NoTrial(message));
        }
        // trials/NAME -> the job's directory.
        let path = self.trial.join("..").join("..").join(name);
        part(&path, limit)?.ok_or_else(|| missing(&path))
    }

    fn component(&self, sha256: String) -> Result<Module, EngineError> {
        let wasm = self.kept(&component_path(&sha256), &sha256, MODULE_BYTES)?;
        Ok(Module::Component {
            sha256,
            wasm: wasm.into(),
        })
    }

    /// The trial's Python, in the Python grader that it was graded in: with
    /// `--grader python` also in a newer one.
    fn python(
        &self,
        request: &RegradeRequest,
        record: &TrialRecord,
    ) -> Result<Module, EngineError> {
        let Some(python) = &record.graders.python else {
            return Err(self.lacks("Python block"));
        };
        let ours = proctor_grading::python::component_sha256();
        if request.grader == GraderChoice::Own
            && let Some(theirs) = record.grader_sha256.as_deref().filter(|one| *one != ours)
        {
            return Err(EngineError::Grader {
                kind: DIGEST_MISMATCH.to_owned(),
                message: format!(
                    "the trial was graded in the Python grader {theirs}; this proctor has {ours}"
                ),
                hint: Some(
                    "use the version of Proctor that graded it, or --grader python to grade it \
                     in this one"
                        .to_owned(),
                ),
            });
        }
        let path = script_path(&python.sha256);
        let source = self.kept(&path, &python.sha256, SCRIPT_BYTES)?;
        let found = sha256_hex(&source);
        if found != python.sha256 {
            return Err(EngineError::Grader {
                kind: DIGEST_MISMATCH.to_owned(),
                message: format!("{path} is not what graded the trial: its SHA-256 is {found}"),
                hint: Some("restore the file, or give another with --grader FILE.py".to_owned()),
            });
        }
        let source = String::from_utf8_lossy(&source).into_owned();
        let script = Script::new(source, python.file.as_str(), python.line);
        crate::choice::with_python(script, &request.host)
    }

    fn lacks(&self, what: &str) -> EngineError {
        EngineError::Usage {
            message: format!("the task of {} has no {what}", self.trial.display()),
            hint: Some("give a grader with --grader FILE".to_owned()),
        }
    }
}

fn missing(path: &Path) -> EngineError {
    EngineError::io("cannot read", path)(io::ErrorKind::NotFound.into())
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
