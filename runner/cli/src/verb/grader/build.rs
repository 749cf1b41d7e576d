//! `proctor grader build`: from a crate to a component.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proctor_engine::grader::{self, BuildOptions, StdSource};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor grader build`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folder of the grader's crate
    #[arg(value_name = "CRATE")]
    krate: PathBuf,

    /// Where the component goes; how it was built is written beside it
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Where the build keeps its intermediate files; `target/graders` by
    /// default, never inside of a task
    #[arg(long, value_name = "DIR")]
    target_dir: Option<PathBuf>,

    /// Do without the registry: with the packages that are on this machine
    #[arg(long)]
    offline: bool,

    /// Only with this standard library: to build again what was built so before
    #[arg(long, value_enum, value_name = "WHICH")]
    std: Option<Std>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Where the standard library comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Std {
    /// The toolchain's own, for the target
    Installed,
    /// Built from the sources that the compiler comes with
    Source,
}

/// Builds the grader.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    // The build runs in the crate's folder.
    let target_dir = super::target::folder(arguments.target_dir.as_deref())
        .context("cannot find the current folder")?;
    let mut options = BuildOptions::new(target_dir)
        .env(std::env::vars_os())
        .offline(arguments.offline);
    if let Some(std) = arguments.std {
        options = options.std(match std {
            Std::Installed => StdSource::Installed,
            Std::Source => StdSource::Source,
        });
    }
    let made = grader::build(&arguments.krate, &arguments.output, &options)?;
    let built = &made.built;
    match arguments.format {
        Format::Json => output::exact(&serde_json::to_string(&serde_json::json!({
            "file": arguments.output,
            "bytes": built.component.len(),
            "sha256": built.sha256,
            "abi": built.abi,
            "toolchain": built.toolchain,
            "record": made.record_path,
            "build": made.record,
            "scripts": built.scripts,
        }))?),
        Format::Text => {
            output::out(&format!(
                "{}: {} bytes, sha256 {}",
                arguments.output.display(),
                built.component.len(),
                built.sha256
            ));
            output::out(&format!(
                "{}: how it was built; commit it with the module",
                made.record_path.display()
            ));
            if made.record.source.is_none() {
                output::warning(
                    arguments.format,
                    "the crate and the module lie in no common repository: the record does not \
                     say where the source is, and nobody can build it again by it",
                );
            }
        }
    }
    Ok(Exit::Done)
}
