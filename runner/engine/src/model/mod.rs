//! Models: what the operator says of them, and what a trial does with that.
//!
//! [`ModelRequest`] is what was typed; `Models` is the same with files read
//! and contradictions refused, once for a job; `Traffic` is one trial's
//! gateway to it, hung into the room's network.

mod crosscheck;
mod name;
mod traffic;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proctor_model::cassette::{Cassette, Recorder};
use proctor_model::gateway::{
    GatewayError, JobConfig, JobModels, MemoryRecord, Mode, ModelGateway, Record, TrialModels,
};
use proctor_model::prices::PriceTable;
use proctor_model::scripted::Script;
use proctor_model::{ModelApi, ModelRoute};

use crate::EngineError;
use crate::read::Links;

pub use proctor_model::Secret;
pub use proctor_model::gateway::Budget;

pub use name::{ModelName, ModelNameError, Provider};
pub(crate) use traffic::{GROWING, Spoken, Traffic, crosscheck};

/// Name by which agents know a scripted model. A gateway takes any.
const SCRIPTED: &str = "scripted-model";
/// Bytes of a table of prices.
const PRICES_BYTES: u64 = 1 << 20;
/// Bytes of a scripted model's file.
const SCRIPT_BYTES: u64 = 16 << 20;

/// The model that the operator gives to agents.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// Which.
    pub name: ModelName,
    /// Base address of the server, where it is not the provider's own.
    pub url: Option<String>,
    /// The operator's key, where the server wants one.
    pub key: Option<Secret>,
    /// Further models that the agent may ask, for titles and summaries.
    pub small: Vec<String>,
    /// What one trial may take.
    pub trial_budget: Budget,
    /// What all trials may take together.
    pub job_budget: Budget,
    /// Prices of the operator's, which come before the built-in ones.
    pub prices: Option<PathBuf>,
    /// Recorded traffic.
    pub cassette: Option<CassetteUse>,
}

/// What a cassette is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CassetteUse {
    /// Traffic is recorded into it.
    Record(PathBuf),
    /// Traffic is played from it: no key, no network.
    Replay(PathBuf),
}

/// A job's models, checked.
#[derive(Debug, Clone)]
pub(crate) struct Models {
    name: ModelName,
    routes: Vec<ModelRoute>,
    mode: Mode,
    trial_budget: Budget,
    job: JobModels,
}

impl Models {
    /// Reads and checks everything that `request` names. Has to be called
    /// within a tokio runtime.
    ///
    /// # Errors
    /// When a file cannot be read, an address cannot be used, or a key is
    /// missing.
    pub(crate) fn load(request: &ModelRequest) -> Result<Self, EngineError> {
        let key = request.key.clone();
        let provider = request.name.provider;
        let replays = matches!(request.cassette, Some(CassetteUse::Replay(_)));
        if key.is_none() && !replays && provider.needs_key(request.url.as_deref()) {
            return Err(no_key(provider, "--key-file"));
        }
        let prices = match &request.prices {
            Some(path) => prices(path)?,
            None => PriceTable::default(),
        };
        let config = JobConfig {
            prices,
            budget: request.job_budget,
            ..JobConfig::default()
        };
        let mut models = Self {
            name: request.name.clone(),
            routes: routes(request, key)?,
            mode: mode(request)?,
            trial_budget: request.trial_budget,
            job: JobModels::new(config).map_err(refused)?,
        };
        // Made once more for every trial; here only so that a mistake shows now.
        let record = Arc::new(MemoryRecord::default());
        models.gateway(record).map_err(refused)?;
        // Last, since it makes a file.
        if let Some(CassetteUse::Record(path)) = &request.cassette {
            models.mode = Mode::Record(recorder(path)?);
        }
        Ok(models)
    }

    /// The gateway of one trial, which writes to `record`.
    pub(crate) fn gateway(&self, record: Arc<dyn Record>) -> Result<ModelGateway, GatewayError> {
        let trial = TrialModels {
            routes: self.routes.clone(),
            mode: self.mode.clone(),
            budget: self.trial_budget,
        };
        ModelGateway::new(&self.job, trial, record)
    }

    /// Ends what is recorded, once no trial is left. Says why the cassette is
    /// not complete, where it is not.
    pub(crate) fn finish(&self) -> Option<String> {
        let Mode::Record(recorder) = &self.mode else {
            return None;
        };
        let error = recorder.finish().err()?;
        Some(format!(
            "the cassette is not complete and will not replay this job: {error}"
        ))
    }

    /// As it stands in records: `anthropic/claude-sonnet-4-5`.
    pub(crate) fn name(&self) -> &ModelName {
        &self.name
    }

