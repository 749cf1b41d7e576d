//! Votes on one criterion, and what comes of them.

use serde::{Deserialize, Serialize};

use crate::answer::Quote;

/// One vote that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vote {
    /// Number of the level, from 1.
    pub level: usize,
    /// What the level is worth, 0 to 1.
    pub score: f64,
    /// Why, in the judge's words.
    pub reason: String,
    /// The words of the exhibits that it rests on.
    pub quotes: Vec<Quote>,
    /// Digest of the request that was answered: a line of `judge.jsonl`.
    pub request_sha256: String,
    /// Whether the answer was stored before, and not asked for again.
    pub reused: bool,
}

/// The outcome of several votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tally {
    /// Median of the scores; of an even number of them the mean of the middle
    /// two.
    pub(crate) median: f64,
    /// Highest score less lowest score.
    pub(crate) spread: f64,
    /// The vote that speaks for all: the first of those nearest to the median.
    pub(crate) speaker: usize,
}

/// Counts votes. There is no outcome without any.
pub(crate) fn tally(scores: &[f64]) -> Option<Tally> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (sorted.first()?, sorted.last()?);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    };
    // Of two equally near the lower score speaks, whatever the order of votes:
    // points that are taken away are what a reader wants explained.
    let distance = |score: f64| ((score - median).abs(), score);
    let speaker = (0..scores.len()).min_by(|a, b| {
        let (a, b) = (distance(scores[*a]), distance(scores[*b]));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    })?;
    Some(Tally {
        median,
        spread: last - first,
        speaker,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides_and_the_spread_is_told() {
        for (scores, median, spread, speaker) in [
            (&[0.5][..], 0.5, 0.0, 0),
            (&[1.0, 0.0, 0.5], 0.5, 1.0, 2),
            (&[1.0, 1.0, 0.0], 1.0, 1.0, 0),
            (&[1.0, 0.5], 0.75, 0.5, 1),
            (&[0.0, 1.0, 0.5, 0.5], 0.5, 1.0, 2),
            (&[0.25, 0.75, 1.0, 0.75, 0.0], 0.75, 1.0, 1),
        ] {
            let expected = Tally {
                median,
                spread,
                speaker,
            };
            assert_eq!(tally(scores), Some(expected), "{scores:?}");
        }
        assert_eq!(tally(&[]), None);
    }
}
