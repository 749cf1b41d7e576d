//! Stage "run": the agent works in its room.

use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use proctor_agents::{Account, Agent, AgentRun, Assignment, Solution, TranscriptWriter};
use proctor_types::WorldSnapshot;
use proctor_types::manifest::{AgentEnd, AgentRef, Clock};

use super::seed::Seeded;
use super::{StageError, TrialSpec};
use crate::EngineError;
use crate::model::Traffic;
use crate::room::Room;

/// Where the transcript grows until it is frozen.
pub(crate) const GROWING_TRANSCRIPT: &str = "transcript.partial.jsonl";

/// A room whose agent is gone.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) room: Room,
    pub(crate) before: WorldSnapshot,
    pub(crate) agent: AgentRef,
    pub(crate) end: AgentEnd,
    pub(crate) raw: Vec<(String, Vec<u8>)>,
    /// What the agent says of its own run.
    pub(crate) account: Option<Account>,
    pub(crate) clock: Clock,
    /// The way to the agent's model, where it had one.
    pub(crate) traffic: Option<Traffic>,
}

/// Lets the agent work until it is done or its time is up. Afterwards nothing
/// of it is left running.
pub(crate) async fn run(spec: &TrialSpec, seeded: Seeded, dir: &Dir) -> Result<Ran, StageError> {
    let Seeded {
        room,
        before,
        traffic,
        ..
    } = seeded;
    let agent = agent(spec)?;
    let mut transcript = TranscriptWriter::new(growing(dir)?);
    let timeout = Duration::from_secs(spec.task.info.timeout_seconds);
    let solution = match &spec.task.oracle {
        Some(path) => {
            let bytes = spec.task.pack.read(path);
            Some((
                path,
                bytes.map_err(|error| StageError::ours("task", &error))?,
            ))
        }
        None => None,
    };
    let (prompt, system_prompt) = (spec.prompt(), spec.system_prompt());
    let assignment = Assignment {
        prompt: &prompt,
        system_prompt: system_prompt.as_deref(),
        timeout,
        attempt: spec.id.attempt,
        solution: solution
            .as_ref()
            .map(|(path, bytes)| Solution { path, bytes }),
    };
    let started_at = crate::time::now_rfc3339();
    room.start_clock();
    let started = Instant::now();
    let work = agent.run(&room, &assignment, &mut transcript);
    let result = tokio::time::timeout(timeout + agent.grace(), work).await;
    let seconds = crate::time::seconds(started.elapsed());
    room.kill_all()
        .await
        .map_err(|error| StageError::ours("sandbox", &error))?;
    let AgentRun { end, raw, account } = match result {
        Ok(Ok(run)) => run,
        Ok(Err(error)) => return Err(StageError::ours("agent", &error)),
        Err(_) => AgentRun {
            end: AgentEnd::TimedOut {
                limit_seconds: timeout.as_secs(),
            },
            raw: Vec::new(),
            account: None,
        },
    };
    if let Some(fault) = room.fault() {
        return Err(fault);
    }
    Ok(Ran {
        agent: AgentRef {
            name: agent.name().to_owned(),
            version: agent.version(),
            transcript: agent.transcript_source(),
        },
        room,
        before,
        traffic,
        end,
        raw,
        account,
        clock: Clock {
            started_at,
            seconds,
        },
    })
}

fn agent(spec: &TrialSpec) -> Result<Box<dyn Agent>, StageError> {
    let ours = |error: &dyn std::error::Error| StageError::ours("agent", error);
    match &spec.program {
        Some(program) => {
            let agent = program.agent(&spec.task.info.services);
            Ok(Box::new(agent.map_err(|error| ours(&error))?))
        }
        None => proctor_agents::agent(&spec.agent).map_err(|error| ours(&error)),
    }
}

fn growing(dir: &Dir) -> Result<std::fs::File, EngineError> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true).mode(0o600);
    dir.open_with(GROWING_TRANSCRIPT, &options)
        .map(cap_std::fs::File::into_std)
        .map_err(EngineError::io(
            "cannot create",
            GROWING_TRANSCRIPT.as_ref(),
        ))
}
