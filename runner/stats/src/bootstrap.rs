//! Bootstrap intervals of means.

use std::num::NonZeroU32;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::{
    Bounded, Denominator, Level, Sample,
    describe::{Sorted, mean, quantile_of_unsorted, standard_error},
    draw::Draw,
};

/// More resamples than this are not drawn.
pub const MAX_RESAMPLES: u32 = 1_000_000;

/// How a bootstrap is done. Equal settings and values give equal intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The level of the interval.
    pub level: Level,
    /// How often is resampled, and how many arrangements a test draws that cannot look
    /// at all; above [`MAX_RESAMPLES`] as often as that. Thousands: the ends of an
    /// interval are read in the tails.
    pub resamples: NonZeroU32,
    /// The seed of the generator.
    pub seed: u64,
    /// Where the ends of the interval are read.
    pub method: Method,
    /// What is resampled where there are tasks and attempts.
    pub resampling: Resampling,
}

impl Default for Bootstrap {
    /// A level of 0.95, 10,000 resamples, seed 0, expanded percentiles, tasks and then
    /// attempts.
    fn default() -> Self {
        Self {
            level: Level::default(),
            resamples: NonZeroU32::new(10_000).unwrap_or(NonZeroU32::MIN),
            seed: 0,
            method: Method::default(),
            resampling: Resampling::default(),
        }
    }
}

/// Where the ends of an interval are read in the sorted means of the resamples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// At alpha/2 and 1 - alpha/2. Too narrow for few values: of five normal ones a
    /// 95 % interval covers about 84 %.
    Percentile,
    /// Further out for few values, by as much as Student's t is wider than the normal
    /// distribution and the root of n/(n - 1) makes good; for many values the same.
    #[default]
    Expanded,
}

/// What is resampled where there are tasks and attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resampling {
    /// Tasks, each with all its attempts.
    Tasks,
    /// Tasks, and then attempts within each. Wider: it counts the chance within tasks
    /// once more than there is, which is on the safe side.
    #[default]
    TasksThenAttempts,
}

/// An interval of confidence, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Interval {
    /// From the lower end with everything open at its least to the upper end with
    /// everything open at its most, in the unit of the estimate.
    Estimated {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A single value says nothing about how much others would differ.
    TooFew,
    /// All values are the same. A bootstrap would give an interval without width,
    /// which is no evidence that the next value is the same again.
    NoSpread,
}

impl Interval {
    /// The ends, where there are any.
    pub fn ends(self) -> Option<Bounded> {
        match self {
            Self::Estimated { low, high } => Some(Bounded::ends(low, high)),
            Self::TooFew | Self::NoSpread => None,
        }
    }
}

/// A mean of independent values, in their unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub value: Bounded,
    /// Its interval.
    pub interval: Interval,
    /// The level of the interval.
    pub level: Level,
    /// What it is a mean of.
    pub of: Denominator,
}

/// A mean over tasks, each with the mean of its attempts, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusteredMean {
    /// The mean. Every task weighs the same, however many of its attempts count.
    pub value: Bounded,
    /// Its interval. For one task it is that of its attempts, and says nothing about
    /// other tasks.
    pub interval: Interval,
    /// The level of the interval.
    pub level: Level,
    /// The standard error, clustered by task: the standard deviation of the tasks'
    /// means over the root of their number; `None` for one task.
    pub standard_error: Option<Bounded>,
    /// Tasks with an attempt that counts, and tasks without.
    pub tasks: Denominator,
    /// Attempts at all tasks.
    pub attempts: Denominator,
}

/// The mean of independent values and its bootstrap interval; `None` when nothing
/// counts.
///
/// Attempts at one task are independent; attempts at several tasks are not, and belong
/// to [`bootstrap_clustered_mean`].
pub fn bootstrap_mean(sample: &Sample, options: &Bootstrap) -> Option<Mean> {
    let values = sample.values();
    Some(Mean {
        value: mean(values)?,
        interval: interval_of(values, options),
        level: options.level,
        of: sample.denominator(),
    })
}

