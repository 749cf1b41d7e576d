//! A grader that asks WASI for everything that differs between two runs, two
//! machines or two users, and says what it heard.

/// WASI, as hosts of programs know it.
#[allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated: values pass through raw pointers into this module's own memory"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../../runner/grading/wit/wasi",
        world: "proctor:wasi/imports",
        generate_all,
    });
}

use bindings::wasi::cli::{environment, stdin, terminal_stdout};
use bindings::wasi::clocks::{monotonic_clock, wall_clock};
use bindings::wasi::random::{insecure, insecure_seed, random};
use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let environment = (
        environment::get_environment(),
        environment::get_arguments(),
        environment::initial_cwd(),
    );
    let input = stdin::get_stdin().blocking_read(1000).is_ok();
    let terminal = terminal_stdout::get_terminal_stdout().is_some();
    let clocks = (wall_clock::now().seconds, monotonic_clock::now());
    let randomness = (
        random::get_random_u64(),
        random::get_random_bytes(4),
        insecure::get_insecure_random_u64(),
        insecure_seed::insecure_seed(),
    );
    Err(Error::unfit(format!(
        "{environment:?} {input} {terminal} {clocks:?} {randomness:?}"
    )))
}

proctor_grader::export!(grade);
