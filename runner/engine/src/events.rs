//! What happens in a job, as it happens.
//!
//! The engine only emits; reporters only consume. An [`Envelope`] is one line
//! of `events.jsonl` and of `proctor run --format json` on standard error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::record::{Failure, SeededRecord, TrialRecord};

/// Version of the event stream.
pub const SCHEMA: &str = "proctor.events/1";

/// One event with its place in the stream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Envelope {
    /// [`SCHEMA`].
    pub schema: String,
    /// Number in the stream, from 1, without gaps.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A job begins.
    JobStarted {
        /// Identifier of the job.
        job: String,
        /// Its directory.
        dir: String,
        /// How many trials are planned.
        trials: usize,
    },
    /// Something that the operator should know and that stops nothing.
    Warning {
        /// Trial that it concerns, where it concerns one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trial: Option<TrialId>,
        /// In plain words.
        message: String,
    },
    /// Something that takes its time, or is good to know.
    Note {
        /// Trial that it concerns, where it concerns one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trial: Option<TrialId>,
        /// In plain words.
        message: String,
    },
    /// A trial begins.
    TrialStarted {
        /// Which.
        trial: TrialId,
    },
    /// A stage of a trial begins.
    StageStarted {
        /// Which trial.
        trial: TrialId,
        /// Which stage.
        stage: Stage,
    },
    /// The world of a trial is there, as its agent will find it.
    WorldSeeded {
        /// Which trial.
        trial: TrialId,
        /// What is in it.
        seeded: SeededRecord,
    },
    /// A stage of a trial has ended without a failure of ours.
    StageFinished {
        /// Which trial.
        trial: TrialId,
        /// Which stage.
        stage: Stage,
        /// How long it took.
        seconds: f64,
    },
    /// A stage could not do its work.
    StageFailed {
        /// Which trial.
        trial: TrialId,
        /// What went wrong.
        failure: Failure,
    },
    /// A trial has an outcome and is on disk.
    TrialFinished {
        /// Which trial.
        trial: TrialId,
        /// What came out.
        record: Box<TrialRecord>,
    },
    /// A job has ended.
    JobFinished {
        /// Identifier of the job.
        job: String,
        /// Its directory.
        dir: String,
        /// How long it took.
        seconds: f64,
    },
}

/// Names a trial within a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrialId {
    /// Task.
    pub task: String,
    /// Agent.
    pub agent: String,
    /// Attempt, from 0.
    pub attempt: u32,
}

impl std::fmt::Display for TrialId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} / {} #{}", self.task, self.agent, self.attempt)
    }
}

/// The way of a trial through the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// World and workspace are made.
    Seed,
    /// The agent works.
    Run,
    /// What it left is frozen.
    Freeze,
    /// The task's probes run where the agent ran; only for tasks with probes.
    Probe,
    /// The grader reads it.
    Grade,
    /// A judge decides what the grader left open; only where there is one.
    Judge,
    /// The result is written.
    Record,
}

impl Stage {
    /// The stages in order.
    pub const ALL: [Self; 7] = [
        Self::Seed,
        Self::Run,
        Self::Freeze,
        Self::Probe,
        Self::Grade,
        Self::Judge,
        Self::Record,
    ];

    /// The stage as a word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Run => "run",
            Self::Freeze => "freeze",
            Self::Probe => "probe",
            Self::Grade => "grade",
            Self::Judge => "judge",
            Self::Record => "record",
        }
    }
}

/// Takes events. Must not block for long: it is called from the trial's task.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn emit(&self, envelope: &Envelope);
}

/// Numbers events and hands them to every sink.
#[derive(Clone, Default)]
pub struct Events {
    sinks: Vec<Arc<dyn EventSink>>,
    next: Arc<AtomicU64>,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("sinks", &self.sinks.len())
            .finish_non_exhaustive()
    }
}

impl Events {
    /// A stream that goes to `sinks`.
    pub fn new(sinks: Vec<Arc<dyn EventSink>>) -> Self {
        Self {
            sinks,
            next: Arc::default(),
        }
    }

    /// The same stream with one more sink.
    #[must_use]
    pub fn with(&self, sink: Arc<dyn EventSink>) -> Self {
        let mut sinks = self.sinks.clone();
        sinks.push(sink);
        Self {
            sinks,
            next: Arc::clone(&self.next),
        }
    }

    /// Numbers `event` and hands it on.
    pub fn emit(&self, event: Event) {
        let envelope = Envelope {
            schema: SCHEMA.to_owned(),
            seq: self.next.fetch_add(1, Ordering::Relaxed) + 1,
            at: crate::time::now_rfc3339(),
            event,
        };
        for sink in &self.sinks {
            sink.emit(&envelope);
        }
    }

    /// Emits a [`Event::Note`].
    pub fn note(&self, trial: Option<&TrialId>, message: impl Into<String>) {
        self.emit(Event::Note {
            trial: trial.cloned(),
            message: message.into(),
        });
    }

    /// Emits a [`Event::Warning`].
    pub fn warn(&self, trial: Option<&TrialId>, message: impl Into<String>) {
        self.emit(Event::Warning {
            trial: trial.cloned(),
            message: message.into(),
        });
    }
}
