//! `proctor grader`: build graders.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use proctor_engine::grader::{self, BuildOptions};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor grader`.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// Compile a grader crate to a WebAssembly component
    Build(Build),
}

/// Arguments of `proctor grader build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// Folder of the grader's crate
    #[arg(value_name = "CRATE")]
    krate: PathBuf,

    /// Where the component goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Where the build keeps its intermediate files
    #[arg(long, value_name = "DIR", default_value = "target/graders")]
    target_dir: PathBuf,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    /// Format of the result.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Build(build) => build.format,
        }
    }
}

/// Builds the grader.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Arguments::Build(build) = arguments;
    // The build runs in the crate's folder.
    let target_dir =
        std::path::absolute(&build.target_dir).context("cannot find the current folder")?;
    let options = BuildOptions::new(target_dir).env(std::env::vars_os());
    let made = grader::build(&build.krate, &options)?;
    std::fs::write(&build.output, &made.component)
        .with_context(|| format!("cannot write {}", build.output.display()))?;
    match build.format {
        Format::Json => output::exact(&serde_json::to_string(&serde_json::json!({
            "file": build.output,
            "bytes": made.component.len(),
            "sha256": made.sha256,
            "abi": made.abi,
            "toolchain": made.toolchain,
        }))?),
        Format::Text => output::out(&format!(
            "{}: {} bytes, sha256 {}",
            build.output.display(),
            made.component.len(),
            made.sha256
        )),
    }
    Ok(Exit::Done)
}
