//! Permutation tests of a mean difference: by flipping signs, and by swapping labels.
//!
//! Both one-sided p-values fall, or rise, with every single value, so that their ends
//! are those of the values' ends; the two-sided one is twice the smaller of them.

use super::{SignificanceTest, TestMethod};
use crate::{Bootstrap, Bounded, bootstrap::MAX_RESAMPLES, describe::Sorted, draw::Draw};

/// As many pairs have all their signs flipped (65,536 arrangements); of more, some are
/// drawn.
const EXACT_PAIRS: usize = 16;

/// As many ways to split attempts are all looked at; of more, some are drawn.
const EXACT_SPLITS: u64 = 200_000;

/// Sums are equal when they are closer than this times the sum of all magnitudes. It
/// is far above what rounding does and far below any difference of points.
const TIE: f64 = 1e-12;

/// Tests whether differences of pairs are spread around zero: under "no difference"
/// each is as likely with the other sign. `None` for no differences.
pub(super) fn flip_signs(differences: &[Bounded], options: &Bootstrap) -> Option<SignificanceTest> {
    let Sorted { lows, highs } = Sorted::new(differences)?;
    let tie = TIE
        * differences
            .iter()
            .map(|value| magnitude(*value))
            .sum::<f64>();
    let mut tally = Tally::new(tie);
    let method = if lows.len() <= EXACT_PAIRS {
        for (low, high) in subset_sums(&lows).into_iter().zip(subset_sums(&highs)) {
            tally.add(low, high);
        }
        TestMethod::Exact
    } else {
        let arrangements = options.resamples.get().min(MAX_RESAMPLES);
        let mut draw = Draw::new(options.seed);
        for _ in 0..arrangements {
            let (mut low, mut high) = (0.0, 0.0);
            for (lows, highs) in lows.chunks(64).zip(highs.chunks(64)) {
                let signs = draw.word();
                for at in (0..lows.len()).filter(|at| signs >> at & 1 == 1) {
                    low += lows[at];
                    high += highs[at];
                }
            }
            tally.add(low, high);
        }
        tally.add(0.0, 0.0); // The arrangement that was seen: no sign flipped.
        TestMethod::Sampled { arrangements }
    };
    Some(tally.test(method))
}

/// Tests whether two sides' attempts could have been dealt out the other way: under "no
/// difference" each split of all values into sides of these sizes is equally likely.
/// `None` for an empty side.
pub(super) fn swap_labels(
    a: &[Bounded],
    b: &[Bounded],
    options: &Bootstrap,
) -> Option<SignificanceTest> {
    let tie = TIE
        * a.iter()
            .chain(b)
            .map(|value| magnitude(*value))
            .sum::<f64>();
    let (a, b) = (Sorted::new(a)?, Sorted::new(b)?);
    let b_count = b.count();
    // The low end of the difference has b at its least and a at its most.
    let pool: Vec<(f64, f64)> = (b.lows.into_iter().zip(b.highs))
        .chain(a.highs.into_iter().zip(a.lows))
        .collect();
    // What b has more than a split would have given it: not above zero when the split
    // is at least as far to b's side as what was seen.
    let mut tally = Tally::new(tie);
    let seen = sum_of(&pool, 0..b_count);
    let mut add = |chosen: &[usize]| {
        let split = sum_of(&pool, chosen.iter().copied());
        tally.add(seen.0 - split.0, seen.1 - split.1);
    };
    let method = if splits(pool.len(), b_count) <= EXACT_SPLITS {
        every_choice(pool.len(), b_count, &mut add);
        TestMethod::Exact
    } else {
        let arrangements = options.resamples.get().min(MAX_RESAMPLES);
        let mut draw = Draw::new(options.seed);
        let mut order: Vec<usize> = (0..pool.len()).collect();
        for _ in 0..arrangements {
            for at in 0..b_count {
                let other = at + draw.below(order.len() - at);
                order.swap(at, other);
            }
            add(&order[..b_count]);
        }
        let seen: Vec<usize> = (0..b_count).collect();
        add(&seen);
        TestMethod::Sampled { arrangements }
    };
    Some(tally.test(method))
}

