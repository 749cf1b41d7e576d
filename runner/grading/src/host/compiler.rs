//! The child's side of [`super::compile`].

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};

use super::engine::engine;
use crate::limits::CompileLimits;

/// The module is no valid component; the message says why.
pub(super) const EXIT_INVALID: i32 = 65;
/// The child was not started by a parent that speaks its protocol, or its
/// limits could not be set.
const EXIT_PROTOCOL: u8 = 64;
/// First word of the header line.
const MAGIC: &str = "proctor-compile-1";
/// Longest header line in bytes.
const HEADER_BYTES: u64 = 256;

/// The line in front of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    memory_bytes: u64,
    cpu_seconds: u64,
    wasm_bytes: u64,
}

impl Header {
    pub(super) fn new(limits: &CompileLimits, wasm_bytes: usize) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            cpu_seconds: limits.cpu_seconds,
            wasm_bytes: wasm_bytes as u64,
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_suffix('\n')?.split(' ');
        if words.next() != Some(MAGIC) {
            return None;
        }
        let mut number = || words.next()?.parse().ok();
        let header = Self {
            memory_bytes: number()?,
            cpu_seconds: number()?,
            wasm_bytes: number()?,
        };
        words.next().is_none().then_some(header)
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            memory_bytes,
            cpu_seconds,
            wasm_bytes,
        } = self;
        writeln!(f, "{MAGIC} {memory_bytes} {cpu_seconds} {wasm_bytes}")
    }
}

/// Body of the process that compiles a grader: reads a module from standard
/// input, limits itself, and writes the compiled module to standard output.
///
/// A program that uses [`super::Compiler::Child`] calls this from the command
/// that it gives there, before it does anything else.
pub fn compiler_main() -> ExitCode {
    match compile() {
        Ok(code) => {
            let mut stdout = io::stdout().lock();
            match stdout.write_all(&code).and_then(|()| stdout.flush()) {
                Ok(()) => ExitCode::SUCCESS,
                // The parent is gone, or has enough.
                Err(_) => ExitCode::from(EXIT_PROTOCOL),
            }
        }
        Err((status, message)) => {
            let _ = writeln!(io::stderr().lock(), "{message}");
            ExitCode::from(status)
        }
    }
}

fn compile() -> Result<Vec<u8>, (u8, String)> {
    let protocol = |message: String| (EXIT_PROTOCOL, message);
    let io_error = |error: io::Error| protocol(format!("cannot read the module: {error}"));
    let mut stdin = io::stdin().lock();
    let mut line = String::new();
    (&mut stdin)
        .take(HEADER_BYTES)
        .read_line(&mut line)
        .map_err(io_error)?;
    let header = Header::parse(&line).ok_or_else(|| {
        protocol(format!(
            "expected a line `{MAGIC} MEMORY CPU LENGTH` and a module on stdin"
        ))
    })?;
    limit(&header).map_err(|error| protocol(format!("cannot limit the compiler: {error}")))?;
    let mut wasm = Vec::new();
    stdin
        .take(header.wasm_bytes)
        .read_to_end(&mut wasm)
        .map_err(io_error)?;
    if wasm.len() as u64 != header.wasm_bytes {
        return Err(protocol(format!(
            "the module ends after {} bytes",
            wasm.len()
        )));
    }
    let engine = engine().map_err(|error| protocol(format!("no compiler: {error:#}")))?;
    let invalid = u8::try_from(EXIT_INVALID).unwrap_or(EXIT_PROTOCOL);
    engine
        .precompile_component(&wasm)
        .map_err(|error| (invalid, format!("{error:#}")))
}

/// Limits this process and what it could leave behind.
fn limit(header: &Header) -> io::Result<()> {
    lower(Resource::As, header.memory_bytes)?;
    lower(Resource::Cpu, header.cpu_seconds)?;
    lower(Resource::Core, 0)?;
    lower(Resource::Fsize, 0)?;
    // Nobody is left to read the result of a compiler whose parent died.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// Lowers a limit. The hard limit of the processor time is a second later, so
/// that it is the soft one that is met and its signal tells why.
fn lower(resource: Resource, value: u64) -> io::Result<()> {
    let old = getrlimit(resource);
    let hard = if resource == Resource::Cpu {
        value.saturating_add(1)
    } else {
        value
    };
    let at_most = |limit: Option<u64>, value: u64| limit.map_or(value, |limit| limit.min(value));
    let new = Rlimit {
        current: Some(at_most(old.current, value)),
        maximum: Some(at_most(old.maximum, hard)),
    };
    Ok(setrlimit(resource, new)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_a_round_trip_and_nonsense_is_refused() {
        let header = Header::new(&CompileLimits::default(), 12345);
        assert_eq!(Header::parse(&header.to_string()), Some(header));
        for bad in [
            "",
            "proctor-compile-1 1 2 3",
            "proctor-compile-1 1 2\n",
            "proctor-compile-1 1 2 3 4\n",
            "proctor-compile-2 1 2 3\n",
            "proctor-compile-1 1 -2 3\n",
        ] {
            assert_eq!(Header::parse(bad), None, "{bad:?}");
        }
    }
}
