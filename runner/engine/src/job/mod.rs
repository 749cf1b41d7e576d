//! A job: tasks x agents x attempts, planned, run, summed up.

mod dir;
mod log;
mod plan;
mod program;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub use dir::{Found, JobDir};
pub(crate) use dir::{component_path, script_path};
pub use plan::{JobPlan, JobRequest};
pub(crate) use program::Program;

use crate::EngineError;
use crate::events::{Event, EventSink, Events};
use crate::evidence::{json_bytes, replace};
use crate::model::Models;
use crate::record::{Denominator, GroupRecord, JobSummary, SUMMARY_SCHEMA, TimeShare, TrialRecord};
use crate::report::job_markdown;
use crate::trial;

/// Name of a job's plan in its directory.
pub(crate) const PLAN: &str = "job.json";
/// Name of a job's summary in its directory; there when the job has ended.
pub(crate) const SUMMARY: &str = "summary.json";
const SUMMARY_MARKDOWN: &str = "summary.md";

/// Runs every trial of `plan`, one after the other, and tells `sinks`.
///
/// # Errors
/// Only what keeps the job as a whole from being run or recorded. Whatever
/// goes wrong inside a trial is in its record.
pub async fn run(plan: JobPlan, mut sinks: Vec<Arc<dyn EventSink>>) -> Result<JobEnd, EngineError> {
    let started = Instant::now();
    let (id, job) = plan.claim()?;
    sinks.push(Arc::new(log::EventLog::create(job.dir(), job.path())?));
    let events = Events::new(sinks);
    let shown = job.path().display().to_string();
    write(&job, PLAN, &json(&plan.describe(&id), job.path())?)?;
    for (name, bytes) in plan.graders() {
        job.keep_grader(&name, bytes)?;
    }
    events.emit(Event::JobStarted {
        job: id.clone(),
        dir: shown.clone(),
        trials: plan.trials.len(),
    });
    for warning in plan.warnings() {
        events.warn(None, warning);
    }
    let scratch = crate::host::private_scratch(&plan.host)?;
    crate::serve::sweep(scratch);
    for leftover in crate::room::sweep(scratch) {
        events.warn(None, leftover);
    }
    let bench = plan.bench(events.clone());
    let mut records = Vec::with_capacity(plan.trials.len());
    for spec in &plan.trials {
        records.push(trial::run(&bench, spec, &job).await);
    }
    if let Some(incomplete) = bench.models.as_ref().and_then(Models::finish) {
        events.warn(None, incomplete);
    }
    let summary = summarise(id.clone(), plan.trials.len(), &job, records);
    let unwritten = record(&job, &summary).err();
    events.emit(Event::JobFinished {
        job: id,
        dir: shown,
        seconds: crate::time::seconds(started.elapsed()),
    });
    Ok(JobEnd { summary, unwritten })
}

/// A job that has ended.
#[derive(Debug)]
pub struct JobEnd {
    /// What came out.
    pub summary: JobSummary,
    /// Why the summary is not in the job's directory, where it is not: what the
    /// trials came to is not lost for that.
    pub unwritten: Option<EngineError>,
}

fn summarise(id: String, planned: usize, job: &JobDir, trials: Vec<TrialRecord>) -> JobSummary {
    JobSummary {
        schema: SUMMARY_SCHEMA.to_owned(),
        job: id,
        dir: job.path().display().to_string(),
        denominator: Denominator::of(planned, &trials),
        groups: GroupRecord::all(&trials),
        time: TimeShare::of(&trials),
        trials,
    }
}

fn record(job: &JobDir, summary: &JobSummary) -> Result<(), EngineError> {
    write(job, SUMMARY_MARKDOWN, job_markdown(summary).as_bytes())?;
    write(job, SUMMARY, &json(summary, job.path())?)
}

fn write(job: &JobDir, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
    replace(job.dir(), name, bytes).map_err(EngineError::io("cannot write", &job.path().join(name)))
}

fn json<T: serde::Serialize>(value: &T, path: &Path) -> Result<Vec<u8>, EngineError> {
    json_bytes(value).map_err(EngineError::io("cannot write into", path))
}
