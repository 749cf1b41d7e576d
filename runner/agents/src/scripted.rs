//! `scripted` and `oracle`: agents that play a steps file.
//!
//! Every step becomes what a step of a real agent becomes: a message with a
//! call of the tool `exec`, and the tool's result. A command that fails does
//! not stop the script, as it would not stop an agent; `expect_exit` is for
//! steps without which the rest makes no sense.

use async_trait::async_trait;
use proctor_types::manifest::{AgentEnd, TranscriptSource};
use proctor_types::transcript::Details;
use serde_json::{Map, Value};

use crate::agent::{Agent, AgentError, AgentRun, Assignment, Deadline};
use crate::capture;
use crate::room::{BASH, ExecOutput, ExecRequest, MAX_ARGUMENT_BYTES, Shell, ShellError};
use crate::steps::{ATTEMPT, CommandStep, ENV_ATTEMPT, ENV_FILES, Step, Steps, Variables};
use crate::text;
use crate::transcript::{TranscriptError, TranscriptWriter};

/// Name of the tool that steps call.
const TOOL: &str = "exec";
/// Bytes that a message may have with its variables filled in.
const MAX_SAY_BYTES: usize = 64 << 10;
/// Bytes of each output that are kept for captures. The transcript shows less.
const OUTPUT_CAP_BYTES: usize = 4 << 20;

/// Plays a steps file that the operator names.
#[derive(Debug, Clone)]
pub struct Scripted {
    steps: Steps,
}

impl Scripted {
    /// An agent that plays `steps`.
    pub fn new(steps: Steps) -> Self {
        Self { steps }
    }
}

#[async_trait]
impl Agent for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn transcript_source(&self) -> TranscriptSource {
        TranscriptSource::Runner
    }

    async fn run(
        &self,
        room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        play(&self.steps, room, assignment, transcript).await
    }
}

/// Plays the solution that the task brings. What it scores is the ceiling of a
/// task.
#[derive(Debug, Clone, Copy, Default)]
pub struct Oracle;

#[async_trait]
impl Agent for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn transcript_source(&self) -> TranscriptSource {
        TranscriptSource::Runner
    }

    async fn run(
        &self,
        room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        let solution = assignment.solution.ok_or(AgentError::NoSolution)?;
        let steps = Steps::parse(solution.path, solution.bytes)?;
        play(&steps, room, assignment, transcript).await
    }
}

async fn play(
    steps: &Steps,
    room: &dyn Shell,
    assignment: &Assignment<'_>,
    transcript: &mut TranscriptWriter,
) -> Result<AgentRun, AgentError> {
    let deadline = Deadline::after(assignment.timeout);
    let attempt = assignment.attempt.to_string();
    let mut variables = Variables::default();
    variables.set(ATTEMPT, attempt.as_str());
    let files = room
        .steps_dir()
        .map(|dir| (ENV_FILES.to_owned(), dir.to_owned()));
    let env = std::iter::once((ENV_ATTEMPT.to_owned(), attempt)).chain(files);
    let mut player = Player {
        room,
        transcript,
        deadline,
        variables,
        env: env.collect(),
        ran: false,
    };
    let end = match player.all(assignment, &steps.list).await {
        Ok(()) => AgentEnd::Completed,
        Err(Stop::End(end)) => end,
        Err(Stop::Trial(error)) => return Err(error),
    };
    Ok(AgentRun {
        end,
        raw: vec![("steps.yaml".to_owned(), steps.source.clone())],
        account: None,
    })
}

/// Why a script does not go on.
enum Stop {
    /// The agent's run is over.
    End(AgentEnd),
    /// The trial is.
    Trial(AgentError),
}

impl Stop {
    fn failed(step: usize, exit_code: Option<i32>, reason: &str) -> Self {
        tracing::debug!(step, reason, "the script failed");
        Self::End(AgentEnd::Failed {
            exit_code,
            reason: format!("step {step}: {reason}"),
            failure: None,
        })
    }
}

impl From<ShellError> for Stop {
    fn from(error: ShellError) -> Self {
        Self::Trial(error.into())
    }
}

impl From<TranscriptError> for Stop {
    fn from(error: TranscriptError) -> Self {
        match error {
            // The script printed more than a transcript may hold.
            TranscriptError::Full { .. } => Self::End(AgentEnd::Failed {
                exit_code: None,
                reason: error.to_string(),
                failure: None,
            }),
            TranscriptError::Write(_) => Self::Trial(error.into()),
        }
    }
}

