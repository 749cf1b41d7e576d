//! Telling apart why a grader did not come to its end.

use std::io;

use rustix::io::Errno;
use wasmtime::component::ResourceTableError;
use wasmtime::{Store, Trap, WasmBacktrace};

use super::state::{Refused, State, Stop};
use crate::error::Fault;
use crate::limits::Limits;
use crate::text::{excerpt, name};

/// Longest piece of the engine's words in a message, in bytes.
const DETAIL_BYTES: usize = 1000;

/// Where it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Setting the instance up, start functions included.
    Instantiate,
    /// In the call of `grade`, or taking its result.
    Call,
}

pub(super) fn classify(
    error: &wasmtime::Error,
    stage: Stage,
    store: &Store<State>,
    limits: &Limits,
) -> Fault {
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return stopped(stop, limits);
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        match trap {
            Trap::OutOfFuel => return Fault::OutOfFuel { limit: limits.fuel },
            Trap::StackOverflow => return Fault::StackOverflow,
            _ => {}
        }
    }
    // A grader that is refused memory usually panics about it.
    match store.data().limiter.refused() {
        Some(Refused::Memory) => {
            return Fault::OutOfMemory {
                limit: limits.memory_bytes,
            };
        }
        Some(Refused::Elements) => {
            let detail = format!("table elements; the limit is {}", limits.table_elements);
            return Fault::TooManyResources { detail };
        }
        None => {}
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return Fault::Trapped {
            trap: describe(*trap, error),
        };
    }
    untyped(error, stage, limits)
}

fn stopped(stop: &Stop, limits: &Limits) -> Fault {
    match stop {
        Stop::Deadline => Fault::OutOfTime { limit: limits.time },
        Stop::LogQuota => Fault::LogQuota {
            limit: limits.log_bytes,
        },
        Stop::Exit(status) => Fault::Exited { status: *status },
        Stop::Socket => Fault::AbiViolation {
            detail: "it wants a socket; there is no network in a grader".to_owned(),
        },
        Stop::HostcallBudget => Fault::HostcallBudget {
            limit: limits.hostcall_bytes,
        },
        Stop::Evidence(error) => Fault::EvidenceInvalid(error.clone()),
        Stop::HostMemory(_) => Fault::Internal {
            detail: stop.to_string(),
        },
    }
}

/// The trap, and the function it happened in where the module names it.
fn describe(trap: Trap, error: &wasmtime::Error) -> String {
    let frames = error
        .downcast_ref::<WasmBacktrace>()
        .map_or(&[][..], WasmBacktrace::frames);
    match frames.iter().find_map(wasmtime::FrameInfo::func_name) {
        Some(function) => format!("{trap} in {}", name(function)),
        None => trap.to_string(),
    }
}

/// What the engine reports without a type of its own.
fn untyped(error: &wasmtime::Error, stage: Stage, limits: &Limits) -> Fault {
    let cause = error.root_cause().to_string();
    let detail = excerpt(&cause, DETAIL_BYTES).into_owned();
    // The operating system refused something: that is nobody's grade.
    if error.downcast_ref::<Errno>().is_some() || error.downcast_ref::<io::Error>().is_some() {
        return Fault::Internal { detail };
    }
    // The engine keeps this type to itself, so only its text is left to go by;
    // a test with a hostile grader holds it in place.
    if cause.contains("fuel allocated for hostcalls has been exhausted") {
        // Frames are there while the grader runs: then it was an argument.
        return if error.downcast_ref::<WasmBacktrace>().is_some() {
            Fault::HostcallBudget {
                limit: limits.output_bytes as u64,
            }
        } else {
            Fault::OutputTooLarge {
                limit: limits.output_bytes,
            }
        };
    }
    // So it is with this one, for resources of the grader's own; those of the
    // host are counted by the host.
    let full = matches!(
        error.downcast_ref::<ResourceTableError>(),
        Some(ResourceTableError::Full)
    );
    if full || cause.contains("cannot allocate another handle") {
        return Fault::TooManyResources { detail };
    }
    match stage {
        Stage::Instantiate => Fault::TooManyResources { detail },
        Stage::Call => Fault::AbiViolation { detail },
    }
}
