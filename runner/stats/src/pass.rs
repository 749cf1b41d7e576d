//! Pass rates, pass@k and pass^k.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    Bootstrap, Bounded, CountRange, Denominator, Interval, Level, Passes, bootstrap::interval_of,
    describe::mean,
};

/// The share of trials that pass, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassRate {
    /// The share of the trials that count.
    pub rate: Bounded,
    /// Wilson's interval: from its lower end with everything open failed to its upper
    /// end with everything open passed.
    pub interval: Bounded,
    /// The level of the interval.
    pub level: Level,
    /// How many passed.
    pub passed: CountRange,
    /// What it is a share of.
    pub of: Denominator,
}

/// The pass rate of independent trials with Wilson's score interval; `None` when
/// nothing counts.
///
/// Attempts at one task are independent; for attempts at several tasks the interval
/// would be too narrow: give [`Passes::to_sample`] of each to
/// [`bootstrap_clustered_mean`](crate::bootstrap_clustered_mean).
pub fn wilson(trials: &Passes, level: Level) -> Option<PassRate> {
    let (of, passed) = (trials.denominator(), trials.passed());
    if of.counted == 0 {
        return None;
    }
    let share = |count: usize| count as f64 / of.counted as f64;
    Some(PassRate {
        rate: Bounded::ends(share(passed.low), share(passed.high)),
        interval: Bounded::ends(
            wilson_ends(passed.low, of.counted, level).0,
            wilson_ends(passed.high, of.counted, level).1,
        ),
        level,
        passed,
        of,
    })
}

/// The two proportions from which `passed` of `count` is just as far away, in their own
/// standard errors, as the level allows.
fn wilson_ends(passed: usize, count: usize, level: Level) -> (f64, f64) {
    let deviations = Normal::standard().inverse_cdf(1.0 - level.alpha() / 2.0);
    let (passed_share, count) = (passed as f64 / count as f64, count as f64);
    let squared = deviations * deviations;
    let center = (passed_share + squared / (2.0 * count)) / (1.0 + squared / count);
    let reach = deviations / (1.0 + squared / count)
        * (passed_share * (1.0 - passed_share) / count + squared / (4.0 * count * count)).sqrt();
    // Exactly 0 and 1 at the edges, where rounding would leave a trace.
    let low = if passed == 0 {
        0.0
    } else {
        (center - reach).clamp(0.0, passed_share)
    };
    let high = if passed_share >= 1.0 {
        1.0
    } else {
        (center + reach).clamp(passed_share, 1.0)
    };
    (low, high)
}

/// pass@k and pass^k of several tasks, for every k.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassCurves {
    /// For k from 1 to the largest number of attempts that a task has.
    pub points: Vec<PassPoint>,
    /// The level of the intervals.
    pub level: Level,
    /// Tasks with an attempt that counts, and tasks without.
    pub tasks: Denominator,
    /// Attempts at all tasks.
    pub attempts: Denominator,
}

/// One k of [`PassCurves`]. The figures are probabilities, averaged over tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassPoint {
    /// How many attempts.
    pub k: usize,
    /// That at least one of k attempts passes.
    pub pass_at_k: Bounded,
    /// The bootstrap interval of `pass_at_k`, with tasks resampled.
    pub pass_at_k_interval: Interval,
    /// That all of k attempts pass.
    pub pass_hat_k: Bounded,
    /// The bootstrap interval of `pass_hat_k`, with tasks resampled.
    pub pass_hat_k_interval: Interval,
    /// Tasks with at least k attempts that count, and tasks with fewer. Where some are
    /// left out, points of different k are of different tasks and not to be compared.
    pub tasks: Denominator,
}

/// pass@k and pass^k averaged over tasks, for all k up to the largest number of
/// attempts that count; `None` when none does. The intervals take two tasks or more.
pub fn pass_curves(tasks: &[Passes], options: &Bootstrap) -> Option<PassCurves> {
    let counted = |task: &Passes| task.denominator().counted;
    let largest = tasks
        .iter()
        .map(counted)
        .max()
        .filter(|&largest| largest > 0)?;
    let at: Vec<Vec<Bounded>> = tasks.iter().map(|task| curve(task, any_of)).collect();
    let hat: Vec<Vec<Bounded>> = tasks.iter().map(|task| curve(task, all_of)).collect();
    let points = (1..=largest).filter_map(|k| {
        let column = |curves: &[Vec<Bounded>]| -> Vec<Bounded> {
            curves
                .iter()
                .filter_map(|curve| curve.get(k - 1).copied())
                .collect()
        };
        let (at, hat) = (column(&at), column(&hat));
        Some(PassPoint {
            k,
            pass_at_k: mean(&at)?,
            pass_at_k_interval: interval_of(&at, options),
            pass_hat_k: mean(&hat)?,
            pass_hat_k_interval: interval_of(&hat, options),
            tasks: Denominator {
                counted: at.len(),
                left_out: tasks.len() - at.len(),
            },
        })
    });
    let with_attempts = tasks.iter().filter(|task| counted(task) > 0).count();
    Some(PassCurves {
        points: points.collect(),
        level: options.level,
        tasks: Denominator {
            counted: with_attempts,
            left_out: tasks.len() - with_attempts,
        },
        attempts: tasks.iter().map(Passes::denominator).sum(),
    })
}

/// The probability that at least one of `k` attempts at a task passes, estimated
/// without bias from all its attempts; `None` for a `k` of 0 or above their number.
pub fn pass_at_k(task: &Passes, k: usize) -> Option<Bounded> {
    curve(task, any_of).get(k.checked_sub(1)?).copied()
}

