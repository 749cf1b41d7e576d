//! What goes in: numbers that are finite by construction, and counts that add up.

use serde::Serialize;

/// The largest magnitude of a value. Far beyond any score, price or duration, and
/// small enough that squares and sums of values stay finite.
pub const MAX_MAGNITUDE: f64 = 1e100;

/// An input that no figure can be made of.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// Not a number, infinite, or beyond [`MAX_MAGNITUDE`].
    #[error("{0} is no finite number between -1e100 and 1e100")]
    NotFinite(f64),
    /// The low end is above the high end.
    #[error("the low end, {low}, is above the high end, {high}")]
    Reversed {
        /// The low end.
        low: f64,
        /// The high end.
        high: f64,
    },
    /// A confidence level outside what [`Level`] takes.
    #[error("a confidence level is between 0.5 and 0.9999, and {0} is not")]
    Level(f64),
    /// Counts that contradict each other.
    #[error("{low} to {high} of {of} is no count: expected low <= high <= of")]
    Counts {
        /// The smallest count.
        low: usize,
        /// The largest count.
        high: usize,
        /// What it is a count of.
        of: usize,
    },
}

/// A number that is known, or known to lie between two ends, in the caller's unit.
///
/// Both ends are finite, within [`MAX_MAGNITUDE`], and in order.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Bounded {
    low: f64,
    high: f64,
}

impl Bounded {
    /// A number between `low` and `high`; refuses what is not finite or not in order.
    pub fn new(low: f64, high: f64) -> Result<Self, Invalid> {
        for end in [low, high] {
            // A NaN is in no range.
            if !(-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(&end) {
                return Err(Invalid::NotFinite(end));
            }
        }
        if low > high {
            return Err(Invalid::Reversed { low, high });
        }
        Ok(Self::ends(low, high))
    }

    /// A number that is known; refuses what is not finite.
    pub fn exact(value: f64) -> Result<Self, Invalid> {
        Self::new(value, value)
    }

    /// What the number is at least.
    pub fn low(self) -> f64 {
        self.low
    }

    /// What the number is at most.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether both ends are the same.
    pub fn is_exact(self) -> bool {
        self.low >= self.high
    }

    /// The distance of the ends, never negative.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// From ends that were computed from checked ones. Negative zeros become zeros,
    /// so that equal numbers are printed alike.
    pub(crate) fn ends(low: f64, high: f64) -> Self {
        debug_assert!(
            low.is_finite() && high.is_finite() && low <= high,
            "{low} {high}"
        );
        Self {
            low: low + 0.0,
            high: high + 0.0,
        }
    }

    /// The difference `self - other`, over all that both may be.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self::ends(self.low - other.high, self.high - other.low)
    }

    /// Both ends through a function that never falls.
    pub(crate) fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self::ends(rising(self.low), rising(self.high))
    }
}

/// The probability that an interval is made to cover what it estimates, between 0.5
/// and 0.9999; 0.95 by default.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Level(f64);

impl Level {
    /// A level, as a fraction.
    pub fn new(level: f64) -> Result<Self, Invalid> {
        if (0.5..=0.9999).contains(&level) {
            Ok(Self(level))
        } else {
            Err(Invalid::Level(level))
        }
    }

    /// The level as a fraction.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The probability of an error that the level leaves: 0.05 for 0.95.
    pub fn alpha(self) -> f64 {
        1.0 - self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Self(0.95)
    }
}

/// What a figure is an average of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Denominator {
    /// How many count.
    pub counted: usize,
    /// How many there were besides, of which nothing is known.
    pub left_out: usize,
}

impl std::iter::Sum for Denominator {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            counted: sum.counted + one.counted,
            left_out: sum.left_out + one.left_out,
        })
    }
}

/// A count that depends on what is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountRange {
    /// The smallest that it can be.
    pub low: usize,
    /// The largest that it can be.
    pub high: usize,
}

/// The values of some trials, and how many trials have none.
///
/// Collect it from `Option<Bounded>`, where `None` is a trial that does not count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    values: Vec<Bounded>,
    left_out: usize,
}

impl Sample {
    /// The values, in the order in which they came.
    pub fn values(&self) -> &[Bounded] {
        &self.values
    }

    /// How many values there are, and how many trials have none.
    pub fn denominator(&self) -> Denominator {
        Denominator {
            counted: self.values.len(),
            left_out: self.left_out,
        }
    }
}

impl Extend<Option<Bounded>> for Sample {
    fn extend<I: IntoIterator<Item = Option<Bounded>>>(&mut self, trials: I) {
        for trial in trials {
            match trial {
                Some(value) => self.values.push(value),
                None => self.left_out += 1,
            }
        }
    }
}

impl FromIterator<Option<Bounded>> for Sample {
    fn from_iter<I: IntoIterator<Item = Option<Bounded>>>(trials: I) -> Self {
        let mut sample = Self::default();
        sample.extend(trials);
        sample
    }
}

/// Whether a trial passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It did.
    Passed,
    /// It did not.
    Failed,
    /// It depends on open criteria.
    Open,
}

