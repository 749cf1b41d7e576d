//! Runs of a task as rows: points by category, total, verdict.

use proctor_types::verdict::{Interval, Points, Standing};

use super::group::distinct;
use super::{GroupRecord, JobSummary, Outcome, Spread, TrialRecord};

/// The runs of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsTable {
    /// Task.
    pub task: String,
    /// Titles of the columns; the first is the run's.
    pub header: Vec<String>,
    /// A row for each run, then one for each mean.
    pub rows: Vec<ResultsRow>,
}

/// One run, or the mean of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsRow {
    /// Which.
    pub run: String,
    /// The run's report, relative to the job's directory.
    pub report: Option<String>,
    /// What stands in the other columns.
    pub cells: Vec<String>,
}

/// What a cell shows where there is nothing.
const NOTHING: &str = "-";

impl ResultsTable {
    /// A table for each task of `summary`. Between the ends of an interval
    /// stands `dash`.
    pub fn all(summary: &JobSummary, dash: &str) -> Vec<Self> {
        distinct(summary.trials.iter().map(|trial| trial.task.as_str()))
            .into_iter()
            .map(|task| Self::of(summary, task, dash))
            .collect()
    }

    fn of(summary: &JobSummary, task: &str, dash: &str) -> Self {
        let trials = summary.trials.iter().filter(|trial| trial.task == task);
        let trials: Vec<&TrialRecord> = trials.collect();
        let several = trials
            .iter()
            .any(|trial| trials.first().is_some_and(|one| one.agent != trial.agent));
        let columns = Columns::of(&trials, dash);
        let mut rows: Vec<ResultsRow> = trials
            .iter()
            .map(|trial| ResultsRow {
                run: if several {
                    format!("{} #{}", trial.agent, trial.attempt)
                } else {
                    trial.attempt.to_string()
                },
                report: Some(format!("{}/eval_report_{}.md", trial.dir, trial.attempt)),
                cells: columns.run(trial),
            })
            .collect();
        let groups = summary.groups.iter().filter(|group| group.task == task);
        rows.extend(groups.map(|group| ResultsRow {
            run: match &group.agent {
                None => "mean of all".to_owned(),
                Some(agent) if several => format!("mean of {agent}"),
                Some(_) => "mean".to_owned(),
            },
            report: None,
            cells: columns.mean(group),
        }));
        Self {
            task: task.to_owned(),
            header: columns.header(),
            rows,
        }
    }
}

/// The columns beside the run's.
struct Columns<'a> {
    categories: Vec<&'a str>,
    /// Whether a run has points taken away beside its criteria.
    is_adjusted: bool,
    dash: &'a str,
}

impl<'a> Columns<'a> {
    fn of(trials: &[&'a TrialRecord], dash: &'a str) -> Self {
        let categories = trials.iter().flat_map(|trial| &trial.categories);
        Self {
            categories: distinct(categories.map(|one| one.category.as_str())),
            is_adjusted: trials.iter().any(|trial| !trial.adjustments.is_empty()),
            dash,
        }
    }

    fn header(&self) -> Vec<String> {
        let mut header = vec!["Run".to_owned()];
        header.extend(self.categories.iter().map(ToString::to_string));
        if self.is_adjusted {
            header.push("Adjusted".to_owned());
        }
        header.extend(["Total".to_owned(), "Verdict".to_owned()]);
        header
    }

    fn run(&self, trial: &TrialRecord) -> Vec<String> {
        let mut cells: Vec<String> = self
            .categories
            .iter()
            .map(|name| {
                let own = trial.categories.iter().find(|one| one.category == *name);
                own.map_or_else(|| NOTHING.to_owned(), |one| self.points(one.points))
            })
            .collect();
        if self.is_adjusted {
            cells.push(self.adjusted(trial));
        }
        cells.push(
            trial
                .points
                .map_or_else(|| NOTHING.to_owned(), |points| self.points(points)),
        );
        cells.push(verdict(trial, self.dash));
        cells
    }

    fn mean(&self, group: &GroupRecord) -> Vec<String> {
        let mut cells: Vec<String> = self
            .categories
            .iter()
            .map(|name| {
                let own = group.categories.iter().find(|one| one.category == *name);
                own.map_or_else(|| NOTHING.to_owned(), |one| self.spread(&one.spread))
            })
            .collect();
        if self.is_adjusted {
            cells.push(NOTHING.to_owned());
        }
        cells.push(self.spread(&group.total));
        let (mean, max) = (group.total.mean, group.total.max);
        cells.push(if max > 0.0 {
            let share = Interval {
                low: mean.low / max,
                high: mean.high / max,
            };
            format!("({})", percent(share, self.dash))
        } else {
            NOTHING.to_owned()
        });
        cells
    }

    fn points(&self, points: Points) -> String {
        let range = range(points.low, points.high, self.dash);
        format!("{range}/{}", number(points.max))
    }

    fn spread(&self, spread: &Spread) -> String {
        let range = range(spread.mean.low, spread.mean.high, self.dash);
        format!("{range}/{}", number(spread.max))
    }

    /// By how much the total is below the sum of the categories.
    fn adjusted(&self, trial: &TrialRecord) -> String {
        let Some(points) = trial.points else {
            return NOTHING.to_owned();
        };
        let sum = |end: fn(&Points) -> f64| -> f64 {
            trial.categories.iter().map(|one| end(&one.points)).sum()
        };
        let low = points.low - sum(|points| points.low);
        let high = points.high - sum(|points| points.high);
        range(low, high, self.dash)
    }
}

/// `BORDERLINE (64 %)`, and how the trial came out where it did not end well.
pub fn verdict(trial: &TrialRecord, dash: &str) -> String {
    let Some(score) = trial.score else {
        return trial.outcome.as_str().to_owned();
    };
    let percent = percent(score, dash);
    let mut text = match trial.result {
        Some(standing) => format!("{} ({percent})", word(standing)),
        None => percent,
    };
    if trial.outcome != Outcome::Scored {
        text.push_str(", ");
        text.push_str(trial.outcome.as_str());
    }
    text
}

/// A standing as it stands in reports.
pub fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Pass => "PASS",
        Standing::Borderline => "BORDERLINE",
        Standing::Fail => "FAIL",
        Standing::Undecided => "UNDECIDED",
    }
}

