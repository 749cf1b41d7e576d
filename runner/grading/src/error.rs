//! Why there is no verdict.
//!
//! "The grader says fail" is a verdict and not here. What is here makes a
//! trial `ungraded`, never a zero of the agent, and the kinds are kept apart:
//! a grader that broke, one that ran out of something, one that is not the
//! locked one, one that is not ours to run, and evidence that is not what its
//! manifest says.

use std::fmt;
use std::time::Duration;

use crate::bundle::EvidenceError;
use crate::log::GradeLog;
use crate::text::{excerpt, name};

/// Longest piece of the guest's own words in a message, in bytes.
const WORDS_BYTES: usize = 4096;

/// Why there is no verdict, with what the grader left behind.
#[derive(Debug, Clone)]
pub struct GradeError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    fault: Fault,
    words: Option<String>,
    log: GradeLog,
    fuel: Option<u64>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The grader returned an error of its own instead of a verdict.
    #[error("{}", excerpt(.message, WORDS_BYTES))]
    GraderSaidError {
        /// Its words.
        message: String,
    },
    /// The grader hit an instruction that ends it: a panic, a division by
    /// zero, an access outside its memory.
    #[error("the grader trapped: {trap}")]
    Trapped {
        /// The trap, and where.
        trap: String,
    },
    /// The grader ended its own process instead of answering.
    #[error("the grader ended itself with exit status {status} instead of answering")]
    Exited {
        /// The status.
        status: u8,
    },
    /// The grader used up its fuel.
    #[error("the grader ran out of fuel; the limit is {limit}")]
    OutOfFuel {
        /// The limit.
        limit: u64,
    },
    /// The grader used up its time.
    #[error("the grader ran out of time; the limit is {:.1} s", .limit.as_secs_f64())]
    OutOfTime {
        /// The limit.
        limit: Duration,
    },
    /// The grader wanted more memory than it may have, and broke when it did
    /// not get it.
    #[error("the grader ran out of memory; the limit is {limit} bytes")]
    OutOfMemory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The grader wanted more tables, memories, instances or table elements
    /// than it may have.
    #[error("the grader wants more than it may have: {detail}")]
    TooManyResources {
        /// Which of them.
        detail: String,
    },
    /// The grader called itself too deeply.
    #[error("the grader overflowed its stack")]
    StackOverflow,
    /// The verdict is larger than the host accepts.
    #[error("the grader's answer is too large; the limit is {limit} bytes")]
    OutputTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The arguments of one call, or all calls together, were larger than the
    /// host accepts.
    #[error("the grader moved too much data to or from the host; the limit is {limit} bytes")]
    HostcallBudget {
        /// The limit in bytes.
        limit: u64,
    },
    /// The grader logged more than the host accepts.
    #[error("the grader logged too much; the limit is {limit} bytes")]
    LogQuota {
        /// The limit in bytes.
        limit: u64,
    },
    /// The answer was no value of the contract's types: text that is not
    /// UTF-8, a pointer outside the memory, an unknown enum case.
    #[error("the grader broke the calling convention: {detail}")]
    AbiViolation {
        /// What was wrong.
        detail: String,
    },
    /// The verdict breaks a rule.
    #[error("the grader's verdict is invalid: {}", list(.problems, *.unlisted))]
    InvalidVerdict {
        /// What is wrong, the first problems found.
        problems: Vec<String>,
        /// Problems beyond those.
        unlisted: usize,
    },
    /// The module wants something that a grader may not have.
    #[error("the grader imports {}; a grader may import {}", name(.import), .allowed.join(", "))]
    ForbiddenImport {
        /// The import.
        import: String,
        /// What it may have instead.
        allowed: Vec<String>,
    },
    /// The bytes are no WebAssembly component.
    #[error("the grader is not a WebAssembly component: it is {found}")]
    NotAComponent {
        /// What they are.
        found: String,
    },
    /// The component is made for another contract than this host's.
    #[error("the grader has the wrong ABI: expected `{expected}`, found {found}")]
    WrongAbi {
        /// The contract of this host.
        expected: &'static str,
        /// What the component has instead.
        found: String,
    },
    /// The module is not the locked one.
    #[error(
        "the grader is not the locked one: its SHA-256 is {found}, the lock says {}",
        name(.expected)
    )]
    DigestMismatch {
        /// Digest in the lock.
        expected: String,
        /// Digest of the module, lower-case hex.
        found: String,
    },
    /// The module is larger than this host compiles.
    #[error("the grader is too large to be compiled: {what} is {found}; the limit is {limit}")]
    ModuleTooLarge {
        /// What was measured.
        what: &'static str,
        /// How large it is.
        found: usize,
        /// How large it may be.
        limit: usize,
    },
    /// The compiler refused the module.
    #[error("the grader does not compile: {}", excerpt(.detail, WORDS_BYTES))]
    CompileFailed {
        /// The compiler's words.
        detail: String,
    },
    /// Compiling the module took more than the limits allow.
    #[error("compiling the grader met a limit: {}", excerpt(.detail, WORDS_BYTES))]
    CompileLimits {
        /// Which limit.
        detail: String,
    },
    /// The evidence is not what its manifest says.
    #[error(transparent)]
    EvidenceInvalid(#[from] EvidenceError),
    /// The module cache cannot be trusted, or not be used.
    #[error("module cache: {detail}")]
    CacheRefused {
        /// Which directory, and why.
        detail: String,
    },
    /// The host itself failed.
    #[error("grading failed in the host: {detail}")]
    Internal {
        /// What happened.
        detail: String,
    },
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The grader's: the trial is ungraded.
    Grader,
    /// The bundle's: the trial is ungraded.
    Evidence,
    /// The machine's or the operator's: grading can be tried again.
    Host,
}

