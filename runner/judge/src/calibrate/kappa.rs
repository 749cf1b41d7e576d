//! Measures of agreement between two raters.

use super::SAME;

/// What two raters gave the same thing, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// What people gave.
    pub human: f64,
    /// What the judge gave.
    pub judge: f64,
}

impl Pair {
    /// Whether both gave the same.
    pub(super) fn agrees(self) -> bool {
        (self.human - self.judge).abs() < SAME
    }
}

/// Share of pairs in which both raters gave the same; 0 where there are none.
#[allow(clippy::cast_precision_loss, reason = "counts of labels")]
pub fn accuracy(pairs: &[Pair]) -> f64 {
    let same = pairs.iter().filter(|pair| pair.agrees()).count();
    same as f64 / pairs.len().max(1) as f64
}

/// Cohen's weighted kappa with quadratic weights:
///
/// ```text
/// kappa = 1 - sum(w_ij o_ij) / sum(w_ij e_ij),   w_ij = (s_i - s_j)^2
/// ```
///
/// where `o_ij` is the share of pairs in which the first rater gave `s_i` and the
/// second `s_j`, and `e_ij` the product of the shares in which each of them gave
/// these at all: what two raters would agree on by chance. 1 is full agreement,
/// 0 chance, below 0 worse than chance.
///
/// The formula is from J. Cohen, "Weighted kappa: Nominal scale agreement with
/// provision for scaled disagreement or partial credit", Psychological Bulletin
/// 70 (1968), 213-220; the quadratic weights, with which it is an intraclass
/// correlation, are discussed by J. L. Fleiss and J. Cohen, Educational and
/// Psychological Measurement 33 (1973), 613-619. Weights are by the levels'
/// scores and not by their numbers, so that criteria with different levels can
/// be put together; for equally spaced levels both are the same.
///
/// Nothing where there are no pairs, and where both raters gave one and the same
/// score throughout: there is no chance to compare with.
#[allow(clippy::cast_precision_loss, reason = "counts of labels")]
pub fn quadratic_kappa(pairs: &[Pair]) -> Option<f64> {
    let count = pairs.len() as f64;
    if pairs.is_empty() {
        return None;
    }
    let mean = |value: &dyn Fn(&Pair) -> f64| pairs.iter().map(value).sum::<f64>() / count;
    let observed = mean(&|pair| (pair.human - pair.judge).powi(2));
    // sum(e_ij (s_i - s_j)^2) over independent raters is E[h^2] - 2 E[h] E[j] +
    // E[j^2], that is both variances and the square of the means' distance. In
    // this form it takes one pass, whatever the number of different scores.
    let (human, judge) = (mean(&|pair| pair.human), mean(&|pair| pair.judge));
    let variances =
        mean(&|pair| (pair.human - human).powi(2)) + mean(&|pair| (pair.judge - judge).powi(2));
    let expected = variances + (human - judge).powi(2);
    (expected > SAME * SAME).then(|| 1.0 - observed / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs from a table of counts: rows are people, columns the judge, levels
    /// equally spaced from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "small counts")]
    fn pairs<const N: usize>(table: [[usize; N]; N]) -> Vec<Pair> {
        let score = |at: usize| at as f64 / (N - 1) as f64;
        let mut out = Vec::new();
        for (human, row) in table.into_iter().enumerate() {
            for (judge, count) in row.into_iter().enumerate() {
                let pair = Pair {
                    human: score(human),
                    judge: score(judge),
                };
                out.extend(std::iter::repeat_n(pair, count));
            }
        }
        out
    }

    fn close(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    /// Two levels, where weights make no difference to the plain kappa. 50
    /// pairs; observed agreement 35/50 = 0.7; people say yes in 30/50, the judge
    /// in 25/50, so chance is 0.6 * 0.5 + 0.4 * 0.5 = 0.5; kappa = 0.2 / 0.5.
    #[test]
    fn of_two_levels_it_is_the_plain_kappa() {
        let pairs = pairs([[15, 5], [10, 20]]);
        close(quadratic_kappa(&pairs), 0.4);
        assert!((accuracy(&pairs) - 0.7).abs() < 1e-12);
    }

    /// Three levels, weights 0, 1, 4 (in quarters). 20 pairs:
    ///
    /// ```text
    ///           judge 0  1  2   people
    /// people 0        4  1  1     6
    ///        1        2  5  1     8
    ///        2        0  2  4     6
    /// judge           6  8  6    20
    /// ```
    ///
    /// Observed: 1 * (1 + 2 + 1 + 2) + 4 * (1 + 0) = 10, of 20 pairs 0.5.
    /// Expected: 1 * (6*8 + 8*6 + 8*6 + 6*8) + 4 * (6*6 + 6*6) = 192 + 288 = 480,
    /// of 400 that is 1.2. Kappa = 1 - 0.5 / 1.2 = 7/12.
    #[test]
    fn of_three_levels_far_disagreement_weighs_four_times_as_much() {
        let table = [[4, 1, 1], [2, 5, 1], [0, 2, 4]];
        close(quadratic_kappa(&pairs(table)), 7.0 / 12.0);
        assert!((accuracy(&pairs(table)) - 13.0 / 20.0).abs() < 1e-12);
    }

    #[test]
    fn the_ends_of_the_scale() {
        close(quadratic_kappa(&pairs([[3, 0], [0, 5]])), 1.0);
        close(quadratic_kappa(&pairs([[0, 4], [4, 0]])), -1.0);
        // A judge that always gives the same agrees by chance alone.
        close(quadratic_kappa(&pairs([[5, 0], [5, 0]])), 0.0);
        // Always the same, and never the same as people: chance is no better.
        close(quadratic_kappa(&pairs([[0, 5], [0, 0]])), 0.0);
        assert_eq!(quadratic_kappa(&pairs([[7, 0], [0, 0]])), None);
        assert_eq!(quadratic_kappa(&[]), None);
        assert!((accuracy(&[]) - 0.0).abs() < 1e-12);
    }

    /// Levels 0, 0.9 and 1. One pair apart by 0.1, the others agree. Observed:
    /// 0.01 / 4 = 0.0025. Both gave 0 in half of the pairs; people gave 1 in half,
    /// the judge 1 and 0.9 in a quarter each. Expected: 0.5 * 0.25 * (1 + 0.81) +
    /// 0.5 * 0.5 * 1 + 0.5 * 0.25 * 0.01 = 0.22625 + 0.25 + 0.00125 = 0.4775.
    #[test]
    fn weights_are_by_score() {
        let pair = |human, judge| Pair { human, judge };
        let pairs = [
            pair(0.0, 0.0),
            pair(0.0, 0.0),
            pair(1.0, 1.0),
            pair(1.0, 0.9),
        ];
        close(quadratic_kappa(&pairs), 1.0 - 0.0025 / 0.4775);
    }
}
