//! Every formula against numpy, scipy and statsmodels: tests/statistics/reference.py
//! computes the same figures by other means, from the same inputs.

use std::num::NonZeroU32;

use crate::support::{Checks, Numbers, pairs_of, sample};
use proctor_stats::{
    Bootstrap, Bounded, Decision, Level, Method, Pair, Passes, Resampling, Sample, TestMethod,
    bootstrap_clustered_mean, bootstrap_mean, compare_attempts, compare_tasks, describe, mcnemar,
    pairs_needed, pass_curves, quantile, variance, wilson,
};
use serde_json::json;

fn options(method: Method, resampling: Resampling, seed: u64) -> Bootstrap {
    let resamples = NonZeroU32::new(1_500).unwrap();
    Bootstrap {
        level: Level::default(),
        resamples,
        seed,
        method,
        resampling,
    }
}

const METHODS: [(Method, &str); 2] = [
    (Method::Percentile, "percentile"),
    (Method::Expanded, "expanded"),
];

fn both(value: Bounded) -> [f64; 2] {
    [value.low(), value.high()]
}

#[test]
fn descriptions() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(1));
    for count in [2, 3, 4, 5, 10, 31] {
        let values = numbers.known(count);
        let figures = describe(&sample(&values)).unwrap();
        let ours = [
            figures.total,
            figures.mean,
            figures.variance.unwrap(),
            figures.standard_deviation.unwrap(),
            figures.standard_error.unwrap(),
            figures.min,
            figures.lower_quartile,
            figures.median,
            figures.upper_quartile,
            figures.max,
        ];
        assert!(ours.iter().all(|figure| figure.is_exact()));
        checks.add(
            json!({"what": "describe", "values": pairs_of(&values)}),
            ours.map(Bounded::low),
        );
    }
    for (count, q) in [(1, 0.3), (4, 0.1), (7, 0.9), (20, 0.025), (33, 0.5)] {
        let values = numbers.open(count);
        checks.add(
            json!({"what": "quantile", "values": pairs_of(&values), "q": q}),
            both(quantile(&values, q).unwrap()),
        );
    }
    checks.compare(1e-9);
}

#[test]
fn variances_of_open_values() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(2));
    for count in [2, 3, 5, 8, 13, 40] {
        for _ in 0..5 {
            let values = numbers.open(count);
            checks.add(
                json!({"what": "variance_bounds", "values": pairs_of(&values)}),
                both(variance(&values).unwrap()),
            );
        }
    }
    checks.compare(1e-9);
}

#[test]
fn pass_rates() {
    let mut checks = Checks::default();
    for level in [0.5, 0.9, 0.95, 0.99, 0.9999] {
        for (low, high, count) in [
            (0, 0, 1),
            (1, 1, 1),
            (0, 0, 5),
            (5, 5, 5),
            (3, 6, 10),
            (7, 7, 20),
            (499, 503, 2000),
        ] {
            let passes = Passes::new(low, high, count, 0).unwrap();
            let rate = wilson(&passes, Level::new(level).unwrap()).unwrap();
            checks.add(
                json!({"what": "wilson", "low": low, "high": high, "count": count, "level": level}),
                both(rate.interval),
            );
        }
    }
    checks.compare(1e-9);
}

#[test]
fn curves_of_passes() {
    let mut checks = Checks::default();
    let suites: [&[(usize, usize)]; 4] = [
        &[(0, 5), (1, 5), (3, 5), (5, 5)],
        &[(2, 3), (4, 10), (1, 1)],
        &[(100, 200), (1, 200), (199, 200)],
        &[(7, 1000)],
    ];
    for tasks in suites {
        let passes: Vec<Passes> = tasks
            .iter()
            .map(|&(passed, count)| Passes::new(passed, passed, count, 0).unwrap())
            .collect();
        let few = Bootstrap {
            resamples: NonZeroU32::MIN,
            ..Bootstrap::default()
        };
        let points = pass_curves(&passes, &few).unwrap().points;
        let at = points.iter().map(|point| point.pass_at_k.low());
        let hat = points.iter().map(|point| point.pass_hat_k.low());
        checks.add(
            json!({"what": "pass_curves", "tasks": tasks}),
            at.chain(hat),
        );
    }
    checks.compare(1e-9);
}

