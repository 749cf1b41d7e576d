//! The world's own clock.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Logical time: it starts where the seed says and moves by one second with
/// every request, so that it is the same in every run that makes the same
/// requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    start: Timestamp,
    ticks: u32,
}

impl Clock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self { start, ticks: 0 }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        let passed = SignedDuration::from_secs(i64::from(self.ticks));
        self.start.checked_add(passed).unwrap_or(Timestamp::MAX)
    }

    /// The present moment in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.now().as_millisecond()
    }

    /// When the world began.
    pub fn start(&self) -> Timestamp {
        self.start
    }

    /// Moves on by one second.
    pub fn tick(&mut self) {
        self.ticks = self.ticks.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_one_second() {
        let mut clock = Clock::new("2026-03-02T09:00:00Z".parse().unwrap());
        clock.tick();
        clock.tick();
        assert_eq!(clock.now().to_string(), "2026-03-02T09:00:02Z");
        assert_eq!(clock.now_ms() - clock.start().as_millisecond(), 2000);
    }

    #[test]
    fn the_end_of_time_is_where_the_clock_stops() {
        let mut clock = Clock::new(Timestamp::MAX);
        clock.tick();
        assert_eq!(clock.now(), Timestamp::MAX);
    }
}
