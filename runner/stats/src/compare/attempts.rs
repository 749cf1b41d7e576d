//! Attempts of both sides at one task.

use serde::Serialize;

use super::{Finding, SignificanceTest, permute::swap_labels};
use crate::{
    Bootstrap, Bounded, Denominator, Interval, Level, Sample,
    bootstrap::resampled_interval,
    describe::{Sorted, mean},
    draw::Draw,
};

/// Both sides at one task, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AttemptComparison {
    /// a's mean.
    pub mean_a: Bounded,
    /// b's.
    pub mean_b: Bounded,
    /// b's mean less a's: the effect.
    pub difference: Bounded,
    /// The bootstrap interval of the difference, with each side's attempts resampled.
    pub interval: Interval,
    /// The level of the interval, and of the finding.
    pub level: Level,
    /// The test by dealing the attempts out to the sides in other ways.
    pub test: SignificanceTest,
    /// What it says.
    pub finding: Finding,
    /// a's attempts.
    pub attempts_a: Denominator,
    /// b's.
    pub attempts_b: Denominator,
}

/// Compares the attempts of two sides at one task; `None` when a side has none that
/// counts.
///
/// It is about further attempts at this task, and says nothing about other tasks. One
/// test for each of many tasks finds differences by chance: of twenty tasks without a
/// difference, one on average at a level of 0.95.
pub fn compare_attempts(a: &Sample, b: &Sample, options: &Bootstrap) -> Option<AttemptComparison> {
    let (mean_a, mean_b) = (mean(a.values())?, mean(b.values())?);
    let difference = mean_b.minus(mean_a);
    let interval = interval(a, b, options);
    let test = swap_labels(a.values(), b.values(), options)?;
    Some(AttemptComparison {
        mean_a,
        mean_b,
        difference,
        interval,
        level: options.level,
        test,
        finding: Finding::of(&test, difference, interval, options.level),
        attempts_a: a.denominator(),
        attempts_b: b.denominator(),
    })
}

/// The interval of the difference of two means. How far out its ends are read goes by
/// the smaller side.
fn interval(a: &Sample, b: &Sample, options: &Bootstrap) -> Interval {
    let (Some(a), Some(b)) = (Sorted::new(a.values()), Sorted::new(b.values())) else {
        return Interval::TooFew;
    };
    let fewest = a.count().min(b.count());
    if fewest < 2 {
        return Interval::TooFew;
    }
    let (mut draw, mut ranks) = (Draw::new(options.seed), Vec::new());
    let exact = a.is_exact() && b.is_exact();
    resampled_interval(options, fewest, || {
        let [a, b] = [&a, &b].map(|side| {
            draw.ranks(side.count(), &mut ranks);
            side.mean_of_ranks(&ranks, exact)
        });
        Some(b?.minus(a?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[(f64, f64)]) -> Sample {
        values
            .iter()
            .map(|&(low, high)| Some(Bounded::new(low, high).unwrap()))
            .collect()
    }

    #[test]
    fn attempts_apart_are_told_apart() {
        let a = sample(&[(0.1, 0.1), (0.2, 0.2), (0.15, 0.15), (0.2, 0.2), (0.1, 0.1)]);
        let b = sample(&[(0.9, 0.9), (0.8, 0.8), (0.8, 0.8), (0.7, 0.7), (0.9, 0.9)]);
        let result = compare_attempts(&a, &b, &Bootstrap::default()).unwrap();
        assert_eq!(result.finding, Finding::BHigher);
        let ends = result.interval.ends().unwrap();
        assert!(ends.low() > 0.5 && ends.high() < 0.8, "{ends:?}");
        let back = compare_attempts(&b, &a, &Bootstrap::default()).unwrap();
        assert_eq!(back.finding, Finding::AHigher);
    }

    #[test]
    fn open_attempts_may_decide() {
        let a = sample(&[(0.1, 0.1), (0.2, 0.2), (0.15, 0.15), (0.2, 0.2), (0.1, 0.1)]);
        let b = sample(&[(0.1, 0.9), (0.1, 0.8), (0.2, 0.8), (0.1, 0.7), (0.2, 0.9)]);
        let result = compare_attempts(&a, &b, &Bootstrap::default()).unwrap();
        assert_eq!(result.finding, Finding::DependsOnOpen);
    }

    #[test]
    fn three_against_three_cannot_say_anything() {
        let a = sample(&[(0.0, 0.0); 3]);
        let b = sample(&[(1.0, 1.0); 3]);
        let result = compare_attempts(&a, &b, &Bootstrap::default()).unwrap();
        assert_eq!(
            (result.finding, result.interval),
            (Finding::TooFew, Interval::NoSpread)
        );
    }

    #[test]
    fn a_side_without_attempts_is_no_comparison() {
        let some = sample(&[(0.0, 1.0)]);
        assert_eq!(
            compare_attempts(&some, &Sample::default(), &Bootstrap::default()),
            None
        );
    }
}
