//! `command`: any shell command as the agent.
//!
//! The command line runs under `bash -c` in the workspace and gets the prompt
//!
//! - as a file, whose path is in `PROCTOR_PROMPT_FILE` (and the system prompt,
//!   where the task has one, in `PROCTOR_SYSTEM_PROMPT_FILE`);
//! - as an argument, wherever the command line says `{prompt}`: the shell gets
//!   the prompt as a parameter and the placeholder becomes `"${1}"`, so no
//!   character of the prompt is ever read as shell;
//! - on standard input, where the command line does not say `{prompt}`.
//!
//! `PROCTOR_ATTEMPT` is the number of the attempt, from 0.
//!
//! What it prints on standard output is the agent's one message. Both outputs
//! are kept whole, up to a cap, for the bundle's `agent/` folder. An exit code
//! other than 0 is a failed agent.

use std::time::Duration;

use async_trait::async_trait;
use proctor_types::manifest::{AgentEnd, TranscriptSource};

use crate::agent::{Agent, AgentError, AgentRun, Assignment, Deadline};
use crate::files;
use crate::room::{BASH, ExecOutput, ExecRequest, MAX_ARGUMENT_BYTES, Shell, ShellError};
use crate::steps::ENV_ATTEMPT;
use crate::text;
use crate::transcript::{TranscriptError, TranscriptWriter};

/// Stands for the prompt in a command line.
const PLACEHOLDER: &str = "{prompt}";
/// Bytes of each output that are kept.
const OUTPUT_CAP_BYTES: usize = 8 << 20;
/// Bytes of standard output that become the agent's message.
const MESSAGE_BYTES: usize = 256 << 10;

/// Runs a shell command as the agent.
#[derive(Debug, Clone)]
pub struct Command {
    /// The command line with its placeholders turned into parameters.
    line: String,
    by_argument: bool,
}

/// Why a command line cannot be an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A placeholder where the shell would not expand it safely.
    #[error(
        "`{{prompt}}` stands inside quotes at character {at} of the command: write it bare, the \
         prompt is passed as one argument as it is"
    )]
    Quoted {
        /// Position of the placeholder in characters, from 1.
        at: usize,
    },
    /// Too long for the operating system.
    #[error("the command has {bytes} bytes, and the system takes {MAX_ARGUMENT_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A character that no command line can hold.
    #[error("the command has a NUL character")]
    Nul,
}

impl Command {
    /// An agent that runs `line`.
    ///
    /// # Errors
    /// For a line that cannot be run, or that quotes `{prompt}`.
    pub fn new(line: &str) -> Result<Self, CommandError> {
        if line.contains('\0') {
            return Err(CommandError::Nul);
        }
        let by_argument = line.contains(PLACEHOLDER);
        let line = parametrised(line)?;
        if line.len() > MAX_ARGUMENT_BYTES {
            return Err(CommandError::TooLong { bytes: line.len() });
        }
        Ok(Self { line, by_argument })
    }

    fn request(&self, prompt: &str, env: Vec<(String, String)>, timeout: Duration) -> ExecRequest {
        let mut argv = vec![
            BASH.to_owned(),
            "-c".to_owned(),
            self.line.clone(),
            "agent".to_owned(),
        ];
        let stdin = if self.by_argument {
            argv.push(prompt.to_owned());
            None
        } else {
            Some(prompt.as_bytes().to_vec())
        };
        ExecRequest {
            argv,
            env,
            cwd: None,
            stdin,
            timeout,
            output_cap_bytes: OUTPUT_CAP_BYTES,
        }
    }

    /// Whether the prompt can be an argument, where it has to be one.
    fn unfit(&self, prompt: &str) -> Option<String> {
        if !self.by_argument {
            return None;
        }
        let bytes = prompt.len();
        if bytes > MAX_ARGUMENT_BYTES {
            return Some(format!(
                "the prompt has {bytes} bytes and an argument may have {MAX_ARGUMENT_BYTES}: let \
                 the command read it on standard input or from $PROCTOR_PROMPT_FILE"
            ));
        }
        prompt.contains('\0').then(|| {
            "the prompt has a NUL character, which no argument can hold: let the command read it \
             on standard input or from $PROCTOR_PROMPT_FILE"
                .to_owned()
        })
    }
}

