//! Agents that are programs of their own: where they are, and which model they
//! get. What is wrong with either shows before the first trial starts.

use std::path::PathBuf;
use std::sync::Arc;

use proctor_agents::adapter::Adapter;
use proctor_agents::install::{FindError, Search, find};
use proctor_agents::{AgentSpec, CliAgent, CliSetup, ModelTarget, SetupError};
use proctor_types::ModelApi;
use proctor_types::manifest::Isolation;

use crate::EngineError;
use crate::error::unusable;
use crate::host::HostConfig;
use crate::model::Models;

/// An agent's program, found and set up.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    adapter: Arc<Adapter>,
    setup: CliSetup,
}

/// What the operator says of agents that are programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Where the program is, or its installation.
    pub(crate) path: Option<&'a PathBuf>,
    /// Most turns.
    pub(crate) turns: Option<u32>,
    /// How the agent is held.
    pub(crate) isolation: Isolation,
    /// The model.
    pub(crate) models: Option<&'a Models>,
}

impl Program {
    /// The program of `spec`; `None` for an agent that the runner plays itself.
    ///
    /// # Errors
    /// When it is not to be found, cannot be in a room, or cannot ask the model
    /// that it is to ask.
    pub(crate) fn find(
        spec: &AgentSpec,
        wanted: Wanted<'_>,
        host: &HostConfig,
    ) -> Result<Option<Arc<Self>>, EngineError> {
        let Some(adapter) = spec.adapter().map_err(unusable)? else {
            return Ok(None);
        };
        let search = Search {
            given: wanted.path.map(PathBuf::as_path),
            cache: &host.agents,
            path: &host.search,
            own: host.own.as_deref(),
        };
        let mut installation = find(&adapter, search).map_err(|error| missing(&error))?;
        if wanted.isolation == Isolation::None {
            installation = installation.on_host();
        }
        let setup = CliSetup {
            installation,
            model: target(&adapter, wanted.models)?,
            mcp_url: None,
            turns: wanted.turns,
        };
        let program = Self {
            adapter: Arc::new(adapter),
            setup,
        };
        // Made once more for every trial; here only so that a mistake shows now.
        program.agent(&[]).map_err(|error| unfit(&error))?;
        Ok(Some(Arc::new(program)))
    }

    /// The agent, in a world with `services`.
    pub(crate) fn agent(&self, services: &[String]) -> Result<CliAgent, SetupError> {
        let mut setup = self.setup.clone();
        setup.mcp_url = (!services.is_empty()).then(|| proctor_services::MCP_URL.to_owned());
        CliAgent::new(Arc::clone(&self.adapter), setup)
    }

    /// Whether the agent is nothing without a model.
    pub(crate) fn asks_models(&self) -> bool {
        self.adapter.asks_models()
    }

    /// What of the host has to be in the room: place in the room, and path.
    pub(crate) fn binds(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let binds = self.setup.installation.binds.iter();
        binds.map(|bind| (bind.target.clone(), bind.source.clone()))
    }
}

/// The model in a protocol that the agent speaks. One that speaks none of the
/// model's is told by [`CliAgent::new`], with what it does speak.
fn target(adapter: &Adapter, models: Option<&Models>) -> Result<Option<ModelTarget>, EngineError> {
    let Some(models) = models.filter(|_| adapter.asks_models()) else {
        return Ok(None);
    };
    let offered: Vec<ModelApi> = models.apis().collect();
    let Some(api) = adapter.choose(&offered).or(offered.first().copied()) else {
        return Ok(None);
    };
    let base_url = models.origin(api).ok_or_else(|| EngineError::Usage {
        message: format!("{} cannot be asked over {api}", models.name()),
        hint: None,
    })?;
    Ok(Some(ModelTarget {
        api,
        model: models.model().to_owned(),
        base_url,
        provider: models.name().provider.as_str().to_owned(),
    }))
}

fn missing(error: &FindError) -> EngineError {
    EngineError::Usage {
        message: crate::error::chain(error),
        hint: error.hint(),
    }
}

fn unfit(error: &SetupError) -> EngineError {
    EngineError::Usage {
        message: error.to_string(),
        hint: Some("`proctor agents` lists what each agent can do".to_owned()),
    }
}
