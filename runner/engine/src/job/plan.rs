//! From what the operator asked for to a list of trials, with everything
//! checked that can be checked before the first agent starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proctor_agents::{AGENT_NAMES, AgentSpec, SpecError};
use proctor_grading::python::Script;
use proctor_judge::Judge;
use proctor_types::manifest::Isolation;
use serde_json::json;

use super::JobDir;
use super::program::{Program, Wanted};
use crate::EngineError;
use crate::choice::GraderChoice;
use crate::error::unusable;
use crate::events::{Events, TrialId};
use crate::host::HostConfig;
use crate::judging::JudgeRequest;
use crate::model::{ModelRequest, Models};
use crate::task::{self, lock};
use crate::trial::{Bench, Graders, Module, Tools, TrialSpec, Worlds, brought, settled};

/// Longest name that an operator gives to an agent, in bytes.
const LABEL_BYTES: usize = 64;
/// Where jobs are recorded, seen from where `proctor` runs.
const OUT: &str = "out";

/// What the operator asks for.
#[derive(Debug, Clone)]
pub struct JobRequest {
    /// Task folders, Markdown files or suites.
    pub paths: Vec<PathBuf>,
    /// Agents, as `NAME` or `NAME:ARGUMENT`, and `LABEL=` before it where they
    /// are to be called otherwise.
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
    /// Which grader grades.
    pub grader: GraderChoice,
    /// What the lock file of a suite decides.
    pub lock: lock::Policy,
    /// Where the agent's program is, or its installation, where it is not to be
    /// looked for.
    pub agent_path: Option<PathBuf>,
    /// Most turns that an agent may take.
    pub turns: Option<u32>,
    /// The agents' model.
    pub model: Option<ModelRequest>,
    /// Who judges what graders leave open.
    pub judge: Option<JudgeRequest>,
    /// Where things are on this machine.
    pub host: HostConfig,
}

/// A checked plan.
#[derive(Debug)]
pub struct JobPlan {
    /// The job's name, unless that is taken.
    name: String,
    /// The directory that was asked for.
    out: Option<PathBuf>,
    pub(crate) trials: Vec<TrialSpec>,
    pub(crate) isolation: Isolation,
    pub(crate) given: Tools,
    pub(crate) host: HostConfig,
    models: Option<Models>,
    judge: Option<Judge>,
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
        let agents = agents(&request.agents)?;
        let models = request.model.as_ref().map(Models::load).transpose()?;
        let programs = programs(&agents, &request, models.as_ref())?;
        let judge = request.judge.as_ref();
        if let (Some(judge), Some(models)) = (judge, &models) {
            judge.may_judge(models.name())?;
        }
        let judge = judge.map(JudgeRequest::open).transpose()?;
        let name = format!("job-{}", crate::time::now_compact());
        let out = request
            .out
            .clone()
            .unwrap_or_else(|| Path::new(OUT).join(&name));
        let given = Tools::given(&request.tools, &out)?;
        let mut trials = Vec::new();
        for path in &request.paths {
            apart(&out, path)?;
        }
        for task in crate::suite::load(&request.paths)? {
            let task = Arc::new(task);
            supported(&task)?;
            let pack = task.pack.suite_dir().join(task.pack.name());
            apart(&out, &pack)?;
            let brought = agents
                .iter()
                .map(|(_, spec)| brought(spec, &task))
                .collect::<Result<Vec<_>, _>>()?;
            let mut remarks = task
                .warnings
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>();
            let worlds = Worlds::of(&task)?;
            let module = Module::of(
                &task,
                request.lock,
                &request.grader,
                &request.host,
                &mut remarks,
            )?;
            let graders = Graders::of(&task, &module)?;
            let tools = Arc::new(given.and_prerequisites(&task, &request.host.search)?);
            let attempts = request.attempts.or(task.attempts).unwrap_or(1);
            for (((name, spec), brought), program) in agents.iter().zip(&brought).zip(&programs) {
                let tools = match program {
                    Some(program) => Arc::new(tools.and_program(program)),
                    None => Arc::clone(&tools),
                };
                for attempt in 0..attempts {
                    trials.push(TrialSpec {
                        id: TrialId {
                            task: task.info.id.clone(),
                            agent: name.clone(),
                            attempt,
                        },
                        task: Arc::clone(&task),
                        worlds: worlds.clone(),
                        agent: spec.clone(),
                        program: program.clone(),
                        brought: Arc::clone(brought),
                        module: module.clone(),
                        graders: graders.clone(),
                        tools: Arc::clone(&tools),
                        remarks: remarks.clone(),
                    });
                }
            }
        }
        Ok(Self {
            name,
            out: request.out,
            trials,
            isolation: request.isolation,
            given,
            host: request.host,
            models,
            judge,
        })
    }

    /// Takes hold of a directory for the job, and says what the job is called.
    pub(crate) fn claim(&self) -> Result<(String, JobDir), EngineError> {
        match &self.out {
            Some(out) => Ok((self.name.clone(), JobDir::create(out)?)),
            None => JobDir::claim(OUT.as_ref(), &self.name),
        }
    }

    /// All graders that were made for the tasks, by the name of their file in
    /// the job's directory.
    pub(crate) fn graders(&self) -> BTreeMap<String, &[u8]> {
        self.trials
            .iter()
            .flat_map(|trial| trial.graders.files())
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
        let (grading, warning) = crate::host::grading(&self.host);
        if let Some(warning) = warning {
            events.warn(None, warning);
        }
        Bench {
            events,
            grading,
            isolation: self.isolation,
            host: self.host.clone(),
            models: self.models.clone(),
            judge: self.judge.clone(),
        }
    }

    /// `job.json`.
    pub(crate) fn describe(&self, id: &str) -> serde_json::Value {
        let trials: Vec<_> = self
            .trials
            .iter()
            .map(|trial| {
                json!({
                    "task": trial.id.task,
                    "agent": trial.agent.to_string(),
                    "name": trial.id.agent,
                    "attempt": trial.id.attempt,
                    "pack_sha256": trial.task.pack_sha256,
                    "grader": trial.module.kind(),
                    "grader_sha256": trial.module.sha256(),
                    "source_sha256": trial.module.script().map(Script::sha256),
                })
            })
            .collect();
        json!({
            "schema": "proctor.job/1",
            "job": id,
            "proctor": env!("CARGO_PKG_VERSION"),
            "isolation": self.isolation,
            "tools": self.given.targets(),
            "model": self.models.as_ref().map(|models| models.name().to_string()),
            "judge": self.judge.as_ref().map(Judge::name),
            "trials": trials,
        })
    }
}