#[async_trait]
impl Agent for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn transcript_source(&self) -> TranscriptSource {
        TranscriptSource::Output
    }

    async fn run(
        &self,
        room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        let deadline = Deadline::after(assignment.timeout);
        transcript.open(assignment)?;
        if let Some(reason) = self.unfit(assignment.prompt) {
            return Ok(AgentRun::ended(AgentEnd::Failed {
                exit_code: None,
                reason,
                failure: None,
            }));
        }
        let mut env = vec![(ENV_ATTEMPT.to_owned(), assignment.attempt.to_string())];
        let files = [
            ("PROCTOR_PROMPT_FILE", Some(assignment.prompt)),
            ("PROCTOR_SYSTEM_PROMPT_FILE", assignment.system_prompt),
        ];
        for (variable, text) in files {
            if let Some(text) = text {
                env.push((variable.to_owned(), files::put_fresh(room, text).await?));
            }
        }
        let Some(left) = deadline.left() else {
            return Ok(AgentRun::ended(deadline.met()));
        };
        let request = self.request(assignment.prompt, env, left);
        let output = match room.exec(request).await {
            // The room has run a command by now: it is this one that does not fit.
            Err(error @ ShellError::CannotStart { .. }) => {
                return Ok(AgentRun::ended(AgentEnd::Failed {
                    exit_code: None,
                    reason: error.to_string(),
                    failure: None,
                }));
            }
            output => output?,
        };
        let end = end(&output, deadline);
        let end = match transcript_of(&output, transcript) {
            Ok(()) => end,
            Err(TranscriptError::Full { limit }) => AgentEnd::Failed {
                exit_code: Some(output.exit_code),
                reason: TranscriptError::Full { limit }.to_string(),
                failure: None,
            },
            Err(error) => return Err(error.into()),
        };
        let raw = vec![
            ("stdout".to_owned(), output.stdout),
            ("stderr".to_owned(), output.stderr),
        ];
        Ok(AgentRun {
            end,
            raw,
            account: None,
        })
    }
}

fn end(output: &ExecOutput, deadline: Deadline) -> AgentEnd {
    if output.timed_out {
        return deadline.met();
    }
    if output.exit_code == 0 {
        return AgentEnd::Completed;
    }
    let mut reason = format!("the command exited with {}", output.exit_code);
    if let Some(line) = text::last_line(&output.stderr) {
        reason.push_str(": ");
        reason.push_str(&line);
    }
    AgentEnd::Failed {
        exit_code: Some(output.exit_code),
        reason,
        failure: None,
    }
}

fn transcript_of(
    output: &ExecOutput,
    transcript: &mut TranscriptWriter,
) -> Result<(), TranscriptError> {
    let mut text = String::new();
    let (bytes, beyond_cap) = (&output.stdout, output.stdout_cut_bytes);
    text::show(
        &mut text,
        bytes,
        beyond_cap,
        MESSAGE_BYTES,
        "standard output",
    );
    if text.is_empty() {
        Ok(())
    } else {
        transcript.say(text)
    }
}

/// `line` with each bare `{prompt}` as `"${1}"`.
fn parametrised(line: &str) -> Result<String, CommandError> {
    let mut out = String::with_capacity(line.len());
    let mut quote: Option<char> = None;
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(PLACEHOLDER) {
            if quote.is_some() {
                let before = line.len() - rest.len();
                return Err(CommandError::Quoted {
                    at: line[..before].chars().count() + 1,
                });
            }
            out.push_str("\"${1}\"");
            rest = after;
            continue;
        }
        let mut taken = char.len_utf8();
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None | Some('"'), '\\') => {
                taken += rest[taken..].chars().next().map_or(0, char::len_utf8);
            }
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_placeholder_becomes_the_parameter() {
        for (line, expected) in [
            ("agent -p {prompt}", "agent -p \"${1}\""),
            ("a {prompt} | b {prompt}", "a \"${1}\" | b \"${1}\""),
            ("a 'it' \"b\" --x={prompt}", "a 'it' \"b\" --x=\"${1}\""),
            ("a \\' {prompt} \\'", "a \\' \"${1}\" \\'"),
            ("a \"\\\"\" {prompt}", "a \"\\\"\" \"${1}\""),
            ("é {prompt}", "é \"${1}\""),
            ("no placeholder {promp}", "no placeholder {promp}"),
            ("ends with \\", "ends with \\"),
        ] {
            assert_eq!(parametrised(line).unwrap(), expected);
        }
        for (line, at) in [
            ("é '{prompt}'", 4),
            ("a \"x {prompt}\"", 6),
            ("a '\\' '{prompt}", 8),
        ] {
            assert_eq!(
                parametrised(line),
                Err(CommandError::Quoted { at }),
                "{line}"
            );
        }
    }

    #[test]
    fn lines_that_cannot_be_run_are_refused() {
        assert_eq!(Command::new("a\0b").unwrap_err(), CommandError::Nul);
        let long = "x".repeat(MAX_ARGUMENT_BYTES + 1);
        assert!(matches!(
            Command::new(&long),
            Err(CommandError::TooLong { .. })
        ));
    }
}
