//! Criteria whose points differ between attempts.

use serde::Serialize;

use crate::{Bounded, Denominator, Sample, mean, standard_deviation};

/// Whether attempts at the same thing came out the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StabilityKind {
    /// The same in every attempt.
    Stable,
    /// At least two attempts differ, however the open ones are decided.
    Unstable,
    /// It depends on open attempts whether any two differ.
    Undecided,
    /// One attempt, which nothing can be compared with.
    TooFew,
}

/// The points of one criterion over the attempts of one agent at one task, in the unit
/// of the points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// Whether the attempts came out the same.
    pub kind: StabilityKind,
    /// The mean of the points.
    pub mean: Bounded,
    /// The largest points less the smallest.
    pub spread: Bounded,
    /// The standard deviation of the points; `None` for one attempt.
    pub standard_deviation: Option<Bounded>,
    /// Attempts that count, and attempts that do not.
    pub of: Denominator,
}

/// How much the attempts differ; `None` when none counts. Points are equal when they
/// are the same number: they are awarded, not measured.
pub fn stability(points: &Sample) -> Option<Stability> {
    let values = points.values();
    let end = |end: fn(Bounded) -> f64, pick: fn(f64, f64) -> f64| {
        values.iter().copied().map(end).reduce(pick)
    };
    // The attempts can be as close as the highest low end and the lowest high end are
    // apart, and as far as the highest and the lowest of all ends.
    let apart = end(Bounded::low, f64::max)? - end(Bounded::high, f64::min)?;
    let widest = end(Bounded::high, f64::max)? - end(Bounded::low, f64::min)?;
    // One attempt is never apart from itself, however open it is.
    let widest = if values.len() < 2 { 0.0 } else { widest };
    let spread = Bounded::ends(apart.max(0.0), widest);
    let kind = if values.len() < 2 {
        StabilityKind::TooFew
    } else if spread.low() > 0.0 {
        StabilityKind::Unstable
    } else if spread.high() > 0.0 {
        StabilityKind::Undecided
    } else {
        StabilityKind::Stable
    };
    Some(Stability {
        kind,
        mean: mean(values)?,
        spread,
        standard_deviation: standard_deviation(values),
        of: points.denominator(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(points: &[(f64, f64)]) -> (StabilityKind, f64, f64) {
        let sample = points
            .iter()
            .map(|&(low, high)| Some(Bounded::new(low, high).unwrap()))
            .collect();
        let stability = stability(&sample).unwrap();
        (
            stability.kind,
            stability.spread.low(),
            stability.spread.high(),
        )
    }

    #[test]
    fn kinds() {
        assert_eq!(
            kind_of(&[(2.0, 2.0), (2.0, 2.0)]),
            (StabilityKind::Stable, 0.0, 0.0)
        );
        assert_eq!(
            kind_of(&[(2.0, 2.0), (1.5, 1.5)]),
            (StabilityKind::Unstable, 0.5, 0.5)
        );
        assert_eq!(
            kind_of(&[(2.0, 2.0), (0.0, 2.0)]),
            (StabilityKind::Undecided, 0.0, 2.0)
        );
        assert_eq!(
            kind_of(&[(2.0, 2.0), (0.0, 1.0)]),
            (StabilityKind::Unstable, 1.0, 2.0)
        );
        assert_eq!(kind_of(&[(0.0, 2.0)]), (StabilityKind::TooFew, 0.0, 0.0));
    }

    #[test]
    fn no_attempt_is_no_stability() {
        assert_eq!(stability(&[None, None].into_iter().collect()), None);
    }
}
