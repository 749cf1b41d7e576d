//! Who judges, as the operator writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use proctor_judge::provider::{Command, Model, Provider, Recorded};
use proctor_judge::{Judge, JudgeError, Options, Stored, same_model};
use proctor_model::client::ClientConfig;
use proctor_model::{ModelApi, Secret};

use crate::EngineError;
use crate::model::{ModelName, ModelNameError, Provider as ModelProvider};

/// A judge: `PROVIDER/MODEL`, `command:PROGRAM` or `recorded:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeProvider {
    /// A model.
    Model(ModelName),
    /// A program that gets the request on standard input.
    Command(PathBuf),
    /// Answers that were given before.
    Recorded(PathBuf),
}

/// Why a text names no judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeSpecError {
    /// Neither a program nor a file, and no model.
    #[error("{0}; a judge can also be command:PROGRAM or recorded:FILE")]
    Model(#[from] ModelNameError),
    /// A model that cannot judge.
    #[error("`{0}` cannot judge: {1}")]
    Unfit(String, &'static str),
}

impl FromStr for JudgeProvider {
    type Err = JudgeSpecError;

    fn from_str(text: &str) -> Result<Self, JudgeSpecError> {
        let unfit = |why| JudgeSpecError::Unfit(text.to_owned(), why);
        match text.split_once(':') {
            Some(("command", "")) => Err(unfit("the program is missing")),
            Some(("recorded", "")) => Err(unfit("the file is missing")),
            Some(("command", program)) => Ok(Self::Command(program.into())),
            Some(("recorded", file)) => Ok(Self::Recorded(file.into())),
            _ => match text.parse::<ModelName>()? {
                ModelName {
                    provider: ModelProvider::Scripted,
                    ..
                } => Err(unfit("recorded:FILE plays answers that are written down")),
                ModelName {
                    provider: ModelProvider::Gemini,
                    ..
                } => Err(unfit(
                    "use its OpenAI-compatible interface, as openai-compatible/MODEL with \
                     --judge-url",
                )),
                model => Ok(Self::Model(model)),
            },
        }
    }
}

impl fmt::Display for JudgeProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(model) => model.fmt(f),
            Self::Command(program) => write!(f, "command:{}", program.display()),
            Self::Recorded(file) => write!(f, "recorded:{}", file.display()),
        }
    }
}

/// The judge that the operator asks for.
#[derive(Debug, Clone)]
pub struct JudgeRequest {
    /// Who.
    pub provider: JudgeProvider,
    /// Base address of the model's server, where it is not the provider's own.
    pub url: Option<String>,
    /// The operator's key, where the server wants one.
    pub key: Option<Secret>,
    /// Votes on each criterion.
    pub votes: u32,
    /// Whether the agent's own model may judge.
    pub same_model: bool,
    /// Whether to ask even where an answer is stored.
    pub fresh: bool,
}

impl JudgeRequest {
    /// The judge itself.
    pub(crate) fn open(&self) -> Result<Judge, EngineError> {
        let options = Options {
            votes: self.votes,
            same_model: self.same_model,
            fresh: self.fresh,
            ..Options::default()
        };
        Judge::new(self.provider()?, options).map_err(|error| super::refused(&error))
    }

    /// Refuses to have a model judge its own work, before it has done any.
    pub(crate) fn may_judge(&self, agent: &ModelName) -> Result<(), EngineError> {
        match &self.provider {
            JudgeProvider::Model(judge)
                if !self.same_model && same_model(&agent.model, &judge.model) =>
            {
                Err(super::refused(&JudgeError::SameModel {
                    judge: judge.to_string(),
                    agent: agent.to_string(),
                }))
            }
            _ => Ok(()),
        }
    }

    fn provider(&self) -> Result<Arc<dyn Provider>, EngineError> {
        Ok(match &self.provider {
            JudgeProvider::Command(program) => Arc::new(Command::new(program)),
            JudgeProvider::Recorded(file) => {
                let name = file.display().to_string();
                let opened =
                    std::fs::File::open(file).map_err(EngineError::io("cannot read", file))?;
                let stored = Stored::read(opened, &name).map_err(unusable)?;
                Arc::new(Recorded::new(&stored, &name).map_err(unusable)?)
            }
            JudgeProvider::Model(name) => Arc::new(self.model(name)?),
        })
    }

    fn model(&self, name: &ModelName) -> Result<Model, EngineError> {
        let provider = name.provider;
        if self.key.is_none() && provider.needs_key(self.url.as_deref()) {
            return Err(crate::model::no_key(provider, "--judge-key-file"));
        }
        let api = match provider {
            ModelProvider::Anthropic => ModelApi::Anthropic,
            _ => ModelApi::OpenaiChat,
        };
        let mut config = ClientConfig::new(api);
        config.key.clone_from(&self.key);
        if let Some(url) = &self.url {
            config.base_url = Some(url.clone());
        } else if provider == ModelProvider::Compatible {
            return Err(EngineError::Usage {
                message: format!("the address of the server for {name} is missing"),
                hint: Some("name it with --judge-url http://HOST:PORT/v1".to_owned()),
            });
        }
        Model::new(provider.as_str(), name.model.as_str(), config).map_err(unusable)
    }
}

fn unusable(error: impl std::error::Error) -> EngineError {
    EngineError::Usage {
        message: crate::error::chain(&error),
        hint: Some("docs/judge.md describes who can judge".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_are_read_and_written_alike() {
        for text in [
            "anthropic/claude-sonnet-4-5",
            "command:/usr/bin/my-judge",
            "recorded:judge.jsonl",
        ] {
            assert_eq!(text.parse::<JudgeProvider>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_cannot_judge_says_what_could() {
        for (text, says) in [
            ("gpt-5", "command:PROGRAM or recorded:FILE"),
            ("command:", "program is missing"),
            ("gemini/gemini-2.5-pro", "openai-compatible/MODEL"),
            ("scripted/x.yaml", "recorded:FILE"),
        ] {
            let error = text.parse::<JudgeProvider>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
