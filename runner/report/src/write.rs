//! The files beside a job.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{CSV_FILE, HTML_FILE, JUNIT_FILE, JUnitCases, Job, ReportError};
use crate::{write_criteria_csv, write_html, write_junit};

/// Where the files of a report are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The page.
    pub html: PathBuf,
    /// The file for CI.
    pub junit: PathBuf,
    /// The table of criteria.
    pub csv: PathBuf,
}

/// Makes the report of the job in `dir` and writes its files there, each of which
/// appears whole or not at all. Earlier ones are replaced.
///
/// # Errors
/// Where there is no job, or the files cannot be written.
pub fn write_files(dir: &Path, cases: JUnitCases) -> Result<Files, ReportError> {
    let job = Job::read(dir)?;
    let file = |name: &str| dir.join(name);
    let files = Files {
        html: file(HTML_FILE),
        junit: file(JUNIT_FILE),
        csv: file(CSV_FILE),
    };
    whole(dir, &files.html, |out| write_html(&job, out))?;
    whole(dir, &files.junit, |out| write_junit(&job, cases, out))?;
    whole(dir, &files.csv, |out| write_criteria_csv(&job, out))?;
    Ok(files)
}

fn whole(
    dir: &Path,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let mut out = BufWriter::new(NamedTempFile::new_in(dir)?);
    write(&mut out)?;
    out.flush()?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
