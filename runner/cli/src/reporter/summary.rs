//! The end of a job for people: runs as rows, and what they have in common.

use proctor_engine::record::{GroupRecord, JobSummary, Pattern, ResultsTable, number};

use super::terminal::DASH;

/// Tables and patterns of the tasks that have something to compare, in lines.
/// A job of one trial per task has nothing.
pub(crate) fn lines(summary: &JobSummary) -> Vec<String> {
    let mut lines = Vec::new();
    for table in ResultsTable::all(summary, DASH) {
        if table.rows.len() < 2 {
            continue;
        }
        lines.push(String::new());
        lines.push(table.task.clone());
        lines.extend(rows(&table));
        let groups = summary.groups.iter();
        for group in groups.filter(|group| group.task == table.task) {
            lines.push(String::new());
            lines.extend(patterns(group));
        }
    }
    lines
}

/// The table with its columns under each other.
fn rows(table: &ResultsTable) -> Vec<String> {
    let rows = table
        .rows
        .iter()
        .map(|row| std::iter::once(&row.run).chain(&row.cells).collect());
    let rows: Vec<Vec<&String>> = std::iter::once(table.header.iter().collect())
        .chain(rows)
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells: Vec<String> = cells
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            format!("  {}", cells.join("  ").trim_end())
        })
        .collect()
}

fn patterns(group: &GroupRecord) -> Vec<String> {
    let whose = group
        .agent
        .as_deref()
        .map_or_else(|| "all agents under test".to_owned(), str::to_owned);
    let mut lines = vec![format!("  {} runs of {whose}", group.runs.len())];
    let always: Vec<&str> = group.always.iter().map(|one| one.id.as_str()).collect();
    lines.push(line("always right", &always.join(", ")));
    for (title, patterns) in [
        ("never right", &group.never),
        ("unstable", &group.unstable),
        ("not judged", &group.undecided),
    ] {
        if patterns.is_empty() {
            lines.push(line(title, ""));
        }
        for (index, one) in patterns.iter().enumerate() {
            let title = if index == 0 { title } else { "" };
            lines.push(line(title, &pattern(one)));
        }
    }
    lines
}

fn line(title: &str, text: &str) -> String {
    let text = if text.is_empty() { "none" } else { text };
    format!("  {title:<13} {text}")
}

/// `C3 (0, 1, 0 of 1) Redis call removed`.
fn pattern(one: &Pattern) -> String {
    format!(
        "{} ({} of {}) {}",
        one.id,
        one.points_per_run(),
        number(one.max),
        one.title.replace(['\n', '\t'], " ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A summary as `summary.json` has it, from which everything else follows.
    fn summary() -> JobSummary {
        let points =
            |points: f64, max: f64| serde_json::json!({"low": points, "high": points, "max": max});
        let trial = |attempt: u32, c3: f64| {
            serde_json::json!({
                "schema": "proctor.trial/1", "task": "nightshift", "agent": "scripted",
                "attempt": attempt, "outcome": "scored", "result": "pass",
                "score": {"low": 0.75, "high": 0.75}, "points": points(c3 + 1.0, 2.0),
                "categories": [{"category": "Code Quality", "points": points(c3 + 1.0, 2.0)}],
                "criteria": [], "seconds": {}, "isolation": "sandbox",
                "requests": {"answered": 0, "egress": 0},
                "dir": format!("trials/nightshift.scripted.{attempt}"),
            })
        };
        let pattern = |id: &str, points: [f64; 2]| serde_json::json!({"id": id, "title": format!("About {id}"), "max": 1.0, "points": points});
        let spread = serde_json::json!({
            "lowest": 1.0, "highest": 2.0, "mean": {"low": 1.5, "high": 1.5}, "max": 2.0,
        });
        let mut category = spread.clone();
        category["category"] = "Code Quality".into();
        serde_json::from_value(serde_json::json!({
            "schema": "proctor.summary/1", "job": "job", "dir": "out/job",
            "denominator": {
                "planned": 2, "counted": 2, "scored": 2, "agent_error": 0, "timeout": 0,
                "ungraded": 0, "infrastructure": 0,
            },
            "trials": [trial(0, 0.0), trial(1, 1.0)],
            "groups": [{
                "task": "nightshift", "agent": "scripted",
                "runs": [
                    {"agent": "scripted", "attempt": 0}, {"agent": "scripted", "attempt": 1},
                ],
                "total": spread, "categories": [category],
                "always": [pattern("C1", [1.0, 1.0]), pattern("C2", [1.0, 1.0])],
                "never": [], "unstable": [pattern("C3", [0.0, 1.0])], "undecided": [],
            }],
        }))
        .unwrap()
    }

    #[test]
    fn runs_are_rows_and_patterns_follow() {
        assert_eq!(
            lines(&summary()),
            [
                "",
                "nightshift",
                "  Run   Code Quality  Total  Verdict",
                "  0     1/2           1/2    PASS (75 %)",
                "  1     2/2           2/2    PASS (75 %)",
                "  mean  1.5/2         1.5/2  (75 %)",
                "",
                "  2 runs of scripted",
                "  always right  C1, C2",
                "  never right   none",
                "  unstable      C3 (0, 1 of 1) About C3",
                "  not judged    none",
            ]
        );
    }

    #[test]
    fn one_run_is_no_table() {
        let mut summary = summary();
        summary.trials.truncate(1);
        summary.groups.clear();
        assert_eq!(lines(&summary), Vec::<String>::new());
    }
}