fn magnitude(value: Bounded) -> f64 {
    value.low().abs().max(value.high().abs())
}

fn sum_of(pool: &[(f64, f64)], chosen: impl Iterator<Item = usize>) -> (f64, f64) {
    chosen.fold((0.0, 0.0), |sum, at| {
        (sum.0 + pool[at].0, sum.1 + pool[at].1)
    })
}

/// The sums of all subsets; the numbers of a subset are always added in one order.
fn subset_sums(numbers: &[f64]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(1 << numbers.len());
    sums.push(0.0);
    for &number in numbers {
        for at in 0..sums.len() {
            sums.push(sums[at] + number);
        }
    }
    sums
}

/// How many ways there are to choose, or more than are looked at.
fn splits(count: usize, chosen: usize) -> u64 {
    let mut ways = 1_u64;
    for drawn in 0..chosen.min(count - chosen) as u64 {
        // Whole at every step: it is C(count, drawn + 1).
        ways = ways * (count as u64 - drawn) / (drawn + 1);
        if ways > EXACT_SPLITS {
            break;
        }
    }
    ways
}

/// Calls `each` with every ascending choice of `chosen` numbers below `count`.
fn every_choice(count: usize, chosen: usize, each: &mut impl FnMut(&[usize])) {
    let mut choice: Vec<usize> = (0..chosen).collect();
    loop {
        each(&choice);
        // The last number that can still move, and those behind it close up.
        let Some(at) = (0..chosen)
            .rev()
            .find(|&at| choice[at] < count - chosen + at)
        else {
            return;
        };
        choice[at] += 1;
        for behind in at + 1..chosen {
            choice[behind] = choice[behind - 1] + 1;
        }
    }
}

/// Counts arrangements that are at least as extreme as what was seen.
///
/// What is added is by how much what was seen is above an arrangement: the arrangement
/// is at least as high when that is not above zero.
struct Tally {
    tie: f64,
    all: u32,
    /// As high or higher: with the low ends, and with the high ends.
    high: [u32; 2],
    /// As low or lower: with the low ends, and with the high ends.
    low: [u32; 2],
}

impl Tally {
    fn new(tie: f64) -> Self {
        Self {
            tie,
            all: 0,
            high: [0; 2],
            low: [0; 2],
        }
    }

    fn add(&mut self, with_lows: f64, with_highs: f64) {
        self.all += 1;
        for (end, above) in [with_lows, with_highs].into_iter().enumerate() {
            self.high[end] += u32::from(above <= self.tie);
            self.low[end] += u32::from(above >= -self.tie);
        }
    }

    fn test(&self, method: TestMethod) -> SignificanceTest {
        let share = |count: u32| f64::from(count) / f64::from(self.all);
        let two_sided = |high: u32, low: u32| (2.0 * share(high.min(low))).min(1.0);
        // Fewest are as high where what was seen is highest, and the other way round.
        let low = two_sided(self.high[1], self.low[0]);
        let high = two_sided(self.high[0], self.low[1]);
        SignificanceTest {
            p_value: Bounded::ends(low, high.max(low)),
            smallest_p_value: two_sided(1, 1),
            method,
        }
    }
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

    fn flipped(values: &[Bounded]) -> SignificanceTest {
        flip_signs(values, &Bootstrap::default()).unwrap()
    }

    #[test]
    fn all_on_one_side_is_the_smallest_value() {
        let test = flipped(&exact(&[0.1, 0.2, 0.3, 0.1, 0.5, 0.2]));
        assert_eq!(test.method, TestMethod::Exact);
        assert!((test.p_value.low() - 2.0 / 64.0).abs() < 1e-15);
        assert!((test.smallest_p_value - 2.0 / 64.0).abs() < 1e-15);
    }

    #[test]
    fn differences_of_zero_change_nothing() {
        let without = flipped(&exact(&[0.1, 0.2, -0.05, 0.4]));
        let with = flipped(&exact(&[0.1, 0.0, 0.2, -0.05, 0.0, 0.4]));
        assert_eq!(without.p_value, with.p_value);
        assert_eq!(
            flipped(&exact(&[0.0; 8])).p_value,
            Bounded::exact(1.0).unwrap()
        );
    }