impl Fault {
    /// The kind as it stands in JSON: stable, lower-case, with `_`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::GraderSaidError { .. } => "grader_said_error",
            Self::Trapped { .. } => "trapped",
            Self::Exited { .. } => "exited",
            Self::OutOfFuel { .. } => "out_of_fuel",
            Self::OutOfTime { .. } => "out_of_time",
            Self::OutOfMemory { .. } => "out_of_memory",
            Self::TooManyResources { .. } => "too_many_resources",
            Self::StackOverflow => "stack_overflow",
            Self::OutputTooLarge { .. } => "output_too_large",
            Self::HostcallBudget { .. } => "hostcall_budget",
            Self::LogQuota { .. } => "log_quota",
            Self::AbiViolation { .. } => "abi_violation",
            Self::InvalidVerdict { .. } => "invalid_verdict",
            Self::ForbiddenImport { .. } => "forbidden_import",
            Self::NotAComponent { .. } => "not_a_component",
            Self::WrongAbi { .. } => "wrong_abi",
            Self::DigestMismatch { .. } => "digest_mismatch",
            Self::ModuleTooLarge { .. } => "module_too_large",
            Self::CompileFailed { .. } => "compile_failed",
            Self::CompileLimits { .. } => "compile_limits",
            Self::EvidenceInvalid(_) => "evidence_invalid",
            Self::CacheRefused { .. } => "cache_refused",
            Self::Internal { .. } => "internal",
        }
    }

    /// Whose fault it is.
    pub fn blame(&self) -> Blame {
        match self {
            Self::EvidenceInvalid(_) => Blame::Evidence,
            Self::CacheRefused { .. } | Self::Internal { .. } => Blame::Host,
            _ => Blame::Grader,
        }
    }

    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::GraderSaidError { .. } => {
                "the grader says that it cannot grade this evidence: its author has to look why"
            }
            Self::Trapped { trap } if trap.contains("out of bounds memory access") => {
                "look for a recursion without end, which uses up the memory for variables first, \
                 and run the grader natively on the same bundle with `cargo test`"
            }
            Self::Trapped { .. } => "run the grader natively on the same bundle with `cargo test`",
            Self::OutOfFuel { .. } | Self::OutOfTime { .. } => {
                "look for a loop without end, or for work that grows with the square of the input"
            }
            Self::OutOfMemory { .. } => "read large files in ranges instead of whole",
            Self::StackOverflow => "look for a recursion without end",
            Self::OutputTooLarge { .. } => "shorten reasons, notes and exhibits",
            Self::HostcallBudget { .. } => "read each file once, and only the files that matter",
            Self::LogQuota { .. } => "log less; the log is for the task's author",
            Self::InvalidVerdict { .. } => {
                "the grader breaks a rule of the contract; its author has to fix it"
            }
            Self::ForbiddenImport { .. } => {
                "build Rust graders for wasm32-unknown-unknown: what a grader may know is in the \
                 evidence bundle"
            }
            Self::NotAComponent { .. } => {
                "a grader is a component: a module wrapped together with its contract, as the \
                 grader SDK builds it"
            }
            Self::WrongAbi { .. } => {
                "rebuild the grader with this version's SDK, or use the version of Proctor that \
                 it was built for"
            }
            Self::DigestMismatch { .. } => {
                "if the grader was changed on purpose, review it and lock it again; otherwise \
                 restore the locked file"
            }
            Self::EvidenceInvalid(_) => {
                "the bundle was changed after it was frozen, or is incomplete"
            }
            Self::CacheRefused { .. } => {
                "the cache holds native code: it must be a directory of your own with mode 0700"
            }
            Self::TooManyResources { .. }
            | Self::AbiViolation { .. }
            | Self::Exited { .. }
            | Self::ModuleTooLarge { .. }
            | Self::CompileFailed { .. }
            | Self::CompileLimits { .. }
            | Self::Internal { .. } => return None,
        })
    }
}

