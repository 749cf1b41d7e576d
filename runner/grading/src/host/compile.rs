//! Compiling a module in a process of its own, under limits that the kernel
//! keeps: a compiler given a hostile module can take minutes and gigabytes.
//!
//! The parent writes one header line and the module to the child's standard
//! input; the child answers with the compiled module on standard output and
//! status 0, or with a message on standard error and another status.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::compiler::{EXIT_INVALID, Header};
use crate::error::Fault;
use crate::limits::CompileLimits;
use crate::text::excerpt;

/// How much of the child's standard error is read.
const STDERR_BYTES: u64 = 16 << 10;

/// Where modules are compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// In a child process under limits: for modules from anybody.
    Child(CompilerCommand),
    /// In this process, under no limits but those of the module's size: for
    /// modules that the operator made.
    InProcess,
}

/// The command of a child process that calls [`crate::compiler_main`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerCommand {
    /// The executable, usually the running one.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// Compiles `wasm` in a child process.
pub(super) fn compile(
    command: &CompilerCommand,
    limits: &CompileLimits,
    wasm: &[u8],
) -> Result<Vec<u8>, Fault> {
    let internal = |what: &str, error: &dyn std::fmt::Display| Fault::Internal {
        detail: format!("{what} {}: {error}", command.program.display()),
    };
    let mut child = Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| internal("the compiler cannot be started:", &error))?;
    let talk = match Talk::prepare(&mut child) {
        Ok(talk) => talk,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(internal("cannot talk to the compiler", &error));
        }
    };
    let answer = talk
        .run(&mut child, limits, wasm)
        .map_err(|error| internal("cannot talk to the compiler", &error))?;
    answer.code(limits, limits.output_bytes_of(wasm.len()))
}

/// The ends of the child that the parent holds.
struct Talk {
    stdin: std::process::ChildStdin,
    stdout: std::process::ChildStdout,
    stderr: std::process::ChildStderr,
    pidfd: OwnedFd,
}

struct Answer {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
    timed_out: bool,
}

impl Talk {
    fn prepare(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::other("a pipe is missing");
        let pid = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(missing)?;
        Ok(Self {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr: child.stderr.take().ok_or_else(missing)?,
            // Signals through it can never meet another process.
            pidfd: pidfd_open(pid, PidfdFlags::empty())?,
        })
    }

    /// Feeds the child and drains it, all at once so that neither waits for
    /// the other, and kills it when its time is up.
    fn run(self, child: &mut Child, limits: &CompileLimits, wasm: &[u8]) -> io::Result<Answer> {
        let Self {
            mut stdin,
            stdout,
            stderr,
            pidfd,
        } = self;
        let output_bytes = limits.output_bytes_of(wasm.len());
        let header = Header::new(limits, wasm.len()).to_string();
        let (done, when_done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            // A child that ends early closes the pipe; its status says why.
            scope.spawn(move || {
                stdin
                    .write_all(header.as_bytes())
                    .and_then(|()| stdin.write_all(wasm))
            });
            let stderr = scope.spawn(move || read(stderr, STDERR_BYTES));
            let kill = || {
                let _ = pidfd_send_signal(&pidfd, Signal::KILL);
            };
            let watchdog = scope.spawn(move || {
                let timed_out =
                    when_done.recv_timeout(limits.time) == Err(RecvTimeoutError::Timeout);
                if timed_out {
                    kill();
                }
                timed_out
            });
            let stdout = read(stdout, output_bytes.saturating_add(1));
            let too_long = stdout
                .as_ref()
                .is_ok_and(|out| out.len() as u64 > output_bytes);
            if too_long || stdout.is_err() {
                let _ = child.kill();
            }
            let status = child.wait();
            drop(done);
            let timed_out = watchdog.join().unwrap_or(false);
            let stderr = stderr
                .join()
                .unwrap_or_else(|_| Ok(Vec::new()))
                .unwrap_or_default();
            Ok(Answer {
                status: status?,
                stdout: stdout?,
                stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
                timed_out,
            })
        })
    }
}

/// Reads at most `limit` bytes; the rest stays in the pipe.
fn read(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    from.take(limit).read_to_end(&mut out)?;
    Ok(out)
}

impl Answer {
    fn code(self, limits: &CompileLimits, output_bytes: u64) -> Result<Vec<u8>, Fault> {
        if self.timed_out {
            let detail = format!("it took longer than {:.0} s", limits.time.as_secs_f64());
            return Err(Fault::CompileLimits { detail });
        }
        if self.stdout.len() as u64 > output_bytes {
            let detail = format!("the result is longer than {output_bytes} bytes");
            return Err(Fault::CompileLimits { detail });
        }
        match (self.status.code(), self.status.signal()) {
            (Some(0), _) => Ok(self.stdout),
            (Some(EXIT_INVALID), _) => Err(Fault::CompileFailed {
                detail: self.stderr,
            }),
            (Some(status), _) => {
                let mut detail = format!("the compiler ended with status {status}");
                self.append_words(&mut detail);
                Err(Fault::Internal { detail })
            }
            // None of its limits ends it so: somebody else did, or the kernel,
            // for want of memory.
            (None, Some(signal)) if signal == Signal::KILL.as_raw() => Err(Fault::Internal {
                detail: "the compiler was killed; where the machine has too little memory, run \
                         fewer trials at once"
                    .to_owned(),
            }),
            (None, signal) => Err(Fault::CompileLimits {
                detail: self.killed(signal, limits),
            }),
        }
    }

    /// What it means that the child was ended by a signal.
    fn killed(&self, signal: Option<i32>, limits: &CompileLimits) -> String {
        let is = |other: Signal| signal == Some(other.as_raw());
        // What Rust's runtime writes before it aborts, with a number that is
        // another one each time.
        if is(Signal::ABORT) && self.stderr.contains("has overflowed its stack") {
            return "its parts are nested too deeply for the compiler's stack".to_owned();
        }
        let mut detail = if is(Signal::XCPU) {
            format!(
                "it took more than {} s of processor time",
                limits.cpu_seconds
            )
        } else if is(Signal::ABORT) {
            format!(
                "the compiler gave up with {} bytes of memory",
                limits.memory_bytes
            )
        } else {
            format!(
                "the compiler was ended by signal {}",
                signal.unwrap_or_default()
            )
        };
        self.append_words(&mut detail);
        detail
    }

    fn append_words(&self, detail: &mut String) {
        if !self.stderr.is_empty() {
            // Writing into a String cannot fail.
            let _ = write!(detail, ": {}", excerpt(&self.stderr, 1000));
        }
    }
}