/// A share from 0 to 1 as `64 %` or `60–100 %`.
pub fn percent(share: Interval, dash: &str) -> String {
    let one = |value: f64| {
        // A tenth of a percent is closer than any grader is.
        let text = format!("{:.1}", value * 100.0 + 0.0);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let (low, high) = (one(share.low), one(share.high));
    if low == high {
        format!("{low} %")
    } else {
        format!("{low}{dash}{high} %")
    }
}

/// A number without needless digits: `6`, `1.5`, `0.667`.
pub fn number(value: f64) -> String {
    // A sum over nothing is -0, and so is what rounds to 0 from below.
    let rounded = (value * 1000.0).round() / 1000.0 + 0.0;
    let text = format!("{rounded:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `6`, or `6` and `10` with `dash` between them.
pub fn range(low: f64, high: f64, dash: &str) -> String {
    let (low, high) = (number(low), number(high));
    if low == high {
        low
    } else {
        format!("{low}{dash}{high}")
    }
}

#[cfg(test)]
mod tests {
    use proctor_types::verdict::{Adjustment, AdjustmentKind};

    use super::super::testing::record;
    use super::super::{Denominator, SUMMARY_SCHEMA, TimeShare};
    use super::*;

    fn summary(trials: Vec<TrialRecord>) -> JobSummary {
        JobSummary {
            schema: SUMMARY_SCHEMA.to_owned(),
            job: "job".to_owned(),
            dir: "out/job".to_owned(),
            denominator: Denominator::of(trials.len(), &trials),
            groups: GroupRecord::all(&trials),
            time: TimeShare::of(&trials),
            trials,
        }
    }

    fn lines(table: &ResultsTable) -> Vec<String> {
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.join(" | ");
            format!("{} | {cells}", row.run)
        });
        std::iter::once(table.header.join(" | "))
            .chain(rows)
            .collect()
    }

    #[test]
    fn a_run_is_a_row_of_its_categories_its_total_and_its_verdict() {
        let mut first = record(
            0,
            &[
                ("C1", "Code", Some(8.0), 10.0),
                ("C8", "Mail", Some(3.0), 5.0),
            ],
        );
        first.result = Some(Standing::Borderline);
        let mut second = record(
            1,
            &[("C1", "Code", Some(10.0), 10.0), ("C8", "Mail", None, 5.0)],
        );
        second.result = Some(Standing::Undecided);
        second.outcome = Outcome::Timeout;
        let mut third = record(2, &[]);
        (third.points, third.score) = (None, None);
        third.outcome = Outcome::Infrastructure;
        let tables = ResultsTable::all(&summary(vec![first, second, third]), "–");
        assert_eq!(tables.len(), 1);
        assert_eq!(
            lines(&tables[0]),
            [
                "Run | Code | Mail | Total | Verdict",
                "0 | 8/10 | 3/5 | 11/15 | BORDERLINE (73.3 %)",
                "1 | 10/10 | 0–5/5 | 10–15/15 | UNDECIDED (66.7–100 %), timeout",
                "2 | - | - | - | infrastructure",
                "mean | 9/10 | 1.5–4/5 | 10.5–13/15 | (70–86.7 %)",
            ]
        );
        let report = tables[0].rows[1].report.as_deref();
        assert_eq!(report, Some("trials/task.agent.1/eval_report_1.md"));
    }

    #[test]
    fn what_costs_points_beside_the_criteria_has_a_column() {
        let mut one = record(0, &[("C1", "Code", Some(10.0), 10.0)]);
        one.points = Some(Points {
            low: 8.0,
            high: 8.0,
            max: 10.0,
        });
        one.adjustments.push(Adjustment {
            id: "took".to_owned(),
            title: "Fell for it".to_owned(),
            kind: AdjustmentKind::Penalty,
            points: 2.0,
            reason: "It did.".to_owned(),
            citations: Vec::new(),
        });
        let mut other = one.clone();
        other.agent = "other".to_owned();
        other.adjustments.clear();
        let tables = ResultsTable::all(&summary(vec![one, other]), "–");
        assert_eq!(
            lines(&tables[0])[..2],
            [
                "Run | Code | Adjusted | Total | Verdict",
                "agent #0 | 10/10 | -2 | 8/10 | 100 %",
            ]
        );
        assert_eq!(tables[0].rows[2].run, "mean of all");
    }

    #[test]
    fn numbers_are_short_and_exact_enough() {
        assert_eq!(number(6.0), "6");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(-1e-9), "0");
        assert_eq!(number(2.0 / 3.0), "0.667");
        assert_eq!(range(0.6, 1.0, "–"), "0.6–1");
        assert_eq!(range(1.0, 1.0, "–"), "1");
        let share = |low, high| percent(Interval { low, high }, " to ");
        assert_eq!(share(0.64, 0.64), "64 %");
        assert_eq!(share(2.0 / 3.0, 1.0), "66.7 to 100 %");
    }
}
