//! One trial's way to its model, as a part of the room's network.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use http::Request;
use proctor_model::gateway::{JsonLines, ModelGateway};
use proctor_services::{Upstream, UpstreamAnswer, UpstreamBody};
use proctor_types::Event;
use proctor_types::manifest::{AgentEnd, FailureKind};
use proctor_types::model::{Exchange, ModelSummary};
use serde::de::DeserializeOwned;

use super::Models;
use super::crosscheck::unseen;
use crate::EngineError;
use crate::record::Outcome;
use crate::trial::{GROWING_TRANSCRIPT, StageError};

/// Where the record of the traffic grows until it is frozen.
pub(crate) const GROWING: &str = "model.partial.jsonl";
/// Bytes that the record may have: no more than a grader can read.
const RECORD_BYTES: u64 = 32 << 20;

/// A trial's gateway and what it writes down.
#[derive(Debug)]
pub(crate) struct Traffic {
    gateway: ModelGateway,
    lines: Arc<JsonLines<BufWriter<File>>>,
}

/// What the traffic of a trial came to.
#[derive(Debug, Clone)]
pub(crate) struct Spoken {
    pub(crate) summary: ModelSummary,
    pub(crate) warnings: Vec<String>,
}

impl Traffic {
    /// Opens the way to `models` for a trial that is recorded in `dir`.
    pub(crate) fn open(models: &Models, dir: &Dir) -> Result<Self, StageError> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true).mode(0o600);
        let file = dir
            .open_with(GROWING, &options)
            .map_err(EngineError::io("cannot create", GROWING.as_ref()))?;
        let lines = JsonLines::new(BufWriter::new(file.into_std()), RECORD_BYTES);
        let lines = Arc::new(lines);
        let gateway = models
            .gateway(lines.clone())
            .map_err(|error| StageError::ours("model", &error))?;
        Ok(Self { gateway, lines })
    }

    /// For the room's network.
    pub(crate) fn upstream(&self) -> Arc<dyn Upstream> {
        Arc::new(Way(self.gateway.clone()))
    }

    /// Sums up, once nobody can ask any more, and writes down what is left to
    /// write.
    pub(crate) fn finish(&self) -> Result<Spoken, StageError> {
        let dropped = self
            .lines
            .finish()
            .map_err(EngineError::io("cannot write", GROWING.as_ref()))?;
        let mut warnings = Vec::new();
        if dropped > 0 {
            warnings.push(format!(
                "{dropped} requests to the model are not in model.jsonl: it has reached its limit"
            ));
        }
        if let Some(unplayed @ 1..) = self.gateway.unplayed() {
            warnings.push(format!(
                "{unplayed} recorded replies of the cassette were not asked for"
            ));
        }
        let summary = self.gateway.summary();
        if let (Some(_), Some(reason)) = (summary.failure, &summary.reason) {
            warnings.push(format!("the last request to the model failed: {reason}"));
        }
        Ok(Spoken { summary, warnings })
    }
}

impl Spoken {
    /// How the agent ended, with what the gateway knows of it: a program that
    /// was refused its model often says no more than that it failed.
    pub(crate) fn explain(&self, end: AgentEnd) -> AgentEnd {
        match (end, &self.summary.exceeded) {
            (
                AgentEnd::Failed {
                    exit_code,
                    reason,
                    failure,
                },
                Some(exceeded),
            ) => AgentEnd::Failed {
                exit_code,
                reason: format!("{exceeded}; {reason}"),
                failure: Some(failure.unwrap_or(FailureKind::Budget)),
            },
            (end, _) => end,
        }
    }

