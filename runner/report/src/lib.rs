//! What people look at: a job's directory as one page that needs no network, as
//! `JUnit` XML for CI, and as CSV for whoever computes on.
//!
//! Everything in a job's directory is taken as hostile: agents, task authors,
//! graders and models filled it. Reading it is bounded ([`limits`]); what is
//! missing or damaged is shown as such and never left out silently; every text
//! goes into the outputs as text. Nothing here prints or reads the environment.

pub mod limits;

mod criteria;
mod error;
mod html;
mod junit;
mod parallel;
mod read;
mod statistics;
mod view;
mod write;

pub use criteria::write_criteria_csv;
pub use error::ReportError;
pub use html::write_html;
pub use junit::{JUnitCases, write_junit};
pub use read::{Adjustment, Criterion, Failure, Model, Outcome, Record, Requests, Status};
pub use read::{Counts, Job, State, Trial};
pub use write::{Files, write_files};

/// The page's file in a job's directory. Its links lead from there to what lies
/// beside it.
pub const HTML_FILE: &str = "report.html";
/// The file for CI in a job's directory.
pub const JUNIT_FILE: &str = "junit.xml";
/// The table of criteria in a job's directory.
pub const CSV_FILE: &str = "criteria.csv";
