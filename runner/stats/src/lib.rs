//! The statistics of Proctor's reports: pure functions on plain numbers.
//!
//! Nothing here knows of jobs, tasks or files. What goes in:
//!
//! - a [`Bounded`]: a number that is known, or known to lie between two ends (a score
//!   with open criteria). It is finite by construction, so nothing that comes out is
//!   ever NaN or infinite.
//! - a [`Sample`]: the values of the trials that count, and how many were left out
//!   (ungraded, infrastructure). The clustered functions take one per task.
//! - [`Passes`]: how many trials passed, as two counts while verdicts are undecided.
//!
//! Every result says what it is an average of ([`Denominator`]), and every figure is
//! again `Bounded`: its low end is what it would be at least, its high end at most,
//! however the open criteria are decided. Where there is nothing to say, the result
//! is `None` or a variant that says why; it is never a zero.
//!
//! ```
//! use proctor_stats::{Bootstrap, Bounded, Interval, Level, Passes, Sample, bootstrap_mean, wilson};
//!
//! # fn main() -> Result<(), proctor_stats::Invalid> {
//! let scores: Sample = [
//!     Some(Bounded::exact(0.75)?),
//!     Some(Bounded::new(0.5, 0.75)?), // a criterion is open
//!     Some(Bounded::exact(1.0)?),
//!     None, // ended as infrastructure
//! ]
//! .into_iter()
//! .collect();
//! let mean = bootstrap_mean(&scores, &Bootstrap::default()).expect("three values");
//! assert_eq!((mean.value.low(), mean.of.counted, mean.of.left_out), (0.75, 3, 1));
//! assert!(matches!(mean.interval, Interval::Estimated { .. }));
//!
//! let rate = wilson(&Passes::new(7, 8, 10, 0)?, Level::default()).expect("ten trials");
//! assert_eq!((rate.rate.low(), rate.rate.high()), (0.7, 0.8));
//! # Ok(())
//! # }
//! ```
//!
//! docs/statistics.md has each formula with its source, and what it must not be used
//! for. Random draws come from a fixed generator and a seed that the caller names:
//! the same values, in any order, give the same interval on every machine (but for the
//! last bits, where a platform's own logarithm decides).

// Counts of trials, tasks and resamples become f64 everywhere; all are far below 2^53.
#![allow(clippy::cast_precision_loss)]

mod bootstrap;
mod compare;
mod describe;
mod draw;
mod pass;
mod spread;
mod stability;
mod value;

pub use bootstrap::{
    Bootstrap, ClusteredMean, Interval, MAX_RESAMPLES, Mean, Method, Resampling,
    bootstrap_clustered_mean, bootstrap_mean,
};
pub use compare::{
    AttemptComparison, Finding, McNemar, Pair, SignificanceTest, TaskComparison, TestMethod,
    compare_attempts, compare_tasks, mcnemar, pairs_needed,
};
pub use describe::{
    Summary, describe, mean, median, quantile, standard_deviation, standard_error, variance,
};
pub use pass::{PassCurves, PassPoint, PassRate, pass_at_k, pass_curves, pass_hat_k, wilson};
pub use stability::{Stability, StabilityKind, stability};
pub use value::{
    Bounded, CountRange, Decision, Denominator, Invalid, Level, MAX_MAGNITUDE, Passes, Sample,
};
