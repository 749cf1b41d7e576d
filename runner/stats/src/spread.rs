//! Sums of squared distances from the mean, of values that may be open.
//!
//! The variance neither rises nor falls with a single value, so its ends are not those
//! of the values' ends. With S(x) the sum of the squared distances of x from its mean,
//! S(x) is the least over all c of the squared distances from c. Hence
//!
//! - the least S over all x is the least over c of the distances of c to each interval,
//! - no S is above the least over c of the distances of c to the *far* end of each.
//!
//! Both are convex in c; their minimum is where the sum of (c - chosen end) is zero.

use crate::{Bounded, describe::mean_of};

/// The sum of squared distances from the mean: the least that it can be, and what it
/// cannot exceed. `None` for no values.
pub(crate) fn sum_of_squares(values: &[Bounded]) -> Option<Bounded> {
    if values.is_empty() {
        return None;
    }
    if values.iter().all(|value| value.is_exact()) {
        let mean = mean_of(values.iter().map(|value| value.low()))?;
        let squares = values.iter().map(|value| square(value.low() - mean)).sum();
        return Some(Bounded::ends(squares, squares));
    }
    let least = least(values);
    Some(Bounded::ends(least, most(values).max(least)))
}

fn square(number: f64) -> f64 {
    number * number
}

fn least(values: &[Bounded]) -> f64 {
    let highest_low = values
        .iter()
        .map(|value| value.low())
        .fold(f64::NEG_INFINITY, f64::max);
    let lowest_high = values
        .iter()
        .map(|value| value.high())
        .fold(f64::INFINITY, f64::min);
    if highest_low <= lowest_high {
        return 0.0; // All of them can be the same.
    }
    let nearest = |value: &Bounded, center: f64| center.clamp(value.low(), value.high());
    let slope = |center: f64| -> f64 {
        values
            .iter()
            .map(|value| center - nearest(value, center))
            .sum()
    };
    let mut turns: Vec<f64> = values
        .iter()
        .flat_map(|value| [value.low(), value.high()])
        .collect();
    turns.sort_unstable_by(f64::total_cmp);
    // The slope is linear between two turns; it crosses zero before `after`.
    let after = turns
        .partition_point(|&turn| slope(turn) < 0.0)
        .clamp(1, turns.len() - 1);
    let (left, right) = (turns[after - 1], turns[after]);
    let (down, up) = (slope(left), slope(right));
    let center = if up > down {
        (left + (right - left) * (-down / (up - down))).clamp(left, right)
    } else {
        left
    };
    values
        .iter()
        .map(|value| square(center - nearest(value, center)))
        .sum()
}

fn most(values: &[Bounded]) -> f64 {
    let middle = |value: &Bounded| f64::midpoint(value.low(), value.high());
    let mut by_middle = values.to_vec();
    by_middle.sort_unstable_by(|a, b| middle(a).total_cmp(&middle(b)));
    // Left of its middle an interval's far end is the high one. Walk to the right,
    // turning one after the other to its low end, until the mean of the far ends is
    // where we are.
    let count = by_middle.len() as f64;
    let mut sum: f64 = by_middle.iter().map(|value| value.high()).sum();
    let mut left = f64::NEG_INFINITY;
    let mut center = None;
    for value in &by_middle {
        let right = middle(value);
        if sum / count <= right {
            center = Some((sum / count).clamp(left, right));
            break;
        }
        sum -= value.width();
        left = right;
    }
    let center = center.unwrap_or((sum / count).max(left));
    let far = |value: &Bounded| {
        (value.low() - center)
            .abs()
            .max((value.high() - center).abs())
    };
    values.iter().map(|value| square(far(value))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Every combination of low and high ends, and for the least also points between.
    fn by_search(values: &[Bounded], steps: usize) -> (f64, f64) {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for mut combination in 0..(steps + 1).pow(u32::try_from(values.len()).unwrap()) {
            let chosen: Vec<f64> = values
                .iter()
                .map(|value| {
                    let step = combination % (steps + 1);
                    combination /= steps + 1;
                    value.low() + value.width() * step as f64 / steps as f64
                })
                .collect();
            let mean = chosen.iter().sum::<f64>() / chosen.len() as f64;
            let squares: f64 = chosen.iter().map(|number| square(number - mean)).sum();
            least = least.min(squares);
            most = most.max(squares);
        }
        (least, most)
    }

    #[test]
    fn the_ends_enclose_every_decision() {
        let mut draw = Draw::new(3);
        for case in 0..400 {
            let count = 2 + draw.below(4);
            let values: Vec<Bounded> = (0..count)
                .map(|_| {
                    let ends = [draw.below(9), draw.below(9)].map(|end| end as f64 / 8.0);
                    // A third of the values is known.
                    let high = if draw.below(3) == 0 { ends[0] } else { ends[1] };
                    Bounded::new(ends[0].min(high), ends[0].max(high)).unwrap()
                })
                .collect();
            let squares = sum_of_squares(&values).unwrap();
            let (least, most) = by_search(&values, 8);
            assert!(
                squares.low() <= least + 1e-12,
                "{case}: {values:?} {squares:?} {least}"
            );
            assert!(
                squares.high() >= most - 1e-12,
                "{case}: {values:?} {squares:?} {most}"
            );
            // The search takes steps, so it may miss the least, but not by much.
            assert!(
                least - squares.low() < 0.03,
                "{case}: {values:?} {squares:?} {least}"
            );
            // And what the upper end gives away is small.
            assert!(
                squares.high() <= most + 0.26,
                "{case}: {values:?} {squares:?} {most}"
            );
        }
    }

    #[test]
    fn one_open_value_among_known_ones_is_exact() {
        let values: Vec<Bounded> = [(0.0, 1.0), (0.0, 0.0), (0.0, 0.0)]
            .iter()
            .map(|&(low, high)| Bounded::new(low, high).unwrap())
            .collect();
        let squares = sum_of_squares(&values).unwrap();
        assert!(squares.low().abs() < 1e-15);
        assert!((squares.high() - 2.0 / 3.0).abs() < 1e-12);
    }
}
