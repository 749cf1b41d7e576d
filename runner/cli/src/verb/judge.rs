//! `proctor judge`: what graders left open, before a judge; and judges beside
//! people.

use std::path::PathBuf;

use clap::Args;
use proctor_engine::judging::{self, CalibrateRequest, RejudgeRequest, Rejudged};

use super::model::JudgeFlags;
use crate::exit::Exit;
use crate::output;
use crate::reporter::{Format, terminal};

/// Arguments of `proctor judge`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of a graded trial; with --calibrate, of a trial or a job
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    #[command(flatten)]
    pub judge: JudgeFlags,

    /// Ask again what was answered before
    #[arg(long)]
    pub fresh: bool,

    /// Compare the judge's answers with people's: a file of labels, as JSON lines
    /// or CSV (docs/judge.md). Nothing is asked
    #[arg(long, value_name = "FILE", conflicts_with_all = ["judge", "fresh"])]
    pub calibrate: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Judges, or compares, and prints what came out.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(labels) = &arguments.calibrate {
        let compared = judging::calibrate(&CalibrateRequest {
            dir: arguments.dir.clone(),
            labels: labels.clone(),
        })?;
        match arguments.format {
            Format::Json => output::exact(&serde_json::to_string(&compared)?),
            Format::Text => output::out(compared.to_string().trim_end()),
        }
        return Ok(Exit::Done);
    }
    let Some(judge) = arguments.judge.request(arguments.fresh)? else {
        return Err(proctor_engine::EngineError::Usage {
            message: "nobody is named who could judge".to_owned(),
            hint: Some(
                "name one with --judge PROVIDER/MODEL, command:PROGRAM or recorded:FILE; or \
                 compare with --calibrate FILE"
                    .to_owned(),
            ),
        }
        .into());
    };
    let judged = judging::judge(&RejudgeRequest {
        dir: arguments.dir.clone(),
        judge,
    })?;
    match arguments.format {
        Format::Json => output::exact(&serde_json::to_string(&judged.verdict)?),
        Format::Text => print(&judged),
    }
    Ok(Exit::Done)
}

fn print(judged: &Rejudged) {
    output::out(&terminal::headline(&judged.record));
    for criterion in &judged.record.criteria {
        output::out(&terminal::criterion(criterion));
    }
    let calls = judged.judged.calls.len();
    let usage = judged.judged.usage;
    output::out(&format!(
        "{calls} calls of the judge, {} tokens; answers that were stored are not asked again",
        usage.total()
    ));
}
