//! The figures of the overview's table: a row for each agent over all tasks, and
//! one for each agent and task.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use proctor_stats::{
    Bootstrap, Bounded, Decision, Interval, Level, Passes, Sample, bootstrap_clustered_mean,
    pass_curves, wilson,
};
use serde::Serialize;

use crate::parallel::in_parallel;
use crate::read::{Job, Record, Trial};

/// Rows of single tasks are left out where there are more than this: the agents'
/// rows and the matrix say it.
const TASK_ROWS: usize = 2_000;
/// Most k of pass@k that a row carries.
const CURVE: usize = 64;

/// One row. Shares are from 0 to 1; a pair is what it is at least and at most,
/// however open criteria are decided.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// Index of the task; none for all tasks.
    task: Option<usize>,
    /// Index of the agent.
    agent: usize,
    /// Trials, whether or not they count.
    trials: usize,
    /// Trials that are graded and count.
    counted: usize,
    /// Tasks with a trial that counts.
    tasks: usize,
    /// Of which some have open points.
    open: usize,
    mean: Option<[f64; 2]>,
    /// The 95 % interval of the mean.
    ci: Option<[f64; 2]>,
    /// Why there is no interval.
    no_ci: Option<&'static str>,
    /// Trials that passed.
    passed: Option<[usize; 2]>,
    rate: Option<[f64; 2]>,
    rate_ci: Option<[f64; 2]>,
    /// `k`, pass@k at least and at most, pass^k at least and at most, and how many
    /// tasks have so many attempts.
    curve: Vec<(usize, [f64; 2], [f64; 2], usize)>,
    /// US dollars of the trials whose price is known, and how many these are.
    usd: Option<(f64, usize)>,
    /// Tokens of all its trials.
    tokens: Option<u64>,
    /// Mean seconds of the trials that count.
    seconds: Option<f64>,
}

