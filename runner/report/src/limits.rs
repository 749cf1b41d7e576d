//! How much of a job's directory is read, and how much of it a page carries.

/// Most bytes of `job.json`.
pub const JOB_BYTES: u64 = 64 << 20;
/// Most trials of a job, those that the plan does not know included.
pub const TRIALS: usize = 100_000;
/// Most bytes of one `trial.json`.
pub const TRIAL_BYTES: u64 = 4 << 20;
/// Most criteria of one trial.
pub const CRITERIA: usize = 2_000;
/// Most bytes of one `verdict.json`.
pub const VERDICT_BYTES: u64 = 16 << 20;
/// Most bytes of one snapshot of a world.
pub const WORLD_BYTES: u64 = 16 << 20;
/// Most bytes of a file of lines (transcript, journal, calls of models and
/// judges) that are looked at; what is behind them is not shown.
pub const LINES_BYTES: u64 = 16 << 20;
/// Most bytes of any other file of the evidence.
pub const FILE_BYTES: u64 = 4 << 20;
/// Most entries of a trial's directory that are listed.
pub const LISTED_FILES: usize = 2_000;
/// Deepest folder of a trial's directory that is listed.
pub const LISTED_DEPTH: usize = 24;

/// Bytes that the details of all trials together may take in a page, before they
/// are compressed: a page of two thousand trials has to open at once.
pub const PAGE_BYTES: usize = 192 << 20;
/// Most bytes of one trial's details, before they are compressed.
pub const TRIAL_PAGE_BYTES: usize = 3 << 20;
/// What a trial may take however many there are.
pub const TRIAL_PAGE_BYTES_MIN: usize = 48 << 10;

/// Bytes that each of `trials` trials may take in a page.
pub fn per_trial(trials: usize) -> usize {
    (PAGE_BYTES / trials.max(1)).clamp(TRIAL_PAGE_BYTES_MIN, TRIAL_PAGE_BYTES)
}
