//! What models were asked, and what that took.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::manifest::FailureKind;

/// Tokens that a model took and gave, of one reply or of many. No token is in
/// two fields, but that `reasoning` is a part of `output`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt that came from no cache and went into none.
    pub input: u64,
    /// Tokens of the prompt that were read from the provider's cache.
    pub cache_read: u64,
    /// Tokens of the prompt that were written to the provider's cache.
    pub cache_write: u64,
    /// Tokens of the reply, reasoning included.
    pub output: u64,
    /// Tokens of the reply that were reasoning, where the provider says so.
    pub reasoning: u64,
}

impl Usage {
    /// All tokens, each once.
    pub fn total(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// One request of the agent to a model's API and what came of it: a line of
/// `model.jsonl`. Holds no key: headers are not recorded, and the operator's
/// keys are blanked wherever they occur.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Number of the request within its trial, from 0, in the order in which
    /// requests arrived. Lines are written in the order in which they ended.
    pub seq: u64,
    /// How long it took. Every field is a clock field.
    pub clock: ExchangeClock,
    /// HTTP method.
    pub method: String,
    /// Host that the agent asked.
    pub host: String,
    /// Path and query, keys blanked.
    pub path: String,
    /// Protocol by its name on the command line (`anthropic`, `openai-chat`,
    /// `openai-responses`, `gemini`). None for a path that belongs to no
    /// protocol of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Model that the agent asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// Model that the request was changed to, where the route changes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// Model that says it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    /// What the gateway took out of the request: tools that run at the
    /// provider and reach the real network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Whether the reply was an event stream.
    pub streamed: bool,
    /// HTTP status that the agent got. None where it was gone before one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How many times the upstream was asked. 0 where it was not.
    pub attempts: u32,
    /// Tokens. None where the provider said nothing, or nothing was asked of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether `usage` is the gateway's estimate (four bytes a token): the reply
    /// ended before the provider said, or it never does. Budgets count it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub estimated: bool,
    /// What `usage` costs. None where a price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Calls of tools that the model asked for in this reply, at most
    /// [`TOOL_CALLS_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolUse>,
    /// Why the model stopped, in the provider's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Bytes of the request's body as the agent sent it.
    pub request_bytes: u64,
    /// Bytes of the reply's body as the agent was sent it.
    pub reply_bytes: u64,
    /// How it ended.
    pub end: ExchangeEnd,
    /// What this is for the agent, where it is a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKind>,
    /// Beginning of the request's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Excerpt>,
    /// Beginning of the reply's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Excerpt>,
}

/// Most [`ToolUse`] entries of one [`Exchange`].
pub const TOOL_CALLS_MAX: usize = 256;

/// Most names in [`ModelSummary::models`]: a service can call itself another
/// name in each reply.
pub const MODELS_MAX: usize = 256;

/// How long an exchange took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExchangeClock {
    /// When the request was complete, RFC 3339.
    pub started: String,
    /// Milliseconds from there to the first byte of the reply's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<f64>,
    /// Milliseconds from there to the end.
    pub total_ms: f64,
    /// Of these, milliseconds spent waiting before another attempt.
    pub waited_ms: f64,
}

/// What tokens cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// US dollars.
    pub usd: f64,
    /// Version of the table of prices that it comes from.
    pub prices: String,
}

/// A call of a tool, as it went over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolUse {
    /// The call's identifier, where the protocol has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool, by the name that the agent gave it.
    pub name: String,
}

/// The beginning of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Text; what is not UTF-8 is replaced.
    pub text: String,
    /// Whether there was more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExchangeEnd {
    /// The model's reply reached the agent, complete.
    Ok,
    /// The gateway refused: an endpoint or model that the trial does not have,
    /// or a body that cannot be checked.
    Refused {
        /// Why.
        reason: String,
    },
    /// The upstream answered with an error, and the agent got it.
    Upstream {
        /// Its HTTP status.
        status: u16,
        /// What it says, in short.
        reason: String,
    },
    /// The upstream could not be reached.
    Unreachable {
        /// Why.
        reason: String,
    },
    /// The upstream broke off in the middle of the reply.
    Cut {
        /// Why.
        reason: String,
    },
    /// The agent hung up before the reply was complete.
    Abandoned,
    /// The reply was longer than the gateway allows and was cut off.
    TooLarge {
        /// Bytes that are allowed.
        limit: u64,
    },
    /// Something took longer than the gateway allows.
    Timeout {
        /// What did.
        what: String,
    },
    /// A complete reply that is not what the protocol says, passed on as it was.
    Invalid {
        /// What is wrong with it.
        reason: String,
    },
    /// A budget was used up, and nothing was asked.
    Budget {
        /// Which.
        exceeded: Exceeded,
    },
    /// The cassette has no reply to this request.
    CassetteMismatch {
        /// What was asked, what is recorded, and where they first differ.
        report: String,
    },
    /// The script of the scripted model does not fit the request.
    Script {
        /// In which way.
        reason: String,
    },
}