/// The probability that all of `k` attempts at a task pass (pass^k), estimated without
/// bias from all its attempts; `None` for a `k` of 0 or above their number.
pub fn pass_hat_k(task: &Passes, k: usize) -> Option<Bounded> {
    curve(task, all_of).get(k.checked_sub(1)?).copied()
}

/// A figure for every k from 1: both ends, since both figures rise with the passes.
fn curve(task: &Passes, figure: fn(usize, usize) -> Vec<f64>) -> Vec<Bounded> {
    let (CountRange { low, high }, count) = (task.passed(), task.denominator().counted);
    let ends = figure(low, count).into_iter().zip(figure(high, count));
    ends.map(|(low, high)| Bounded::ends(low, high)).collect()
}

/// 1 - C(n - c, k) / C(n, k) for k = 1..n.
fn any_of(passed: usize, count: usize) -> Vec<f64> {
    chosen_from(count - passed, count)
        .map(|none| 1.0 - none)
        .collect()
}

/// C(c, k) / C(n, k) for k = 1..n.
fn all_of(passed: usize, count: usize) -> Vec<f64> {
    chosen_from(passed, count).collect()
}

/// C(part, k) / C(count, k) for k = 1..count, as a product of factors that are at most
/// one: nothing overflows, and nothing is subtracted from something nearly equal.
fn chosen_from(part: usize, count: usize) -> impl Iterator<Item = f64> {
    (0..count).scan(1.0, move |product, drawn| {
        *product *= part.saturating_sub(drawn) as f64 / (count - drawn) as f64;
        Some(*product)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(passed: usize, count: usize) -> Passes {
        Passes::new(passed, passed, count, 0).unwrap()
    }

    #[test]
    fn nothing_counted_is_no_rate() {
        assert_eq!(
            wilson(&Passes::new(0, 0, 0, 7).unwrap(), Level::default()),
            None
        );
        assert_eq!(
            pass_curves(&[Passes::default()], &Bootstrap::default()),
            None
        );
    }

    #[test]
    fn wilson_touches_the_edges_and_never_leaves_them() {
        for count in 1..60 {
            for passed in 0..=count {
                let rate = wilson(&passes(passed, count), Level::default()).unwrap();
                let (low, high) = (rate.interval.low(), rate.interval.high());
                assert!(0.0 <= low && low <= rate.rate.low(), "{passed}/{count}");
                assert!(rate.rate.high() <= high && high <= 1.0, "{passed}/{count}");
                assert!(low < high, "{passed}/{count}");
                assert_eq!(low.to_bits() == 0, passed == 0, "{passed}/{count}");
                assert_eq!(high >= 1.0, passed == count, "{passed}/{count}");
            }
        }
    }

    #[test]
    fn open_verdicts_widen_wilson_to_both_sides() {
        let open = wilson(&Passes::new(3, 6, 10, 2).unwrap(), Level::default()).unwrap();
        let low = wilson(&passes(3, 10), Level::default()).unwrap();
        let high = wilson(&passes(6, 10), Level::default()).unwrap();
        assert_eq!(
            open.interval,
            Bounded::ends(low.interval.low(), high.interval.high())
        );
        assert_eq!(
            open.of,
            Denominator {
                counted: 10,
                left_out: 2
            }
        );
    }

    /// The average over every way to choose k of the attempts, which is what the two
    /// figures are meant to be.
    #[test]
    fn the_curves_are_what_choosing_attempts_gives() {
        for count in 1..=9_usize {
            for passed in 0..=count {
                for k in 1..=count {
                    let (mut any, mut all, mut ways) = (0_u32, 0_u32, 0_u32);
                    for chosen in 0..1_u32 << count {
                        if chosen.count_ones() as usize == k {
                            // The first `passed` attempts are those that passed.
                            let good = (chosen & ((1 << passed) - 1)).count_ones() as usize;
                            ways += 1;
                            any += u32::from(good > 0);
                            all += u32::from(good == k);
                        }
                    }
                    let at = pass_at_k(&passes(passed, count), k).unwrap();
                    let hat = pass_hat_k(&passes(passed, count), k).unwrap();
                    let ways = f64::from(ways);
                    assert!((at.low() - f64::from(any) / ways).abs() < 1e-14);
                    assert!((hat.low() - f64::from(all) / ways).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn k_is_between_one_and_the_attempts() {
        let task = passes(2, 5);
        assert_eq!(pass_at_k(&task, 0), None);
        assert_eq!(pass_at_k(&task, 6), None);
        assert_eq!(pass_hat_k(&task, 0), None);
        assert_eq!(pass_hat_k(&task, 6), None);
    }

    #[test]
    fn a_task_with_fewer_attempts_leaves_the_points_that_it_cannot_have() {
        let tasks = [passes(1, 2), passes(3, 5), Passes::new(0, 0, 0, 5).unwrap()];
        let curves = pass_curves(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(curves.points.len(), 5);
        assert_eq!(
            curves.points[1].tasks,
            Denominator {
                counted: 2,
                left_out: 1
            }
        );
        assert_eq!(
            curves.points[2].tasks,
            Denominator {
                counted: 1,
                left_out: 2
            }
        );
        assert_eq!(curves.points[2].pass_at_k_interval, Interval::TooFew);
        assert_eq!(
            curves.tasks,
            Denominator {
                counted: 2,
                left_out: 1
            }
        );
        assert_eq!(
            curves.attempts,
            Denominator {
                counted: 7,
                left_out: 5
            }
        );
    }

    #[test]
    fn a_thousand_attempts_stay_numbers() {
        let task = passes(500, 1000);
        assert!((pass_at_k(&task, 400).unwrap().low() - 1.0).abs() < 1e-12);
        let hat = pass_hat_k(&task, 400).unwrap().low();
        assert!(hat > 0.0 && hat < 1e-100, "{hat}");
    }
}
