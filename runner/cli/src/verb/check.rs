//! `proctor check`: may a suite be locked and published?

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proctor_engine::check::{self, CheckReport, CheckRequest, Gate, Row, Status};
use proctor_types::manifest;

use super::run::Isolation;
use crate::exit::Exit;
use crate::output;
use crate::reporter::{self, Format};

/// Arguments of `proctor check`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Suite or task
    #[arg(value_name = "PATH", default_value = "tasks")]
    path: PathBuf,

    /// Look at this gate only; repeat for several: format, fixtures, rubric,
    /// timeout, seed, prompt, module, imports, nop, oracle, repeat, evidence
    #[arg(long, value_name = "GATE")]
    only: Vec<Gate>,

    /// Run nothing: look only at what is written
    #[arg(long)]
    skip_run: bool,

    /// How the agents are held
    #[arg(long, value_enum, default_value_t)]
    isolation: Isolation,

    /// Program or directory of this machine that the agents may use, read-only.
    /// Repeat for several
    #[arg(long = "tool", value_name = "PATH")]
    tools: Vec<PathBuf>,

    /// Keep what the trials leave, in this directory; it must not hold anything
    /// yet
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Checks every task and prints every gate.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let kept;
    let out = if let Some(out) = &arguments.out {
        out.clone()
    } else {
        kept = tempfile::Builder::new()
            .prefix("proctor-check-")
            .tempdir()
            .context("cannot make a temporary directory")?;
        kept.path().join("trials")
    };
    let request = CheckRequest {
        path: arguments.path.clone(),
        only: arguments.only.clone(),
        skip_run: arguments.skip_run,
        isolation: match arguments.isolation {
            Isolation::Auto => manifest::Isolation::Sandbox,
            Isolation::None => manifest::Isolation::None,
        },
        tools: arguments.tools.clone(),
        keeps_out: arguments.out.is_some(),
        out,
        host: super::host()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        tokio::select! {
            report = check::check(request, reporter::progress(arguments.format)) => report.map(Some),
            // Dropping the trials kills what runs in their rooms.
            _ = super::interrupted() => Ok(None),
        }
    });
    runtime.shutdown_background();
    let Some(report) = ended? else {
        return Ok(Exit::Interrupted);
    };
    match arguments.format {
        Format::Json => json(&report)?,
        Format::Text => text(&report),
    }
    Ok(if report.count(Status::Fail) > 0 {
        Exit::CheckFailed
    } else if report.count(Status::Error) > 0 {
        Exit::Infrastructure
    } else {
        Exit::Done
    })
}

fn json(report: &CheckReport) -> anyhow::Result<()> {
    let mut value = serde_json::to_value(report)?;
    value["schema"] = "proctor.check/1".into();
    for (name, status) in STATUSES {
        value[name] = report.count(status).into();
    }
    output::exact(&serde_json::to_string(&value)?);
    Ok(())
}

/// The statuses with their names in the summary.
const STATUSES: [(&str, Status); 4] = [
    ("passed", Status::Pass),
    ("failed", Status::Fail),
    ("skipped", Status::Skipped),
    ("errors", Status::Error),
];

fn text(report: &CheckReport) {
    for task in &report.tasks {
        output::out(&task.task);
        for row in &task.gates {
            print(row);
        }
    }
    let counts: Vec<String> = STATUSES
        .iter()
        .map(|(name, status)| format!("{} {name}", report.count(*status)))
        .collect();
    let tasks = report.tasks.len();
    let s = if tasks == 1 { "" } else { "s" };
    output::out(&format!("{tasks} task{s}; gates: {}", counts.join(", ")));
}

fn print(row: &Row) {
    let word = match row.status {
        Status::Pass => "pass",
        Status::Fail => "FAIL",
        Status::Skipped => "skipped",
        Status::Error => "ERROR",
    };
    let indented = |text: &str| text.replace('\n', "\n                     ");
    output::out(&format!(
        "  {:<9} {word:<8} {}",
        row.gate.as_str(),
        indented(&row.reason)
    ));
    for note in &row.notes {
        output::out(&format!("                     - {}", indented(note)));
    }
    if row.status == Status::Fail {
        output::out(&format!(
            "                     ({} must hold)",
            meaning(row.gate)
        ));
    }
    if let Some(hint) = &row.hint {
        output::out(&format!("                     hint: {}", indented(hint)));
    }
}

fn meaning(gate: Gate) -> String {
    format!("\"{}\"", gate.meaning())
}