/// A budget that is used up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exceeded {
    /// Whose it is.
    pub scope: BudgetScope,
    /// What it counts.
    pub of: BudgetKind,
    /// How much there was: requests, tokens or US dollars.
    pub limit: f64,
    /// How much is spent.
    pub spent: f64,
}

/// Whose budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// The trial's.
    Trial,
    /// The job's: all its trials together.
    Job,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Requests.
    Requests,
    /// Tokens, each once, cached ones too.
    Tokens,
    /// US dollars.
    Usd,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = match self.scope {
            BudgetScope::Trial => "trial",
            BudgetScope::Job => "job",
        };
        let Self { limit, spent, .. } = self;
        match self.of {
            BudgetKind::Requests => write!(
                f,
                "the {scope}'s budget of {limit} requests is used up ({spent} made)"
            ),
            BudgetKind::Tokens => write!(
                f,
                "the {scope}'s budget of {limit} tokens is used up ({spent} spent)"
            ),
            BudgetKind::Usd => write!(
                f,
                "the {scope}'s budget of {limit:.4} USD is used up ({spent:.4} spent)"
            ),
        }
    }
}

/// All exchanges of a trial, in sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSummary {
    /// Requests, those that were refused included.
    pub requests: u64,
    /// Requests that the model answered, complete.
    pub answered: u64,
    /// Requests that the gateway refused because of endpoint or model.
    pub refused: u64,
    /// Requests that failed otherwise.
    pub failed: u64,
    /// Times that the upstream was asked again.
    pub retries: u64,
    /// All tokens.
    pub usage: Usage,
    /// Whether some of `usage` is the gateway's estimate.
    pub estimated: bool,
    /// What the tokens with a known price cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Requests with tokens whose price is not known. With any, `cost` is not
    /// the whole.
    pub unpriced: u64,
    /// Models that answered, as they call themselves, in order of appearance; at
    /// most [`MODELS_MAX`].
    pub models: Vec<String>,
    /// The first budget that was found used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<Exceeded>,
    /// What the last request for a reply failed with; None when it was
    /// answered. A failure that the agent got over is none of the trial's. The
    /// last is the one that arrived last, whichever ended last; one that the
    /// agent gave up, without a failure, says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKind>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of the request that `failure` is of. Only needed while exchanges
    /// are added.
    #[serde(skip)]
    last: Option<u64>,
}

impl ExchangeEnd {
    /// Whether the reply is complete and what the protocol says.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok)
    }

    /// What happened, for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Ok => "answered".to_owned(),
            Self::Refused { reason } => format!("refused: {reason}"),
            Self::Upstream { status, reason } => {
                format!("the model's service answered {status}: {reason}")
            }
            Self::Unreachable { reason } => {
                format!("the model's service cannot be reached: {reason}")
            }
            Self::Cut { reason } => format!("the reply broke off: {reason}"),
            Self::Abandoned => "the agent hung up".to_owned(),
            Self::TooLarge { limit } => format!("the reply is longer than {limit} bytes"),
            Self::Timeout { what } => format!("{what} took too long"),
            Self::Invalid { reason } => {
                format!("the reply is not what the protocol says: {reason}")
            }
            Self::Budget { exceeded } => exceeded.to_string(),
            Self::CassetteMismatch { report } => format!("cassette mismatch: {report}"),
            Self::Script { reason } => format!("the script does not fit: {reason}"),
        }
    }
}

impl ModelSummary {
    /// Adds an exchange. `counts` says whether it asked for a reply of a model
    /// (not for a list of models, or a count of tokens).
    pub fn add(&mut self, exchange: &Exchange, counts: bool) {
        self.requests += 1;
        match &exchange.end {
            ExchangeEnd::Ok => self.answered += 1,
            ExchangeEnd::Refused { .. } => self.refused += 1,
            _ => self.failed += 1,
        }
        self.retries += u64::from(exchange.attempts.saturating_sub(1));
        if let Some(usage) = exchange.usage {
            self.usage += usage;
            self.estimated |= exchange.estimated;
            match &exchange.cost {
                Some(cost) => {
                    let sum = self.cost.get_or_insert_with(|| Cost {
                        usd: 0.0,
                        prices: cost.prices.clone(),
                    });
                    sum.usd += cost.usd;
                }
                None => self.unpriced += 1,
            }
        }
        if let Some(model) = &exchange.answered
            && self.models.len() < MODELS_MAX
            && !self.models.contains(model)
        {
            self.models.push(model.clone());
        }
        if let ExchangeEnd::Budget { exceeded } = &exchange.end {
            self.exceeded.get_or_insert_with(|| exceeded.clone());
        }
        if counts {
            self.conclude(exchange);
        }
    }

