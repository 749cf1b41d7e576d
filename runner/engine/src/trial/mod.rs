//! A trial: one agent, one task, once.
//!
//! Each stage is one function of its own module, takes what the stage before
//! left, and says on failure whose failure it was: seed -> run -> freeze ->
//! probe -> grade -> record.

mod brought;
mod freeze;
mod grade;
mod graders;
mod probe;
mod run;
mod seed;
mod tools;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cap_std::fs::Dir;
use proctor_agents::AgentSpec;
use proctor_agents::steps::BroughtFile;
use proctor_grading::{Bundle, BundleLimits, GraderHost};
use proctor_judge::Judge;
use proctor_types::Verdict;
use proctor_types::manifest::{AgentEnd, Isolation};

pub(crate) use brought::brought;
pub(crate) use grade::{Module, NoVerdict, grade, grade_bundle};
pub(crate) use graders::Graders;
pub(crate) use run::GROWING_TRANSCRIPT;
pub(crate) use seed::{Worlds, unseeded, world};
pub(crate) use tools::{Tools, settled};

use crate::EngineError;
use crate::attempt;
use crate::events::{Event, Events, Stage, TrialId};
use crate::evidence::{json_bytes, replace};
use crate::job::{JobDir, Program};
use crate::judging;
use crate::model::Models;
use crate::record::{
    ClaimedRecord, Failure, ModelRecord, Outcome, Requests, TRIAL_SCHEMA, TrialRecord,
};
use crate::report::{TrialReport, trial_markdown};
use crate::task::Task;

/// Name of a trial's record in its directory.
pub(crate) const RECORD: &str = "trial.json";
/// Name of a trial's verdict in its directory.
pub(crate) const VERDICT: &str = "verdict.json";
pub(crate) const GRADER_LOG: &str = "grader.log";

/// What all trials of a job share.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) events: Events,
    pub(crate) grading: GraderHost,
    pub(crate) isolation: Isolation,
    pub(crate) host: crate::host::HostConfig,
    /// The agents' model, where the operator gives one.
    pub(crate) models: Option<Models>,
    /// Who judges what graders leave open.
    pub(crate) judge: Option<Judge>,
}

/// One trial of a job's plan.
#[derive(Debug, Clone)]
pub(crate) struct TrialSpec {
    pub(crate) id: TrialId,
    pub(crate) task: Arc<Task>,
    /// Where the trial has its world from.
    pub(crate) worlds: Worlds,
    pub(crate) agent: AgentSpec,
    /// The agent's program, where it is one of its own.
    pub(crate) program: Option<Arc<Program>>,
    /// What the agent's steps file brings into the room.
    pub(crate) brought: Arc<Vec<BroughtFile>>,
    pub(crate) module: Module,
    /// Everything that the task can be graded by.
    pub(crate) graders: Graders,
    pub(crate) tools: Arc<Tools>,
    /// Remarks that belong into the report: not locked, not isolated.
    pub(crate) remarks: Vec<String>,
}

impl TrialSpec {
    /// The prompt of this attempt.
    pub(crate) fn prompt(&self) -> Cow<'_, str> {
        attempt::filled(&self.task.prompt, self.id.attempt)
    }

    /// The system prompt of this attempt, where the task has one.
    pub(crate) fn system_prompt(&self) -> Option<Cow<'_, str>> {
        let prompt = self.task.system_prompt.as_ref()?;
        Some(attempt::filled(&prompt.text, self.id.attempt))
    }
}

