//! `proctor check`: may a task be locked and published?
//!
//! Every gate is a row of the report, and all of them are looked at before
//! anything is said: an author mends a task once and not gate by gate. Gates
//! that need a run are played in ordinary trials, by the agents `nop` and
//! `oracle`, without the lock: what is checked is what is to be locked.
//!
//! `docs/check.md` describes the gates for authors.

mod leak;
mod played;
mod still;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proctor_types::manifest::Isolation;
use serde::Serialize;

use crate::EngineError;
use crate::events::EventSink;
use crate::host::HostConfig;
use crate::suite::Found;
use crate::task::{PathProblem, Problem, Task, TaskError};

/// One thing that has to be true of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// The task file is in the format.
    Format,
    /// Every workspace file is there.
    Fixtures,
    /// The weights of the rubric sum to 100 %.
    Rubric,
    /// The time limit is plausible.
    Timeout,
    /// The world can be made of the seed.
    Seed,
    /// The agent is not handed the answer.
    Prompt,
    /// The grader is a module that runners load.
    Module,
    /// It asks for nothing that a grader may not have.
    Imports,
    /// Who does nothing gets the floor.
    Nop,
    /// The solution gets full marks.
    Oracle,
    /// Grading twice gives the same bytes.
    Repeat,
    /// The grader reads only what exists.
    Evidence,
}

impl Gate {
    /// Every gate, in the order of the report.
    pub const ALL: [Self; 12] = [
        Self::Format,
        Self::Fixtures,
        Self::Rubric,
        Self::Timeout,
        Self::Seed,
        Self::Prompt,
        Self::Module,
        Self::Imports,
        Self::Nop,
        Self::Oracle,
        Self::Repeat,
        Self::Evidence,
    ];

    /// Its name, as in JSON and for `--only`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Fixtures => "fixtures",
            Self::Rubric => "rubric",
            Self::Timeout => "timeout",
            Self::Seed => "seed",
            Self::Prompt => "prompt",
            Self::Module => "module",
            Self::Imports => "imports",
            Self::Nop => "nop",
            Self::Oracle => "oracle",
            Self::Repeat => "repeat",
            Self::Evidence => "evidence",
        }
    }

    /// What has to be true, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Format => "the task file is in the format",
            Self::Fixtures => "every workspace file is there",
            Self::Rubric => "the weights of the rubric sum to 100 %",
            Self::Timeout => "the time limit is plausible",
            Self::Seed => "the world can be made of the seed",
            Self::Prompt => "the agent is not handed the answer",
            Self::Module => "the grader is a module that runners load",
            Self::Imports => "it asks for nothing that a grader may not have",
            Self::Nop => "the agent that does nothing gets the floor",
            Self::Oracle => "the solution gets full marks",
            Self::Repeat => "grading twice gives the same bytes",
            Self::Evidence => "the grader asks only for what is there",
        }
    }

    /// Whether agents have to play the task for it.
    pub fn needs_run(self) -> bool {
        matches!(
            self,
            Self::Nop | Self::Oracle | Self::Repeat | Self::Evidence
        )
    }
}

impl std::str::FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::as_str).join(", ");
        let found = Self::ALL.into_iter().find(|gate| gate.as_str() == text);
        found.ok_or_else(|| format!("there is no gate of that name; the gates are {names}"))
    }
}

/// How a gate came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// There is nothing to hold, or nobody asked.
    Skipped,
    /// This machine could not find out. Says nothing about the task.
    Error,
}

/// One gate of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Which gate.
    pub gate: Gate,
    /// How it came out.
    pub status: Status,
    /// Why, in a line or a few.
    pub reason: String,
    /// What else there is to know: warnings of the format, files that a grader
    /// asked for in vain. They make no gate fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to do about a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Row {
    fn new(gate: Gate, status: Status, reason: impl Into<String>) -> Self {
        Self {
            gate,
            status,
            reason: reason.into(),
            notes: Vec::new(),
            hint: None,
        }
    }

    fn pass(gate: Gate, reason: impl Into<String>) -> Self {
        Self::new(gate, Status::Pass, reason)
    }

    fn fail(gate: Gate, reason: impl Into<String>) -> Self {
        Self::new(gate, Status::Fail, reason)
    }

    fn skipped(gate: Gate, reason: impl Into<String>) -> Self {
        Self::new(gate, Status::Skipped, reason)
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }
}

