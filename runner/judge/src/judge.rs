//! From open criteria to judged ones.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use proctor_types::Usage;
use proctor_types::verdict::{Criterion, Exhibit, Question, Status};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::ballot::{Ballot, Cast};
use crate::call::{Call, Stored};
use crate::exhibit::{ExhibitLimits, ShownExhibits};
use crate::failure::Failure;
use crate::outcome;
use crate::prompt::Setting;
use crate::provider::Provider;
use crate::same::same_model;
use crate::vote::Vote;

pub use proctor_types::verdict::RUBRIC;

/// Most votes on one criterion.
const VOTES: u32 = 25;
/// Most attempts at one vote.
const ATTEMPTS: u32 = 10;

/// How a judge is asked.
#[derive(Debug, Clone)]
pub struct Options {
    /// Votes on each criterion, 1 to 25. Default 1.
    pub votes: u32,
    /// Attempts at each vote, 1 to 10. Default 3.
    pub attempts: u32,
    /// Calls at the same time. Default 4.
    pub parallel: usize,
    /// Wait before another attempt after the service failed; doubled with each,
    /// up to 30 s. Default 1 s.
    pub pause: Duration,
    /// Most tokens of a reply, reasoning included. Default 8192.
    pub max_tokens: u32,
    /// Sampling temperature. Default: the provider's, since some models take
    /// none.
    pub temperature: Option<f64>,
    /// How much of the exhibits is shown.
    pub exhibits: ExhibitLimits,
    /// Whether the model that is judged may judge. Default no.
    pub same_model: bool,
    /// Whether to ask even where an answer is stored. Default no.
    pub fresh: bool,
    /// What all calls together may take.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            votes: 1,
            attempts: 3,
            parallel: 4,
            pause: Duration::from_secs(1),
            max_tokens: 8192,
            temperature: None,
            exhibits: ExhibitLimits::default(),
            same_model: false,
            fresh: false,
            budget: Budget::default(),
        }
    }
}

/// What all calls of one [`Judge`] together may take. Calls that run already
/// when a limit is met are not stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Calls. Stored answers are none.
    pub calls: Option<u64>,
    /// Tokens, as far as the provider counts them.
    pub tokens: Option<u64>,
}

/// Why nothing is judged at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The judge is the model that is judged.
    #[error(
        "{judge} would judge its own work: the agent's model is {agent}; take another judge, \
             or say that it may"
    )]
    SameModel {
        /// The judge.
        judge: String,
        /// The agent's model.
        agent: String,
    },
    /// An option is out of its range.
    #[error("{what} is {found}; expected {expected}")]
    Option {
        /// Which.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What it may be.
        expected: &'static str,
    },
}

/// A judge, for one trial or for all of a job.
#[derive(Debug, Clone)]
pub struct Judge {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) options: Arc<Options>,
    spent: Arc<Mutex<Spent>>,
}

#[derive(Debug, Default)]
struct Spent {
    calls: u64,
    tokens: u64,
}

/// What is to be judged: one trial.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// Criteria of the verdict. Open ones with a question are judged, and those
    /// that a judge has judged before; all others are passed on.
    pub criteria: &'a [Criterion],
    /// Exhibits of criteria of the category `rubric`, which bring none: see
    /// [`crate::evidence::exhibits`].
    pub exhibits: &'a [Exhibit],
    /// Section "Expected Behavior" of the task, for criteria of its rubric.
    pub expected: Option<&'a str>,
    /// Models that the agent used.
    pub agent_models: &'a [String],
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// All criteria, in order: those that were judged with points, reason and
    /// citations; those that could not be judged open, with the reason.
    pub criteria: Vec<Criterion>,
    /// One for each criterion that was judged or could not be.
    pub judgements: Vec<Judgement>,
    /// Calls that were made, in order of criterion, vote and attempt: to be
    /// added to `judge.jsonl`. Stored answers that were taken are not among
    /// them.
    pub calls: Vec<Call>,
    /// Tokens of these calls.
    pub usage: Usage,
}

/// The votes on one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The criterion.
    pub criterion: String,
    /// Who judged.
    pub judge: String,
    /// Votes that were taken, in order.
    pub votes: Vec<Vote>,
    /// What became of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Median of the votes' scores. Absent where fewer than half of the votes
    /// were taken: the criterion is open then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Highest score less lowest score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
}

impl Judge {
    /// A judge that asks `provider`.
    pub fn new(provider: Arc<dyn Provider>, options: Options) -> Result<Self, JudgeError> {
        let range = |what, found: u32, most, expected| {
            if (1..=most).contains(&found) {
                Ok(())
            } else {
                let found = u64::from(found);
                Err(JudgeError::Option {
                    what,
                    found,
                    expected,
                })
            }
        };
        range("the number of votes", options.votes, VOTES, "1 to 25")?;
        range(
            "the number of attempts",
            options.attempts,
            ATTEMPTS,
            "1 to 10",
        )?;
        Ok(Self {
            provider,
            options: Arc::new(options),
            spent: Arc::default(),
        })
    }

