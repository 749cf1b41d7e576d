//! Files that an adapter puts into its agent's room.

use std::time::Duration;

use crate::adapter::{RenderedFile, room_path};
use crate::agent::AgentError;
use crate::room::{BASH, ExecOutput, ExecRequest, Shell, ShellError};
use crate::text;

/// Time for putting a file into the room.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Writes standard input to a fresh file, and prints its path.
const FRESH: &str = r#"umask 077 && file=$(mktemp) && cat >"$file" && printf %s "$file""#;
/// Writes standard input to `$1`, whose folders are made. A file that is there
/// is left alone: it is not the agent's yet.
const NAMED: &str = r#"umask 077 && mkdir -p -- "${1%/*}" && set -C && cat >"$1""#;

/// Writes `text` to a fresh file outside of the workspace, and gives its path.
pub(crate) async fn put_fresh(room: &dyn Shell, text: &str) -> Result<String, AgentError> {
    let output = run(room, FRESH, None, text.as_bytes()).await?;
    match std::str::from_utf8(&output.stdout) {
        Ok(path) if output.exit_code == 0 && path.starts_with('/') => Ok(path.to_owned()),
        _ => Err(refused("the prompt", &output)),
    }
}

/// Writes a file below the agent's home, which is `home` in the room.
pub(crate) async fn put(
    room: &dyn Shell,
    home: &str,
    file: &RenderedFile,
) -> Result<(), AgentError> {
    let Some(path) = room_path(&file.path, home) else {
        let problem = format!("{:?} is no path below the agent's home", file.path);
        return Err(ShellError::Room(problem.into()).into());
    };
    let output = run(room, NAMED, Some(path), &file.bytes).await?;
    if output.exit_code == 0 {
        Ok(())
    } else {
        Err(refused(path, &output))
    }
}

async fn run(
    room: &dyn Shell,
    script: &str,
    path: Option<&str>,
    bytes: &[u8],
) -> Result<ExecOutput, ShellError> {
    let mut argv = [BASH, "-c", script, "put"].map(str::to_owned).to_vec();
    argv.extend(path.map(str::to_owned));
    room.exec(ExecRequest {
        argv,
        env: Vec::new(),
        cwd: Some("/".to_owned()),
        stdin: Some(bytes.to_vec()),
        timeout: TIME_LIMIT,
        output_cap_bytes: 4096,
    })
    .await
}

fn refused(what: &str, output: &ExecOutput) -> AgentError {
    let reason = text::last_line(&output.stderr);
    let reason = reason.unwrap_or_else(|| format!("exit code {}", output.exit_code));
    let reason = format!("{what} cannot be written to a file there: {reason}");
    ShellError::Room(reason.into()).into()
}
