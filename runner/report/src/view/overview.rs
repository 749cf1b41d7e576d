//! The job as a whole, as the page's script gets it: every trial in a line.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::read::{Counts, Criterion, Job, Outcome, Record, State, Status, Trial};
use crate::statistics::{self, Row};

/// Longest text of the overview, in bytes.
const TEXT: usize = 400;

/// The job.
#[derive(Debug, Serialize)]
pub(crate) struct Overview<'j> {
    job: JobView<'j>,
    counts: CountsView,
    agents: Vec<AgentView<'j>>,
    tasks: Vec<TaskView<'j>>,
    trials: Vec<TrialView<'j>>,
    rows: Vec<Row>,
    problems: Vec<&'j str>,
}

#[derive(Debug, Serialize)]
struct JobView<'j> {
    name: &'j str,
    proctor: &'j str,
    isolation: &'j str,
    /// How the model and the judge are called, where there are some.
    model: Option<&'j str>,
    judge: Option<&'j str>,
}

#[derive(Debug, Serialize)]
struct CountsView {
    planned: usize,
    unplanned: usize,
    finished: usize,
    graded: usize,
    open: usize,
    ungraded: usize,
    infrastructure: usize,
    other: usize,
    unfinished: usize,
    not_started: usize,
    damaged: usize,
}

#[derive(Debug, Serialize)]
struct AgentView<'j> {
    name: &'j str,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'j str>,
}

#[derive(Debug, Serialize)]
struct TaskView<'j> {
    name: &'j str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<&'j str>,
    criteria: Vec<CriterionView<'j>>,
}

#[derive(Debug, Serialize)]
struct CriterionView<'j> {
    id: &'j str,
    title: &'j str,
    category: &'j str,
    max: f64,
}

/// One trial. Names are short: there may be thousands.
#[derive(Debug, Serialize)]
struct TrialView<'j> {
    /// Index of the task.
    t: usize,
    /// Index of the agent.
    a: usize,
    /// Attempt.
    n: u32,
    dir: &'j str,
    /// How far it came: `not_started`, `unfinished`, `damaged`, or its outcome.
    o: &'j str,
    /// Whether the plan does not know it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unplanned: bool,
    /// Whether it counts and has a score.
    g: bool,
    /// Score.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<[f64; 2]>,
    /// Points, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<[f64; 3]>,
    /// Where the points stand against the thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<&'j str>,
    /// Points by criterion, in the order of the task's: null where it is open,
    /// -1 where nobody could decide, -2 where the trial does not have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    c: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd: Option<f64>,
    /// Whether the price of some tokens is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unpriced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sec: Option<f64>,
    req: u64,
    egress: u64,
    warnings: usize,
    /// Why it is not as it should be, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'j str>,
}

impl<'j> Overview<'j> {
    /// The overview of `job`.
    pub(crate) fn of(job: &'j Job) -> Self {
        let mut tasks = Numbers::default();
        let mut agents = Numbers::default();
        let mut criteria: Vec<Criteria<'j>> = Vec::new();
        let mut task_views: Vec<TaskView<'j>> = Vec::new();
        let mut agent_views: Vec<AgentView<'j>> = Vec::new();
        for trial in job.trials() {
            if tasks.of(&trial.task) == task_views.len() {
                criteria.push(Criteria::default());
                task_views.push(TaskView {
                    name: short(&trial.task),
                    pack: trial.pack_sha256.as_deref().map(short),
                    criteria: Vec::new(),
                });
            }
            if agents.of(&trial.agent) == agent_views.len() {
                agent_views.push(AgentView {
                    name: short(&trial.agent),
                    spec: trial.spec.as_deref().map(short),
                });
            }
            let task = tasks.of(&trial.task);
            for one in trial.record().iter().flat_map(|record| &record.criteria) {
                criteria[task].know(one, &mut task_views[task].criteria);
            }
        }
        let trials = job.trials().iter().map(|trial| {
            let (t, a) = (tasks.of(&trial.task), agents.of(&trial.agent));
            TrialView::of(trial, t, a, &criteria[t])
        });
        Self {
            job: JobView {
                name: short(job.name()),
                proctor: short(&job.plan.proctor),
                isolation: short(&job.plan.isolation),
                model: called(&job.plan.model),
                judge: called(&job.plan.judge),
            },
            counts: job.counts().into(),
            trials: trials.collect(),
            rows: statistics::rows(job, |trial| {
                (tasks.get(&trial.task), agents.get(&trial.agent))
            }),
            agents: agent_views,
            tasks: task_views,
            problems: job
                .problems()
                .iter()
                .take(200)
                .map(|one| short(one))
                .collect(),
        }
    }
}