impl Decision {
    /// Passed when `score` is at or above `threshold` whatever is open, failed when it
    /// is below whatever is open.
    pub fn of(score: Bounded, threshold: f64) -> Self {
        if score.low() >= threshold {
            Self::Passed
        } else if score.high() < threshold {
            Self::Failed
        } else {
            Self::Open
        }
    }

    /// 0 for failed, 1 for passed, and anything between for open.
    pub(crate) fn bounded(self) -> Bounded {
        match self {
            Self::Passed => Bounded::ends(1.0, 1.0),
            Self::Failed => Bounded::ends(0.0, 0.0),
            Self::Open => Bounded::ends(0.0, 1.0),
        }
    }
}

/// How many trials passed.
///
/// Collect it from `Option<Decision>`, where `None` is a trial that does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    passed: CountRange,
    of: Denominator,
}

impl Passes {
    /// From `low` to `high` passed of `counted` trials, and `left_out` do not count;
    /// refuses counts that are not in this order.
    pub fn new(low: usize, high: usize, counted: usize, left_out: usize) -> Result<Self, Invalid> {
        if low > high || high > counted {
            return Err(Invalid::Counts {
                low,
                high,
                of: counted,
            });
        }
        Ok(Self {
            passed: CountRange { low, high },
            of: Denominator { counted, left_out },
        })
    }

    /// How many passed.
    pub fn passed(&self) -> CountRange {
        self.passed
    }

    /// Of how many.
    pub fn denominator(&self) -> Denominator {
        self.of
    }

    /// The same as values: 1 for a pass, 0 for a failure, [0, 1] for what is open; for
    /// the functions on means, of which a pass rate is one.
    pub fn to_sample(&self) -> Sample {
        let CountRange { low, high } = self.passed;
        let repeat = |decision: Decision, times| std::iter::repeat_n(decision.bounded(), times);
        let values = repeat(Decision::Passed, low)
            .chain(repeat(Decision::Open, high - low))
            .chain(repeat(Decision::Failed, self.of.counted - high));
        Sample {
            values: values.collect(),
            left_out: self.of.left_out,
        }
    }
}

impl FromIterator<Option<Decision>> for Passes {
    fn from_iter<I: IntoIterator<Item = Option<Decision>>>(trials: I) -> Self {
        let mut passes = Self::default();
        for trial in trials {
            match trial {
                None => passes.of.left_out += 1,
                Some(decision) => {
                    passes.of.counted += 1;
                    passes.passed.low += usize::from(decision == Decision::Passed);
                    passes.passed.high += usize::from(decision != Decision::Failed);
                }
            }
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_not_finite_gets_in() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101, f64::MAX] {
            assert!(
                matches!(Bounded::exact(bad), Err(Invalid::NotFinite(_))),
                "{bad}"
            );
            assert!(
                matches!(Bounded::new(0.0, bad), Err(Invalid::NotFinite(_))),
                "{bad}"
            );
            assert!(
                matches!(Bounded::new(bad, 0.0), Err(Invalid::NotFinite(_))),
                "{bad}"
            );
        }
        assert_eq!(
            Bounded::new(2.0, 1.0),
            Err(Invalid::Reversed {
                low: 2.0,
                high: 1.0
            })
        );
        assert!(Bounded::new(-1e100, 1e100).is_ok());
    }

    #[test]
    fn levels_are_probabilities_that_make_sense() {
        for bad in [f64::NAN, 0.0, 0.05, 1.0, 95.0] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
        assert!((Level::default().alpha() - 0.05).abs() < 1e-15);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let one = Bounded::exact(1.0).unwrap();
        let sample: Sample = [Some(one), None, Some(one), None, None]
            .into_iter()
            .collect();
        assert_eq!(
            sample.denominator(),
            Denominator {
                counted: 2,
                left_out: 3
            }
        );

        let passes: Passes = [
            Some(Decision::Passed),
            Some(Decision::Open),
            Some(Decision::Failed),
            None,
        ]
        .into_iter()
        .collect();
        assert_eq!(passes, Passes::new(1, 2, 3, 1).unwrap());
        assert_eq!(passes.to_sample().denominator(), passes.denominator());
    }

    #[test]
    fn a_pass_is_decided_only_when_both_ends_agree() {
        let score = |low, high| Bounded::new(low, high).unwrap();
        assert_eq!(Decision::of(score(0.8, 0.9), 0.8), Decision::Passed);
        assert_eq!(Decision::of(score(0.7, 0.79), 0.8), Decision::Failed);
        assert_eq!(Decision::of(score(0.7, 0.8), 0.8), Decision::Open);
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert!(Passes::new(3, 2, 5, 0).is_err());
        assert!(Passes::new(3, 6, 5, 0).is_err());
        let error = Passes::new(3, 6, 5, 0).unwrap_err().to_string();
        assert_eq!(error, "3 to 6 of 5 is no count: expected low <= high <= of");
    }

    #[test]
    fn there_is_no_negative_zero() {
        assert_eq!(
            Bounded::exact(-0.0).unwrap().low().to_bits(),
            0.0_f64.to_bits()
        );
    }
}
