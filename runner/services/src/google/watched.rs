//! Telling whether an answer depends on the time.

use std::cell::Cell;
use std::ops::Deref;

use crate::world::Clock;

/// The world's clock in the hands of a handler. It knows whether the handler
/// looked: an answer that did not depend on the time stays true when time goes
/// on.
#[derive(Debug)]
pub struct Watched<'a> {
    clock: &'a Clock,
    seen: Cell<bool>,
}

impl<'a> Watched<'a> {
    /// A clock that nobody has looked at.
    pub fn new(clock: &'a Clock) -> Self {
        Self {
            clock,
            seen: Cell::new(false),
        }
    }

    /// Whether anybody has looked at the clock.
    pub fn was_seen(&self) -> bool {
        self.seen.get()
    }
}

/// Whoever gets at the clock has looked at it.
impl Deref for Watched<'_> {
    type Target = Clock;

    fn deref(&self) -> &Clock {
        self.seen.set(true);
        self.clock
    }
}
