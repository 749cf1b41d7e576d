//! What holds for all inputs: open criteria are enclosed whatever becomes of them, the
//! order of trials does not matter, nothing that comes out is not a number.

use std::num::NonZeroU32;

use proctor_stats::{
    Bootstrap, Bounded, Decision, Interval, MAX_MAGNITUDE, Method, Pair, Passes, Resampling,
    Sample, bootstrap_clustered_mean, bootstrap_mean, compare_attempts, compare_tasks, describe,
    mcnemar, pass_curves, stability, wilson,
};
use serde_json::{Value, json};

use crate::support::{Numbers, sample};

fn quick(resampling: Resampling) -> Bootstrap {
    let resamples = NonZeroU32::new(300).unwrap();
    Bootstrap {
        resamples,
        resampling,
        ..Bootstrap::default()
    }
}

/// Whether `inner` is within `outer`, but for rounding.
fn within(inner: Bounded, outer: Bounded) -> bool {
    let slack = 1e-12;
    outer.low() - slack <= inner.low() && inner.high() <= outer.high() + slack
}

fn interval_within(inner: Interval, outer: Interval) -> bool {
    match (inner.ends(), outer.ends()) {
        (Some(inner), Some(outer)) => within(inner, outer),
        // Decided in a way that leaves no spread.
        (None, Some(_)) => inner == Interval::NoSpread,
        (None, None) => inner == outer,
        (Some(_), None) => outer == Interval::NoSpread,
    }
}

#[test]
fn figures_of_open_values_enclose_every_decision() {
    let mut numbers = Numbers::new(11);
    for _ in 0..300 {
        let count = 1 + numbers.below(8);
        let values = numbers.open(count);
        let open = describe(&sample(&values)).unwrap();
        let open_stability = stability(&sample(&values)).unwrap();
        for _ in 0..10 {
            let decided = sample(&numbers.decide(&values));
            let known = describe(&decided).unwrap();
            assert!(within(known.total, open.total));
            assert!(within(known.mean, open.mean));
            assert!(within(known.min, open.min));
            assert!(within(known.lower_quartile, open.lower_quartile));
            assert!(within(known.median, open.median));
            assert!(within(known.upper_quartile, open.upper_quartile));
            assert!(within(known.max, open.max));
            assert_eq!(known.variance.is_some(), open.variance.is_some());
            if let (Some(known), Some(open)) = (known.variance, open.variance) {
                assert!(within(known, open), "{values:?} {decided:?}");
            }
            assert!(within(
                stability(&decided).unwrap().spread,
                open_stability.spread
            ));
        }
    }
}

#[test]
fn intervals_of_open_values_enclose_those_of_every_decision() {
    let mut numbers = Numbers::new(12);
    let options = quick(Resampling::Tasks);
    for _ in 0..60 {
        let tasks: Vec<Vec<Bounded>> = (0..=numbers.below(6))
            .map(|_| {
                let count = 1 + numbers.below(4);
                numbers.open(count)
            })
            .collect();
        let samples: Vec<Sample> = tasks.iter().map(|task| sample(task)).collect();
        let open_mean = bootstrap_mean(&samples[0], &options).unwrap();
        let open_tasks = bootstrap_clustered_mean(&samples, &options).unwrap();
        for _ in 0..5 {
            let decided: Vec<Sample> = tasks
                .iter()
                .map(|task| sample(&numbers.decide(task)))
                .collect();
            let known = bootstrap_mean(&decided[0], &options).unwrap();
            assert!(within(known.value, open_mean.value));
            assert!(
                interval_within(known.interval, open_mean.interval),
                "{tasks:?}"
            );
            let known = bootstrap_clustered_mean(&decided, &options).unwrap();
            assert!(within(known.value, open_tasks.value));
            assert!(
                interval_within(known.interval, open_tasks.interval),
                "{tasks:?}"
            );
        }
    }
}

