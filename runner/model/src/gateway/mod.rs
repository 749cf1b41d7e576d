//! One trial's way to its models.
//!
//! ```text
//! agent --- captive TLS --- ModelGateway --- upstream, cassette or script
//! ```
//!
//! A request passes in this order: its host and path have to be an endpoint of a
//! [`ModelRoute`]; its body is read, unpacked (gzip, deflate, zstd) and looked
//! at; its model has to be allowed; the budgets of trial and job have to have
//! something left; then it goes out with the operator's key in place of the
//! agent's, and is asked again while the provider is busy and the agent has got
//! nothing yet. The reply is passed on piece by piece as it comes, and looked at
//! in passing for tokens, calls of tools and how it ends.
//!
//! Whatever becomes of it, there is one [`Exchange`] of each request.
//!
//! # What an agent can notice
//! - The list of models holds those of the trial, and is the gateway's own.
//! - Of header fields only those that APIs know pass, both ways.
//! - Tools that run at the provider are taken out
//!   ([`ModelRoute::hosted_tools`]); a request with content that the provider
//!   would fetch from an address is refused.
//! - A streamed chat completion without `stream_options.include_usage` is asked
//!   for with it, since nothing else counts its tokens; the extra event that the
//!   provider then sends at the end is not passed on.
//! - A key that the upstream sends back is blanked with stars of equal length.

mod body;
mod budget;
mod exchange;
mod headers;
mod models;
mod record;
mod refused;
mod request;
mod respond;
pub(crate) mod retry;
mod tail;
mod upstream;

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Request, Response};
use proctor_types::model::{BudgetScope, Exchange, ModelSummary};

use crate::Body;
use crate::cassette::{Cassette, Player, Recorder};
use crate::prices::PriceTable;
use crate::redact::Redactor;
use crate::route::ModelRoute;
use crate::scripted::Script;
use crate::transport::{self, Connections, Roots, TransportError};
use budget::Ledger;

pub use budget::{Budget, Spent};
pub use record::{JsonLines, MemoryRecord, Record};
pub(crate) use respond::Ready;

/// Bounds on requests and replies.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a request's body, packed and unpacked; a longer one is refused. A
    /// trial takes as much memory for each of the requests that are
    /// [in flight](Self::in_flight). 32 MiB: Anthropic's documentation says that
    /// it takes 32 MB.
    pub request_bytes: usize,
    /// From the header fields to the end of a request's body. A minute.
    pub request_time: Duration,
    /// Bytes of a reply's body; a longer one is cut off. 64 MiB.
    pub reply_bytes: u64,
    /// TCP connection, to all addresses of the upstream's host together. Looking
    /// its name up is a part of [`first_byte`](Self::first_byte) only. 20 s.
    pub connect: Duration,
    /// From the request to the reply's header fields: models that do not stream
    /// think first. 10 minutes.
    pub first_byte: Duration,
    /// Between two pieces of a reply. 5 minutes.
    pub idle: Duration,
    /// A whole reply; also how long a request waits for a part of a budget that
    /// others have reserved. 30 minutes.
    pub total: Duration,
    /// How often a request is sent altogether while the provider is busy. 8.
    pub attempts: u32,
    /// How long waiting between attempts may take together; a provider that
    /// says more is not waited for. 5 minutes.
    pub patience: Duration,
    /// Bytes of each body that the record keeps. 16 KiB.
    pub excerpt: usize,
    /// Requests of one trial that are being answered at once; more wait. 16.
    pub in_flight: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_bytes: 32 << 20,
            request_time: Duration::from_mins(1),
            reply_bytes: 64 << 20,
            connect: Duration::from_secs(20),
            first_byte: Duration::from_mins(10),
            idle: Duration::from_mins(5),
            total: Duration::from_mins(30),
            attempts: 8,
            patience: Duration::from_mins(5),
            excerpt: 16 << 10,
            in_flight: 16,
        }
    }
}

/// Where replies come from.
#[derive(Debug, Clone, Default)]
pub enum Mode {
    /// The routes' upstreams.
    #[default]
    Live,
    /// The routes' upstreams; a cassette keeps them.
    Record(Arc<Recorder>),
    /// A cassette; no key and no network.
    Replay(Arc<Cassette>),
    /// A script; no key and no network.
    Scripted(Arc<Script>),
}

impl Mode {
    /// Whether anything is asked of a provider.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live | Self::Record(_))
    }
}

