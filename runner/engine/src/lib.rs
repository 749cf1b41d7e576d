//! Tasks, trials, jobs, evidence, events, reports.
