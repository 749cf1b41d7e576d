//! Where the time of trials went.

use serde::{Deserialize, Serialize};

use super::TrialRecord;
use crate::events::Stage;

/// Seconds of one trial or of several, and whose they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeShare {
    /// All of it: the sum of `seconds.total`.
    pub total: f64,
    /// The agent's, with what the world answered it: `seconds.run`.
    pub agent: f64,
    /// The task's probes: `seconds.probe`.
    pub probes: f64,
    /// The judge's: `seconds.judge`.
    #[serde(default)]
    pub judge: f64,
    /// Proctor's own: everything else.
    pub own: f64,
    /// Proctor's own as a share of the total, 0 to 1.
    pub own_share: f64,
}

impl TimeShare {
    /// Adds up `trials`.
    pub fn of<'a>(trials: impl IntoIterator<Item = &'a TrialRecord>) -> Self {
        let mut sum = Self::default();
        for trial in trials {
            let of = |name: &str| trial.seconds.get(name).copied().unwrap_or_default();
            sum.total += of("total");
            sum.agent += of(Stage::Run.as_str());
            sum.probes += of(Stage::Probe.as_str());
            sum.judge += of(Stage::Judge.as_str());
        }
        sum.own = (sum.total - sum.agent - sum.probes - sum.judge).max(0.0);
        if sum.total > 0.0 {
            sum.own_share = sum.own / sum.total;
        }
        sum
    }
}

/// `Proctor's own time: 0.021 s of 3.2 s (0.7 %); agent 3.179 s`.
impl std::fmt::Display for TimeShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            total,
            agent,
            probes,
            judge,
            own,
            own_share,
        } = self;
        let percent = own_share * 100.0;
        write!(
            f,
            "Proctor's own time: {own:.3} s of {total:.3} s ({percent:.1} %); agent {agent:.3} s"
        )?;
        if *probes > 0.0 {
            write!(f, ", probes {probes:.3} s")?;
        }
        if *judge > 0.0 {
            write!(f, ", judge {judge:.3} s")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::record;
    use super::*;

    #[test]
    fn what_is_neither_the_agents_nor_the_probes_is_proctors() {
        let mut one = record(0, &[]);
        for (stage, seconds) in [
            ("total", 2.0),
            ("run", 1.25),
            ("seed", 0.25),
            ("probe", 0.25),
        ] {
            one.seconds.insert(stage.to_owned(), seconds);
        }
        let mut failed = record(1, &[]);
        failed.seconds.insert("total".to_owned(), 0.5);
        let share = TimeShare::of([&one, &failed]);
        assert!((share.own - 1.0).abs() < 1e-9 && (share.own_share - 0.4).abs() < 1e-9);
        assert_eq!(
            share.to_string(),
            "Proctor's own time: 1.000 s of 2.500 s (40.0 %); agent 1.250 s, probes 0.250 s"
        );
        assert!(TimeShare::of([]).own_share.abs() < f64::EPSILON);
    }
}