    #[test]
    fn rounding_does_not_break_ties() {
        // 0.1 + 0.2 - 0.3 is no zero in binary.
        let test = flipped(&exact(&[0.1, 0.2, -0.3]));
        assert!((test.p_value.low() - 1.0).abs() < 1e-15, "{test:?}");
    }

    #[test]
    fn open_differences_enclose_what_they_can_become() {
        let mut draw = Draw::new(5);
        for _ in 0..100 {
            let values: Vec<Bounded> = (0..6)
                .map(|_| {
                    let low = draw.below(9) as f64 / 8.0 - 0.5;
                    let width = [0.0, 0.0, 0.25, 0.5][draw.below(4)];
                    Bounded::new(low, low + width).unwrap()
                })
                .collect();
            let open = flipped(&values).p_value;
            for _ in 0..50 {
                let decided: Vec<f64> = values
                    .iter()
                    .map(|value| value.low() + value.width() * draw.below(5) as f64 / 4.0)
                    .collect();
                let p = flipped(&exact(&decided)).p_value;
                assert!(p.is_exact());
                assert!(
                    open.low() <= p.low() && p.high() <= open.high(),
                    "{values:?} {open:?} {p:?}"
                );
            }
        }
    }

    #[test]
    fn many_pairs_are_sampled_and_never_give_zero() {
        let test = flipped(&exact(&[0.1; 40]));
        assert_eq!(
            test.method,
            TestMethod::Sampled {
                arrangements: 10_000
            }
        );
        assert!(
            (test.p_value.low() - 2.0 / 10_001.0).abs() < 1e-12,
            "{test:?}"
        );
        let even: Vec<f64> = (0..40)
            .map(|at| if at % 2 == 0 { 0.1 } else { -0.1 })
            .collect();
        assert!((flipped(&exact(&even)).p_value.low() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn sampled_and_exact_agree() {
        let values: Vec<f64> = (0..16).map(|at| f64::from(at) / 10.0 - 0.5).collect();
        let all = flipped(&exact(&values)).p_value.low();
        // A pair without a difference changes nothing, but there are 17 now.
        let with_zero: Vec<f64> = values.iter().copied().chain([0.0]).collect();
        let sampled = flipped(&exact(&with_zero));
        assert!(matches!(sampled.method, TestMethod::Sampled { .. }));
        assert!(
            (sampled.p_value.low() - all).abs() < 0.015,
            "{sampled:?} {all}"
        );
    }

    #[test]
    fn every_choice_is_made_once() {
        let mut seen = Vec::new();
        every_choice(6, 3, &mut |choice: &[usize]| seen.push(choice.to_vec()));
        assert_eq!(seen.len(), 20);
        seen.dedup();
        assert_eq!(seen.len(), 20);
        assert_eq!((splits(6, 3), splits(10, 5), splits(30, 2)), (20, 252, 435));
        assert!(splits(5000, 2500) > EXACT_SPLITS);
    }

    #[test]
    fn labels_of_values_apart_are_swapped_in_two_ways_only() {
        let low = exact(&[0.1, 0.2, 0.1, 0.0, 0.3]);
        let high = exact(&[0.9, 0.8, 1.0, 0.7, 0.9]);
        let test = swap_labels(&low, &high, &Bootstrap::default()).unwrap();
        assert_eq!(test.method, TestMethod::Exact);
        assert!((test.p_value.low() - 2.0 / 252.0).abs() < 1e-15, "{test:?}");
        let back = swap_labels(&high, &low, &Bootstrap::default()).unwrap();
        assert_eq!(test.p_value, back.p_value);
    }

    #[test]
    fn many_attempts_are_sampled() {
        let side = exact(&[0.5; 40]);
        let test = swap_labels(&side, &side, &Bootstrap::default()).unwrap();
        assert!(matches!(test.method, TestMethod::Sampled { .. }));
        assert!((test.p_value.low() - 1.0).abs() < 1e-15);
    }
}