/// The mean over tasks and its bootstrap interval, for which tasks are resampled and,
/// as `options` say, attempts within; one [`Sample`] per task. `None` when no attempt
/// counts.
pub fn bootstrap_clustered_mean(tasks: &[Sample], options: &Bootstrap) -> Option<ClusteredMean> {
    let counting: Vec<&[Bounded]> = tasks
        .iter()
        .map(Sample::values)
        .filter(|values| !values.is_empty())
        .collect();
    let means: Vec<Bounded> = counting.iter().filter_map(|values| mean(values)).collect();
    let interval = match (&counting[..], options.resampling) {
        ([only], _) => interval_of(only, options),
        (_, Resampling::Tasks) => interval_of(&means, options),
        (_, Resampling::TasksThenAttempts) => two_stage(&counting, options),
    };
    Some(ClusteredMean {
        value: mean(&means)?,
        interval,
        level: options.level,
        standard_error: standard_error(&means),
        tasks: Denominator {
            counted: means.len(),
            left_out: tasks.len() - means.len(),
        },
        attempts: tasks.iter().map(Sample::denominator).sum(),
    })
}

/// The interval of the mean of independent values.
pub(crate) fn interval_of(values: &[Bounded], options: &Bootstrap) -> Interval {
    let Some(sorted) = Sorted::new(values).filter(|sorted| sorted.count() > 1) else {
        return Interval::TooFew;
    };
    let (mut draw, mut ranks) = (Draw::new(options.seed), Vec::new());
    let exact = sorted.is_exact();
    resampled_interval(options, sorted.count(), || {
        draw.ranks(sorted.count(), &mut ranks);
        sorted.mean_of_ranks(&ranks, exact)
    })
}

/// The interval of the mean of tasks' means, with tasks and then attempts resampled.
fn two_stage(tasks: &[&[Bounded]], options: &Bootstrap) -> Interval {
    let mut tasks: Vec<Sorted> = tasks.iter().filter_map(|task| Sorted::new(task)).collect();
    // So that the interval does not depend on the order of the tasks.
    tasks.sort_unstable_by(Sorted::order);
    let (mut draw, mut ranks, mut means) = (Draw::new(options.seed), Vec::new(), Vec::new());
    let exact = tasks.iter().all(Sorted::is_exact);
    resampled_interval(options, tasks.len(), || {
        means.clear();
        for _ in 0..tasks.len() {
            let task = &tasks[draw.below(tasks.len())];
            draw.ranks(task.count(), &mut ranks);
            means.extend(task.mean_of_ranks(&ranks, exact));
        }
        mean(&means)
    })
}

/// Draws as many means as `options` say, and reads the interval in them. `count` is how
/// many values a resample has.
pub(crate) fn resampled_interval(
    options: &Bootstrap,
    count: usize,
    mut one: impl FnMut() -> Option<Bounded>,
) -> Interval {
    let times = options.resamples.get().min(MAX_RESAMPLES);
    let means: Vec<Bounded> = (0..times).filter_map(|_| one()).collect();
    let mut lows: Vec<f64> = means.iter().map(|mean| mean.low()).collect();
    let mut highs: Vec<f64> = means.iter().map(|mean| mean.high()).collect();
    let same = |ends: &[f64]| ends.windows(2).all(|two| two[0].total_cmp(&two[1]).is_eq());
    if means.is_empty() {
        return Interval::TooFew;
    }
    if same(&lows) && same(&highs) {
        return Interval::NoSpread;
    }
    let tail = tail(options.level, options.method, count);
    Interval::Estimated {
        low: quantile_of_unsorted(&mut lows, tail),
        high: quantile_of_unsorted(&mut highs, 1.0 - tail),
    }
}