/// A script on its way.
struct Player<'a> {
    room: &'a dyn Shell,
    transcript: &'a mut TranscriptWriter,
    deadline: Deadline,
    variables: Variables,
    /// Variables of every command.
    env: Vec<(String, String)>,
    /// Whether a command of the script has run: the room is one then in which
    /// commands can be started.
    ran: bool,
}

impl Player<'_> {
    async fn all(&mut self, assignment: &Assignment<'_>, steps: &[Step]) -> Result<(), Stop> {
        self.transcript.open(assignment)?;
        for (index, step) in steps.iter().enumerate() {
            self.step(index + 1, step).await?;
        }
        Ok(())
    }

    async fn step(&mut self, number: usize, step: &Step) -> Result<(), Stop> {
        let say = step
            .say
            .as_deref()
            .map(|say| self.fill(number, say, MAX_SAY_BYTES))
            .transpose()?;
        let Some(command) = &step.command else {
            return Ok(self.transcript.say(say.unwrap_or_default())?);
        };
        let line = self.fill(number, &command.run, MAX_ARGUMENT_BYTES)?;
        let output = self.exec(number, say.as_deref(), line, command).await?;
        if let Some(expected) = command.expect_exit
            && expected != output.exit_code
        {
            let reason = unexpected_exit(expected, &output);
            return Err(Stop::failed(number, Some(output.exit_code), &reason));
        }
        for (name, filter) in &command.capture {
            let time = self
                .deadline
                .left()
                .ok_or_else(|| Stop::End(self.deadline.met()))?;
            let filter = self.fill(number, filter, capture::MAX_FILTER_BYTES)?;
            let value = match capture::evaluate(self.room, &filter, &output, time).await {
                // The step's command has run, so the room could start commands.
                Err(error @ ShellError::CannotStart { .. }) => {
                    return Err(Stop::failed(number, None, &error.to_string()));
                }
                value => value?,
            };
            let value = value.map_err(|problem| {
                Stop::failed(number, None, &format!("cannot capture `{name}`: {problem}"))
            })?;
            self.variables.set(name, value);
        }
        Ok(())
    }

    /// Calls the tool, and writes the call before and the result after.
    async fn exec(
        &mut self,
        number: usize,
        say: Option<&str>,
        line: String,
        command: &CommandStep,
    ) -> Result<ExecOutput, Stop> {
        let left = self
            .deadline
            .left()
            .ok_or_else(|| Stop::End(self.deadline.met()))?;
        let mut arguments = Map::new();
        arguments.insert("command".to_owned(), Value::String(line.clone()));
        let id = self.transcript.call(say, TOOL, arguments)?;
        let request = ExecRequest {
            argv: vec![BASH.to_owned(), "-c".to_owned(), line],
            env: self.env.clone(),
            cwd: None,
            stdin: None,
            timeout: command.timeout.min(left),
            output_cap_bytes: OUTPUT_CAP_BYTES,
        };
        let output = match self.room.exec(request).await {
            // What keeps a command from being started in a room that has run
            // others is what those others did there.
            Err(error @ ShellError::CannotStart { .. }) if self.ran => {
                let text = error.to_string();
                self.transcript
                    .result(&id, TOOL, text.clone(), true, Details::default())?;
                return Err(Stop::failed(number, None, &text));
            }
            output => output?,
        };
        self.ran = true;
        let (text, details) = text::tool_result(&output);
        let is_error = output.timed_out || output.exit_code != 0;
        self.transcript.result(&id, TOOL, text, is_error, details)?;
        if output.timed_out && left <= command.timeout {
            return Err(Stop::End(self.deadline.met()));
        }
        Ok(output)
    }

    fn fill(&self, step: usize, template: &str, limit: usize) -> Result<String, Stop> {
        let filled = self.variables.fill(template, limit);
        filled.map_err(|problem| Stop::failed(step, None, &problem.to_string()))
    }
}

fn unexpected_exit(expected: i32, output: &ExecOutput) -> String {
    let mut reason = format!("expected exit code {expected}, got {}", output.exit_code);
    if output.timed_out {
        reason.push_str(" (its time was up)");
    } else if let Some(line) = text::last_line(&output.stderr) {
        reason.push_str(": ");
        reason.push_str(&line);
    }
    reason
}