    /// Takes over what an exchange failed with, where it is the last so far.
    /// Agents ask for titles and the like beside their work, and give requests
    /// up: neither makes a failure of the work itself undone.
    fn conclude(&mut self, exchange: &Exchange) {
        let given_up = exchange.end == ExchangeEnd::Abandoned;
        let earlier = self.last.is_some_and(|last| exchange.seq < last);
        if earlier || (given_up && exchange.failure.is_none()) {
            return;
        }
        self.last = Some(exchange.seq);
        self.failure = exchange.failure;
        self.reason = exchange.failure.map(|_| match &exchange.stop {
            Some(stop) if exchange.end.is_ok() => format!("the model stopped: {stop}"),
            _ if given_up => "the agent hung up while its model failed".to_owned(),
            _ => exchange.end.describe(),
        });
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(seq: u64, end: ExchangeEnd, failure: Option<FailureKind>) -> Exchange {
        Exchange {
            seq,
            clock: ExchangeClock::default(),
            method: "POST".to_owned(),
            host: "api.anthropic.com".to_owned(),
            path: "/v1/messages".to_owned(),
            api: None,
            asked: None,
            rewritten: None,
            answered: None,
            removed: Vec::new(),
            streamed: false,
            status: None,
            attempts: 1,
            usage: None,
            estimated: false,
            cost: None,
            tool_calls: Vec::new(),
            stop: None,
            request_bytes: 0,
            reply_bytes: 0,
            end,
            failure,
            request: None,
            reply: None,
        }
    }

    fn failed(seq: u64) -> Exchange {
        let end = ExchangeEnd::Timeout {
            what: "the reply".to_owned(),
        };
        exchange(seq, end, Some(FailureKind::Upstream))
    }

    fn sum(exchanges: &[Exchange]) -> ModelSummary {
        let mut summary = ModelSummary::default();
        for exchange in exchanges {
            summary.add(exchange, true);
        }
        summary
    }

    #[test]
    fn the_last_request_is_the_one_that_arrived_last() {
        let answered = |seq| exchange(seq, ExchangeEnd::Ok, None);
        // A request beside it was there first and ends last.
        let beside = sum(&[failed(1), answered(0)]);
        assert_eq!(beside.failure, Some(FailureKind::Upstream));
        assert_eq!(beside.reason.as_deref(), Some("the reply took too long"));
        assert_eq!((beside.requests, beside.answered, beside.failed), (2, 1, 1));
        let got_over = sum(&[failed(0), answered(1)]);
        assert_eq!((got_over.failure, got_over.reason), (None, None));
        let early = sum(&[answered(1), failed(0)]);
        assert_eq!(early.failure, None);
        assert_eq!(sum(&[answered(0), failed(1)]).failure, beside.failure);
    }

    #[test]
    fn a_request_that_was_given_up_changes_nothing_unless_it_failed() {
        let given_up = |seq, failure| exchange(seq, ExchangeEnd::Abandoned, failure);
        let after = sum(&[failed(0), given_up(1, None)]);
        assert_eq!(after.failure, Some(FailureKind::Upstream));
        // It is no last request either.
        let before = sum(&[given_up(1, None), failed(0)]);
        assert_eq!(before.failure, Some(FailureKind::Upstream));
        let waiting = sum(&[given_up(0, Some(FailureKind::RateLimit))]);
        assert_eq!(waiting.failure, Some(FailureKind::RateLimit));
        assert_eq!(
            waiting.reason.as_deref(),
            Some("the agent hung up while its model failed")
        );
        let mut uncounted = sum(&[failed(0)]);
        uncounted.add(&exchange(1, ExchangeEnd::Ok, None), false);
        assert_eq!(uncounted.failure, Some(FailureKind::Upstream));
    }

    #[test]
    fn names_of_models_are_bounded() {
        let names = (0..2 * MODELS_MAX).map(|index| Exchange {
            answered: Some(format!("m-{index}")),
            ..exchange(index as u64, ExchangeEnd::Ok, None)
        });
        let summary = sum(&names.collect::<Vec<_>>());
        assert_eq!(summary.models.len(), MODELS_MAX);
        assert_eq!(summary.models[MODELS_MAX - 1], "m-255");
    }
}
