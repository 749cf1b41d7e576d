//! What a judge is asked: one document a call, the same for every provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Version of a request.
pub const REQUEST_SCHEMA: &str = "proctor.judge-request/1";

/// One request to a judge: what programs get on standard input, and what is
/// stored of every call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// [`REQUEST_SCHEMA`].
    pub schema: String,
    /// Who is asked: `anthropic/claude-sonnet-4-5`.
    pub judge: String,
    /// Identifier of the criterion.
    pub criterion: String,
    /// Which of several votes this is, from 1.
    pub vote: u32,
    /// Which attempt at the vote this is, from 1.
    pub attempt: u32,
    /// The rules, for the model's system prompt.
    pub system: String,
    /// Question, levels and exhibits, and what was wrong with earlier answers.
    pub user: String,
    /// JSON Schema of the answer.
    pub answer: Value,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// Sampling temperature, where one is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

impl Ask {
    /// SHA-256 over the whole request, in lower-case hex.
    pub fn sha256(&self) -> String {
        // A struct of strings, numbers and a JSON value has no way to fail.
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        hex::encode(Sha256::digest(&bytes))
    }
}
