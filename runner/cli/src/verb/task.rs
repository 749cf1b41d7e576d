//! `proctor task`: look at tasks.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use proctor_engine::suite::load;

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor task`.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// Show what Proctor understands of a task
    Show(Show),
}

/// Arguments of `proctor task show`.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Task folder, Markdown task file, or suite
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    /// Format of the result.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Show(show) => show.format,
        }
    }
}

/// Shows the task.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Arguments::Show(show) = arguments;
    let tasks = load(std::slice::from_ref(&show.path))?;
    for (at, task) in tasks.iter().enumerate() {
        match show.format {
            Format::Json => output::exact(&serde_json::to_string(&task.describe())?),
            Format::Text => {
                if at > 0 {
                    output::out("");
                }
                output::out(&task.describe().to_text());
            }
        }
        for warning in &task.warnings {
            output::err(&format!("warning: {warning}"));
        }
    }
    Ok(Exit::Done)
}
