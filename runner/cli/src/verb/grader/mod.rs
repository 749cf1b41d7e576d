//! `proctor grader`: build, test and look at graders.

mod build;
mod inspect;
mod target;
mod test;

use clap::Subcommand;

use crate::exit::Exit;
use crate::reporter::Format;

/// Arguments of `proctor grader`.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// Compile a grader crate to a WebAssembly component
    Build(build::Arguments),
    /// Run a grader crate's tests, and its module on recorded trials
    Test(test::Arguments),
    /// Show what a module is, what it asks for, and why it would be refused
    Inspect(inspect::Arguments),
}

impl Arguments {
    /// Format of the result.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Build(arguments) => arguments.format,
            Self::Test(arguments) => arguments.format,
            Self::Inspect(arguments) => arguments.format,
        }
    }
}

/// Does it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match arguments {
        Arguments::Build(arguments) => build::run(arguments),
        Arguments::Test(arguments) => test::run(arguments),
        Arguments::Inspect(arguments) => inspect::run(arguments),
    }
}
