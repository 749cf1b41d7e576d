//! Reports: what people read. Everything in them comes from files of the job
//! directory, so a report can be made again at any time.

mod markdown;
mod resolve;
mod summary;
mod trial;

pub(crate) use summary::job as job_markdown;
pub(crate) use trial::trial as trial_markdown;

/// What a trial's report is made of.
#[derive(Debug)]
pub(crate) struct TrialReport<'a> {
    /// The task, where it is known.
    pub(crate) task: &'a proctor_types::TaskInfo,
    /// The result in short.
    pub(crate) record: &'a crate::record::TrialRecord,
    /// The verdict, where there is one.
    pub(crate) verdict: Option<&'a proctor_types::Verdict>,
    /// The frozen evidence, where there is some.
    pub(crate) evidence: Option<&'a cap_std::fs::Dir>,
}