/// The programs of the agents that are some, in the agents' order.
fn programs(
    agents: &[(String, AgentSpec)],
    request: &JobRequest,
    models: Option<&Models>,
) -> Result<Vec<Option<Arc<Program>>>, EngineError> {
    let wanted = Wanted {
        path: request.agent_path.as_ref(),
        turns: request.turns,
        isolation: request.isolation,
        models,
    };
    let programs = agents
        .iter()
        .map(|(_, spec)| Program::find(spec, wanted, &request.host))
        .collect::<Result<Vec<_>, _>>()?;
    let found = programs.iter().flatten().count();
    let of_programs = [
        ("--agent-path", request.agent_path.is_some() && found != 1),
        ("--turns", request.turns.is_some() && found == 0),
    ];
    match of_programs.iter().find(|(_, is_wrong)| *is_wrong) {
        Some((flag, _)) => Err(EngineError::Usage {
            message: format!("{flag} is for an agent that is a program of its own"),
            hint: Some(match found {
                0 => "none of the agents given is one; `proctor agents` lists them".to_owned(),
                _ => format!("of the agents given {found} are: run each in a job of its own"),
            }),
        }),
        None => Ok(programs),
    }
}

/// Refuses what would be run otherwise than its author meant it.
fn supported(task: &task::Task) -> Result<(), EngineError> {
    let what = if !task.sessions.is_empty() {
        "several sessions are not supported by this version"
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

/// Refuses an `out` inside of `pack`: what is recorded would become part of it.
fn apart(out: &Path, pack: &Path) -> Result<(), EngineError> {
    let (out, pack) = (settled(out), settled(pack));
    if !pack.is_dir() || !out.starts_with(&pack) {
        return Ok(());
    }
    Err(EngineError::Usage {
        message: format!(
            "the job would be recorded in {}, inside of what it runs ({}), and become part of it",
            out.display(),
            pack.display()
        ),
        hint: Some("give another --out".to_owned()),
    })
}

/// The agents with a name for each: the one before `=`, where there is one, or
/// else the adapter's, with a number from the second of an adapter on.
fn agents(texts: &[String]) -> Result<Vec<(String, AgentSpec)>, EngineError> {
    let mut named: Vec<(String, AgentSpec)> = Vec::new();
    for text in texts {
        let (label, text) = labelled(text)?;
        let spec = agent(text)?;
        if named.iter().any(|(_, other)| *other == spec) {
            return Err(EngineError::Usage {
                message: format!("the agent `{spec}` is given twice"),
                hint: Some("--attempts N lets it try N times".to_owned()),
            });
        }
        let before = named.iter().filter(|(_, other)| other.name == spec.name);
        let name = match (label, before.count()) {
            (Some(label), _) => label.to_owned(),
            (None, 0) => spec.name.clone(),
            (None, before) => format!("{}-{}", spec.name, before + 1),
        };
        if named.iter().any(|(other, _)| *other == name) {
            return Err(EngineError::Usage {
                message: format!("two agents are called `{name}`"),
                hint: Some("give each a name of its own: --agent NAME=AGENT".to_owned()),
            });
        }
        named.push((name, spec));
    }
    Ok(named)
}

/// The name in `NAME=AGENT`, and the agent. An `=` after the first colon is the
/// argument's.
fn labelled(text: &str) -> Result<(Option<&str>, &str), EngineError> {
    let head = text.split(':').next().unwrap_or(text);
    let Some(at) = head.find('=') else {
        return Ok((None, text));
    };
    let (label, agent) = (&text[..at], &text[at + 1..]);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let problem = if label.is_empty() || label.len() > LABEL_BYTES || !label.chars().all(plain) {
        format!("expected 1 to {LABEL_BYTES} letters, digits, `-` and `_` before the `=`")
    } else if AGENT_NAMES.contains(&label) {
        // Reports would take one agent for another.
        "that is what another agent is called".to_owned()
    } else {
        return Ok((Some(label), agent));
    };
    Err(EngineError::Usage {
        message: format!("the agent `{text}` cannot be called `{label}`: {problem}"),
        hint: Some("a name is for reports: --agent first=scripted:first.yaml".to_owned()),
    })
}

fn agent(text: &str) -> Result<AgentSpec, EngineError> {
    let spec: AgentSpec = text.parse().map_err(unusable)?;
    // Made once more for every trial; here only so that a mistake shows now.
    match proctor_agents::agent(&spec) {
        // Looked for where everything that it needs is known.
        Ok(_) | Err(SpecError::Program(_)) => {}
        Err(error) => return Err(unusable(error)),
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[&str]) -> Result<Vec<String>, EngineError> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        Ok(agents(&texts)?.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn agents_of_one_adapter_have_names_of_their_own_in_the_order_given() {
        let texts = ["command:a", "nop", "command:b", "command:a b"];
        assert_eq!(
            named(&texts).unwrap(),
            ["command", "nop", "command-2", "command-3"]
        );
    }

    #[test]
    fn an_operator_can_name_an_agent() {
        let texts = ["run-0=command:A=1 b", "command:x=y", "nop", "b=command:c"];
        assert_eq!(named(&texts).unwrap(), ["run-0", "command-2", "nop", "b"]);
        for (texts, problem) in [
            (&["=nop"][..], "letters, digits"),
            (&["a b=nop"], "letters, digits"),
            (&["../x=nop"], "letters, digits"),
            (&["oracle=nop"], "another agent is called"),
            (&["x=nop", "x=oracle"], "two agents are called `x`"),
            (&["command-2=nop", "command:a", "command:b"], "`command-2`"),
        ] {
            let error = named(texts).unwrap_err();
            assert!(matches!(&error, EngineError::Usage { .. }), "{error}");
            assert!(error.to_string().contains(problem), "{texts:?}: {error}");
        }
        // The agent itself is checked as ever.
        assert!(matches!(named(&["x=nap"]), Err(EngineError::Agent(_))));
    }

    #[test]
    fn the_same_agent_twice_is_a_mistake() {
        let error = named(&["nop", "oracle", "nop"]).unwrap_err();
        assert!(matches!(&error, EngineError::Usage { .. }), "{error}");
        assert!(
            error.to_string().contains("`nop` is given twice"),
            "{error}"
        );
    }

    #[test]
    fn a_steps_file_that_is_not_there_is_a_file_that_cannot_be_read() {
        let error = named(&["scripted:/nowhere.yaml"]).unwrap_err();
        assert!(matches!(&error, EngineError::Io { .. }), "{error}");
        let error = named(&["scriptd:x"]).unwrap_err();
        assert!(matches!(&error, EngineError::Agent(_)), "{error}");
    }

    #[test]
    fn a_job_is_recorded_outside_of_what_it_runs() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("pack")).unwrap();
        std::fs::write(at("task.md"), "").unwrap();
        std::os::unix::fs::symlink("pack", at("link")).unwrap();
        for out in ["pack", "pack/out/job", "link/job", "x/../pack/job"] {
            let error = apart(&at(out), &at("pack")).unwrap_err().to_string();
            assert!(error.contains("inside of what it runs"), "{out}: {error}");
        }
        apart(&at("packed/job"), &at("pack")).unwrap();
        apart(&at("job"), &at("task.md")).unwrap();
    }
}
