//! One vote: asked, looked at, asked again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proctor_types::verdict::Question;

use crate::answer::{Answer, read};
use crate::ask::Ask;
use crate::call::{CALL_SCHEMA, Call, Stored};
use crate::exhibit::ShownExhibits;
use crate::failure::Failure;
use crate::judge::Judge;
use crate::prompt::{self, Setting, Subject};
use crate::provider::Reply;
use crate::same::same_model;
use crate::vote::Vote;

/// Longest wait between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Longest pause that a service can ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(2);

/// A vote that is to be cast.
#[derive(Debug)]
pub(crate) struct Ballot {
    pub(crate) judge: Judge,
    pub(crate) setting: Arc<Setting>,
    /// Index of the criterion.
    pub(crate) criterion: usize,
    /// Its identifier.
    pub(crate) id: String,
    pub(crate) title: String,
    /// Without its exhibits, which are in a field of their own.
    pub(crate) question: Arc<Question>,
    /// What the task's author expects, for criteria of a rubric.
    pub(crate) expected: Option<Arc<str>>,
    pub(crate) exhibits: Arc<ShownExhibits>,
    pub(crate) agent_models: Arc<[String]>,
    /// Set by the first call that shows that all others would fail too.
    pub(crate) ended: Arc<Mutex<Option<Failure>>>,
    /// Number of the vote, from 1.
    pub(crate) vote: u32,
}

/// A vote that was cast, or was not taken.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) criterion: usize,
    pub(crate) vote: u32,
    pub(crate) calls: Vec<Call>,
    pub(crate) result: Result<Vote, Failure>,
}

impl Ballot {
    /// The first request of the vote.
    fn first(&self) -> Ask {
        let subject = Subject {
            criterion: &self.id,
            title: &self.title,
            question: &self.question,
            expected: self.expected.as_deref(),
            exhibits: &self.exhibits,
        };
        prompt::ask(&subject, &self.setting, self.vote)
    }

    /// Takes the stored answer where it keeps the rules, and asks otherwise.
    pub(crate) async fn cast(self, stored: &Stored) -> Cast {
        let mut calls = Vec::new();
        let first = self.first();
        let stored = stored.answer(&first.sha256());
        let usable = stored.filter(|_| !self.judge.options.fresh);
        let result = match usable.and_then(|call| self.reuse(call)) {
            Some(vote) => Ok(vote),
            None => self.ask(&first, &mut calls).await,
        };
        Cast {
            criterion: self.criterion,
            vote: self.vote,
            calls,
            result,
        }
    }

    /// A file of stored answers may have been edited, so they are looked at
    /// like new ones.
    fn reuse(&self, call: &Call) -> Option<Vote> {
        let text = call.answer.as_deref()?;
        let answer = self.read(call.model.as_deref(), text).ok()?;
        Some(self.vote(answer, &call.request_sha256, true))
    }

    async fn ask(&self, first: &Ask, calls: &mut Vec<Call>) -> Result<Vote, Failure> {
        let asked_sha256 = first.sha256();
        let options = &self.judge.options;
        let mut last: Option<Failure> = None;
        for attempt in 1..=options.attempts {
            if let Some(outage) = last.as_ref().filter(|it| it.is_outage()) {
                let pause = options.pause.saturating_mul(1 << (attempt - 2).min(10));
                let asked = outage.wait().unwrap_or_default().min(LONGEST_WAIT);
                tokio::time::sleep(pause.min(LONGEST_PAUSE).max(asked)).await;
            }
            // Looked at after the wait: others may have found out meanwhile.
            if let Some(ended) = self.ended() {
                return Err(ended);
            }
            self.judge.reserve().map_err(|failure| self.end(failure))?;
            let problem = last.as_ref().and_then(Failure::told);
            let ask = prompt::again(first, attempt, problem.as_deref());
            let (call, answer) = self.call(ask, &asked_sha256).await;
            let request = call.request_sha256.clone();
            calls.push(call);
            match answer {
                Ok(answer) => return Ok(self.vote(answer, &request, false)),
                Err(failure) if failure.may_pass() => last = Some(failure),
                Err(failure) => return Err(self.end(failure)),
            }
        }
        // There is at least one attempt, and each that gets here has failed.
        Err(last.unwrap_or(Failure::Malformed {
            message: "no attempt was made".to_owned(),
        }))
    }

    async fn call(&self, ask: Ask, asked_sha256: &str) -> (Call, Result<Answer, Failure>) {
        let provider = &self.judge.provider;
        let at = jiff::Timestamp::now().to_string();
        let started = Instant::now();
        let Reply {
            body,
            model,
            usage,
            answer,
        } = provider.ask(&ask).await;
        let seconds = started.elapsed().as_secs_f64();
        self.judge.spend(usage);
        let (answer, read) = match answer {
            Ok(text) => {
                let read = self.read(model.as_deref(), &text);
                (Some(text), read)
            }
            Err(failure) => (None, Err(failure)),
        };
        let call = Call {
            schema: CALL_SCHEMA.to_owned(),
            request_sha256: ask.sha256(),
            asked_sha256: asked_sha256.to_owned(),
            request: ask,
            provider: provider.kind().to_owned(),
            model,
            reply: body,
            answer,
            usage,
            at,
            seconds,
            failure: read.as_ref().err().cloned(),
        };
        (call, read)
    }

    fn read(&self, model: Option<&str>, text: &str) -> Result<Answer, Failure> {
        let own = |model: &&str| {
            self.agent_models
                .iter()
                .any(|agent| same_model(agent, model))
        };
        // An address may serve another model than the one that was asked for.
        if let Some(model) = model.filter(own)
            && !self.judge.options.same_model
        {
            let model = crate::text::excerpt(model, 100);
            return Err(Failure::SameModel { model });
        }
        read(text, &self.question.levels, &self.exhibits)
            .map_err(|problem| Failure::Invalid { problem })
    }

    fn vote(&self, answer: Answer, request_sha256: &str, reused: bool) -> Vote {
        let Answer {
            level,
            reason,
            quotes,
        } = answer;
        Vote {
            level: level + 1,
            score: self.question.levels[level].score,
            reason,
            quotes,
            request_sha256: request_sha256.to_owned(),
            reused,
        }
    }

    fn ended(&self) -> Option<Failure> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.clone()
    }

    /// Passes a failure on; one that all other calls would have ends them.
    fn end(&self, failure: Failure) -> Failure {
        if failure.ends_all() {
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.get_or_insert_with(|| failure.clone());
        }
        failure
    }
}
