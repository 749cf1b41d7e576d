//! Several runs of one task beside each other: what always comes out right,
//! what never does, and what depends on the run.

use proctor_types::verdict::{Interval, Points};
use serde::{Deserialize, Serialize};

use super::{CategoryRecord, CriterionRecord, TrialRecord, is_full, number};

/// Agents that are no agents under test: what they come to is known before.
const REFERENCES: [&str; 2] = ["oracle", "nop"];

/// Runs of one task that are looked at together: those of one agent, or those
/// of every agent but `oracle` and `nop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// Task.
    pub task: String,
    /// Agent; absent for a group of several agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The runs, in the order of the plan: graded trials that count.
    pub runs: Vec<RunRef>,
    /// Points of the whole verdict.
    pub total: Spread,
    /// Points by category, in the order of the verdict.
    pub categories: Vec<CategorySpread>,
    /// Criteria with full points in every run.
    pub always: Vec<Pattern>,
    /// Criteria that had full points in no run.
    pub never: Vec<Pattern>,
    /// Criteria with full points in some runs only.
    pub unstable: Vec<Pattern>,
    /// Criteria that are open in at least one run: nobody knows yet.
    pub undecided: Vec<Pattern>,
}

/// One run of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRef {
    /// Agent.
    pub agent: String,
    /// Attempt, from 0.
    pub attempt: u32,
}

/// Points over several runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Lowest that any run is certain of.
    pub lowest: f64,
    /// Highest that any run can have.
    pub highest: f64,
    /// Mean; an interval while criteria are open.
    pub mean: Interval,
    /// Points that there are.
    pub max: f64,
}

/// Points of one category over several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategorySpread {
    /// The category.
    pub category: String,
    /// Its points.
    #[serde(flatten)]
    pub spread: Spread,
}

/// One criterion over several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// Identifier.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// Most points there are.
    pub max: f64,
    /// Points in each run, in the order of the group's; `null` where it is open.
    pub points: Vec<Option<f64>>,
}

impl GroupRecord {
    /// The groups of `trials` that have at least two runs. Of a task with
    /// several agents under test the group of all of them comes first.
    pub fn all(trials: &[TrialRecord]) -> Vec<Self> {
        let counted: Vec<&TrialRecord> = trials
            .iter()
            .filter(|trial| trial.outcome.counts() && trial.points.is_some())
            .collect();
        let mut groups = Vec::new();
        for task in distinct(counted.iter().map(|trial| trial.task.as_str())) {
            let of_task = counted.iter().filter(|trial| trial.task == task);
            let of_task: Vec<&TrialRecord> = of_task.copied().collect();
            let agents = distinct(of_task.iter().map(|trial| trial.agent.as_str()));
            let tested: Vec<&TrialRecord> = of_task
                .iter()
                .filter(|trial| !REFERENCES.contains(&trial.agent.as_str()))
                .copied()
                .collect();
            if distinct(tested.iter().map(|trial| trial.agent.as_str())).len() > 1 {
                groups.extend(Self::of(None, &tested));
            }
            for agent in agents {
                let own: Vec<&TrialRecord> = of_task
                    .iter()
                    .filter(|trial| trial.agent == agent)
                    .copied()
                    .collect();
                groups.extend(Self::of(Some(agent), &own));
            }
        }
        groups
    }

    fn of(agent: Option<&str>, runs: &[&TrialRecord]) -> Option<Self> {
        let [first, _, ..] = runs else {
            return None;
        };
        let mut group = Self {
            task: first.task.clone(),
            agent: agent.map(str::to_owned),
            runs: runs
                .iter()
                .map(|run| RunRef {
                    agent: run.agent.clone(),
                    attempt: run.attempt,
                })
                .collect(),
            total: Spread::of(runs.iter().filter_map(|run| run.points)),
            categories: categories(runs),
            always: Vec::new(),
            never: Vec::new(),
            unstable: Vec::new(),
            undecided: Vec::new(),
        };
        for pattern in patterns(runs) {
            group.kind(&pattern).push(pattern);
        }
        Some(group)
    }

    fn kind(&mut self, pattern: &Pattern) -> &mut Vec<Pattern> {
        let full = |points: &f64| is_full(*points, pattern.max);
        if pattern.points.iter().any(Option::is_none) {
            &mut self.undecided
        } else if pattern.points.iter().flatten().all(full) {
            &mut self.always
        } else if pattern.points.iter().flatten().any(full) {
            &mut self.unstable
        } else {
            &mut self.never
        }
    }
}

impl Pattern {
    /// `0, 1, ?`: the points of each run.
    pub fn points_per_run(&self) -> String {
        let points = self.points.iter();
        let each: Vec<String> = points
            .map(|points| points.map_or_else(|| "?".to_owned(), number))
            .collect();
        each.join(", ")
    }
}

impl Spread {
    fn of(points: impl Iterator<Item = Points>) -> Self {
        let all: Vec<Points> = points.collect();
        #[allow(clippy::cast_precision_loss, reason = "a job has few trials")]
        let count = all.len().max(1) as f64;
        Self {
            lowest: all
                .iter()
                .map(|one| one.low)
                .reduce(f64::min)
                .unwrap_or_default(),
            highest: all.iter().map(|one| one.high).fold(0.0, f64::max),
            mean: Interval {
                low: all.iter().map(|one| one.low).sum::<f64>() / count,
                high: all.iter().map(|one| one.high).sum::<f64>() / count,
            },
            max: all.iter().map(|one| one.max).fold(0.0, f64::max),
        }
    }
}

