//! Captures: a value taken out of a command's output with a jq filter.
//!
//! Filters come with the task and so from people whom nobody vouches for, and
//! jq is a whole language: `repeat(.)` never ends, `[range(1e12)]` fills any
//! memory, `def f: 1 + f; f` overflows the stack. No interpreter inside the
//! runner can be stopped from the outside in all three cases, so the filter is
//! evaluated by a program of its own, `proctor-capture`, **in the trial's
//! room**: the limits of the room hold for it, and those of [`program`] too.
//!
//! A filter must give exactly one value, and not `null`: a capture that found
//! nothing is a mistake in the script, which should not surface three steps
//! later. Strings are taken as they are, everything else as compact JSON.

pub mod program;

use std::time::Duration;

use crate::room::{ExecOutput, ExecRequest, Shell, ShellError};
use crate::text;

/// Bytes that a filter may have.
pub const MAX_FILTER_BYTES: usize = 4 << 10;
/// Bytes that a captured value may have.
pub const MAX_VALUE_BYTES: usize = 64 << 10;
/// Time for one capture, whatever it does.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Why a value could not be captured. All of these are the script's failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CaptureError {
    #[error("the command's output was cut, so it cannot be read as JSON: print less")]
    Cut,
    #[error("this room has no `proctor-capture` to evaluate filters with")]
    NoProgram,
    #[error("{0}")]
    Refused(String),
    #[error("the filter used up its time, memory or recursion depth ({0})")]
    Exhausted(String),
}

/// Evaluates `filter` over `output` in `room`, for at most `time`.
pub(crate) async fn evaluate(
    room: &dyn Shell,
    filter: &str,
    output: &ExecOutput,
    time: Duration,
) -> Result<Result<String, CaptureError>, ShellError> {
    if output.stdout_cut_bytes > 0 {
        return Ok(Err(CaptureError::Cut));
    }
    let Some(program) = room.capture_program() else {
        return Ok(Err(CaptureError::NoProgram));
    };
    let answer = room
        .exec(ExecRequest {
            argv: vec![program.to_owned(), filter.to_owned()],
            env: Vec::new(),
            cwd: Some("/".to_owned()),
            stdin: Some(output.stdout.clone()),
            timeout: TIME_LIMIT.min(time),
            output_cap_bytes: MAX_VALUE_BYTES + 1,
        })
        .await?;
    Ok(value(answer))
}

fn value(answer: ExecOutput) -> Result<String, CaptureError> {
    if answer.timed_out {
        return Err(CaptureError::Exhausted("killed after its time".to_owned()));
    }
    match answer.exit_code {
        0 => String::from_utf8(answer.stdout)
            .map_err(|_| CaptureError::Refused("the value is not UTF-8".to_owned())),
        program::REFUSED => {
            let reason = text::last_line(&answer.stderr);
            Err(CaptureError::Refused(
                reason.unwrap_or_else(|| "the filter failed".to_owned()),
            ))
        }
        code => Err(CaptureError::Exhausted(format!("exit code {code}"))),
    }
}