#[test]
fn comparisons_of_passes() {
    let mut checks = Checks::default();
    for table in [
        [3, 1, 9, 2],
        [10, 0, 6, 4],
        [0, 5, 5, 0],
        [5, 30, 12, 50],
        [40, 300, 260, 9],
    ] {
        let [passed_both, only_a, only_b, neither] = table;
        let sides = [
            (Decision::Passed, Decision::Passed, passed_both),
            (Decision::Passed, Decision::Failed, only_a),
            (Decision::Failed, Decision::Passed, only_b),
            (Decision::Failed, Decision::Failed, neither),
        ];
        let pairs: Vec<Pair<Option<Decision>>> = sides
            .iter()
            .flat_map(|&(a, b, times)| {
                std::iter::repeat_n(
                    Pair {
                        a: Some(a),
                        b: Some(b),
                    },
                    times,
                )
            })
            .collect();
        let result = mcnemar(&pairs, &Bootstrap::default()).unwrap();
        checks.add(
            json!({"what": "mcnemar", "table": [[passed_both, only_a], [only_b, neither]]}),
            [result.test.p_value.low(), result.difference.low()],
        );
    }
    checks.compare(1e-9);
}

#[test]
fn permutation_tests() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(3));
    for count in [2, 3, 6, 9, 12] {
        // In steps of a tenth, so that there are ties.
        let differences: Vec<Bounded> = numbers
            .known(count)
            .iter()
            .map(|value| Bounded::exact((value.low() * 10.0).round() / 10.0 - 0.4).unwrap())
            .collect();
        let zero = Bounded::exact(0.0).unwrap();
        let tasks: Vec<Pair<Sample>> = differences
            .iter()
            .map(|difference| Pair {
                a: sample(&[zero]),
                b: sample(&[*difference]),
            })
            .collect();
        let result = compare_tasks(&tasks, &Bootstrap::default()).unwrap();
        assert_eq!(result.test.method, TestMethod::Exact);
        checks.add(
            json!({"what": "flip_signs", "values": pairs_of(&differences)}),
            [result.test.p_value.low()],
        );
    }
    for (count_a, count_b) in [(2, 2), (5, 5), (3, 8), (7, 6)] {
        let (a, b) = (numbers.known(count_a), numbers.known(count_b));
        let result = compare_attempts(&sample(&a), &sample(&b), &Bootstrap::default()).unwrap();
        assert_eq!(result.test.method, TestMethod::Exact);
        checks.add(
            json!({"what": "swap_labels", "a": pairs_of(&a), "b": pairs_of(&b)}),
            [result.test.p_value.low(), result.difference.low()],
        );
    }
    checks.compare(1e-9);
}

#[test]
fn standard_errors_of_clusters() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(4));
    for (tasks, attempts) in [(2, 3), (5, 5), (12, 4)] {
        let tasks: Vec<Vec<Bounded>> = (0..tasks).map(|_| numbers.known(attempts)).collect();
        let samples: Vec<Sample> = tasks.iter().map(|task| sample(task)).collect();
        let result = bootstrap_clustered_mean(&samples, &Bootstrap::default()).unwrap();
        let tasks: Vec<_> = tasks.iter().map(|task| pairs_of(task)).collect();
        checks.add(
            json!({"what": "clustered_error", "tasks": tasks}),
            [result.value.low(), result.standard_error.unwrap().low()],
        );
    }
    checks.compare(1e-9);
}

