//! Means, spreads and quantiles of one sample.

use serde::Serialize;

use crate::{Bounded, Denominator, Sample, spread};

/// One sample in figures, each in the unit of the values (the variance in its square).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// What the figures are made of.
    pub of: Denominator,
    /// The sum.
    pub total: Bounded,
    /// The arithmetic mean.
    pub mean: Bounded,
    /// The sample variance, with n - 1; `None` for one value.
    pub variance: Option<Bounded>,
    /// The root of the variance.
    pub standard_deviation: Option<Bounded>,
    /// The standard deviation over the root of n. It takes the values for independent:
    /// for attempts at several tasks use the clustered bootstrap.
    pub standard_error: Option<Bounded>,
    /// The smallest value.
    pub min: Bounded,
    /// A quarter of the values is below.
    pub lower_quartile: Bounded,
    /// Half of the values is below.
    pub median: Bounded,
    /// Three quarters of the values are below.
    pub upper_quartile: Bounded,
    /// The largest value.
    pub max: Bounded,
}

/// All figures of a sample; `None` when nothing counts.
pub fn describe(sample: &Sample) -> Option<Summary> {
    let values = sample.values();
    let sorted = Sorted::new(values)?;
    Some(Summary {
        of: sample.denominator(),
        total: total(values),
        mean: mean(values)?,
        variance: variance(values),
        standard_deviation: standard_deviation(values),
        standard_error: standard_error(values),
        min: sorted.quantile(0.0),
        lower_quartile: sorted.quantile(0.25),
        median: sorted.quantile(0.5),
        upper_quartile: sorted.quantile(0.75),
        max: sorted.quantile(1.0),
    })
}

fn total(values: &[Bounded]) -> Bounded {
    Bounded::ends(
        values.iter().map(|value| value.low()).sum(),
        values.iter().map(|value| value.high()).sum(),
    )
}

/// The arithmetic mean; `None` for no values.
pub fn mean(values: &[Bounded]) -> Option<Bounded> {
    Some(Bounded::ends(
        mean_of(values.iter().map(|value| value.low()))?,
        mean_of(values.iter().map(|value| value.high()))?,
    ))
}

/// The mean, never outside the values: the mean of equal numbers is that number, to
/// the last bit.
pub(crate) fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_usize);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        sum += value;
        count += 1;
        min = value.min(min);
        max = value.max(max);
    }
    (count > 0).then(|| (sum / count as f64).clamp(min, max))
}

/// The sample variance, the sum of squared distances from the mean over n - 1; `None`
/// for fewer than two values.
///
/// For values that are open the low end is the smallest variance that any decision
/// gives, exactly. The high end is never too small, but may be larger than what any
/// decision gives: the exact one takes a search of all combinations.
pub fn variance(values: &[Bounded]) -> Option<Bounded> {
    let squares = spread::sum_of_squares(values)?;
    (values.len() > 1).then(|| squares.map(|squares| squares / (values.len() - 1) as f64))
}

/// The root of the [`variance`].
pub fn standard_deviation(values: &[Bounded]) -> Option<Bounded> {
    Some(variance(values)?.map(f64::sqrt))
}

/// The standard error of the mean of independent values: the standard deviation over
/// the root of n.
pub fn standard_error(values: &[Bounded]) -> Option<Bounded> {
    let root = (values.len() as f64).sqrt();
    Some(standard_deviation(values)?.map(|deviation| deviation / root))
}

/// The median; `None` for no values.
pub fn median(values: &[Bounded]) -> Option<Bounded> {
    quantile(values, 0.5)
}

/// The value below which the fraction `q` of the values lies, interpolated between
/// neighbours; `None` for no values and for a `q` outside 0 to 1.
pub fn quantile(values: &[Bounded], q: f64) -> Option<Bounded> {
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    Some(Sorted::new(values)?.quantile(q))
}

/// The low ends and the high ends, each sorted.
///
/// However the values are decided, the i-th smallest of them is between the i-th
/// smallest low end and the i-th smallest high end. So what is done by rank, be it a
/// quantile or a resample, has its ends here; and it does not depend on the order in
/// which the values came.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pub(crate) lows: Vec<f64>,
    pub(crate) highs: Vec<f64>,
}

impl Sorted {
    /// `None` for no values.
    pub(crate) fn new(values: &[Bounded]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let sorted = |end: fn(Bounded) -> f64| {
            let mut ends: Vec<f64> = values.iter().copied().map(end).collect();
            ends.sort_unstable_by(f64::total_cmp);
            ends
        };
        Some(Self {
            lows: sorted(Bounded::low),
            highs: sorted(Bounded::high),
        })
    }

    /// How many values there are; never 0.
    pub(crate) fn count(&self) -> usize {
        self.lows.len()
    }

    fn quantile(&self, q: f64) -> Bounded {
        Bounded::ends(quantile_of(&self.lows, q), quantile_of(&self.highs, q))
    }

    /// Whether nothing is open.
    pub(crate) fn is_exact(&self) -> bool {
        self.lows == self.highs
    }

