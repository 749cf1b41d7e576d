//! From a request to a command that runs, and to its end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::config::validate_variable;
use crate::error::SandboxError;
use crate::exec::{ExecRequest, Outcome, Running, Stream};
use crate::link::{Command, Link};
use crate::output::{Pump, Tally};
use crate::wire::SpawnPlan;

/// Chunks under way between a command and whoever reads its output.
const CHUNKS: usize = 16;

/// What a room adds to every request.
pub(crate) struct Surroundings<'a> {
    pub(crate) env: &'a [(String, String)],
    pub(crate) workspace: &'a str,
    /// Who has to own the pipes, so that `/dev/stdout` can be opened by name.
    pub(crate) owner: Option<(u32, u32)>,
}

/// Starts `request` and returns when its program runs.
pub(crate) async fn start(
    link: &Arc<Link>,
    around: Surroundings<'_>,
    request: ExecRequest,
) -> Result<Running, SandboxError> {
    let program = request.argv.first().cloned().unwrap_or_default();
    let plan = plan(&request, &around)?;
    let pipes = SandboxError::host;
    let (stdout, out) = output_pipe(around.owner).map_err(pipes("cannot make a pipe"))?;
    let (stderr, err) = output_pipe(around.owner).map_err(pipes("cannot make a pipe"))?;
    let stdin = match request.stdin {
        Some(bytes) => {
            let (stdin, sender) = input_pipe(around.owner).map_err(pipes("cannot make a pipe"))?;
            Some((stdin, sender, bytes))
        }
        None => None,
    };

    let began = Instant::now();
    let given = stdin.as_ref().map(|(stdin, ..)| stdin);
    let mut command = link.spawn(&plan, given, &stdout, &stderr).await?;
    drop((stdout, stderr));
    if let Some((stdin, sender, bytes)) = stdin {
        drop(stdin);
        tokio::spawn(feed(sender, bytes));
    }
    match timeout(request.timeout, &mut command.started).await {
        // Late already: the end is awaited, and enforced, like any other.
        Ok(Ok(Ok(()))) | Err(_) => {}
        Ok(Ok(Err((step, errno)))) => {
            let source = io::Error::from_raw_os_error(errno);
            return Err(SandboxError::Exec {
                program,
                step,
                source,
            });
        }
        Ok(Err(_)) => return Err(SandboxError::Gone),
    }

    let (to, chunks) = mpsc::channel(CHUNKS);
    let (ended, over) = watch::channel(false);
    let pump = |pipe, stream| {
        let (done, tally) = oneshot::channel();
        let pump = Pump::new(
            pipe,
            stream,
            request.output_cap_bytes,
            to.clone(),
            over.clone(),
        );
        tokio::spawn(pump.run(done));
        tally
    };
    let tallies = [pump(out, Stream::Stdout), pump(err, Stream::Stderr)];
    let (tell, outcome) = oneshot::channel();
    let link = Arc::clone(link);
    tokio::spawn(async move {
        let ending = Ending {
            link,
            began,
            timeout: request.timeout,
            ended,
            tallies,
        };
        // Whoever dropped the command does not care how it ends.
        let _ = tell.send(ending.wait(command).await);
    });
    Ok(Running { chunks, outcome })
}

fn plan(request: &ExecRequest, around: &Surroundings<'_>) -> Result<SpawnPlan, SandboxError> {
    if request.argv.is_empty() || request.argv.iter().any(|argument| argument.contains('\0')) {
        let problem = "a command needs a program, and no NUL in its arguments";
        return Err(SandboxError::Request(problem.to_owned()));
    }
    for (name, value) in &request.env {
        validate_variable(name, value)?;
    }
    let mut env = around.env.to_vec();
    crate::guest::overlay(&mut env, &request.env);
    let search = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .map_or("", |(_, path)| path);
    let cwd = request.cwd.as_deref().unwrap_or(around.workspace);
    Ok(SpawnPlan {
        search: search
            .split(':')
            .map(|dir| dir.as_bytes().to_vec())
            .collect(),
        argv: request
            .argv
            .iter()
            .map(|argument| argument.clone().into_bytes())
            .collect(),
        env: env
            .iter()
            .map(|(name, value)| format!("{name}={value}").into_bytes())
            .collect(),
        cwd: cwd.as_bytes().to_vec(),
    })
}

/// The command's end and the runner's. Pipes and never files: what was written
/// can be neither read again nor taken back.
fn output_pipe(owner: Option<(u32, u32)>) -> io::Result<(OwnedFd, pipe::Receiver)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    own(&writer, owner)?;
    Ok((writer, pipe::Receiver::from_owned_fd(reader)?))
}

fn input_pipe(owner: Option<(u32, u32)>) -> io::Result<(OwnedFd, pipe::Sender)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    own(&reader, owner)?;
    Ok((reader, pipe::Sender::from_owned_fd(writer)?))
}

fn own(pipe: &OwnedFd, owner: Option<(u32, u32)>) -> io::Result<()> {
    if let Some((uid, gid)) = owner {
        let (uid, gid) = (
            rustix::fs::Uid::from_raw(uid),
            rustix::fs::Gid::from_raw(gid),
        );
        rustix::fs::fchown(pipe.as_fd(), Some(uid), Some(gid))?;
    }
    Ok(())
}

async fn feed(mut stdin: pipe::Sender, bytes: Vec<u8>) {
    // A command that does not read its input to the end is free to do so.
    let _ = stdin.write_all(&bytes).await;
}

/// What is needed to see a command to its end.
struct Ending {
    link: Arc<Link>,
    began: Instant,
    timeout: Duration,
    ended: watch::Sender<bool>,
    tallies: [oneshot::Receiver<Tally>; 2],
}

impl Ending {
    async fn wait(self, mut command: Command) -> Result<Outcome, SandboxError> {
        let left = self.timeout.saturating_sub(self.began.elapsed());
        let in_time = timeout(left, &mut command.exited).await;
        let timed_out = in_time.is_err();
        let exit = if let Ok(exit) = in_time {
            exit
        } else {
            self.link.kill_all().await?;
            command.exited.await
        };
        let status = exit.map_err(|_| SandboxError::Gone)?;
        let duration = self.began.elapsed();
        // The pumps take what is in the pipes and then stop forwarding, even
        // where something in the background keeps a pipe open.
        let _ = self.ended.send(true);
        let [stdout, stderr] = self.tallies;
        let (stdout, stderr) = (
            stdout.await.unwrap_or_default(),
            stderr.await.unwrap_or_default(),
        );
        Ok(Outcome {
            status,
            stdout_bytes: stdout.written,
            stderr_bytes: stderr.written,
            truncated: stdout.met_cap() || stderr.met_cap(),
            timed_out,
            duration,
        })
    }
}
