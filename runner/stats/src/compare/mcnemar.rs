//! Passes of both sides, pair by pair: the exact test behind [`McNemar`].

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Finding, Pair, SignificanceTest, TestMethod};
use crate::{
    Bootstrap, Bounded, CountRange, Decision, Denominator, Interval, Level, bootstrap::interval_of,
    describe::mean,
};

/// Passes of both sides at the same tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct McNemar {
    /// Pairs that both sides passed.
    pub both: CountRange,
    /// Pairs that only a passed: what b lost.
    pub only_a: CountRange,
    /// Pairs that only b passed: what b won.
    pub only_b: CountRange,
    /// Pairs that neither side passed.
    pub neither: CountRange,
    /// b's pass rate less a's, as a fraction.
    pub difference: Bounded,
    /// The bootstrap interval of the difference.
    pub interval: Interval,
    /// The level of the interval, and of the finding.
    pub level: Level,
    /// The exact test: whether the pairs that differ are split evenly.
    pub test: SignificanceTest,
    /// What it says.
    pub finding: Finding,
    /// Pairs of which both sides count, and others.
    pub pairs: Denominator,
}

/// Compares passes, pair by pair; `None` when no pair has both sides.
///
/// Pairs have to be independent: one for each task. Several attempts at a task are not;
/// give those to [`compare_tasks`](super::compare_tasks), as values of 0 and 1.
pub fn mcnemar(pairs: &[Pair<Option<Decision>>], options: &Bootstrap) -> Option<McNemar> {
    let decided: Vec<(Decision, Decision)> = pairs
        .iter()
        .filter_map(|pair| Some((pair.a?, pair.b?)))
        .collect();
    let differences: Vec<Bounded> = decided
        .iter()
        .map(|(a, b)| b.bounded().minus(a.bounded()))
        .collect();
    let difference = mean(&differences)?;
    let interval = interval_of(&differences, options);
    let cell = |a: Decision, b: Decision| CountRange {
        low: decided.iter().filter(|pair| **pair == (a, b)).count(),
        high: decided
            .iter()
            .filter(|pair| may_be(pair.0, a) && may_be(pair.1, b))
            .count(),
    };
    let only_a = cell(Decision::Passed, Decision::Failed);
    let only_b = cell(Decision::Failed, Decision::Passed);
    let test = SignificanceTest {
        p_value: p_values(only_a, only_b),
        smallest_p_value: p_value(decided.len(), 0),
        method: TestMethod::Exact,
    };
    Some(McNemar {
        both: cell(Decision::Passed, Decision::Passed),
        only_a,
        only_b,
        neither: cell(Decision::Failed, Decision::Failed),
        difference,
        interval,
        level: options.level,
        test,
        finding: Finding::of(&test, difference, interval, options.level),
        pairs: Denominator {
            counted: decided.len(),
            left_out: pairs.len() - decided.len(),
        },
    })
}

fn may_be(decision: Decision, decided: Decision) -> bool {
    decision == decided || decision == Decision::Open
}

/// The p-values that open verdicts allow. A p-value rises as the two counts come closer
/// to each other by a change of one of them. So the smallest is where the counts are
/// furthest apart, and the largest where they are closest; and where either could be
/// the larger one they can be equal, since deciding one pair after the other changes
/// their difference in steps of one.
///
/// A pair that is open on both sides may be in either count, never in both; at these
/// corners it is in one.
fn p_values(only_a: CountRange, only_b: CountRange) -> Bounded {
    let apart = [(only_a.low, only_b.high), (only_a.high, only_b.low)];
    let low = apart
        .iter()
        .map(|&(a, b)| p_value(a, b))
        .fold(1.0, f64::min);
    let high = if only_a.low > only_b.high || only_b.low > only_a.high {
        let close = if only_a.low > only_b.high {
            (only_a.low, only_b.high)
        } else {
            (only_a.high, only_b.low)
        };
        p_value(close.0, close.1)
    } else {
        1.0
    };
    Bounded::ends(low, high.max(low))
}

