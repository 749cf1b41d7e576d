//! Stages "grade" and "score": from frozen evidence to a verdict.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use proctor_grading::{
    Blame, Bundle, BundleLimits, GradeError, GradeLog, Grader, GraderHost, Limits, ValidVerdict,
    score, to_canonical_json,
};
use proctor_types::Verdict;
use proctor_types::verdict::{ABI, GraderRef};
use tokio::runtime::RuntimeFlavor;

use super::StageError;
use crate::EngineError;
use crate::record::Outcome;
use crate::task::lock::{self, Admission};
use crate::task::{GraderSource, Task};

/// What grades a task.
#[derive(Debug, Clone)]
pub(crate) enum Module {
    /// A component, and the digest that it must have.
    Component { sha256: String, wasm: Arc<[u8]> },
    /// Nothing: a judge alone decides.
    Judge,
}

impl Module {
    /// The module of `task`, admitted by the lock of its suite. What belongs
    /// into the report about that is added to `remarks`.
    pub(crate) fn of(
        task: &Task,
        unlocked: bool,
        remarks: &mut Vec<String>,
    ) -> Result<Self, EngineError> {
        if lock::admit(task, unlocked)? == Admission::Unlocked {
            remarks.push(if unlocked {
                "not locked: --unlocked was given, nobody reviewed these bytes".to_owned()
            } else {
                "not locked: there is no proctor.lock beside the task".to_owned()
            });
        }
        match &task.grader {
            GraderSource::Component(module) => {
                let wasm = task.read_grader()?.unwrap_or_default();
                let sha256 = module.file.as_ref().map_or_else(
                    || crate::evidence::sha256_hex(&wasm),
                    |file| file.sha256.clone(),
                );
                Ok(Self::Component {
                    sha256,
                    wasm: wasm.into(),
                })
            }
            GraderSource::None => Ok(Self::Judge),
            GraderSource::Python => Err(unsupported(task, "its Python block")),
            GraderSource::Oci(reference) => Err(unsupported(task, &reference.to_string())),
        }
    }

    /// Digest and bytes of the component.
    pub(crate) fn component(&self) -> Option<(&str, &[u8])> {
        match self {
            Self::Component { sha256, wasm } => Some((sha256, wasm)),
            Self::Judge => None,
        }
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
    let (valid, reference, log) = match module {
        Module::Component { sha256, wasm } => {
            let module = load(host, wasm, sha256).map_err(failed)?;
            let graded = module
                .grade(bundle, &limits(bundle))
                .await
                .map_err(failed)?;
            (graded.verdict, graded.grader, lines(&graded.log))
        }
        Module::Judge => (ValidVerdict::empty(), nobody(), String::new()),
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
    })
}

/// Loads a grader. Compiling one takes seconds and must not hold up what else
/// the runtime has to do.
fn load(host: &GraderHost, wasm: &[u8], sha256: &str) -> Result<Grader, GradeError> {
    let load = || host.load(wasm, Some(sha256));
    match tokio::runtime::Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(load),
        _ => load(),
    }
}

/// What a grader may use on this bundle. An agent decides how much evidence
/// there is to read, and must not be able to make itself ungradable by leaving
/// a lot of it: fuel and memory grow with what has to be read.
fn limits(bundle: &Bundle) -> Limits {
    const FUEL_PER_BYTE: u64 = 100;
    const MEMORY_PER_BYTE: u64 = 4;
    const MOST_MEMORY: u64 = 2 << 30;
    let bytes: u64 = bundle.list("").map(|(_, file)| file.bytes).sum();
    let defaults = Limits::default();
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
