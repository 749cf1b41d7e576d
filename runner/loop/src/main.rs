//! `proctor-loop`: a small agent of Proctor's own. It gives a model a shell, files
//! and the tools of the world's MCP server, and does what the model asks for until
//! the model asks for nothing more.
//!
//! It runs inside the room as any other agent does: it has no key, it asks the
//! model at its provider's own address, and it may do what the room lets it do.
//!
//! Standard output is the transcript, an event a line as it happens; nothing else
//! is ever written there, and the last line is always the event `end`. Standard
//! error is for people. Exit codes are those of [`failure::Failure::exit_code`],
//! and 2 for a wrong command line.

mod agent;
mod cut;
mod failure;
mod http_client;
mod options;
mod recorder;
mod tools;

use std::env;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use agent::Agent;
use failure::Failure;
use options::Options;
use recorder::Recorder;
use tools::Tools;
use tools::files::Workspace;
use tools::mcp::Mcp;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = Options::parse();
    let mut recorder = Recorder::new(Box::new(std::io::stdout()));
    let ended = tokio::select! {
        ended = run(&options, &mut recorder) => ended,
        failure = stopped(&options) => Err(failure),
    };
    if let Err(problem) = recorder.end(ended.as_ref().err()) {
        report(&format!("the transcript cannot be written: {problem}"));
        return ExitCode::FAILURE;
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure.reason);
            ExitCode::from(failure.exit_code())
        }
    }
}

async fn run(options: &Options, recorder: &mut Recorder) -> Result<(), Failure> {
    recorder.session(&options.model)?;
    let task = options.task()?;
    let client = options.client()?;
    let workspace = env::current_dir()
        .and_then(|path| Workspace::open(&path))
        .map_err(|error| Failure::other(format!("the workspace cannot be opened: {error}")))?;
    let mcp = match &options.mcp {
        Some(url) => {
            // In a room without walls the world is behind a proxy.
            let proxy = variable(["http_proxy", "HTTP_PROXY"]);
            Some(Mcp::connect(url, proxy.as_deref()).await?)
        }
        None => None,
    };
    let system = options.system(mcp.as_ref().and_then(Mcp::instructions))?;
    let tools = Tools::new(workspace, !options.no_shell, mcp)?;
    let mut agent = Agent::new(options, client, &tools, recorder);
    agent.begin(system, task)?;
    agent.run().await
}

/// Ends when the run has to: its time is up, or somebody says so.
async fn stopped(options: &Options) -> Failure {
    let interrupted = |error| Failure::other(format!("signals cannot be heard: {error}"));
    let (mut terminate, mut interrupt) = match (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) {
        (Ok(terminate), Ok(interrupt)) => (terminate, interrupt),
        (Err(error), _) | (_, Err(error)) => return interrupted(error),
    };
    let time = async {
        match options.timeout() {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = time => Failure::time(options.timeout_seconds),
        _ = terminate.recv() => Failure::other("stopped by SIGTERM".to_owned()),
        _ = interrupt.recv() => Failure::other("stopped by SIGINT".to_owned()),
    }
}

/// The first of these variables that is set: proxies have names of both cases.
fn variable(names: [&str; 2]) -> Option<String> {
    names
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Says something to people.
fn report(text: &str) {
    // Nobody is left to tell when standard error is gone too.
    let _ = writeln!(std::io::stderr(), "proctor-loop: {text}");
}
