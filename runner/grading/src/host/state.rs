//! What the host keeps about one running grader.

use std::time::Instant;

use rustix::io::Errno;
use wasmtime::{Engine, ResourceLimiter, Result};

use super::engine::POOL_TABLE_ELEMENTS;
use super::ticker::TICK;
use super::wasi::{Inputs, Wasi};
use crate::bundle::{Bundle, EvidenceError};
use crate::limits::Limits;
use crate::log::LogBuffer;

/// State of one grade.
#[derive(Debug)]
pub(super) struct State {
    pub(super) bundle: Bundle,
    pub(super) limiter: Limiter,
    pub(super) log: LogBuffer,
    pub(super) hostcall_left: u64,
    /// When the grader's time is up. It is looked at in every call, too: calls
    /// can take long and cost little fuel.
    pub(super) deadline: Instant,
    /// Until when the grader may go on without giving way.
    turn_ends: Instant,
    engine: Engine,
    /// Paths that the grader asked for, in calls or as files, and the bundle
    /// does not have.
    pub(super) missing: std::collections::BTreeSet<String>,
    pub(super) wasi: Wasi,
}

impl State {
    pub(super) fn new(engine: &Engine, bundle: &Bundle, inputs: &Inputs, limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            bundle: bundle.clone(),
            limiter: Limiter::new(limits),
            log: LogBuffer::new(limits.log_kept_bytes, limits.log_bytes),
            hostcall_left: limits.hostcall_bytes,
            deadline: now + limits.time,
            turn_ends: now + TICK,
            engine: engine.clone(),
            missing: std::collections::BTreeSet::new(),
            wasi: Wasi::new(bundle, inputs.clone(), limits.scratch_bytes),
        }
    }
}

impl State {
    /// Looks at the clock, in every call. Calls burn next to no fuel, and the
    /// ticker does not run before the grader has given way: after a while, they
    /// make it do so.
    pub(super) fn look_at_clock(&mut self) -> Result<()> {
        let now = Instant::now();
        if now >= self.deadline {
            return Err(Stop::Deadline.into());
        }
        if now >= self.turn_ends {
            self.engine.increment_epoch();
            self.turn_ends = now + TICK;
        }
        Ok(())
    }

    /// Remembers a path that the bundle does not have: its author may have
    /// misspelt it. Of many, the first ones that were asked for.
    pub(super) fn misses(&mut self, path: &str) {
        const MOST: usize = 100;
        const LONGEST: usize = 500;
        if self.missing.len() < MOST && path.len() <= LONGEST && !self.missing.contains(path) {
            self.missing.insert(path.to_owned());
        }
    }
}

/// Why the host ended a grade.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    #[error("deadline")]
    Deadline,
    #[error("log quota")]
    LogQuota,
    /// The grader ended its own process.
    #[error("exit status {0}")]
    Exit(u8),
    #[error("a function of sockets that cannot answer")]
    Socket,
    #[error("hostcall budget")]
    HostcallBudget,
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error("the machine has no memory left for the grader: {0}")]
    HostMemory(String),
}

/// Counts memory and tables over the whole grader. (wasmtime's own limiter
/// counts each memory for itself.)
#[derive(Debug)]
pub(super) struct Limiter {
    memory_left: usize,
    elements_left: usize,
    instances: usize,
    tables: usize,
    memories: usize,
    /// What was refused last. A grader may go on without; when it then traps,
    /// this is why.
    refused: Option<Refused>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Memory,
    Elements,
}

impl Limiter {
    fn new(limits: &Limits) -> Self {
        Self {
            memory_left: limits.memory_bytes,
            elements_left: limits.table_elements,
            instances: limits.instances,
            tables: limits.tables,
            memories: limits.memories,
            refused: None,
        }
    }

    pub(super) fn refused(&self) -> Option<Refused> {
        self.refused
    }
}

/// Takes growth from `left`. Growth beyond a maximum that the module itself
/// declared is the module's own business.
fn take(left: &mut usize, current: usize, desired: usize, maximum: Option<usize>) -> Taken {
    if maximum.is_some_and(|maximum| desired > maximum) {
        return Taken::BeyondOwnMaximum;
    }
    match left.checked_sub(desired.saturating_sub(current)) {
        Some(rest) => {
            *left = rest;
            Taken::Yes
        }
        None => Taken::No,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
    BeyondOwnMaximum,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool> {
        let taken = take(&mut self.memory_left, current, desired, maximum);
        if taken == Taken::No {
            self.refused = Some(Refused::Memory);
        }
        Ok(taken == Taken::Yes)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        // A module that grows beyond what its memory's type allows gets its
        // -1 everywhere. A machine that has no memory left is another matter:
        // the grader must not see that, or it could answer differently than
        // on another machine.
        match error.downcast_ref::<Errno>() {
            Some(errno) => Err(Stop::HostMemory(errno.to_string()).into()),
            None => Ok(()),
        }
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool> {
        // The pool's own is nothing that the grader has declared.
        let maximum = maximum.filter(|maximum| *maximum < POOL_TABLE_ELEMENTS);
        let taken = take(&mut self.elements_left, current, desired, maximum);
        if taken == Taken::No {
            self.refused = Some(Refused::Elements);
        }
        Ok(taken == Taken::Yes)
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.tables
    }

    fn memories(&self) -> usize {
        self.memories
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_over_all_memories() {
        let mut limiter = Limiter::new(&Limits {
            memory_bytes: 100,
            ..Limits::default()
        });
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 40, None).unwrap());
        assert_eq!(limiter.refused(), None);
        assert!(!limiter.memory_growing(60, 61, None).unwrap());
        assert_eq!(limiter.refused(), Some(Refused::Memory));
    }

    #[test]
    fn growth_beyond_the_modules_own_maximum_is_not_a_refusal_of_ours() {
        let mut limiter = Limiter::new(&Limits::default());
        assert!(!limiter.table_growing(1, 3, Some(2)).unwrap());
        assert_eq!(limiter.refused(), None);
    }
}
