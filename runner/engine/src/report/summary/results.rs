//! Runs as rows, for each task of a job.

use std::fmt::Write as _;

use super::super::markdown::{DASH, inline};
use crate::record::{JobSummary, ResultsTable};

/// A table for each task.
pub(super) fn results(out: &mut String, summary: &JobSummary) {
    for table in ResultsTable::all(summary, DASH) {
        _ = writeln!(out, "## Results of {}\n", inline(&table.task));
        for title in &table.header {
            _ = write!(out, "| {} ", inline(title));
        }
        out.push_str("|\n| --- |");
        out.push_str(&" ---: |".repeat(table.header.len().saturating_sub(2)));
        out.push_str(" --- |\n");
        for row in &table.rows {
            let run = inline(&row.run);
            _ = match &row.report {
                Some(report) => write!(out, "| [{run}]({report}) "),
                None => write!(out, "| {run} "),
            };
            for cell in &row.cells {
                _ = write!(out, "| {} ", inline(cell));
            }
            out.push_str("|\n");
        }
        out.push('\n');
    }
}
