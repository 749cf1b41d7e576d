//! Stage "probe": the task's own commands run where the agent ran, after
//! everything that the agent started is gone and everything that it left is
//! frozen.
//!
//! A probe that does not start, is killed or runs out of time is a finding about
//! what the agent left, and recorded as that. Only a room that does not do its
//! work any more is our failure.

use std::time::Duration;

use proctor_sandbox::{ExecOutput, ExecRequest, ExecStep, Exit, SandboxError};
use proctor_types::{ProbeEnd, Probes};

use super::StageError;
use crate::room::QuietRoom;
use crate::task::Probe;

/// How much of each of a probe's two outputs is kept, in bytes of JSON.
const STREAM: usize = 256 << 10;
/// How much is kept of all probes of a task: as much as every grader can read.
const ALL: usize = 4 << 20;

/// Runs `probes` one after the other. Nothing of one is left running when the
/// next one starts; the files that it wrote are.
pub(crate) async fn run(probes: &[Probe], room: &QuietRoom) -> Result<Probes, StageError> {
    // The same for each, so that a loud one takes nothing from the others.
    let cap = STREAM.min(ALL / (2 * probes.len().max(1)));
    let mut done = Vec::with_capacity(probes.len());
    for probe in probes {
        let mut request = ExecRequest::shell(&probe.run);
        request.timeout = Duration::from_secs(probe.timeout_seconds);
        request.output_cap_bytes = cap;
        let result = match room.probe(request).await {
            Ok(output) => ran(probe, &output, cap),
            Err(error) => not_run(probe, error)?,
        };
        done.push(result);
    }
    Ok(Probes::new(done))
}

fn ran(probe: &Probe, output: &ExecOutput, cap: usize) -> proctor_types::Probe {
    let end = match output.status {
        _ if output.timed_out => ProbeEnd::TimedOut,
        Exit::Code(exit_code) => ProbeEnd::Exited { exit_code },
        Exit::Signal(signal) => ProbeEnd::Signalled { signal },
    };
    let stdout = Kept::of(&output.stdout, output.stdout_bytes, cap);
    let stderr = Kept::of(&output.stderr, output.stderr_bytes, cap);
    proctor_types::Probe {
        name: probe.name.clone(),
        run: probe.run.clone(),
        timeout_seconds: probe.timeout_seconds,
        end,
        stdout: stdout.text,
        stderr: stderr.text,
        stdout_bytes: output.stdout_bytes,
        stderr_bytes: output.stderr_bytes,
        stdout_truncated: stdout.truncated,
        stderr_truncated: stderr.truncated,
    }
}

/// The result of a probe that did not start because of what the agent left: a
/// workspace that cannot be entered, say. What else can keep it from starting
/// is not in the agent's power.
fn not_run(probe: &Probe, error: SandboxError) -> Result<proctor_types::Probe, StageError> {
    let reason = match error {
        SandboxError::Exec {
            step: step @ (ExecStep::Directory | ExecStep::Exec),
            source,
            ..
        } => format!("{step}: {source}"),
        error => return Err(StageError::ours("sandbox", &error)),
    };
    Ok(proctor_types::Probe {
        name: probe.name.clone(),
        run: probe.run.clone(),
        timeout_seconds: probe.timeout_seconds,
        end: ProbeEnd::NotRun { reason },
        stdout: String::new(),
        stderr: String::new(),
        stdout_bytes: 0,
        stderr_bytes: 0,
        stdout_truncated: false,
        stderr_truncated: false,
    })
}

/// The beginning of an output as text.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    text: String,
    truncated: bool,
}

impl Kept {
    /// Keeps of `bytes`, which are the beginning of `written` bytes, what is at
    /// most `cap` bytes long as a JSON string.
    fn of(bytes: &[u8], written: u64, cap: usize) -> Self {
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        let mut truncated = (bytes.len() as u64) < written;
        if truncated && text.ends_with(char::REPLACEMENT_CHARACTER) {
            // Half a character, more likely than not.
            text.pop();
        }
        let mut length = 0;
        let end = text.char_indices().find(|(_, c)| {
            length += json_width(*c);
            length > cap
        });
        if let Some((end, _)) = end {
            text.truncate(end);
            truncated = true;
        }
        Self { text, truncated }
    }
}

