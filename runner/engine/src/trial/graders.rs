//! Everything that a task can be graded by, kept with the job so that it can
//! be graded again by either.

use std::sync::Arc;

use proctor_grading::python::Script;

use super::Module;
use crate::EngineError;
use crate::job::{component_path, script_path};
use crate::record::{GradersRecord, ScriptRecord};
use crate::task::Task;

/// The graders of a task, and the one that was chosen in their place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graders {
    /// The component of the pack.
    component: Option<(String, Arc<Vec<u8>>)>,
    /// The Python block.
    script: Option<Script>,
    /// What grades this time.
    chosen: Option<Module>,
}

impl Graders {
    /// Those of `task`, and `chosen`.
    pub(crate) fn of(task: &Task, chosen: &Module) -> Result<Self, EngineError> {
        let component = match chosen {
            // Not read again where that is what grades.
            Module::Component { sha256, wasm } => Some((sha256.clone(), Arc::clone(wasm))),
            _ => match Module::packed(task)? {
                Some(Module::Component { sha256, wasm }) => Some((sha256, wasm)),
                _ => None,
            },
        };
        Ok(Self {
            component,
            script: crate::choice::script(task),
            chosen: Some(chosen.clone()),
        })
    }

    /// Name in the job's directory and bytes of each.
    pub(crate) fn files(&self) -> Vec<(String, &[u8])> {
        let component = self
            .component
            .iter()
            .map(|(sha256, wasm)| (component_path(sha256), wasm.as_slice()));
        let chosen = self.chosen.as_ref().and_then(Module::script);
        let scripts = self
            .script
            .iter()
            .chain(chosen)
            .map(|script| (script_path(script.sha256()), script.source().as_bytes()));
        component.chain(scripts).collect()
    }

    /// As they stand in the trial's record. A script that was chosen stands
    /// there in place of the task's own: that is what `python` means when the
    /// trial is graded again.
    pub(crate) fn record(&self) -> GradersRecord {
        let chosen = self.chosen.as_ref().and_then(Module::script);
        GradersRecord {
            component: self.component.as_ref().map(|(sha256, _)| sha256.clone()),
            python: chosen.or(self.script.as_ref()).map(|script| ScriptRecord {
                sha256: script.sha256().to_owned(),
                file: script.file().to_owned(),
                line: script.line(),
            }),
        }
    }
}