#[test]
fn comparisons_of_open_values_enclose_those_of_every_decision() {
    let mut numbers = Numbers::new(13);
    let options = quick(Resampling::Tasks);
    for case in 0..60 {
        // Some with so many tasks that arrangements are drawn.
        let count = if case % 4 == 0 {
            20
        } else {
            2 + numbers.below(6)
        };
        let sides = [(); 2].map(|()| {
            (0..count)
                .map(|_| numbers.open(2))
                .collect::<Vec<Vec<Bounded>>>()
        });
        let pairs = |sides: &[Vec<Vec<Bounded>>; 2]| -> Vec<Pair<Sample>> {
            let [a, b] = sides;
            a.iter()
                .zip(b)
                .map(|(a, b)| Pair {
                    a: sample(a),
                    b: sample(b),
                })
                .collect()
        };
        let flat = |side: &[Vec<Bounded>]| sample(&side.concat());
        let open = compare_tasks(&pairs(&sides), &options).unwrap();
        let open_attempts = compare_attempts(&flat(&sides[0]), &flat(&sides[1]), &options).unwrap();
        for _ in 0..4 {
            let decided = [0, 1].map(|side: usize| {
                sides[side]
                    .iter()
                    .map(|task| numbers.decide(task))
                    .collect::<Vec<_>>()
            });
            let known = compare_tasks(&pairs(&decided), &options).unwrap();
            assert!(within(known.difference, open.difference));
            assert!(within(known.test.p_value, open.test.p_value), "{sides:?}");
            assert!(interval_within(known.interval, open.interval), "{sides:?}");
            let known = compare_attempts(&flat(&decided[0]), &flat(&decided[1]), &options).unwrap();
            assert!(within(known.difference, open_attempts.difference));
            assert!(
                within(known.test.p_value, open_attempts.test.p_value),
                "{sides:?}"
            );
            assert!(
                interval_within(known.interval, open_attempts.interval),
                "{sides:?}"
            );
        }
    }
}

#[test]
fn pass_figures_rise_with_passes() {
    let options = quick(Resampling::Tasks);
    for count in 1..8 {
        for low in 0..=count {
            for high in low..=count {
                let other = Passes::new(1, 1, 2, 0).unwrap();
                let open = Passes::new(low, high, count, 0).unwrap();
                let open_rate = wilson(&open, options.level).unwrap();
                let open_curves = pass_curves(&[open, other], &options).unwrap();
                for passed in low..=high {
                    let known = Passes::new(passed, passed, count, 0).unwrap();
                    let rate = wilson(&known, options.level).unwrap();
                    assert!(within(rate.rate, open_rate.rate));
                    assert!(within(rate.interval, open_rate.interval));
                    let curves = pass_curves(&[known, other], &options).unwrap();
                    for (known, open) in curves.points.iter().zip(&open_curves.points) {
                        assert!(within(known.pass_at_k, open.pass_at_k));
                        assert!(within(known.pass_hat_k, open.pass_hat_k));
                        assert!(known.pass_hat_k.low() <= known.pass_at_k.low() + 1e-12);
                        assert!(interval_within(
                            known.pass_at_k_interval,
                            open.pass_at_k_interval
                        ));
                        assert!(interval_within(
                            known.pass_hat_k_interval,
                            open.pass_hat_k_interval
                        ));
                    }
                }
            }
        }
    }
}

#[test]
fn the_order_of_trials_and_tasks_does_not_matter() {
    let mut numbers = Numbers::new(14);
    for resampling in [Resampling::Tasks, Resampling::TasksThenAttempts] {
        for _ in 0..30 {
            let mut tasks: Vec<Vec<Bounded>> = (0..=numbers.below(6))
                .map(|_| {
                    let count = 1 + numbers.below(5);
                    numbers.open(count)
                })
                .collect();
            let interval = |tasks: &[Vec<Bounded>]| {
                let samples: Vec<Sample> = tasks.iter().map(|task| sample(task)).collect();
                let result = bootstrap_clustered_mean(&samples, &quick(resampling)).unwrap();
                result.interval.ends().map(|ends| (ends.low(), ends.high()))
            };
            let before = interval(&tasks);
            numbers.shuffle(&mut tasks);
            for task in &mut tasks {
                numbers.shuffle(task);
            }
            let after = interval(&tasks);
            // Sums of the same numbers in another order are rounded otherwise.
            match (before, after) {
                (Some(before), Some(after)) => {
                    assert!((before.0 - after.0).abs() < 1e-12, "{tasks:?}");
                    assert!((before.1 - after.1).abs() < 1e-12, "{tasks:?}");
                }
                (before, after) => assert_eq!(before, after),
            }
        }
    }
}

#[test]
fn another_unit_gives_the_same_in_that_unit() {
    let mut numbers = Numbers::new(15);
    for _ in 0..30 {
        let values = numbers.open(6);
        // A power of two, so that nothing is rounded.
        let scaled: Vec<Bounded> = values
            .iter()
            .map(|value| Bounded::new(value.low() * 64.0, value.high() * 64.0).unwrap())
            .collect();
        let options = quick(Resampling::Tasks);
        let ours = bootstrap_mean(&sample(&values), &options)
            .unwrap()
            .interval
            .ends()
            .unwrap();
        let theirs = bootstrap_mean(&sample(&scaled), &options)
            .unwrap()
            .interval
            .ends()
            .unwrap();
        assert!((ours.low() * 64.0 - theirs.low()).abs() < 1e-12);
        assert!((ours.high() * 64.0 - theirs.high()).abs() < 1e-12);
    }
}

