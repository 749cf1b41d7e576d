//! A clock that stands still, except that sleeping moves it.

use proctor_types::Manifest;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::bindings::wasi::clocks::{monotonic_clock, wall_clock};
use super::io::Pollable;
use crate::host::state::State;

pub(super) use wall_clock::Datetime;

const NANOS: u64 = 1_000_000_000;

/// The trial's end, and how long the grader has slept since.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Nanoseconds since 1970.
    end: u64,
    /// Nanoseconds.
    slept: u64,
}

impl Clock {
    /// The clock of a bundle. A time that nobody can read is 1970: the fields
    /// are for people, and no reason not to grade.
    pub(super) fn at_end_of(manifest: &Manifest) -> Self {
        let started: Option<jiff::Timestamp> = manifest.clock.started_at.parse().ok();
        let ran = jiff::SignedDuration::try_from_secs_f64(manifest.clock.seconds).ok();
        let end = started
            .and_then(|at| at.checked_add(ran.unwrap_or_default()).ok())
            .and_then(|at| u64::try_from(at.as_nanosecond()).ok());
        Self {
            end: end.unwrap_or(0),
            slept: 0,
        }
    }

    fn monotonic(self) -> u64 {
        self.slept
    }

    /// Lets time pass until `instant`, in nanoseconds of the monotonic clock.
    pub(super) fn sleep_until(&mut self, instant: u64) {
        self.slept = self.slept.max(instant);
    }

    /// Whether `instant` has come.
    pub(super) fn has_come(self, instant: u64) -> bool {
        self.slept >= instant
    }

    /// When all files of the trial were written.
    pub(super) fn end(self) -> Datetime {
        datetime(self.end)
    }
}

fn datetime(nanos: u64) -> Datetime {
    Datetime {
        seconds: nanos / NANOS,
        nanoseconds: u32::try_from(nanos % NANOS).unwrap_or_default(),
    }
}

impl wall_clock::Host for State {
    fn now(&mut self) -> Result<Datetime> {
        self.charge(0)?;
        let Clock { end, slept } = self.wasi.clock;
        Ok(datetime(end.saturating_add(slept)))
    }

    fn resolution(&mut self) -> Result<Datetime> {
        self.charge(0)?;
        Ok(datetime(1))
    }
}

impl monotonic_clock::Host for State {
    fn now(&mut self) -> Result<u64> {
        self.charge(0)?;
        Ok(self.wasi.clock.monotonic())
    }

    fn resolution(&mut self) -> Result<u64> {
        self.charge(0)?;
        Ok(1)
    }

    fn subscribe_instant(&mut self, when: u64) -> Result<Resource<Pollable>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(Pollable::At(when))?)
    }

    fn subscribe_duration(&mut self, when: u64) -> Result<Resource<Pollable>> {
        let instant = self.wasi.clock.monotonic().saturating_add(when);
        monotonic_clock::Host::subscribe_instant(self, instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(started_at: &str, seconds: f64) -> Clock {
        let manifest = serde_json::json!({
            "schema": "proctor.evidence/1",
            "task": {"id": "t", "pack_sha256": ""},
            "agent": {"name": "nop", "transcript": "runner"},
            "attempt": 0, "isolation": "sandbox", "end": {"kind": "completed"},
            "clock": {"started_at": started_at, "seconds": 0.0},
            "clock_fields": [], "files": {},
        });
        let mut manifest: Manifest = serde_json::from_value(manifest).unwrap();
        manifest.clock.seconds = seconds;
        Clock::at_end_of(&manifest)
    }

    #[test]
    fn it_stands_at_the_trials_end_until_somebody_sleeps() {
        let mut clock = clock("2025-06-16T13:00:00Z", 1.5);
        assert_eq!(clock.end, 1_750_078_801_500_000_000);
        clock.sleep_until(7);
        clock.sleep_until(3);
        assert!(clock.has_come(7) && !clock.has_come(8));
    }

    #[test]
    fn nonsense_is_no_reason_not_to_grade() {
        for (at, seconds) in [
            ("yesterday", 0.0),
            ("1812-01-01T00:00:00Z", 0.0),
            ("", f64::NAN),
        ] {
            assert_eq!(clock(at, seconds).end, 0);
        }
        assert_eq!(
            clock("2025-06-16T13:00:00Z", f64::INFINITY).end,
            1_750_078_800_000_000_000
        );
    }
}
