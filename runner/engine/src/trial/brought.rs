//! What an agent's steps file brings into its room.

use std::sync::Arc;

use proctor_agents::AgentSpec;
use proctor_agents::steps::{Brought, BroughtError, BroughtFile, Steps};

use crate::EngineError;
use crate::error::unusable;
use crate::task::Task;

/// The agent that plays the solution of a task.
const ORACLE: &str = "oracle";

/// The files that `agent` brings when it works on `task`. For the oracle that
/// is also where a solution that cannot be played shows.
pub(crate) fn brought(
    agent: &AgentSpec,
    task: &Task,
) -> Result<Arc<Vec<BroughtFile>>, EngineError> {
    let files = if agent.name == ORACLE {
        of_solution(task)?
    } else {
        proctor_agents::brought(agent).map_err(unusable)?
    };
    Ok(Arc::new(files))
}

/// What the solution of `task` brings: files of the pack beside the steps file,
/// as they were when the pack was digested.
fn of_solution(task: &Task) -> Result<Vec<BroughtFile>, EngineError> {
    let Some(path) = &task.oracle else {
        return Err(EngineError::Unsupported {
            file: task.file().to_owned(),
            what: "the agent `oracle` has no solution to play; name a steps file under \
                   `proctor: oracle:`",
        });
    };
    let shown = task.pack.shown(path);
    let steps = Steps::parse(&shown, &task.pack.read(path)?)?;
    let refuse = |error: BroughtError| EngineError::Brought {
        steps: shown.clone(),
        error,
    };
    let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut brought = Brought::default();
    for name in steps.files() {
        let whole = joined(beside, name);
        let inside = format!("{whole}/");
        let mut found = false;
        for (path, file) in task.pack.listing().iter() {
            if path != whole && !path.starts_with(&inside) {
                continue;
            }
            found = true;
            let own = path[beside.len()..].trim_start_matches('/');
            let file = BroughtFile {
                path: own.to_owned(),
                bytes: task.pack.read(path)?,
                executable: file.executable,
            };
            brought.add(file).map_err(refuse)?;
        }
        if !found {
            return Err(refuse(BroughtError::Missing { name: name.clone() }));
        }
    }
    Ok(brought.finish())
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