    /// The protocols that an agent can speak to reach the model.
    pub(crate) fn apis(&self) -> impl Iterator<Item = ModelApi> {
        self.routes
            .iter()
            .flat_map(|route| route.apis.iter().copied())
    }

    /// What the agent calls the model.
    pub(crate) fn model(&self) -> &str {
        match self.name.provider {
            Provider::Scripted => SCRIPTED,
            _ => &self.name.model,
        }
    }

    /// Address, without a path, at which an agent that speaks `api` finds the
    /// model.
    pub(crate) fn origin(&self, api: ModelApi) -> Option<String> {
        let route = self.routes.iter().find(|route| route.apis.contains(&api))?;
        let host = &route.host;
        let scheme = if *host == api.host() { "https" } else { "http" };
        Some(format!("{scheme}://{host}"))
    }
}

/// There is no key for `provider`; `flag` names a file with one.
pub(crate) fn no_key(provider: Provider, flag: &str) -> EngineError {
    EngineError::Usage {
        message: format!("there is no key for {provider}"),
        hint: provider
            .key_variable()
            .map(|variable| format!("set {variable}, or name a file of mode 0600 with {flag}")),
    }
}

fn mode(request: &ModelRequest) -> Result<Mode, EngineError> {
    if request.name.provider == Provider::Scripted {
        if request.cassette.is_some() {
            return Err(EngineError::Usage {
                message: "a scripted model has nothing to record or replay".to_owned(),
                hint: Some("leave --record and --replay away".to_owned()),
            });
        }
        let path = Path::new(&request.name.model);
        let text = text(path, SCRIPT_BYTES)?;
        return Ok(Mode::Scripted(Script::parse(&text).map_err(refused)?));
    }
    Ok(match &request.cassette {
        None | Some(CassetteUse::Record(_)) => Mode::Live,
        Some(CassetteUse::Replay(path)) => {
            Mode::Replay(Cassette::open(path).map_err(|error| EngineError::Usage {
                message: format!("{}: {}", path.display(), crate::error::chain(&error)),
                hint: Some("name a file that --record has made".to_owned()),
            })?)
        }
    })
}

fn recorder(path: &Path) -> Result<Arc<Recorder>, EngineError> {
    Recorder::create(path).map_err(|error| EngineError::Usage {
        message: format!("{}: {}", path.display(), crate::error::chain(&error)),
        hint: Some("a cassette is a new file: name another, or move this one away".to_owned()),
    })
}

fn routes(request: &ModelRequest, key: Option<Secret>) -> Result<Vec<ModelRoute>, EngineError> {
    let mut models = vec![request.name.model.clone()];
    models.extend(request.small.iter().cloned());
    let api = match request.name.provider {
        Provider::Anthropic => ModelApi::Anthropic,
        Provider::Openai => ModelApi::OpenaiResponses,
        Provider::Gemini => ModelApi::Gemini,
        Provider::Compatible => {
            let url = request.url.as_deref().ok_or_else(|| EngineError::Usage {
                message: format!("the address of the server for {} is missing", request.name),
                hint: Some("name it with --model-url http://HOST:PORT/v1".to_owned()),
            })?;
            return Ok(vec![
                ModelRoute::compatible(url, models, key).map_err(refused)?,
            ]);
        }
        // Whatever the agent speaks and asks for, the script answers.
        Provider::Scripted => return Ok(scripted_routes()),
    };
    let route = ModelRoute::new(api, models, key);
    Ok(vec![match &request.url {
        Some(url) => route.at(url).map_err(refused)?,
        None => route,
    }])
}

fn scripted_routes() -> Vec<ModelRoute> {
    let apis = [
        ModelApi::Anthropic,
        ModelApi::OpenaiResponses,
        ModelApi::Gemini,
    ];
    let named = vec![SCRIPTED.to_owned()];
    let route = |api| ModelRoute::new(api, named.clone(), None).rewriting_to(SCRIPTED);
    apis.into_iter().map(route).collect()
}

fn prices(path: &Path) -> Result<PriceTable, EngineError> {
    let text = text(path, PRICES_BYTES)?;
    PriceTable::default().overridden_by(&text).map_err(refused)
}

/// A file of text that the operator names.
fn text(path: &Path, limit: u64) -> Result<String, EngineError> {
    let unread = |error| EngineError::io("cannot read", path)(error);
    let bytes = crate::read::regular(path, limit, Links::Follow).map_err(unread)?;
    String::from_utf8(bytes).map_err(|error| unread(std::io::Error::other(error)))
}

/// Something that the operator named and that cannot be used.
fn refused(error: impl std::error::Error) -> EngineError {
    EngineError::Usage {
        message: crate::error::chain(&error),
        hint: Some("docs/agents.md describes models, keys, budgets and cassettes".to_owned()),
    }
}
