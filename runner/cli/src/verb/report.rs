//! `proctor report`: the files that people look at, made anew.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use proctor_engine::EngineError;
use proctor_report::{Files, JUnitCases, ReportError, write_files};
use serde_json::json;

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor report`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of a job, finished or not; the files are written there
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// What is a test case in junit.xml
    #[arg(long, value_enum, default_value_t)]
    pub junit: Cases,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What is a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Cases {
    /// A trial
    #[default]
    Trial,
    /// A criterion of a trial
    Criterion,
}

/// Writes the files into the job's own directory.
pub(crate) fn beside(dir: &Path) -> Result<Files, ReportError> {
    write_files(dir, JUnitCases::PerTrial)
}

/// Writes the files, and prints where they are.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let cases = match arguments.junit {
        Cases::Trial => JUnitCases::PerTrial,
        Cases::Criterion => JUnitCases::PerCriterion,
    };
    let files = write_files(&arguments.dir, cases).map_err(|error| match error {
        ReportError::NoJob { .. } => EngineError::Usage {
            message: error.to_string(),
            hint: None,
        }
        .into(),
        other => anyhow::Error::from(other),
    })?;
    match arguments.format {
        Format::Json => output::exact(
            &json!({"html": files.html, "junit": files.junit, "csv": files.csv}).to_string(),
        ),
        Format::Text => {
            for file in [&files.html, &files.junit, &files.csv] {
                output::out(&file.display().to_string());
            }
        }
    }
    Ok(Exit::Done)
}
