//! `proctor-capture FILTER`: one jq filter over the JSON document on standard
//! input, under limits. Steps files use it through their `capture` key.

use std::io::Write;
use std::process::ExitCode;

use proctor_agents::capture::program;

fn main() -> ExitCode {
    let arguments = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    let mut output = std::io::stdout().lock();
    match program::main(arguments, std::io::stdin().lock(), &mut output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // Nobody is left to tell when standard error is gone too.
            let _ = writeln!(std::io::stderr(), "{problem}");
            ExitCode::from(u8::try_from(program::REFUSED).unwrap_or(u8::MAX))
        }
    }
}