/// What the trials of a job have in common.
#[derive(Debug, Clone, Default)]
pub struct JobConfig {
    /// What tokens cost.
    pub prices: PriceTable,
    /// What all trials together may take.
    pub budget: Budget,
    /// Whose certificates are believed.
    pub roots: Roots,
    /// Bounds on requests and replies.
    pub limits: Limits,
}

/// Connections, prices and the budget of a job. Cheap to clone; clones are the
/// same job.
#[derive(Clone)]
pub struct JobModels(Arc<Job>);

impl fmt::Debug for JobModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobModels")
            .field("prices", &self.0.prices.version())
            .field("spent", &self.spent())
            .finish_non_exhaustive()
    }
}

struct Job {
    prices: PriceTable,
    ledger: Arc<Ledger>,
    limits: Limits,
    roots: Roots,
    /// None until a trial asks an upstream: the others need no certificates.
    connections: Mutex<Option<Arc<Connections>>>,
}

impl Job {
    fn connections(&self) -> Result<Arc<Connections>, TransportError> {
        let kept = self.connections.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        if let Some(connections) = &*kept {
            return Ok(Arc::clone(connections));
        }
        let made = Arc::new(transport::connections(&self.roots, self.limits.connect)?);
        Ok(Arc::clone(kept.insert(made)))
    }
}

/// Why there is no gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// No connections.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Two routes for one host.
    #[error("two model routes have the host {0}: give one route both APIs")]
    SameHost(String),
    /// A route without a model.
    #[error("the model route of {0} names no model")]
    NoModel(String),
    /// A name that cannot be put into a request's path.
    #[error("{0:?} is no name of a model")]
    ModelName(String),
    /// A budget in money without a price.
    #[error(
        "there is a budget in US dollars, but the price of {model} is not known \
         (table {table}): add it to a table of prices of your own"
    )]
    NoPrice {
        /// The model.
        model: String,
        /// The table's version.
        table: String,
    },
    /// A budget that is none.
    #[error("a budget of {0} US dollars is none")]
    BadBudget(f64),
}

impl JobModels {
    /// The shared part of a job. Has to be used from within a tokio runtime.
    ///
    /// # Errors
    /// When the budget is none.
    pub fn new(config: JobConfig) -> Result<Self, GatewayError> {
        check_budget(&config.budget)?;
        Ok(Self(Arc::new(Job {
            connections: Mutex::default(),
            roots: config.roots,
            prices: config.prices,
            ledger: Ledger::new(BudgetScope::Job, config.budget),
            limits: config.limits,
        })))
    }

    /// What all trials took so far.
    pub fn spent(&self) -> Spent {
        self.0.ledger.spent()
    }

    /// The job's table of prices.
    pub fn prices(&self) -> &PriceTable {
        &self.0.prices
    }
}

/// What a trial has of its own.
#[derive(Debug, Clone, Default)]
pub struct TrialModels {
    /// The hosts that the agent may ask.
    pub routes: Vec<ModelRoute>,
    /// Where replies come from.
    pub mode: Mode,
    /// What the trial may take.
    pub budget: Budget,
}

/// One trial's gateway. Cheap to clone; clones are the same trial.
#[derive(Clone)]
pub struct ModelGateway(Arc<Trial>);

impl fmt::Debug for ModelGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelGateway")
            .field("routes", &self.0.routes)
            .finish_non_exhaustive()
    }
}

/// What the exchanges of a trial share.
struct Trial {
    job: Arc<Job>,
    routes: Vec<ModelRoute>,
    source: Source,
    ledger: Arc<Ledger>,
    record: Arc<dyn Record>,
    redactor: Redactor,
    summary: Mutex<ModelSummary>,
    next: AtomicU64,
    in_flight: Arc<tokio::sync::Semaphore>,
}

enum Source {
    /// The routes' upstreams; what they answer may be kept.
    Live {
        connections: Arc<Connections>,
        recorder: Option<Arc<Recorder>>,
    },
    Replay(Player),
    Scripted(Arc<Script>),
}

