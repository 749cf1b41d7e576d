//! Progress for people: one moving line on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use proctor_engine::events::{Envelope, Event, EventSink, Stage, TrialId};
use proctor_engine::printable;
pub(crate) use proctor_engine::record::number;
use proctor_engine::record::{CriterionRecord, SeededRecord, TrialRecord, range as between, word};
use proctor_types::verdict::{Adjustment, AdjustmentKind};

use crate::output;

/// What stands between the ends of an interval.
pub(crate) const DASH: &str = " to ";

/// Shows stages and results on standard error.
pub(crate) struct Progress {
    line: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    planned: usize,
    finished: usize,
}

impl Progress {
    /// A moving line where standard error is a terminal, plain lines where not.
    pub(crate) fn new() -> Self {
        let line = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self {
            line,
            state: Mutex::default(),
        }
    }

    fn say(&self, text: &str) {
        match &self.line {
            Some(bar) => bar.println(printable(text)),
            None => output::err(text),
        }
    }

    /// What the agent will find, a line for each service.
    fn seeded(&self, trial: &TrialId, seeded: &SeededRecord) {
        for (what, much) in seeded.lines() {
            self.say(&format!("{trial}: {what} seeded: {much}"));
        }
    }

    /// The stages that people wait for are always told; the others where there
    /// is no moving line that has shown them.
    fn finished(&self, trial: &TrialId, stage: Stage, seconds: f64) {
        let done = match stage {
            Stage::Run => "inference done",
            Stage::Grade => "evaluation done",
            Stage::Judge => "judged",
            _ if self.line.is_some() => return,
            Stage::Seed => "room ready",
            Stage::Freeze => "evidence frozen",
            Stage::Probe => "probes done",
            Stage::Record => "result written",
        };
        self.say(&format!("{trial}: {done} in {seconds:.3} s"));
    }

    fn stage(&self, trial: &TrialId, stage: Stage) {
        if let Some(bar) = &self.line {
            let counts = self
                .state
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            bar.set_message(format!(
                "[{}/{}] {trial}: {}",
                counts.finished + 1,
                counts.planned,
                stage.as_str()
            ));
        }
    }
}

impl EventSink for Progress {
    fn emit(&self, envelope: &Envelope) {
        match &envelope.event {
            Event::JobStarted { job, dir, trials } => {
                let mut state = self
                    .state
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                state.planned = *trials;
                drop(state);
                let plural = if *trials == 1 { "trial" } else { "trials" };
                self.say(&format!("job {job}: {trials} {plural}, into {dir}"));
            }
            Event::Warning {
                trial: Some(trial),
                message,
            } => {
                self.say(&format!("warning: {trial}: {message}"));
            }
            Event::Warning {
                trial: None,
                message,
            } => self.say(&format!("warning: {message}")),
            Event::Note {
                trial: Some(trial),
                message,
            } => self.say(&format!("{trial}: {message}")),
            Event::StageStarted { trial, stage } => self.stage(trial, *stage),
            Event::WorldSeeded { trial, seeded } => self.seeded(trial, seeded),
            Event::StageFinished {
                trial,
                stage,
                seconds,
            } => self.finished(trial, *stage, *seconds),
            Event::StageFailed { trial, failure } => {
                self.say(&format!(
                    "{trial}: {} failed: {}",
                    failure.stage.as_str(),
                    failure.message
                ));
                if let Some(hint) = &failure.hint {
                    self.say(&format!("  hint: {hint}"));
                }
            }
            Event::TrialFinished { trial, record } => {
                self.state
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .finished += 1;
                self.say(&format!("{trial}: {}", headline(record)));
            }
            Event::JobFinished { .. } => {
                if let Some(bar) = &self.line {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
    }
}

/// A trial's result in a line.
pub(crate) fn headline(record: &TrialRecord) -> String {
    let outcome = record.outcome.as_str();
    match (record.points, record.score) {
        (Some(points), Some(score)) => format!(
            "{outcome}, {} of {} points, score {}{}",
            range(points.low, points.high),
            number(points.max),
            range(score.low, score.high),
            record
                .result
                .map(|standing| format!(", {}", word(standing)))
                .unwrap_or_default(),
        ),
        _ => format!("{outcome}, no score"),
    }
}

/// `6` or `6 to 10`.
pub(crate) fn range(low: f64, high: f64) -> String {
    between(low, high, DASH)
}

/// What costs points, in a line like a criterion's.
pub(crate) fn adjustment(adjustment: &Adjustment) -> String {
    let points = number(adjustment.points);
    let effect = match adjustment.kind {
        AdjustmentKind::Cap => format!("at most {points}"),
        AdjustmentKind::Penalty => format!("-{points}"),
    };
    format!(
        "  {:<26} {effect:>13} {}",
        adjustment.id,
        adjustment.reason.replace(['\n', '\t'], " ")
    )
}

/// A criterion in a line. Its reason may quote the agent, with line feeds.
pub(crate) fn criterion(criterion: &CriterionRecord) -> String {
    let points = criterion.points.map_or_else(|| "open".to_owned(), number);
    format!(
        "  {:<26} {points:>5} of {:<4} {}",
        criterion.id,
        number(criterion.max),
        criterion.reason.replace(['\n', '\t'], " ")
    )
}
