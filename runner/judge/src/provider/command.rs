//! Any program as a judge: the request as JSON on its standard input, the
//! answer as JSON on its standard output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use proctor_types::Usage;
use rustix::process::{Pid, Signal};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use super::{Provider, Reply};
use crate::ask::Ask;
use crate::failure::Failure;
use crate::text::{excerpt, one_line};

/// What is kept of standard error, for messages, in bytes.
const STDERR_BYTES: usize = 4 << 10;

/// What a program may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// Time for one answer. Default 120 s.
    pub time: Duration,
    /// Standard output in bytes. Default 1 MiB.
    pub stdout_bytes: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_mins(2),
            stdout_bytes: 1 << 20,
        }
    }
}

/// A program of the operator.
///
/// It is started for every request, without a shell, with no environment but
/// [`Command::environment`], in a process group that is killed when its time is
/// up or it writes too much. What it needs to know to reach a model (an address,
/// a key) it finds in that environment or in files of its own; Proctor gives it
/// no key.
#[derive(Clone)]
pub struct Command {
    /// What the judge is called in reports, where the program's name does not
    /// say it.
    pub name: Option<String>,
    /// The program: a path, or a name that is looked up on the `PATH` of
    /// [`Command::environment`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// What it may take.
    pub limits: CommandLimits,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment and arguments may hold what the operator keeps secret.
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Command {
    /// The program with no arguments, no environment and the default limits.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            name: None,
            program: program.into(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            limits: CommandLimits::default(),
        }
    }

    fn start(&self) -> std::io::Result<Running> {
        let child = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Running { child })
    }

    async fn run(&self, ask: &Ask) -> Result<Vec<u8>, Failure> {
        let input = serde_json::to_vec(ask).map_err(|error| failed(error.to_string()))?;
        let mut running = self.start().map_err(|error| Failure::NoProgram {
            message: format!("{}: {error}", one_line(&self.program.to_string_lossy())),
        })?;
        let ended = tokio::time::timeout(self.limits.time, running.talk(&input, self.limits));
        match ended.await {
            Ok(ended) => ended,
            // Dropping it kills the group.
            Err(_) => Err(Failure::Timeout {
                seconds: self.limits.time.as_secs(),
            }),
        }
    }
}

fn failed(message: impl Into<String>) -> Failure {
    Failure::Program {
        message: message.into(),
    }
}

/// A program that was started. Its whole group is killed when this is dropped,
/// unless it has come to its end.
struct Running {
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        // There is an id as long as nobody has waited for the end, and so long
        // the number cannot be anybody else's.
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            // Fails only where everything in the group is gone.
            _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }
}

impl Running {
    async fn talk(&mut self, input: &[u8], limits: CommandLimits) -> Result<Vec<u8>, Failure> {
        let (stdin, stdout, stderr) = (
            self.child.stdin.take(),
            self.child.stdout.take(),
            self.child.stderr.take(),
        );
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(failed("has no standard streams"));
        };
        let write = async {
            // A program that does not read its input may still know the answer.
            _ = stdin.write_all(input).await;
            drop(stdin);
        };
        let read = async {
            let output = bounded(stdout, limits.stdout_bytes).await;
            output.map_err(|error| failed(format!("could not be read from: {error}")))
        };
        let told = last_words(stderr);
        tokio::pin!(told);
        // Too much output ends it at once, whatever else is going on.
        let both = async { tokio::join!(write, &mut told) };
        tokio::pin!(both);
        tokio::pin!(read);
        let (output, words) = tokio::select! {
            output = &mut read => match output? {
                None => return Err(Failure::TooLarge { limit: limits.stdout_bytes as u64 }),
                Some(output) => (output, both.await.1),
            },
            ((), words) = &mut both => match read.await? {
                None => return Err(Failure::TooLarge { limit: limits.stdout_bytes as u64 }),
                Some(output) => (output, words),
            },
        };
        let status = self.child.wait().await;
        let status = status.map_err(|error| failed(format!("could not be waited for: {error}")))?;
        if status.success() {
            return Ok(output);
        }
        let words = match words.as_str() {
            "" => "it wrote nothing to standard error".to_owned(),
            words => format!("standard error ends with \"{words}\""),
        };
        Err(failed(match status.code() {
            Some(code) => format!("exited with {code}; {words}"),
            None => format!("was killed ({status}); {words}"),
        }))
    }
}

/// All of a stream, or nothing where it is longer than `limit`.
async fn bounded(stream: impl AsyncRead + Unpin, limit: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut out = Vec::new();
    stream.take(limit as u64 + 1).read_to_end(&mut out).await?;
    Ok((out.len() <= limit).then_some(out))
}

/// The end of a stream, on one line. Reads all of it, so that nobody waits for
/// a full pipe, and keeps little.
async fn last_words(mut stream: impl AsyncRead + Unpin) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut chunk = vec![0; STDERR_BYTES];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..count]);
        let surplus = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..surplus);
    }
    let text = one_line(&String::from_utf8_lossy(&kept));
    let from = text.ceil_char_boundary(text.len().saturating_sub(300));
    text[from..].to_owned()
}

/// What a program may write instead of the bare answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    answer: Option<Value>,
    refusal: Option<String>,
    model: Option<String>,
    #[serde(default)]
    usage: Usage,
}

fn reply(output: Vec<u8>) -> Reply {
    let body = match String::from_utf8(output) {
        Ok(body) => body,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!("its output is not UTF-8 from byte {at} on");
            return Reply {
                body: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                ..Reply::failed(Failure::Malformed { message })
            };
        }
    };
    let is_envelope = serde_json::from_str::<Value>(&body)
        .is_ok_and(|value| value.get("answer").is_some() || value.get("refusal").is_some());
    if !is_envelope {
        // The answer itself, or what the check of answers will say it is.
        return Reply {
            answer: Ok(body.clone()),
            body,
            model: None,
            usage: Usage::default(),
        };
    }
    match serde_json::from_str::<Envelope>(&body) {
        Err(error) => Reply {
            body,
            ..Reply::failed(Failure::Malformed {
                message: error.to_string(),
            })
        },
        Ok(envelope) => Reply {
            body,
            model: envelope.model,
            usage: envelope.usage,
            answer: match (envelope.refusal, envelope.answer) {
                (Some(reason), _) => Err(Failure::Refusal {
                    reason: excerpt(&reason, 300),
                }),
                // A text is an answer that the program got as a text.
                (None, Some(Value::String(text))) => Ok(text),
                (None, answer) => Ok(answer.unwrap_or_default().to_string()),
            },
        },
    }
}

#[async_trait]
impl Provider for Command {
    fn kind(&self) -> &'static str {
        "command"
    }

    fn model(&self) -> &str {
        let program = || self.program.file_name().and_then(|name| name.to_str());
        self.name.as_deref().or_else(program).unwrap_or("program")
    }

    async fn ask(&self, ask: &Ask) -> Reply {
        match self.run(ask).await {
            Ok(output) => reply(output),
            Err(failure) => Reply::failed(failure),
        }
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