impl ModelGateway {
    /// The gateway of one trial. Every exchange goes to `record` when it is over.
    ///
    /// # Errors
    /// When routes contradict each other, a budget in US dollars could not be
    /// kept because a model's price is not known, or there are upstreams to be
    /// asked and the certificates to know them by cannot be read.
    pub fn new(
        job: &JobModels,
        trial: TrialModels,
        record: Arc<dyn Record>,
    ) -> Result<Self, GatewayError> {
        check_routes(&trial.routes)?;
        check_budget(&trial.budget)?;
        let job = Arc::clone(&job.0);
        let priced = trial.budget.usd.is_some() || job.ledger.has_usd();
        if priced && trial.mode.is_live() {
            check_prices(&job.prices, &trial.routes)?;
        }
        let keys = trial.routes.iter().filter_map(|route| route.key.as_ref());
        let redactor = Redactor::new(keys);
        let source = match trial.mode {
            Mode::Live => Source::Live {
                connections: job.connections()?,
                recorder: None,
            },
            Mode::Record(recorder) => Source::Live {
                connections: job.connections()?,
                recorder: Some(recorder),
            },
            Mode::Replay(cassette) => Source::Replay(cassette.player()),
            Mode::Scripted(script) => Source::Scripted(script),
        };
        Ok(Self(Arc::new(Trial {
            redactor,
            source,
            ledger: Ledger::new(BudgetScope::Trial, trial.budget),
            record,
            summary: Mutex::default(),
            next: AtomicU64::new(0),
            in_flight: Arc::new(tokio::sync::Semaphore::new(job.limits.in_flight)),
            routes: trial.routes,
            job,
        })))
    }

    /// Whether a host, in lower case and without a port, is one of the trial's
    /// models.
    pub fn owns(&self, host: &str) -> bool {
        self.0.route(host).is_some()
    }

    /// Answers a request to a host that the gateway [owns](Self::owns). The host
    /// is that of the request's target, or of its `Host` field.
    ///
    /// The reply's body fails where the upstream's does, and where a bound is
    /// met: the connection to the agent then has to be broken, so that it does
    /// not take the reply for complete.
    pub async fn respond(&self, request: Request<Body>) -> Response<Body> {
        Box::pin(respond::respond(&self.0, request)).await
    }

    /// All exchanges that are over, in sum.
    pub fn summary(&self) -> ModelSummary {
        let summary = self.0.summary.lock();
        summary.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the trial took so far.
    pub fn spent(&self) -> Spent {
        self.0.ledger.spent()
    }

    /// For a replayed trial: how many recorded replies were not asked for.
    pub fn unplayed(&self) -> Option<usize> {
        match &self.0.source {
            Source::Replay(player) => Some(player.unplayed()),
            _ => None,
        }
    }
}

impl Trial {
    fn route(&self, host: &str) -> Option<&ModelRoute> {
        self.routes.iter().find(|route| route.host == host)
    }

    /// Writes down an exchange that is over.
    fn note(&self, exchange: Exchange, counts: bool) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary.add(&exchange, counts);
        drop(summary);
        self.record.exchange(exchange);
    }
}

fn check_routes(routes: &[ModelRoute]) -> Result<(), GatewayError> {
    for (index, route) in routes.iter().enumerate() {
        if routes[..index].iter().any(|it| it.host == route.host) {
            return Err(GatewayError::SameHost(route.host.clone()));
        }
        if route.models.is_empty() && route.rewrite_model.is_none() {
            return Err(GatewayError::NoModel(route.host.clone()));
        }
        for model in route.models.iter().chain(&route.rewrite_model) {
            // Names go into the paths of Google's API. `/` is in names of
            // models of other servers, `..` is in none.
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/@".contains(&byte);
            if model.is_empty() || model.contains("..") || !model.bytes().all(fits) {
                return Err(GatewayError::ModelName(model.chars().take(100).collect()));
            }
        }
    }
    Ok(())
}

fn check_budget(budget: &Budget) -> Result<(), GatewayError> {
    match budget.usd {
        Some(usd) if !(0.0..=1e6).contains(&usd) => Err(GatewayError::BadBudget(usd)),
        _ => Ok(()),
    }
}

fn check_prices(prices: &PriceTable, routes: &[ModelRoute]) -> Result<(), GatewayError> {
    for route in routes {
        let models = match &route.rewrite_model {
            Some(model) => std::slice::from_ref(model),
            None => &route.models[..],
        };
        if let Some(model) = models.iter().find(|model| !prices.knows(model)) {
            return Err(GatewayError::NoPrice {
                model: model.clone(),
                table: prices.version().to_owned(),
            });
        }
    }
    Ok(())
}
