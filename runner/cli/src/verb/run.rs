//! `proctor run`: tasks x agents x attempts.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proctor_engine::GraderChoice;
use proctor_engine::job::{self, JobEnd, JobPlan, JobRequest};
use proctor_engine::record::{JobSummary, Outcome};
use proctor_engine::task::lock::Policy;
use proctor_types::manifest;

use super::model::{JudgeFlags, ModelFlags};
use crate::exit::Exit;
use crate::output;
use crate::reporter::{self, Format, terminal};

/// Arguments of `proctor run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task folders, Markdown task files, or suites of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Agent to test: `oracle`, `nop`, `scripted:FILE` (a steps file) or
    /// `command:COMMAND` (a shell command; see docs/agents.md). Repeat for
    /// several; `NAME=AGENT` is called NAME in reports
    #[arg(short, long = "agent", required = true, value_name = "AGENT")]
    pub agents: Vec<String>,

    /// How often each agent tries each task; the task's own number otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub attempts: Option<u32>,

    /// Directory of the job; must not hold anything yet
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// How the agent is held
    #[arg(long, value_enum, default_value_t)]
    pub isolation: Isolation,

    /// Program or directory of this machine that the agent may use, read-only:
    /// a program is on its PATH, a directory is /opt/proctor/tools/NAME.
    /// Repeat for several
    #[arg(long = "tool", value_name = "PATH")]
    pub tools: Vec<PathBuf>,

    /// Grade with `python` (the task's Python block), `wasm` (its component) or
    /// a file (a component, or a script that ends in .py) instead of the task's
    /// own grader
    #[arg(long, value_name = "GRADER")]
    pub grader: Option<GraderChoice>,

    /// Run tasks that proctor.lock does not know or that changed since, and say
    /// so in the report; another grader than the locked one only with --grader
    #[arg(long)]
    pub unlocked: bool,

    /// Program or installation of the agent, instead of the one that `proctor
    /// agents` shows
    #[arg(long, value_name = "PATH")]
    pub agent_path: Option<PathBuf>,

    /// Turns that the agent may take, for agents that know such a limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub turns: Option<u32>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    #[command(flatten)]
    pub model: ModelFlags,

    #[command(flatten)]
    pub judge: JudgeFlags,
}

/// How the agent is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Isolation {
    /// In a sandbox with a captive network; refused where that is impossible
    #[default]
    Auto,
    /// As an ordinary process of this machine
    None,
}

/// Runs the job and prints its result.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let request = JobRequest {
        paths: arguments.paths.clone(),
        agents: arguments.agents.clone(),
        attempts: arguments.attempts,
        out: arguments.out.clone(),
        isolation: match arguments.isolation {
            Isolation::Auto => manifest::Isolation::Sandbox,
            Isolation::None => manifest::Isolation::None,
        },
        tools: arguments.tools.clone(),
        grader: arguments.grader.clone().unwrap_or_default(),
        lock: if arguments.unlocked {
            Policy::Unlocked
        } else {
            Policy::Locked
        },
        agent_path: arguments.agent_path.clone(),
        turns: arguments.turns,
        model: arguments.model.request()?,
        judge: arguments.judge.request(false)?,
        host: super::host()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let plan = {
        // Connections to models belong to a runtime.
        let _within = runtime.enter();
        JobPlan::load(request)?
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            summary = job::run(plan, reporter::progress(arguments.format)) => summary.map(Some),
            // Dropping the job kills what runs in its rooms.
            _ = super::interrupted() => Ok(None),
        }
    });
    // Whatever a hostile agent still holds open must not delay the end.
    runtime.shutdown_background();
    let Some(JobEnd { summary, unwritten }) = ended? else {
        return Ok(Exit::Interrupted);
    };
    // The trials are no worse for a page that is missing.
    let files = super::report::beside(Path::new(&summary.dir));
    if let Err(error) = &files {
        output::warning(arguments.format, &format!("no report: {error}"));
    }
    match arguments.format {
        Format::Json => output::exact(&serde_json::to_string(&summary)?),
        Format::Text => {
            print(&summary);
            if let Ok(files) = files {
                output::out(&format!("report: {}", files.html.display()));
            }
        }
    }
    match unwritten {
        Some(error) if exit(&summary) == Exit::Done => Err(error.into()),
        _ => Ok(exit(&summary)),
    }
}

fn exit(summary: &JobSummary) -> Exit {
    let any = |outcome| summary.trials.iter().any(|trial| trial.outcome == outcome);
    if any(Outcome::Infrastructure) {
        Exit::Infrastructure
    } else if any(Outcome::Ungraded) {
        Exit::Grader
    } else {
        Exit::Done
    }
}

fn print(summary: &JobSummary) {
    for trial in &summary.trials {
        output::out("");
        output::out(&format!(
            "{} / {} #{}: {}",
            trial.task,
            trial.agent,
            trial.attempt,
            terminal::headline(trial)
        ));
        for criterion in &trial.criteria {
            output::out(&terminal::criterion(criterion));
        }
        for adjustment in &trial.adjustments {
            output::out(&terminal::adjustment(adjustment));
        }
        if let Some(failure) = &trial.failure {
            output::out(&format!("  {}: {}", failure.kind, failure.message));
            if let Some(hint) = &failure.hint {
                output::out(&format!("  hint: {hint}"));
            }
        }
        output::out(&format!(
            "  report: {}/{}/eval_report_{}.md",
            summary.dir, trial.dir, trial.attempt
        ));
    }
    for line in reporter::summary::lines(summary) {
        output::out(&line);
    }
    output::out("");
    output::out(&summary.denominator.to_string());
    output::out(&summary.time.to_string());
    output::out(&format!("summary: {}/summary.md", summary.dir));
}