/// How long a character is in a JSON string (RFC 8259, section 7).
fn json_width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn probe() -> Probe {
        Probe {
            name: "p".to_owned(),
            run: "true".to_owned(),
            timeout_seconds: 1,
        }
    }

    fn output(status: Exit, timed_out: bool) -> ExecOutput {
        ExecOutput {
            status,
            stdout: b"out\n".to_vec(),
            stderr: b"err".to_vec(),
            stdout_bytes: 4,
            stderr_bytes: 300,
            truncated: true,
            timed_out,
            duration: Duration::ZERO,
        }
    }

    fn exec(step: ExecStep) -> SandboxError {
        SandboxError::Exec {
            program: "/bin/sh".to_owned(),
            step,
            source: io::Error::from_raw_os_error(13),
        }
    }

    #[test]
    fn each_stream_says_for_itself_whether_its_end_is_missing() {
        let ran = ran(&probe(), &output(Exit::Code(3), false), 100);
        assert_eq!(ran.end, ProbeEnd::Exited { exit_code: 3 });
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err"));
        assert_eq!((ran.stdout_bytes, ran.stderr_bytes), (4, 300));
        assert_eq!((ran.stdout_truncated, ran.stderr_truncated), (false, true));
    }

    #[test]
    fn what_the_runner_killed_for_its_time_is_no_ordinary_signal() {
        let killed = ran(&probe(), &output(Exit::Signal(9), true), 100);
        assert_eq!(killed.end, ProbeEnd::TimedOut);
        let crashed = ran(&probe(), &output(Exit::Signal(11), false), 100);
        assert_eq!(crashed.end, ProbeEnd::Signalled { signal: 11 });
    }

    #[test]
    fn only_what_the_agent_can_cause_is_a_finding() {
        for step in [ExecStep::Directory, ExecStep::Exec] {
            let result = not_run(&probe(), exec(step)).unwrap();
            let ProbeEnd::NotRun { reason } = result.end else {
                panic!("{result:?}");
            };
            assert!(reason.starts_with(&step.to_string()), "{reason}");
        }
        for error in [
            exec(ExecStep::Fork),
            exec(ExecStep::Filter),
            SandboxError::Gone,
        ] {
            let error = not_run(&probe(), error).unwrap_err();
            assert_eq!(error.outcome, crate::record::Outcome::Infrastructure);
        }
    }

    #[test]
    fn output_is_cut_by_what_it_weighs_as_json() {
        for (bytes, cap) in [
            (&b"plain text"[..], 4),
            (b"\"\"\"\"\"\"", 5),
            (b"\0\x01\x02\x03", 13),
            (b"a\nb\tc\rd\x08e\x0cf\\", 9),
            ("äöü€😀".as_bytes(), 7),
            (&[0xff, 0xfe, 0xfd, 0x80], 8),
        ] {
            let kept = Kept::of(bytes, bytes.len() as u64, cap);
            let json = serde_json::to_string(&kept.text).unwrap();
            assert!(json.len() - 2 <= cap, "{json} is longer than {cap}");
            assert!(kept.truncated, "{json}");
            // Nothing is cut that would have had room.
            let all = serde_json::to_string(&String::from_utf8_lossy(bytes)).unwrap();
            let whole = Kept::of(bytes, bytes.len() as u64, all.len() - 2);
            assert_eq!(whole.text, String::from_utf8_lossy(bytes));
            assert!(!whole.truncated);
        }
    }

    #[test]
    fn half_a_character_at_the_cut_is_not_kept() {
        let text = "ab€".as_bytes();
        assert_eq!(
            Kept::of(&text[..4], 100, 100),
            Kept {
                text: "ab".to_owned(),
                truncated: true
            }
        );
        assert_eq!(Kept::of(text, 100, 100).text, "ab€");
        // Not cut: then it is what was written.
        assert_eq!(Kept::of(&text[..4], 4, 100).text, "ab\u{fffd}");
    }
}
