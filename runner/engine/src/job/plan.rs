//! From what the operator asked for to a list of trials, with everything
//! checked that can be checked before the first agent starts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use proctor_agents::AgentSpec;
use proctor_types::manifest::Isolation;
use serde_json::json;

use crate::EngineError;
use crate::events::{Events, TrialId};
use crate::host::HostConfig;
use crate::task;
use crate::trial::{Bench, Module, Tools, TrialSpec};

/// What the operator asks for.
#[derive(Debug, Clone)]
pub struct JobRequest {
    /// Task folders, Markdown files or suites.
    pub paths: Vec<PathBuf>,
    /// Agents, as `NAME` or `NAME:ARGUMENT`.
    pub agents: Vec<String>,
    /// Attempts per task and agent; the task's own number where `None`.
    pub attempts: Option<u32>,
    /// Directory of the job; a new one under `out/` where `None`.
    pub out: Option<PathBuf>,
    /// How the agent is held.
    pub isolation: Isolation,
    /// Programs and directories of this machine that the agent may use besides
    /// what its task needs.
    pub tools: Vec<PathBuf>,
    /// Whether tasks that the lock does not know may run.
    pub unlocked: bool,
    /// Where things are on this machine.
    pub host: HostConfig,
}

/// A checked plan.
#[derive(Debug)]
pub struct JobPlan {
    pub(crate) id: String,
    pub(crate) out: PathBuf,
    pub(crate) trials: Vec<TrialSpec>,
    pub(crate) isolation: Isolation,
    pub(crate) given: Tools,
    pub(crate) host: HostConfig,
}

impl JobPlan {
    /// Loads and checks everything that `request` names.
    ///
    /// # Errors
    /// The first thing that is wrong: a task, a lock, an agent, a missing
    /// program, a machine that cannot isolate.
    pub fn load(request: JobRequest) -> Result<Self, EngineError> {
        if request.isolation == Isolation::Sandbox {
            crate::room::probe(&request.host)?;
        }
        let agents = request
            .agents
            .iter()
            .map(|text| agent(text))
            .collect::<Result<Vec<_>, _>>()?;
        let id = format!("job-{}", crate::time::now_compact());
        let out = request
            .out
            .unwrap_or_else(|| PathBuf::from("out").join(&id));
        let given = Tools::given(&request.tools, &out)?;
        let mut trials = Vec::new();
        for task in crate::suite::load(&request.paths)? {
            let task = Arc::new(task);
            supported(&task)?;
            let mut remarks = task
                .warnings
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>();
            let world = crate::trial::world(&task)?;
            let module = Module::of(&task, request.unlocked, &mut remarks)?;
            let tools = Arc::new(given.and_prerequisites(&task, &request.host.search)?);
            let attempts = request.attempts.or(task.attempts).unwrap_or(1);
            for spec in &agents {
                for attempt in 0..attempts {
                    trials.push(TrialSpec {
                        id: TrialId {
                            task: task.info.id.clone(),
                            agent: spec.name.clone(),
                            attempt,
                        },
                        task: Arc::clone(&task),
                        world: world.clone(),
                        agent: spec.clone(),
                        module: module.clone(),
                        tools: Arc::clone(&tools),
                        remarks: remarks.clone(),
                    });
                }
            }
        }
        Ok(Self {
            id,
            out,
            trials,
            isolation: request.isolation,
            given,
            host: request.host,
        })
    }

    /// The components of all graders, by digest.
    pub(crate) fn modules(&self) -> BTreeMap<&str, &[u8]> {
        self.trials
            .iter()
            .filter_map(|trial| trial.module.component())
            .collect()
    }

    /// Remarks of all tasks, each once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut seen = Vec::new();
        for trial in &self.trials {
            for remark in &trial.remarks {
                let line = format!("{}: {remark}", trial.id.task);
                if !seen.contains(&line) {
                    seen.push(line);
                }
            }
        }
        seen
    }

    /// What the trials share while they run.
    pub(crate) fn bench(&self, events: Events) -> Bench {
        Bench {
            events,
            grading: crate::host::grading(&self.host),
            isolation: self.isolation,
            host: self.host.clone(),
        }
    }

    /// `job.json`.
    pub(crate) fn describe(&self) -> serde_json::Value {
        let trials: Vec<_> = self
            .trials
            .iter()
            .map(|trial| {
                json!({
                    "task": trial.id.task,
                    "agent": trial.agent.to_string(),
                    "attempt": trial.id.attempt,
                    "pack_sha256": trial.task.pack_sha256,
                    "grader_sha256": trial.module.component().map(|(sha256, _)| sha256),
                })
            })
            .collect();
        json!({
            "schema": "proctor.job/1",
            "job": self.id,
            "proctor": env!("CARGO_PKG_VERSION"),
            "isolation": self.isolation,
            "tools": self.given.targets(),
            "trials": trials,
        })
    }
}

/// Refuses what would be run otherwise than its author meant it.
fn supported(task: &task::Task) -> Result<(), EngineError> {
    let what = if !task.sessions.is_empty() {
        "several sessions are not supported by this version"
    } else if !task.probes.is_empty() {
        "probes are not supported by this version"
    } else if !task.network_allow.is_empty() {
        "hosts outside of the world are not supported by this version"
    } else {
        return Ok(());
    };
    Err(EngineError::Unsupported {
        file: task.file().to_owned(),
        what,
    })
}

fn agent(text: &str) -> Result<AgentSpec, EngineError> {
    let wrong = |error: &dyn std::error::Error| EngineError::Agent(crate::error::chain(error));
    let spec: AgentSpec = text.parse().map_err(|error| wrong(&error))?;
    // Made once more for every trial; here only so that a mistake shows now.
    proctor_agents::agent(&spec).map_err(|error| wrong(&error))?;
    Ok(spec)
}
