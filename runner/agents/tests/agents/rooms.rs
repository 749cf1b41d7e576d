//! Rooms for the tests: one in memory, one of real processes.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use proctor_agents::{
    Agent, AgentError, AgentRun, Assignment, ExecOutput, ExecRequest, Shell, ShellError, Solution,
    TranscriptWriter,
};
use proctor_types::Event;
use proctor_types::manifest::AgentEnd;
use proctor_types::transcript::{Message, Part, Role};
use tokio::io::AsyncWriteExt;

/// The program under test that captures need.
pub(crate) const CAPTURE: &str = env!("CARGO_BIN_EXE_proctor-capture");

type Answer = dyn Fn(&ExecRequest) -> Result<ExecOutput, ShellError> + Send + Sync;

/// A room in memory: commands are answered by a function, and only
/// `proctor-capture` is a real process.
pub(crate) struct Fake {
    answer: Box<Answer>,
    pub(crate) capture: Option<String>,
    files: Option<String>,
    requests: Mutex<Vec<ExecRequest>>,
}

impl Fake {
    pub(crate) fn new(
        answer: impl Fn(&ExecRequest) -> Result<ExecOutput, ShellError> + Send + Sync + 'static,
    ) -> Self {
        let capture = Some(CAPTURE.to_owned());
        Self {
            answer: Box::new(answer),
            capture,
            files: None,
            requests: Mutex::default(),
        }
    }

    /// A room in which every command prints `stdout`.
    pub(crate) fn printing(stdout: impl Into<Vec<u8>>) -> Self {
        let stdout = stdout.into();
        Self::new(move |_| {
            Ok(ExecOutput {
                stdout: stdout.clone(),
                ..ExecOutput::default()
            })
        })
    }

    /// The same with the folder of the files that a steps file brings.
    pub(crate) fn with_files(mut self, dir: &str) -> Self {
        self.files = Some(dir.to_owned());
        self
    }

    /// The commands that were run, without captures.
    pub(crate) fn requests(&self) -> Vec<ExecRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// The last argument of each command: the line of a step.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .filter_map(|request| request.argv.last().cloned())
            .collect()
    }
}

#[async_trait]
impl Shell for Fake {
    async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, ShellError> {
        if request.argv[0] == CAPTURE {
            return Host.exec(request).await;
        }
        let answer = (self.answer)(&request);
        self.requests.lock().unwrap().push(request);
        answer
    }

    fn capture_program(&self) -> Option<&str> {
        self.capture.as_deref()
    }

    fn steps_dir(&self) -> Option<&str> {
        self.files.as_deref()
    }
}

/// A room of real processes with an empty environment, in `/tmp`.
pub(crate) struct Host;

#[async_trait]
impl Shell for Host {
    async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, ShellError> {
        let failed = |error: std::io::Error| ShellError::Room(Box::new(error));
        let mut child = tokio::process::Command::new(&request.argv[0])
            .args(&request.argv[1..])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(request.env.iter().cloned())
            .current_dir(request.cwd.as_deref().unwrap_or("/tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let mut stdin = child.stdin.take();
        let bytes = request.stdin.unwrap_or_default();
        let feed = async move {
            if let Some(stdin) = &mut stdin {
                // A command need not read what it is given.
                let _ = stdin.write_all(&bytes).await;
            }
            drop(stdin);
        };
        let both = async { tokio::join!(feed, child.wait_with_output()).1 };
        let Ok(output) = tokio::time::timeout(request.timeout, both).await else {
            return Ok(ExecOutput {
                exit_code: 137,
                timed_out: true,
                ..ExecOutput::default()
            });
        };
        let output = output.map_err(failed)?;
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        let (stdout, stdout_cut_bytes) = capped(output.stdout, request.output_cap_bytes);
        let (stderr, stderr_cut_bytes) = capped(output.stderr, request.output_cap_bytes);
        let exit_code = output
            .status
            .code()
            .unwrap_or_else(|| 128 + signal.unwrap_or_default());
        Ok(ExecOutput {
            exit_code,
            stdout,
            stderr,
            stdout_cut_bytes,
            stderr_cut_bytes,
            ..ExecOutput::default()
        })
    }

    fn capture_program(&self) -> Option<&str> {
        Some(CAPTURE)
    }
}

pub(crate) fn capped(mut bytes: Vec<u8>, cap: usize) -> (Vec<u8>, u64) {
    let cut = bytes.len().saturating_sub(cap) as u64;
    bytes.truncate(cap);
    (bytes, cut)
}

/// A sink that can be read while and after it is written to.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        self.events()
            .into_iter()
            .filter_map(|event| event.message)
            .collect()
    }

    /// Roles of all messages, in order.
    pub(crate) fn roles(&self) -> Vec<Role> {
        self.messages().iter().map(|message| message.role).collect()
    }

    /// Texts of the tools' results.
    pub(crate) fn results(&self) -> Vec<String> {
        let messages = self.messages().into_iter();
        messages
            .filter(|m| m.role == Role::ToolResult)
            .map(|m| m.text())
            .collect()
    }

    /// Commands of the tool calls.
    pub(crate) fn commands(&self) -> Vec<String> {
        let parts = self
            .messages()
            .into_iter()
            .flat_map(|message| message.content);
        parts
            .filter_map(|part| match part {
                Part::ToolCall(call) => call.command().map(str::to_owned),
                _ => None,
            })
            .collect()
    }
}

/// An assignment with an hour's time.
pub(crate) fn assignment(prompt: &str) -> Assignment<'_> {
    Assignment {
        prompt,
        system_prompt: None,
        timeout: Duration::from_hours(1),
        attempt: 0,
        solution: None,
    }
}

/// Runs `agent`, and gives what came of it and its transcript.
pub(crate) async fn run(
    agent: &dyn Agent,
    room: &dyn Shell,
    assignment: &Assignment<'_>,
) -> (Result<AgentRun, AgentError>, Lines) {
    let lines = Lines::default();
    let mut transcript = TranscriptWriter::new(lines.clone());
    let result = agent.run(room, assignment, &mut transcript).await;
    (result, lines)
}

/// Plays `steps` as the oracle.
pub(crate) async fn play(steps: &str, room: &dyn Shell) -> (Result<AgentRun, AgentError>, Lines) {
    let solution = Some(Solution {
        path: "solution/steps.yaml",
        bytes: steps.as_bytes(),
    });
    let assignment = Assignment {
        solution,
        ..assignment("Do it.")
    };
    run(&proctor_agents::scripted::Oracle, room, &assignment).await
}

/// Exit code and reason of an agent that failed.
pub(crate) fn failure(end: &AgentEnd) -> (Option<i32>, &str) {
    match end {
        AgentEnd::Failed {
            exit_code, reason, ..
        } => (*exit_code, reason),
        other => panic!("the agent should have failed, and {other:?}"),
    }
}
