//! `probes.json`: what the task's probes did.
//!
//! A probe is a command of the task that runs in the agent's room after the
//! agent, and everything that it started, is gone. It runs files that the agent
//! wrote, as the agent's user: what it prints is made under the agent's
//! influence and proves no more than that. How a probe ended, and how much it
//! wrote, is the runner's word.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Version of `probes.json`.
pub const SCHEMA: &str = "proctor.probes/1";

/// What the task's probes did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probes {
    /// [`SCHEMA`].
    pub schema: String,
    /// One for each probe of the task, in its order. Names are unique.
    pub probes: Vec<Probe>,
}

impl Probes {
    /// The document for `probes`.
    pub fn new(probes: Vec<Probe>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            probes,
        }
    }

    /// The probe called `name`.
    pub fn get(&self, name: &str) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.name == name)
    }
}

/// One probe.
///
/// There is no duration: of two runs of the same inputs it would be the only
/// difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Name from the task.
    pub name: String,
    /// The shell command, as the task has it.
    pub run: String,
    /// Its time limit.
    pub timeout_seconds: u64,
    /// How it ended.
    #[serde(flatten)]
    pub end: ProbeEnd,
    /// What it wrote to standard output, up to a cap. Bytes that are not UTF-8
    /// are U+FFFD.
    pub stdout: String,
    /// What it wrote to standard error, up to a cap.
    pub stderr: String,
    /// Bytes that were written to standard output, kept or not.
    pub stdout_bytes: u64,
    /// Bytes that were written to standard error, kept or not.
    pub stderr_bytes: u64,
    /// Whether the end of standard output is missing.
    pub stdout_truncated: bool,
    /// Whether the end of standard error is missing.
    pub stderr_truncated: bool,
}

impl Probe {
    /// Whether it ended by itself with exit code 0.
    pub fn succeeded(&self) -> bool {
        self.end == ProbeEnd::Exited { exit_code: 0 }
    }
}

/// How a probe ended: the field `status`, with what belongs to it beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ProbeEnd {
    /// By itself.
    Exited {
        /// Exit code of the shell.
        exit_code: i32,
    },
    /// A signal killed its shell.
    Signalled {
        /// Number of the signal.
        signal: i32,
    },
    /// Its time was up, and it was killed with all that it had started.
    TimedOut,
    /// It could not be started.
    NotRun {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for ProbeEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { exit_code } => write!(f, "exit code {exit_code}"),
            Self::Signalled { signal } => write!(f, "killed by signal {signal}"),
            Self::TimedOut => f.write_str("its time was up"),
            Self::NotRun { reason } => write!(f, "not run: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn probe(end: ProbeEnd) -> Probe {
        Probe {
            name: "unit-tests".to_owned(),
            run: "python3 -m pytest -q".to_owned(),
            timeout_seconds: 60,
            end,
            stdout: "3 passed\n".to_owned(),
            stderr: String::new(),
            stdout_bytes: 9,
            stderr_bytes: 0,
            stdout_truncated: false,
            stderr_truncated: false,
        }
    }

    #[test]
    fn every_end_has_a_status_of_its_own_and_survives_a_round_trip() {
        let reason = "the workspace is gone".to_owned();
        for (end, fields) in [
            (
                ProbeEnd::Exited { exit_code: 1 },
                json!({"status": "exited", "exit_code": 1}),
            ),
            (
                ProbeEnd::Signalled { signal: 9 },
                json!({"status": "signalled", "signal": 9}),
            ),
            (ProbeEnd::TimedOut, json!({"status": "timed_out"})),
            (
                ProbeEnd::NotRun {
                    reason: reason.clone(),
                },
                json!({"status": "not_run", "reason": reason}),
            ),
        ] {
            let probes = Probes::new(vec![probe(end)]);
            let written = serde_json::to_value(&probes).unwrap();
            assert_eq!(written["schema"], "proctor.probes/1");
            for (name, value) in fields.as_object().unwrap() {
                assert_eq!(&written["probes"][0][name], value);
            }
            assert_eq!(serde_json::from_value::<Probes>(written).unwrap(), probes);
        }
    }

    #[test]
    fn only_exit_code_0_is_success() {
        for (end, succeeded) in [
            (ProbeEnd::Exited { exit_code: 0 }, true),
            (ProbeEnd::Exited { exit_code: 1 }, false),
            (ProbeEnd::Signalled { signal: 9 }, false),
            (ProbeEnd::TimedOut, false),
        ] {
            let probes = Probes::new(vec![probe(end.clone())]);
            assert_eq!(
                probes.get("unit-tests").unwrap().succeeded(),
                succeeded,
                "{end:?}"
            );
            assert_eq!(probes.get("unit"), None);
        }
    }
}