/// Numbers names in the order in which they come up.
#[derive(Debug, Default)]
struct Numbers<'j>(HashMap<&'j str, usize>);

impl<'j> Numbers<'j> {
    fn of(&mut self, name: &'j str) -> usize {
        let next = self.0.len();
        *self.0.entry(name).or_insert(next)
    }

    fn get(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// The criteria of a task over all its trials.
#[derive(Debug, Default)]
struct Criteria<'j>(HashMap<&'j str, usize>);

impl<'j> Criteria<'j> {
    fn know(&mut self, one: &'j Criterion, views: &mut Vec<CriterionView<'j>>) {
        if self.0.len() < crate::limits::CRITERIA && !self.0.contains_key(one.id.as_str()) {
            self.0.insert(&one.id, views.len());
            views.push(CriterionView {
                id: short(&one.id),
                title: short(&one.title),
                category: short(&one.category),
                max: one.max,
            });
        }
    }

    fn points(&self, record: &Record) -> Vec<Option<f64>> {
        let mut points = vec![Some(-2.0); self.0.len()];
        for one in &record.criteria {
            if let Some(index) = self.0.get(one.id.as_str()) {
                points[*index] = match one.status {
                    Status::Error => Some(-1.0),
                    _ => one.decided(),
                };
            }
        }
        points
    }
}

impl<'j> TrialView<'j> {
    fn of(trial: &'j Trial, t: usize, a: usize, criteria: &Criteria<'j>) -> Self {
        let record = trial.record();
        let model = record.and_then(|record| record.model.as_ref());
        let (o, why) = match &trial.state {
            State::NotStarted => ("not_started", None),
            State::Unfinished => ("unfinished", None),
            State::Damaged(why) => ("damaged", Some(why.as_str())),
            State::Finished(record) => (record.outcome.as_str(), why(record)),
        };
        let record_if_graded = trial.graded();
        Self {
            t,
            a,
            n: trial.attempt,
            dir: short(&trial.dir),
            o,
            unplanned: !trial.planned,
            g: record_if_graded.is_some(),
            s: record.and_then(|one| one.score.map(|score| [score.low, score.high])),
            p: record.and_then(|one| {
                one.points
                    .map(|points| [points.low, points.high, points.max])
            }),
            r: record.and_then(|one| one.result.as_deref().map(short)),
            c: record_if_graded
                .map(|record| criteria.points(record))
                .unwrap_or_default(),
            usd: model
                .and_then(|model| model.summary.cost.as_ref())
                .map(|cost| cost.usd),
            unpriced: model.is_some_and(|model| model.summary.unpriced > 0),
            tokens: model.map(|model| model.summary.usage.total()),
            sec: record.and_then(Record::total_seconds),
            req: record.map_or(0, |record| record.requests.answered),
            egress: record.map_or(0, |record| record.requests.egress),
            warnings: record.map_or(0, |record| record.warnings.len()),
            why: why.map(short),
        }
    }
}

fn why(record: &Record) -> Option<&str> {
    let failure = record
        .failure
        .as_ref()
        .map(|failure| failure.message.as_str());
    failure.or(match record.outcome {
        Outcome::Scored => None,
        _ => record.agent_end.as_deref(),
    })
}

/// How `job.json` calls a model or judge.
fn called(value: &Value) -> Option<&str> {
    let name = value.as_str().or_else(|| value["name"].as_str());
    name.map(short)
}

fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT)]
}

impl From<Counts> for CountsView {
    fn from(counts: Counts) -> Self {
        let Counts {
            planned,
            unplanned,
            graded,
            open,
            ungraded,
            infrastructure,
            ..
        } = counts;
        Self {
            planned,
            unplanned,
            finished: graded + ungraded + infrastructure + counts.other,
            graded,
            open,
            ungraded,
            infrastructure,
            other: counts.other,
            unfinished: counts.unfinished,
            not_started: counts.not_started,
            damaged: counts.damaged,
        }
    }
}
