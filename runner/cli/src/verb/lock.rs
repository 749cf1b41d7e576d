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
    /// fit the suite (`proctor verify` says more)
    #[arg(long)]
    pub check: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Writes or checks the lock.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (differences, written) = if arguments.check {
        (suite::check(&arguments.suite)?, None)
    } else {
        let written = suite::write(&arguments.suite)?;
        (
            written.differences,
            Some((written.path, written.tasks, written.warnings)),
        )
    };
    let warnings = written.iter().flat_map(|(_, _, warnings)| warnings);
    match arguments.format {
        Format::Json => {
            let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
            let warnings: Vec<String> = warnings.map(ToString::to_string).collect();
            output::exact(&serde_json::to_string(
                &serde_json::json!({"differences": lines, "warnings": warnings}),
            )?);
        }
        Format::Text => {
            for difference in &differences {
                output::out(&difference.to_string());
            }
            for warning in warnings {
                output::warning(arguments.format, &warning.to_string());
            }
            match &written {
                Some((path, tasks, _)) => {
                    let s = if *tasks == 1 { "" } else { "s" };
                    output::out(&format!("{}: {tasks} task{s} locked", path.display()));
                }
                None if differences.is_empty() => output::out("proctor.lock fits the suite"),
                None => {}
            }
        }
    }
    Ok(if arguments.check && !differences.is_empty() {
        Exit::CheckFailed
    } else {
        Exit::Done
    })
}
