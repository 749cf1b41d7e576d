//! Two sides compared: two agents, or two jobs.
//!
//! Differences are always b less a, so that a positive one says that b is higher.

mod attempts;
mod mcnemar;
mod permute;
mod tasks;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::{Bounded, Interval, Level};

pub use attempts::{AttemptComparison, compare_attempts};
pub use mcnemar::{McNemar, mcnemar};
pub use tasks::{TaskComparison, compare_tasks};

/// The same thing of both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair<T> {
    /// Of the one side.
    pub a: T,
    /// Of the other.
    pub b: T,
}

/// How a p-value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TestMethod {
    /// From all arrangements, or from the distribution of them.
    Exact,
    /// From as many arrangements as this, drawn at random, and the one that was seen.
    Sampled {
        /// How many were drawn.
        arrangements: u32,
    },
}

/// A two-sided test of "there is no difference".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SignificanceTest {
    /// The probability to see a difference at least as large if there is none.
    pub p_value: Bounded,
    /// The smallest p-value that this many values could give, whatever they were.
    pub smallest_p_value: f64,
    /// How it was computed.
    pub method: TestMethod,
}

/// What a comparison says, for a reporter to put into words. It is about these tasks
/// and these two sides; nothing here says that two sides are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// "a scored higher, by more than chance explains."
    AHigher,
    /// "b scored higher, by more than chance explains."
    BHigher,
    /// "The two cannot be told apart": the difference is within what chance gives. They
    /// may still differ, by as much as the interval says.
    CannotTell,
    /// "It depends on open criteria whether the two can be told apart."
    DependsOnOpen,
    /// "Too few to tell": no result whatever of this many values could be told from
    /// chance, or a side is a single attempt.
    TooFew,
}

impl Finding {
    /// Told apart when both the test, at its largest p-value, and the interval say so.
    fn of(test: &SignificanceTest, difference: Bounded, interval: Interval, level: Level) -> Self {
        let alpha = level.alpha();
        if test.smallest_p_value > alpha {
            return Self::TooFew;
        }
        let excludes_zero = |ends: Bounded| ends.low() > 0.0 || ends.high() < 0.0;
        let interval_agrees = match interval {
            Interval::TooFew => return Self::TooFew,
            Interval::NoSpread => true,
            Interval::Estimated { low, high } => excludes_zero(Bounded::ends(low, high)),
        };
        let significant =
            test.p_value.high() <= alpha && excludes_zero(difference) && interval_agrees;
        if significant {
            return if difference.low() > 0.0 {
                Self::BHigher
            } else {
                Self::AHigher
            };
        }
        if test.p_value.low() <= alpha && !difference.is_exact() {
            return Self::DependsOnOpen;
        }
        Self::CannotTell
    }
}

/// How many pairs it takes to find a difference of `effect` with the probability
/// `power`, where differences of pairs have the standard deviation `deviation` (in the
/// unit of `effect`).
///
/// `effect` is the smallest difference that the reader cares about. The difference that
/// was just measured must not be put here: it says nothing that its p-value does not.
/// `None` for an effect or a deviation that is not a positive number, a power outside
/// 0.5 to 0.9999, and numbers of pairs beyond reason.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Checked to be in range.
pub fn pairs_needed(effect: f64, deviation: f64, level: Level, power: f64) -> Option<u64> {
    let usable = |number: f64| number.is_finite() && number > 0.0;
    if !usable(effect) || !usable(deviation) {
        return None;
    }
    let power = Level::new(power).ok()?.get();
    let normal = Normal::standard();
    let deviations = normal.inverse_cdf(1.0 - level.alpha() / 2.0) + normal.inverse_cdf(power);
    let pairs = (deviations * deviation / effect).powi(2).ceil();
    (pairs <= 1e15).then_some((pairs as u64).max(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(low: f64, high: f64) -> SignificanceTest {
        SignificanceTest {
            p_value: Bounded::new(low, high).unwrap(),
            smallest_p_value: 0.001,
            method: TestMethod::Exact,
        }
    }

    #[test]
    fn a_finding_takes_the_test_and_the_interval() {
        let level = Level::default();
        let up = Bounded::exact(0.2).unwrap();
        let clear = Interval::Estimated {
            low: 0.1,
            high: 0.3,
        };
        let unclear = Interval::Estimated {
            low: -0.1,
            high: 0.3,
        };
        assert_eq!(
            Finding::of(&test(0.01, 0.01), up, clear, level),
            Finding::BHigher
        );
        assert_eq!(
            Finding::of(&test(0.01, 0.01), up, unclear, level),
            Finding::CannotTell
        );
        assert_eq!(
            Finding::of(&test(0.06, 0.06), up, clear, level),
            Finding::CannotTell
        );
        let down = Bounded::exact(-0.2).unwrap();
        let below = Interval::Estimated {
            low: -0.3,
            high: -0.1,
        };
        assert_eq!(
            Finding::of(&test(0.01, 0.01), down, below, level),
            Finding::AHigher
        );
        assert_eq!(
            Finding::of(&test(0.01, 0.01), up, Interval::NoSpread, level),
            Finding::BHigher
        );
        let open = Bounded::new(-0.1, 0.4).unwrap();
        assert_eq!(
            Finding::of(&test(0.01, 1.0), open, unclear, level),
            Finding::DependsOnOpen
        );
        let few = SignificanceTest {
            smallest_p_value: 0.0625,
            ..test(0.0625, 0.0625)
        };
        assert_eq!(Finding::of(&few, up, clear, level), Finding::TooFew);
        // A single attempt against many has a small p-value, and no interval.
        let single = Finding::of(&test(0.01, 0.01), up, Interval::TooFew, level);
        assert_eq!(single, Finding::TooFew);
    }

    #[test]
    fn more_pairs_for_smaller_effects() {
        // (1.959964 + 0.841621)^2 = 7.8489.
        assert_eq!(pairs_needed(1.0, 1.0, Level::default(), 0.8), Some(8));
        assert_eq!(pairs_needed(0.1, 1.0, Level::default(), 0.8), Some(785));
        assert_eq!(pairs_needed(0.0, 1.0, Level::default(), 0.8), None);
        assert_eq!(pairs_needed(1.0, f64::NAN, Level::default(), 0.8), None);
        assert_eq!(pairs_needed(1e-300, 1e300, Level::default(), 0.8), None);
        assert_eq!(pairs_needed(1.0, 1.0, Level::default(), 1.0), None);
    }
}
