//! `proctor lock`: record what was reviewed.

use std::path::PathBuf;

use clap::Args;
use proctor_engine::suite;

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor lock`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Suite: a folder of task folders
    #[arg(value_name = "SUITE", default_value = "tasks")]
    pub suite: PathBuf,

    /// Change nothing; end with 1 and every difference where the lock does not
    /// fit the suite
    #[arg(long)]
    pub check: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Writes or checks the lock.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let differences = if arguments.check {
        suite::check(&arguments.suite)?
    } else {
        suite::write(&arguments.suite)?
    };
    match arguments.format {
        Format::Json => {
            let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
            output::exact(&serde_json::to_string(
                &serde_json::json!({"differences": lines}),
            )?);
        }
        Format::Text if differences.is_empty() => output::out("proctor.lock fits the suite"),
        Format::Text => {
            for difference in &differences {
                output::out(&difference.to_string());
            }
        }
    }
    Ok(if arguments.check && !differences.is_empty() {
        Exit::CheckFailed
    } else {
        Exit::Done
    })
}