/// Every category that a run has, in the order in which they come up.
fn categories(runs: &[&TrialRecord]) -> Vec<CategorySpread> {
    let records = || runs.iter().flat_map(|run| &run.categories);
    distinct(records().map(|one| one.category.as_str()))
        .into_iter()
        .map(|category| {
            let own = records().filter(|one| one.category == category);
            CategorySpread {
                category: category.to_owned(),
                spread: Spread::of(own.map(|one| one.points)),
            }
        })
        .collect()
}

/// Every criterion that a run has, in the order in which they come up. A run
/// that does not have it decides nothing about it.
fn patterns(runs: &[&TrialRecord]) -> Vec<Pattern> {
    let criteria = || runs.iter().flat_map(|run| &run.criteria);
    distinct(criteria().map(|one| one.id.as_str()))
        .into_iter()
        .filter_map(|id| {
            let of = |run: &&TrialRecord| {
                let own = run.criteria.iter().find(|one| one.id == id);
                own.and_then(|one| one.points)
            };
            let one: &CriterionRecord = criteria().find(|one| one.id == id)?;
            Some(Pattern {
                id: one.id.clone(),
                title: one.title.clone(),
                max: one.max,
                points: runs.iter().map(of).collect(),
            })
        })
        .collect()
}

impl CategoryRecord {
    /// The categories of `criteria` in the order in which they come up.
    pub(super) fn all(criteria: &[CriterionRecord]) -> Vec<Self> {
        distinct(criteria.iter().map(|one| one.category.as_str()))
            .into_iter()
            .map(|category| {
                let mut points = Points::default();
                for one in criteria.iter().filter(|one| one.category == category) {
                    points.low += one.points.unwrap_or(0.0);
                    points.high += one.points.unwrap_or(one.max);
                    points.max += one.max;
                }
                Self {
                    category: category.to_owned(),
                    points,
                }
            })
            .collect()
    }
}

/// Each of `names` once, in the order in which they come up.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::super::testing::record;
    use super::super::{Outcome, ROOM};
    use super::*;

    fn ids(patterns: &[Pattern]) -> Vec<&str> {
        patterns.iter().map(|one| one.id.as_str()).collect()
    }

    #[test]
    fn criteria_are_sorted_by_what_they_do_over_the_runs() {
        let runs = [
            record(
                0,
                &[
                    ("C1", "Code", Some(1.0), 1.0),
                    ("C3", "Code", Some(0.0), 1.0),
                    ("C11", "Docs", Some(1.0), 2.0),
                    ("C19", "Mail", None, 1.0),
                ],
            ),
            record(
                1,
                &[
                    ("C1", "Code", Some(1.0), 1.0),
                    ("C3", "Code", Some(1.0), 1.0),
                    ("C11", "Docs", Some(1.0), 2.0),
                    ("C19", "Mail", Some(1.0), 1.0),
                ],
            ),
            record(
                2,
                &[
                    ("C1", "Code", Some(1.0), 1.0),
                    ("C3", "Code", Some(0.0), 1.0),
                    ("C11", "Docs", Some(0.0), 2.0),
                    ("C19", "Mail", Some(1.0), 1.0),
                ],
            ),
        ];
        let groups = GroupRecord::all(&runs);
        assert_eq!(groups.len(), 1);
        let group = &groups[0];
        assert_eq!(group.agent.as_deref(), Some("agent"));
        assert_eq!(ids(&group.always), ["C1"]);
        assert_eq!(ids(&group.never), ["C11"]);
        assert_eq!(ids(&group.unstable), ["C3"]);
        assert_eq!(ids(&group.undecided), ["C19"]);
        assert_eq!(group.unstable[0].points, [Some(0.0), Some(1.0), Some(0.0)]);
        let code = &group.categories[0];
        assert_eq!(code.category, "Code");
        assert!((code.spread.lowest - 1.0).abs() < ROOM);
        assert!((code.spread.highest - 2.0).abs() < ROOM);
        assert!((code.spread.mean.low - 4.0 / 3.0).abs() < ROOM);
        let mail = &group.categories[2].spread;
        assert!((mail.lowest, mail.highest) == (0.0, 1.0));
        assert!((mail.mean.low - 2.0 / 3.0).abs() < ROOM && (mail.mean.high - 1.0).abs() < ROOM);
    }

    #[test]
    fn runs_of_several_agents_are_one_group_without_the_references() {
        let named = |agent: &str, attempt| {
            let mut one = record(attempt, &[("C1", "Code", Some(1.0), 1.0)]);
            one.agent = agent.to_owned();
            one
        };
        let runs = [
            named("oracle", 0),
            named("nop", 0),
            named("scripted", 0),
            named("scripted", 1),
            named("scripted-2", 0),
        ];
        let groups = GroupRecord::all(&runs);
        let found: Vec<_> = groups
            .iter()
            .map(|group| (group.agent.as_deref(), group.runs.len()))
            .collect();
        assert_eq!(found, [(None, 3), (Some("scripted"), 2)]);
    }

    #[test]
    fn what_does_not_count_is_in_no_group() {
        let mut failed = record(1, &[]);
        failed.outcome = Outcome::Infrastructure;
        failed.points = None;
        let runs = [record(0, &[("C1", "Code", Some(1.0), 1.0)]), failed];
        assert_eq!(GroupRecord::all(&runs), []);
    }
}
