//! Stages "grade" and "score": from frozen evidence to a verdict.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use proctor_grading::python::{self, PythonGrader, Script};
use proctor_grading::{
    Blame, Bundle, BundleLimits, GradeError, GradeLog, Grader, GraderHost, Limits, ValidVerdict,
    score, to_canonical_json,
};
use proctor_types::Verdict;
use proctor_types::verdict::{ABI, GraderKind, GraderRef};
use tokio::runtime::RuntimeFlavor;

use super::StageError;
use crate::EngineError;
use crate::choice::{self, GraderChoice};
use crate::host::HostConfig;
use crate::record::Outcome;
use crate::task::lock::{self, Admission, LockError, Policy};
use crate::task::{GraderSource, Task};

/// What grades a task.
#[derive(Debug, Clone)]
pub(crate) enum Module {
    /// A component, and the digest that it must have.
    Component { sha256: String, wasm: Arc<Vec<u8>> },
    /// The Python grader of this machine with a script.
    Python { wasm: Arc<Vec<u8>>, script: Script },
    /// Nothing: a judge alone decides.
    Judge,
}

impl Module {
    /// The module of `task`, admitted by the lock of its suite. What belongs
    /// into the report about that is added to `remarks`.
    pub(crate) fn of(
        task: &Task,
        policy: Policy,
        choice: &GraderChoice,
        host: &HostConfig,
        remarks: &mut Vec<String>,
    ) -> Result<Self, EngineError> {
        let admission = lock::admit(task, policy)?;
        if admission == Admission::Unlocked {
            let why = match policy {
                Policy::Locked => "there is no proctor.lock beside the task",
                Policy::Unlocked => "--unlocked was given, nobody reviewed these bytes",
                Policy::Unreviewed => "this is a check of what is to be locked",
            };
            remarks.push(format!("not locked: {why}"));
        }
        match (choice, &task.grader) {
            (GraderChoice::Own | GraderChoice::Wasm, GraderSource::Component(_)) => {
                Self::packed(task).map(|module| module.unwrap_or(Self::Judge))
            }
            (GraderChoice::Own, GraderSource::None) => Ok(Self::Judge),
            (GraderChoice::Own, GraderSource::Oci(reference)) => {
                Err(unsupported(task, &reference.to_string()))
            }
            (GraderChoice::Own | GraderChoice::Python, _) => {
                let Some(script) = choice::script(task) else {
                    return Err(lacks(task, "Python block"));
                };
                if task.grader != GraderSource::Python {
                    remarks.push("graded by its Python block: --grader python".to_owned());
                }
                choice::with_python(script, host)
            }
            (GraderChoice::Wasm, _) => Err(lacks(task, "component")),
            (GraderChoice::File(path), _) => {
                let module = choice::from_file(path, host)?;
                if !module.is_of(task)? {
                    if admission == Admission::Locked && policy != Policy::Unlocked {
                        return Err(module.other_than_locked(task, path).into());
                    }
                    remarks.push(format!(
                        "graded by {} and not by the task's own grader: --grader",
                        path.display()
                    ));
                }
                Ok(module)
            }
        }
    }

    /// Whether it is one of the graders that `task` itself brings.
    fn is_of(&self, task: &Task) -> Result<bool, EngineError> {
        Ok(match self {
            Self::Component { sha256, .. } => {
                Self::packed(task)?.is_some_and(|packed| packed.sha256() == Some(sha256.as_str()))
            }
            Self::Python { script, .. } => {
                choice::script(task).is_some_and(|own| own.sha256() == script.sha256())
            }
            Self::Judge => task.grader == GraderSource::None,
        })
    }

    fn other_than_locked(&self, task: &Task, path: &Path) -> LockError {
        let found = self.script().map(Script::sha256).or(self.sha256());
        LockError::OtherGrader {
            id: task.info.id.clone(),
            grader: path.display().to_string(),
            found: found.unwrap_or_default().to_owned(),
        }
    }

    /// The component of the task's pack, where it has one.
    pub(crate) fn packed(task: &Task) -> Result<Option<Self>, EngineError> {
        let GraderSource::Component(module) = &task.grader else {
            return Ok(None);
        };
        let wasm = task.read_grader()?.unwrap_or_default();
        let sha256 = module.file.as_ref().map_or_else(
            || crate::evidence::sha256_hex(&wasm),
            |file| file.sha256.clone(),
        );
        Ok(Some(Self::Component {
            sha256,
            wasm: wasm.into(),
        }))
    }

    /// Digest of the component that runs.
    pub(crate) fn sha256(&self) -> Option<&str> {
        match self {
            Self::Component { sha256, .. } => Some(sha256),
            Self::Python { .. } => Some(python::component_sha256()),
            Self::Judge => None,
        }
    }

    /// The script, where Python grades.
    pub(crate) fn script(&self) -> Option<&Script> {
        match self {
            Self::Python { script, .. } => Some(script),
            Self::Component { .. } | Self::Judge => None,
        }
    }

    /// What kind of grader it is.
    pub(crate) fn kind(&self) -> GraderKind {
        match self {
            Self::Component { .. } => GraderKind::Component,
            Self::Python { .. } => GraderKind::Python,
            Self::Judge => GraderKind::None,
        }
    }

    /// What to tell people who will have to wait, where it is not compiled yet.
    pub(crate) fn wait(&self, host: &GraderHost) -> Option<&'static str> {
        match self {
            Self::Python { .. } if !host.is_compiled(python::component_sha256()) => {
                Some("compiling the Python grader, once; this takes some seconds")
            }
            _ => None,
        }
    }
}

