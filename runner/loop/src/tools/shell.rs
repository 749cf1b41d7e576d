//! The tool `shell`.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use proctor_types::transcript::Details;
use rustix::process::{Pid, Signal, kill_process_group};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use super::Output;
use crate::cut::Ends;

pub(super) const DESCRIPTION: &str = "Runs a command with bash in the workspace, without a \
    terminal and without input, and gives its output (standard output and standard error in one) \
    and its exit code. Each call is a shell of its own. What a command leaves running in the \
    background is ended with it; start it with `setsid` and its output in a file to keep it. \
    Output of more than 32,000 bytes loses its middle.";

/// Most output that is kept, in bytes.
const MAX_OUTPUT: usize = 32_000;
/// Longest time of a command where the model asks for none, in seconds.
const USUAL_SECONDS: u64 = 120;
/// Longest time that it can ask for.
const MAX_SECONDS: u64 = 900;
/// How long output is waited for after the end, of processes that have left the
/// command's group and still hold on to it.
const GRACE: Duration = Duration::from_millis(200);

/// Arguments of the tool.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The command, as bash reads it.
    command: String,
    /// Seconds after which it is ended; 120 where not given, at most 900.
    timeout_seconds: Option<u64>,
}

/// The processes of a command. They end with it, however it ends.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // There may be none left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs a command.
pub(super) async fn run(arguments: &Arguments, directory: &Path) -> Output {
    let seconds = arguments.timeout_seconds.unwrap_or(USUAL_SECONDS);
    if !(1..=MAX_SECONDS).contains(&seconds) {
        return Output::error(format!(
            "Not done: `timeout_seconds` is {seconds}, and has to be between 1 and {MAX_SECONDS}."
        ));
    }
    let (child, output) = match start(&arguments.command, directory) {
        Ok(started) => started,
        Err(error) => return Output::error(format!("Not done: {}", cannot_start(&error))),
    };
    match follow(child, output, Duration::from_secs(seconds)).await {
        Ok(ended) => ended.output(seconds),
        Err(error) => Output::error(format!("The command was lost: {error}")),
    }
}

fn start(command: &str, directory: &Path) -> io::Result<(Child, Receiver)> {
    let (output, input) = io::pipe()?;
    let child = Command::new("bash")
        .arg("-c")
        .arg(command)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(input.try_clone()?)
        .stderr(input)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    Ok((child, Receiver::from_owned_fd(output.into())?))
}

fn cannot_start(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::E2BIG) => "the command is too long; write a script with `write_file` and run \
                              that."
            .to_owned(),
        _ => format!("bash cannot be started: {error}."),
    }
}

/// A command that is over.
struct Ended {
    status: ExitStatus,
    timed_out: bool,
    output: Ends,
}

async fn follow(mut child: Child, mut pipe: Receiver, limit: Duration) -> io::Result<Ended> {
    let group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let mut group = Some(group);
    let mut output = Ends::new(MAX_OUTPUT);
    let mut buffer = vec![0; 16 << 10];
    let mut deadline = Instant::now() + limit;
    let mut status = None;
    let mut timed_out = false;
    let mut open = true;
    while open || status.is_none() {
        tokio::select! {
            read = pipe.read(&mut buffer), if open => match read? {
                0 => open = false,
                count => output.push(&buffer[..count]),
            },
            ended = child.wait(), if status.is_none() => {
                status = Some(ended?);
                // What it left running goes too, and lets go of the pipe.
                group = None;
                deadline = Instant::now() + GRACE;
            }
            () = tokio::time::sleep_until(deadline) => {
                if status.is_some() {
                    break;
                }
                timed_out = true;
                group = None;
                // Nothing of the group can refuse to end.
                status = Some(child.wait().await?);
                deadline = Instant::now() + GRACE;
            }
        }
    }
    drop(group);
    Ok(Ended {
        status: status.unwrap_or_default(),
        timed_out,
        output,
    })
}

impl Ended {
    fn output(self, seconds: u64) -> Output {
        let exit_code = self.status.code();
        let signal = self.status.signal();
        let (mut text, cut) = self.output.finish();
        if text.is_empty() {
            text.push_str("(no output)\n");
        } else if !text.ends_with('\n') {
            text.push('\n');
        }
        let end = match (exit_code, signal) {
            _ if self.timed_out => format!(
                "[ended after {seconds} s: the command took too long. `timeout_seconds` is for \
                 those that need more, `setsid` for what is to keep running.]"
            ),
            (Some(code), _) => format!("[exit code {code}]"),
            (None, signal) => format!("[ended by signal {}]", signal.unwrap_or_default()),
        };
        text.push_str(&end);
        Output {
            text,
            is_error: self.timed_out || !self.status.success(),
            details: Details {
                exit_code: exit_code.or_else(|| signal.map(|signal| 128 + signal)),
                timed_out: self.timed_out,
                truncated_bytes: (cut > 0).then_some(cut),
                ..Details::default()
            },
        }
    }
}
