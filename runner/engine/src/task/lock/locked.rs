//! One task and its grader as a lock file has them, and as they are now.

use std::path::Path;

use proctor_grading::ModuleLimits;
use serde::{Deserialize, Serialize};

use super::LockError;
use super::build::{BuildRecord, MAX_RECORD_BYTES, ModuleRecord, record_path};
use crate::task::format::{excerpt, is_id, is_sha256};
use crate::task::pack::{GraderModule, GraderSource, Task};

/// What stands for the module of a task that its own Python grades: Proctor's
/// Python grader.
pub const PYTHON: &str = "proctor:python";

/// One task as it was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTask {
    /// Its folder or file, relative to the lock file.
    pub path: String,
    /// SHA-256 of the pack ([`crate::task::digest`]).
    pub pack_sha256: String,
    /// Its grader module; absent for a task that a judge grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<LockedGrader>,
    /// How the grader was built; absent where nobody recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<BuildRecord>,
}

/// A grader module as it was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedGrader {
    /// Its file in the pack, its `oci://` reference, or [`PYTHON`].
    pub module: String,
    /// SHA-256 of the module; for a reference, of the artifact's manifest.
    pub sha256: String,
    /// Its size; only of a module in the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The contract that it was built for, as the module itself names it; only
    /// of a module in the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abi: Option<String>,
    /// For [`PYTHON`]: SHA-256 of the task's Python block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
}

impl LockedTask {
    /// The task as it is now, without a build record.
    ///
    /// # Errors
    /// Its grader has not been built, or would be refused by every runner.
    pub fn of(task: &Task) -> Result<Self, LockError> {
        if let GraderSource::Component(module) = &task.grader {
            let shown = || task.pack.shown(&module.path);
            if module.file.is_none() {
                return Err(LockError::NotBuilt {
                    id: task.info.id.clone(),
                    module: shown(),
                });
            }
            let wasm = task.read_grader().map_err(Box::new)?.unwrap_or_default();
            proctor_grading::inspect(&wasm, &ModuleLimits::default()).map_err(|fault| {
                LockError::Refused {
                    id: task.info.id.clone(),
                    module: shown(),
                    fault: Box::new(fault),
                }
            })?;
        }
        Ok(Self {
            path: task.pack.name().to_owned(),
            pack_sha256: task.pack_sha256.clone(),
            grader: LockedGrader::of(task),
            build: None,
        })
    }

    /// The build record beside the module of `task`, seen from where its lock
    /// is; `None` where there is none of that very module.
    pub(crate) fn record_beside(task: &Task) -> Option<BuildRecord> {
        let GraderSource::Component(module) = &task.grader else {
            return None;
        };
        Self::of(task).ok()?.record(task, module).0
    }

    /// The build record beside the task's module, seen from the lock; where
    /// there is none, why.
    pub(super) fn record(
        &self,
        task: &Task,
        module: &GraderModule,
    ) -> (Option<BuildRecord>, Option<String>) {
        let path = record_path(Path::new(&module.path));
        let path = path.to_string_lossy();
        let shown = task.pack.shown(&path);
        let none = |why: String| {
            let advice = "build it with `proctor grader build`, so that others can build it again";
            (None, Some(format!("{why}; {advice}")))
        };
        let Some(file) = task.pack.listing().get(&path) else {
            return none(format!(
                "nothing says how the grader was built: there is no {shown}"
            ));
        };
        if file.bytes > MAX_RECORD_BYTES {
            return none(format!("{shown} is no build record: it is too long"));
        }
        let record = task
            .pack
            .read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| ModuleRecord::parse(&bytes));
        let record = match record {
            Ok(record) => record,
            Err(problem) => return none(format!("{shown} is no build record: {problem}")),
        };
        let sha256 = self.grader.as_ref().map(|grader| grader.sha256.as_str());
        if sha256 != Some(record.module_sha256.as_str()) {
            return none(format!("{shown} is the build record of another module"));
        }
        let inside = Path::new(&module.path).parent();
        let folder = inside.map_or_else(
            || self.path.clone(),
            |inside| format!("{}/{}", self.path, inside.display()),
        );
        (Some(record.build.seen_from(&folder)), None)
    }

    pub(super) fn same_module(&self, other: &Self) -> bool {
        let sha256 = |task: &Self| task.grader.as_ref().map(|grader| grader.sha256.clone());
        sha256(self).is_some() && sha256(self) == sha256(other)
    }

    /// What is wrong with a block that TOML accepts.
    pub(super) fn problem(&self, id: &str) -> Option<String> {
        let digest = "64 lower-case hex digits";
        if !is_id(id) {
            return Some(format!("`{}` is no task id", excerpt(id)));
        }
        if !is_sha256(&self.pack_sha256) {
            return Some(format!(
                "`pack_sha256` of `{id}` is no digest; expected {digest}"
            ));
        }
        match &self.grader {
            Some(grader) if !is_sha256(&grader.sha256) => {
                return Some(format!(
                    "the grader's `sha256` of `{id}` is no digest; expected {digest}"
                ));
            }
            Some(grader)
                if grader
                    .source_sha256
                    .as_ref()
                    .is_some_and(|one| !is_sha256(one)) =>
            {
                return Some(format!(
                    "the grader's `source_sha256` of `{id}` is no digest; expected {digest}"
                ));
            }
            _ => {}
        }
        let problem = self.build.as_ref().and_then(BuildRecord::problem);
        problem.map(|problem| format!("the build record of `{id}`: {problem}"))
    }
}

impl LockedGrader {
    /// Whether it is a module of the pack.
    pub fn is_module(&self) -> bool {
        self.module != PYTHON && !self.module.starts_with("oci://")
    }

    /// The grader of `task` as it is now, whether or not a runner would run
    /// it; `None` where it has none, or it has not been built.
    pub(super) fn of(task: &Task) -> Option<Self> {
        match &task.grader {
            GraderSource::Component(module) => {
                let file = module.file.as_ref()?;
                let wasm = task.read_grader().ok().flatten();
                Some(Self {
                    module: module.path.clone(),
                    sha256: file.sha256.clone(),
                    bytes: Some(file.bytes),
                    abi: wasm.and_then(|wasm| proctor_grading::build::abi(&wasm)),
                    source_sha256: None,
                })
            }
            GraderSource::Oci(reference) => Some(Self {
                module: reference.to_string(),
                sha256: reference.sha256.clone(),
                bytes: None,
                abi: None,
                source_sha256: None,
            }),
            GraderSource::Python => Some(Self {
                module: PYTHON.to_owned(),
                sha256: proctor_grading::python::component_sha256().to_owned(),
                bytes: None,
                abi: None,
                source_sha256: crate::choice::script(task).map(|one| one.sha256().to_owned()),
            }),
            GraderSource::None => None,
        }
    }
}