/// Twice the smaller tail of a fair coin thrown as often as pairs differ, at most 1.
fn p_value(only_a: usize, only_b: usize) -> f64 {
    let (smaller, thrown) = (only_a.min(only_b) as u64, (only_a + only_b) as u64);
    match Binomial::new(0.5, thrown) {
        Ok(coin) if thrown > 0 => (2.0 * coin.cdf(smaller)).min(1.0),
        // Nothing differs, which is no evidence of a difference.
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Failed, Open, Passed};

    fn pairs(list: &[(Decision, Decision, usize)]) -> Vec<Pair<Option<Decision>>> {
        list.iter()
            .flat_map(|&(a, b, times)| {
                std::iter::repeat_n(
                    Pair {
                        a: Some(a),
                        b: Some(b),
                    },
                    times,
                )
            })
            .collect()
    }

    fn compare(list: &[(Decision, Decision, usize)]) -> McNemar {
        mcnemar(&pairs(list), &Bootstrap::default()).unwrap()
    }

    #[test]
    fn a_clear_case_and_an_unclear_one() {
        let clear = compare(&[
            (Failed, Passed, 9),
            (Passed, Passed, 3),
            (Failed, Failed, 2),
        ]);
        assert!((clear.test.p_value.low() - 2.0 / 512.0).abs() < 1e-15);
        assert_eq!(clear.finding, Finding::BHigher);
        let swapped = compare(&[
            (Passed, Failed, 9),
            (Passed, Passed, 3),
            (Failed, Failed, 2),
        ]);
        assert_eq!(swapped.finding, Finding::AHigher);
        let even = compare(&[(Failed, Passed, 4), (Passed, Failed, 4)]);
        assert_eq!(
            (even.test.p_value.low(), even.finding),
            (1.0, Finding::CannotTell)
        );
        let same = compare(&[(Passed, Passed, 20)]);
        assert_eq!(
            (same.test.p_value.low(), same.finding),
            (1.0, Finding::CannotTell)
        );
        assert_eq!(same.interval, Interval::NoSpread);
    }

    #[test]
    fn few_pairs_can_say_nothing() {
        assert_eq!(compare(&[(Failed, Passed, 5)]).finding, Finding::TooFew);
        assert_eq!(compare(&[(Failed, Passed, 6)]).finding, Finding::BHigher);
    }

    #[test]
    fn sides_that_do_not_count_are_left_out() {
        let mut list = pairs(&[(Failed, Passed, 2)]);
        list.push(Pair {
            a: None,
            b: Some(Passed),
        });
        let result = mcnemar(&list, &Bootstrap::default()).unwrap();
        assert_eq!(
            result.pairs,
            Denominator {
                counted: 2,
                left_out: 1
            }
        );
        assert_eq!(mcnemar(&list[2..], &Bootstrap::default()), None);
    }

    /// Every way to decide the open ones gives a p-value and a difference within the
    /// ends, and both ends are reached.
    #[test]
    fn open_verdicts_give_all_they_could_be() {
        let sides = [Passed, Failed, Open];
        let mut draw = crate::draw::Draw::new(9);
        for case in 0..60 {
            let list: Vec<(Decision, Decision, usize)> = (0..7)
                .map(|_| {
                    // Half of all are known, so that there are not too many ways.
                    let mut side = || sides[[0, 0, 1, 1, 0, 2][draw.below(6)]];
                    (side(), side(), 1)
                })
                .collect();
            let open = compare(&list);
            let places: Vec<(usize, bool)> = (0..list.len())
                .flat_map(|at| [(at, false), (at, true)])
                .filter(|&(at, b)| (if b { list[at].1 } else { list[at].0 }) == Open)
                .collect();
            let (mut ps, mut differences) = (Vec::new(), Vec::new());
            for ways in 0..1_usize << places.len() {
                let mut decided = list.clone();
                for (bit, &(at, b)) in places.iter().enumerate() {
                    let side = if ways >> bit & 1 == 1 { Passed } else { Failed };
                    if b {
                        decided[at].1 = side;
                    } else {
                        decided[at].0 = side;
                    }
                }
                let decided = mcnemar(
                    &pairs(&decided),
                    &Bootstrap {
                        resamples: std::num::NonZeroU32::MIN,
                        ..Bootstrap::default()
                    },
                )
                .unwrap();
                ps.push(decided.test.p_value.low());
                differences.push(decided.difference.low());
            }
            for (found, range) in [(ps, open.test.p_value), (differences, open.difference)] {
                let least = found.iter().copied().fold(f64::INFINITY, f64::min);
                let most = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    (range.low() - least).abs() < 1e-12,
                    "{case}: {list:?} {range:?} {least}"
                );
                assert!(
                    (range.high() - most).abs() < 1e-12,
                    "{case}: {list:?} {range:?} {most}"
                );
            }
        }
    }
}
