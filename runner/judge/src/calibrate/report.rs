//! A calibration in words.

use std::fmt::{self, Display, Formatter};

use super::{Agreement, Calibration, Confusion, Disagreement};
use crate::text::excerpt;

/// What is shown of a reason, in bytes.
const REASON: usize = 300;
/// Disagreements that are shown.
const DISAGREEMENTS: usize = 100;

impl Display for Calibration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            all,
            criteria,
            confusion,
            disagreements,
            open,
            unmatched,
        } = self;
        writeln!(f, "Judge and people on {all}")?;
        if criteria.len() > 1 {
            for (criterion, agreement) in criteria {
                writeln!(f, "  {}: {agreement}", excerpt(criterion, 100))?;
            }
        }
        if all.pairs > 0 {
            write!(f, "\n{confusion}")?;
        }
        if !disagreements.is_empty() {
            writeln!(f, "\nWhere they differ:")?;
        }
        for one in disagreements.iter().take(DISAGREEMENTS) {
            writeln!(f, "  {one}")?;
        }
        let more = disagreements.len().saturating_sub(DISAGREEMENTS);
        if more > 0 {
            writeln!(f, "  and {more} more")?;
        }
        listed(f, "Labelled, and left open by the judge", open)?;
        listed(f, "Labelled, and not there to be judged", unmatched)
    }
}

fn listed(f: &mut Formatter<'_>, what: &str, names: &[String]) -> fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{what}: {}", names.len())?;
    for name in names.iter().take(DISAGREEMENTS) {
        writeln!(f, "  {}", excerpt(name, 200))?;
    }
    Ok(())
}

impl Display for Agreement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            pairs,
            same,
            accuracy,
            kappa,
            bias,
        } = self;
        let labels = if *pairs == 1 { "label" } else { "labels" };
        write!(
            f,
            "{pairs} {labels}: {same} alike ({:.1} %)",
            accuracy * 100.0
        )?;
        match kappa {
            Some(kappa) => write!(f, ", weighted kappa {kappa:.3}")?,
            None => f.write_str(", weighted kappa not defined (one score throughout)")?,
        }
        write!(f, ", the judge is {:.3} ", bias.abs())?;
        f.write_str(if *bias < 0.0 { "stricter" } else { "milder" })
    }
}

impl Display for Confusion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { scores, counts } = self;
        write!(f, "people \\ judge")?;
        for score in scores {
            write!(f, " {:>7}", rounded(*score))?;
        }
        writeln!(f)?;
        for (score, row) in scores.iter().zip(counts) {
            write!(f, "{:>14}", rounded(*score))?;
            for count in row {
                write!(f, " {count:>7}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            trial,
            criterion,
            human,
            judge,
            reason,
        } = self;
        let (trial, criterion) = (excerpt(trial, 100), excerpt(criterion, 100));
        let (human, judge) = (rounded(*human), rounded(*judge));
        let reason = excerpt(reason, REASON);
        write!(
            f,
            "{trial} {criterion}: people {human}, judge {judge}: {reason}"
        )
    }
}
