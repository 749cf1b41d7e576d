//! Flags about models and judges, for the verbs that ask one, and the keys of
//! the operator, which come from the environment or a file and from nowhere
//! else.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use proctor_engine::judging::{JudgeProvider, JudgeRequest};
use proctor_engine::model::{Budget, CassetteUse, ModelName, ModelRequest, Provider, Secret};

/// The agents' model.
#[derive(Debug, Args)]
#[command(next_help_heading = "The agent's model")]
pub(crate) struct ModelFlags {
    /// Model that the agent gets: `anthropic/NAME`, `openai/NAME`,
    /// `gemini/NAME`, `openai-compatible/NAME` (with --model-url), or
    /// `scripted/FILE`, which answers from a steps file. The key is read from
    /// `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, that of a
    /// compatible server from --key-file; the agent never sees it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<ModelName>,

    /// Base address of the model's server, where it is not the provider's own
    /// (vLLM, Ollama, llama.cpp: `http://127.0.0.1:8000/v1`)
    #[arg(long, value_name = "URL", requires = "model")]
    pub model_url: Option<String>,

    /// File with the key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "model")]
    pub key_file: Option<PathBuf>,

    /// Further model that the agent may ask, for titles and summaries. Repeat
    /// for several
    #[arg(long = "small-model", value_name = "MODEL", requires = "model")]
    pub small: Vec<String>,

    /// US dollars that one trial may cost
    #[arg(long, value_name = "USD", requires = "model")]
    pub budget_usd: Option<f64>,

    /// Requests that one trial may make
    #[arg(long, value_name = "N", requires = "model")]
    pub budget_requests: Option<u64>,

    /// Tokens that one trial may take
    #[arg(long, value_name = "N", requires = "model")]
    pub budget_tokens: Option<u64>,

    /// US dollars that the whole job may cost
    #[arg(long, value_name = "USD", requires = "model")]
    pub job_budget_usd: Option<f64>,

    /// Prices of your own, as docs/agents.md describes them
    #[arg(long, value_name = "FILE", requires = "model")]
    pub prices: Option<PathBuf>,

    /// Record what the model is asked and answers into this cassette
    #[arg(
        long,
        value_name = "FILE",
        requires = "model",
        conflicts_with = "replay"
    )]
    pub record: Option<PathBuf>,

    /// Answer from this cassette, without a key and without a network
    #[arg(long, value_name = "FILE", requires = "model")]
    pub replay: Option<PathBuf>,
}

impl ModelFlags {
    /// What they ask for.
    pub(crate) fn request(&self) -> anyhow::Result<Option<ModelRequest>> {
        let Some(name) = self.model.clone() else {
            return Ok(None);
        };
        let cassette = match (&self.record, &self.replay) {
            (Some(file), _) => Some(CassetteUse::Record(file.clone())),
            (None, Some(file)) => Some(CassetteUse::Replay(file.clone())),
            (None, None) => None,
        };
        Ok(Some(ModelRequest {
            key: key(name.provider, self.key_file.as_deref())?,
            name,
            url: self.model_url.clone(),
            small: self.small.clone(),
            trial_budget: Budget {
                requests: self.budget_requests,
                tokens: self.budget_tokens,
                usd: self.budget_usd,
            },
            job_budget: Budget {
                usd: self.job_budget_usd,
                ..Budget::default()
            },
            prices: self.prices.clone(),
            cassette,
        }))
    }
}

/// Who judges.
#[derive(Debug, Args)]
#[command(next_help_heading = "The judge")]
pub(crate) struct JudgeFlags {
    /// Judge of what graders leave open: `PROVIDER/MODEL`, `command:PROGRAM` or
    /// `recorded:FILE` (docs/judge.md). Without one, such criteria stay open
    #[arg(long, value_name = "JUDGE")]
    pub judge: Option<JudgeProvider>,

    /// Votes on each criterion; their median counts
    #[arg(long, value_name = "N", default_value_t = 1, requires = "judge",
          value_parser = clap::value_parser!(u32).range(1..=25))]
    pub judge_votes: u32,

    /// Base address of the judge's server, where it is not the provider's own
    #[arg(long, value_name = "URL", requires = "judge")]
    pub judge_url: Option<String>,

    /// File with the judge's key, of mode 0600
    #[arg(long, value_name = "FILE", requires = "judge")]
    pub judge_key_file: Option<PathBuf>,

    /// Let a model judge its own work
    #[arg(long, requires = "judge")]
    pub judge_same_model: bool,
}

impl JudgeFlags {
    /// What they ask for. `fresh`: nothing that was answered before is taken.
    pub(crate) fn request(&self, fresh: bool) -> anyhow::Result<Option<JudgeRequest>> {
        let Some(provider) = self.judge.clone() else {
            return Ok(None);
        };
        let key = match &provider {
            JudgeProvider::Model(name) => key(name.provider, self.judge_key_file.as_deref())?,
            JudgeProvider::Command(_) | JudgeProvider::Recorded(_) => None,
        };
        Ok(Some(JudgeRequest {
            provider,
            url: self.judge_url.clone(),
            key,
            votes: self.judge_votes,
            same_model: self.judge_same_model,
            fresh,
        }))
    }
}

/// The operator's key for `provider`.
fn key(provider: Provider, file: Option<&Path>) -> anyhow::Result<Option<Secret>> {
    if let Some(file) = file {
        let secret = Secret::from_file(file);
        return Ok(Some(secret.context("cannot use the file with the key")?));
    }
    let Some(variable) = provider.key_variable() else {
        return Ok(None);
    };
    match std::env::var(variable) {
        Ok(text) if text.trim().is_empty() => Ok(None),
        Ok(text) => {
            Ok(Some(Secret::new(text).with_context(|| {
                format!("cannot use the key in {variable}")
            })?))
        }
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            anyhow::bail!("cannot use the key in {variable}: it is not UTF-8")
        }
    }
}