fn lacks(task: &Task, what: &str) -> EngineError {
    EngineError::Usage {
        message: format!("{}: the task has no {what} to be graded by", task.file()),
        hint: Some("without --grader, the task's own grader is used".to_owned()),
    }
}

fn unsupported(task: &Task, what: &str) -> EngineError {
    EngineError::Grader {
        kind: "unsupported".to_owned(),
        message: format!(
            "{}: the task is graded by {what}, which this version cannot run",
            task.file()
        ),
        hint: Some("name a component of the pack: `proctor: grader: grader.wasm`".to_owned()),
    }
}

/// A verdict with its bytes, as they go to `verdict.json`.
#[derive(Debug)]
pub(crate) struct Graded {
    pub(crate) verdict: Verdict,
    pub(crate) bytes: Vec<u8>,
    /// What the grader logged, in lines.
    pub(crate) log: String,
    /// What the grader asked for and the bundle does not have.
    pub(crate) missing: Vec<String>,
}

/// Why there is no verdict, and what the grader logged until then.
#[derive(Debug)]
pub(crate) struct NoVerdict {
    pub(crate) error: GradeError,
    pub(crate) log: String,
}

fn failed(error: GradeError) -> NoVerdict {
    NoVerdict {
        log: lines(error.log()),
        error,
    }
}

/// Grades the bundle at `evidence` and puts the score together.
pub(crate) async fn grade(
    host: &GraderHost,
    module: &Module,
    evidence: &Path,
) -> Result<Graded, NoVerdict> {
    let bundle =
        Bundle::open(evidence, BundleLimits::default()).map_err(|error| failed(error.into()))?;
    grade_bundle(host, module, &bundle).await
}

/// Grades `bundle` and puts the score together.
pub(crate) async fn grade_bundle(
    host: &GraderHost,
    module: &Module,
    bundle: &Bundle,
) -> Result<Graded, NoVerdict> {
    let task = bundle.task().map_err(|error| failed(error.into()))?;
    let (valid, reference, log, missing) = match module {
        Module::Component { sha256, wasm } => {
            let module = load(host, wasm, sha256).map_err(failed)?;
            let graded = module
                .grade(bundle, &limits(bundle, Limits::default()))
                .await
                .map_err(failed)?;
            let log = lines(&graded.log);
            (graded.verdict, graded.grader, log, graded.missing)
        }
        Module::Python { wasm, script } => {
            let python = in_place(|| PythonGrader::load(host, wasm, script)).map_err(failed)?;
            let graded = python
                .grade(bundle, &limits(bundle, Limits::python()))
                .await
                .map_err(failed)?;
            let log = lines(&graded.log);
            (graded.verdict, graded.grader, log, graded.missing)
        }
        Module::Judge => (ValidVerdict::empty(), nobody(), String::new(), Vec::new()),
    };
    let verdict = score(task, bundle.sha256(), reference, valid);
    let bytes = to_canonical_json(&verdict).map_err(|error| {
        failed(
            proctor_grading::Fault::Internal {
                detail: error.to_string(),
            }
            .into(),
        )
    })?;
    Ok(Graded {
        verdict,
        bytes,
        log,
        missing,
    })
}

/// Loads a grader. Compiling one takes seconds and must not hold up what else
/// the runtime has to do.
fn load(host: &GraderHost, wasm: &[u8], sha256: &str) -> Result<Grader, GradeError> {
    in_place(|| host.load(wasm, Some(sha256)))
}

fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// What a grader may use on this bundle. An agent decides how much evidence
/// there is to read, and must not be able to make itself ungradable by leaving
/// a lot of it: fuel and memory grow with what has to be read.
fn limits(bundle: &Bundle, defaults: Limits) -> Limits {
    const FUEL_PER_BYTE: u64 = 100;
    const MEMORY_PER_BYTE: u64 = 4;
    const MOST_MEMORY: u64 = 2 << 30;
    let bytes: u64 = bundle.list("").map(|(_, file)| file.bytes).sum();
    let memory =
        (defaults.memory_bytes as u64).saturating_add(bytes.saturating_mul(MEMORY_PER_BYTE));
    Limits {
        fuel: defaults
            .fuel
            .saturating_add(bytes.saturating_mul(FUEL_PER_BYTE)),
        memory_bytes: usize::try_from(memory.min(MOST_MEMORY)).unwrap_or(usize::MAX),
        ..defaults
    }
}

fn nobody() -> GraderRef {
    GraderRef {
        kind: GraderKind::None,
        source_sha256: None,
        sha256: "none".to_owned(),
        abi: ABI.to_owned(),
        fuel: 0,
    }
}

fn lines(log: &GradeLog) -> String {
    let mut text = String::new();
    for line in &log.lines {
        _ = writeln!(text, "{}: {}", line.level, line.message);
    }
    if log.dropped > 0 {
        _ = writeln!(text, "({} further lines were dropped)", log.dropped);
    }
    text
}

impl From<&GradeError> for StageError {
    fn from(error: &GradeError) -> Self {
        Self {
            // Whoever is to blame, it is not the agent: nothing here is a zero.
            outcome: match error.blame() {
                Blame::Grader | Blame::Evidence => Outcome::Ungraded,
                Blame::Host => Outcome::Infrastructure,
            },
            kind: error.kind().to_owned(),
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
        }
    }
}
