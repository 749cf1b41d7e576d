//! The `proctor` command: runs AI agents on office work and tells truthfully
//! how well they did.

mod exit;
mod github;
mod output;
mod reporter;
mod verb;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgAction, Parser};
use tracing_subscriber::EnvFilter;

use crate::exit::Exit;
use crate::reporter::Format;
use crate::verb::Verb;

/// Answers and evidence are many small allocations that die together.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs AI agents on real office work in a captive world, freezes the
/// evidence, and grades it with sandboxed WebAssembly graders.
#[derive(Debug, Parser)]
#[command(name = "proctor", version, after_help = AFTER)]
struct Arguments {
    /// Say more on standard error: -v what happens, -vv details, -vvv everything.
    /// `RUST_LOG` sets it per module.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,

    #[command(subcommand)]
    verb: Verb,
}

const AFTER: &str = "\
Examples:
  proctor run tasks/gws-task-management --agent oracle
  proctor run tasks --agent nop --format json
  proctor serve --task tasks/gws-task-management --port 8000 --proxy-port 8001
  proctor grade out/JOB/trials/TRIAL

Exit codes are listed in docs/exit-codes.md.";

fn main() -> ExitCode {
    // The compiler child must not pay for anything below.
    if let Some(code) = verb::compile::child() {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            return refuse(&error).into();
        }
    };
    log(arguments.verbose);
    let format = arguments.verb.format();
    match arguments.verb.run() {
        Ok(exit) => delivered(exit, format).into(),
        Err(error) => report(&error, format).into(),
    }
}

/// `exit`, unless what was printed has not arrived.
fn delivered(exit: Exit, format: Format) -> Exit {
    let Some(lost) = output::lost() else {
        return exit;
    };
    // A failure that the code tells of is worth more than how it was told.
    let exit = if exit == Exit::Done { Exit::Io } else { exit };
    let message = format!("cannot write to standard output: {lost}");
    output::error(format, exit as u8, &message, None);
    exit
}

/// Says what is wrong with the command line, or gives the help it asks for.
fn refuse(error: &clap::Error) -> Exit {
    let format = asked_format(std::env::args_os().skip(1));
    if !error.use_stderr() {
        output::check(error.print());
        return delivered(Exit::Done, format);
    }
    if format == Format::Text {
        output::usage(error);
        return Exit::Usage;
    }
    // The first paragraph says what is wrong, what follows what would be right.
    let text = error.render().to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = one_line(message.strip_prefix("error: ").unwrap_or(message));
    let hint = Some(one_line(rest)).filter(|hint| !hint.is_empty());
    output::error(format, Exit::Usage as u8, &message, hint.as_deref());
    Exit::Usage
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The format that a command line asks for which cannot be understood.
fn asked_format(arguments: impl Iterator<Item = OsString>) -> Format {
    let arguments: Vec<OsString> = arguments.take_while(|argument| argument != "--").collect();
    let apart = arguments
        .windows(2)
        .any(|pair| pair[0] == "--format" && pair[1] == "json");
    if apart || arguments.iter().any(|argument| argument == "--format=json") {
        Format::Json
    } else {
        Format::Text
    }
}

fn log(verbose: u8) {
    let level = match verbose {
        0 => "error",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("error,proctor={level}")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Colours are made of what `Log` makes visible.
        .with_ansi(false)
        .with_writer(output::Log)
        .init();
}

/// Says what went wrong, where, and what to do about it.
fn report(error: &anyhow::Error, format: Format) -> Exit {
    let engine = error.downcast_ref::<proctor_engine::EngineError>();
    let exit = engine.map_or_else(
        || {
            error
                .downcast_ref::<exit::Ended>()
                .map_or(Exit::Io, |ended| ended.0)
        },
        Exit::of,
    );
    let hint = engine.and_then(proctor_engine::EngineError::hint);
    let message = output::chain(error);
    output::error(format, exit as u8, &message, hint.as_deref());
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_known_where_the_command_line_is_not() {
        let asked = |line: &str| asked_format(line.split(' ').map(OsString::from));
        for line in [
            "run --format json",
            "rn --format=json x",
            "--format json grade",
        ] {
            assert_eq!(asked(line), Format::Json, "{line}");
        }
        for line in [
            "",
            "run",
            "run --format text",
            "run json --format",
            "x -- --format json",
        ] {
            assert_eq!(asked(line), Format::Text, "{line}");
        }
    }
}