/// The gates of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskReport {
    /// The task's id; its file where it cannot be loaded.
    pub task: String,
    /// Its file.
    pub file: String,
    /// Every gate that was asked for, in the order of [`Gate::ALL`].
    pub gates: Vec<Row>,
}

/// The gates of all tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// In order of id; what cannot be loaded comes first.
    pub tasks: Vec<TaskReport>,
}

impl CheckReport {
    /// How many gates came out so.
    pub fn count(&self, status: Status) -> usize {
        let rows = self.tasks.iter().flat_map(|task| &task.gates);
        rows.filter(|row| row.status == status).count()
    }
}

/// What to check, and how.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// A suite or a task.
    pub path: PathBuf,
    /// The gates to look at; all where empty.
    pub only: Vec<Gate>,
    /// Whether gates that need a run are left out.
    pub skip_run: bool,
    /// How the agents are held.
    pub isolation: Isolation,
    /// Programs and directories of this machine that the agents may use.
    pub tools: Vec<PathBuf>,
    /// Directory for what the trials leave; must not hold anything yet.
    pub out: PathBuf,
    /// Whether it is there after the check.
    pub keeps_out: bool,
    /// Where things are on this machine.
    pub host: HostConfig,
}

impl CheckRequest {
    fn wants(&self, gate: Gate) -> bool {
        let asked = self.only.is_empty() || self.only.contains(&gate);
        asked && !(self.skip_run && gate.needs_run())
    }
}

/// Checks the suite, or the one task, at `request.path`.
///
/// # Errors
/// There is no task at the path, what is asked for cannot be, or this machine
/// cannot run agents. Whatever is wrong with a task is a row of the report.
pub async fn check(
    request: CheckRequest,
    sinks: Vec<Arc<dyn EventSink>>,
) -> Result<CheckReport, EngineError> {
    let Found { suite, broken, .. } = crate::suite::find(&request.path)?;
    if !Gate::ALL.into_iter().any(|gate| request.wants(gate)) {
        return Err(EngineError::Usage {
            message: "every gate that is asked for needs a run, and nothing is to be run"
                .to_owned(),
            hint: Some("leave out --skip-run, or ask for other gates with --only".to_owned()),
        });
    }
    let plays = Gate::ALL
        .into_iter()
        .any(|gate| gate.needs_run() && request.wants(gate));
    if plays && request.isolation == Isolation::Sandbox {
        crate::room::probe(&request.host)?;
    }
    let mut tasks: Vec<TaskReport> = broken
        .iter()
        .map(|(path, error)| report_broken(&request, path, error))
        .collect();
    for task in suite.tasks {
        let task = Arc::new(task);
        let mut gates = still::gates(&task);
        if plays {
            played::gates(&request, &task, &sinks, &mut gates).await?;
        }
        gates.retain(|row| request.wants(row.gate));
        gates.sort_by_key(|row| row.gate);
        tasks.push(TaskReport {
            task: task.info.id.clone(),
            file: task.file().to_owned(),
            gates,
        });
    }
    Ok(CheckReport { tasks })
}

/// A task that cannot be loaded: the gate at which it fails, and no other.
fn report_broken(request: &CheckRequest, path: &Path, error: &TaskError) -> TaskReport {
    let at = failing_gate(error);
    let rows = Gate::ALL.into_iter().map(|gate| {
        if gate == at {
            Row::fail(gate, error.to_string()).hint("docs/task-format.md describes the format")
        } else {
            Row::skipped(gate, "the task cannot be loaded")
        }
    });
    // Asked for or not: what cannot be loaded passes nothing.
    let gates = rows.filter(|row| row.gate == at || request.wants(row.gate));
    TaskReport {
        task: path.display().to_string(),
        file: path.display().to_string(),
        gates: gates.collect(),
    }
}

fn failing_gate(error: &TaskError) -> Gate {
    match error {
        TaskError::Format(error) => match &error.problem {
            Problem::Path { key, problem, .. } if key == "workspace_files" => match problem {
                PathProblem::Absolute { .. } | PathProblem::Parent { .. } => Gate::Format,
                _ => Gate::Fixtures,
            },
            _ => Gate::Format,
        },
        _ => Gate::Format,
    }
}

/// A task whose files are looked at.
type TaskRef = Arc<Task>;
