//! What a grader logs: lines for the task's author that never count.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::excerpt;

/// Longest line that is kept, in bytes.
const LINE_BYTES: usize = 8 << 10;
/// What a line costs beside its text, so that empty lines are not free.
const LINE_COST: usize = 16;

/// How important a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// For whoever debugs the grader.
    Debug,
    /// What it did.
    Info,
    /// What looked odd to it.
    Warn,
    /// What went wrong; the SDK logs the message of a panic at this level.
    Error,
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// How important it is.
    pub level: LogLevel,
    /// The text, control characters made visible.
    pub message: String,
}

/// The lines that were kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradeLog {
    /// In the order in which they came.
    pub lines: Vec<LogLine>,
    /// Lines that came after the log was full.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// A log being written, with its quotas.
#[derive(Debug)]
pub(crate) struct LogBuffer {
    log: GradeLog,
    keep: usize,
    quota: u64,
    last_error: Option<String>,
}

impl LogBuffer {
    /// `keep` bytes are kept; after `quota` bytes no more are accepted.
    pub(crate) fn new(keep: usize, quota: u64) -> Self {
        Self {
            log: GradeLog::default(),
            keep,
            quota,
            last_error: None,
        }
    }

    /// Takes a line; false when the quota is used up.
    pub(crate) fn push(&mut self, level: LogLevel, message: &str) -> bool {
        let Some(quota) = self.quota.checked_sub((message.len() + LINE_COST) as u64) else {
            return false;
        };
        self.quota = quota;
        if level == LogLevel::Error {
            self.last_error = Some(excerpt(message, LINE_BYTES).into_owned());
        }
        let cost = message.len().min(LINE_BYTES) + LINE_COST;
        if self.log.dropped == 0 && cost <= self.keep {
            self.keep -= cost;
            let message = excerpt(message, LINE_BYTES).into_owned();
            self.log.lines.push(LogLine { level, message });
        } else {
            self.log.dropped += 1;
        }
        true
    }

    /// The log, and the last line that was logged as an error.
    pub(crate) fn finish(self) -> (GradeLog, Option<String>) {
        (self.log, self.last_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_counts_what_it_drops_and_remembers_the_last_error() {
        let mut log = LogBuffer::new(64, 1000);
        for n in 0..10 {
            assert!(log.push(LogLevel::Info, &format!("line {n}")));
        }
        assert!(log.push(LogLevel::Error, "boom"));
        let (kept, last) = log.finish();
        assert_eq!(kept.lines.len(), 2);
        assert_eq!(kept.dropped, 9);
        assert_eq!(last.as_deref(), Some("boom"));
    }

    #[test]
    fn a_flood_ends_at_the_quota_and_empty_lines_are_not_free() {
        let mut log = LogBuffer::new(64, 1000);
        let taken = (0..1000)
            .take_while(|_| log.push(LogLevel::Debug, ""))
            .count();
        assert_eq!(taken, 1000 / LINE_COST);
    }

    #[test]
    fn a_long_line_is_cut_with_a_note() {
        let mut log = LogBuffer::new(1 << 20, 1 << 30);
        assert!(log.push(LogLevel::Error, &"x".repeat(1 << 20)));
        let (kept, _) = log.finish();
        assert!(kept.lines[0].message.len() < LINE_BYTES + 100);
        assert!(kept.lines[0].message.ends_with("more bytes]"));
    }
}