    /// The failure that makes the trial nobody's result: what the agent asked
    /// last for could not be had, for a reason that is not the agent's.
    ///
    /// `asks`: whether the agent is nothing without its model. One that has not
    /// asked it once was never there, whatever it says of itself. `end`: how it
    /// ended, where it did not end well.
    ///
    /// An agent may spoil its last request so that a bad result is nobody's. What
    /// it has finished counts, once the model has answered it; and a key that was
    /// taken before is no wrong key.
    pub(crate) fn failure(&self, asks: bool, end: Option<&str>) -> Option<StageError> {
        if asks && self.summary.requests == 0 {
            return Some(StageError {
                outcome: Outcome::Infrastructure,
                kind: "model".to_owned(),
                message: format!(
                    "the agent never asked its model: {}",
                    end.unwrap_or("it ended without a word")
                ),
                hint: Some(
                    "see what it printed, in `agent/` of the evidence, and try it with \
                     `--model scripted/FILE`"
                        .to_owned(),
                ),
            });
        }
        let kind = self.summary.failure?;
        let answered = self.summary.usage.total() > 0;
        if answered && (end.is_none() || kind == FailureKind::Authentication) {
            return None;
        }
        let hint = match kind {
            FailureKind::Authentication => {
                "the model's service did not take the key: check it, and what it may be used for"
            }
            FailureKind::RateLimit => {
                "the model's service is busy or the account's limit is reached: wait, or run fewer \
                 trials at once"
            }
            FailureKind::Upstream => "model.jsonl, in the trial's evidence, has every request",
            // What the conversation came to is the agent's own doing, and a
            // budget that is used up is a result.
            FailureKind::Context
            | FailureKind::Refusal
            | FailureKind::Budget
            | FailureKind::Turns
            | FailureKind::Crash => return None,
        };
        let reason = self.summary.reason.as_deref().unwrap_or("no reason given");
        Some(StageError {
            outcome: Outcome::Infrastructure,
            kind: "model".to_owned(),
            message: format!("the agent's model failed: {reason}"),
            hint: Some(hint.to_owned()),
        })
    }
}

/// Compares what went over the wire with what the agent tells, while both are
/// still in the trial's directory.
pub(crate) fn crosscheck(dir: &Dir) -> Result<Option<String>, EngineError> {
    let read = |name: &str| {
        dir.read(name)
            .map_err(EngineError::io("cannot read", name.as_ref()))
    };
    let exchanges: Vec<Exchange> = lines(&read(GROWING)?);
    let transcript: Vec<Event> = lines(&read(GROWING_TRANSCRIPT)?);
    Ok(unseen(&exchanges, &transcript))
}

/// The lines of a file that the runner wrote itself.
fn lines<T: DeserializeOwned>(bytes: &[u8]) -> Vec<T> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The gateway as the world's network knows it.
#[derive(Debug)]
struct Way(ModelGateway);

impl Upstream for Way {
    fn owns(&self, host: &str) -> bool {
        self.0.owns(host)
    }

    fn respond(&self, request: Request<UpstreamBody>) -> UpstreamAnswer<'_> {
        Box::pin(self.0.respond(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(requests: u64, output: u64, failure: Option<FailureKind>) -> Spoken {
        let mut summary = ModelSummary::default();
        summary.requests = requests;
        summary.usage.output = output;
        summary.failure = failure;
        Spoken {
            summary,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn whose_a_failure_is_depends_on_what_was_answered() {
        use FailureKind::{Authentication, Budget, RateLimit, Upstream};
        let crashed = Some("exit code 1");
        for (requests, output, failure, end, ours) in [
            (0, 0, None, None, true),
            (0, 0, None, crashed, true),
            (3, 50, None, crashed, false),
            (3, 0, Some(Authentication), crashed, true),
            // The key had been taken.
            (3, 50, Some(Authentication), crashed, false),
            (3, 50, Some(RateLimit), crashed, true),
            (3, 50, Some(Upstream), crashed, true),
            // It had come to its end all the same.
            (3, 50, Some(Upstream), None, false),
            (3, 0, Some(Upstream), None, true),
            (3, 50, Some(Budget), crashed, false),
        ] {
            let found = spoken(requests, output, failure).failure(true, end);
            assert_eq!(
                found.is_some(),
                ours,
                "{requests} {output} {failure:?} {end:?}"
            );
        }
        assert!(spoken(0, 0, None).failure(false, None).is_none());
    }
}
