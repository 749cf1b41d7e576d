//! Every call of a judge, as it is stored: lines of `judge.jsonl`.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::sync::Arc;

use proctor_types::Usage;
use serde::{Deserialize, Serialize};

use crate::ask::Ask;
use crate::failure::Failure;

/// Version of a line of `judge.jsonl`.
pub const CALL_SCHEMA: &str = "proctor.judge-call/1";
/// Longest line that is read, in bytes.
const LINE_BYTES: u64 = 16 << 20;
/// Most lines that are read.
const LINES: usize = 100_000;
/// Longest file, in bytes.
const FILE_BYTES: u64 = 256 << 20;

/// One call of a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// [`CALL_SCHEMA`].
    pub schema: String,
    /// SHA-256 of `request`.
    pub request_sha256: String,
    /// SHA-256 of the first request of the same vote: what was asked before
    /// anything was said about earlier answers. Stored answers are found by it.
    pub asked_sha256: String,
    /// What was asked.
    pub request: Ask,
    /// What answered: `anthropic`, `openai`, `openai-compatible`, `command`, or
    /// `recorded` where a record stood in for the judge.
    pub provider: String,
    /// The model that answered, as the reply calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reply as it came, up to a cap and without keys; bytes that are not
    /// UTF-8 are U+FFFD. Empty where none came.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reply: String,
    /// The answer inside of the reply: what has to be a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Tokens that it took, where the service says so; of a record those that it
    /// took back then.
    #[serde(default)]
    pub usage: Usage,
    /// When it was asked, RFC 3339 in UTC. A clock field.
    pub at: String,
    /// How long it took. A clock field.
    pub seconds: f64,
    /// Why the answer was not taken. Absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Call {
    /// Whether its answer was taken.
    pub fn accepted(&self) -> bool {
        self.failure.is_none()
    }
}

/// Why stored calls cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system would not give them.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is no call.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// Line from 1.
        line: usize,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

/// Calls that were made before. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Stored(Arc<Calls>);

#[derive(Debug, Default)]
struct Calls {
    calls: Vec<Call>,
    /// Index of the newest accepted call by what was asked.
    accepted: HashMap<String, usize>,
}

impl Stored {
    /// These calls, oldest first.
    pub fn new(calls: Vec<Call>) -> Self {
        let accepted = calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.accepted())
            .map(|(at, call)| (call.asked_sha256.clone(), at))
            .collect();
        Self(Arc::new(Calls { calls, accepted }))
    }

    /// Reads a `judge.jsonl`; `file` is what messages call it. A last line
    /// without line feed is one that was not finished, and is left out.
    pub fn read(reader: impl Read, file: &str) -> Result<Self, StoreError> {
        let mut reader = std::io::BufReader::new(reader);
        let mut left = FILE_BYTES;
        let mut calls = Vec::new();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let wrong = |problem: String| StoreError::Line {
                file: file.to_owned(),
                line: number,
                problem,
            };
            (&mut reader)
                .take(LINE_BYTES)
                .read_until(b'\n', &mut line)
                .map_err(|source| StoreError::Read {
                    file: file.to_owned(),
                    source,
                })?;
            if line.len() as u64 >= LINE_BYTES {
                return Err(wrong(format!("longer than {LINE_BYTES} bytes")));
            }
            let Some(rest) = left.checked_sub(line.len() as u64) else {
                return Err(wrong(format!("the file is longer than {FILE_BYTES} bytes")));
            };
            left = rest;
            if line.last() != Some(&b'\n') {
                break;
            }
            if number > LINES {
                return Err(wrong(format!("more than {LINES} lines")));
            }
            let call: Call = serde_json::from_slice(&line)
                .map_err(|error| wrong(format!("no call of a judge: {error}")))?;
            if call.schema != CALL_SCHEMA {
                let found = crate::text::excerpt(&call.schema, 60);
                return Err(wrong(format!(
                    "its schema is `{found}`; this version of Proctor reads `{CALL_SCHEMA}`"
                )));
            }
            if call.request.sha256() != call.request_sha256 {
                return Err(wrong(
                    "its request is not the one that its digest says".to_owned(),
                ));
            }
            calls.push(call);
        }
        Ok(Self::new(calls))
    }

    /// All calls, oldest first.
    pub fn calls(&self) -> &[Call] {
        &self.0.calls
    }

    /// The newest accepted answer to what was asked.
    pub(crate) fn answer(&self, asked_sha256: &str) -> Option<&Call> {
        let Calls { calls, accepted } = &*self.0;
        accepted.get(asked_sha256).map(|at| &calls[*at])
    }
}

/// Calls as lines of `judge.jsonl`.
pub fn to_jsonl(calls: &[Call]) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for call in calls {
        serde_json::to_writer(&mut out, call)?;
        out.push(b'\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(vote: u32, failure: Option<Failure>) -> Call {
        let request = Ask {
            schema: crate::ask::REQUEST_SCHEMA.to_owned(),
            judge: "command/j".to_owned(),
            criterion: "tone".to_owned(),
            vote,
            attempt: 1,
            system: "s".to_owned(),
            user: "u".to_owned(),
            answer: serde_json::json!({"type": "object"}),
            max_tokens: 10,
            temperature: Some(0.3),
        };
        Call {
            schema: CALL_SCHEMA.to_owned(),
            request_sha256: request.sha256(),
            asked_sha256: request.sha256(),
            request,
            provider: "command".to_owned(),
            model: None,
            reply: "{}".to_owned(),
            answer: Some("{}".to_owned()),
            usage: Usage::default(),
            at: "2026-01-01T00:00:00Z".to_owned(),
            seconds: 0.25,
            failure,
        }
    }

    #[test]
    fn calls_survive_a_round_trip_and_an_unfinished_line_is_left_out() {
        let failed = Failure::Http {
            status: 500,
            message: "down".to_owned(),
            wait_ms: Some(500),
        };
        let calls = vec![call(1, Some(failed)), call(2, None)];
        let mut bytes = to_jsonl(&calls).unwrap();
        bytes.extend_from_slice(b"{\"schema\":\"proctor.ju");
        let stored = Stored::read(bytes.as_slice(), "judge.jsonl").unwrap();
        assert_eq!(stored.calls(), calls);
        assert!(stored.answer(&calls[0].asked_sha256).is_none());
        assert_eq!(stored.answer(&calls[1].asked_sha256), Some(&calls[1]));
    }

    #[test]
    fn what_is_no_call_is_named_by_its_line() {
        let good = String::from_utf8(to_jsonl(&[call(1, None)]).unwrap()).unwrap();
        for (text, message) in [
            (
                "{}\n".to_owned(),
                "judge.jsonl:2: no call of a judge: missing field",
            ),
            (
                good.replace("judge-call/1", "judge-call/2"),
                "judge.jsonl:2: its schema is `proctor.judge-call/2`",
            ),
            (
                good.replace("\"user\":\"u\"", "\"user\":\"v\""),
                "judge.jsonl:2: its request is not the one",
            ),
        ] {
            let text = format!("{good}{text}");
            let error = Stored::read(text.as_bytes(), "judge.jsonl").unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
        }
        let long = std::io::repeat(b'x');
        let error = Stored::read(long, "judge.jsonl").unwrap_err().to_string();
        assert_eq!(error, "judge.jsonl:1: longer than 16777216 bytes");
    }
}
