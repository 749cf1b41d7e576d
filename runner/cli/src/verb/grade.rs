//! `proctor grade`: from frozen evidence to a verdict.

use std::path::PathBuf;

use clap::Args;
use proctor_engine::regrade::{self, RegradeRequest};

use crate::exit::Exit;
use crate::output;
use crate::reporter::{Format, terminal};

/// Arguments of `proctor grade`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of a trial (it holds `evidence/`)
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// Grader component to use instead of the one that graded the trial
    #[arg(long, value_name = "FILE")]
    pub grader: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Grades the trial and prints the verdict. Nothing on disk is changed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let graded = regrade::grade(&RegradeRequest {
        dir: arguments.dir.clone(),
        grader: arguments.grader.clone(),
        host: super::host()?,
    })?;
    if let Some(warning) = &graded.warning {
        output::err(&format!("warning: {warning}"));
    }
    // Another grader may well come to another verdict.
    let differs = graded.same == Some(false) && arguments.grader.is_none();
    match arguments.format {
        // The very bytes of `verdict.json`, which end with a line feed.
        Format::Json => output::raw(&graded.bytes),
        Format::Text => {
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
            let short = verdict
                .grader
                .sha256
                .get(..12)
                .unwrap_or(&verdict.grader.sha256);
            let compared = match graded.same {
                Some(true) => "the recorded verdict is the same, byte for byte",
                Some(false) => "the recorded verdict is another one",
                None => "there is no recorded verdict",
            };
            output::out(&format!(
                "grader {short} used {} fuel; {compared}",
                verdict.grader.fuel
            ));
        }
    }
    if differs {
        output::err("the evidence gives another verdict than the recorded verdict.json");
        return Ok(Exit::CheckFailed);
    }
    Ok(Exit::Done)
}