#[test]
#[allow(clippy::cast_precision_loss)] // Small numbers.
fn sizes() {
    let mut checks = Checks::default();
    for (effect, deviation, level, power) in [
        (0.05, 0.2, 0.95, 0.8),
        (0.1, 0.3, 0.99, 0.9),
        (0.5, 0.4, 0.9, 0.95),
    ] {
        let pairs = pairs_needed(effect, deviation, Level::new(level).unwrap(), power).unwrap();
        checks.add(
            json!({"what": "pairs_needed", "effect": effect, "deviation": deviation,
                   "level": level, "power": power}),
            [pairs as f64],
        );
    }
    checks.compare(1e-9);
}

#[test]
fn bootstraps_resample_by_resample() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(5));
    for (seed, count) in [(0, 2), (1, 3), (u64::MAX, 5), (7, 20)] {
        for (method, name) in METHODS {
            let values = numbers.open(count);
            let options = options(method, Resampling::Tasks, seed);
            let result = bootstrap_mean(&sample(&values), &options).unwrap();
            checks.add(
                json!({"what": "bootstrap", "values": pairs_of(&values), "level": 0.95,
                       "method": name, "resamples": 1500, "seed": seed}),
                both(result.interval.ends().unwrap()),
            );
        }
    }
    checks.compare(1e-9);
}

#[test]
fn clustered_bootstraps_resample_by_resample() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(6));
    for (seed, counts) in [
        (0, &[5, 5, 5][..]),
        (1, &[1, 4]),
        (2, &[3, 1, 2, 5, 5, 4, 3]),
    ] {
        let tasks: Vec<Vec<Bounded>> = counts.iter().map(|&count| numbers.open(count)).collect();
        let samples: Vec<Sample> = tasks.iter().map(|task| sample(task)).collect();
        let tasks: Vec<_> = tasks.iter().map(|task| pairs_of(task)).collect();
        for (method, name) in METHODS {
            for resampling in [Resampling::Tasks, Resampling::TasksThenAttempts] {
                let options = options(method, resampling, seed);
                let result = bootstrap_clustered_mean(&samples, &options).unwrap();
                checks.add(
                    json!({"what": "bootstrap_clustered", "tasks": tasks, "level": 0.95,
                           "method": name, "resamples": 1500, "seed": seed,
                           "within": resampling == Resampling::TasksThenAttempts}),
                    both(result.interval.ends().unwrap()),
                );
            }
        }
    }
    checks.compare(1e-9);
}

#[test]
fn bootstraps_of_differences_resample_by_resample() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(7));
    for (seed, count_a, count_b) in [(0, 5, 5), (1, 2, 9), (2, 12, 3)] {
        for (method, name) in METHODS {
            let (a, b) = (numbers.open(count_a), numbers.open(count_b));
            let options = options(method, Resampling::Tasks, seed);
            let result = compare_attempts(&sample(&a), &sample(&b), &options).unwrap();
            checks.add(
                json!({"what": "bootstrap_difference", "a": pairs_of(&a), "b": pairs_of(&b),
                       "level": 0.95, "method": name, "resamples": 1500, "seed": seed}),
                both(result.interval.ends().unwrap()),
            );
        }
    }
    checks.compare(1e-9);
}

/// The bootstrap of scipy draws other samples. With 100,000 resamples on each side the
/// ends differ by chance by some thousandths of the interval's width.
#[test]
fn bootstraps_are_close_to_those_of_scipy() {
    let (mut checks, mut numbers) = (Checks::default(), Numbers::new(8));
    for (count, level) in [(5, 0.95), (12, 0.9), (40, 0.99)] {
        let values = numbers.known(count);
        let options = Bootstrap {
            level: Level::new(level).unwrap(),
            resamples: NonZeroU32::new(100_000).unwrap(),
            method: Method::Percentile,
            ..Bootstrap::default()
        };
        let result = bootstrap_mean(&sample(&values), &options).unwrap();
        checks.add(
            json!({"what": "scipy_bootstrap", "values": pairs_of(&values), "level": level}),
            both(result.interval.ends().unwrap()),
        );
    }
    checks.compare(0.005);
}
