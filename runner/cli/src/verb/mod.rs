//! The verbs, one file each.

mod agent;
mod agents;
mod check;
pub(crate) mod compile;
mod grade;
mod grader;
mod host;
mod judge;
mod lock;
mod model;
mod new;
mod report;
mod run;
mod serve;
mod task;
mod transcript;
mod verify;

use clap::Subcommand;

use host::host;

use crate::exit::Exit;
use crate::reporter::Format;

/// What `proctor` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Begin a task that passes its gates
    New(new::Arguments),
    /// Run agents on tasks and grade what they leave behind
    Run(Box<run::Arguments>),
    /// Grade frozen evidence again
    Grade(grade::Arguments),
    /// Make a job's report anew: a page, a file for CI, a table of criteria
    Report(report::Arguments),
    /// Show what an agent said and did, or write it as ATIF
    Transcript(transcript::Arguments),
    /// Put before a judge what graders left open
    Judge(judge::Arguments),
    /// Serve a task's world for interactive use
    Serve(serve::Arguments),
    /// Look at tasks
    #[command(subcommand)]
    Task(task::Arguments),
    /// List agents, what they support and which of them are installed
    Agents(agents::Arguments),
    /// Look after one agent
    #[command(subcommand)]
    Agent(agent::Arguments),
    /// Build and look at graders
    #[command(subcommand)]
    Grader(grader::Arguments),
    /// Record the digests of a suite's packs and graders in proctor.lock
    Lock(lock::Arguments),
    /// See whether tasks may be locked: the format, the answer, the grader, and
    /// what doing nothing and the solution score
    Check(check::Arguments),
    /// Compare a suite with its proctor.lock
    Verify(verify::Arguments),
}

impl Verb {
    /// Format of the result, and of an error.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::New(arguments) => arguments.format,
            Self::Run(arguments) => arguments.format,
            Self::Grade(arguments) => arguments.format,
            Self::Report(arguments) => arguments.format,
            Self::Transcript(arguments) => arguments.format(),
            Self::Judge(arguments) => arguments.format,
            Self::Serve(arguments) => arguments.format,
            Self::Task(arguments) => arguments.format(),
            Self::Agents(arguments) => arguments.format,
            Self::Agent(arguments) => arguments.format(),
            Self::Grader(arguments) => arguments.format(),
            Self::Lock(arguments) => arguments.format,
            Self::Check(arguments) => arguments.format,
            Self::Verify(arguments) => arguments.format(),
        }
    }

    /// Does it.
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::New(arguments) => new::run(&arguments),
            Self::Run(arguments) => run::run(&arguments),
            Self::Grade(arguments) => grade::run(&arguments),
            Self::Report(arguments) => report::run(&arguments),
            Self::Transcript(arguments) => transcript::run(&arguments),
            Self::Judge(arguments) => judge::run(&arguments),
            Self::Serve(arguments) => serve::run(&arguments),
            Self::Task(arguments) => task::run(&arguments),
            Self::Agents(arguments) => agents::run(&arguments),
            Self::Agent(arguments) => agent::run(&arguments),
            Self::Grader(arguments) => grader::run(&arguments),
            Self::Lock(arguments) => lock::run(&arguments),
            Self::Check(arguments) => check::run(&arguments),
            Self::Verify(arguments) => verify::run(&arguments),
        }
    }
}

/// Waits for Ctrl-C, for the signal with which service managers end a program,
/// or for the end of the terminal, unless the program was started to outlive it.
async fn interrupted() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = if ignores_hangup() {
        None
    } else {
        Some(signal(SignalKind::hangup())?)
    };
    let hung_up = async {
        match &mut hangup {
            Some(hangup) => drop(hangup.recv().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
        () = hung_up => Ok(()),
    }
}

/// Whether `nohup` or its like started this program: its mask of ignored
/// signals, `SigIgn` in `proc_pid_status(5)`, has signal 1.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 != 0)
}