#[test]
fn a_higher_level_and_the_expanded_method_are_never_narrower() {
    let mut numbers = Numbers::new(16);
    for count in 2..30 {
        let values = sample(&numbers.known(count));
        let ends = |level, method| {
            let level = proctor_stats::Level::new(level).unwrap();
            let options = Bootstrap {
                level,
                method,
                ..quick(Resampling::Tasks)
            };
            bootstrap_mean(&values, &options)
                .unwrap()
                .interval
                .ends()
                .unwrap()
        };
        for method in [Method::Percentile, Method::Expanded] {
            assert!(within(ends(0.9, method), ends(0.95, method)));
        }
        assert!(within(
            ends(0.95, Method::Percentile),
            ends(0.95, Method::Expanded)
        ));
    }
}

/// Figures as a report has them: in JSON a number that is none becomes `null`.
#[test]
fn nothing_that_comes_out_is_not_a_number() {
    let extremes = [
        -MAX_MAGNITUDE,
        -1.0,
        -f64::MIN_POSITIVE,
        0.0,
        5e-324,
        1.0,
        MAX_MAGNITUDE,
    ];
    let bounded: Vec<Bounded> = extremes
        .iter()
        .flat_map(|&low| extremes.map(|high| Bounded::new(low, high)))
        .filter_map(Result::ok)
        .collect();
    let mut numbers = Numbers::new(17);
    for resampling in [Resampling::Tasks, Resampling::TasksThenAttempts] {
        let options = quick(resampling);
        for _ in 0..100 {
            let mut some = || -> Vec<Bounded> {
                (0..2 + numbers.below(4))
                    .map(|_| bounded[numbers.below(bounded.len())])
                    .collect()
            };
            let (a, b) = (sample(&some()), sample(&some()));
            let pairs = [
                Pair {
                    a: a.clone(),
                    b: b.clone(),
                },
                Pair {
                    a: b.clone(),
                    b: a.clone(),
                },
            ];
            let results = json!([
                describe(&a),
                stability(&a),
                bootstrap_mean(&a, &options),
                bootstrap_clustered_mean(&[a.clone(), b.clone()], &options),
                compare_tasks(&pairs, &options),
                compare_attempts(&a, &b, &options),
            ]);
            assert!(!has_null(&results), "{results}");
        }
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

/// What a report's JSON has; a change here is a change of summary.json.
#[test]
fn results_are_serialised_in_plain_words() {
    let decisions = [Some(Decision::Passed), Some(Decision::Open), None];
    let passes: Passes = decisions.into_iter().collect();
    let mean = bootstrap_mean(&passes.to_sample(), &Bootstrap::default());
    assert_eq!(
        serde_json::to_value(mean).unwrap(),
        json!({
            "value": {"low": 0.5, "high": 1.0},
            "interval": {"kind": "estimated", "low": 0.0, "high": 1.0},
            "level": 0.95,
            "of": {"counted": 2, "left_out": 1},
        })
    );
    let pair = Pair {
        a: Some(Decision::Passed),
        b: Some(Decision::Failed),
    };
    let compared = serde_json::to_value(mcnemar(&[pair], &Bootstrap::default())).unwrap();
    assert_eq!(compared["only_a"], json!({"low": 1, "high": 1}));
    assert_eq!(compared["finding"], json!("too_few"));
    assert_eq!(compared["interval"], json!({"kind": "too_few"}));
    assert_eq!(compared["test"]["method"], json!({"kind": "exact"}));
}

/// These very numbers on every machine and in every version, or the changelog says why.
#[test]
fn an_interval_is_that_of_yesterday() {
    let values: Vec<Bounded> = [0.25, 0.5, 0.8125, 0.875, 1.0]
        .iter()
        .map(|&value| Bounded::exact(value).unwrap())
        .collect();
    // Few resamples, so that other draws would show.
    let resamples = NonZeroU32::new(201).unwrap();
    let method = Method::Percentile;
    let options = Bootstrap {
        method,
        seed: 6,
        resamples,
        ..Bootstrap::default()
    };
    let mean = bootstrap_mean(&sample(&values), &options).unwrap();
    assert_eq!(
        mean.interval,
        Interval::Estimated {
            low: 0.4,
            high: 0.925
        }
    );
}