/// A stage that could not do its work, and who is to blame.
#[derive(Debug)]
pub(crate) struct StageError {
    pub(crate) outcome: Outcome,
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl StageError {
    /// Our own failure.
    pub(crate) fn ours(kind: &str, error: &dyn std::error::Error) -> Self {
        Self {
            outcome: Outcome::Infrastructure,
            kind: kind.to_owned(),
            message: crate::error::chain(error),
            hint: None,
        }
    }

    /// The same failure with a word on what to do.
    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl From<EngineError> for StageError {
    fn from(error: EngineError) -> Self {
        Self::ours("disk", &error).hint(error.hint())
    }
}

/// Runs one trial from seed to record. Whatever goes wrong is in the record.
pub(crate) async fn run(bench: &Bench, spec: &TrialSpec, job: &JobDir) -> TrialRecord {
    bench.events.emit(Event::TrialStarted {
        trial: spec.id.clone(),
    });
    let started = Instant::now();
    let mut record = begin(spec, bench.isolation);
    let mut watch = Watch {
        bench,
        id: &spec.id,
        at: Stage::Seed,
        seconds: BTreeMap::new(),
    };
    let place = match job.trial(&spec.id) {
        Ok((path, dir)) => {
            record.dir = path;
            Some(dir)
        }
        Err(error) => {
            fail(&mut record, watch.at, error.into());
            None
        }
    };
    if let Some(dir) = &place
        && let Err(error) = stages(bench, spec, job, dir, &mut record, &mut watch).await
    {
        fail(&mut record, watch.at, error);
    }
    record.seconds = std::mem::take(&mut watch.seconds);
    record
        .seconds
        .insert("total".to_owned(), crate::time::seconds(started.elapsed()));
    if let Some(failure) = record.failure.clone() {
        bench.events.emit(Event::StageFailed {
            trial: spec.id.clone(),
            failure,
        });
    }
    if let Some(dir) = &place
        && let Err(error) = write_record(spec, job, dir, &record)
    {
        fail(&mut record, Stage::Record, error);
    }
    bench.events.emit(Event::TrialFinished {
        trial: spec.id.clone(),
        record: Box::new(record.clone()),
    });
    record
}

async fn stages(
    bench: &Bench,
    spec: &TrialSpec,
    job: &JobDir,
    dir: &Dir,
    record: &mut TrialRecord,
    watch: &mut Watch<'_>,
) -> Result<(), StageError> {
    let shown = job.path().join(&record.dir);
    let seeded = watch
        .stage(Stage::Seed, seed::seed(bench, spec, dir))
        .await?;
    record.seeded = Some(seeded.record.clone());
    let ran = watch.stage(Stage::Run, run::run(spec, seeded, dir)).await?;
    if let Some(account) = &ran.account {
        record.claimed = Some(ClaimedRecord::from(account));
        record.warnings.extend(account.warnings.iter().cloned());
    }
    let mut frozen = watch
        .stage(Stage::Freeze, freeze::freeze(spec, ran, dir, &shown))
        .await?;
    record.outcome = match frozen.end() {
        AgentEnd::Completed => Outcome::Scored,
        AgentEnd::Failed { .. } => Outcome::AgentError,
        AgentEnd::TimedOut { .. } => Outcome::Timeout,
    };
    record.agent_end = describe(frozen.end());
    let asks = spec.program.as_ref().is_some_and(|it| it.asks_models());
    let spoken = frozen.spoken.as_ref();
    let unserved = spoken.and_then(|it| it.failure(asks, record.agent_end.as_deref()));
    record.model = frozen
        .spoken
        .clone()
        .zip(bench.models.as_ref())
        .map(|(spoken, models)| ModelRecord {
            name: models.name().to_string(),
            summary: spoken.summary,
        });
    record.requests = Requests {
        answered: frozen.answered,
        egress: frozen.egress,
    };
    record.warnings.append(&mut frozen.warnings);
    let probes = match spec.task.probes.as_slice() {
        [] => None,
        probes => {
            let work = probe::run(probes, &frozen.room);
            Some(watch.stage(Stage::Probe, work).await?)
        }
    };
    frozen.seal(probes.as_ref(), dir, &shown).await?;
    if let Some(failure) = unserved {
        // The evidence is kept, and nobody counts it.
        watch.at = Stage::Run;
        return Err(failure);
    }
    let graded = watch
        .stage(Stage::Grade, grade_evidence(bench, spec, dir, &shown))
        .await?;
    record.take(&graded.verdict);
    if let Some(judge) = &bench.judge
        && judging::is_open(&graded.verdict)
    {
        let models = record.models();
        // On the heap: the future of every trial would be as large.
        let work = Box::pin(judge_open(judge, graded.verdict, &models, dir, &shown));
        match watch.stage(Stage::Judge, work).await? {
            Ok(verdict) => record.take(&verdict),
            // What the grader decided stands; the rest stays open.
            Err(refused) => record.warnings.push(refused),
        }
    }
    Ok(())
}

/// Puts before the judge what the grader left open. A judge that may not judge
/// this trial (it is the model that worked on it) gives the reason.
async fn judge_open(
    judge: &Judge,
    verdict: Verdict,
    agent_models: &[String],
    dir: &Dir,
    shown: &Path,
) -> Result<Result<Verdict, String>, StageError> {
    let evidence = shown.join(crate::evidence::EVIDENCE_DIR);
    let bundle = Bundle::open(&evidence, BundleLimits::default())
        .map_err(|error| StageError::ours("evidence", &error))?;
    match judging::apply(judge, &bundle, verdict, agent_models, dir, shown).await {
        Ok((verdict, _)) => Ok(Ok(verdict)),
        Err(error @ EngineError::Usage { .. }) => Ok(Err(format!("not judged: {error}"))),
        Err(error) => Err(StageError::ours("judge", &error).hint(error.hint())),
    }
}

/// Grades what was frozen, and keeps verdict and log.
async fn grade_evidence(
    bench: &Bench,
    spec: &TrialSpec,
    dir: &Dir,
    shown: &Path,
) -> Result<grade::Graded, StageError> {
    let keep = |name: &str, bytes: &[u8]| {
        replace(dir, name, bytes).map_err(EngineError::io("cannot write", &shown.join(name)))
    };
    let evidence = shown.join(crate::evidence::EVIDENCE_DIR);
    if let Some(wait) = spec.module.wait(&bench.grading) {
        bench.events.note(Some(&spec.id), wait);
    }
    match grade(&bench.grading, &spec.module, &evidence).await {
        Ok(graded) => {
            keep(VERDICT, &graded.bytes)?;
            if !graded.log.is_empty() {
                keep(GRADER_LOG, graded.log.as_bytes())?;
            }
            Ok(graded)
        }
        Err(NoVerdict { error, log }) => {
            let failure = StageError::from(&error);
            if log.is_empty() {
                return Err(failure);
            }
            keep(GRADER_LOG, log.as_bytes())?;
            let place = format!("what it logged is in {GRADER_LOG}, in the trial's folder");
            let hint = match &failure.hint {
                Some(hint) => format!("{hint}; {place}"),
                None => place,
            };
            Err(failure.hint(Some(hint)))
        }
    }
}

fn begin(spec: &TrialSpec, isolation: Isolation) -> TrialRecord {
    TrialRecord {
        schema: TRIAL_SCHEMA.to_owned(),
        task: spec.id.task.clone(),
        agent: spec.id.agent.clone(),
        attempt: spec.id.attempt,
        outcome: Outcome::Infrastructure,
        score: None,
        points: None,
        result: None,
        categories: Vec::new(),
        criteria: Vec::new(),
        adjustments: Vec::new(),
        seeded: None,
        seconds: BTreeMap::new(),
        dir: String::new(),
        isolation,
        requests: Requests::default(),
        agent_end: None,
        model: None,
        claimed: None,
        failure: None,
        grader: spec.module.kind(),
        grader_sha256: spec.module.sha256().map(str::to_owned),
        source_sha256: spec
            .module
            .script()
            .map(|script| script.sha256().to_owned()),
        graders: spec.graders.record(),
        warnings: spec.remarks.clone(),
    }
}

fn fail(record: &mut TrialRecord, stage: Stage, error: StageError) {
    record.outcome = error.outcome;
    record.forget();
    record.failure = Some(Failure {
        stage,
        kind: error.kind,
        message: error.message,
        hint: error.hint,
    });
}

fn describe(end: &AgentEnd) -> Option<String> {
    match end {
        AgentEnd::Completed => None,
        AgentEnd::Failed {
            exit_code: Some(code),
            reason,
            ..
        } => Some(format!("{reason} (exit code {code})")),
        AgentEnd::Failed {
            exit_code: None,
            reason,
            ..
        } => Some(reason.clone()),
        AgentEnd::TimedOut { limit_seconds } => Some(format!(
            "its time of {limit_seconds} s was up; it was killed"
        )),
    }
}

/// Writes `trial.json` and the report. The record goes last: a trial is
/// finished when it is there.
fn write_record(
    spec: &TrialSpec,
    job: &JobDir,
    dir: &Dir,
    record: &TrialRecord,
) -> Result<(), StageError> {
    let verdict = dir
        .read(VERDICT)
        .ok()
        .filter(|_| record.points.is_some())
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let evidence = dir.open_dir(crate::evidence::EVIDENCE_DIR).ok();
    let report = trial_markdown(&TrialReport {
        task: &spec.task.info,
        record,
        verdict: verdict.as_ref(),
        evidence: evidence.as_ref(),
    });
    let write = |name: &str, bytes: &[u8]| {
        let path = job.path().join(&record.dir).join(name);
        replace(dir, name, bytes).map_err(EngineError::io("cannot write", &path))
    };
    write(
        &format!("eval_report_{}.md", record.attempt),
        report.as_bytes(),
    )?;
    let bytes = json_bytes(record).map_err(EngineError::io(
        "cannot write",
        &job.path().join(&record.dir),
    ))?;
    write(RECORD, &bytes)?;
    Ok(())
}

/// Times the stages and tells about them.
struct Watch<'a> {
    bench: &'a Bench,
    id: &'a TrialId,
    at: Stage,
    seconds: BTreeMap<String, f64>,
}

impl Watch<'_> {
    async fn stage<T>(
        &mut self,
        stage: Stage,
        work: impl Future<Output = Result<T, StageError>>,
    ) -> Result<T, StageError> {
        self.at = stage;
        self.bench.events.emit(Event::StageStarted {
            trial: self.id.clone(),
            stage,
        });
        let started = Instant::now();
        let result = work.await;
        let seconds = crate::time::seconds(started.elapsed());
        self.seconds.insert(stage.as_str().to_owned(), seconds);
        if result.is_ok() {
            self.bench.events.emit(Event::StageFinished {
                trial: self.id.clone(),
                stage,
                seconds,
            });
        }
        result
    }
}
