//! What can go wrong when a report is made. Damaged trials are no errors: they
//! are in the report.

use std::io;
use std::path::PathBuf;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The directory cannot be opened.
    #[error("{}: cannot be opened: {source}", dir.display())]
    Open {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory holds no job.
    #[error(
        "{}: is no job's directory: it has neither a readable job.json nor a folder trials \
         ({problem}); expected what `proctor run --out DIR` leaves",
        dir.display()
    )]
    NoJob {
        /// The directory.
        dir: PathBuf,
        /// What is wrong with its `job.json`.
        problem: String,
    },
    /// The directory holds more trials than a report takes.
    #[error("the job has more than {limit} trials; make a report of each shard")]
    TooMany {
        /// Most trials of a report.
        limit: usize,
    },
    /// The report cannot be written.
    #[error("the report cannot be written: {0}")]
    Write(#[from] io::Error),
    /// The table cannot be written.
    #[error("the table of criteria cannot be written: {0}")]
    Csv(#[from] csv::Error),
    /// The file for CI cannot be written.
    #[error("the JUnit file cannot be written: {0}")]
    JUnit(#[from] quick_junit::SerializeError),
}
