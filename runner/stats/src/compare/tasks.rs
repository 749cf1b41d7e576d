//! Scores of both sides, task by task.

use serde::Serialize;

use super::{Finding, Pair, SignificanceTest, permute::flip_signs};
use crate::{
    Bootstrap, Bounded, Denominator, Interval, Level, Sample, bootstrap::interval_of,
    describe::mean, standard_deviation,
};

/// Both sides over the tasks that both have, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TaskComparison {
    /// a's mean over these tasks, each with the mean of its attempts.
    pub mean_a: Bounded,
    /// b's.
    pub mean_b: Bounded,
    /// b's mean less a's: the effect.
    pub difference: Bounded,
    /// The bootstrap interval of the difference, with tasks resampled.
    pub interval: Interval,
    /// The level of the interval, and of the finding.
    pub level: Level,
    /// The standard deviation of the tasks' differences, for
    /// [`pairs_needed`](super::pairs_needed); `None` for one task.
    pub deviation: Option<Bounded>,
    /// The test by flipping signs.
    pub test: SignificanceTest,
    /// What it says.
    pub finding: Finding,
    /// Tasks of which both sides have an attempt that counts, and others.
    pub tasks: Denominator,
    /// a's attempts at these tasks.
    pub attempts_a: Denominator,
    /// b's.
    pub attempts_b: Denominator,
}

/// Compares means, task by task; one pair of [`Sample`]s per task. `None` when no task
/// has attempts of both sides that count.
///
/// It is about tasks like these. With one task it finds nothing; for that there is
/// [`compare_attempts`](super::compare_attempts).
pub fn compare_tasks(tasks: &[Pair<Sample>], options: &Bootstrap) -> Option<TaskComparison> {
    let (mut means_a, mut means_b) = (Vec::new(), Vec::new());
    let (mut attempts_a, mut attempts_b) = (Vec::new(), Vec::new());
    for task in tasks {
        let (Some(a), Some(b)) = (mean(task.a.values()), mean(task.b.values())) else {
            continue;
        };
        means_a.push(a);
        means_b.push(b);
        attempts_a.push(task.a.denominator());
        attempts_b.push(task.b.denominator());
    }
    let differences: Vec<Bounded> = means_b
        .iter()
        .zip(&means_a)
        .map(|(b, a)| b.minus(*a))
        .collect();
    let difference = mean(&differences)?;
    let interval = interval_of(&differences, options);
    let test = flip_signs(&differences, options)?;
    Some(TaskComparison {
        mean_a: mean(&means_a)?,
        mean_b: mean(&means_b)?,
        difference,
        interval,
        level: options.level,
        deviation: standard_deviation(&differences),
        test,
        finding: Finding::of(&test, difference, interval, options.level),
        tasks: Denominator {
            counted: differences.len(),
            left_out: tasks.len() - differences.len(),
        },
        attempts_a: attempts_a.into_iter().sum(),
        attempts_b: attempts_b.into_iter().sum(),
    })
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

    fn pairs(list: &[(&[f64], &[f64])]) -> Vec<Pair<Sample>> {
        list.iter()
            .map(|(a, b)| Pair {
                a: sample(a),
                b: sample(b),
            })
            .collect()
    }

    #[test]
    fn a_side_that_is_better_everywhere_is_found() {
        let tasks = pairs(&[
            (&[0.1, 0.2], &[0.5]),
            (&[0.4], &[0.6, 0.8]),
            (&[0.2], &[0.4]),
            (&[0.5], &[0.9]),
            (&[0.0], &[0.1]),
            (&[0.3], &[0.7]),
            (&[0.3], &[]),
        ]);
        let result = compare_tasks(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(result.finding, Finding::BHigher);
        assert_eq!(
            result.tasks,
            Denominator {
                counted: 6,
                left_out: 1
            }
        );
        assert_eq!(
            result.attempts_a,
            Denominator {
                counted: 7,
                left_out: 0
            }
        );
        let swapped: Vec<Pair<Sample>> = tasks
            .iter()
            .map(|pair| Pair {
                a: pair.b.clone(),
                b: pair.a.clone(),
            })
            .collect();
        let swapped = compare_tasks(&swapped, &Bootstrap::default()).unwrap();
        assert_eq!(swapped.finding, Finding::AHigher);
        assert!((swapped.difference.low() + result.difference.low()).abs() < 1e-15);
    }

    #[test]
    fn the_order_of_the_tasks_does_not_matter() {
        let mut tasks: Vec<Pair<Sample>> = (0..20)
            .map(|at| {
                let at = f64::from(at);
                Pair {
                    a: sample(&[at / 7.0]),
                    b: sample(&[at.sin()]),
                }
            })
            .collect();
        let result = compare_tasks(&tasks, &Bootstrap::default()).unwrap();
        tasks.reverse();
        let reversed = compare_tasks(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(
            (result.interval, result.test),
            (reversed.interval, reversed.test)
        );
    }

    #[test]
    fn one_task_is_too_few() {
        let tasks = pairs(&[(&[0.0, 0.0, 0.0], &[1.0, 1.0, 1.0])]);
        let result = compare_tasks(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(
            (result.finding, result.interval),
            (Finding::TooFew, Interval::TooFew)
        );
    }

    #[test]
    fn nothing_in_common_is_no_comparison() {
        assert_eq!(
            compare_tasks(&pairs(&[(&[1.0], &[])]), &Bootstrap::default()),
            None
        );
        assert_eq!(compare_tasks(&[], &Bootstrap::default()), None);
    }
}