    /// The mean of the values with these ranks, never outside the values; `None` for no
    /// ranks. `exact` is what [`Self::is_exact`] says, asked once and not every time.
    pub(crate) fn mean_of_ranks(&self, ranks: &[usize], exact: bool) -> Option<Bounded> {
        let mean = |ends: &[f64]| -> Option<f64> {
            let sum: f64 = ranks.iter().map(|&rank| ends[rank]).sum();
            Some((sum / ranks.len() as f64).clamp(*ends.first()?, *ends.last()?))
        };
        if ranks.is_empty() {
            return None;
        }
        let low = mean(&self.lows)?;
        Some(Bounded::ends(
            low,
            if exact { low } else { mean(&self.highs)? },
        ))
    }

    /// An order of samples that depends on nothing but their values.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let of = |ours: &[f64], theirs: &[f64]| {
            ours.partial_cmp(theirs)
                .unwrap_or(std::cmp::Ordering::Equal) // None is NaN.
        };
        of(&self.lows, &other.lows).then_with(|| of(&self.highs, &other.highs))
    }
}

/// Type 7 of Hyndman and Fan: linear between the order statistics, of which the first
/// is at 0 and the last at 1. `sorted` is not empty, `q` is in 0 to 1.
fn quantile_of(sorted: &[f64], q: f64) -> f64 {
    let (below, share) = position(sorted.len(), q);
    let left = sorted[below];
    between(left, sorted.get(below + 1).copied().unwrap_or(left), share)
}

/// The same of numbers in any order, which it moves around; faster than sorting them.
pub(crate) fn quantile_of_unsorted(numbers: &mut [f64], q: f64) -> f64 {
    let (below, share) = position(numbers.len(), q);
    let (_, &mut left, above) = numbers.select_nth_unstable_by(below, f64::total_cmp);
    between(
        left,
        above.iter().copied().reduce(f64::min).unwrap_or(left),
        share,
    )
}

/// The order statistic at or below `q`, and how far it is from there to the next.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is within the count.
fn position(count: usize, q: f64) -> (usize, f64) {
    let last = count - 1;
    let position = q * last as f64;
    let below = (position.floor() as usize).min(last);
    (below, position - below as f64)
}

/// Rises with both neighbours, and never leaves them.
fn between(left: f64, right: f64, share: f64) -> f64 {
    (left * (1.0 - share) + right * share).clamp(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(values: &[f64]) -> Vec<Bounded> {
        values
            .iter()
            .map(|&value| Bounded::exact(value).unwrap())
            .collect()
    }

    #[test]
    fn no_values_give_no_figures() {
        assert_eq!(describe(&Sample::default()), None);
        assert_eq!(mean(&[]), None);
        assert_eq!(variance(&[]), None);
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn one_value_has_a_mean_and_no_spread() {
        let one = exact(&[3.0]);
        assert_eq!(mean(&one), Some(one[0]));
        assert_eq!(variance(&one), None);
        assert_eq!(standard_error(&one), None);
        assert_eq!(median(&one), Some(one[0]));
    }

    #[test]
    fn the_mean_of_equal_numbers_is_that_number() {
        for count in 1..50 {
            let values = exact(&vec![0.1; count]);
            assert_eq!(mean(&values), Some(values[0]), "{count}");
            if count > 1 {
                assert_eq!(
                    variance(&values),
                    Some(Bounded::exact(0.0).unwrap()),
                    "{count}"
                );
            }
        }
    }

    #[test]
    fn quantiles_of_ends_are_the_ends_of_quantiles() {
        let values: Vec<Bounded> = [(0.0, 1.0), (0.5, 0.5), (0.2, 0.9)]
            .iter()
            .map(|&(low, high)| Bounded::new(low, high).unwrap())
            .collect();
        assert_eq!(median(&values), Some(Bounded::new(0.2, 0.9).unwrap()));
        assert_eq!(
            quantile(&values, 0.0),
            Some(Bounded::new(0.0, 0.5).unwrap())
        );
        assert_eq!(quantile(&values, 1.1), None);
        assert_eq!(quantile(&values, f64::NAN), None);
    }

    #[test]
    fn quantiles_need_no_order() {
        let sorted: Vec<f64> = (0..40).map(|at| f64::from(at * at)).collect();
        let shuffled: Vec<f64> = (0..40).map(|at| sorted[at * 17 % 40]).collect();
        for percent in 0..=100 {
            let q = f64::from(percent) / 100.0;
            let theirs = quantile_of_unsorted(&mut shuffled.clone(), q);
            assert!((quantile_of(&sorted, q) - theirs).abs() < 1e-12, "{q}");
        }
    }

    #[test]
    fn the_largest_values_stay_finite() {
        let values = exact(&[1e100, -1e100, 1e100, -1e100]);
        let summary = describe(&values.into_iter().map(Some).collect()).unwrap();
        assert!(summary.variance.unwrap().high().is_finite());
    }
}
