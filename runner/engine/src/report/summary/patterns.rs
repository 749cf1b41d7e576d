//! What several runs have in common: right in all of them, right in none,
//! right in some.

use std::fmt::Write as _;

use super::super::markdown::{code, inline, number, range};
use crate::record::{GroupRecord, Pattern, Spread};

/// The section of one group.
pub(super) fn patterns(out: &mut String, group: &GroupRecord) {
    let whose = match &group.agent {
        Some(agent) => format!("of {}", inline(agent)),
        None => "of all agents under test".to_owned(),
    };
    _ = writeln!(
        out,
        "## Patterns of {}: {} runs {whose}\n",
        inline(&group.task),
        group.runs.len()
    );
    let runs: Vec<String> = group
        .runs
        .iter()
        .map(|run| format!("{} #{}", inline(&run.agent), run.attempt))
        .collect();
    _ = writeln!(
        out,
        "Points per run stand in this order: {}.\n",
        runs.join(", ")
    );
    always(out, &group.always);
    section(out, "Never right", "full points in no run", &group.never);
    section(out, "Unstable", "full points in some runs", &group.unstable);
    section(
        out,
        "Not judged",
        "open in at least one run",
        &group.undecided,
    );
    categories(out, group);
}

fn always(out: &mut String, always: &[Pattern]) {
    out.push_str("**Always right** (full points in every run)\n\n");
    if always.is_empty() {
        out.push_str("- none\n");
    }
    for one in always {
        _ = writeln!(out, "- {} {}", code(&one.id), inline(&one.title));
    }
    out.push('\n');
}

fn section(out: &mut String, title: &str, meaning: &str, patterns: &[Pattern]) {
    _ = writeln!(out, "**{title}** ({meaning})\n");
    if patterns.is_empty() {
        out.push_str("- none\n\n");
        return;
    }
    out.push_str("| criterion | | points per run | of |\n| --- | --- | --- | ---: |\n");
    for one in patterns {
        _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            code(&one.id),
            inline(&one.title),
            one.points_per_run(),
            number(one.max)
        );
    }
    out.push('\n');
}

fn categories(out: &mut String, group: &GroupRecord) {
    out.push_str(
        "| category | lowest | highest | mean | of |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for one in &group.categories {
        row(out, &inline(&one.category), &one.spread);
    }
    row(out, "**all**", &group.total);
    out.push('\n');
}

fn row(out: &mut String, name: &str, spread: &Spread) {
    _ = writeln!(
        out,
        "| {name} | {} | {} | {} | {} |",
        number(spread.lowest),
        number(spread.highest),
        range(spread.mean.low, spread.mean.high),
        number(spread.max)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn every_kind_of_pattern_has_its_place() {
        let row = |c3, tone| {
            [
                ("C1", "Code", Some(1.0), 1.0),
                ("C3", "Code", Some(c3), 1.0),
                ("C14", "Docs", Some(0.0), 1.0),
                ("tone", "Mail", tone, 1.0),
            ]
        };
        let runs = [
            record(0, &row(0.0, None)),
            record(1, &row(1.0, Some(1.0))),
            record(2, &row(0.0, Some(0.0))),
        ];
        let mut out = String::new();
        patterns(&mut out, &GroupRecord::all(&runs)[0]);
        for part in [
            "## Patterns of task: 3 runs of agent\n",
            "in this order: agent #0, agent #1, agent #2.",
            "**Always right** (full points in every run)\n\n- `C1` Title of C1\n",
            "| `C14` | Title of C14 | 0, 0, 0 | 1 |",
            "| `C3` | Title of C3 | 0, 1, 0 | 1 |",
            "| `tone` | Title of tone | ?, 1, 0 | 1 |",
            "| Code | 1 | 2 | 1.333 | 2 |",
            "| Mail | 0 | 1 | 0.333–0.667 | 1 |",
            "| **all** | 1 | 3 | 1.667–2 | 4 |",
        ] {
            assert!(out.contains(part), "{part} is not in {out}");
        }
        let never = out.find("**Never right**").unwrap();
        let unstable = out.find("**Unstable**").unwrap();
        let c14 = out.find("`C14`").unwrap();
        assert!(never < c14 && c14 < unstable, "{out}");
    }

    #[test]
    fn kinds_without_a_criterion_say_so() {
        let rows = [("C1", "Code", Some(1.0), 1.0)];
        let runs = [record(0, &rows), record(1, &rows)];
        let mut out = String::new();
        patterns(&mut out, &GroupRecord::all(&runs)[0]);
        assert_eq!(out.matches("- none").count(), 3, "{out}");
    }
}