impl GradeError {
    /// An error with what the grader left behind when it ended.
    pub(crate) fn with_run(
        fault: Fault,
        words: Option<String>,
        log: GradeLog,
        fuel: Option<u64>,
    ) -> Self {
        Self(Box::new(Inner {
            fault,
            words,
            log,
            fuel,
        }))
    }

    /// What went wrong.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// The kind as it stands in JSON ([`Fault::kind`]).
    pub fn kind(&self) -> &'static str {
        self.0.fault.kind()
    }

    /// Whose fault it is ([`Fault::blame`]).
    pub fn blame(&self) -> Blame {
        self.0.fault.blame()
    }

    /// What to do about it ([`Fault::hint`]).
    pub fn hint(&self) -> Option<&'static str> {
        self.0.fault.hint()
    }

    /// The grader's own last words: what it logged as an error before it
    /// broke, such as the message of a panic.
    pub fn words(&self) -> Option<&str> {
        self.0.words.as_deref()
    }

    /// What the grader logged until then.
    pub fn log(&self) -> &GradeLog {
        &self.0.log
    }

    /// Fuel that was burned, where the grader ran.
    pub fn fuel(&self) -> Option<u64> {
        self.0.fuel
    }
}

impl From<Fault> for GradeError {
    fn from(fault: Fault) -> Self {
        Self::with_run(fault, None, GradeLog::default(), None)
    }
}

impl From<EvidenceError> for GradeError {
    fn from(error: EvidenceError) -> Self {
        Fault::from(error).into()
    }
}

impl fmt::Display for GradeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            Some(words) => write!(f, "{} ({})", excerpt(words, WORDS_BYTES), self.0.fault),
            None => self.0.fault.fmt(f),
        }
    }
}

impl std::error::Error for GradeError {}

fn list(problems: &[String], unlisted: usize) -> String {
    let more = (unlisted > 0).then(|| format!("and {unlisted} more"));
    let all: Vec<&str> = problems.iter().chain(&more).map(String::as_str).collect();
    all.join("; ")
}
