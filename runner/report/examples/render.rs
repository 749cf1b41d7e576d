//! Writes the three files for a job's directory into another directory:
//! `cargo run -p proctor-report --example render -- JOB OUT`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use proctor_report::{CSV_FILE, HTML_FILE, JUNIT_FILE, JUnitCases, Job};

/// The runner's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(job), Some(out)) = (paths.next(), paths.next()) else {
        return Err("usage: render JOB OUT".into());
    };
    let create = |name| File::create(out.join(name)).map(BufWriter::new);
    let job = Job::read(&job)?;
    let mut html = create(HTML_FILE)?;
    proctor_report::write_html(&job, &mut html)?;
    html.flush()?;
    let mut junit = create(JUNIT_FILE)?;
    proctor_report::write_junit(&job, JUnitCases::PerTrial, &mut junit)?;
    junit.flush()?;
    proctor_report::write_criteria_csv(&job, &mut create(CSV_FILE)?)?;
    Ok(())
}
