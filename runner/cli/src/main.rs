//! The `proctor` command: runs AI agents on office work and tells truthfully
//! how well they did.

mod exit;
mod output;
mod reporter;
mod verb;

use std::process::ExitCode;

use clap::{ArgAction, Parser};
use tracing_subscriber::EnvFilter;

use crate::exit::Exit;
use crate::reporter::Format;
use crate::verb::Verb;

/// Runs AI agents on real office work in a captive world, freezes the
/// evidence, and grades it with sandboxed WebAssembly graders.
#[derive(Debug, Parser)]
#[command(name = "proctor", version, after_help = AFTER)]
struct Arguments {
    /// Say more on standard error: -v what happens, -vv details, -vvv everything.
    /// RUST_LOG sets it per module.
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
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
            drop(error.print());
            return code.into();
        }
    };
    log(arguments.verbose);
    let format = arguments.verb.format();
    match arguments.verb.run() {
        Ok(exit) => exit.into(),
        Err(error) => report(&error, format).into(),
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
        .with_writer(std::io::stderr)
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
    match format {
        Format::Text => {
            output::err(&format!("error: {message}"));
            if let Some(hint) = hint {
                output::err(&format!("hint: {hint}"));
            }
        }
        Format::Json => output::err(
            &serde_json::json!({
                "error": {"code": exit as u8, "message": message, "hint": hint}
            })
            .to_string(),
        ),
    }
    exit
}