/// The fraction of resamples that is left out on each side. It depends on how many
/// values there are and not on which, so that an interval's ends never fall when a
/// value rises.
fn tail(level: Level, method: Method, count: usize) -> f64 {
    let half = level.alpha() / 2.0;
    let count = count as f64;
    match method {
        Method::Percentile => half,
        Method::Expanded => match StudentsT::new(0.0, 1.0, count - 1.0) {
            Ok(student) => {
                let wider = student.inverse_cdf(half) * (count / (count - 1.0)).sqrt();
                Normal::standard().cdf(wider).clamp(0.0, half)
            }
            // One value; nobody asks.
            Err(_) => half,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        values
            .iter()
            .map(|&value| Some(Bounded::exact(value).unwrap()))
            .collect()
    }

    fn clustered(tasks: &[&[f64]], options: &Bootstrap) -> ClusteredMean {
        let tasks: Vec<Sample> = tasks.iter().map(|task| sample(task)).collect();
        bootstrap_clustered_mean(&tasks, options).unwrap()
    }

    #[test]
    fn nothing_that_counts_has_no_mean() {
        let none: Sample = [None, None].into_iter().collect();
        assert_eq!(bootstrap_mean(&none, &Bootstrap::default()), None);
        assert_eq!(
            bootstrap_clustered_mean(&[none], &Bootstrap::default()),
            None
        );
        assert_eq!(bootstrap_clustered_mean(&[], &Bootstrap::default()), None);
    }

    #[test]
    fn there_is_no_interval_without_spread_or_company() {
        let options = Bootstrap::default();
        let mean = |values: &[f64]| bootstrap_mean(&sample(values), &options).unwrap().interval;
        assert_eq!(mean(&[0.3]), Interval::TooFew);
        assert_eq!(mean(&[0.1; 3]), Interval::NoSpread);
        assert_eq!(clustered(&[&[0.3]], &options).interval, Interval::TooFew);
        assert_eq!(
            clustered(&[&[0.1; 3], &[0.1; 7]], &options).interval,
            Interval::NoSpread
        );
    }

    #[test]
    fn one_task_is_its_attempts() {
        let options = Bootstrap::default();
        let values = [0.1, 0.4, 0.5, 0.9];
        let task = clustered(&[&values], &options);
        let attempts = bootstrap_mean(&sample(&values), &options).unwrap();
        assert_eq!(
            (task.value, task.interval),
            (attempts.value, attempts.interval)
        );
        assert_eq!(task.standard_error, None);
    }

    #[test]
    fn tasks_weigh_the_same_and_empty_ones_are_left_out() {
        let mut tasks = vec![sample(&[0.0; 9]), sample(&[1.0])];
        tasks.push([None, None].into_iter().collect());
        let result = bootstrap_clustered_mean(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(result.value, Bounded::exact(0.5).unwrap());
        assert_eq!(
            result.tasks,
            Denominator {
                counted: 2,
                left_out: 1
            }
        );
        assert_eq!(
            result.attempts,
            Denominator {
                counted: 10,
                left_out: 2
            }
        );
    }

    #[test]
    fn attempts_within_tasks_make_it_wider() {
        let tasks: [&[f64]; 4] = [&[0.0, 0.4], &[0.2, 0.6], &[0.1, 0.7], &[0.3, 0.5]];
        let width = |resampling| {
            let options = Bootstrap {
                resampling,
                ..Bootstrap::default()
            };
            clustered(&tasks, &options).interval.ends().unwrap().width()
        };
        assert!(width(Resampling::Tasks) * 1.5 < width(Resampling::TasksThenAttempts));
    }

    #[test]
    fn other_seeds_draw_other_samples() {
        let values = sample(&[0.11, 0.42, 0.53, 0.94, 0.25, 0.66, 0.17]);
        let resamples = NonZeroU32::new(500).unwrap();
        let interval = |seed| {
            let options = Bootstrap {
                resamples,
                seed,
                ..Bootstrap::default()
            };
            bootstrap_mean(&values, &options).unwrap().interval
        };
        assert_eq!(interval(1), interval(1));
        assert_ne!(interval(1), interval(2));
    }

    /// Of five values 0.1 % on each side, of thirty 1.9 %, of very many 2.5 %.
    #[test]
    fn expanded_tails_become_those_of_the_level() {
        let tail = |count| tail(Level::default(), Method::Expanded, count);
        assert!((tail(5) - 0.000_954).abs() < 1e-6);
        assert!((tail(30) - 0.018_754).abs() < 1e-6);
        assert!((tail(1_000_000) - 0.025).abs() < 1e-6);
        assert!(tail(2) < 1e-12);
    }
}
