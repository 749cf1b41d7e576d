//! Programs of the host that a task needs in the agent's room.

use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::task::Task;

/// Programs found on the host, each with its name.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) programs: Vec<(String, PathBuf)>,
}

impl Tools {
    /// Finds the `cli:` prerequisites of `task` in `search`.
    ///
    /// A program under `/usr` is in the room anyway; any other is bound into it
    /// read-only.
    pub(crate) fn find(task: &Task, search: &[PathBuf]) -> Result<Self, EngineError> {
        let mut tools = Self::default();
        for name in task
            .prerequisites
            .iter()
            .filter_map(|entry| entry.strip_prefix("cli:"))
        {
            let found = search
                .iter()
                .map(|dir| dir.join(name))
                .find(|path| executable(path))
                .ok_or_else(|| missing(task, name, search))?;
            // The room must not depend on where a link of the host points to.
            let real = found.canonicalize().unwrap_or(found);
            if !real.starts_with("/usr") || real.file_name().is_none_or(|file| file != name) {
                tools.programs.push((name.to_owned(), real));
            }
        }
        Ok(tools)
    }
}

fn missing(task: &Task, name: &str, search: &[PathBuf]) -> EngineError {
    let dirs: Vec<String> = search.iter().map(|dir| dir.display().to_string()).collect();
    EngineError::MissingPrerequisite {
        task: task.info.id.clone(),
        program: name.to_owned(),
        looked: format!("looked in {}", dirs.join(", ")),
    }
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