/// A row that is to be: its task, its agent, and the trials of each task.
type Wanted<'j> = (Option<usize>, usize, Vec<&'j [&'j Trial]>);

/// The rows of `job`; `numbers` gives the indices of a trial's task and agent.
pub(crate) fn rows(job: &Job, numbers: impl Fn(&Trial) -> (usize, usize)) -> Vec<Row> {
    // By agent, then by task.
    let mut all: BTreeMap<usize, BTreeMap<usize, Vec<&Trial>>> = BTreeMap::new();
    for trial in job.trials() {
        let (task, agent) = numbers(trial);
        let tasks = all.entry(agent).or_default();
        tasks.entry(task).or_default().push(trial);
    }
    let several = all.values().any(|tasks| tasks.len() > 1);
    let mut wanted: Vec<Wanted<'_>> = Vec::new();
    if several {
        for (agent, tasks) in &all {
            wanted.push((None, *agent, tasks.values().map(Vec::as_slice).collect()));
        }
    }
    let single: usize = all.values().map(BTreeMap::len).sum();
    if single <= TASK_ROWS {
        for (agent, tasks) in &all {
            let each = tasks.iter();
            wanted
                .extend(each.map(|(task, trials)| (Some(*task), *agent, vec![trials.as_slice()])));
        }
    }
    // Each interval is of ten thousand resamples.
    in_parallel(&wanted, |(task, agent, groups)| row(*task, *agent, groups))
}

fn row(task: Option<usize>, agent: usize, groups: &[&[&Trial]]) -> Row {
    let samples: Vec<Sample> = groups.iter().map(|trials| scores(trials)).collect();
    let passes: Vec<Passes> = groups.iter().map(|trials| passes(trials)).collect();
    let options = Bootstrap::default();
    let mean = bootstrap_clustered_mean(&samples, &options);
    let trials = || groups.iter().copied().flatten();
    let graded = || trials().filter_map(|trial| trial.graded());
    let sum = |end: fn(&Passes) -> usize| passes.iter().map(end).sum();
    let (rate, rate_ci) = rate(&passes, &options);
    let (ci, no_ci) = match mean.map(|mean| mean.interval) {
        Some(Interval::TooFew) => (None, Some("too_few")),
        Some(Interval::NoSpread) => (None, Some("no_spread")),
        Some(interval) => (interval.ends().map(pair), None),
        None => (None, None),
    };
    let seconds: Vec<f64> = graded().filter_map(Record::total_seconds).collect();
    let models = || trials().filter_map(|trial| trial.record()?.model.as_ref());
    let priced: Vec<f64> = models().filter_map(crate::read::Model::usd).collect();
    let tokens = models().map(|model| model.summary.usage.total());
    Row {
        task,
        agent,
        trials: trials().count(),
        counted: graded().count(),
        tasks: mean.map_or(0, |mean| mean.tasks.counted),
        open: graded()
            .filter_map(|record| record.score)
            .filter(|score| score.low < score.high)
            .count(),
        mean: mean.map(|mean| pair(mean.value)),
        ci,
        no_ci,
        passed: mean.map(|_| [sum(|one| one.passed().low), sum(|one| one.passed().high)]),
        rate,
        rate_ci,
        curve: curve(&passes),
        usd: (!priced.is_empty()).then(|| (priced.iter().sum(), priced.len())),
        tokens: models().next().map(|_| tokens.fold(0, u64::saturating_add)),
        seconds: mean_of(&seconds),
    }
}

fn scores(trials: &[&Trial]) -> Sample {
    let score = |trial: &&Trial| {
        let score = trial.graded()?.score?;
        Bounded::new(score.low, score.high).ok()
    };
    trials.iter().map(score).collect()
}

fn passes(trials: &[&Trial]) -> Passes {
    trials
        .iter()
        .map(|trial| trial.graded().map(decision))
        .collect()
}

/// Whether a trial passed: by its task's thresholds, or without any by full marks.
pub(crate) fn decision(record: &Record) -> Decision {
    match record.result.as_deref() {
        Some("pass") => Decision::Passed,
        Some("undecided") => Decision::Open,
        Some(_) => Decision::Failed,
        None => {
            let score = record.score.unwrap_or_default();
            // A sum of fractions may miss a whole number.
            let full = 1.0 - 1e-9;
            match (score.low >= full, score.high >= full) {
                (true, _) => Decision::Passed,
                (_, true) => Decision::Open,
                _ => Decision::Failed,
            }
        }
    }
}

/// The pass rate: of one task with Wilson's interval, over tasks with a
/// bootstrap's, in which every task weighs the same.
fn rate(passes: &[Passes], options: &Bootstrap) -> (Option<[f64; 2]>, Option<[f64; 2]>) {
    if let [only] = passes {
        let rate = wilson(only, Level::default());
        return (
            rate.map(|rate| pair(rate.rate)),
            rate.map(|rate| pair(rate.interval)),
        );
    }
    let samples: Vec<Sample> = passes.iter().map(Passes::to_sample).collect();
    let mean = bootstrap_clustered_mean(&samples, options);
    (
        mean.map(|mean| pair(mean.value)),
        mean.and_then(|mean| mean.interval.ends()).map(pair),
    )
}

fn curve(passes: &[Passes]) -> Vec<(usize, [f64; 2], [f64; 2], usize)> {
    // Its intervals are not shown.
    let options = Bootstrap {
        resamples: NonZeroU32::MIN,
        ..Bootstrap::default()
    };
    let points = pass_curves(passes, &options).map(|curves| curves.points);
    points
        .into_iter()
        .flatten()
        .take(CURVE)
        .map(|point| {
            let (at, hat) = (pair(point.pass_at_k), pair(point.pass_hat_k));
            (point.k, at, hat, point.tasks.counted)
        })
        .collect()
}

fn pair(value: Bounded) -> [f64; 2] {
    [value.low(), value.high()]
}

#[expect(clippy::cast_precision_loss, reason = "a job has few trials")]
fn mean_of(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
