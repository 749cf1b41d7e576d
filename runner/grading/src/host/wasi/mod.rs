//! What graders find that bring WASI: an interpreter, or a program built for
//! `wasm32-wasip1` or `wasm32-wasip2`.
//!
//! Nothing here is the machine's. Files are the bundle's, checked against its
//! digests, and a scratch directory in memory; the clock stands at the trial's
//! end and moves only when a grader sleeps; randomness comes from a fixed seed;
//! there are no arguments, no environment and no input, and sockets answer
//! "access denied". Every call is answered at once and costs something of the
//! budget, so that no grader can wait, and two grades are the same.

#![allow(
    unreachable_pub,
    reason = "the generated bindings re-export the types of their resources"
)]

mod cli;
mod clock;
mod descriptor;
mod fault;
mod files;
mod io;
mod random;
mod scratch;
mod sockets;

use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};

use super::state::State;
use crate::bundle::Bundle;
use clock::Clock;
pub(crate) use files::Inputs;
use io::Lines;
use random::Random;
use scratch::Scratch;

mod bindings {
    #![allow(
        missing_docs,
        unreachable_pub,
        rust_2018_idioms,
        clippy::pedantic,
        clippy::all,
        reason = "generated from the interfaces of WASI"
    )]
    wasmtime::component::bindgen!({
        path: "wit/wasi",
        world: "proctor:wasi/imports",
        imports: { default: trappable },
        with: {
            "wasi:io/error.error": super::io::IoError,
            "wasi:io/poll.pollable": super::io::Pollable,
            "wasi:io/streams.input-stream": super::io::InputStream,
            "wasi:io/streams.output-stream": super::io::OutputStream,
            "wasi:filesystem/types.descriptor": super::descriptor::Descriptor,
            "wasi:filesystem/types.directory-entry-stream": super::descriptor::Entries,
            "wasi:cli/terminal-input.terminal-input": super::cli::Terminal,
            "wasi:cli/terminal-output.terminal-output": super::cli::Terminal,
        },
        trappable_error_type: {
            "wasi:io/streams.stream-error" => super::io::StreamFault,
            "wasi:filesystem/types.error-code" => super::fault::FileFault,
        },
    });
}

/// What a grader with WASI has open, and what it sees.
#[derive(Debug)]
pub(super) struct Wasi {
    table: ResourceTable,
    /// Descriptors that are open.
    open: usize,
    scratch: Scratch,
    /// Bytes that listings may still take.
    listings_left: u64,
    clock: Clock,
    random: Random,
    stdout: Lines,
    stderr: Lines,
    inputs: Inputs,
}

/// Descriptors that a grader may hold at once.
const DESCRIPTORS: usize = 1000;
/// Those, streams and the like.
const HANDLES: usize = 4 * DESCRIPTORS;

impl Wasi {
    pub(super) fn new(bundle: &Bundle, inputs: Inputs, scratch_bytes: u64) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES);
        Self {
            table,
            open: 0,
            scratch: Scratch::new(scratch_bytes),
            listings_left: descriptor::LISTINGS,
            clock: Clock::at_end_of(bundle.manifest()),
            random: Random::default(),
            stdout: Lines::default(),
            stderr: Lines::default(),
            inputs,
        }
    }
}

/// An interface that a grader may import, and how it is given.
type Give = fn(&mut Linker<State>) -> wasmtime::Result<()>;

macro_rules! interfaces {
    ($($name:literal => $($module:ident)::+),* $(,)?) => {
        &[$(($name, |linker| {
            bindings::wasi::$($module)::+::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        })),*]
    };
}

/// All of them, by name without version.
const INTERFACES: &[(&str, Give)] = interfaces! {
    "wasi:cli/environment" => cli::environment,
    "wasi:cli/exit" => cli::exit,
    "wasi:cli/stderr" => cli::stderr,
    "wasi:cli/stdin" => cli::stdin,
    "wasi:cli/stdout" => cli::stdout,
    "wasi:cli/terminal-input" => cli::terminal_input,
    "wasi:cli/terminal-output" => cli::terminal_output,
    "wasi:cli/terminal-stderr" => cli::terminal_stderr,
    "wasi:cli/terminal-stdin" => cli::terminal_stdin,
    "wasi:cli/terminal-stdout" => cli::terminal_stdout,
    "wasi:clocks/monotonic-clock" => clocks::monotonic_clock,
    "wasi:clocks/wall-clock" => clocks::wall_clock,
    "wasi:filesystem/preopens" => filesystem::preopens,
    "wasi:filesystem/types" => filesystem::types,
    "wasi:io/error" => io::error,
    "wasi:io/poll" => io::poll,
    "wasi:io/streams" => io::streams,
    "wasi:random/insecure" => random::insecure,
    "wasi:random/insecure-seed" => random::insecure_seed,
    "wasi:random/random" => random::random,
};

/// Last minor version of WASI 0.2 whose functions are known here.
const LAST_PATCH: u64 = 12;

/// Packages in words, for messages about imports that are not allowed.
pub(super) const IN_WORDS: &str = "`wasi:cli`, `wasi:clocks`, `wasi:filesystem`, `wasi:io` and \
                                   `wasi:random` of WASI 0.2 (`wasi:sockets` too, whose functions \
                                   all answer \"access denied\")";

/// The interface of an import, without version, where it is one that graders
/// may have.
fn interface(import: &str) -> Option<&str> {
    let (interface, version) = import.split_once('@')?;
    let patch = version.strip_prefix("0.2.")?;
    // One spelling for each number.
    let known = patch
        .parse::<u64>()
        .is_ok_and(|number| number <= LAST_PATCH && number.to_string() == patch);
    let named = INTERFACES.iter().any(|(name, _)| *name == interface)
        || sockets::INTERFACES.contains(&interface);
    (known && named).then_some(interface)
}

/// Whether a grader may import it.
pub(super) fn allows(import: &str) -> bool {
    interface(import).is_some()
}

/// Gives a component what it imports of WASI, interface by interface.
pub(super) fn link(
    linker: &mut Linker<State>,
    component: &Component,
    imports: &[String],
) -> wasmtime::Result<()> {
    for (name, give) in INTERFACES {
        if imports.iter().any(|import| interface(import) == Some(name)) {
            give(linker)?;
        }
    }
    sockets::deny(linker, component)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_allowed_by_name_and_version() {
        for good in [
            "wasi:io/streams@0.2.0",
            "wasi:io/streams@0.2.12",
            "wasi:filesystem/types@0.2.6",
            "wasi:sockets/tcp@0.2.4",
        ] {
            assert!(allows(good), "{good}");
        }
        for bad in [
            "wasi:io/streams",
            "wasi:io/streams@0.2.13",
            "wasi:io/streams@0.2.04",
            "wasi:io/streams@0.2.0-rc",
            "wasi:io/streams@0.3.0",
            "wasi:io/streams@0.2",
            "wasi:http/outgoing-handler@0.2.0",
            "wasi:filesystem/secrets@0.2.0",
            "wasi:sockets/raw@0.2.0",
            "wasi:keyvalue/store@0.2.0",
        ] {
            assert!(!allows(bad), "{bad}");
        }
    }
}
