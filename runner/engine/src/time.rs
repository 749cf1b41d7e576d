//! The host's clock, in the forms in which it is written down.

use jiff::{Timestamp, Unit};

/// Now, RFC 3339 in UTC with milliseconds.
pub(crate) fn now_rfc3339() -> String {
    let now = Timestamp::now();
    format!("{:.3}", now.round(Unit::Millisecond).unwrap_or(now))
}

/// Now as `20260309-090000`, for names of directories.
pub(crate) fn now_compact() -> String {
    Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string()
}

/// A duration in seconds, to the microsecond.
pub(crate) fn seconds(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}
