//! One trial's way to its model, as a part of the room's network.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use http::Request;
use proctor_model::gateway::{JsonLines, ModelGateway, Record, TrialModels};
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
        let trial = TrialModels {
            routes: models.routes.clone(),
            mode: models.mode.clone(),
            budget: models.trial_budget,
        };
        let record: Arc<dyn Record> = lines.clone();
        let gateway = ModelGateway::new(&models.job, trial, record)
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
        Ok(Spoken {
            summary: self.gateway.summary(),
            warnings,
        })
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
    /// asked it once was never there, whatever it says of itself.
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