    /// Who judges, as it stands in reports.
    pub fn name(&self) -> String {
        self.provider.judge()
    }

    /// Judges what is open in `case`. Answers in `stored` are taken where what
    /// is asked is the same, but for [`Options::fresh`].
    pub async fn judge(&self, case: Case<'_>, stored: &Stored) -> Result<Judged, JudgeError> {
        self.check(case.agent_models)?;
        let mut casts = self.cast(case, stored).await;
        let (mut judgements, mut calls) = (Vec::new(), Vec::<Call>::new());
        let mut usage = Usage::default();
        let mut criteria = Vec::with_capacity(case.criteria.len());
        for (at, criterion) in case.criteria.iter().enumerate() {
            let Some(question) = question(criterion) else {
                criteria.push(criterion.clone());
                continue;
            };
            let (of_this, rest): (Vec<_>, Vec<_>) =
                casts.into_iter().partition(|cast| cast.criterion == at);
            casts = rest;
            let (judged, judgement) = outcome::of(criterion, question, &of_this, &self.name());
            calls.extend(of_this.into_iter().flat_map(|cast| cast.calls));
            criteria.push(judged);
            judgements.push(judgement);
        }
        for call in &calls {
            usage += call.usage;
        }
        Ok(Judged {
            criteria,
            judgements,
            calls,
            usage,
        })
    }

    fn check(&self, agent_models: &[String]) -> Result<(), JudgeError> {
        let model = self.provider.model();
        match agent_models.iter().find(|agent| same_model(agent, model)) {
            Some(agent) if !self.options.same_model => Err(JudgeError::SameModel {
                judge: self.name(),
                agent: agent.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// All votes on all criteria, in order.
    async fn cast(&self, case: Case<'_>, stored: &Stored) -> Vec<Cast> {
        let setting = Arc::new(Setting {
            judge: self.name(),
            max_tokens: self.options.max_tokens,
            temperature: self.options.temperature,
        });
        let limits = &self.options.exhibits;
        let rubric = Arc::new(ShownExhibits::new(case.exhibits, limits));
        let expected: Option<Arc<str>> = case.expected.map(Arc::from);
        let agent_models: Arc<[String]> = case.agent_models.into();
        let ended = Arc::new(Mutex::new(None));
        let permits = Arc::new(Semaphore::new(self.options.parallel.max(1)));
        let mut votes = JoinSet::new();
        for (at, criterion) in case.criteria.iter().enumerate() {
            let Some(question) = question(criterion) else {
                continue;
            };
            let of_rubric = criterion.category == RUBRIC;
            let exhibits = if of_rubric && question.exhibits.is_empty() {
                Arc::clone(&rubric)
            } else {
                Arc::new(ShownExhibits::new(&question.exhibits, limits))
            };
            let question = Arc::new(Question {
                exhibits: Vec::new(),
                ..question.clone()
            });
            for vote in 1..=self.options.votes {
                let ballot = Ballot {
                    judge: self.clone(),
                    setting: Arc::clone(&setting),
                    criterion: at,
                    id: criterion.id.clone(),
                    title: criterion.title.clone(),
                    question: Arc::clone(&question),
                    expected: expected.clone().filter(|_| of_rubric),
                    exhibits: Arc::clone(&exhibits),
                    agent_models: Arc::clone(&agent_models),
                    ended: Arc::clone(&ended),
                    vote,
                };
                let (permits, stored) = (Arc::clone(&permits), stored.clone());
                votes.spawn(async move {
                    // Nobody closes the semaphore.
                    let _permit = permits.acquire_owned().await;
                    ballot.cast(&stored).await
                });
            }
        }
        let mut casts = votes.join_all().await;
        casts.sort_by_key(|cast| (cast.criterion, cast.vote));
        casts
    }

    /// Takes one call out of the budget.
    pub(crate) fn reserve(&self) -> Result<(), Failure> {
        let Budget { calls, tokens } = self.options.budget;
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = match (calls, tokens) {
            (Some(calls), _) if spent.calls >= calls => format!("{calls} calls"),
            (_, Some(tokens)) if spent.tokens >= tokens => format!("{tokens} tokens"),
            _ => {
                spent.calls += 1;
                return Ok(());
            }
        };
        Err(Failure::Budget { limit })
    }

    pub(crate) fn spend(&self, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.tokens = spent.tokens.saturating_add(usage.total());
    }
}

/// The question of a criterion that a judge has to answer: of an open one, or of
/// one that a judge has answered before.
pub fn question(criterion: &Criterion) -> Option<&Question> {
    let undecided = matches!(criterion.status, Status::Open | Status::Judged);
    let question = criterion.question.as_ref()?;
    (undecided && !question.levels.is_empty()).then_some(question)
}

#[cfg(test)]
mod tests;
