//! `proctor grade`: from evidence to a verdict.

use std::path::PathBuf;

use clap::Args;
use proctor_engine::GraderChoice;
use proctor_engine::direct::{self, Direct, DirectRequest};
use proctor_engine::record::Outcome;
use proctor_engine::regrade::{self, RegradeRequest, Regraded};

use crate::exit::Exit;
use crate::output;
use crate::reporter::{Format, terminal};

/// Arguments of `proctor grade`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of a trial (it holds `evidence/`); with --workspace, the
    /// folder or file of a task
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Grader to use instead of its own: `python` (the task's Python block),
    /// `wasm` (its component) or a file (a component, or a script that ends in
    /// .py)
    #[arg(long, value_name = "GRADER")]
    pub grader: Option<GraderChoice>,

    /// Grade this workspace instead of a trial's evidence
    #[arg(long, value_name = "DIR", requires = "transcript")]
    pub workspace: Option<PathBuf>,

    /// What the agent said and called: one JSON object a line, or one array
    #[arg(long, value_name = "FILE", requires = "workspace")]
    pub transcript: Option<PathBuf>,

    /// The workspace as it was before the agent; the task's own files otherwise
    #[arg(long, value_name = "DIR", requires = "workspace")]
    pub fixtures: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Grades and prints the verdict. Nothing on disk is changed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match (&arguments.workspace, &arguments.transcript) {
        (Some(workspace), Some(transcript)) => {
            let graded = direct::grade(&DirectRequest {
                task: arguments.path.clone(),
                workspace: workspace.clone(),
                transcript: transcript.clone(),
                fixtures: arguments.fixtures.clone(),
                grader: arguments.grader.clone().unwrap_or_default(),
                host: super::host()?,
                notice: output::err,
            })?;
            print_direct(arguments.format, &graded)
        }
        _ => again(arguments),
    }
}

fn print_direct(format: Format, graded: &Direct) -> anyhow::Result<Exit> {
    match format {
        Format::Json => output::exact(&serde_json::to_string(graded)?),
        Format::Text => {
            for warning in &graded.warnings {
                output::warning(format, warning);
            }
            let automated = graded
                .automated
                .map_or_else(|| "none".to_owned(), terminal::number);
            output::out(&format!(
                "{}, automated score {automated}",
                graded.outcome.as_str()
            ));
            for criterion in &graded.criteria {
                output::out(&terminal::criterion(criterion));
            }
            for adjustment in &graded.adjustments {
                output::out(&terminal::adjustment(adjustment));
            }
            for note in &graded.notes {
                output::out(&format!("  note: {note}"));
            }
            if let Some(failure) = &graded.failure {
                output::out(&format!("  {}: {}", failure.kind, failure.message));
                if let Some(hint) = &failure.hint {
                    output::out(&format!("  hint: {hint}"));
                }
            }
            for line in graded.log.lines() {
                output::err(&format!("grader log: {line}"));
            }
        }
    }
    Ok(if graded.outcome == Outcome::Ungraded {
        Exit::Grader
    } else {
        Exit::Done
    })
}

fn again(arguments: &Arguments) -> anyhow::Result<Exit> {
    let graded = regrade::grade(&RegradeRequest {
        dir: arguments.path.clone(),
        grader: arguments.grader.clone().unwrap_or_default(),
        host: super::host()?,
        notice: output::err,
    })?;
    if let Some(warning) = &graded.warning {
        output::warning(arguments.format, warning);
    }
    match arguments.format {
        // The very bytes of `verdict.json`, which end with a line feed.
        Format::Json => output::raw(&graded.bytes),
        Format::Text => print_again(&graded),
    }
    // Another grader may well come to another verdict.
    if graded.same == Some(false) && arguments.grader.is_none() {
        output::err("the evidence gives another verdict than the recorded verdict.json");
        return Ok(Exit::CheckFailed);
    }
    Ok(Exit::Done)
}

fn print_again(graded: &Regraded) {
    let verdict = &graded.verdict;
    output::out(&format!(
        "{}: {} of {} points, score {}",
        verdict.task,
        terminal::range(verdict.points.low, verdict.points.high),
        terminal::number(verdict.points.max),
        terminal::range(verdict.score.low, verdict.score.high),
    ));
    for criterion in &graded.criteria() {
        output::out(&terminal::criterion(criterion));
    }
    for adjustment in &verdict.adjustments {
        output::out(&terminal::adjustment(adjustment));
    }
    let short = |sha256: &str| sha256.get(..12).unwrap_or(sha256).to_owned();
    let module = match &verdict.grader.source_sha256 {
        Some(source) => format!(
            "Python {} in grader {}",
            short(source),
            short(&verdict.grader.sha256)
        ),
        None => format!("grader {}", short(&verdict.grader.sha256)),
    };
    let compared = match graded.same {
        Some(true) => "the recorded verdict is the same, byte for byte",
        Some(false) => "the recorded verdict is another one",
        None => "there is no recorded verdict",
    };
    output::out(&format!(
        "{module} used {} fuel; {compared}",
        verdict.grader.fuel
    ));
}
